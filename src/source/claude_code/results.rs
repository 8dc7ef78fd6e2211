//! Results of calls: to which call each belongs, how the call ended, what it printed, how long it took.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::assemble::{Assembly, CallAt, From, part};
use super::{background, text};
use crate::diag::{Loc, Trouble};
use crate::session::{CallStatus, PartBody, Place, ToolCall, ToolResult};

/// A result before it is folded into its call.
#[derive(Debug)]
pub(super) struct Answer {
    /// Id of the call.
    pub(super) id: Option<Box<str>>,
    pub(super) thread: usize,
    pub(super) text: String,
    pub(super) error: Option<bool>,
    pub(super) data: Value,
    pub(super) place: Place,
    pub(super) at: Option<Timestamp>,
}

impl<L: Fn(Place) -> Loc> Assembly<'_, L> {
    /// A result: folded into its call, or put off when the call does not stand before it.
    pub(super) fn answer(&mut self, answer: Answer, from: &From) {
        let found = match &answer.id {
            Some(id) => self.unanswered((answer.thread, id.clone())),
            None => {
                self.warn(Trouble::NoId, from.place, "a result without the id of its call".to_owned());
                let list = from.parent.and_then(|p| self.nameless.get(&p));
                list.and_then(|l| if let [only] = l[..] { Some(only) } else { None }).filter(|&at| self.is_open(at))
            }
        };
        match found {
            Some(at) => {
                let list = answer.id.as_ref().and_then(|id| self.calls.get(&(answer.thread, id.clone())));
                if list.is_some_and(|l| l.len() > 1 && l.first().is_some_and(|&first| !self.is_open(first))) {
                    let message = "a second result for this call id; given to the next call that has it".to_owned();
                    self.warn(Trouble::SecondResult, from.place, message);
                }
                self.fold(at, answer);
            }
            None => self.early.push((from.item, answer)),
        }
    }

    /// A result whose call did not stand before it: looked for in the whole session, else kept by itself.
    pub(super) fn late(&mut self, item: usize, answer: Answer) {
        let own = answer.id.as_ref().and_then(|id| self.unanswered((answer.thread, id.clone())));
        let elsewhere = || {
            let id = answer.id.as_ref()?;
            (0..self.threads.len()).find_map(|t| self.unanswered((t, id.clone())))
        };
        if let Some(at) = own.or_else(elsewhere) {
            return self.fold(at, answer);
        }
        let answered = answer.id.as_ref().and_then(|id| self.calls.get(&(answer.thread, id.clone()))?.last().copied());
        let from = From {
            item,
            place: answer.place,
            at: answer.at,
            thread: answer.thread,
            parent: None,
            uuid: None,
            abandoned: false,
        };
        let raw = json!({ "tool_use_id": answer.id, "content": answer.text, "is_error": answer.error });
        let body = PartBody::Unknown { kind: "tool_result".into(), raw };
        match answered {
            Some(at) => {
                let same = self.call_at(at).and_then(|c| c.result.as_ref()).is_some_and(|r| r.text == answer.text);
                if !same {
                    self.warn(
                        Trouble::SecondResult,
                        answer.place,
                        "a second result of one call; kept beside it".to_owned(),
                    );
                    self.threads[at.thread].messages[at.msg].parts.push(part(body, &from));
                }
            }
            None => {
                self.warn(
                    Trouble::OrphanResult,
                    answer.place,
                    "a result whose call stands nowhere; kept by itself".to_owned(),
                );
                self.hang_before(body, &from);
            }
        }
    }

    fn unanswered(&self, key: (usize, Box<str>)) -> Option<CallAt> {
        self.calls.get(&key)?.iter().copied().find(|&at| self.is_open(at))
    }

    fn is_open(&self, at: CallAt) -> bool {
        self.call_at(at).is_some_and(|call| call.result.is_none())
    }

    fn call_at(&self, at: CallAt) -> Option<&ToolCall> {
        match &self.threads[at.thread].messages.get(at.msg)?.parts.get(at.part)?.body {
            PartBody::Call(call) => Some(call),
            _ => None,
        }
    }

    fn fold(&mut self, at: CallAt, answer: Answer) {
        let part = &mut self.threads[at.thread].messages[at.msg].parts[at.part];
        if let PartBody::Call(call) = &mut part.body {
            fold(call, at.at, answer);
        }
    }

    pub(super) fn warn_of_unanswered(&mut self) {
        let mut places = Vec::new();
        for part in self.threads.iter().flat_map(|t| &t.messages).flat_map(|m| &m.parts) {
            if matches!(&part.body, PartBody::Call(call) if call.result.is_none()) {
                places.push(part.place);
            }
        }
        for place in places {
            self.warn(Trouble::NoResult, place, "a call without a result; how it ended is not known".to_owned());
        }
    }
}

/// Folds a result into its call, which was made at `called`.
fn fold(call: &mut ToolCall, called: Option<Timestamp>, answer: Answer) {
    let Answer { text, error, data, place, at, .. } = answer;
    let status = status(&text, error, &data);
    let exit_code = if matches!(status, CallStatus::Ok | CallStatus::Unknown) { None } else { text::exit_code(&text) };
    call.duration_ms = duration(&data).or_else(|| between(called?, at?));
    call.started_thread = data.get("agentId").and_then(Value::as_str).map(str::to_owned);
    call.result = Some(ToolResult { status, exit_code, refused: text::is_refused(&text), text, place, data, at });
}

fn status(text: &str, error: Option<bool>, data: &Value) -> CallStatus {
    let said = |key| data.get(key).and_then(Value::as_bool) == Some(true);
    // A command that was stopped may tell its exit code first.
    let told = if text.starts_with("Exit code ") { text.split_once('\n').map_or("", |(_, rest)| rest) } else { text };
    if said("interrupted") || said("wasInterrupted") || told.starts_with(text::INTERRUPTED) {
        CallStatus::Interrupted
    } else if error == Some(true) || text::is_refused(text) || text.starts_with("<tool_use_error>") {
        CallStatus::Error
    } else if background::started(text).is_some() {
        CallStatus::Unknown
    } else {
        CallStatus::Ok
    }
}

/// The duration that the program measured.
fn duration(data: &Value) -> Option<u64> {
    let field = |key| data.get(key).and_then(Value::as_f64).filter(|n| *n >= 0.0 && *n < 1e12);
    let ms = field("totalDurationMs").or_else(|| field("durationMs"));
    ms.or_else(|| field("durationSeconds").map(|s| s * 1000.0)).map(|ms| ms.round() as u64)
}

/// Milliseconds from call to result; unknown when the clock went back.
fn between(from: Timestamp, to: Timestamp) -> Option<u64> {
    u64::try_from(to.as_millisecond() - from.as_millisecond()).ok()
}
