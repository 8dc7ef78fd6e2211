//! What the user asked, prompt by prompt, and what was done until the next prompt.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::value::{label, time};
use super::{Material, first_rows, some};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::artefacts::written_between;
use crate::extract::plan::TransitionKind;
use crate::session::{MsgIx, Role};

#[derive(Debug, Serialize)]
struct View {
    rows: Vec<Row>,
    left: usize,
}

#[derive(Debug, Serialize)]
struct Row {
    msg: String,
    at: Option<String>,
    text: String,
    last: String,
    replies: usize,
    calls: usize,
    failed: usize,
    files: usize,
    plan_changes: usize,
}

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    let session = &material.analysis.session;
    let prompts: Vec<MsgIx> = session.asks().map(|(ix, _)| ix).collect();
    if prompts.is_empty() {
        return Ok(None);
    }
    let changed: BTreeSet<MsgIx> = material
        .analysis
        .facts
        .plan
        .transitions
        .iter()
        .filter(|t| t.kind != TransitionKind::Unchanged)
        .map(|t| t.msg)
        .collect();
    let end = MsgIx(session.messages.len() as u32);
    let ends = prompts.iter().skip(1).copied().chain([end]);
    let rows = prompts.iter().zip(ends).map(|(&from, to)| row(material.analysis, from, to, &changed)).collect();
    let (rows, left) = first_rows(rows, material.full);
    some(View { rows, left })
}

/// What happened from a prompt up to the next, subagents included.
fn row(analysis: &Analysis, from: MsgIx, to: MsgIx, changed: &BTreeSet<MsgIx>) -> Row {
    let session = &analysis.session;
    let within = || session.messages[from.at()..to.at()].iter().filter(|m| !m.abandoned);
    let calls = || within().flat_map(|m| m.calls());
    let prompt = session.message(from);
    let last = (from.0..to.0).rev().map(MsgIx).find(|ix| session.on_main(*ix)).unwrap_or(from);
    Row {
        msg: label(session, from),
        at: prompt.at.map(time),
        text: session.asked(from).unwrap_or_default().into_owned(),
        last: label(session, last),
        replies: within().filter(|m| m.role == Role::Assistant).count(),
        calls: calls().count(),
        failed: calls().filter(|c| c.failed()).count(),
        files: written_between(&analysis.facts.artefacts, from, to),
        plan_changes: changed.range(from..to).count(),
    }
}
