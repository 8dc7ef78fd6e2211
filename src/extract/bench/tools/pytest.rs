//! `pytest-benchmark`: every cell has a value and the rank of the row; the unit is that of the table.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["Name (time in "];

static TITLE: LazyLock<Regex> = LazyLock::new(|| re(r"^-+ benchmark(?: '([^']*)')?.*: \d+ tests? -+$"));
static HEADER: LazyLock<Regex> = LazyLock::new(|| re(r"^Name \(time in (ns|us|ms|s)\)"));
static COLUMN: LazyLock<Regex> =
    LazyLock::new(|| re(r"(Min|Max|Mean|StdDev|Median|IQR|Outliers|OPS(?: \(([KM]?)ops/s\))?|Rounds|Iterations)"));
static CELL: LazyLock<Regex> = LazyLock::new(|| re(r"([\d,.]+(?:;\d+)?)(?: \([\d.,>]+\))?"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let title = TITLE.captures(&lines[0].text);
    let at = usize::from(title.is_some());
    let Some(header) = lines.get(at).and_then(|l| HEADER.captures(&l.text)) else { return 0 };
    let unit = group(&header, 1);
    let columns: Vec<(String, String)> = COLUMN
        .captures_iter(&lines[at].text)
        .map(|c| (group(&c, 1).split(' ').next().unwrap_or("").to_owned(), group(&c, 2).to_owned()))
        .collect();
    let mut taken = at + 1;
    let mut rules = 0;
    while let Some(line) = lines.get(taken).filter(|l| !l.text.trim().is_empty()) {
        taken += 1;
        if line.text.starts_with("---") {
            rules += 1;
            if rules == 2 {
                break;
            }
            continue;
        }
        let Some((name, rest)) = line.text.split_once(char::is_whitespace) else { continue };
        sink.block();
        sink.param("test", name);
        if let Some(group_name) = title.as_ref().map(|t| group(t, 1)).filter(|g| !g.is_empty()) {
            sink.param("group", group_name);
        }
        let cells: Vec<&str> = CELL.captures_iter(rest).map(|c| group(&c, 1)).collect();
        for ((column, prefix), value) in columns.iter().zip(&cells) {
            let statistic = match column.as_str() {
                "Min" => "min",
                "Max" => "max",
                "Mean" => "mean",
                "Median" => "p50",
                "StdDev" => "stdev",
                "OPS" => {
                    sink.stat(line, value, "ops_rate", &format!("{prefix}ops/s"), "");
                    continue;
                }
                _ => continue,
            };
            sink.stat(line, value, "time", unit, statistic);
        }
    }
    taken
}
