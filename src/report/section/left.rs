//! What is left at the end: open plan items, findings without a known fix, failing tests, claims that do not stand.

use serde::Serialize;
use serde_json::Value;

use super::value::label;
use super::{Material, some};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::findings::Finding;
use crate::extract::plan::PlanItem;
use crate::link::claims::{Word, last_test_run, verdicts};
use crate::link::fate::{self, Fate};
use crate::session::MsgIx;

/// Rows of each kind; the sections below have all.
const ROWS: usize = 10;

#[derive(Debug, Serialize)]
struct View {
    rows: Vec<Row>,
    left: Vec<Left>,
}

#[derive(Debug, Serialize)]
struct Row {
    /// `item`, `finding`, `tests` or `claim`.
    kind: &'static str,
    /// Short label of an item, level of a finding.
    label: Option<String>,
    text: String,
    state: &'static str,
    tests: Option<Tests>,
    /// What became of a finding.
    fate: Option<Became>,
    msg: String,
}

/// What became of a finding that is open, and the message that shows it.
#[derive(Debug, Serialize)]
struct Became {
    /// Word of its fate.
    word: &'static str,
    msg: String,
}

#[derive(Debug, Serialize)]
struct Tests {
    failed: u64,
    of: u64,
}

#[derive(Debug, Serialize)]
struct Left {
    kind: &'static str,
    count: usize,
}

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    let analysis = material.analysis;
    let mut view = View { rows: Vec::new(), left: Vec::new() };
    for (kind, mut rows) in [
        ("item", items(analysis)),
        ("finding", findings(analysis)),
        ("tests", tests(analysis)),
        ("claim", claims(analysis)),
    ] {
        let count = if material.full { 0 } else { rows.len().saturating_sub(ROWS) };
        rows.truncate(rows.len() - count);
        view.rows.append(&mut rows);
        if count > 0 {
            view.left.push(Left { kind, count });
        }
    }
    if view.rows.is_empty() { Ok(None) } else { some(view) }
}

fn items(analysis: &Analysis) -> Vec<Row> {
    let plan = &analysis.facts.plan;
    let row = |(ix, item): (_, &PlanItem)| Row {
        kind: "item",
        label: Some(item.label.clone()),
        text: item.text.clone(),
        state: item.last.word(),
        tests: None,
        fate: None,
        msg: label(&analysis.session, plan.last_change(ix)),
    };
    plan.open_items().map(row).collect()
}

/// The open findings, those of which nothing is known later first, then worst first.
fn findings(analysis: &Analysis) -> Vec<Row> {
    let Analysis { session, facts, links, .. } = analysis;
    let fates = fate::findings(facts, links);
    let all = facts.findings.findings.iter().zip(fates);
    let mut left: Vec<_> = all.filter(|(f, fate)| fate::is_open(f, *fate)).collect();
    left.sort_by_key(|(f, fate)| (fate.is_some(), f.level.is_none(), f.level.as_deref()));
    let row = |(f, fate): (&Finding, Option<Fate>)| Row {
        kind: "finding",
        label: f.level_text.clone().or_else(|| f.level.clone()),
        text: f.title.clone(),
        state: f.status.word(),
        tests: None,
        fate: fate.map(|f| Became { word: f.word, msg: label(session, f.msg) }),
        msg: label(session, f.msg),
    };
    left.into_iter().map(row).collect()
}

fn tests(analysis: &Analysis) -> Vec<Row> {
    let failing = last_test_run(&analysis.session).filter(|t| t.counts.failed > 0);
    let command = |msg: MsgIx| analysis.session.message(msg).calls().find_map(|c| c.command()).unwrap_or_default();
    let row = failing.map(|t| Row {
        kind: "tests",
        label: None,
        text: command(t.msg).to_owned(),
        state: "failed",
        tests: Some(Tests { failed: t.counts.failed, of: t.counts.passed + t.counts.failed }),
        fate: None,
        msg: label(&analysis.session, t.msg),
    });
    row.into_iter().collect()
}

/// Claims that a result contradicts, then those whose check predates an edit.
fn claims(analysis: &Analysis) -> Vec<Row> {
    let Analysis { session, facts, links, .. } = analysis;
    let judged = verdicts(facts, links);
    let of = |word: Word| {
        let claims =
            facts.claims.iter().zip(&judged).filter(move |(c, v)| v.word == word && !session.message(c.msg).abandoned);
        claims.map(move |(c, _)| Row {
            kind: "claim",
            label: None,
            text: session.quote(&c.span).unwrap_or_default().to_owned(),
            state: word.word(),
            tests: None,
            fate: None,
            msg: label(session, c.msg),
        })
    };
    of(Word::Contradicted).chain(of(Word::Stale)).collect()
}
