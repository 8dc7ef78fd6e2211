//! The output of a call: its text, and the exit code where it is written.

use serde_json::Value;

use crate::source::bounded;

/// How the answer of a tool starts that did not do what it was asked for.
const FAILED: &[&str] =
    &["apply_patch verification failed", "failed to parse", "write_stdin failed", "exec_command failed"];

/// How it starts when the user did not let the call run.
const REFUSED: &[&str] = &["exec command rejected by user", "patch rejected by user"];

/// How each line of the head starts that some versions write before what a command printed.
const HEAD: &[&str] = &[
    "Chunk ID: ",
    "Wall time: ",
    "Exit code: ",
    "Process exited with code ",
    "Process running with session ID ",
    "Original token count: ",
    "Total output lines: ",
];

/// What came back from a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Output {
    pub(super) text: String,
    pub(super) exit_code: Option<i64>,
    pub(super) duration_ms: Option<u64>,
    pub(super) failed: bool,
    pub(super) refused: bool,
    pub(super) interrupted: bool,
    /// The command was left running: its id.
    pub(super) running: Option<Box<str>>,
}

/// Reads an output: a text, a list of texts, or an object with one.
pub(super) fn read(value: &Value) -> Output {
    match value {
        Value::String(text) => of_text(text),
        Value::Array(pieces) => of_pieces(pieces),
        Value::Object(fields) => {
            let text = ["text", "content", "output"].iter().find_map(|key| fields.get(*key)?.as_str());
            let mut out = text.map(of_text).unwrap_or_default();
            out.failed |= fields.get("success").and_then(Value::as_bool) == Some(false);
            out
        }
        _ => Output::default(),
    }
}

/// What the word says by which a call tells its own end; nothing where it has not ended, or the word is another.
pub(super) fn of_status(word: &str) -> Option<Output> {
    match word {
        "completed" => Some(Output::default()),
        "failed" => Some(Output { failed: true, ..Output::default() }),
        _ => None,
    }
}

/// A shell's answer is a JSON text in old versions, has a head of a few lines in newer ones.
fn of_text(text: &str) -> Output {
    if text.starts_with('{')
        && let Ok(value) = bounded::value(text)
        && let Some(inner) = value.get("output").and_then(Value::as_str)
    {
        let seconds = value.pointer("/metadata/duration_seconds").and_then(Value::as_f64);
        return Output {
            text: inner.to_owned(),
            exit_code: value.pointer("/metadata/exit_code").and_then(Value::as_i64).and_then(code),
            duration_ms: seconds.filter(|s| (0.0..1e9).contains(s)).map(|s| (s * 1000.0).round() as u64),
            ..Output::default()
        };
    }
    let refused = REFUSED.iter().any(|start| text.starts_with(start));
    Output {
        exit_code: head_code(text),
        interrupted: text.lines().nth(head(text).count()).is_some_and(|line| line.starts_with("aborted")),
        running: running(text),
        failed: refused || FAILED.iter().any(|start| text.starts_with(start)),
        refused,
        text: text.to_owned(),
        ..Output::default()
    }
}

/// The newest shells answer in pieces, of which one is JSON with the exit code.
fn of_pieces(pieces: &[Value]) -> Output {
    let texts: Vec<&str> = pieces.iter().filter_map(|p| p.get("text")?.as_str()).collect();
    let inner = texts.iter().filter(|t| t.trim_start().starts_with('{')).find_map(|t| {
        let value = bounded::value(t).ok()?;
        value.get("exit_code").and_then(Value::as_i64).and_then(code)
    });
    let exit_code = inner.or_else(|| texts.iter().find_map(|t| head_code(t)));
    let running = texts.iter().find_map(|t| running(t).or_else(|| session_of(t))).filter(|_| exit_code.is_none());
    Output { text: texts.join("\n"), exit_code, running, ..Output::default() }
}

/// The id of a command that the lines before the output proper say is left running.
fn running(text: &str) -> Option<Box<str>> {
    head(text).find_map(|line| line.strip_prefix("Process running with session ID ")).map(|id| id.trim().into())
}

/// The same in a piece that is JSON.
fn session_of(text: &str) -> Option<Box<str>> {
    let text = text.trim_start();
    let value = if text.starts_with('{') { bounded::value(text).ok()? } else { return None };
    session_id(&value)
}

