//! Rows of OpenCode 2.x (`session_message`): one row per message, its parts inside. They are turned into the records
//! of 1.x, so that one reader serves both.

use serde_json::{Map, Value, json};

use super::{Entry, entry, number_at, str_at};
use crate::session::{MessageKind, Part, PartBody, Place};

/// What a row is.
pub(in crate::source) enum V2 {
    /// A message.
    Message(Box<Entry>),
    /// Something that hangs on the message before it: a switch of model, a mark that the session is idle.
    Mark(Part),
}

/// Reads a row: its type, and its data with `id` and `sessionID` put in.
pub(in crate::source) fn row(kind: &str, mut data: Value, place: Place) -> V2 {
    let mut info = Map::new();
    for key in ["id", "sessionID", "time", "tokens", "error", "finish", "number", "agent"] {
        if let Some(value) = data.get(key).filter(|v| !v.is_null()) {
            info.insert(key.into(), value.clone());
        }
    }
    let mut shell = false;
    let (role, parts) = match kind {
        "user" => ("user", user_parts(&mut data)),
        "synthetic" | "skill" => ("user", vec![json!({"type": "text", "synthetic": true, "text": data["text"]})]),
        "system" => ("system", vec![json!({"type": "text", "text": data["text"]})]),
        "assistant" => {
            info.insert("modelID".into(), data["model"]["id"].take());
            ("assistant", assistant_parts(&mut data))
        }
        "compaction" => {
            info.insert("summary".into(), true.into());
            ("assistant", vec![json!({"type": "text", "text": data["summary"]})])
        }
        "shell" => {
            shell = true;
            ("assistant", vec![shell_part(&mut data)])
        }
        _ => {
            data["type"] = kind.into();
            return V2::Mark(Part { place, body: PartBody::Unknown { kind: kind.into(), raw: data } });
        }
    };
    info.insert("role".into(), role.into());
    let parts = parts.into_iter().map(|part| (part, place)).collect();
    let mut entry = entry(&Value::Object(info), parts, place);
    // The parts stand in the row: together they are one record.
    entry.records = vec![place.file];
    if shell {
        entry.message.kind = MessageKind::Command;
    }
    V2::Message(Box::new(entry))
}

