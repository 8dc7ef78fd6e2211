//! `llama-bench -o csv`, `json`, `jsonl` and `sql`: one record for each test.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::json::Json;
use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["avg_ts"];

const CONDITIONS: &[(&str, &str)] = &[
    ("model_type", "model"),
    ("backends", "backend"),
    ("n_gpu_layers", "ngl"),
    ("n_threads", "threads"),
    ("n_batch", "n_batch"),
    ("n_prompt", "n_prompt"),
    ("n_gen", "n_gen"),
    ("n_depth", "depth"),
];

static INSERT: LazyLock<Regex> = LazyLock::new(|| re(r"^INSERT INTO \w+ \(([^)]*)\) VALUES \((.*)\);?\s*$"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let text = lines[0].text.as_ref();
    if let Some(found) = INSERT.captures(text) {
        let (names, values) = (cells(group(&found, 1)), cells(group(&found, 2)));
        return usize::from(record(&lines[0], &names, &values, sink));
    }
    let header = cells(text);
    if header.contains(&"avg_ts") && header.contains(&"stddev_ts") {
        let rows = lines[1..].iter().take_while(|l| cells(&l.text).len() == header.len()).count();
        for line in &lines[1..=rows] {
            record(line, &header, &cells(&line.text), sink);
        }
        return rows + 1;
    }
    document(lines, sink)
}

/// What stands between commas, without quotes; a comma inside quotes parts nothing.
fn cells(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (i, c) in text.char_indices() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(q)) if c == q => quote = None,
            (',', None) => {
                out.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out.into_iter().map(|c| c.trim().trim_matches(['"', '\''])).collect()
}

/// One record of names and values on a line.
fn record(line: &Line<'_>, names: &[&str], values: &[&str], sink: &mut Sink<'_>) -> bool {
    let map: BTreeMap<&str, &str> = names.iter().copied().zip(values.iter().copied()).collect();
    let Some(rate) = map.get("avg_ts") else { return false };
    sink.block();
    for (key, name) in CONDITIONS {
        let none = |v: &str| v.is_empty() || matches!(*name, "n_prompt" | "n_gen" | "depth") && v == "0";
        if let Some(value) = map.get(key).filter(|v| !none(v)) {
            sink.param(name, value);
        }
    }
    let metric = metric(map.get("n_prompt").copied(), map.get("n_gen").copied());
    let deviation = map.get("stddev_ts").and_then(|v| v.parse().ok());
    if let Some(m) = sink.push(line, rate, metric, "tok/s") {
        m.statistic = Some("mean".to_owned());
        m.pm = deviation;
    }
    true
}

fn metric(n_prompt: Option<&str>, n_gen: Option<&str>) -> &'static str {
    let none = |n: Option<&str>| n.is_none_or(|n| n == "0");
    match (none(n_prompt), none(n_gen)) {
        (_, true) => "prefill_throughput",
        (true, _) => "decode_throughput",
        _ => "total_throughput",
    }
}

/// A list of records, or one.
fn document(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let Some((document, taken)) = Json::begins(lines, sink) else { return 0 };
    let runs: Vec<_> = document.items().into_iter().map(Json::members).collect();
    if runs.is_empty() || !runs.iter().all(|r| r.contains_key("avg_ts") && r.contains_key("stddev_ts")) {
        return 0;
    }
    for run in runs {
        sink.block();
        sink.conditions(&run, CONDITIONS);
        for name in ["n_prompt", "n_gen", "depth"] {
            if sink.params.get(name).is_some_and(|v| v == "0") {
                sink.params.remove(name);
            }
        }
        let number = |key: &str| run.get(key).and_then(|v| v.number());
        let metric = metric(number("n_prompt"), number("n_gen"));
        let deviation = number("stddev_ts").and_then(|v| v.parse().ok());
        let from = sink.len();
        sink.member(&run, "avg_ts", (metric, "tok/s", "mean"));
        sink.since(from).for_each(|m| m.pm = deviation);
    }
    taken
}