/// The id of a running command in an input or output: a number, in some versions a text.
pub(super) fn session_id(value: &Value) -> Option<Box<str>> {
    match value.get("session_id")? {
        Value::Number(n) => Some(n.to_string().into()),
        Value::String(text) => Some(text.as_str().into()),
        _ => None,
    }
}

/// The lines that the program writes before the output proper. What a command printed tells nothing of its end.
fn head(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take_while(|line| HEAD.iter().any(|start| line.starts_with(start)))
}

/// The exit code in the lines before the output proper, or in the sentence by which the sandbox reports a command.
fn head_code(text: &str) -> Option<i64> {
    if text.starts_with("failed in sandbox ") {
        let digits = text.lines().next()?.split_once("exit code: ")?.1.split(',').next()?;
        return digits.trim().parse().ok().and_then(code);
    }
    let marks = ["Exit code: ", "Process exited with code "];
    let written =
        |digits: &str| (digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse());
    let mut told = head(text).filter_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)));
    let (first, other) = (told.next()?, told.next());
    // Two that differ are none.
    other.is_none_or(|other| other.trim() == first.trim()).then(|| written(first.trim())?.ok()).flatten().and_then(code)
}

/// Exit codes lie between 0 and 255; anything else is not known.
pub(super) fn code(n: i64) -> Option<i64> {
    (0..=255).contains(&n).then_some(n)
}

/// Id of the session that a call started, as its output says.
pub(super) fn spawned(tool: &str, output: &str) -> Option<String> {
    if tool != "spawn_agent" {
        return None;
    }
    let value = bounded::value(output).ok()?;
    ["agent_id", "thread_id", "id"].iter().find_map(|key| value.get(key)?.as_str()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn exit_codes_are_read_from_each_form() {
        let code = |value: Value| read(&value).exit_code;
        assert_eq!(code(json!(r#"{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.5}}"#)), Some(1));
        assert_eq!(code(json!("Exit code: 2\nWall time: 1 s\nOutput:\nExit code: 9")), Some(2));
        assert_eq!(code(json!("Chunk ID: a\nWall time: 1 s\nProcess exited with code 3\nOutput:\n")), Some(3));
        assert_eq!(code(json!("Process running with session ID 7")), None);
        for printed in
            ["tests failed\nExit code: 0", "a\nProcess exited with code 0", "Exit code: +0", "Exit code: 0000"]
        {
            assert_eq!(code(json!(printed)), None, "{printed}");
        }
        assert_eq!(code(json!("Process exited with code 0\nExit code: 1\nOutput:\n")), None);
        let running = |value: Value| read(&value).running;
        assert_eq!(running(json!("Wall time: 1 s\nProcess running with session ID 7\nOutput:\n")), Some("7".into()));
        assert_eq!(running(json!("Process exited with code 0\nOutput:\nProcess running with session ID 7")), None);
        assert_eq!(running(json!([{"text": "Script completed"}, {"text": "{\"session_id\": 8}"}])), Some("8".into()));
        let pieces = json!([{"text": "Script completed"}, {"text": "{\"exit_code\":1,\"output\":\"no\"}"}]);
        assert_eq!(code(pieces), Some(1));
        for odd in [json!("0"), json!(null), json!(256), json!(-1), json!(4_294_967_295_i64), json!(0.5)] {
            assert_eq!(code(json!(json!({"output": "x", "metadata": {"exit_code": odd}}).to_string())), None, "{odd}");
        }
        assert_eq!(code(json!("plain text\nOutput:\nExit code: 0")), None);
        let boxed =
            "failed in sandbox Some with execution error: denied, exit code: 4, stdout: exit code: 0\nexit code: 9";
        assert_eq!(code(json!(boxed)), Some(4));
    }

    #[test]
    fn what_the_user_refused_has_failed() {
        assert!(read(&Value::from("exec command rejected by user")).failed);
        assert!(!read(&Value::from("the word rejected stands in a log")).failed);
    }

    #[test]
    fn the_text_is_what_the_command_printed() {
        assert_eq!(read(&json!(r#"{"output":"done\n","metadata":{}}"#)).text, "done\n");
        assert_eq!(read(&json!({"type": "input_text", "text": "a"})).text, "a");
        assert!(read(&json!("aborted by user after 3 s")).interrupted);
        assert!(read(&json!("Wall time: 2 seconds\naborted by user")).interrupted);
        assert!(!read(&json!("Wall time: 2 seconds\nOutput:\naborted")).interrupted);
    }
}
