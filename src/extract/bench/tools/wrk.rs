//! `wrk` and `wrk2`: `Req/Sec` is per thread; the fourth column is a share, not a percentile.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["requests in", "Requests/sec:"];

static SHAPE: LazyLock<Regex> = LazyLock::new(|| re(r"^\s+(\d+) threads and (\d+) connections"));
static STATS: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^\s+(Latency|Req/Sec)\s+([\d.]+)(us|ms|s|k|M)?\s+([\d.]+)(us|ms|s|k|M)?\s+([\d.]+)(us|ms|s|k|M)?\s")
});
static PERCENTILE: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*([\d.]+)%\s+([\d.]+)(us|ms|s)\s*$"));
static TOTAL: LazyLock<Regex> = LazyLock::new(|| re(r"^(Requests|Transfer)/sec:\s+([\d.]+)([KMGT]?B)?"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    if !lines[0].text.starts_with("Running ") || !lines[0].text.contains(" test @") {
        return 0;
    }
    sink.block();
    let last = lines.iter().position(|l| l.text.starts_with("Transfer/sec:"));
    let Some(end) = last.filter(|n| *n < 200).map(|n| n + 1) else { return 1 };
    for line in &lines[..end] {
        if let Some(found) = SHAPE.captures(&line.text) {
            sink.param("threads", group(&found, 1));
            sink.param("connections", group(&found, 2));
        } else if let Some(found) = STATS.captures(&line.text) {
            stats(line, &found, sink);
        } else if let Some(found) = PERCENTILE.captures(&line.text) {
            let p = group(&found, 1);
            let p = if p.contains('.') { p.trim_end_matches('0').trim_end_matches('.') } else { p };
            sink.stat(line, group(&found, 2), "latency", group(&found, 3), &format!("p{p}"));
        } else if let Some(found) = TOTAL.captures(&line.text) {
            let from = sink.len();
            if group(&found, 1) == "Requests" {
                sink.stat(line, group(&found, 2), "request_throughput", "req/s", "");
                sink.since(from).for_each(|m| m.scope = Some("total".to_owned()));
            } else {
                let unit = group(&found, 3).replace('B', "iB/s");
                let unit = if unit == "iB/s" { "B/s".to_owned() } else { unit };
                sink.stat(line, group(&found, 2), "network_throughput", &unit, "");
            }
        }
    }
    end
}

fn stats(line: &Line<'_>, found: &regex::Captures<'_>, sink: &mut Sink<'_>) {
    let latency = group(found, 1) == "Latency";
    for (index, statistic) in [(2, "mean"), (4, "stdev"), (6, "max")] {
        let suffix = group(found, index + 1);
        let (metric, unit) = if latency { ("latency", suffix) } else { ("request_throughput", "req/s") };
        let Some(m) = sink.push(line, group(found, index), metric, unit) else { continue };
        m.statistic = Some(statistic.to_owned());
        if !latency {
            m.scope = Some("per_thread".to_owned());
            let factor = if suffix == "k" {
                1e3
            } else if suffix == "M" {
                1e6
            } else {
                1.0
            };
            m.value = m.value.map(|v| v * factor);
        }
    }
}
