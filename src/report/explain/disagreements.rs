//! Discrepancies that the message or the prompt it answers shows, or is set against.

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
    /// The sentence of the rule's own template.
    said: String,
    rule: &'static str,
    experimental: bool,
}

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let rows: Vec<Row> = subject
        .disagreements
        .iter()
        .map(|(d, said)| {
            let experimental = crate::audit::rule(d.rule).is_some_and(|r| r.experimental);
            Row { said: said.clone(), rule: d.rule, experimental }
        })
        .collect();
    if rows.is_empty() { None } else { some(View { rows }) }
}
