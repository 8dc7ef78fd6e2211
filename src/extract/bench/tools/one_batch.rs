//! `sglang.bench_one_batch`: prefill, decode steps and totals; the first round is a warm-up.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["Prefill. latency:", "Decode.  median latency:", "Total. latency:"];

static LATENCY: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(Prefill|Decode|Total)(?: (\d+))?\.\s+(?:Batch size: (\d+), )?(?:median )?latency:\s+([\d.]+) s, (?:median )?throughput:\s+([\d.]+) token/s",
    )
});

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let warm = lines[0].text.starts_with("Warmup ...");
    if !warm && !LATENCY.is_match(&lines[0].text) {
        return 0;
    }
    let from = sink.len();
    let end = lines.iter().skip(1).position(|l| {
        let text = l.text.as_ref();
        !LATENCY.is_match(text) || text.starts_with("Warmup ...")
    });
    let end = end.map_or(lines.len(), |n| n + 1);
    sink.block();
    for line in &lines[..end] {
        let Some(found) = LATENCY.captures(&line.text) else { continue };
        let (latency, throughput) = match group(&found, 1) {
            "Prefill" => ("prefill_latency", "prefill_throughput"),
            "Decode" => ("decode_latency", "decode_throughput"),
            _ => ("latency", "total_throughput"),
        };
        let step = group(&found, 2);
        let statistic = if !step.is_empty() {
            "step"
        } else if line.text.contains("median") {
            "p50"
        } else {
            ""
        };
        let params = sink.params.clone();
        if !step.is_empty() {
            sink.param("step", step);
        }
        if !group(&found, 3).is_empty() {
            sink.param("batch", group(&found, 3));
        }
        for (index, metric, unit) in [(4, latency, "s"), (5, throughput, "tok/s")] {
            sink.stat(line, group(&found, index), metric, unit, statistic);
        }
        sink.params = params;
    }
    if warm {
        sink.invalidate(from);
    }
    end
}
