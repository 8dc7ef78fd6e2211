//! Commands that run in the background: the call is answered at once, and how it ended is told by a later call.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::session::{CallStatus, Message, PartBody, ToolCall};

static STARTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^Command running in background with ID: ([\w-]+)").expect("static"));
static ENDED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"<status>(completed|failed|killed)</status>").expect("static"));
static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"<exit_code>(\d{1,3})</exit_code>").expect("static"));

/// The command that an answer says is still running.
pub(super) fn started(text: &str) -> Option<&str> {
    STARTED.captures(text)?.get(1).map(|m| m.as_str())
}

/// Tells of each command that was left running how it ended, where a later call says so.
pub(super) fn join(messages: &mut [Message]) {
    let mut running: HashMap<String, (usize, usize)> = HashMap::new();
    let mut ends: Vec<((usize, usize), CallStatus, Option<i64>)> = Vec::new();
    for (m, message) in messages.iter().enumerate() {
        for (p, part) in message.parts.iter().enumerate() {
            let PartBody::Call(call) = &part.body else { continue };
            let Some(result) = &call.result else { continue };
            if let Some(id) = started(&result.text) {
                running.insert(id.to_owned(), (m, p));
            } else if let Some(at) = followed(call).and_then(|id| running.get(id)) {
                ends.extend(end(&result.text).map(|(status, code)| (*at, status, code)));
            }
        }
    }
    for ((m, p), status, code) in ends {
        if let PartBody::Call(call) = &mut messages[m].parts[p].body
            && let Some(result) = &mut call.result
        {
            (result.status, result.exit_code) = (status, code);
        }
    }
}

/// The command that a call asks about.
fn followed(call: &ToolCall) -> Option<&str> {
    let asks = matches!(call.tool.as_str(), "TaskOutput" | "BashOutput" | "AgentOutputTool");
    let id = || ["task_id", "bash_id", "shell_id"].iter().find_map(|key| call.input.get(key)?.as_str());
    if asks { id() } else { None }
}

/// How a command ended, if the answer says that it did. What stands in its output is not asked.
fn end(text: &str) -> Option<(CallStatus, Option<i64>)> {
    let head = text.split("<output>").next().unwrap_or_default().split("<stdout>").next().unwrap_or_default();
    let word = ENDED.captures(head)?.get(1)?.as_str();
    let code = CODE.captures(head).and_then(|c| c[1].parse::<i64>().ok()).filter(|code| *code < 256);
    Some(match (word, code) {
        ("killed", code) => (CallStatus::Interrupted, code),
        ("failed", code) => (CallStatus::Error, code),
        (_, Some(code)) if code != 0 => (CallStatus::Error, Some(code)),
        (_, code) => (CallStatus::Ok, code),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn a_command_left_running_ends_as_a_later_call_says() {
        let start =
            |id: &str| format!("Command running in background with ID: {id}. Output is being written to: /tmp/x");
        let told = |status: &str, more: &str| {
            format!("<task_id>b</task_id>\n<status>{status}</status>\n{more}\n<output>\n<status>completed</status>")
        };
        for (answer, status, code) in [
            (told("failed", "<exit_code>2</exit_code>"), CallStatus::Error, Some(2)),
            (told("completed", "<exit_code>0</exit_code>"), CallStatus::Ok, Some(0)),
            (told("running", ""), CallStatus::Unknown, None),
        ] {
            let mut session = SessionBuilder::new()
                .user("go")
                .call("Bash", json!({"command": "make", "run_in_background": true}), &start("b"))
                .call("TaskOutput", json!({"task_id": "b"}), &answer)
                .build();
            if let PartBody::Call(call) = &mut session.messages[1].parts[0].body {
                call.result.as_mut().unwrap().status = CallStatus::Unknown;
            }
            join(&mut session.messages);
            let call = session.messages[1].calls().next().unwrap();
            assert_eq!((call.status(), call.exit_code()), (status, code), "{answer}");
        }
    }
}
