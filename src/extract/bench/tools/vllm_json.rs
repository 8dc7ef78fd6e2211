//! Result files of `vllm bench throughput` and `vllm bench latency`.

use super::json::Json;
use super::lines::{Line, Sink};

pub(super) const ANCHORS: &[&str] = &["\"tokens_per_second\"", "\"avg_latency\""];

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let Some((document, taken)) = Json::begins(lines, sink) else { return 0 };
    let run = document.members();
    let throughput = run.contains_key("requests_per_second") && run.contains_key("tokens_per_second");
    let latency = run.contains_key("avg_latency") && run.contains_key("percentiles");
    if !throughput && !latency {
        return 0;
    }
    sink.block();
    sink.conditions(&run, &[("num_requests", "num_prompts")]);
    sink.member(&run, "requests_per_second", ("request_throughput", "req/s", ""));
    sink.member(&run, "tokens_per_second", ("total_throughput", "tok/s", ""));
    sink.member(&run, "avg_latency", ("latency", "s", "mean"));
    let percentiles = run.get("percentiles").map(|p| p.members()).unwrap_or_default();
    for p in percentiles.keys() {
        sink.member(&percentiles, p, ("latency", "s", &format!("p{p}")));
    }
    taken
}
