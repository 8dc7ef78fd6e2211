//! Events of OpenCode 2.x (`session.next.*`). They tell how the rows of `session_message` come about; here they are put
//! together into such rows, so that one reader serves both.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::v2::{V2, row};
use super::{Entry, str_at};
use crate::session::Place;

/// What the events of one session amount to.
#[derive(Debug, Default)]
pub(in crate::source) struct Next {
    rows: Vec<Row>,
    /// Answers by their message id, and the last one.
    answers: HashMap<String, usize>,
    last: Option<usize>,
    /// Pieces of answers by row, kind and id.
    pieces: HashMap<(usize, &'static str, String), usize>,
    /// Events read.
    pub(in crate::source) events: u64,
}

#[derive(Debug)]
struct Row {
    kind: String,
    data: Value,
    place: Place,
}

impl Next {
    /// Takes an event; `what` is its type without `session.next.`.
    pub(in crate::source) fn event(&mut self, what: &str, mut fields: Value, place: Place) {
        self.events += 1;
        let at = time(&fields);
        match what {
            "prompted" => {
                let text = fields["prompt"]["text"].take();
                let files = fields["prompt"]["files"].take();
                let id = fields["messageID"].take();
                self.add("user", json!({"id": id, "text": text, "files": files, "time": {"created": at}}), place);
            }
            "synthetic" => {
                let (id, text) = (fields["messageID"].take(), fields["text"].take());
                self.add("synthetic", json!({"id": id, "text": text, "time": {"created": at}}), place);
            }
            "compaction.ended" => {
                let (id, text) = (fields["messageID"].take(), fields["text"].take());
                self.add("compaction", json!({"id": id, "summary": text, "time": {"created": at}}), place);
            }
            "shell.started" => {
                let (id, command) = (fields["callID"].take(), fields["command"].take());
                self.add("shell", json!({"shellID": id, "command": command, "time": {"created": at}}), place);
            }
            "shell.ended" => {
                let shell = |r: &&mut Row| r.kind == "shell" && r.data["shellID"] == fields["callID"];
                if let Some(row) = self.rows.iter_mut().rev().find(shell) {
                    row.data["output"] = fields["output"].take();
                    row.data["time"]["completed"] = at;
                }
            }
            "step.started" => self.answer(&mut fields, at, place),
            "step.ended" | "step.failed" => {
                let row = self.row(&fields, place);
                let data = &mut self.rows[row].data;
                data["time"]["completed"] = at;
                for key in ["tokens", "error", "finish"] {
                    if !fields[key].is_null() {
                        data[key] = fields[key].take();
                    }
                }
            }
            "prompt.admitted" | "compaction.started" | "compaction.delta" | "retried" => {}
            _ => self.inner(what, fields, at, place),
        }
    }

    /// An event inside an answer.
    fn inner(&mut self, what: &str, mut fields: Value, at: Value, place: Place) {
        match what.split_once('.') {
            Some(("text", state)) => self.text("text", "textID", state, &mut fields, place),
            Some(("reasoning", state)) => self.text("reasoning", "reasoningID", state, &mut fields, place),
            Some(("tool", state)) => self.tool(state, &mut fields, at, place),
            _ => self.add(what, fields, place),
        }
    }

    fn add(&mut self, kind: &str, data: Value, place: Place) {
        self.rows.push(Row { kind: kind.to_owned(), data, place });
    }

    /// A new answer, or the further step of one.
    fn answer(&mut self, fields: &mut Value, at: Value, place: Place) {
        let id = str_at(fields, "assistantMessageID").map(str::to_owned);
        let known = id.as_ref().and_then(|id| self.answers.get(id)).copied();
        self.last = Some(known.unwrap_or(self.rows.len()));
        if known.is_none() {
            let model = fields["model"].take();
            if let Some(id) = &id {
                self.answers.insert(id.clone(), self.rows.len());
            }
            self.add("assistant", json!({"id": id, "model": model, "content": [], "time": {"created": at}}), place);
        }
    }

    /// The answer that an event belongs to; one whose start was not recorded is begun.
    fn row(&mut self, fields: &Value, place: Place) -> usize {
        let named = str_at(fields, "assistantMessageID");
        let known = match named {
            Some(id) => self.answers.get(id).copied(),
            None => self.last,
        };
        known.unwrap_or_else(|| {
            self.answer(&mut json!({"assistantMessageID": named}), time(fields), place);
            self.rows.len() - 1
        })
    }

    /// The piece of an answer with this id; a new one is added.
    fn piece(&mut self, row: usize, kind: &'static str, id: Option<&str>) -> Option<&mut Value> {
        let content = self.rows.get_mut(row)?.data["content"].as_array_mut()?;
        let key = (row, kind, id.unwrap_or_default().to_owned());
        let at = *self.pieces.entry(key).or_insert_with(|| {
            content.push(json!({"type": kind}));
            content.len() - 1
        });
        content.get_mut(at)
    }

    fn text(&mut self, kind: &'static str, key: &str, state: &str, fields: &mut Value, place: Place) {
        let row = self.row(fields, place);
        let id = str_at(fields, key).map(str::to_owned);
        let Some(piece) = self.piece(row, kind, id.as_deref()) else { return };
        match (state, &mut piece["text"]) {
            ("delta", Value::String(text)) => text.push_str(str_at(fields, "delta").unwrap_or_default()),
            ("delta", text) => *text = fields["delta"].take(),
            ("ended", text) => *text = fields["text"].take(),
            _ => {}
        }
        // Without ids, the next text is another one.
        if state == "ended" && id.is_none() {
            self.pieces.remove(&(row, kind, String::new()));
        }
    }

    fn tool(&mut self, state: &str, fields: &mut Value, at: Value, place: Place) {
        let row = self.row(fields, place);
        let id = str_at(fields, "callID").map(str::to_owned);
        let Some(piece) = self.piece(row, "tool", id.as_deref()) else { return };
        piece["id"] = id.into();
        match state {
            "input.started" => {
                piece["name"] = fields["name"].take();
                piece["time"]["created"] = at;
            }
            "called" => {
                piece["name"] = fields["tool"].take();
                piece["state"] = json!({"status": "running", "input": fields["input"].take()});
                piece["time"]["ran"] = at;
            }
            "progress" | "success" => {
                for key in ["structured", "content"] {
                    piece["state"][key] = fields[key].take();
                }
                if state == "success" {
                    piece["state"]["status"] = "completed".into();
                    piece["time"]["completed"] = at;
                }
            }
            "failed" => {
                piece["state"]["status"] = "error".into();
                piece["state"]["error"] = fields["error"].take();
                piece["time"]["completed"] = at;
            }
            _ => {}
        }
    }

    /// The messages.
    pub(in crate::source) fn entries(self) -> Vec<Entry> {
        let mut out: Vec<Entry> = Vec::new();
        for Row { kind, data, place } in self.rows {
            match row(&kind, data, place) {
                V2::Message(entry) => out.push(*entry),
                V2::Mark(part) => {
                    if let Some(last) = out.last_mut() {
                        last.message.parts.push(part);
                    }
                }
            }
        }
        out
    }
}

/// The time of an event, in milliseconds; newer servers write it as text.
fn time(fields: &Value) -> Value {
    let text = || str_at(fields, "timestamp")?.parse::<jiff::Timestamp>().ok();
    match &fields["timestamp"] {
        Value::Number(n) => Value::Number(n.clone()),
        _ => text().map_or(Value::Null, |t| t.as_millisecond().into()),
    }
}
