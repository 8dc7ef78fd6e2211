//! Commands that a terminal of its own runs (`pty_spawn`): the call is answered at once; `pty_read`, `pty_kill` and a text
//! of the program tell that the command ended, only the last of them with its exit code.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::session::{CallStatus, PartBody};
use crate::source::background::Said;

static STARTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^<pty_spawned>\s*ID: (\w+)\n(?:[A-Z][^\n]*\n)*?Status: running\b").expect("static"));
static SHOWN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^<pty_output id="(\w+)" status="(exited|killed)""#).expect("static"));
static KILLED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^(?:<pty_killed>\s*)?Killed: (\w+)").expect("static"));
static EXITED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^<pty_exited>\s*ID: (\w+)\n(?:[A-Z][^\n]*\n)*?Exit Code: (\d{1,3})\n").expect("static")
});

/// The command that an answer says is running.
pub(super) fn started(text: &str) -> Option<&str> {
    Some(text).filter(|t| t.starts_with("<pty_spawned>")).and_then(|t| STARTED.captures(t)?.get(1)).map(|m| m.as_str())
}

/// What a part says of a command in a terminal of its own.
pub(super) fn said(part: &PartBody) -> Option<Said<'_>> {
    match part {
        PartBody::Call(call) if call.tool.starts_with("pty_") => {
            let text = call.result.as_ref()?.text.as_str();
            let ended = |id, status| Some(Said::Ended(Cow::Borrowed(id), status, None));
            if let Some(id) = started(text) {
                Some(Said::Started(Cow::Borrowed(id)))
            } else if let Some((_, [id, word])) = SHOWN.captures(text).map(|c| c.extract()) {
                ended(id, if word == "killed" { CallStatus::Interrupted } else { CallStatus::Unknown })
            } else {
                ended(KILLED.captures(text)?.extract::<1>().1[0], CallStatus::Interrupted)
            }
        }
        PartBody::Text(text) if text.trim_start().starts_with("<pty_exited>") => {
            let (_, [id, code]) = EXITED.captures(text.trim_start())?.extract();
            let code = code.parse().ok().filter(|code| *code < 256)?;
            Some(Said::Ended(Cow::Borrowed(id), CallStatus::Ok, Some(code)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::session::build::SessionBuilder;
    use crate::source::background::join;

    const SPAWNED: &str =
        "<pty_spawned>\nID: pty_7\nTitle: Dev\nCommand: run dev\nPID: 12\nStatus: running\n</pty_spawned>";

    /// How the command is told to have ended, after these answers of `pty_` calls and this text.
    fn end(answers: &[(&str, &str)], text: &str) -> (CallStatus, Option<i64>) {
        let mut session = SessionBuilder::new().call("pty_spawn", json!({"command": "run"}), SPAWNED);
        for (tool, answer) in answers {
            session = session.call(tool, json!({"id": "pty_7"}), answer);
        }
        let mut session = session.user(text).build();
        if let PartBody::Call(call) = &mut session.messages[0].parts[0].body {
            call.result.as_mut().unwrap().status = CallStatus::Unknown;
        }
        join(&mut session.messages, said);
        let call = session.messages[0].calls().next().unwrap();
        (call.status(), call.exit_code())
    }

    #[test]
    fn a_command_in_a_terminal_of_its_own_ends_as_later_parts_say() {
        let exited =
            ("pty_read", "<pty_output id=\"pty_7\" status=\"exited\">\n00001| error: exit code 1\n</pty_output>");
        let running = ("pty_read", "<pty_output id=\"pty_7\" status=\"running\">\n00001| <pty_exited>\n</pty_output>");
        let killed = ("pty_kill", "<pty_killed>\nKilled: pty_7 (session removed)\n</pty_killed>");
        let told = "<pty_exited>\nID: pty_7\nTitle: Dev\nExit Code: 3\nOutput Lines: 2\n</pty_exited>";
        let unknown = (CallStatus::Unknown, None);
        assert_eq!(end(&[], "go on"), unknown);
        assert_eq!(end(&[running], "go on"), unknown);
        // That it ended is not how it ended; and what has ended was not stopped.
        assert_eq!(end(&[exited], "go on"), unknown);
        assert_eq!(end(&[exited, killed], "go on"), unknown);
        assert_eq!(end(&[running, killed], "go on"), (CallStatus::Interrupted, None));
        assert_eq!(end(&[exited], told), (CallStatus::Ok, Some(3)));
        assert_eq!(end(&[], &told.replace("pty_7", "pty_8")), unknown);
    }

    #[test]
    fn a_command_that_was_only_started_has_not_worked() {
        assert_eq!(started(SPAWNED), Some("pty_7"));
        assert_eq!(started(&SPAWNED.replace("running", "exited")), None);
        assert_eq!(started(&format!("cat log\n{SPAWNED}")), None);
    }
}
