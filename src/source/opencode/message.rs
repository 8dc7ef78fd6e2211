//! A message record and its parts.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::call::call;
use super::kind::{Marks, kind};
use super::{Entry, number_at, odd, str_at, take_str};
use crate::session::{Message, MessageKind, Part, PartBody, Place, Role, Usage};

/// Builds a message from its record (`info`) and its parts, each with its place.
pub(in crate::source) fn entry(info: &Value, parts: Vec<(Value, Place)>, place: Place) -> Entry {
    let role = match str_at(info, "role") {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        _ => Role::System,
    };
    let mut odd = Vec::new();
    odd::of_info(info, place, &mut odd);
    parts.iter().for_each(|(part, place)| odd::of_part(part, *place, &mut odd));
    let records = std::iter::once(place.file).chain(parts.iter().map(|(_, p)| p.file)).collect();
    let error = info.get("error").and_then(error_text);
    let aborted = info.pointer("/error/name").is_some_and(|n| n == "MessageAbortedError");
    let marks = Marks::of(&parts);
    let mut parts = parts_of(parts, aborted);
    let mut kind = kind(role, info, marks, &mut parts);
    if let Some(error) = error {
        let alone = parts.iter().all(|p| matches!(p.body, PartBody::Unknown { .. }));
        if alone && kind == MessageKind::Reply {
            kind = MessageKind::Notice;
        }
        let body = if alone { PartBody::Text(error) } else { PartBody::Injected(error) };
        parts.push(Part { place, body });
    }
    let message = Message {
        own_number: info.get("number").and_then(Value::as_u64),
        native_id: str_at(info, "id").map(Into::into),
        role,
        kind,
        at: time(info, "created"),
        model: str_at(info, "modelID").filter(|_| role == Role::Assistant).map(Into::into),
        mode: str_at(info, "agent").or_else(|| str_at(info, "mode")).map(str::to_lowercase),
        usage: usage(info),
        parts,
        place,
        ..Message::default()
    };
    let text = |key| str_at(info, key).map(Into::into);
    Entry { message, parent: text("parentID"), session: text("sessionID"), records, odd, order: None }
}

/// Parts whose message is gone: who spoke is not known.
pub(in crate::source) fn orphan(message: &str, session: &str, parts: Vec<(Value, Place)>, place: Place) -> Entry {
    let records = parts.iter().map(|(_, p)| p.file).collect();
    let mut entry = entry(&json!({"id": message, "sessionID": session}), parts, place);
    // That there is no record is told by who called.
    entry.odd.retain(|o| o.2 != "/role");
    Entry { records, ..entry }
}

/// A time of a record, in milliseconds there.
pub(super) fn time(info: &Value, which: &str) -> Option<Timestamp> {
    Timestamp::from_millisecond(number_at(info.get("time")?, which)?).ok()
}

fn usage(info: &Value) -> Usage {
    let Some(tokens) = info.get("tokens") else { return Usage::default() };
    let count = |v: &Value, key: &str| number_at(v, key).and_then(|n| u64::try_from(n).ok());
    let cache = tokens.get("cache").unwrap_or(&Value::Null);
    let usage = Usage {
        input: count(tokens, "input"),
        output: count(tokens, "output"),
        cache_read: count(cache, "read"),
        cache_write: count(cache, "write"),
    };
    // A message begins with zeros, which stay where no response came: no response has none.
    let some =
        [usage.input, usage.output, usage.cache_read, usage.cache_write].iter().any(|n| n.is_some_and(|n| n > 0));
    if some { usage } else { Usage::default() }
}

/// Name and text of an error record.
fn error_text(error: &Value) -> Option<String> {
    let name = str_at(error, "name");
    let text = error.pointer("/data/message").and_then(Value::as_str).or_else(|| str_at(error, "message"));
    match (name, text) {
        (Some(name), Some(text)) => Some(format!("{name}: {text}")),
        (Some(one), None) | (None, Some(one)) => Some(one.into()),
        (None, None) if error.is_null() => None,
        (None, None) => Some(error.to_string()),
    }
}

fn parts_of(parts: Vec<(Value, Place)>, aborted: bool) -> Vec<Part> {
    let mut out = Vec::with_capacity(parts.len());
    for (value, place) in parts {
        out.extend(bodies(value, place, aborted).into_iter().map(|body| Part { place, body }));
    }
    out
}

/// What a part record says. Bookkeeping of steps and snapshots says nothing that the message does not say.
fn bodies(mut value: Value, place: Place, aborted: bool) -> Vec<PartBody> {
    let body = match str_at(&value, "type").unwrap_or_default() {
        "text" => {
            let synthetic = value["synthetic"] == true || value["ignored"] == true;
            match take_str(&mut value, "text") {
                Some(text) if text.is_empty() => return Vec::new(),
                Some(text) if synthetic => PartBody::Injected(text),
                Some(text) => PartBody::Text(text),
                None => unknown(value),
            }
        }
        "reasoning" => PartBody::Reasoning(take_str(&mut value, "text").unwrap_or_default()),
        "tool" => {
            let (body, files) = call(value, place, aborted);
            return std::iter::once(body).chain(files).collect();
        }
        "file" => file(&value),
        "agent" => PartBody::Attachment { name: format!("@{}", str_at(&value, "name").unwrap_or_default()), bytes: 0 },
        "subtask" => match take_str(&mut value, "prompt") {
            Some(prompt) => PartBody::Injected(prompt),
            None => unknown(value),
        },
        "retry" => match value.get("error").and_then(error_text) {
            Some(text) => PartBody::Injected(text),
            None => unknown(value),
        },
        "patch" => {
            let files = value.get("files").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            PartBody::Patch { files: files.iter().filter_map(Value::as_str).map(Into::into).collect() }
        }
        "step-start" | "step-finish" | "snapshot" | "compaction" => return Vec::new(),
        _ => unknown(value),
    };
    vec![body]
}

fn unknown(raw: Value) -> PartBody {
    PartBody::Unknown { kind: str_at(&raw, "type").unwrap_or("untyped").into(), raw }
}

/// A file that was attached, by the user or by a tool.
pub(super) fn file(value: &Value) -> PartBody {
    let source = value.pointer("/source/path").and_then(Value::as_str);
    let name = str_at(value, "filename").or(source).or_else(|| str_at(value, "mime")).unwrap_or("file");
    let url = str_at(value, "url").unwrap_or_default();
    let bytes = if url.starts_with("data:") { url.len() as u64 } else { 0 };
    PartBody::Attachment { name: name.into(), bytes }
}
