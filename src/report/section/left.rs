//! What is left at the end: open plan items, findings without a known fix, failing tests, claims that do not stand.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::value::label;
use super::{Material, some};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::findings::{Finding, FindingStatus};
use crate::extract::plan::PlanItem;
use crate::link::claims::{Word, last_test_run, verdicts};
use crate::link::{FactId, LinkKind, fate};
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
    /// Message with a call that may act on a finding.
    acted: Option<String>,
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
        acted: None,
        msg: label(&analysis.session, plan.last_change(ix)),
    };
    plan.open_items().map(row).collect()
}

/// A finding that asks for something, and the message with a call that may act on it.
pub(super) type Asking<'a> = (&'a Finding, Option<MsgIx>);

/// Findings that ask for something and of which no fix is sure: those of which nothing is known later first, then worst
/// first; and all that ask.
pub(super) fn unfixed(analysis: &Analysis) -> (Vec<Asking<'_>>, Vec<&Finding>) {
    let all = &analysis.facts.findings.findings;
    let mut acted: BTreeMap<u32, MsgIx> = BTreeMap::new();
    for l in analysis.links.iter().filter(|l| l.kind == LinkKind::ActsOn) {
        if let FactId::Finding(at) = l.to {
            acted.entry(at).or_insert(l.from_msg);
        }
    }
    let fates = fate::findings(&analysis.facts, &analysis.links);
    let asks = |f: &Finding| f.restates.is_none() && f.status == FindingStatus::Actionable;
    let sure = |word: &str| matches!(word, "verified" | "fixed" | "acted on");
    let mut left: Vec<Asking<'_>> = (0..)
        .zip(all.iter().zip(fates))
        .filter(|(_, (f, fate))| asks(f) && !fate.is_some_and(|f| sure(f.word)))
        .map(|(at, (f, _))| (f, acted.get(&at).copied()))
        .collect();
    left.sort_by_key(|(f, acted)| (acted.is_some(), f.level.is_none(), f.level.as_deref()));
    (left, all.iter().filter(|f| asks(f)).collect())
}

fn findings(analysis: &Analysis) -> Vec<Row> {
    let row = |(f, acted): Asking<'_>| Row {
        kind: "finding",
        label: f.level_text.clone().or_else(|| f.level.clone()),
        text: f.title.clone(),
        state: f.status.word(),
        tests: None,
        acted: acted.map(|ix| label(&analysis.session, ix)),
        msg: label(&analysis.session, f.msg),
    };
    unfixed(analysis).0.into_iter().map(row).collect()
}

fn tests(analysis: &Analysis) -> Vec<Row> {
    let failing = last_test_run(&analysis.session).filter(|t| t.failed > 0);
    let command = |msg: MsgIx| analysis.session.message(msg).calls().find_map(|c| c.command()).unwrap_or_default();
    let row = failing.map(|t| Row {
        kind: "tests",
        label: None,
        text: command(t.msg).to_owned(),
        state: "failed",
        tests: Some(Tests { failed: t.failed, of: t.passed + t.failed }),
        acted: None,
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
            acted: None,
            msg: label(session, c.msg),
        })
    };
    of(Word::Contradicted).chain(of(Word::Stale)).collect()
}
