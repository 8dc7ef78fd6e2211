//! The message itself: its text, its calls and what they gave.

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::{Subject, first};
use crate::extract::shape::{Shape, shape};
use crate::report::text::cut;
use crate::session::{CallRef, MsgIx, PartBody, Role, Session, ThreadIx, ToolCall, ToolKind};

#[derive(Debug, Serialize)]
struct View {
    texts: Vec<Text>,
    shape: Option<Made>,
    calls: Vec<Call>,
    calls_left: usize,
    attachments: Vec<String>,
    /// Kinds of tool with no call in a message that writes a plan, of those a reader would look for.
    absent: Vec<&'static str>,
    plan: Option<Silence>,
}

/// A text, or its first bytes.
#[derive(Debug, Serialize)]
struct Text {
    text: String,
    cut: usize,
    /// Added by the program, not said by the speaker.
    added: bool,
}

/// What a long text consists of.
#[derive(Debug, Serialize)]
struct Made {
    words: usize,
    headings: Vec<String>,
    headings_count: usize,
    headings_left: usize,
    items: usize,
    tables: usize,
    blocks: usize,
}

#[derive(Debug, Serialize)]
struct Call {
    tool: String,
    kind: &'static str,
    what: String,
    times: usize,
    status: &'static str,
    failed: bool,
    exit_code: Option<i64>,
    seconds: Option<u64>,
    /// The end of what it printed.
    printed: Option<String>,
    printed_cut: bool,
    started: Option<Started>,
}

/// A subagent that a call started.
#[derive(Debug, Serialize)]
struct Started {
    thread: String,
    first: String,
    last: String,
    messages: usize,
    calls: usize,
    failed: usize,
}

/// What the words of a plan do not hold.
#[derive(Debug, Serialize)]
struct Silence {
    asks: bool,
    gives_reason: bool,
    names_failure: bool,
}

/// Bytes of a text that are shown.
const TEXT: usize = 2_400;
/// A text of this many words is described as well as shown.
const LONG: usize = 120;
/// Characters of a command.
const WHAT: usize = 300;
const HEADINGS: usize = 16;
const CALLS: usize = 12;
/// Calls of which the end of the output is shown.
const PRINTED: usize = 3;
const LINES: usize = 10;
const BYTES: usize = 1_000;
/// Seconds from which the time a call took is told.
const SLOW: u64 = 10;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let m = subject.message();
    let made = shape(&m.text());
    let refs = m.parts.iter().enumerate().filter_map(|(i, p)| match &p.body {
        PartBody::Call(c) => Some((CallRef { msg: subject.ix, part: i as u32 }, c.as_ref())),
        _ => None,
    });
    let (calls, calls_left) = first(grouped(subject.session(), refs.collect()), CALLS);
    let is_plan = subject.snapshot().is_some() && m.role == Role::Assistant;
    some(View {
        texts: texts(&m.parts),
        shape: (made.words >= LONG).then(|| described(made)),
        calls,
        calls_left,
        attachments: m.parts.iter().filter_map(attachment).collect(),
        absent: if is_plan { absent(m.calls()) } else { Vec::new() },
        plan: is_plan.then(|| silence(subject)),
    })
}

fn texts(parts: &[crate::session::Part]) -> Vec<Text> {
    let said = parts.iter().filter_map(|p| match &p.body {
        PartBody::Text(t) => Some((t, false)),
        PartBody::Injected(t) => Some((t, true)),
        _ => None,
    });
    let mut room = TEXT;
    said.filter(|(t, _)| !t.trim().is_empty())
        .map(|(t, added)| {
            let end = if t.len() <= room { t.len() } else { line_end(t, t.floor_char_boundary(room)) };
            room = room.saturating_sub(end).max(TEXT / 6);
            Text { text: t[..end].to_owned(), cut: t.len() - end, added }
        })
        .collect()
}

/// The end of the last whole line before a place, where that leaves more than half.
fn line_end(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').filter(|end| *end * 2 > at).unwrap_or(at)
}

fn described(made: Shape) -> Made {
    let headings_count = made.headings.len();
    let (headings, headings_left) = first(made.headings, HEADINGS);
    Made {
        words: made.words,
        headings,
        headings_count,
        headings_left,
        items: made.items,
        tables: made.tables,
        blocks: made.blocks,
    }
}

