//! `nccl-tests`: one row per size, out of place and in place.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["busbw", "Avg bus bandwidth"];

static ROW: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\s*(\d+)\s+(\d+)\s+(\w+)\s+(\w+)\s+(-?\d+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\S+)(?:\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\S+))?\s*$",
    )
});
static AVERAGE: LazyLock<Regex> = LazyLock::new(|| re(r"^#?\s*Avg bus bandwidth\s*:\s*([\d.]+)"));
static BINARY: LazyLock<Regex> = LazyLock::new(|| re(r"\b(\w+)_perf\b(?:.*-g (\d+))?"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let line = &lines[0];
    if let Some(found) = BINARY.captures(&line.text).filter(|_| line.text.starts_with('#')) {
        sink.block();
        sink.param("op", group(&found, 1));
        if !group(&found, 2).is_empty() {
            sink.param("gpus", group(&found, 2));
        }
        return 1;
    }
    if let Some(found) = AVERAGE.captures(&line.text) {
        let params = sink.params.clone();
        sink.param("size", "all");
        sink.stat(line, group(&found, 1), "bus_bandwidth", "GB/s", "mean");
        sink.params = params;
        return 1;
    }
    if !line.text.trim_start_matches(['#', ' ']).starts_with("size") || !line.text.contains("busbw") {
        return 0;
    }
    let units = usize::from(lines.get(1).is_some_and(|l| l.text.contains("(B)")));
    let rows = lines[1 + units..].iter().take_while(|l| ROW.is_match(&l.text)).count();
    for line in &lines[1 + units..1 + units + rows] {
        let Some(found) = ROW.captures(&line.text) else { continue };
        let params = sink.params.clone();
        sink.param("size", group(&found, 1));
        for (from, in_place) in [(6, "false"), (10, "true")] {
            let wrong = group(&found, from + 3);
            sink.param("in_place", in_place);
            sink.failed = !matches!(wrong, "0" | "N/A" | "");
            for (i, metric, unit) in [(0, "op_time", "µs"), (1, "alg_bandwidth", "GB/s"), (2, "bus_bandwidth", "GB/s")]
            {
                sink.stat(line, group(&found, from + i), metric, unit, "");
            }
        }
        sink.failed = false;
        sink.params = params;
    }
    1 + units + rows
}
