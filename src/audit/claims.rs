//! What the rules on claims share.

use super::Evidence;
use super::words::shown;
use crate::extract::claims::{Claim, Matter};
use crate::link::claims::{Verdict, verdicts};

/// Claims with their verdicts.
pub(super) fn judged<'a>(e: &Evidence<'a>) -> impl Iterator<Item = (&'a Claim, Verdict)> {
    e.facts.claims.iter().zip(verdicts(e.facts, e.links))
}

/// Tests and builds: kinds whose check covers source files.
pub(super) fn is_checked(claim: &Claim) -> bool {
    matches!(claim.matter, Matter::Tests { .. } | Matter::Build)
}

/// The claim as written, cut for a sentence.
pub(super) fn said(e: &Evidence<'_>, claim: &Claim) -> String {
    shown(e.session.quote(&claim.span).unwrap_or(""))
}

/// The line of a call's output that tells most: the last one that names a failure, else the last.
pub(super) fn telling_line(e: &Evidence<'_>, call: u32) -> String {
    let text = e.facts.calls.get(call as usize).and_then(|r| e.session.call(*r)?.result.as_ref());
    let text = text.map_or("", |r| r.text.as_str());
    let lines = || text.lines().rev().map(str::trim).filter(|l| !l.is_empty());
    let fails = |l: &&str| ["fail", "FAIL", "rror", "rejected", "panic", "refused"].iter().any(|w| l.contains(w));
    shown(lines().find(fails).or_else(|| lines().next()).unwrap_or(""))
}
