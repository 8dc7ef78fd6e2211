//! What was asked and what was answered: questions of the agent and the user's replies to them.

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::{Subject, first};
use crate::extract::shape::closing_question;
use crate::session::{CallStatus, MessageKind, MsgIx, Role, ToolKind};

#[derive(Debug, Serialize)]
struct View {
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    question: String,
    msg: String,
    by: &'static str,
    answer: Option<String>,
    answer_msg: Option<String>,
    /// The answer stands in the result of the call that asked.
    in_result: bool,
    here: bool,
}

const ROWS: usize = 8;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let m = subject.message();
    let mut rows: Vec<Row> = m.calls().filter(|c| c.kind == ToolKind::Ask).flat_map(|c| by_tool(subject, c)).collect();
    if m.role == Role::Assistant && subject.session().ends_turn(subject.ix) {
        rows.extend(closing_question(&m.text()).map(|q| in_prose(subject, q, subject.ix, next_prompt(subject))));
    }
    if m.role == Role::User && m.kind == MessageKind::Prompt {
        let before = subject.before(subject.ix).find(|(_, m)| m.kind != MessageKind::InjectedContext);
        if let Some((i, reply)) = before.filter(|(_, m)| m.role == Role::Assistant) {
            rows.extend(closing_question(&reply.text()).map(|q| in_prose(subject, q, i, Some(subject.ix))));
        }
    }
    let (rows, _) = first(rows, ROWS);
    if rows.is_empty() { None } else { some(View { rows }) }
}

fn next_prompt(subject: &Subject<'_>) -> Option<MsgIx> {
    subject.after().find(|(_, m)| m.role == Role::User && m.kind == MessageKind::Prompt).map(|(i, _)| i)
}

fn in_prose(subject: &Subject<'_>, question: &str, asked: MsgIx, answered: Option<MsgIx>) -> Row {
    Row {
        question: question.to_owned(),
        msg: subject.name(asked),
        by: subject.session().message(asked).role.word(),
        answer: answered.map(|i| subject.session().message(i).text()),
        answer_msg: answered.map(|i| subject.name(i)),
        in_result: false,
        here: asked == subject.ix,
    }
}

/// Questions of a call, each with the result of the call.
fn by_tool(subject: &Subject<'_>, call: &crate::session::ToolCall) -> Vec<Row> {
    let many = call.input.get("questions").and_then(|q| q.as_array()).into_iter().flatten();
    let single = ["question", "text", "message"].iter().find_map(|k| call.input.get(k)?.as_str());
    let questions: Vec<&str> = many.filter_map(|q| q.get("question")?.as_str()).chain(single).collect();
    let answer = call.result.as_ref().filter(|r| r.status == CallStatus::Ok).map(|r| r.text.clone());
    let row = |question: &str| Row {
        question: question.to_owned(),
        msg: subject.name(subject.ix),
        by: Role::Assistant.word(),
        answer_msg: answer.as_ref().map(|_| subject.name(subject.ix)),
        answer: answer.clone(),
        in_result: true,
        here: true,
    };
    questions.into_iter().map(row).collect()
}
