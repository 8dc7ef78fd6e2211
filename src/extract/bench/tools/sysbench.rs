//! `sysbench`: events, transfer and latency.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["events per second:", "MiB transferred ("];

static EVENTS: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*events per second:\s+([\d.]+)"));
static TRANSFER: LazyLock<Regex> = LazyLock::new(|| re(r"MiB transferred \(([\d.]+) MiB/sec\)"));
static LATENCY: LazyLock<Regex> = LazyLock::new(|| re(r"^\s+(min|avg|max|95th percentile):\s+([\d.]+)\s*$"));
static THREADS: LazyLock<Regex> = LazyLock::new(|| re(r"^Number of threads: (\d+)"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let line = &lines[0];
    if let Some(found) = THREADS.captures(&line.text) {
        sink.block();
        sink.param("threads", group(&found, 1));
        return 1;
    }
    if let Some(found) = EVENTS.captures(&line.text) {
        sink.stat(line, group(&found, 1), "event_rate", "events/s", "");
        return 1;
    }
    if let Some(found) = TRANSFER.captures(&line.text) {
        sink.stat(line, group(&found, 1), "memory_bandwidth", "MiB/s", "");
        return 1;
    }
    if line.text.trim() != "Latency (ms):" {
        return 0;
    }
    let rows = lines[1..].iter().take_while(|l| l.text.starts_with(' ')).count();
    for line in &lines[1..=rows] {
        let Some(found) = LATENCY.captures(&line.text) else { continue };
        let statistic = match group(&found, 1) {
            "avg" => "mean",
            "95th percentile" => "p95",
            other => other,
        };
        sink.stat(line, group(&found, 2), "latency", "ms", statistic);
    }
    rows + 1
}
