//! `iperf3 --json`: the sums at the end of a run.

use super::json::Json;
use super::lines::{Line, Sink};

pub(super) const ANCHORS: &[&str] = &["\"bits_per_second\""];

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let Some((document, taken)) = Json::begins(lines, sink) else { return 0 };
    let top = document.members();
    let (Some(end), Some(start)) = (top.get("end").map(|e| e.members()), top.get("start")) else { return 0 };
    let test = start.at("test_start").map(|t| t.members()).unwrap_or_default();
    sink.block();
    sink.conditions(&test, &[("num_streams", "streams"), ("protocol", "protocol"), ("reverse", "reverse")]);
    sink.failed = top.contains_key("error");
    let from = sink.len();
    for (key, side) in [("sum_sent", "sender"), ("sum_received", "receiver"), ("sum", "")] {
        let Some(sum) = end.get(key).map(|s| s.members()) else { continue };
        // A UDP run repeats its one sum under all three names.
        if side.is_empty() && sink.len() > from && !sum.contains_key("jitter_ms") {
            continue;
        }
        let params = sink.params.clone();
        if !side.is_empty() {
            sink.param("end", side);
        }
        sink.member(&sum, "bits_per_second", ("network_throughput", "bit/s", ""));
        sink.member(&sum, "retransmits", ("retransmits", "count", ""));
        sink.member(&sum, "jitter_ms", ("jitter", "ms", ""));
        sink.member(&sum, "lost_percent", ("packet_loss", "%", ""));
        sink.params = params;
    }
    sink.since(from).for_each(|m| m.scope = Some("total".to_owned()));
    taken
}
