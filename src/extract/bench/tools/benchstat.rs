//! `benchstat`: one column of figures, or an old and a new one; `~` says that they do not differ.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["sec/op", "old time/op", "old alloc/op", "old speed"];

/// The line of units under the names of the files, and the old form with one unit for both columns.
static UNITS: LazyLock<Regex> = LazyLock::new(|| re(r"^\s+│\s+(sec|B|allocs)/op\s|^\s+│\s+(B)/s\s"));
static OLD: LazyLock<Regex> = LazyLock::new(|| re(r"^name\s+old (time|alloc|allocs|speed)(?:/op)?\s+new "));
static VALUE: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?:^|\s)([\d.]+)(n|µ|μ|u|m|k|Ki|Mi|Gi|M|G)?(s|B|MB/s|B/s)?\s+±\s*(\d+|∞)\s?%"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let first = lines[0].text.as_ref();
    let kind = match (UNITS.captures(first), OLD.captures(first)) {
        (Some(c), _) if !group(&c, 2).is_empty() => "speed",
        (Some(c), _) => match group(&c, 1) {
            "sec" => "time",
            "B" => "alloc",
            _ => "allocs",
        },
        (_, Some(c)) => match group(&c, 1) {
            "time" => "time",
            "alloc" => "alloc",
            "allocs" => "allocs",
            _ => "speed",
        },
        _ => return 0,
    };
    let mut taken = 1;
    while let Some(line) = lines.get(taken).filter(|l| VALUE.is_match(&l.text) || l.text.starts_with("geomean")) {
        row(line, kind, sink);
        taken += 1;
    }
    taken
}

fn row(line: &Line<'_>, kind: &str, sink: &mut Sink<'_>) {
    let name = line.text.split_whitespace().next().unwrap_or_default();
    if name == "geomean" {
        return;
    }
    sink.block();
    let (name, threads) = match name.rsplit_once('-') {
        Some((n, t)) if t.bytes().all(|b| b.is_ascii_digit()) => (n, Some(t)),
        _ => (name, None),
    };
    sink.param("name", name);
    if let Some(threads) = threads {
        sink.param("gomaxprocs", threads);
    }
    let values: Vec<_> = VALUE.captures_iter(&line.text).collect();
    let phases: &[Option<&str>] = if values.len() == 2 { &[Some("before"), Some("after")] } else { &[None] };
    for (value, phase) in values.iter().zip(phases) {
        let prefix = group(value, 2).replace('u', "µ");
        let (metric, unit) = match kind {
            "time" => ("time_per_op", format!("{prefix}s/op")),
            "alloc" => ("memory_per_op", format!("{prefix}B/op")),
            "allocs" => ("allocs_per_op", "allocs/op".to_owned()),
            _ => ("throughput", if group(value, 3) == "MB/s" { "MB/s".to_owned() } else { format!("{prefix}B/s") }),
        };
        let share: Option<f64> = group(value, 4).parse().ok();
        if let Some(m) = sink.push(line, group(value, 1), metric, &unit) {
            if kind == "allocs" && prefix == "k" {
                m.value = m.value.map(|v| v * 1e3);
            }
            m.statistic = Some("p50".to_owned());
            m.pm = share.zip(m.value).map(|(s, v)| v * s / 100.0);
            m.phase = phase.map(str::to_owned);
        }
    }
}
