//! `stress-ng --metrics`: bogo operations per second of each stressor.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["stress-ng: info:", "stress-ng: metrc:"];

/// Stressor, operations, three times, then the rate by real time (the one by processor time is left out).
static ROW: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^stress-ng: (?:info|metrc):\s+\[\d+\]\s+([\w-]+)\s+\d+\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+(\d+\.\d+)\s+\d+\.\d+")
});

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let Some(found) = ROW.captures(&lines[0].text) else { return 0 };
    sink.block();
    sink.param("stressor", group(&found, 1));
    sink.stat(&lines[0], group(&found, 2), "bogo_ops_rate", "bogo ops/s", "");
    1
}
