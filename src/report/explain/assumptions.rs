//! What the message takes for granted, or checks for an earlier one.

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::Subject;

#[derive(Debug, Serialize)]
struct View {
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    text: String,
    kind: &'static str,
    msg: String,
    /// The message that holds the words.
    said_msg: String,
    checked: Option<String>,
    outcome: Option<String>,
    /// The call that checked it failed.
    failed: bool,
}

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let here = subject.facts().assumptions.iter().filter(|a| a.msg == subject.ix || a.verified_msg == Some(subject.ix));
    let rows: Vec<Row> = here
        .map(|a| Row {
            text: a.text.clone(),
            kind: a.kind.word(),
            msg: subject.name(a.msg),
            said_msg: subject.name(a.span.msg),
            checked: a.verified_msg.map(|m| subject.name(m)),
            failed: a.outcome.as_deref().is_some_and(|o| o.starts_with("failed")),
            outcome: a.outcome.as_deref().map(|o| o.trim_start_matches("failed").trim_start_matches(": ").to_owned()),
        })
        .collect();
    if rows.is_empty() { None } else { some(View { rows }) }
}
