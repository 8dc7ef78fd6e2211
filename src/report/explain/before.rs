//! What led to the message: what stands directly before it, the calls since the prompt, what was open.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::{Subject, first};
use crate::extract::plan::State;
use crate::extract::shape::{lead, shape};
use crate::report::text::cut;
use crate::session::{CallStatus, MessageKind, MsgIx, ToolKind};

#[derive(Debug, Serialize)]
struct View {
    directly: Option<Neighbour>,
    first: Option<String>,
    last: Option<String>,
    tools: Vec<Tool>,
    failed: usize,
    agents: Option<Agents>,
    interrupted: Vec<Call>,
    summary: Option<Summary>,
    open: Vec<Item>,
    open_count: usize,
    open_left: usize,
    has_plan: bool,
}

/// The message of the thread directly before.
#[derive(Debug, Serialize)]
struct Neighbour {
    msg: String,
    role: &'static str,
    kind: &'static str,
    text: String,
    calls: Vec<Call>,
    calls_count: usize,
    calls_left: usize,
}

#[derive(Debug, Serialize)]
struct Call {
    tool: String,
    what: String,
    msg: String,
    outcome: &'static str,
    exit_code: Option<i64>,
}

#[derive(Debug, Serialize)]
struct Tool {
    name: String,
    calls: usize,
}

/// Calls that started subagents.
#[derive(Debug, Serialize)]
struct Agents {
    tool: String,
    calls: usize,
    first: String,
    last: String,
    /// Messages from the first to the last, and how many of them hold such a call.
    messages: usize,
    holding: usize,
    returned: usize,
    topics: Vec<String>,
    topics_left: usize,
}

#[derive(Debug, Serialize)]
struct Summary {
    msg: String,
    words: usize,
    headings: Vec<String>,
}

/// An item of the plan as it stood.
#[derive(Debug, Serialize)]
pub(super) struct Item {
    pub(super) label: String,
    pub(super) text: String,
    state: &'static str,
}

/// Characters of a command.
const WHAT: usize = 160;
const OPEN: usize = 12;
const CALLS: usize = 4;
/// Interrupted calls told one by one.
const STOPPED: usize = 2;
const TOPICS: usize = 16;
const HEADINGS: usize = 24;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let ix = subject.ix;
    let (mut tools, mut failed, mut interrupted, mut agents) = (Vec::<Tool>::new(), 0, Vec::new(), Vec::new());
    let range = range(subject);
    let calls = subject.session().calls().skip_while(|(at, _)| range.is_none_or(|(from, _)| at.msg < from));
    for (at, call) in calls.take_while(|(at, _)| at.msg < ix) {
        match tools.iter_mut().find(|t| t.name == call.tool) {
            Some(tool) => tool.calls += 1,
            None => tools.push(Tool { name: call.tool.clone(), calls: 1 }),
        }
        failed += usize::from(call.failed());
        if call.status() == CallStatus::Interrupted {
            interrupted.push(shown(subject, at.msg, call));
        }
        if call.kind == ToolKind::Task && call.input.get("prompt").is_some() {
            agents.push((at.msg, call));
        }
    }
    tools.sort_by(|a, b| b.calls.cmp(&a.calls).then(a.name.cmp(&b.name)));
    let (open, open_left) = first(open_items(subject), OPEN);
    let plan_before = subject.facts().plan.snapshots.iter().any(|s| s.msg < ix);
    let view = View {
        directly: directly(subject),
        first: range.map(|(from, _)| subject.name(from)),
        last: range.map(|(_, to)| subject.name(to)),
        tools,
        failed,
        agents: started(subject, &agents),
        interrupted: first(interrupted, STOPPED).0,
        summary: summary(subject),
        open_count: open.len() + open_left,
        open,
        open_left,
        has_plan: plan_before || subject.snapshot().is_some(),
    };
    some(view).filter(|_| subject.before(ix).next().is_some())
}

/// From the prompt that began the work before this message, to the message before it.
fn range(subject: &Subject<'_>) -> Option<(MsgIx, MsgIx)> {
    let ix = subject.ix;
    let from = match subject.prompt {
        Some(prompt) if subject.is_first_answer() => subject.prompt_before(prompt).unwrap_or(MsgIx(0)),
        Some(prompt) => prompt,
        None => subject.prompt_before(ix).unwrap_or(MsgIx(0)),
    };
    (from < ix).then(|| (from, MsgIx(ix.0 - 1)))
}

fn directly(subject: &Subject<'_>) -> Option<Neighbour> {
    let (i, m) = subject.before(subject.ix).next()?;
    let (calls, calls_left) = first(m.calls().map(|c| shown(subject, i, c)), CALLS);
    Some(Neighbour {
        msg: subject.name(i),
        role: m.role.word(),
        kind: m.kind.word(),
        // What is answered is quoted in a section of its own.
        text: if Some(i) == subject.prompt { String::new() } else { lead(&m.text()).to_owned() },
        calls,
        calls_count: m.calls().count(),
        calls_left,
    })
}

fn shown(subject: &Subject<'_>, msg: MsgIx, call: &crate::session::ToolCall) -> Call {
    Call {
        tool: call.tool.clone(),
        what: cut(call.what().unwrap_or_default(), WHAT),
        msg: subject.name(msg),
        outcome: if call.failed() { "failed" } else { call.status().word() },
        exit_code: call.exit_code(),
    }
}

fn started(subject: &Subject<'_>, calls: &[(MsgIx, &crate::session::ToolCall)]) -> Option<Agents> {
    let (from, to) = (calls.first()?.0, calls.last()?.0);
    let holding: BTreeSet<MsgIx> = calls.iter().map(|(i, _)| *i).collect();
    let thread = subject.session().message(from).thread;
    let between = subject.session().messages[from.at()..=to.at()].iter();
    let topics = calls.iter().filter_map(|(_, c)| c.input.get("description")?.as_str()).map(str::to_owned);
    let (topics, topics_left) = first(topics, TOPICS);
    Some(Agents {
        tool: calls[0].1.tool.clone(),
        calls: calls.len(),
        first: subject.name(from),
        last: subject.name(to),
        messages: between.filter(|m| m.thread == thread).count(),
        holding: holding.len(),
        returned: calls.iter().filter(|(_, c)| c.worked()).count(),
        topics,
        topics_left,
    })
    .filter(|_| calls.iter().all(|(_, c)| c.tool == calls[0].1.tool))
}

/// The last compaction summary before the message.
fn summary(subject: &Subject<'_>) -> Option<Summary> {
    let (i, m) = subject.before(subject.ix).find(|(_, m)| m.kind == MessageKind::CompactionSummary)?;
    let made = shape(&m.text());
    Some(Summary { msg: subject.name(i), words: made.words, headings: first(made.headings, HEADINGS).0 })
}

/// Items open when the message was written, in the wording of that time.
pub(super) fn open_items(subject: &Subject<'_>) -> Vec<Item> {
    let plan = &subject.facts().plan;
    let mut states: BTreeMap<u32, (State, &str)> = BTreeMap::new();
    for t in plan.transitions.iter().filter(|t| t.msg < subject.ix) {
        if let Some(item) = t.item {
            states.insert(item.0, (t.to, &t.text));
        }
    }
    let open = states.into_iter().filter(|(_, (state, _))| state.is_open());
    let item = |(i, (state, text)): (u32, (State, &str))| Item {
        label: plan.items[i as usize].label.clone(),
        text: text.to_owned(),
        state: state.word(),
    };
    open.map(item).collect()
}
