//! Commands and agents that Claude Code runs in the background: what starts one, and where its end is told.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::session::{CallStatus, PartBody, ToolCall};
use crate::source::background::Said;

static STARTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:Command running in background with ID: |Async agent launched successfully\.?\s+agentId: )([\w-]+)")
        .expect("static")
});
static ENDED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"<status>(completed|failed|killed|stopped)</status>").expect("static"));
static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"<exit_code>(\d{1,3})</exit_code>").expect("static"));
static NOTICE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?s)^<task-notification>\s*<task-id>([\w-]+)</task-id>(.*?)<summary>(?:Background command|Agent) (.*?)</summary>",
    )
    .expect("static")
});
static NOTICE_CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"exit code (\d{1,3})\)?\s*$").expect("static"));

/// The command or agent that an answer says is still running.
pub(super) fn started(text: &str) -> Option<&str> {
    STARTED.captures(text)?.get(1).map(|m| m.as_str())
}

/// What a part says of a command in the background.
pub(super) fn said(part: &PartBody) -> Option<Said<'_>> {
    match part {
        PartBody::Call(call) => {
            let text = &call.result.as_ref()?.text;
            if let Some(id) = started(text) {
                return Some(Said::Started(Cow::Borrowed(id)));
            }
            let id = followed(call)?;
            // What stands in its output is not asked.
            let head = text.split("<output>").next().unwrap_or_default().split("<stdout>").next().unwrap_or_default();
            let (status, code) = end(head, CODE.captures(head).map(|c| c.extract::<1>().1[0]))?;
            Some(Said::Ended(Cow::Borrowed(id), status, code))
        }
        PartBody::Text(text) => {
            let notice = Some(text.trim_start()).filter(|t| t.starts_with("<task-notification>"))?;
            let (_, [id, head, summary]) = NOTICE.captures(notice)?.extract();
            let (status, code) = end(head, NOTICE_CODE.captures(summary).map(|c| c.extract::<1>().1[0]))?;
            Some(Said::Ended(Cow::Borrowed(id), status, code))
        }
        _ => None,
    }
}

/// The command that a call asks about.
fn followed(call: &ToolCall) -> Option<&str> {
    let asks = matches!(call.tool.as_str(), "TaskOutput" | "BashOutput" | "AgentOutputTool");
    let id = || ["task_id", "bash_id", "shell_id"].iter().find_map(|key| call.input.get(key)?.as_str());
    if asks { id() } else { None }
}

/// How a command ended, if the text says that it did.
fn end(text: &str, code: Option<&str>) -> Option<(CallStatus, Option<i64>)> {
    let word = ENDED.captures(text)?.get(1)?.as_str();
    let code = code.and_then(|c| c.parse::<i64>().ok()).filter(|code| *code < 256);
    Some(match (word, code) {
        ("killed" | "stopped", code) => (CallStatus::Interrupted, code),
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
    use crate::source::background::join;

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
            join(&mut session.messages, said);
            let call = session.messages[1].calls().next().unwrap();
            assert_eq!((call.status(), call.exit_code()), (status, code), "{answer}");
        }
    }

    #[test]
    fn a_notification_tells_how_a_command_in_the_background_ended() {
        let start = "Command running in background with ID: b7. Output is being written to: /tmp/x";
        for (word, summary, status, code) in [
            ("failed", "\"serve\" failed with exit code 3", CallStatus::Error, Some(3)),
            ("completed", "\"exit code 9\" completed (exit code 0)", CallStatus::Ok, Some(0)),
            ("killed", "\"serve\" was stopped", CallStatus::Interrupted, None),
        ] {
            let notice = format!(
                "<task-notification>\n<task-id>b7</task-id>\n<output-file>/tmp/x</output-file>\n<status>{word}</status>\n<summary>Background command {summary}</summary>\n</task-notification>"
            );
            let mut session =
                SessionBuilder::new().call("Bash", json!({"command": "serve"}), start).user(&notice).build();
            join(&mut session.messages, said);
            let call = session.messages[0].calls().next().unwrap();
            assert_eq!((call.status(), call.exit_code()), (status, code), "{notice}");
        }
    }

    #[test]
    fn an_agent_that_was_launched_has_not_returned_until_it_is_told() {
        let start = "Async agent launched successfully.\nagentId: a7 (internal ID)\noutput_file: /tmp/x";
        let agent = "<task-notification>\n<task-id>a7</task-id>\n<status>completed</status>\n<summary>Agent \"look\" completed</summary>\n<result>Two faults.</result>\n</task-notification>";
        for (told, status) in [("thanks", CallStatus::Unknown), (agent, CallStatus::Ok)] {
            let mut session = SessionBuilder::new().call("Task", json!({"prompt": "look"}), start).user(told).build();
            if let PartBody::Call(call) = &mut session.messages[0].parts[0].body {
                call.result.as_mut().unwrap().status = CallStatus::Unknown;
            }
            join(&mut session.messages, said);
            assert_eq!(session.messages[0].calls().next().unwrap().status(), status);
        }
    }
}
