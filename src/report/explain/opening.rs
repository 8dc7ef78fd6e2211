//! The title and the summary of the article.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;
use serde_json::Value;

use super::subject::Subject;
use super::{plan, some};
use crate::extract::bench::MeasurementRole;
use crate::extract::findings::FindingStatus;
use crate::extract::shape::{closing_question, shape};
use crate::report::section::value::time;
use crate::session::{CallStatus, Message, MessageKind, MsgIx, Role, ToolCall, ToolKind};

#[derive(Debug, Serialize)]
struct View {
    topic: Topic,
    role: &'static str,
    kind: &'static str,
    at: Option<String>,
    model: Option<String>,
    place: String,
    native_id: Option<String>,
    thread: Option<String>,
    abandoned: bool,
    copied_from: Option<String>,
    prompt: Option<String>,
    /// The reply is the first to the prompt, so many messages of the thread after it.
    first_answer: bool,
    words: usize,
    sentences: Option<usize>,
    calls: usize,
    failed: usize,
    refused: usize,
    /// What it says, from the beginning.
    says: Option<String>,
    interrupted: usize,
    missing: usize,
    plan: Option<plan::Figures>,
    refused_plan: bool,
    asks: usize,
    findings: usize,
    figures: usize,
    answer: Option<Answer>,
    first_of_session: bool,
    last_of_session: bool,
}

/// What the message is above all.
#[derive(Debug, Default, Serialize)]
struct Topic {
    what: &'static str,
    count: usize,
    names: Vec<String>,
    /// Command or target of the only call.
    call: Option<String>,
}

impl Topic {
    fn of(what: &'static str, count: usize) -> Self {
        Self { what, count, ..Self::default() }
    }
}

/// The replies to a prompt.
#[derive(Debug, Serialize)]
struct Answer {
    first: String,
    last: String,
    replies: usize,
    calls: usize,
    failed: usize,
}

static COMMAND: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"<command-name>\s*([^<\s]+)\s*</command-name>|^\s*(/[\w:-]+)").expect("a command"));

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let (session, m) = (subject.session(), subject.message());
    let file = session.sources.get(m.place.file as usize).map_or("", |s| s.file.as_str());
    let text = m.text();
    let made = shape(&text);
    let accepted = subject.snapshot().is_none_or(|s| s.accepted);
    let count = |status: CallStatus| m.calls().filter(|c| c.status() == status).count();
    let on_main = session.on_main(subject.ix);
    some(View {
        topic: topic(subject, &text),
        role: m.role.word(),
        kind: m.kind.word(),
        at: m.at.map(time),
        model: m.model.clone(),
        place: format!("{file}:{}", m.place.line),
        native_id: m.native_id.clone(),
        thread: (!on_main).then(|| session.threads[m.thread.0 as usize].label.clone()),
        abandoned: m.abandoned,
        copied_from: m.copied_from.clone(),
        prompt: subject.prompt.map(|p| subject.name(p)),
        first_answer: subject.is_first_answer(),
        words: made.words,
        sentences: made.sentences.filter(|_| matches!(m.kind, MessageKind::Prompt | MessageKind::Reply)),
        calls: m.calls().count(),
        failed: m.calls().filter(|c| c.failed()).count(),
        refused: m.calls().filter(|c| c.refused()).count(),
        says: says(m),
        interrupted: count(CallStatus::Interrupted),
        missing: count(CallStatus::Missing),
        plan: plan::figures(subject),
        refused_plan: !accepted,
        asks: asks(subject),
        findings: findings(subject),
        figures: figures(subject),
        answer: answer(subject),
        first_of_session: on_main && subject.before(subject.ix).next().is_none(),
        last_of_session: on_main && subject.after().next().is_none(),
    })
}

/// What a prompt or a reply says, for a quote of its first words.
fn says(m: &Message) -> Option<String> {
    let text = m.text();
    let told = matches!(m.kind, MessageKind::Prompt | MessageKind::Reply) && !text.trim().is_empty();
    told.then(|| text.trim().to_owned())
}

fn asks(subject: &Subject<'_>) -> usize {
    subject.facts().directives.iter().filter(|d| d.msg == subject.ix).count()
}

/// Findings of the message that are not in order, or none when it has none of its own.
fn findings(subject: &Subject<'_>) -> usize {
    let own = subject.facts().findings.findings.iter().filter(|f| f.msg == subject.ix);
    own.filter(|f| f.status != FindingStatus::Ok).count()
}

