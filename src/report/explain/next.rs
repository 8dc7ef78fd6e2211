//! What followed: the next messages of the thread, or how a prompt was answered.

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::{Subject, asks};
use crate::extract::shape::lead;
use crate::session::{Message, MessageKind, MsgIx, Role};

#[derive(Debug, Serialize)]
struct View {
    rows: Vec<Row>,
    /// The last reply to a prompt, where the rows stop before it.
    answer: Option<Said>,
    /// The next prompt after them, where the rows stop before it.
    next_prompt: Option<Said>,
}

/// One message, or several that follow each other and say nothing.
#[derive(Debug, Serialize)]
struct Row {
    first: String,
    last: String,
    role: &'static str,
    kind: &'static str,
    text: String,
    tools: Vec<Tool>,
    failed: usize,
}

#[derive(Debug, Serialize)]
struct Tool {
    name: String,
    calls: usize,
}

#[derive(Debug, Serialize)]
struct Said {
    msg: String,
    text: String,
    lead: bool,
}

const ROWS: usize = 6;
const WHOLE: usize = 300;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let mut rows: Vec<Row> = Vec::new();
    let mut last = subject.ix;
    for (i, m) in subject.after() {
        let row = row(subject, i, m);
        let full = rows.len() == ROWS;
        match rows.last_mut().filter(|before| joins(before, &row)) {
            Some(before) => join(before, row),
            None if full => break,
            None => rows.push(row),
        }
        last = i;
    }
    if rows.is_empty() {
        return None;
    }
    let answer = asks(subject.message()).then(|| answer(subject, last)).flatten();
    let prompt = subject.after().find(|(_, m)| asks(m)).filter(|(i, _)| *i > last);
    some(View { rows, answer, next_prompt: prompt.map(|(i, m)| said(subject, i, m)) })
}

fn row(subject: &Subject<'_>, i: MsgIx, m: &Message) -> Row {
    let mut tools: Vec<Tool> = Vec::new();
    for call in m.calls() {
        count(&mut tools, &call.tool, 1);
    }
    Row {
        first: subject.name(i),
        last: subject.name(i),
        role: m.role.word(),
        kind: m.kind.word(),
        text: if m.kind == MessageKind::CompactionSummary { String::new() } else { lead(&m.text()).to_owned() },
        tools,
        failed: m.calls().filter(|c| c.failed()).count(),
    }
}

fn count(tools: &mut Vec<Tool>, name: &str, calls: usize) {
    match tools.iter_mut().find(|t| t.name == name) {
        Some(tool) => tool.calls += calls,
        None => tools.push(Tool { name: name.to_owned(), calls }),
    }
}

/// Replies that only call tools are told together.
fn joins(before: &Row, row: &Row) -> bool {
    let silent = |r: &Row| r.kind == MessageKind::Reply.word() && r.text.is_empty() && !r.tools.is_empty();
    silent(before) && silent(row)
}

fn join(before: &mut Row, row: Row) {
    before.last = row.last;
    before.failed += row.failed;
    row.tools.into_iter().for_each(|t| count(&mut before.tools, &t.name, t.calls));
}

/// The last reply before the next prompt, when it stands after the rows shown.
fn answer(subject: &Subject<'_>, shown: MsgIx) -> Option<Said> {
    let turn = subject.after().take_while(|(_, m)| !asks(m));
    let (i, m) = turn.filter(|(_, m)| m.role == Role::Assistant && m.kind == MessageKind::Reply).last()?;
    (i > shown).then(|| said(subject, i, m))
}

fn said(subject: &Subject<'_>, i: MsgIx, m: &Message) -> Said {
    let text = m.text();
    let shown = if text.len() > WHOLE { lead(&text) } else { text.as_str() };
    Said { msg: subject.name(i), text: shown.to_owned(), lead: shown.trim().len() < text.trim().len() }
}
