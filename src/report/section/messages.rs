//! The appendix: the messages that the report cites, or all of them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::diff::{self, Line};
use super::value::time;
use crate::report::text::cut;
use crate::session::{Label, Message, MsgIx, PartBody, Session, ToolCall};

/// The messages to show.
#[derive(Debug, Serialize)]
pub(crate) struct View {
    rows: Vec<Row>,
    all: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    anchor: String,
    msg: String,
    role: &'static str,
    kind: &'static str,
    at: Option<String>,
    model: Option<String>,
    place: String,
    native_id: Option<String>,
    abandoned: bool,
    copied_from: Option<String>,
    /// What it changed in the plan, and how many further lines are left out.
    plan: Vec<Line>,
    plan_left: usize,
    excerpts: Vec<Excerpt>,
    calls: Vec<Call>,
    more_calls: usize,
}

#[derive(Debug, Serialize)]
struct Excerpt {
    text: String,
    what: &'static str,
    /// Bytes of the text that are not shown.
    cut: usize,
}

#[derive(Debug, Serialize)]
struct Call {
    tool: String,
    what: String,
    status: &'static str,
    exit_code: Option<i64>,
    output: Option<Excerpt>,
}

/// How much of a message is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Nothing but its head line.
    Head,
    /// The start of what it says.
    Excerpt,
    /// All of it, up to limits that keep a page readable.
    Full,
}

/// Bytes of a text in an excerpt, and in full.
const EXCERPT: usize = 600;
const FULL_TEXT: usize = 1 << 20;
/// Bytes at the head and at the tail of a tool's output in full.
const FULL_OUTPUT: usize = 20 << 10;
const CALLS: usize = 6;

/// The messages cited, or all when everything is asked for.
pub(crate) fn view(
    session: &Session,
    cited: &BTreeSet<Label>,
    amount: Amount,
    plan: &BTreeMap<MsgIx, Vec<Line>>,
) -> View {
    let all = amount == Amount::Full;
    let shown = (0..).map(MsgIx).zip(&session.messages).filter(|(_, m)| all || cited.contains(&m.label));
    let lines = |ix| plan.get(&ix).map_or(&[][..], Vec::as_slice);
    View { rows: shown.map(|(ix, m)| row(session, m, amount, lines(ix))).collect(), all }
}

fn row(session: &Session, message: &Message, amount: Amount, plan: &[Line]) -> Row {
    let file = session.sources.get(message.place.file as usize).map_or("", |s| s.file.as_str());
    let calls: Vec<&ToolCall> = message.calls().collect();
    let shown = match amount {
        Amount::Head => 0,
        Amount::Excerpt => calls.len().min(CALLS),
        Amount::Full => calls.len(),
    };
    let lines = if amount == Amount::Full { plan.len() } else { plan.len().min(diff::LINES) };
    Row {
        plan: plan[..lines].to_vec(),
        plan_left: plan.len() - lines,
        anchor: message.label.anchor(),
        msg: message.label.to_string(),
        role: message.role.word(),
        kind: message.kind.word(),
        at: message.at.map(time),
        model: message.model.clone(),
        place: format!("{file}:{}", message.place.line),
        native_id: message.native_id.clone(),
        abandoned: message.abandoned,
        copied_from: message.copied_from.clone(),
        excerpts: excerpts(message, amount),
        calls: calls[..shown].iter().map(|c| call(c, amount)).collect(),
        more_calls: calls.len() - shown,
    }
}

fn excerpts(message: &Message, amount: Amount) -> Vec<Excerpt> {
    let texts = message.parts.iter().filter_map(|p| match &p.body {
        PartBody::Text(t) => Some((Cow::Borrowed(t.as_str()), "text")),
        PartBody::Injected(t) => Some((Cow::Borrowed(t.as_str()), "added by the program")),
        PartBody::Reasoning(t) if amount == Amount::Full => Some((Cow::Borrowed(t.as_str()), "reasoning")),
        PartBody::Unknown { raw, .. } if amount == Amount::Full => Some((of_unknown(raw), "not understood")),
        _ => None,
    });
    let texts = texts.filter(|(t, _)| !t.trim().is_empty());
    match amount {
        Amount::Head => Vec::new(),
        Amount::Excerpt => texts.take(1).map(|(t, what)| head(&t, what, EXCERPT)).collect(),
        Amount::Full => texts.map(|(t, what)| head(&t, what, FULL_TEXT)).collect(),
    }
}

/// What a part that is not understood says: its text where it has one, else the part as it stands.
fn of_unknown(raw: &Value) -> Cow<'_, str> {
    let said = [Some(raw), raw.get("text"), raw.get("content"), raw.get("output")]
        .into_iter()
        .flatten()
        .find_map(Value::as_str);
    said.map_or_else(|| raw.to_string().into(), Cow::Borrowed)
}

fn call(call: &ToolCall, amount: Amount) -> Call {
    let what = call.what().map(String::from).unwrap_or_default();
    let (what, output) = match amount {
        Amount::Full => {
            let input = if what.is_empty() { call.input.to_string() } else { what };
            (cut(&input, FULL_OUTPUT), call.result.as_ref().filter(|r| !r.text.is_empty()).map(|r| ends(&r.text)))
        }
        _ => (cut(&what, 160), None),
    };
    Call { tool: call.tool.clone(), what, status: call.ended(), exit_code: call.exit_code(), output }
}

fn head(text: &str, what: &'static str, max: usize) -> Excerpt {
    let end = text.floor_char_boundary(max);
    Excerpt { text: text[..end].to_string(), what, cut: text.len() - end }
}

/// Head and tail of a long output.
fn ends(text: &str) -> Excerpt {
    if text.len() <= 2 * FULL_OUTPUT {
        return Excerpt { text: text.to_string(), what: "output", cut: 0 };
    }
    let (head, tail) = (text.floor_char_boundary(FULL_OUTPUT), text.ceil_char_boundary(text.len() - FULL_OUTPUT));
    let middle = format!("\n[… {} bytes not shown …]\n", tail - head);
    Excerpt { text: format!("{}{middle}{}", &text[..head], &text[tail..]), what: "output", cut: tail - head }
}
