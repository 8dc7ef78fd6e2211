//! The messages that tell most of a session, with the reasons.

use serde::Serialize;

use crate::analysis::Analysis;
use crate::extract::episodes::Feature;
use crate::link::LinkKind;
use crate::report::section::phases::Reason;
use crate::report::section::value::label;
use crate::session::MsgIx;

/// A message worth reading, and why.
#[derive(Debug, Serialize)]
pub struct Telling {
    /// The message.
    pub msg: String,
    role: &'static str,
    score: u32,
    reasons: Vec<Reason>,
    text: String,
}

/// The `n` messages that score highest, in reading order: by the features of the facts, and by what other messages and
/// the audit make of them.
pub fn telling(analysis: &Analysis, n: usize) -> Vec<Telling> {
    let session = &analysis.session;
    let mut scores = analysis.facts.episodes.scores.clone();
    analysis.discrepancies.iter().for_each(|d| scores.add(d.msg, Feature::Disagreement));
    // That a reply answers its prompt says nothing of the prompt.
    let later = analysis.links.iter().filter(|l| l.from_msg > l.to_msg && l.kind != LinkKind::RespondsTo);
    later.for_each(|l| scores.add(l.to_msg, Feature::LaterLink));
    let ranked = scores.ranked().into_iter().filter(|(ix, _)| !session.message(*ix).abandoned);
    let mut best: Vec<(MsgIx, u32)> = ranked.take(n).collect();
    best.sort();
    let tell = |(ix, score): (MsgIx, u32)| {
        let message = session.message(ix);
        let reasons = Reason::of(scores.features(ix));
        Telling { msg: label(session, ix), role: message.role.word(), score, reasons, text: message.text() }
    };
    best.into_iter().map(tell).collect()
}
