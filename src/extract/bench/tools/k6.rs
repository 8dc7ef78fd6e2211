//! `k6`: dotted trends and counters.

use std::sync::LazyLock;

use regex::Regex;

use super::super::MeasurementRole;
use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["http_req_duration", "iteration_duration"];

static TREND: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*[✓✗]?\s*(\w+)\.*:\s*(avg=.*)$"));
static VALUE: LazyLock<Regex> = LazyLock::new(|| re(r"(avg|min|med|max|p\([\d.]+\))=([\d.]+)(ns|µs|ms|s)\b"));
static COUNTER: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*[✓✗]?\s*http_reqs\.*:\s*\d+\s+([\d.]+)/s"));
static FAILED: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*[✓✗]?\s*http_req_failed\.*:\s*([\d.]+)%"));

/// `✓ 'p(95)<1500' p(95)=148ms`: a target; the figure itself stands in the results.
static THRESHOLD: LazyLock<Regex> =
    LazyLock::new(|| re(r"^\s*[✓✗]\s*'(avg|min|med|max|p\([\d.]+\))\s*<=?\s*([\d.]+)'\s"));

fn statistic(name: &str) -> String {
    match name {
        "avg" => "mean".to_owned(),
        "med" => "p50".to_owned(),
        s => s.replace(['(', ')'], ""),
    }
}

fn metric(name: &str) -> Option<&'static str> {
    match name {
        "http_req_duration" => Some("latency"),
        "iteration_duration" => Some("iteration_time"),
        _ => None,
    }
}

/// The thresholds under the name of a metric.
fn thresholds(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let rows = lines[1..].iter().take_while(|l| THRESHOLD.is_match(&l.text)).count();
    let Some(metric) = metric(lines[0].text.trim()).filter(|_| rows > 0) else { return 0 };
    sink.block();
    for line in &lines[1..=rows] {
        let Some(found) = THRESHOLD.captures(&line.text) else { continue };
        if let Some(m) = sink.push(line, group(&found, 2), metric, "ms") {
            m.statistic = Some(statistic(group(&found, 1)));
            m.role = MeasurementRole::Target;
        }
    }
    rows + 1
}

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let line = &lines[0];
    let taken = thresholds(lines, sink);
    if taken > 0 {
        return taken;
    }
    if let Some(found) = TREND.captures(&line.text) {
        let Some(metric) = metric(group(&found, 1)) else { return 1 };
        sink.block();
        for value in VALUE.captures_iter(group(&found, 2)) {
            sink.stat(line, group(&value, 2), metric, group(&value, 3), &statistic(group(&value, 1)));
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
