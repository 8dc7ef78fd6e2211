//! What the message says about the state of the work, and what the record says of it.

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::{Subject, first};
use crate::extract::claims::{Claim, Matter};
use crate::link::claims::{Verdict, Word, verdicts};

#[derive(Debug, Serialize)]
struct View {
    rows: Vec<Row>,
    left: usize,
}

#[derive(Debug, Serialize)]
struct Row {
    text: String,
    kind: &'static str,
    verdict: &'static str,
    msg: Option<String>,
}

const ROWS: usize = 12;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let facts = subject.facts();
    if !facts.claims.iter().any(|c| c.msg == subject.ix) {
        return None;
    }
    let verdicts = verdicts(facts, &subject.analysis.links);
    // "Done" is said of everything: it is told only where the record speaks against it.
    let against = |v: &Verdict| matches!(v.word, Word::Contradicted | Word::Stale);
    let told = |c: &Claim, v: &Verdict| {
        c.msg == subject.ix && (!matches!(c.matter, Matter::Done { .. } | Matter::Shown) || against(v))
    };
    let own = facts.claims.iter().zip(&verdicts).filter(|(c, v)| told(c, v));
    let rows = own.filter_map(|(claim, verdict)| {
        Some(Row {
            text: subject.session().quote(&claim.span)?.to_owned(),
            kind: claim.matter.word(),
            verdict: verdict.word.word(),
            msg: verdict.msg(facts).map(|m| subject.name(m)),
        })
    });
    let (rows, left) = first(rows, ROWS);
    if rows.is_empty() { None } else { some(View { rows, left }) }
}
