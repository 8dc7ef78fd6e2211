//! `sglang.bench_serving` and `vllm bench serve`: `key (unit): value` between rules.

use std::sync::LazyLock;

use regex::Regex;

use super::super::lexicon;
use super::lines::{Line, Sink, group, re};
use super::serving_metric;

pub(super) const ANCHORS: &[&str] =
    &["Serving Benchmark Result", "throughput (tok/s)", "throughput (req/s)", "TTFT (ms)"];

static KEY: LazyLock<Regex> =
    LazyLock::new(|| re(r"^([A-Z][A-Za-z0-9 .\-]*?)(?: \((s|ms|tok/s|req/s)\))?:\s+([\d.]+|inf|nan|not set|\w+)\s*$"));
static RULE: LazyLock<Regex> = LazyLock::new(|| re(r"^[-=]{3,}"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let first = &lines[0].text;
    let banner = first.starts_with("===") && first.contains("Serving Benchmark Result");
    let known = |l: &Line<'_>| {
        KEY.captures(&l.text).is_some_and(|c| !group(&c, 2).is_empty() && serving_metric(group(&c, 1)).is_some())
    };
    if !banner && !known(&lines[0]) {
        return 0;
    }
    let inside = |l: &Line<'_>| KEY.is_match(&l.text) || RULE.is_match(&l.text);
    let end = 1 + lines[1..].iter().take_while(|l| inside(l) && !l.text.contains("Serving Benchmark Result")).count();
    sink.block();
    for line in &lines[..end] {
        let Some(found) = KEY.captures(&line.text) else { continue };
        match group(&found, 1) {
            "Max request concurrency" | "Maximum request concurrency" => sink.param("concurrency", group(&found, 3)),
            "Traffic request rate" | "Request rate configured (RPS)" => sink.param("request_rate", group(&found, 3)),
            "Failed requests" => sink.failed = group(&found, 3).parse::<f64>().is_ok_and(|n| n > 0.0),
            _ => {}
        }
    }
    for line in &lines[..end] {
        let Some(found) = KEY.captures(&line.text) else { continue };
        let Some(metric) = serving_metric(group(&found, 1)) else { continue };
        let statistic = lexicon::statistic(group(&found, 1)).unwrap_or_default();
        let has_unit = !group(&found, 2).is_empty() || metric == "accept_length";
        if has_unit && let Some(value) = line.text.rsplit(':').next().filter(|v| v.trim() == group(&found, 3)) {
            sink.stat(line, value, metric, group(&found, 2), &statistic);
        }
    }
    end
}
