//! A `tool` part: call and result in one record.

use serde_json::{Map, Value};

use super::{background, number_at, str_at, take_str};
use crate::session::{CallStatus, PartBody, Place, ToolCall, ToolKind, ToolResult};

/// The status that readers give a call of which their form does not tell how it ended.
pub(in crate::source) const UNTOLD: &str = "untold";

/// Reads a tool part, and after it the files that the tool handed back. `aborted` says that the message ended by
/// an abort.
pub(super) fn call(mut part: Value, place: Place, aborted: bool) -> (PartBody, Vec<PartBody>) {
    let mut state = part.get_mut("state").map(Value::take).unwrap_or_default();
    let tool = take_str(&mut part, "tool").unwrap_or_default();
    let kind = ToolKind::of(&tool);
    let attachments = state.get_mut("attachments").map(Value::take).unwrap_or_default();
    let input = state.get_mut("input").map(Value::take).unwrap_or_default();
    let duration_ms = duration(&state);
    let mut result = result(&mut state, place, aborted);
    // The program answers a call that it cannot understand by this tool, which never fails itself.
    if let Some(result) = result.as_mut().filter(|r| r.status == CallStatus::Ok && tool == "invalid") {
        result.status = CallStatus::Error;
    }
    if let Some(left) = result.as_mut().filter(|r| r.status == CallStatus::Ok && background::started(&r.text).is_some())
    {
        left.status = CallStatus::Unknown;
    }
    let started_thread = if kind == ToolKind::Task { child_session(&state, result.as_ref()) } else { None };
    let call = ToolCall {
        id: take_str(&mut part, "callID").unwrap_or_default(),
        tool,
        kind,
        input,
        result,
        duration_ms,
        started_thread,
    };
    let files =
        attachments.as_array().map(Vec::as_slice).unwrap_or_default().iter().map(super::message::file).collect();
    (PartBody::Call(Box::new(call)), files)
}

/// Status, text and exit code. A call that is still pending or running has no result; what a running command has
/// printed so far is kept with the status *missing*.
fn result(state: &mut Value, place: Place, aborted: bool) -> Option<ToolResult> {
    let status = take_str(state, "status").unwrap_or_default();
    let output = take_str(state, "output");
    let error = take_str(state, "error");
    let meta = state.get("metadata");
    let printed = meta.and_then(|m| str_at(m, "output")).filter(|t| !t.is_empty());
    let data = small(meta);
    let exit_code = meta.and_then(|m| number_at(m, "exit"));
    let (status, text) = match status.as_str() {
        "completed" | "success" => {
            let text = output.unwrap_or_default();
            let stopped = exit_code.is_none() && stopped_by_program(&text);
            (if stopped { CallStatus::Interrupted } else { CallStatus::Ok }, text)
        }
        "error" => {
            let text = error.unwrap_or_default();
            let stopped = text == "Tool execution aborted" || meta.is_some_and(|m| m["interrupted"] == true);
            let text = [Some(text.as_str()), printed].into_iter().flatten().collect::<Vec<_>>().join("\n\n");
            (if stopped { CallStatus::Interrupted } else { CallStatus::Error }, text)
        }
        UNTOLD => (CallStatus::Unknown, String::new()),
        _ => {
            let status = if aborted { CallStatus::Interrupted } else { CallStatus::Missing };
            (status, output.or(printed.map(Into::into)).unwrap_or_default())
        }
    };
    let refused = status == CallStatus::Error && REFUSED.iter().any(|start| text.starts_with(start));
    if status == CallStatus::Missing && text.is_empty() {
        return None;
    }
    Some(ToolResult { status, exit_code, refused, text, place, data, at: None })
}

/// How the error of a call starts that the user did not let run.
const REFUSED: &[&str] = &["The user rejected permission", "The user dismissed this question"];

/// Whether the shell tool says in its closing note that it stopped the command: it reports such a call as completed,
/// without an exit code.
fn stopped_by_program(text: &str) -> bool {
    let note = ["<bash_metadata>", "<shell_metadata>"].iter().find_map(|tag| Some(&text[text.rfind(tag)?..]));
    note.is_some_and(|note| note.contains("aborted the command") || note.contains("exceeding timeout"))
}

/// The small fields of a result's metadata; long texts repeat the output.
fn small(meta: Option<&Value>) -> Value {
    let Some(Value::Object(meta)) = meta else { return Value::Null };
    let keep = |v: &Value| match v {
        Value::Null | Value::Array(_) | Value::Object(_) => false,
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(s) => s.len() <= 200,
    };
    let kept: Map<_, _> = meta.iter().filter(|(_, v)| keep(v)).map(|(k, v)| (k.clone(), v.clone())).collect();
    if kept.is_empty() { Value::Null } else { Value::Object(kept) }
}

