//! `go test -bench`.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["ns/op"];

static ROW: LazyLock<Regex> = LazyLock::new(|| re(r"^(Benchmark[^\s/]*?)((?:/\S+?)?)(?:-(\d+))?\s+(\d+)\s+(.*\S)\s*$"));
static VALUE: LazyLock<Regex> = LazyLock::new(|| re(r"([\d.]+) (\S+)"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let line = &lines[0];
    let Some(found) = ROW.captures(&line.text).filter(|c| group(c, 5).contains("ns/op")) else { return 0 };
    sink.block();
    sink.param("name", group(&found, 1));
    for part in group(&found, 2).split('/').filter(|p| !p.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or(("case", part));
        sink.param(key, value);
    }
    if !group(&found, 3).is_empty() {
        sink.param("gomaxprocs", group(&found, 3));
    }
    for value in VALUE.captures_iter(group(&found, 5)) {
        let (metric, unit) = match group(&value, 2) {
            "ns/op" => ("time_per_op", "ns/op"),
            "MB/s" => ("throughput", "MB/s"),
            "B/op" => ("memory_per_op", "B/op"),
            "allocs/op" => ("allocs_per_op", "allocs/op"),
            other => ("custom", other),
        };
        sink.stat(line, group(&value, 1), metric, unit, "");
    }
    1
}
