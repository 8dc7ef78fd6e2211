//! `trtllm-bench`: sections between rules; the unit of a breakdown stands in its title.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["= PERFORMANCE OVERVIEW"];

static PARAM: LazyLock<Regex> = LazyLock::new(|| re(r"^([A-Z][\w ]*?):\s+(\d+)\s*$"));
static VALUE: LazyLock<Regex> =
    LazyLock::new(|| re(r"^([A-Z].+?) \((req/sec|tokens/sec|ms|tps/user|tps/gpu)\):\s+([\d.]+)"));
static BRACKET: LazyLock<Regex> =
    LazyLock::new(|| re(r"^\[(TTFT|TPOT|Latency|ITL)\] (MINIMUM|MAXIMUM|AVERAGE|P\d\d)\s*: ([\d.]+)"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let title = |l: &Line<'_>| l.text.starts_with("= ");
    if !title(&lines[0])
        || !["WORLD + RUNTIME", "PERFORMANCE OVERVIEW", "ENGINE DETAILS"].iter().any(|t| lines[0].text.contains(t))
    {
        return 0;
    }
    let ours = |l: &Line<'_>| {
        let text = l.text.trim();
        text.is_empty() || text.starts_with(['=', '-', '[']) || text.contains(':')
    };
    let end = 1 + lines[1..].iter().take_while(|l| ours(l)).count();
    sink.block();
    let mut unit = "ms";
    for line in &lines[..end] {
        let text = line.text.as_ref();
        if let Some(found) = PARAM.captures(text) {
            match group(&found, 1) {
                "TP Size" => sink.param("tp", group(&found, 2)),
                "PP Size" => sink.param("pp", group(&found, 2)),
                "EP Size" => sink.param("ep", group(&found, 2)),
                "Max Runtime Batch Size" => sink.param("batch", group(&found, 2)),
                _ => {}
            }
        } else if text.starts_with("-- ") {
            unit = if text.contains("(ms)") { "ms" } else { "" };
        } else if let Some(found) = VALUE.captures(text) {
            value(line, &found, sink);
        } else if let Some(found) = BRACKET.captures(text).filter(|_| !unit.is_empty()) {
            let metric = match group(&found, 1) {
                "TTFT" => "ttft",
                "TPOT" => "tpot",
                "ITL" => "itl",
                _ => "e2e_latency",
            };
            let statistic = match group(&found, 2) {
                "MINIMUM" => "min".to_owned(),
                "MAXIMUM" => "max".to_owned(),
                "AVERAGE" => "mean".to_owned(),
                p => p.to_lowercase(),
            };
            sink.stat(line, group(&found, 3), metric, unit, &statistic);
        }
    }
    end
}

fn value(line: &Line<'_>, found: &regex::Captures<'_>, sink: &mut Sink<'_>) {
    let key = group(found, 1).to_lowercase();
    let (metric, statistic) = match key.as_str() {
        k if k.starts_with("request throughput") => ("request_throughput", ""),
        k if k.starts_with("total token throughput") => ("total_throughput", ""),
        k if k.contains("output throughput") || k.contains("output speed") => ("output_throughput", ""),
        k if k.starts_with("total latency") => ("duration", ""),
        k if k.contains("request latency") => ("e2e_latency", "mean"),
        k if k.contains("time-to-first-token") => ("ttft", "mean"),
        k if k.contains("time-per-output-token") => ("tpot", "mean"),
        _ => return,
    };
    let total = key.starts_with("total output");
    let at = sink.len();
    sink.stat(line, group(found, 3), metric, group(found, 2), statistic);
    if total {
        sink.since(at).for_each(|m| m.scope = Some("total".to_owned()));
    }
}
