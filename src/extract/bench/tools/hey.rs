//! `hey`: summary and latency distribution; the histogram is no result.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["Slowest:"];

static SUMMARY: LazyLock<Regex> = LazyLock::new(|| re(r"^\s+(Slowest|Fastest|Average):\s+([\d.]+) secs"));
static RATE: LazyLock<Regex> = LazyLock::new(|| re(r"^\s+Requests/sec:\s+([\d.]+)"));
static PERCENTILE: LazyLock<Regex> = LazyLock::new(|| re(r"^\s+(\d+)%+ in ([\d.]+) secs"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let near = |text: &str| lines[..lines.len().min(6)].iter().any(|l| l.text.contains(text));
    if lines[0].text.trim() != "Summary:" || !near("Slowest:") {
        return 0;
    }
    sink.block();
    let end = lines.iter().position(|l| l.text.starts_with("Status code distribution")).unwrap_or(lines.len().min(60));
    for line in &lines[..end] {
        if let Some(found) = SUMMARY.captures(&line.text) {
            let statistic = match group(&found, 1) {
                "Slowest" => "max",
                "Fastest" => "min",
                _ => "mean",
            };
            sink.stat(line, group(&found, 2), "latency", "s", statistic);
        } else if let Some(found) = RATE.captures(&line.text) {
            sink.stat(line, group(&found, 1), "request_throughput", "req/s", "");
        } else if let Some(found) = PERCENTILE.captures(&line.text) {
            sink.stat(line, group(&found, 2), "latency", "s", &format!("p{}", group(&found, 1)));
        }
    }
    end.max(1)
}
