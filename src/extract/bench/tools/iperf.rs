//! `iperf3`: rates in powers of 1000; its `Bytes` count 1024.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["bits/sec"];

static ROW: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\[ *(\d+|SUM)\]\s+([\d.]+)-([\d.]+)\s+sec\s+[\d.]+ [KMGT]?Bytes\s+([\d.]+) ([KMGT]?)bits/sec(?:\s+(\d+)\b)?.*?(?:\s(sender|receiver))\s*$",
    )
});
/// The report of a UDP run: rate, jitter, lost and total datagrams.
static UDP: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\[ *(\d+|SUM)\]\s+[\d.]+-[\d.]+\s+sec\s+[\d.]+ [KMGT]?Bytes\s+([\d.]+) ([KMGT]?)bits/sec\s+([\d.]+) ms\s+\d+/\d+ \(([\d.e+-]+)%\)\s*(sender|receiver)?\s*$",
    )
});
static INTERVAL: LazyLock<Regex> = LazyLock::new(|| re(r"^\[ *(?:\d+|SUM|ID)\]\s"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let line = &lines[0];
    if !INTERVAL.is_match(&line.text) || !(line.text.contains("bits/sec") || line.text.contains("Interval")) {
        return 0;
    }
    if let Some(found) = UDP.captures(&line.text) {
        return udp(line, &found, sink);
    }
    // Rows of single intervals are claimed but not read: the last lines of a run hold their means.
    let Some(found) = ROW.captures(&line.text) else { return 1 };
    sink.block();
    let sum = group(&found, 1) == "SUM";
    if !sum {
        sink.param("stream", group(&found, 1));
    }
    sink.param("end", group(&found, 7));
    let unit = format!("{}bit/s", group(&found, 5));
    let from = sink.len();
    sink.stat(line, group(&found, 4), "network_throughput", &unit, "");
    if !group(&found, 6).is_empty() {
        sink.stat(line, group(&found, 6), "retransmits", "count", "");
    }
    if sum {
        sink.since(from).for_each(|m| m.scope = Some("total".to_owned()));
    }
    1
}

/// What the sender says of its own losses is no measurement of them; rows of intervals name no end.
fn udp(line: &Line<'_>, found: &Captures<'_>, sink: &mut Sink<'_>) -> usize {
    if group(found, 6).is_empty() {
        return 1;
    }
    sink.block();
    if group(found, 1) != "SUM" {
        sink.param("stream", group(found, 1));
    }
    sink.param("end", group(found, 6));
    sink.param("protocol", "UDP");
    let unit = format!("{}bit/s", group(found, 3));
    sink.stat(line, group(found, 2), "network_throughput", &unit, "");
    if group(found, 6) == "receiver" {
        sink.stat(line, group(found, 4), "jitter", "ms", "");
        sink.stat(line, group(found, 5), "packet_loss", "%", "");
    }
    1
}
