//! One message of the OpenAI or Anthropic interface, and the results that later messages bring to its calls.

use std::collections::BTreeMap;

use serde_json::Value;

use super::bounded;
use super::time::{self, Time};
use crate::diag::Trouble;
use crate::session::{CallStatus, Message, MessageKind, Part, PartBody, Place, Role, ToolCall, ToolKind, ToolResult};

/// A conversation while it is read.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    messages: Vec<Message>,
    /// Open calls by id: message and part.
    calls: BTreeMap<String, (usize, usize)>,
    odd: Vec<Odd>,
}

/// Something that could not be read as it should be: kind of the warning, pointer in the record, what is said.
pub(super) type Odd = (Trouble, String, &'static str);

impl Conversation {
    /// The messages, in order.
    pub(super) fn finish(self) -> Vec<Message> {
        self.messages
    }

    /// Adds a record: a message, or the results of calls of an earlier one. Gives what is odd about it.
    pub(super) fn add(&mut self, value: &Value, place: Place) -> Vec<Odd> {
        self.record(value, place);
        std::mem::take(&mut self.odd)
    }

    fn record(&mut self, value: &Value, place: Place) {
        let role = text(value, "role").unwrap_or_default();
        if matches!(role, "tool" | "function") {
            let listed = || value.get("tool_call_ids")?.get(0)?.as_str();
            let id = text(value, "tool_call_id").or_else(listed).or_else(|| text(value, "name")).unwrap_or_default();
            let output = content_text(&value["content"]);
            let status = said_status(&output);
            return self.result(id, output, status, place, value, "");
        }
        // What a program shows the model of a run stands in the user's place in some transcripts.
        let acted = self.messages.iter().any(|m| m.kind == MessageKind::Reply);
        let marked = || text(value, "message_type") == Some("observation");
        let printed = || text(value, "content").is_some_and(|t| OUTPUTS.iter().any(|o| t.trim_start().starts_with(o)));
        let observed = role == "user" && acted && (marked() || printed());
        if observed && self.calls.len() == 1 && self.calls.values().all(|(m, _)| m + 1 == self.messages.len()) {
            let id = self.calls.keys().next().cloned().unwrap_or_default();
            let output = content_text(&value["content"]);
            let status = said_status(&output);
            return self.result(&id, output, status, place, value, "");
        }
        let shown = observed || value["is_demo"] == true;
        let (role, kind) = match role {
            "user" | "assistant" | "model" if shown => (Role::System, MessageKind::InjectedContext),
            "user" => (Role::User, MessageKind::Prompt),
            "assistant" | "model" => (Role::Assistant, MessageKind::Reply),
            "system" | "developer" => (Role::System, MessageKind::InjectedContext),
            _ => {
                self.odd.push((Trouble::Role, "/role".into(), "a role that is not known, read as the program's"));
                (Role::System, MessageKind::InjectedContext)
            }
        };
        let mut parts = Vec::new();
        for key in ["reasoning_content", "reasoning"] {
            parts.extend(text(value, key).filter(|t| !t.is_empty()).map(|t| PartBody::Reasoning(t.to_owned())));
        }
        let results = self.content(&value["content"], place, &mut parts);
        parts.extend(calls(value, &mut self.odd));
        if parts.is_empty() && results > 0 {
            // A message that only brings results hangs on the message with the calls.
            return;
        }
        let at = self.messages.len();
        for (i, body) in parts.iter().enumerate() {
            if let PartBody::Call(call) = body {
                self.calls.insert(call.id.clone(), (at, i));
            }
        }
        let time = self.time(value);
        let parts = parts.into_iter().map(|body| Part { place, body }).collect();
        let native_id = text(value, "id").map(Into::into);
        let model = text(value, "model").filter(|_| role == Role::Assistant).map(Into::into);
        self.messages.push(Message { role, kind, native_id, at: time, model, parts, place, ..Message::default() });
    }

    /// The time of a record, if it can be read.
    fn time(&mut self, value: &Value) -> Option<jiff::Timestamp> {
        let (key, read) =
            ["timestamp", "created_at", "time"].iter().find_map(|k| Some((*k, time::read(value.get(k)?)?)))?;
        let pointer = || format!("/{key}");
        match read {
            Time::At(_) => {}
            Time::NoZone(_) => self.odd.push((Trouble::TimeZone, pointer(), "a time without a zone, taken as UTC")),
            Time::Odd => self.odd.push((Trouble::Time, pointer(), "a time in no form that can be read, left unknown")),
        }
        read.known()
    }

    /// Reads content: a string or blocks. Gives the number of results that stood in it.
    fn content(&mut self, content: &Value, place: Place, parts: &mut Vec<PartBody>) -> usize {
        let blocks = match content {
            Value::String(text) if text.is_empty() => return 0,
            Value::String(text) => {
                parts.push(PartBody::Text(text.clone()));
                return 0;
            }
            Value::Array(blocks) => blocks,
            _ => return 0,
        };
        let mut results = 0;
        for (n, block) in blocks.iter().enumerate() {
            if block["type"] == "tool_result" {
                let id = text(block, "tool_use_id").unwrap_or_default().to_owned();
                // Here the interface has a mark for errors, and without it there was none.
                let status = if block["is_error"] == true { CallStatus::Error } else { CallStatus::Ok };
                self.result(&id, content_text(&block["content"]), status, place, block, &format!("/content/{n}"));
                results += 1;
            } else {
                parts.push(body(block));
                if let Some(PartBody::Unknown { .. }) = parts.last() {
                    self.odd.push((
                        Trouble::UnknownBlock,
                        format!("/content/{n}"),
                        "a block of an unknown type, kept as it is",
                    ));
                }
            }
        }
        results
    }

    fn result(&mut self, id: &str, output: String, status: CallStatus, place: Place, raw: &Value, at: &str) {
        let result = ToolResult { status, text: output, place, ..ToolResult::default() };
        let found = self.calls.remove(id);
        let part = found.and_then(|(m, p)| self.messages.get_mut(m)?.parts.get_mut(p));
        match part.map(|p| &mut p.body) {
            Some(PartBody::Call(call)) => call.result = Some(result),
            _ => {
                self.odd.push((Trouble::OrphanResult, at.into(), "a result whose call stands nowhere, kept as it is"));
                let body = PartBody::Unknown { kind: "result-without-call".into(), raw: raw.clone() };
                match self.messages.last_mut() {
                    Some(last) => last.parts.push(Part { place, body }),
                    None => self.messages.push(Message {
                        role: Role::System,
                        kind: MessageKind::InjectedContext,
                        parts: vec![Part { place, body }],
                        place,
                        ..Message::default()
                    }),
                }
            }
        }
    }
}

/// How texts in the user's place begin that a program made of what a command printed.
const OUTPUTS: [&str; 4] = ["<returncode>", "<output>", "<observation>", "Observation:"];

/// How a call ended whose result has no status: not known, unless the text is an error.
fn said_status(output: &str) -> CallStatus {
    const ERRORS: [&str; 5] = ["Error:", "ERROR:", "Error executing", "Traceback (most recent call last)", "fatal:"];
    let start = output.trim_start();
    if ERRORS.iter().any(|e| start.starts_with(e)) { CallStatus::Error } else { CallStatus::Unknown }
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// A block of content.
fn body(block: &Value) -> PartBody {
    let said = || text(block, "text").map(str::to_owned);
    match text(block, "type") {
        Some("text" | "input_text" | "output_text") | None if said().is_some() => {
            PartBody::Text(said().unwrap_or_default())
        }
        Some("thinking" | "reasoning") => {
            PartBody::Reasoning(text(block, "thinking").map(str::to_owned).or_else(said).unwrap_or_default())
        }
        Some("tool_use") => call(text(block, "id"), text(block, "name").unwrap_or_default(), block["input"].clone()),
        Some(kind @ ("image" | "image_url" | "input_image" | "document" | "file" | "input_file" | "audio")) => {
            PartBody::Attachment { name: kind.into(), bytes: block.to_string().len() as u64 }
        }
        kind => PartBody::Unknown { kind: kind.unwrap_or("untyped").into(), raw: block.clone() },
    }
}

/// Calls beside the content. Arguments are a string that holds JSON; one that does not is kept as it stands.
fn calls(value: &Value, odd: &mut Vec<Odd>) -> Vec<PartBody> {
    let mut arguments = |f: &Value, at: String| match &f["arguments"] {
        Value::String(raw) => bounded::value(raw).unwrap_or_else(|_| {
            odd.push((Trouble::Arguments, at + "/arguments", "the arguments of a call are no JSON, kept as text"));
            raw.as_str().into()
        }),
        other => other.clone(),
    };
    let mut out: Vec<PartBody> = Vec::new();
    for (n, one) in value["tool_calls"].as_array().into_iter().flatten().enumerate() {
        let nested = one["function"].is_object();
        let (function, at) = if nested { (&one["function"], "/function") } else { (one, "") };
        let input = arguments(function, format!("/tool_calls/{n}{at}"));
        out.push(call(text(one, "id"), text(function, "name").unwrap_or_default(), input));
    }
    if value["function_call"].is_object() {
        let function = &value["function_call"];
        let name = text(function, "name").unwrap_or_default();
        // The old interface has no call ids: its results name the function.
        out.push(call(Some(name), name, arguments(function, "/function_call".into())));
    }
    out
}

fn call(id: Option<&str>, tool: &str, input: Value) -> PartBody {
    let id = id.unwrap_or_default().to_owned();
    PartBody::Call(Box::new(ToolCall { id, tool: tool.into(), kind: ToolKind::of(tool), input, ..ToolCall::default() }))
}

/// The text of content, for results.
fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|b| text(b, "text")).collect();
            texts.join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(records: &[Value]) -> Vec<Message> {
        let mut conversation = Conversation::default();
        records.iter().for_each(|r| drop(conversation.add(r, Place::default())));
        conversation.finish()
    }

    #[test]
    fn results_are_folded_into_their_calls() {
        let function = json!({"name": "bash", "arguments": "{\"command\":\"ls\"}"});
        let openai = read(&[
            json!({"role": "system", "content": "be kind"}),
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": "a", "function": function}]}),
            json!({"role": "tool", "tool_call_id": "a", "content": "x"}),
        ]);
        let anthropic = read(&[
            json!({"role": "system", "content": "be kind"}),
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls"}}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "x"}]}]}),
        ]);
        let unknown = openai[1].calls().next().unwrap().status();
        assert_eq!((unknown, anthropic[1].calls().next().unwrap().status()), (CallStatus::Unknown, CallStatus::Ok));
        assert_eq!((openai.len(), openai[0].kind), (2, MessageKind::InjectedContext));
        let call = openai[1].calls().next().unwrap();
        assert_eq!((call.command(), call.result.as_ref().unwrap().text.as_str()), (Some("ls"), "x"));
    }

    #[test]
    fn a_result_without_a_status_has_none_unless_it_is_an_error() {
        for (text, want) in [
            ("Error: no such user", CallStatus::Error),
            ("Traceback (most recent call last):\n  File", CallStatus::Error),
            ("Errors are listed below", CallStatus::Unknown),
            ("done", CallStatus::Unknown),
        ] {
            assert_eq!(said_status(text), want, "{text}");
        }
    }

    #[test]
    fn what_a_program_shows_the_model_is_no_prompt() {
        let call = json!([{"id": "a", "function": {"name": "bash", "arguments": "{}"}}]);
        let messages = read(&[
            json!({"role": "user", "content": "an example", "is_demo": true}),
            json!({"role": "user", "content": "fix it", "message_type": "observation"}),
            json!({"role": "assistant", "content": "```bash\nls\n```"}),
            json!({"role": "user", "content": "<returncode>0</returncode>\n<output>\na\n</output>"}),
            json!({"role": "assistant", "content": "I look.", "tool_calls": call}),
            json!({"role": "user", "content": "a file", "message_type": "observation"}),
            json!({"role": "user", "content": "another file", "message_type": "observation"}),
            json!({"role": "assistant", "content": "", "tool_calls": call}),
            json!({"role": "tool", "content": "ran", "tool_call_ids": ["a"]}),
        ]);
        let prompts: Vec<String> =
            messages.iter().filter(|m| m.kind == MessageKind::Prompt).map(Message::text).collect();
        assert_eq!(prompts, ["fix it"]);
        let results = messages.iter().flat_map(Message::calls).map(|c| c.result.as_ref().map(|r| r.text.as_str()));
        assert_eq!(results.collect::<Vec<_>>(), [Some("a file"), Some("ran")]);
    }

    #[test]
    fn odd_records_are_kept() {
        let kinds = |record: Value| -> Vec<_> {
            let odd = Conversation::default().add(&record, Place::default());
            odd.into_iter().map(|(kind, pointer, _)| (kind.word(), pointer)).collect()
        };
        let call = json!({"function": {"name": "f", "arguments": "{"}});
        let odd = json!({"role": "robot", "content": [{"type": "x"}], "tool_calls": [call], "time": "soon"});
        let want = [
            ("role", "/role"),
            ("unknown-block", "/content/0"),
            ("arguments", "/tool_calls/0/function/arguments"),
            ("time", "/time"),
        ];
        assert_eq!(kinds(odd), want.map(|(kind, at)| (kind, at.to_owned())));
        let messages = read(&[
            json!({"role": "assistant", "content": "a", "function_call": {"name": "f", "arguments": "{no json"}}),
            json!({"role": "function", "name": "f", "content": "r"}),
            json!({"role": "tool", "tool_call_id": "gone", "content": "lost"}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "gone", "is_error": true}, {"type": "text", "text": "go"}, {"type": "hologram"}]}),
        ]);
        let call = messages[0].calls().next().unwrap();
        assert_eq!((&call.input, call.status()), (&json!("{no json"), CallStatus::Unknown));
        let unknown = |m: &Message| m.parts.iter().filter(|p| matches!(p.body, PartBody::Unknown { .. })).count();
        assert_eq!((messages.len(), unknown(&messages[0]), unknown(&messages[1])), (2, 2, 1));
        assert_eq!(messages[1].text(), "go");
    }
}
