//! Result files of `sglang.bench_serving` and `vllm bench serve`: one object, or one a line.

use std::sync::LazyLock;

use regex::Regex;

use super::json::Json;
use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["\"request_throughput\""];

const RATES: &[(&str, &str, &str)] = &[
    ("request_throughput", "request_throughput", "req/s"),
    ("input_throughput", "input_throughput", "tok/s"),
    ("output_throughput", "output_throughput", "tok/s"),
    ("total_throughput", "total_throughput", "tok/s"),
    ("total_token_throughput", "total_throughput", "tok/s"),
    ("accept_length", "accept_length", ""),
    ("duration", "duration", "s"),
];
const CONDITIONS: &[(&str, &str)] = &[
    ("max_concurrency", "concurrency"),
    ("request_rate", "request_rate"),
    ("num_prompts", "num_prompts"),
    ("random_input_len", "input_len"),
    ("random_output_len", "output_len"),
    ("model_id", "model"),
];

static TIME: LazyLock<Regex> =
    LazyLock::new(|| re(r"^(mean|median|std|max|p[\d.]+)_(ttft|tpot|itl|e2el|e2e_latency)_ms$"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let Some((document, taken)) = Json::begins(lines, sink) else { return 0 };
    let run = document.members();
    if !run.contains_key("request_throughput") || !run.contains_key("output_throughput") {
        return 0;
    }
    sink.block();
    sink.conditions(&run, CONDITIONS);
    sink.failed = run.get("failed").and_then(|f| f.number()).is_some_and(|n| n != "0");
    for (key, metric, unit) in RATES {
        sink.member(&run, key, (metric, unit, ""));
    }
    for key in run.keys() {
        let Some(found) = TIME.captures(key) else { continue };
        let statistic = match group(&found, 1) {
            "median" => "p50",
            "std" => "stdev",
            other => other,
        };
        let metric = match group(&found, 2) {
            "e2el" => "e2e_latency",
            other => other,
        };
        sink.member(&run, key, (metric, "ms", statistic));
    }
    taken
}
