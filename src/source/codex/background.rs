//! Commands that Codex leaves running: `exec_command` answers with the id of a session, `write_stdin` asks after it.

use std::borrow::Cow;

use super::output::session_id;
use crate::session::{CallStatus, PartBody, ToolCall};
use crate::source::background::Said;

/// Whether a call asks after a command, or writes to it.
pub(super) fn asks(call: &ToolCall) -> bool {
    call.tool == "write_stdin"
}

/// What a call says of a command that was left running.
pub(super) fn said(part: &PartBody) -> Option<Said<'_>> {
    let PartBody::Call(call) = part else { return None };
    let result = call.result.as_ref()?;
    if asks(call) {
        let id = session_id(&call.input)?;
        return result.exit_code.map(|code| Said::Ended(Cow::Owned(id.into()), CallStatus::Ok, Some(code)));
    }
    session_id(&result.data).map(|id| Said::Started(Cow::Owned(id.into())))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::session::CallStatus;
    use crate::source::codex::tests::{call, calls, line, output};

    fn answered(id: &str, tool: &str, input: Value, text: &str) -> [String; 2] {
        [call(id, tool, &input.to_string()), output(id, text)]
    }

    #[test]
    fn a_session_of_exec_command_ends_as_write_stdin_says() {
        let running = "Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID 41\nOutput:\nbuilding\n";
        let over = "Chunk ID: b\nWall time: 9.0 seconds\nProcess exited with code 2\nOutput:\nno rule\n";
        let poll = json!({"session_id": 41, "chars": ""});
        let start = answered("c1", "exec_command", json!({"cmd": "make"}), running);
        let lines = [
            start.clone(),
            answered("c2", "write_stdin", poll.clone(), running),
            answered("c3", "write_stdin", poll.clone(), over),
            answered("c4", "write_stdin", poll, "write_stdin failed: Unknown process id 41"),
        ];
        let got: Vec<_> = calls(&lines.concat()).iter().map(|c| (c.status(), c.exit_code())).collect();
        let ok = CallStatus::Ok;
        assert_eq!(got, [(ok, Some(2)), (ok, None), (ok, None), (CallStatus::Error, None)]);
        // Without the end it is not known.
        let other = answered("c2", "write_stdin", json!({"session_id": 42}), over);
        let got: Vec<_> = calls(&[start, other].concat()).iter().map(|c| (c.status(), c.exit_code())).collect();
        assert_eq!(got, [(CallStatus::Unknown, None), (ok, Some(2))]);
    }

    #[test]
    fn a_session_started_in_a_script_ends_as_another_script_says() {
        let script = |id: &str, input: &str, piece: Value| {
            let call = json!({"type": "custom_tool_call", "name": "exec", "call_id": id, "input": input});
            let pieces = json!([{"type": "input_text", "text": "Script completed"}, {"type": "input_text", "text": piece.to_string()}]);
            let output = json!({"type": "custom_tool_call_output", "call_id": id, "output": pieces});
            [call, output].map(|payload| line("response_item", payload))
        };
        let lines = [
            script("c1", "text(await tools.exec_command({cmd: \"make\"}))", json!({"session_id": 5, "output": ""})),
            script("c2", "text(await tools.write_stdin({session_id: 5}))", json!({"exit_code": 1, "output": "no"})),
        ];
        let got: Vec<_> = calls(&lines.concat()).iter().map(|c| (c.tool.clone(), c.status(), c.exit_code())).collect();
        let of = |tool: &str, code| (tool.to_owned(), CallStatus::Ok, code);
        assert_eq!(got[..2], [of("exec", Some(1)), of("exec_command", Some(1))]);
        assert_eq!(got[3], of("write_stdin", None));
    }
}
