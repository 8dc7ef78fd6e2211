//! `claims`.

use super::{NAMED, Rows, Scope, Table, int, text};
use crate::link::FactId;
use crate::link::claims::{Verdict, verdicts};

pub(super) const CLAIMS: Table = Table {
    name: "claims",
    about: "Something that the agent says about the state of the work, and what the calls before it show.",
    head: NAMED,
    own: &[
        text("kind", "what is claimed: tests pass, build clean, service up, file written, committed …"),
        text("text", "the claim, an exact substring of the source"),
        text(
            "verdict",
            "supported, contradicted, stale (the last check predates the last edit), no evidence found (none of the calls that could show it was made) or not known",
        ),
        int("evidence_msg", "", "message whose result the verdict rests on"),
        text("proof", "printed (a result prints it) or done (a call that worked did it); NULL = neither"),
        int("edit_msg", "", "message of the edit that a stale check predates"),
        text("evidence_label", "number of the message whose result the verdict rests on, unique in the session"),
    ],
    rows: claims,
};

fn claims<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let facts = &scope.analysis.facts;
    let verdicts = verdicts(facts, &scope.analysis.links);
    for (i, (claim, verdict)) in facts.claims.iter().zip(verdicts).enumerate() {
        let msg = verdict.msg(facts);
        let edit = verdict.edit.and_then(|e| facts.calls.get(e as usize)).map(|r| r.msg);
        out.named(
            scope.id(FactId::Claim(i as u32)),
            Some(claim.msg),
            [
                claim.matter.word().into(),
                scope.quote(&claim.span).into(),
                verdict.word.word().into(),
                msg.map(|m| scope.msg(m)).into(),
                proof(&verdict).into(),
                edit.map(|m| scope.msg(m)).into(),
                msg.map(|m| scope.label(m)).into(),
            ],
        );
    }
}

fn proof(verdict: &Verdict) -> Option<&'static str> {
    let word = if verdict.printed { "printed" } else { "done" };
    verdict.call.map(|_| word)
}