fn list(data: &mut Value, key: &str) -> Vec<Value> {
    match data.get_mut(key).map(Value::take) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

fn user_parts(data: &mut Value) -> Vec<Value> {
    let mut parts = vec![json!({"type": "text", "text": data["text"].take()})];
    for mut file in list(data, "files") {
        let name = str_at(&file, "name").or_else(|| str_at(&file, "filename")).map(str::to_owned);
        let url = ["uri", "url", "data"].iter().find_map(|k| str_at(&file, k)).map(str::to_owned);
        parts.push(json!({"type": "file", "filename": name, "mime": file["mime"].take(), "url": url}));
    }
    for agent in list(data, "agents") {
        parts.push(json!({"type": "agent", "name": agent["name"]}));
    }
    parts
}

fn assistant_parts(data: &mut Value) -> Vec<Value> {
    let mut parts: Vec<Value> = list(data, "content").into_iter().map(content).collect();
    if let Some(retry) = data.get("retry").filter(|r| r.is_object()) {
        parts.push(json!({"type": "retry", "error": retry["error"]}));
    }
    parts
}

/// A piece of an answer; only tools differ from 1.x.
fn content(mut part: Value) -> Value {
    if part["type"] != "tool" {
        return part;
    }
    let mut state = part["state"].take();
    let metadata = ["metadata", "structured"].iter().find_map(|k| state.get(*k).filter(|v| v.is_object())).cloned();
    let text: Vec<&str> = state["content"].as_array().into_iter().flatten().filter_map(|c| str_at(c, "text")).collect();
    let text = text.join("\n");
    let error = state["error"].get("message").or_else(|| state.get("error")).cloned();
    let time = part.get("time").cloned().unwrap_or_default();
    let start = number_at(&time, "ran").or_else(|| number_at(&time, "created"));
    json!({
        "type": "tool",
        "callID": part["id"].take(),
        "tool": part["name"].take(),
        "state": {
            "status": state["status"].take(),
            "input": state["input"].take(),
            "output": text,
            "error": error,
            "metadata": metadata,
            "time": {"start": start, "end": number_at(&time, "completed")},
        },
    })
}

/// A command that the user ran.
fn shell_part(data: &mut Value) -> Value {
    let output = data["output"].as_str().or_else(|| str_at(&data["output"], "output")).unwrap_or_default().to_owned();
    let status = match str_at(data, "status") {
        Some("running") => "running",
        None if data["time"]["completed"].is_null() => "running",
        _ => "completed",
    };
    let call = ["shellID", "callID"].iter().find_map(|k| str_at(data, k)).unwrap_or_default().to_owned();
    json!({
        "type": "tool",
        "callID": call,
        "tool": "bash",
        "state": {
            "status": status,
            "input": {"command": data["command"].take()},
            "output": output,
            "metadata": {"exit": data["exit"].take()},
            "time": {"start": number_at(&data["time"], "created"), "end": number_at(&data["time"], "completed")},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{CallStatus, Message, Role};

    fn message(kind: &str, data: Value) -> Message {
        match row(kind, data, Place::default()) {
            V2::Message(entry) => entry.message,
            V2::Mark(part) => panic!("{part:?}"),
        }
    }

    #[test]
    fn an_answer_holds_its_calls() {
        let tool = json!({
            "type": "tool", "id": "call_1", "name": "bash", "time": {"created": 1, "ran": 5, "completed": 9},
            "state": {"status": "completed", "input": {"command": "false"}, "content": [{"type": "text", "text": "no"}], "metadata": {"exit": 1}},
        });
        let failed = json!({"type": "tool", "id": "call_2", "name": "read", "state": {"status": "error", "input": {}, "error": {"type": "x", "message": "gone"}}});
        let streaming =
            json!({"type": "tool", "id": "call_3", "name": "read", "state": {"status": "streaming", "input": ""}});
        let answer = message(
            "assistant",
            json!({
                "id": "msg_1", "model": {"id": "m", "providerID": "p"}, "tokens": {"input": 3, "output": 2},
                "content": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "so"}, tool, failed, streaming],
            }),
        );
        assert_eq!(
            (answer.kind, answer.text().as_str(), answer.model.as_deref()),
            (MessageKind::Reply, "so", Some("m"))
        );
        let calls: Vec<_> = answer.calls().map(|c| (c.id.as_str(), c.status(), c.exit_code(), c.duration_ms)).collect();
        assert_eq!(calls[0], ("call_1", CallStatus::Ok, Some(1), Some(4)));
        assert_eq!(calls[1], ("call_2", CallStatus::Error, None, None));
        assert_eq!(calls[2], ("call_3", CallStatus::Missing, None, None));
        assert_eq!(answer.calls().next().unwrap().result.as_ref().unwrap().text, "no");
        assert_eq!(answer.calls().nth(1).unwrap().result.as_ref().unwrap().text, "gone");
    }

    #[test]
    fn each_type_of_row_has_its_kind() {
        let kinds = [
            ("user", Role::User, MessageKind::Prompt),
            ("synthetic", Role::User, MessageKind::InjectedContext),
            ("skill", Role::User, MessageKind::InjectedContext),
            ("system", Role::System, MessageKind::InjectedContext),
            ("compaction", Role::Assistant, MessageKind::CompactionSummary),
            ("shell", Role::Assistant, MessageKind::Command),
        ];
        for (name, role, kind) in kinds {
            let data = json!({"text": "t", "summary": "t", "command": "ls", "output": "t", "time": {"created": 1, "completed": 2}});
            let message = message(name, data);
            assert_eq!((message.role, message.kind), (role, kind), "{name}");
        }
        assert!(matches!(row("idle", json!({"outcome": "succeeded"}), Place::default()), V2::Mark(_)));
    }
}
