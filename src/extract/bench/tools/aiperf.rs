//! `genai-perf` and `aiperf`: a box whose names may run over several rows.

use super::lines::{Line, Sink};
use super::serving_metric;

pub(super) const ANCHORS: &[&str] = &["LLM Metrics"];

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let title = &lines[0].text;
    if !title.contains("LLM Metrics") || !title.contains("NVIDIA") {
        return 0;
    }
    let boxed = |l: &Line<'_>| l.text.trim_start().starts_with(['┏', '┃', '┡', '│', '└', '├', '╇']);
    let end = 1 + lines[1..].iter().take_while(|l| boxed(l)).count();
    let split = |l: &'_ Line<'_>, bar: char| -> Vec<String> {
        l.text.trim().trim_matches(bar).split(bar).map(|c| c.trim().to_owned()).collect()
    };
    let Some(header) = lines[..end].iter().find(|l| l.text.contains('┃')).map(|l| split(l, '┃')) else { return 0 };
    sink.block();
    let mut i = 1;
    while i < end {
        let line = &lines[i];
        i += 1;
        if !line.text.trim_start().starts_with('│') {
            continue;
        }
        let values: Vec<&str> = line.text.trim().trim_matches('│').split('│').collect();
        let mut name = values.first().map_or("", |n| n.trim()).to_owned();
        // A row without values continues the name of the one above.
        while let Some(more) = lines[i..end].first().filter(|l| l.text.trim_start().starts_with('│')) {
            let cells = split(more, '│');
            if cells[1..].iter().any(|c| !c.is_empty()) {
                break;
            }
            name = format!("{name} {}", cells[0]);
            i += 1;
        }
        let Some(metric) = serving_metric(&name) else { continue };
        let unit = name.rsplit_once('(').map_or("", |(_, u)| u.trim_end_matches(')'));
        for (head, value) in header.iter().zip(&values).skip(1) {
            let statistic = if head == "avg" {
                "mean"
            } else if head == "std" {
                "stdev"
            } else {
                head
            };
            sink.stat(line, value, metric, unit, statistic);
        }
    }
    end
}
