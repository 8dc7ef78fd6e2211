//! critcmp: two or more saved runs of Criterion side by side.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["/sec"];

/// Factor, time with its deviation, and the throughput where there is one.
static CELL: LazyLock<Regex> = LazyLock::new(|| {
    re(r"\d+\.\d\d\s+([\d.]+)±([\d.]+)(ns|µs|ms|s)\s+(?:([\d.]+) ([KMGT]?i?B|K?elem)/sec|\? \?/sec)?")
});

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let Some((runs, rule)) = lines.first().zip(lines.get(1)) else { return 0 };
    let names: Vec<(usize, &str)> = columns(&runs.text);
    if names.first().map(|n| n.1) != Some("group") || !rule.text.starts_with("-----") {
        return 0;
    }
    let mut taken = 2;
    while let Some(line) = lines.get(taken).filter(|l| l.text.contains('±')) {
        let group_name = line.text.split("  ").next().unwrap_or_default();
        for found in CELL.captures_iter(&line.text) {
            let at = found.get(0).map_or(0, |m| line.text[..m.start()].chars().count());
            let run = names.iter().skip(1).rev().find(|(start, _)| *start <= at);
            sink.block();
            sink.param("name", group_name);
            sink.param("config", run.map_or("", |r| r.1));
            if let Some(m) = sink.push(line, group(&found, 1), "time", group(&found, 3)) {
                m.statistic = Some("mean".to_owned());
                m.pm = group(&found, 2).parse().ok();
            }
            if !group(&found, 4).is_empty() {
                let metric = if group(&found, 5).ends_with('B') { "throughput" } else { "item_rate" };
                sink.stat(line, group(&found, 4), metric, &format!("{}/s", group(&found, 5)), "mean");
            }
        }
        taken += 1;
    }
    taken
}

/// Names of the columns with the character that each starts at.
fn columns(header: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut at = 0;
    for word in header.split("  ") {
        let name = word.trim_start();
        if !name.is_empty() {
            out.push((header[..at + word.len() - name.len()].chars().count(), name.trim_end()));
        }
        at += word.len() + 2;
    }
    out
}