fn attachment(part: &crate::session::Part) -> Option<String> {
    match &part.body {
        PartBody::Attachment { name, .. } => Some(name.clone()),
        _ => None,
    }
}

/// Calls in order; calls alike that follow each other are one row.
fn grouped(session: &Session, calls: Vec<(CallRef, &ToolCall)>) -> Vec<Call> {
    let few = calls.len() <= PRINTED;
    let mut rows: Vec<Call> = Vec::new();
    for (at, call) in calls {
        let row = row(session, at, call, few);
        match rows.last_mut() {
            Some(last) if alike(last, &row) => last.times += 1,
            _ => rows.push(row),
        }
    }
    rows
}

fn alike(a: &Call, b: &Call) -> bool {
    let key = |c: &Call| (c.tool.clone(), c.what.clone(), c.status, c.exit_code);
    key(a) == key(b) && a.printed.is_none() && b.printed.is_none() && b.started.is_none()
}

fn row(session: &Session, at: CallRef, call: &ToolCall, few: bool) -> Call {
    // A plan's list stands in a section of its own; what was written or read is the file's.
    let tells = matches!(call.kind, ToolKind::Shell | ToolKind::Task | ToolKind::Fetch | ToolKind::Search);
    let output = call.result.as_ref().map(|r| r.text.trim_end()).filter(|t| !t.is_empty());
    let printed = output.filter(|_| call.failed() || (few && tells)).map(tail);
    Call {
        tool: call.tool.clone(),
        kind: call.kind.word(),
        what: cut(call.what().unwrap_or_default(), WHAT),
        times: 1,
        status: call.ended(),
        failed: call.failed(),
        exit_code: call.exit_code(),
        seconds: call.duration_ms.map(|ms| ms / 1_000).filter(|s| *s >= SLOW),
        printed_cut: printed.zip(output).is_some_and(|(p, all)| p.len() < all.trim_start().len()),
        printed: printed.map(str::to_owned),
        started: started(session, at),
    }
}

/// The last lines of an output.
fn tail(text: &str) -> &str {
    let from = text.rmatch_indices('\n').nth(LINES - 1).map_or(0, |(i, _)| i + 1);
    let from = from.max(text.ceil_char_boundary(text.len().saturating_sub(BYTES)));
    text[from..].trim_start_matches('\n')
}

fn started(session: &Session, at: CallRef) -> Option<Started> {
    let thread = session.threads.iter().position(|t| t.started_by == Some(at))?;
    let inside = || session.iter().filter(|(_, m)| m.thread == ThreadIx(thread as u32));
    let calls = || inside().flat_map(|(_, m)| m.calls());
    let name = |ix: MsgIx| crate::report::section::value::label(session, ix);
    Some(Started {
        thread: session.threads[thread].label.clone(),
        first: name(inside().next()?.0),
        last: name(inside().last()?.0),
        messages: inside().count(),
        calls: calls().count(),
        failed: calls().filter(|c| c.failed()).count(),
    })
}

fn absent<'a>(calls: impl Iterator<Item = &'a ToolCall>) -> Vec<&'static str> {
    let kinds: Vec<ToolKind> = calls.map(|c| c.kind).collect();
    let looked_for = [ToolKind::Shell, ToolKind::Write, ToolKind::Edit];
    looked_for.into_iter().filter(|k| !kinds.contains(k)).map(ToolKind::word).collect()
}

/// Words that give a reason, and words that say what is done when something fails.
const REASONS: &[&str] =
    &["because", "since", "so that", "in order to", "due to", "reason", "therefore", "as it", "as this"];
const FAILURES: &[&str] = &[
    "if ",
    "unless",
    "otherwise",
    "in case",
    "fall back",
    "fallback",
    "roll back",
    "rollback",
    "on failure",
    "revert",
];

fn silence(subject: &Subject<'_>) -> Silence {
    let items = subject.snapshot().into_iter().flat_map(|s| &s.items).map(|i| i.text.as_str());
    let words = std::iter::once(subject.message().text().as_str()).chain(items).collect::<Vec<_>>().join("\n");
    let words = words.to_lowercase();
    let holds = |list: &[&str]| {
        list.iter().any(|w| {
            words.match_indices(w).any(|(at, _)| !words[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-'))
        })
    };
    Silence { asks: words.contains('?'), gives_reason: holds(REASONS), names_failure: holds(FAILURES) }
}
