//! Messages as the OpenAI and Anthropic interfaces exchange them: an array of `{role, content}`, an object that holds one
//! (`messages`, `traj`, …), an array of such objects, or JSON lines of either.
//!
//! Nothing but roles and calls is known here, so each conversation is a session, numbered from 1.

mod damage;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::json_text::mend_words;
use super::message_parts::Conversation;
use super::opencode::{Cursor, Mended, members};
use super::text::{Lines, Text};
use super::{Format, Head, Input};
use crate::diag::Diag;
use crate::error::Error;
use crate::session::{Draft, DraftThread, Place, Session, SourceFile};

/// The format.
pub(super) const FORMAT: Format = Format {
    id: "messages",
    agent: "messages",
    about: "Messages of the OpenAI or Anthropic interface: JSON or JSON lines of `{role, content}`, from any program",
    lines: false,
    sniff,
    keys: |_| Vec::new(),
    companions: |_: &Path| Vec::<PathBuf>::new(),
    load,
};

/// Members that hold the list of messages.
const LISTS: [&str; 6] = ["messages", "traj", "trajectory", "conversation", "history", "input"];

/// Deepest level at which lists are looked for.
const LEVELS: usize = 4;

static NESTED: LazyLock<Regex> = LazyLock::new(|| {
    let role = r#""role"\s*:\s*"(?:system|developer|user|assistant)""#;
    Regex::new(&format!(r#""(?:{})"\s*:\s*\[\s*\{{[^{{}}\[\]]{{0,400}}?{role}"#, LISTS.join("|"))).expect("static")
});

fn sniff(head: &Head<'_>) -> u8 {
    let text = String::from_utf8_lossy(head.bytes);
    let start = text.trim_start_matches('\u{FEFF}').trim_start();
    let first = members(start.strip_prefix('[').unwrap_or(start).trim_start());
    let said = ["content", "tool_calls", "tool_call_id", "function_call"].iter().any(|k| first.contains_key(*k));
    match first.get("role").map(String::as_str) {
        Some("system" | "developer" | "user" | "assistant" | "tool") if said => 55,
        _ if super::seen::is_step_log(start) => 0,
        _ if start.starts_with(['{', '[']) && NESTED.is_match(start) => 52,
        _ => 0,
    }
}

fn load(inputs: &[Input]) -> Result<Vec<Draft>, Error> {
    let mut out = Vec::new();
    for input in inputs {
        let bytes = input.read()?;
        let digest: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        let mut text = Text::decode(bytes);
        let odd = mend_words(&mut text.text);
        let mut reader = Reader::new(&input.name, &text);
        reader.file();
        reader.tell(odd);
        if reader.found.is_empty() && reader.lost == 0 && NESTED.is_match(&text.text) {
            let seen = "JSON that holds messages deeper than they are looked for; no format that is read".to_owned();
            return Err(Error::Unrecognised { path: input.name.clone(), seen });
        }
        out.extend(reader.drafts(&digest));
    }
    Ok(out)
}

/// A conversation with the bytes it stands in.
struct Found {
    id: Option<String>,
    conversation: Conversation,
    records: u64,
    /// Which outermost value it stands in.
    value: usize,
    /// Hash of the messages up to each.
    starts: Vec<u64>,
}

struct Reader<'a> {
    name: &'a str,
    text: &'a Text,
    json: Cursor<'a>,
    places: Lines,
    found: Vec<Found>,
    warnings: Vec<Diag>,
    skipped: u64,
    lost: u64,
    /// Outermost values read so far.
    values: usize,
    /// Objects that are open.
    inside: usize,
}

impl<'a> Reader<'a> {
    fn new(name: &'a str, text: &'a Text) -> Self {
        let json = Cursor::new(&text.text);
        Self {
            name,
            text,
            json,
            places: Lines::default(),
            found: Vec::new(),
            warnings: Vec::new(),
            skipped: 0,
            lost: 0,
            values: 0,
            inside: 0,
        }
    }

    /// Reads value after value; messages that stand by themselves are one conversation.
    fn file(&mut self) {
        if self.text.text.starts_with('\u{FEFF}') {
            self.json.at = '\u{FEFF}'.len_utf8();
        }
        let mut loose = false;
        while let Some(byte) = self.json.peek_item() {
            let start = self.json.at;
            self.values += 1;
            let read = match byte {
                b'[' => self.list(0, None),
                b'{' if self.is_message() => match self.value() {
                    Some(value) => {
                        if !std::mem::replace(&mut loose, true) {
                            self.open(None);
                        }
                        self.message(&value, start);
                        true
                    }
                    None => self.is_full(),
                },
                b'{' => self.object(0),
                _ => false,
            };
            if !read {
                self.skip_damage(start);
            }
        }
    }

    /// Whether a message stands here. A key that stands twice in it is noted.
    fn is_message(&mut self) -> bool {
        let (members, again) = self.json.members();
        let is = members.get("role").is_some_and(|r| !r.is_empty());
        let again = again.filter(|_| is).map(|key| (self.json.at, Mended::Twice(format!("/{key}"))));
        self.json.mended.extend(again);
        is
    }

    fn value(&mut self) -> Option<Value> {
        self.json.value()
    }

    fn open(&mut self, id: Option<String>) {
        let conversation = Conversation::default();
        self.found.push(Found { id, conversation, records: 0, value: self.values, starts: Vec::new() });
    }

    fn message(&mut self, value: &Value, start: usize) {
        let place: Place = self.places.place(self.text, start);
        if let Some(found) = self.found.last_mut() {
            found.records += 1;
            let mut hash = DefaultHasher::new();
            (found.starts.last(), value["role"].as_str(), value["content"].to_string()).hash(&mut hash);
            found.starts.push(hash.finish());
            let odd = found.conversation.add(value, place);
            let loc = |name: &str| crate::diag::Loc { file: name.into(), line: place.line.into(), byte: place.byte };
            self.warnings.extend(
                odd.into_iter().map(|(kind, pointer, text)| Diag::warning(kind, loc(self.name), text).at(pointer)),
            );
        }
    }

    /// Reads an array, from its bracket: of messages, or of objects that hold some.
    fn list(&mut self, level: usize, id: Option<String>) -> bool {
        self.json.at += 1;
        let mut opened = false;
        loop {
            match self.json.peek_item() {
                Some(b']') => {
                    self.json.at += 1;
                    return true;
                }
                Some(b'{') => {
                    let start = self.json.at;
                    let read = if self.is_message() {
                        match self.value() {
                            Some(value) => {
                                if !std::mem::replace(&mut opened, true) {
                                    self.open(id.clone());
                                }
                                self.message(&value, start);
                                true
                            }
                            None => self.is_full(),
                        }
                    } else {
                        // Members of a list that is the whole file have nothing to do with each other.
                        self.values += usize::from(self.inside == 0);
                        level < LEVELS && self.object(level + 1)
                    };
                    if !read {
                        return false;
                    }
                }
                Some(b'[') if level < LEVELS => {
                    if !self.list(level + 1, None) {
                        return false;
                    }
                }
                Some(_) => {
                    if self.value().is_none() {
                        return false;
                    }
                }
                None => return false,
            }
        }
    }

    /// Reads an object, from its brace: lists of messages in it, and what names the conversation.
    fn object(&mut self, level: usize) -> bool {
        self.json.at += 1;
        self.inside += 1;
        let read = self.members(level);
        self.inside -= 1;
        read
    }

    fn members(&mut self, level: usize) -> bool {
        let mut id = None;
        while let Some(key) = self.json.key() {
            let read = match (key, self.json.peek()) {
                (key, Some(b'[')) if LISTS.contains(&key) => self.list(level, id.clone()),
                ("id" | "session_id" | "conversation_id" | "task_id" | "instance_id", _) => {
                    self.value().is_some_and(|value| {
                        id = id.take().or(text_of(&value));
                        true
                    })
                }
                _ => match self.json.raw(self.json.at) {
                    Some((_, end)) => {
                        self.json.at = end;
                        true
                    }
                    None => false,
                },
            };
            if !read {
                return false;
            }
        }
        self.json.closes(b'}')
    }

    /// Takes out the lists that only repeat how a longer one in the same value begins, as a log of what was sent at each
    /// step does. Gives the records in them.
    fn take_copies(&mut self) -> u64 {
        let mut longest: Vec<usize> = (0..self.found.len()).collect();
        longest.sort_by_key(|&i| (std::cmp::Reverse(self.found[i].starts.len()), i));
        let mut seen: HashSet<(usize, usize, u64)> = HashSet::new();
        let mut copies = vec![false; self.found.len()];
        for i in longest {
            let found = &self.found[i];
            let Some(&whole) = found.starts.last() else { continue };
            copies[i] = seen.contains(&(found.value, found.starts.len(), whole));
            if !copies[i] {
                seen.extend(found.starts.iter().enumerate().map(|(n, &hash)| (found.value, n + 1, hash)));
            }
        }
        let mut records = 0;
        let mut is_copy = copies.into_iter();
        self.found.retain(|found| {
            let copy = is_copy.next().unwrap_or(false);
            records += if copy { found.records } else { 0 };
            !copy
        });
        records
    }

    fn drafts(mut self, digest: &str) -> Vec<Draft> {
        if self.found.is_empty() {
            self.open(None);
        }
        let copies = self.take_copies();
        let several = self.found.len() > 1;
        let size = self.text.byte(self.text.text.len());
        let mut out = Vec::new();
        for (n, found) in self.found.into_iter().enumerate() {
            // The account of the file stands with its first conversation; the others count their messages only.
            let first = n == 0;
            let (bytes_read, bytes_skipped) = if first { (size, self.skipped) } else { (0, 0) };
            let (lost, copies) = if first { (self.lost, copies) } else { (0, 0) };
            let source = SourceFile {
                file: self.name.into(),
                format: FORMAT.id,
                bytes_read,
                bytes_skipped,
                bytes_used: bytes_read - bytes_skipped,
                records: found.records + lost + copies,
                kept: found.records,
                copies,
                skipped: lost,
                digest: digest.into(),
            };
            let made = digest.get(..16).unwrap_or(digest);
            let id = found.id.unwrap_or_else(|| made.to_owned());
            let head = Session {
                agent: FORMAT.agent.into(),
                id: if several { format!("{id}-{}", n + 1) } else { id },
                format: FORMAT.id,
                sources: vec![source],
                warnings: if first { std::mem::take(&mut self.warnings) } else { Vec::new() },
                ..Session::default()
            };
            let messages = found.conversation.finish();
            out.push(Draft { head, threads: vec![DraftThread { messages, ..DraftThread::default() }] });
        }
        out
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(n) => Some(n.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
