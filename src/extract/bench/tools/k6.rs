//! `k6`: dotted trends and counters.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["http_req_duration", "iteration_duration"];

static TREND: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*[✓✗]?\s*(\w+)\.*:\s*(avg=.*)$"));
static VALUE: LazyLock<Regex> = LazyLock::new(|| re(r"(avg|min|med|max|p\([\d.]+\))=([\d.]+)(ns|µs|ms|s)\b"));
static COUNTER: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*[✓✗]?\s*http_reqs\.*:\s*\d+\s+([\d.]+)/s"));
static FAILED: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*[✓✗]?\s*http_req_failed\.*:\s*([\d.]+)%"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let line = &lines[0];
    if let Some(found) = TREND.captures(&line.text) {
        let metric = match group(&found, 1) {
            "http_req_duration" => "latency",
            "iteration_duration" => "iteration_time",
            _ => return 1,
        };
        sink.block();
        for value in VALUE.captures_iter(group(&found, 2)) {
            let statistic = match group(&value, 1) {
                "avg" => "mean".to_owned(),
                "med" => "p50".to_owned(),
                s => s.replace(['(', ')'], ""),
            };
            sink.stat(line, group(&value, 2), metric, group(&value, 3), &statistic);
        }
        return 1;
    }
    for (pattern, metric, unit) in [(&COUNTER, "request_throughput", "req/s"), (&FAILED, "error_rate", "%")] {
        if let Some(found) = pattern.captures(&line.text) {
            sink.block();
            sink.stat(line, group(&found, 1), metric, unit, "");
            return 1;
        }
    }
    0
}
