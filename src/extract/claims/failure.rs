//! Something could not be done, or is not there.

use std::sync::LazyLock;

use regex::Regex;

use super::sentence::remark;
use super::{Kind, Matter, Reading, is_open, re, whole};

pub(super) const KIND: Kind = Kind { read, positive: false, last_resort: true };

static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:(?:was|were|been) (?:unable|not able) to|(?:was|were)n['’]t (?:able to|accessible|available|found|reachable)|(?:could not|couldn['’]t|cannot|can['’]t) be (?:opened|read|found|downloaded|installed|loaded|reached|accessed|run|built)|(?:is|are|was|were) not (?:available|accessible|installed|reachable|found)|there(?:['’]s| is| are) no\b[^,.;]{0,40}(?:available (?:here|on (?:this|the) (?:host|machine|system))|here|installed|on (?:this|the) (?:host|machine|system))|failed (?:with|to|because)|crashed)\b",
    )
});

fn read(sentence: &str) -> Vec<Reading> {
    let Some(found) = FAILED.find(sentence).filter(|m| !is_open(&sentence[..m.start()])) else { return Vec::new() };
    let rest = &sentence[found.end()..];
    let end = rest.find(", ").into_iter().chain(remark(rest)).min().map_or(sentence.len(), |i| found.end() + i);
    vec![(whole(&sentence[..end]), Matter::NotDone)]
}
