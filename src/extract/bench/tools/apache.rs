//! `ab`: the line "across all concurrent requests" is one over the throughput, so it is left out.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["Concurrency Level:"];

static RATE: LazyLock<Regex> = LazyLock::new(|| re(r"^Requests per second:\s+([\d.]+) \[#/sec\] \(mean\)"));
static TIME: LazyLock<Regex> = LazyLock::new(|| re(r"^Time per request:\s+([\d.]+) \[ms\] \(mean\)"));
static FAILED: LazyLock<Regex> = LazyLock::new(|| re(r"^Failed requests:\s+(\d+)"));
static PERCENTILE: LazyLock<Regex> = LazyLock::new(|| re(r"^\s+(\d+)%\s+(\d+)(?: \(longest request\))?\s*$"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let Some(level) = lines[0].text.strip_prefix("Concurrency Level:") else { return 0 };
    sink.block();
    sink.param("concurrency", level);
    let next = lines[1..]
        .iter()
        .position(|l| l.text.starts_with("Concurrency Level:") || l.text.starts_with("This is ApacheBench"));
    let end = next.map_or(lines.len(), |n| n + 1).min(60);
    for line in &lines[..end] {
        if let Some(found) = FAILED.captures(&line.text) {
            sink.failed = group(&found, 1) != "0";
        } else if let Some(found) = RATE.captures(&line.text) {
            sink.stat(line, group(&found, 1), "request_throughput", "req/s", "");
        } else if let Some(found) = TIME.captures(&line.text) {
            sink.stat(line, group(&found, 1), "latency", "ms", "mean");
        } else if let Some(found) = PERCENTILE.captures(&line.text) {
            let p = group(&found, 1);
            let statistic = if p == "100" { "max".to_owned() } else { format!("p{p}") };
            sink.stat(line, group(&found, 2), "latency", "ms", &statistic);
        }
    }
    end
}