fn figures(subject: &Subject<'_>) -> usize {
    let own = subject.facts().bench.measurements.iter().filter(|m| m.msg == subject.ix);
    own.filter(|m| m.role == MeasurementRole::Measured).count()
}

fn topic(subject: &Subject<'_>, text: &str) -> Topic {
    let m = subject.message();
    if let Some(figures) = plan::figures(subject).filter(|_| m.role == Role::Assistant) {
        let changed = figures.changed();
        return match figures.is_new() {
            true => Topic::of("plan-new", figures.items()),
            false if changed > 0 => Topic::of("plan-changed", changed),
            false => Topic::of("plan-same", figures.items()),
        };
    }
    match (m.kind, m.role) {
        (MessageKind::Command, _) => {
            let name = COMMAND.captures(text).and_then(|c| c.get(1).or_else(|| c.get(2)));
            Topic { names: name.map(|n| n.as_str().to_owned()).into_iter().collect(), ..Topic::of("command", 0) }
        }
        (MessageKind::Prompt, Role::User) => {
            let correction = subject.facts().directives.iter().any(|d| d.msg == subject.ix && d.correction);
            match asks(subject) {
                0 if closing_question(text).is_some() => Topic::of("question", 0),
                0 => Topic::of("says", 0),
                n if correction => Topic::of("corrects", n),
                n => Topic::of("asks", n),
            }
        }
        (MessageKind::Reply, _) => reply(subject),
        (MessageKind::Notice, _) if text.contains("interrupted by user") => Topic::of("interrupts", 0),
        _ => Topic::of("kind", 0),
    }
}

fn reply(subject: &Subject<'_>) -> Topic {
    let (session, m) = (subject.session(), subject.message());
    let (calls, failed) = (m.calls().count(), m.calls().filter(|c| c.failed()).count());
    let refused = m.calls().filter(|c| c.refused()).count();
    let started: BTreeSet<&str> = session
        .threads
        .iter()
        .filter(|t| t.started_by.is_some_and(|by| by.msg == subject.ix))
        .map(|t| t.label.as_str())
        .collect();
    let mut names: Vec<String> = Vec::new();
    for call in m.calls() {
        if !names.contains(&call.tool) {
            names.push(call.tool.clone());
        }
    }
    if !started.is_empty() {
        return Topic::of("starts", started.len());
    }
    if !session.on_main(subject.ix) && subject.after().next().is_none() {
        let thread = session.threads[m.thread.0 as usize].label.clone();
        return Topic { names: vec![thread], ..Topic::of("ends-thread", 0) };
    }
    match (findings(subject), figures(subject)) {
        (0, 0) => {}
        (0, n) => return Topic::of("figures", n),
        (n, _) => return Topic::of("findings", n),
    }
    if m.calls().any(|c| c.kind == ToolKind::Ask) || (calls == 0 && closing_question(&m.text()).is_some()) {
        return Topic::of("question", 0);
    }
    match (calls, failed) {
        (0, _) if m.text().trim().is_empty() => Topic::of("empty", 0),
        (0, _) => Topic::of("no-call", 0),
        (n, f) if n == f => Topic { names, ..Topic::of("all-failed", n) },
        (n, _) if n == refused => Topic { names, ..Topic::of("all-refused", n) },
        (1, _) => {
            Topic { names, call: m.calls().next().and_then(ToolCall::what).map(str::to_owned), ..Topic::of("calls", 1) }
        }
        (n, f) => Topic { names, ..Topic::of(if f > 0 { "some-failed" } else { "calls" }, n) },
    }
}

/// Replies of the thread up to the next prompt.
fn answer(subject: &Subject<'_>) -> Option<Answer> {
    if !super::subject::asks(subject.message()) {
        return None;
    }
    let turn: Vec<MsgIx> = subject
        .after()
        .take_while(|(_, m)| !super::subject::asks(m))
        .filter(|(_, m)| m.role == Role::Assistant && m.kind == MessageKind::Reply)
        .map(|(i, _)| i)
        .collect();
    let calls: Vec<_> = turn.iter().flat_map(|i| subject.session().message(*i).calls()).collect();
    Some(Answer {
        first: subject.name(*turn.first()?),
        last: subject.name(*turn.last()?),
        replies: turn.len(),
        calls: calls.len(),
        failed: calls.iter().filter(|c| c.failed()).count(),
    })
}
