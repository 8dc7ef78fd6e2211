//! Result lines of `sglang.bench_one_batch`.

use super::json::Json;
use super::lines::{Line, Sink};

pub(super) const ANCHORS: &[&str] = &["\"overall_throughput\"", "\"prefill_throughput\""];

const FIGURES: &[(&str, &str, &str, &str)] = &[
    ("prefill_latency", "prefill_latency", "s", ""),
    ("prefill_throughput", "prefill_throughput", "tok/s", ""),
    ("median_decode_latency", "decode_latency", "s", "p50"),
    ("median_decode_throughput", "decode_throughput", "tok/s", "p50"),
    ("total_latency", "latency", "s", ""),
    ("overall_throughput", "total_throughput", "tok/s", ""),
];

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let Some((document, taken)) = Json::begins(lines, sink) else { return 0 };
    let run = document.members();
    if !run.contains_key("overall_throughput") || !run.contains_key("prefill_latency") {
        return 0;
    }
    sink.block();
    sink.conditions(&run, &[("batch_size", "batch"), ("input_len", "input_len"), ("output_len", "output_len")]);
    for (key, metric, unit, statistic) in FIGURES {
        sink.member(&run, key, (metric, unit, statistic));
    }
    taken
}
