//! Matrices between devices: `p2pBandwidthLatencyTest` and `nvbandwidth`.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["directional P2P=", "P2P Connectivity Matrix", "memcpy "];

static P2P: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^(Uni|Bi)directional P2P=(En|Dis)abled Bandwidth(?: \(P2P (?:Writes|Reads)\))? Matrix \(GB/s\)")
});
static LATENCY: LazyLock<Regex> = LazyLock::new(|| re(r"^P2P=(En|Dis)abled Latency.* Matrix \(us\)"));
static COPY: LazyLock<Regex> = LazyLock::new(|| re(r"^memcpy .*\b(bandwidth|latency)\b.* \((GB/s|us)\)"));
static HEADER: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*(?:D\\D|GPU|CPU)?((?:\s+\d+)+)\s*$"));
static ROW: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*(\d+)((?:\s+(?:[\d.]+|N/A))+)\s*$"));
static SUM: LazyLock<Regex> = LazyLock::new(|| re(r"^SUM (\w+) ([\d.]+)"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let title = lines[0].text.as_ref();
    sink.block();
    if title.contains("P2P Connectivity Matrix") {
        return 1 + lines[1..].iter().take_while(|l| HEADER.is_match(&l.text) || ROW.is_match(&l.text)).count();
    }
    if let Some(found) = P2P.captures(title) {
        sink.param("p2p", if group(&found, 2) == "En" { "true" } else { "false" });
        if group(&found, 1) == "Bi" {
            sink.param("direction", "both");
        }
        return 1 + rows(&lines[1..], sink, |diagonal| {
            (if diagonal { "memory_bandwidth" } else { "p2p_bandwidth" }, "GB/s")
        });
    }
    if let Some(found) = LATENCY.captures(title) {
        sink.param("p2p", if group(&found, 1) == "En" { "true" } else { "false" });
        return 1 + rows(&lines[1..], sink, |_| ("p2p_latency", "µs"));
    }
    if let Some(found) = COPY.captures(title) {
        let between = title.contains("GPU(row) ->") || title.contains("GPU(row) <-");
        let metric = match (group(&found, 1), between) {
            ("latency", _) => "copy_latency",
            (_, true) => "p2p_bandwidth",
            _ => "bus_bandwidth",
        };
        let unit = if group(&found, 2) == "us" { "µs" } else { "GB/s" };
        let taken = 1 + rows(&lines[1..], sink, |_| (metric, unit));
        let sum = lines[taken..].iter().take(2).position(|l| SUM.is_match(&l.text));
        return taken + sum.map_or(0, |n| n + 1); // a sum over pairs is no bandwidth of any of them
    }
    0
}

/// Reads header and rows; `name` gives metric and unit of a cell on or off the diagonal.
fn rows(lines: &[Line<'_>], sink: &mut Sink<'_>, name: impl Fn(bool) -> (&'static str, &'static str)) -> usize {
    let Some(header) = lines.first().and_then(|l| HEADER.captures(&l.text)) else { return 0 };
    let columns: Vec<&str> = group(&header, 1).split_whitespace().collect();
    let mut taken = 1;
    while let Some(line) = lines.get(taken) {
        let Some(found) = ROW.captures(&line.text) else { break };
        for (column, value) in columns.iter().zip(group(&found, 2).split_whitespace()) {
            let params = sink.params.clone();
            sink.param("src", group(&found, 1));
            sink.param("dst", column);
            let (metric, unit) = name(*column == group(&found, 1));
            sink.stat(line, value, metric, unit, "");
            sink.params = params;
        }
        taken += 1;
    }
    taken
}
