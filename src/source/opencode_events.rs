//! OpenCode's events as JSON lines: what its server sends (`message.part.updated`, …, bare or wrapped in `event` or
//! `payload`, as JSON lines or as the server-sent events of `/event`), and what `opencode run --format json` prints
//! (`step_start`, `tool_use`, `text`, …).
//!
//! The server sends a part again with each change: the last state of a part counts, in the place of the first.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::line::first_data;
use super::lines::{self, Record};
use super::opencode::{Loaded, Next, drafts, entry, members, str_at};
use super::{Format, Head, Input};
use crate::error::Error;
use crate::session::{Draft, Place};

/// The format.
pub(super) const FORMAT: Format = Format {
    id: "opencode-events",
    agent: "opencode",
    about: "OpenCode event lines: `opencode run --format json`, or the server's events as they were recorded",
    lines: true,
    sniff,
    keys,
    companions: |_: &Path| Vec::<PathBuf>::new(),
    load,
};

/// Types of the lines that `opencode run` prints.
const RUN: [&str; 6] = ["step_start", "tool_use", "text", "reasoning", "step_finish", "error"];

static EVENT: LazyLock<Regex> = LazyLock::new(|| {
    let types = r"message\.updated|message\.removed|message\.part\.\w+|session\.\w+|server\.connected";
    let next = r"session\.next\.[a-z.]+";
    Regex::new(&format!(r#""type"\s*:\s*"(?:(?:{types})"\s*,\s*"properties"\s*:|{next}")"#)).expect("static")
});
static SESSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#""sessionID"\s*:\s*"(ses_[0-9A-Za-z_]+)""#).expect("static"));

fn sniff(head: &Head<'_>) -> u8 {
    let text = String::from_utf8_lossy(head.bytes);
    let text = first_data(&text);
    let members = members(text);
    let run = members.get("type").is_some_and(|t| RUN.contains(&t.as_str()));
    if run && members.contains_key("sessionID") && (members.contains_key("part") || members.contains_key("error")) {
        return 90;
    }
    let wrapped = ["properties", "data", "event", "payload"].iter().any(|key| members.contains_key(*key));
    if wrapped && EVENT.is_match(text) { 90 } else { 0 }
}

fn keys(head: &Head<'_>) -> Vec<String> {
    let text = String::from_utf8_lossy(head.bytes);
    SESSION.captures(&text).map(|c| format!("opencode-events:{}", &c[1])).into_iter().collect()
}

fn load(inputs: &[Input]) -> Result<Vec<Draft>, Error> {
    let mut loaded = Vec::new();
    for input in inputs {
        let read = lines::read_events(input, FORMAT.id, |text| serde_json::from_str::<Value>(text))?;
        let mut stream = Stream::default();
        read.records.into_iter().for_each(|record| stream.line(record));
        let (file, mut source) = (read.source.file.clone(), read.source);
        source.count_copies(stream.replaced);
        let (mut sessions, repeated) = stream.sessions();
        source.count_copies(repeated);
        // The account of the stream stands with its first session; the others only name the file.
        for session in sessions.iter_mut().skip(1) {
            let (format, digest) = (source.format, source.digest.clone());
            session.sources =
                vec![crate::session::SourceFile { file: file.clone(), format, digest, ..Default::default() }];
        }
        if let Some(first) = sessions.first_mut() {
            first.sources = vec![source];
            first.warnings = read.warnings;
        }
        loaded.extend(sessions);
    }
    Ok(drafts(loaded, FORMAT.id))
}

/// What the events read so far amount to.
#[derive(Debug, Default)]
struct Stream {
    order: Vec<String>,
    sessions: BTreeMap<String, Session>,
    /// Events that a later one replaced.
    replaced: u64,
}

#[derive(Debug, Default)]
struct Session {
    info: Value,
    messages: Vec<Message>,
    index: BTreeMap<String, usize>,
    next: Next,
}

#[derive(Debug, Default)]
struct Message {
    info: Value,
    place: Place,
    parts: Parts,
    removed: bool,
}

/// Parts in the order in which they were first told, found by their ids.
#[derive(Debug, Default)]
struct Parts {
    list: Vec<Option<(Value, Place)>>,
    index: HashMap<String, usize>,
}

impl Parts {
    /// The place of a part, and whether it is new.
    fn slot(&mut self, id: &str, place: Place) -> (&mut Value, bool) {
        let known = self.index.get(id).copied().filter(|at| self.list[*at].is_some());
        let at = known.unwrap_or(self.list.len());
        if known.is_none() {
            self.index.insert(id.to_owned(), at);
            self.list.push(None);
        }
        (&mut self.list[at].get_or_insert((Value::Null, place)).0, known.is_none())
    }

    fn remove(&mut self, id: &str) {
        if let Some(at) = self.index.remove(id) {
            self.list[at] = None;
        }
    }
}

impl Stream {
    fn line(&mut self, mut record: Record<Value>) {
        let place = Place { file: 0, line: record.line, byte: record.byte };
        let wrapper = ["event", "payload"].iter().find(|k| record.value[**k].is_object());
        let mut event = wrapper.map(|k| record.value[*k].take()).unwrap_or(record.value);
        let kind = str_at(&event, "type").unwrap_or_default().to_owned();
        if let Some(what) = kind.strip_prefix("session.next.") {
            let fields = ["properties", "data"].iter().find(|k| event[**k].is_object());
            let fields = fields.map(|k| event[*k].take()).unwrap_or_default();
            if let Some(session) = str_at(&fields, "sessionID").map(str::to_owned) {
                self.session(&session).next.event(what, fields, place);
            }
        } else if event["properties"].is_object() {
            let properties = event["properties"].take();
            self.event(&kind, properties, place);
        } else if RUN.contains(&kind.as_str()) {
            self.printed(&kind, event, place);
        }
    }

    /// An event of the server.
    fn event(&mut self, kind: &str, mut properties: Value, place: Place) {
        let info = properties["info"].take();
        let part = properties["part"].take();
        let owner = |v: &Value| str_at(v, "sessionID").map(str::to_owned);
        match kind {
            "session.created" | "session.updated" => {
                let Some(id) = str_at(&info, "id").map(str::to_owned) else { return };
                let session = self.session(&id);
                let old = std::mem::replace(&mut session.info, info);
                self.replaced += u64::from(!old.is_null());
            }
            "message.updated" => {
                let (Some(session), Some(id)) = (owner(&info), str_at(&info, "id").map(str::to_owned)) else { return };
                let message = self.session(&session).message(&id, place);
                let old = std::mem::replace(&mut message.info, info);
                self.replaced += u64::from(!old.is_null());
            }
            "message.part.updated" => self.part(part, place, None),
            "message.part.delta" => self.delta(&properties, place),
            "message.removed" => {
                if let (Some(session), Some(id)) = (owner(&properties), str_at(&properties, "messageID")) {
                    self.session(&session).message(id, place).removed = true;
                }
            }
            "message.part.removed" => {
                if let (Some(session), Some(id)) = (owner(&properties), str_at(&properties, "messageID")) {
                    let part = str_at(&properties, "partID").unwrap_or_default();
                    self.session(&session).message(id, place).parts.remove(part);
                }
            }
            "session.error" => {
                let Some(session) = owner(&properties) else { return };
                let error = properties["error"].take();
                self.session(&session).notice(error, None, place);
            }
            _ => {}
        }
    }

    /// A line of `opencode run`: parts without the records of their messages.
    fn printed(&mut self, kind: &str, mut line: Value, place: Place) {
        let at = line.get("timestamp").cloned();
        if kind != "error" {
            return self.part(line["part"].take(), place, at);
        }
        if let Some(session) = str_at(&line, "sessionID").map(str::to_owned) {
            let error = line["error"].take();
            self.session(&session).notice(error, at, place);
        }
    }

    fn part(&mut self, part: Value, place: Place, at: Option<Value>) {
        let text = |key| str_at(&part, key).map(str::to_owned);
        let (Some(session), Some(id), Some(message)) = (text("sessionID"), text("id"), text("messageID")) else {
            return;
        };
        let message_id = message;
        let message = self.session(&session).message(&message_id, place);
        if message.info.is_null() && at.is_some() {
            message.info =
                json!({"id": message_id, "sessionID": session, "role": "assistant", "time": {"created": at}});
        }
        if part["type"] == "step-finish" && message.info["tokens"].is_null() && message.info.is_object() {
            message.info["tokens"] = part["tokens"].clone();
        }
        let (known, new) = message.parts.slot(&id, place);
        *known = part;
        self.replaced += u64::from(!new);
    }

    /// Text that was added to a part; a later state of the part holds it too.
    fn delta(&mut self, properties: &Value, place: Place) {
        let text = |key| str_at(properties, key);
        let (Some(session), Some(message), Some(id)) = (text("sessionID"), text("messageID"), text("partID")) else {
            return;
        };
        let (field, delta) = (text("field").unwrap_or("text"), text("delta").unwrap_or_default());
        let message = self.session(session).message(message, place);
        let (part, new) = message.parts.slot(id, place);
        if new {
            *part = json!({"id": id, "type": "text"});
        }
        match &mut part[field] {
            Value::String(text) => text.push_str(delta),
            other => *other = delta.into(),
        }
    }

    fn session(&mut self, id: &str) -> &mut Session {
        if !self.sessions.contains_key(id) {
            self.order.push(id.to_owned());
        }
        self.sessions.entry(id.to_owned()).or_default()
    }

    /// The sessions, and how many events repeated what others say.
    fn sessions(mut self) -> (Vec<Loaded>, u64) {
        let order = std::mem::take(&mut self.order);
        let mut repeated = 0;
        let mut out: Vec<Loaded> =
            order.into_iter().filter_map(|id| Some(self.sessions.remove(&id)?.loaded(id, &mut repeated))).collect();
        if out.is_empty() {
            out.push(Loaded { id: "unknown".into(), ..Loaded::default() });
        }
        (out, repeated)
    }
}

impl Session {
    fn message(&mut self, id: &str, place: Place) -> &mut Message {
        let next = self.messages.len();
        let at = *self.index.entry(id.to_owned()).or_insert(next);
        if at == next {
            self.messages.push(Message { place, ..Message::default() });
        }
        &mut self.messages[at]
    }

    fn notice(&mut self, error: Value, at: Option<Value>, place: Place) {
        let info = json!({"role": "assistant", "error": error, "time": {"created": at}});
        self.messages.push(Message { info, place, ..Message::default() });
    }

    fn loaded(self, id: String, repeated: &mut u64) -> Loaded {
        let mut loaded = Loaded { id, info: self.info, ..Loaded::default() };
        // A server between 1.x and 2.x sends both kinds of event; the older ones are complete.
        if self.messages.is_empty() {
            loaded.entries = self.next.entries();
        } else {
            *repeated += self.next.events;
        }
        for message in self.messages {
            let parts = message.parts.list.into_iter().flatten().collect();
            let mut entry = entry(&message.info, parts, message.place);
            entry.message.abandoned = message.removed;
            loaded.push(entry, "");
        }
        loaded
    }
}

#[cfg(test)]
mod tests;
