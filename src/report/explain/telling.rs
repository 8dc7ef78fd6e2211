//! The messages that tell most of a session, with the reasons.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::analysis::Analysis;
use crate::extract::bench::MeasurementRole;
use crate::extract::plan::TransitionKind;
use crate::report::section::value::label;
use crate::session::{MessageKind, MsgIx, Role};

/// A message worth reading, and why.
#[derive(Debug, Serialize)]
pub struct Telling {
    /// The message.
    pub msg: String,
    role: &'static str,
    score: u64,
    reasons: Vec<Reason>,
    text: String,
}

#[derive(Debug, Serialize)]
struct Reason {
    what: &'static str,
    count: u64,
}

/// What is counted in a message and what each is worth. Plan changes and disagreements lead, since they answer the
/// questions a post-mortem asks first; counts are capped so that one long table does not outweigh everything else.
const WORTH: &[(&str, u64, u64)] = &[
    ("plan changes", 3, 6),
    ("disagreements", 4, 4),
    ("findings", 2, 10),
    ("limits stated", 4, 3),
    ("figures measured", 1, 12),
    ("directives", 2, 6),
    ("options listed", 1, 8),
    ("failed calls", 1, 4),
    ("compaction", 3, 1),
    ("later links to it", 1, 12),
];

/// The `n` messages that score highest, in reading order.
pub fn telling(analysis: &Analysis, n: usize) -> Vec<Telling> {
    let session = &analysis.session;
    let mut scored: Vec<(u64, MsgIx, Vec<Reason>)> = counts(analysis)
        .into_iter()
        .filter(|(ix, _)| !session.message(*ix).abandoned)
        .map(|(ix, counts)| {
            let mut score = 0;
            let mut reasons = Vec::new();
            for &(what, worth, cap) in WORTH {
                let count = counts.get(what).copied().unwrap_or(0);
                if count > 0 {
                    score += worth * count.min(cap);
                    reasons.push(Reason { what, count });
                }
            }
            (score, ix, reasons)
        })
        .collect();
    scored.sort_by_key(|(score, ix, _)| (std::cmp::Reverse(*score), *ix));
    scored.truncate(n);
    scored.sort_by_key(|(_, ix, _)| *ix);
    scored
        .into_iter()
        .map(|(score, ix, reasons)| {
            let m = session.message(ix);
            Telling { msg: label(session, ix), role: m.role.word(), score, reasons, text: m.text() }
        })
        .collect()
}

fn counts(analysis: &Analysis) -> BTreeMap<MsgIx, BTreeMap<&'static str, u64>> {
    let (session, facts) = (&analysis.session, &analysis.facts);
    let mut counts: BTreeMap<MsgIx, BTreeMap<&'static str, u64>> = BTreeMap::new();
    let mut add = |ix: MsgIx, what: &'static str| *counts.entry(ix).or_default().entry(what).or_default() += 1;
    for t in facts.plan.transitions.iter().filter(|t| t.kind != TransitionKind::Unchanged) {
        add(t.msg, "plan changes");
    }
    for f in facts.findings.findings.iter().filter(|f| f.restates.is_none()) {
        add(f.msg, "findings");
    }
    for m in &facts.bench.measurements {
        match m.role {
            MeasurementRole::Measured => add(m.msg, "figures measured"),
            MeasurementRole::Theoretical => add(m.msg, "limits stated"),
            _ => {}
        }
    }
    facts.directives.iter().for_each(|d| add(d.msg, "directives"));
    facts.options.iter().for_each(|list| list.options.iter().for_each(|_| add(list.msg, "options listed")));
    analysis.discrepancies.iter().for_each(|d| add(d.msg, "disagreements"));
    analysis.links.iter().filter(|l| l.from_msg > l.to_msg).for_each(|l| add(l.to_msg, "later links to it"));
    for (ix, m) in session.iter() {
        if m.kind == MessageKind::CompactionSummary {
            add(ix, "compaction");
        }
        if m.role == Role::Assistant {
            m.calls().filter(|c| c.failed()).for_each(|_| add(ix, "failed calls"));
        }
    }
    counts
}
