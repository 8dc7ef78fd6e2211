//! What stands before and after a message.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::analysis::Analysis;
use crate::extract::bench::MeasurementRole;
use crate::extract::plan::State;
use crate::link::{FactId, LinkKind};
use crate::report::section::value::{label, number};
use crate::session::{MessageKind, MsgIx, Role, Session};

/// A message with what it says.
#[derive(Debug, Serialize)]
pub(super) struct Said {
    #[serde(skip)]
    pub(super) ix: MsgIx,
    msg: String,
    role: &'static str,
    text: String,
}

/// The state of things when the message was written.
#[derive(Debug, Serialize)]
pub(super) struct Before {
    first: Option<String>,
    last: Option<String>,
    calls: Vec<ToolCount>,
    open_items: Vec<Item>,
    limits: Vec<Figure>,
    findings: Option<FindingsBefore>,
    summary: Option<String>,
}

#[derive(Debug, Serialize)]
struct ToolCount {
    tool: String,
    calls: usize,
    first: String,
    last: String,
}

#[derive(Debug, Serialize)]
struct Item {
    label: String,
    text: String,
    state: &'static str,
}

#[derive(Debug, Serialize)]
struct Figure {
    metric: String,
    value: String,
    msg: String,
}

#[derive(Debug, Serialize)]
struct FindingsBefore {
    msg: String,
    count: usize,
    levels: Vec<Level>,
}

#[derive(Debug, Serialize)]
struct Level {
    level: String,
    count: usize,
}

/// One of the messages that follow.
#[derive(Debug, Serialize)]
pub(super) struct Next {
    msg: String,
    role: &'static str,
    text: String,
    calls: Vec<String>,
    failed: usize,
}

/// Messages that follow and are listed.
const FOLLOWING: usize = 5;

/// The message answered: by link, else the last prompt of the thread before it.
pub(super) fn responds_to(analysis: &Analysis, ix: MsgIx) -> Option<Said> {
    let session = &analysis.session;
    let me = session.message(ix);
    if me.role != Role::Assistant {
        return None;
    }
    let linked = analysis.links.iter().find(|l| l.from == FactId::Message(ix) && l.kind == LinkKind::RespondsTo);
    let found = linked.map(|l| l.to_msg).or_else(|| last_prompt(session, ix))?;
    let m = session.message(found);
    Some(Said { ix: found, msg: label(session, found), role: m.role.word(), text: m.text() })
}

fn last_prompt(session: &Session, ix: MsgIx) -> Option<MsgIx> {
    let thread = session.message(ix).thread;
    (0..ix.0).rev().map(MsgIx).find(|&i| {
        let m = session.message(i);
        let asks = matches!(m.kind, MessageKind::Prompt | MessageKind::SyntheticContinuation);
        m.thread == thread && m.role == Role::User && asks && !m.abandoned
    })
}

/// What happened since the prompt before the one answered, and what was known by then.
pub(super) fn before(analysis: &Analysis, ix: MsgIx) -> Before {
    let (session, facts) = (&analysis.session, &analysis.facts);
    let prompt = last_prompt(session, ix).unwrap_or(ix);
    let from = last_prompt(session, prompt).unwrap_or(MsgIx(0));
    let mut calls: Vec<ToolCount> = Vec::new();
    for (at, call) in session.calls().filter(|(at, _)| at.msg >= from && at.msg < ix) {
        let msg = label(session, at.msg);
        match calls.iter_mut().find(|c| c.tool == call.tool) {
            Some(c) => {
                c.calls += 1;
                c.last = msg;
            }
            None => calls.push(ToolCount { tool: call.tool.clone(), calls: 1, first: msg.clone(), last: msg }),
        }
    }
    let limits = facts.bench.measurements.iter().filter(|m| m.msg < ix && m.role == MeasurementRole::Theoretical);
    let last_findings =
        facts.findings.findings.iter().filter(|f| f.msg < ix && f.restates.is_none()).map(|f| f.msg).max();
    let summary = session.iter().filter(|(i, m)| *i < ix && m.kind == MessageKind::CompactionSummary).last();
    Before {
        first: (from < ix).then(|| label(session, from)),
        last: (from < ix).then(|| label(session, MsgIx(ix.0 - 1))),
        calls,
        open_items: open_items(analysis, ix),
        limits: limits
            .filter_map(|m| {
                let value = format!("{} {}", number(m.value?), m.unit.as_deref().unwrap_or_default());
                Some(Figure { metric: m.metric.clone(), value, msg: label(session, m.msg) })
            })
            .collect(),
        findings: last_findings.map(|msg| findings(analysis, msg)),
        summary: summary.map(|(i, _)| label(session, i)),
    }
}

/// Items open when the message was written.
fn open_items(analysis: &Analysis, ix: MsgIx) -> Vec<Item> {
    let plan = &analysis.facts.plan;
    // The wording of that time, not the item's last one.
    let mut states: BTreeMap<u32, (State, &str)> = BTreeMap::new();
    for t in plan.transitions.iter().filter(|t| t.msg < ix) {
        if let Some(item) = t.item {
            states.insert(item.0, (t.to, &t.text));
        }
    }
    let open = states.into_iter().filter(|(_, (state, _))| state.is_open());
    open.map(|(i, (state, text))| {
        let label = plan.items[i as usize].label.clone();
        Item { label, text: text.to_string(), state: state.word() }
    })
    .collect()
}

fn findings(analysis: &Analysis, msg: MsgIx) -> FindingsBefore {
    use crate::extract::findings::FindingStatus::Ok;
    let all = analysis.facts.findings.findings.iter().filter(|f| f.msg == msg && f.status != Ok);
    let mut levels: BTreeMap<String, usize> = BTreeMap::new();
    let mut count = 0;
    for f in all {
        count += 1;
        if let Some(level) = &f.level {
            *levels.entry(level.clone()).or_default() += 1;
        }
    }
    let levels = levels.into_iter().map(|(level, count)| Level { level, count }).collect();
    FindingsBefore { msg: label(&analysis.session, msg), count, levels }
}

/// The messages that follow on the same thread.
pub(super) fn next(analysis: &Analysis, ix: MsgIx) -> Vec<Next> {
    let session = &analysis.session;
    let thread = session.message(ix).thread;
    let following = session.iter().filter(|(i, m)| *i > ix && m.thread == thread && !m.abandoned);
    following
        .take(FOLLOWING)
        .map(|(i, m)| Next {
            msg: label(session, i),
            role: m.role.word(),
            text: m.text(),
            calls: m.calls().map(|c| c.tool.clone()).collect(),
            failed: m.calls().filter(|c| c.failed()).count(),
        })
        .collect()
}
