//! MLPerf loadgen: a result that it calls INVALID does not count.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["MLPerf Results Summary"];

static KEY: LazyLock<Regex> = LazyLock::new(|| re(r"^(.+?)\s*: (.+?)\s*$"));
static PERCENTILE: LazyLock<Regex> =
    LazyLock::new(|| re(r"^([\d.]+) percentile (latency|first token latency|time to output token) \(ns\)$"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    if !lines[0].text.starts_with("MLPerf Results Summary") {
        return 0;
    }
    sink.block();
    let from = sink.len();
    let end = lines.iter().position(|l| l.text.starts_with("Test Parameters Used")).unwrap_or(lines.len().min(60));
    let mut invalid = false;
    for line in &lines[..end] {
        let Some(found) = KEY.captures(&line.text) else { continue };
        let (key, value) = (group(&found, 1), group(&found, 2));
        match key {
            "Scenario" => sink.param("scenario", value),
            "SUT name" => sink.param("sut", value),
            "Result is" => invalid = value == "INVALID",
            "Samples per second" | "Completed samples per second" => {
                sink.stat(line, value, "request_throughput", "samples/s", "");
            }
            "Tokens per second" | "Completed tokens per second" => {
                sink.stat(line, value, "output_throughput", "tok/s", "");
            }
            "Mean latency (ns)" => sink.stat(line, value, "latency", "ns", "mean"),
            _ => {
                let Some(p) = PERCENTILE.captures(key) else { continue };
                let metric = match group(&p, 2) {
                    "latency" => "latency",
                    "first token latency" => "ttft",
                    _ => "tpot",
                };
                let n = group(&p, 1).trim_end_matches('0').trim_end_matches('.');
                sink.stat(line, value, metric, "ns", &format!("p{n}"));
            }
        }
    }
    if invalid {
        sink.invalidate(from);
    }
    end.max(1)
}
