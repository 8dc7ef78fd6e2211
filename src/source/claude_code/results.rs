//! The result of a call: how it ended, what it printed, how long it took.

use jiff::Timestamp;
use serde_json::Value;

use super::text;
use crate::session::{CallStatus, Place, ToolCall, ToolResult};

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

/// Folds a result into its call, which was made at `called`.
pub(super) fn fold(call: &mut ToolCall, called: Option<Timestamp>, answer: Answer) {
    let Answer { text, error, data, place, at, .. } = answer;
    let status = status(&text, error, &data);
    let exit_code = if status == CallStatus::Ok { None } else { text::exit_code(&text) };
    call.duration_ms = duration(&data).or_else(|| between(called?, at?));
    call.started_thread = data.get("agentId").and_then(Value::as_str).map(str::to_owned);
    call.result = Some(ToolResult { status, exit_code, text, place, data });
}

fn status(text: &str, error: Option<bool>, data: &Value) -> CallStatus {
    let said = |key| data.get(key).and_then(Value::as_bool) == Some(true);
    if said("interrupted") || said("wasInterrupted") || text.starts_with(text::INTERRUPTED) {
        CallStatus::Interrupted
    } else if error == Some(true) || text::is_refused(text) || text.starts_with("<tool_use_error>") {
        CallStatus::Error
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
