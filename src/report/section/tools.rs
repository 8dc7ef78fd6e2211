//! Tool use: calls by tool, failures, tokens.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::value::{grouped, label};
use super::{Material, first_rows, some};
use crate::error::Error;
use crate::session::{CallRef, Session, ToolCall, Usage};

#[derive(Debug, Serialize)]
struct View {
    tools: Vec<Row>,
    /// Whether of any call it is not known how it ended.
    unknown: bool,
    failures: Vec<Failure>,
    left: usize,
    tokens: Vec<Tokens>,
    /// Whether they are told of the whole session only.
    whole: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    tool: String,
    kind: &'static str,
    calls: usize,
    failed: usize,
    interrupted: usize,
    unknown: usize,
    missing: usize,
    first: String,
    last: String,
}

#[derive(Debug, Serialize)]
struct Failure {
    msg: String,
    tool: String,
    what: String,
    exit_code: Option<i64>,
    says: String,
}

#[derive(Debug, Serialize)]
struct Tokens {
    model: String,
    replies: usize,
    input: String,
    cache_read: String,
    cache_write: String,
    output: String,
    unknown: usize,
}

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    use crate::session::CallStatus::{Interrupted, Unknown};
    let session = &material.analysis.session;
    let calls: Vec<(CallRef, &ToolCall)> =
        session.calls().filter(|(at, _)| !session.message(at.msg).abandoned).collect();
    if calls.is_empty() {
        return Ok(None);
    }
    let mut tools: BTreeMap<&str, Row> = BTreeMap::new();
    for (at, call) in &calls {
        let msg = label(session, at.msg);
        let row = tools.entry(&call.tool).or_insert_with(|| Row {
            tool: call.tool.clone(),
            kind: call.kind.word(),
            calls: 0,
            failed: 0,
            interrupted: 0,
            unknown: 0,
            missing: 0,
            first: msg.clone(),
            last: String::new(),
        });
        row.calls += 1;
        row.failed += usize::from(call.failed());
        row.interrupted += usize::from(call.status() == Interrupted);
        row.unknown += usize::from(call.status() == Unknown);
        row.missing += usize::from(call.result.is_none());
        row.last = msg;
    }
    let mut tools: Vec<Row> = tools.into_values().collect();
    tools.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.tool.cmp(&b.tool)));
    let failures = calls.iter().filter(|(_, c)| c.failed()).map(|(at, c)| failure(session, *at, c)).collect();
    let (failures, left) = first_rows(failures, material.full);
    let unknown = tools.iter().any(|row| row.unknown > 0);
    some(View { tools, unknown, failures, left, tokens: tokens(session), whole: !session.totals.is_empty() })
}

fn failure(session: &Session, at: CallRef, call: &ToolCall) -> Failure {
    let says = call.result.as_ref().map(|r| r.text.as_str()).unwrap_or_default();
    Failure {
        msg: label(session, at.msg),
        tool: call.tool.clone(),
        what: call.what().unwrap_or_default().to_string(),
        exit_code: call.exit_code(),
        says: says.lines().map(str::trim).rfind(|l| !l.is_empty()).unwrap_or_default().to_string(),
    }
}

fn tokens(session: &Session) -> Vec<Tokens> {
    #[derive(Default)]
    struct Sum {
        replies: usize,
        unknown: usize,
        usage: Usage,
    }
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for message in session.messages.iter().filter(|m| m.copied_from.is_none()) {
        let Some(model) = message.model.as_deref() else { continue };
        let sum = sums.entry(model).or_default();
        sum.replies += 1;
        sum.unknown += usize::from(message.usage.output.is_none());
        sum.usage.add(message.usage);
    }
    // Without figures of replies those of the whole session stand alone.
    for (model, usage) in &session.totals {
        sums.entry(model).or_default().usage.add(*usage);
    }
    let told = |n: Option<u64>| n.map_or_else(|| "not known".to_owned(), grouped);
    sums.into_iter()
        .map(|(model, sum)| Tokens {
            model: model.to_string(),
            replies: sum.replies,
            input: told(sum.usage.input),
            cache_read: told(sum.usage.cache_read),
            cache_write: told(sum.usage.cache_write),
            output: told(sum.usage.output),
            unknown: sum.unknown,
        })
        .collect()
}