fn duration(state: &Value) -> Option<u64> {
    let time = state.get("time")?;
    let (start, end) = (number_at(time, "start")?, number_at(time, "end")?);
    u64::try_from(end.checked_sub(start)?).ok()
}

/// Session that a `task` call started: in its metadata, else named in its answer.
fn child_session(state: &Value, result: Option<&ToolResult>) -> Option<String> {
    let meta = state.get("metadata");
    let named = meta.and_then(|m| str_at(m, "sessionId").or_else(|| str_at(m, "sessionID")));
    named.map(Into::into).or_else(|| {
        let text = &result?.text;
        let after = ["task_id: ", "session_id: "].iter().find_map(|k| text.split_once(k))?.1;
        let id: String = after.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        id.starts_with("ses_").then_some(id)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(part: Value, aborted: bool) -> ToolCall {
        match call(part, Place::default(), aborted).0 {
            PartBody::Call(call) => *call,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_completed_command_may_have_failed() {
        let state = json!({"status": "completed", "input": {"command": "false"}, "output": "", "metadata": {"exit": 1, "output": "x".repeat(300)}, "time": {"start": 5, "end": 12}});
        let call = read(json!({"tool": "bash", "callID": "c1", "state": state}), false);
        assert_eq!((call.status(), call.exit_code(), call.failed()), (CallStatus::Ok, Some(1), true));
        assert_eq!((call.command(), call.duration_ms), (Some("false"), Some(7)));
        assert_eq!(call.result.unwrap().data, json!({"exit": 1}));
    }

    #[test]
    fn a_call_that_the_program_did_not_understand_has_failed() {
        let state = json!({"status": "completed", "input": {"tool": "grab"}, "output": "no tool of this name"});
        assert_eq!(read(json!({"tool": "invalid", "state": state}), false).status(), CallStatus::Error);
    }

    #[test]
    fn stopped_calls_are_interrupted() {
        let aborted = json!({"status": "error", "error": "Tool execution aborted", "metadata": {"output": "so far"}});
        let call = read(json!({"tool": "bash", "state": aborted}), false);
        assert_eq!(call.status(), CallStatus::Interrupted);
        assert_eq!(call.result.unwrap().text, "Tool execution aborted\n\nso far");
        for note in ["User aborted the command", "bash tool terminated command after exceeding timeout 5 ms"] {
            let output = format!("so far\n\n<bash_metadata>\n{note}\n</bash_metadata>");
            let state = json!({"status": "completed", "output": output, "metadata": {"exit": null}});
            assert_eq!(read(json!({"tool": "bash", "state": state}), false).status(), CallStatus::Interrupted);
        }
        let said = json!({"status": "completed", "output": "User aborted the command", "metadata": {"exit": 0}});
        assert_eq!(read(json!({"tool": "bash", "state": said}), false).status(), CallStatus::Ok);
    }

    #[test]
    fn calls_under_way_have_no_result() {
        for status in ["pending", "running"] {
            let call = read(json!({"tool": "read", "state": {"status": status, "input": {}}}), false);
            assert_eq!((call.status(), call.result), (CallStatus::Missing, None));
        }
        let state = json!({"status": "running", "metadata": {"output": "half"}});
        let call = read(json!({"tool": "bash", "state": state.clone()}), false);
        assert_eq!((call.status(), call.result.unwrap().text.as_str()), (CallStatus::Missing, "half"));
        assert_eq!(read(json!({"tool": "bash", "state": state}), true).status(), CallStatus::Interrupted);
        assert_eq!(read(json!({"tool": "bash"}), false).status(), CallStatus::Missing);
    }

    #[test]
    fn a_task_names_its_session() {
        let meta = json!({"status": "completed", "output": "", "metadata": {"sessionId": "ses_a"}});
        assert_eq!(read(json!({"tool": "task", "state": meta}), false).started_thread.as_deref(), Some("ses_a"));
        let text = json!({"status": "completed", "output": "task_id: ses_b1 (for resuming)\n\n<task_result>ok"});
        assert_eq!(read(json!({"tool": "task", "state": text}), false).started_thread.as_deref(), Some("ses_b1"));
        let none = json!({"status": "completed", "output": "task_id: ses_b1"});
        assert_eq!(read(json!({"tool": "read", "state": none}), false).started_thread, None);
    }

    #[test]
    fn files_handed_back_follow_the_call() {
        let state = json!({"status": "completed", "output": "ok", "attachments": [{"type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"}]});
        let (_, files) = call(json!({"tool": "read", "state": state}), Place::default(), false);
        assert_eq!(files, [PartBody::Attachment { name: "image/png".into(), bytes: 26 }]);
    }
}
