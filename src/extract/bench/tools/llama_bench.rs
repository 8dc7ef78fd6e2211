//! `llama-bench`, as a Markdown table.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["| t/s |", "t/s |"];

static TEST: LazyLock<Regex> = LazyLock::new(|| re(r"^(?:pp ?(\d+))?\+?(?:tg ?(\d+))?(?: @ d(\d+))?$"));
static RATE: LazyLock<Regex> = LazyLock::new(|| re(r"^([\d.]+)(?: ± ([\d.]+))?$"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let header: Vec<&str> = cells(&lines[0].text);
    if header.first() != Some(&"model") || !header.contains(&"test") || header.last() != Some(&"t/s") {
        return 0;
    }
    let rows = lines[1..].iter().take_while(|l| l.text.trim_start().starts_with('|')).count();
    for line in &lines[1..=rows] {
        let row = cells(&line.text);
        if row.len() != header.len() || row[0].starts_with("--") {
            continue;
        }
        sink.block();
        let test = header.iter().position(|h| *h == "test").map_or("", |i| row[i]);
        let (Some(test), Some(rate)) = (TEST.captures(test), RATE.captures(row[row.len() - 1])) else { continue };
        for (key, value) in header.iter().zip(&row).filter(|(k, _)| !matches!(**k, "test" | "t/s")) {
            sink.param(if *key == "params" { "parameters" } else { key }, value);
        }
        for (index, key) in [(1, "n_prompt"), (2, "n_gen"), (3, "depth")] {
            if !group(&test, index).is_empty() {
                sink.param(key, group(&test, index));
            }
        }
        let metric = match (group(&test, 1), group(&test, 2)) {
            (_, "") => "prefill_throughput",
            ("", _) => "decode_throughput",
            _ => "total_throughput",
        };
        let deviation = group(&rate, 2).parse().ok();
        if let Some(m) = sink.push(line, group(&rate, 1), metric, "tok/s") {
            m.statistic = Some("mean".to_owned());
            m.pm = deviation;
        }
    }
    rows + 1
}

/// The cells of a row between pipes.
pub(super) fn cells(text: &str) -> Vec<&str> {
    let inner = text.trim().trim_start_matches('|').trim_end_matches('|');
    if text.trim_start().starts_with('|') { inner.split('|').map(str::trim).collect() } else { Vec::new() }
}
