//! Choices stated in the message, with their reasons as written.

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
    choice: String,
    by: &'static str,
    reason: Option<String>,
    alternatives: Vec<String>,
    reversed: Option<String>,
}

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let own = subject.facts().decisions.iter().filter(|d| d.msg == subject.ix);
    let rows: Vec<Row> = own
        .map(|d| Row {
            choice: d.choice.clone(),
            by: d.by.word(),
            reason: d.reason.clone(),
            alternatives: d.alternatives.clone(),
            reversed: d.reversed_msg.map(|m| subject.name(m)),
        })
        .collect();
    if rows.is_empty() { None } else { some(View { rows }) }
}
