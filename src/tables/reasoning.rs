//! `decisions` and `assumptions`: choices that participants state, and what they take for granted.

use super::{NAMED, Rows, Scope, Table, int, text};
use crate::link::FactId;

pub(super) const DECISIONS: Table = Table {
    name: "decisions",
    about: "A choice that a participant states, with the reason as written.",
    head: NAMED,
    own: &[
        text("choice", "what was chosen, an exact substring of the source"),
        text("reason", "reason, as written; NULL = unstated"),
        text("decided_by", "assistant or user"),
        text("alternatives", "what was passed over, as a JSON array of strings"),
        int("reversed_msg", "", "later message that says the choice is taken back"),
    ],
    rows: decisions,
};

fn decisions<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    for (i, d) in scope.analysis.facts.decisions.iter().enumerate() {
        out.named(
            scope.id(FactId::Decision(i as u32)),
            Some(d.msg),
            [
                (&d.choice).into(),
                (&d.reason).into(),
                d.by.word().into(),
                serde_json::to_string(&d.alternatives).ok().into(),
                d.reversed_msg.map(|m| scope.msg(m)).into(),
            ],
        );
    }
}

pub(super) const ASSUMPTIONS: Table = Table {
    name: "assumptions",
    about: "Something the agent takes for granted: stated, or needed by a plan and checked only after it.",
    head: NAMED,
    own: &[
        text("text", "the assumption, an exact substring of the source"),
        int("verified_msg", "", "first later message with a call that checks it; NULL = none found"),
        text("outcome", "last line of what the check printed, behind `failed: ` when the call failed"),
        text("kind", "stated or precondition"),
    ],
    rows: assumptions,
};

fn assumptions<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    for (i, a) in scope.analysis.facts.assumptions.iter().enumerate() {
        out.named(
            scope.id(FactId::Assumption(i as u32)),
            Some(a.msg),
            [(&a.text).into(), a.verified_msg.map(|m| scope.msg(m)).into(), (&a.outcome).into(), a.kind.word().into()],
        );
    }
}
