//! What the message says about the state of the work, and what the record says of it.

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::{Subject, first};
use crate::link::claims::verdicts;

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
    let own = facts.claims.iter().zip(&verdicts).filter(|(c, _)| c.msg == subject.ix);
    let rows = own.filter_map(|(claim, verdict)| {
        Some(Row {
            text: subject.session().quote(&claim.span)?.to_owned(),
            kind: claim.matter.word(),
            verdict: verdict.word.word(),
            msg: verdict.msg(facts).map(|m| subject.name(m)),
        })
    });
    let (rows, left) = first(rows, ROWS);
    some(View { rows, left })
}
