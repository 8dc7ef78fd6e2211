//! `vllm bench throughput` and `vllm bench latency`.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["Throughput: ", "Avg latency: "];

static THROUGHPUT: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^Throughput: ([\d.]+) requests/s, ([\d.]+) (?:total )?tokens/s(?:, ([\d.]+) output tokens/s)?")
});
static AVERAGE: LazyLock<Regex> = LazyLock::new(|| re(r"^Avg latency: ([\d.]+) seconds"));
static PERCENTILE: LazyLock<Regex> = LazyLock::new(|| re(r"^(\d+)% percentile latency: ([\d.]+) seconds"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let line = &lines[0];
    if let Some(found) = THROUGHPUT.captures(&line.text) {
        sink.block();
        for (index, metric, unit) in
            [(1, "request_throughput", "req/s"), (2, "total_throughput", "tok/s"), (3, "output_throughput", "tok/s")]
        {
            sink.stat(line, group(&found, index), metric, unit, "");
        }
        return 1;
    }
    let Some(found) = AVERAGE.captures(&line.text) else { return 0 };
    sink.block();
    sink.stat(line, group(&found, 1), "latency", "s", "mean");
    let mut taken = 1;
    while let Some(found) = lines.get(taken).and_then(|l| PERCENTILE.captures(&l.text)) {
        sink.stat(&lines[taken], group(&found, 2), "latency", "s", &format!("p{}", group(&found, 1)));
        taken += 1;
    }
    taken
}
