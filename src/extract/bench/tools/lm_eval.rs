//! `lm-eval`: the arrow cell is not reliable, so the metric decides what is better.

use std::collections::BTreeMap;

use super::lines::{Line, Sink};
use super::llama_bench::cells;

pub(super) const ANCHORS: &[&str] = &["|Tasks", "| Tasks", "|Groups", "| Groups"];

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let header = cells(&lines[0].text);
    if !matches!(header.first(), Some(&"Tasks" | &"Groups")) || !header.contains(&"Metric") {
        return 0;
    }
    let column = |name: &str| header.iter().position(|h| *h == name);
    let (Some(metric), Some(value)) = (column("Metric"), column("Value")) else { return 0 };
    let rows = lines[1..].iter().take_while(|l| l.text.trim_start().starts_with('|')).count();
    let mut carried: BTreeMap<&str, String> = BTreeMap::new();
    for line in &lines[1..=rows] {
        let row = cells(&line.text);
        if row.len() != header.len() || row[0].starts_with("--") {
            continue;
        }
        sink.block();
        for (key, name) in [("task", header[0]), ("version", "Version"), ("filter", "Filter"), ("n_shot", "n-shot")] {
            let text = column(name).map_or("", |i| row[i]);
            if !text.is_empty() {
                carried.insert(key, text.to_owned());
            }
            if let Some(value) = carried.get(key) {
                sink.param(key, value);
            }
        }
        let unit = if row[metric].contains("perplexity") { "ppl" } else { "ratio" };
        let name = row[metric].split(',').next().unwrap_or("").to_owned();
        let deviation = column("Stderr").and_then(|i| row[i].parse().ok());
        if let Some(m) = sink.push(line, row[value], &name, unit) {
            m.pm = deviation;
        }
    }
    rows + 1
}
