//! Messages as the OpenAI and Anthropic interfaces exchange them: an array of `{role, content}`, an object that holds one
//! (`messages`, `traj`, …), an array of such objects, or JSON lines of either.
//!
//! Nothing but roles and calls is known here, so each conversation is a session, numbered from 1.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::json_text::{OddNumber, complete, mend_words};
use super::message_parts::Conversation;
use super::opencode::{Cursor, Mended, members, members_and_again};
use super::text::{Lines, Text};
use super::{Format, Head, Input};
use crate::diag::{Diag, Folded, Trouble};
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
        out.extend(reader.drafts(&digest));
    }
    Ok(out)
}

/// A conversation with the bytes it stands in.
struct Found {
    id: Option<String>,
    conversation: Conversation,
    records: u64,
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
            let read = match byte {
                b'[' => self.list(0, None),
                b'{' if self.is_message() => self.value().is_some_and(|value| {
                    if !std::mem::replace(&mut loose, true) {
                        self.open(None);
                    }
                    self.message(&value, start);
                    true
                }),
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
        let (members, again) = members_and_again(&self.text.text[self.json.at..]);
        let is = members.get("role").is_some_and(|r| !r.is_empty());
        let again = again.filter(|_| is).map(|key| (self.json.at, Mended::Twice(format!("/{key}"))));
        self.json.mended.extend(again);
        is
    }

    /// Names what was replaced, and completes the pointers of all warnings.
    fn tell(&mut self, odd: Vec<OddNumber>) {
        for (at, mended) in std::mem::take(&mut self.json.mended) {
            let loc = self.places.loc(self.text, at, self.name);
            self.warnings.push(mended.diag(loc));
        }
        for &(at, bytes) in self.text.damaged(0, self.text.text.len()) {
            let byte = self.text.byte(at);
            // What stands in a span that was passed over is counted there.
            if !self.warnings.iter().any(|w| (w.loc.byte..w.loc.byte + w.skipped).contains(&byte)) {
                let loc = self.places.loc(self.text, at, self.name);
                let text = format!("{bytes} bytes are no UTF-8; shown as U+FFFD");
                self.warnings.push(Diag::lost(Trouble::InvalidUtf8, loc, bytes, 0, text));
                self.skipped += bytes;
            }
        }
        complete(&self.text.text, self.warnings.iter_mut(), |byte| self.text.position(byte));
        for number in odd {
            // In a line file the record counts, whose line it is.
            let line = memchr::memrchr(b'\n', &self.text.text.as_bytes()[..number.at]).map_or(0, |at| at + 1);
            let loc = self.places.loc(self.text, line, self.name);
            self.warnings.push(OddNumber::diag(number.pointer, loc));
        }
        self.warnings = Folded::of(std::mem::take(&mut self.warnings));
    }

    fn value(&mut self) -> Option<Value> {
        self.json.value()
    }

    /// Names what could not be read, and goes on at the next line that may begin a value.
    fn skip_damage(&mut self, start: usize) {
        let from = self.json.at.max(start);
        let rest = &self.text.text[from..];
        let next = rest.match_indices('\n').map(|(i, _)| from + i + 1);
        let starts = |at: &usize| self.text.text[*at..].trim_start_matches([' ', '\t']).starts_with(['{', '[']);
        let to = next.into_iter().find(starts).unwrap_or(self.text.text.len());
        // Line ends are no part of what was lost.
        let end = from + self.text.text[from..to].trim_ascii_end().len();
        let skipped = self.text.byte(end) - self.text.byte(from);
        let loc = self.places.loc(self.text, from, self.name);
        let kind = if to == self.text.text.len() { Trouble::Cut } else { Trouble::BadJson };
        self.warnings.push(Diag::lost(kind, loc, skipped, 1, "damaged or cut JSON; passed over"));
        self.skipped += skipped;
        self.lost += 1;
        self.json.at = to;
    }

    fn open(&mut self, id: Option<String>) {
        self.found.push(Found { id, conversation: Conversation::default(), records: 0 });
    }

    fn message(&mut self, value: &Value, start: usize) {
        let place: Place = self.places.place(self.text, start);
        if let Some(found) = self.found.last_mut() {
            found.records += 1;
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
                            None => false,
                        }
                    } else {
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

    fn drafts(mut self, digest: &str) -> Vec<Draft> {
        if self.found.is_empty() {
            self.open(None);
        }
        let several = self.found.len() > 1;
        let size = self.text.byte(self.text.text.len());
        let mut out = Vec::new();
        for (n, found) in self.found.into_iter().enumerate() {
            // The account of the file stands with its first conversation; the others count their messages only.
            let first = n == 0;
            let (bytes_read, bytes_skipped) = if first { (size, self.skipped) } else { (0, 0) };
            let lost = if first { self.lost } else { 0 };
            let source = SourceFile {
                file: self.name.into(),
                format: FORMAT.id,
                bytes_read,
                bytes_skipped,
                bytes_used: bytes_read - bytes_skipped,
                records: found.records + lost,
                kept: found.records,
                skipped: lost,
                digest: digest.into(),
                ..SourceFile::default()
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
mod tests {
    use super::*;

    fn sessions(text: &str) -> Vec<Session> {
        let sessions: Vec<Session> =
            load(&[Input::bytes("x", text)]).unwrap().into_iter().map(|d| d.finish(None)).collect();
        let bytes: u64 = sessions.iter().flat_map(|s| &s.sources).map(|s| s.bytes_read).sum();
        assert_eq!(bytes, text.len() as u64);
        for session in &sessions {
            let source = &session.sources[0];
            assert_eq!(source.bytes_read, source.bytes_used + source.bytes_skipped);
            assert_eq!(source.bytes_skipped, session.warnings.iter().map(|w| w.skipped).sum::<u64>());
            assert_eq!(source.records, source.kept + source.skipped);
        }
        sessions
    }

    fn score(text: &str) -> u8 {
        sniff(&Head { name: "x", path: None, bytes: text.as_bytes(), whole: true })
    }

    const PAIR: &str = r#"{"role":"user","content":"go"},
{"role":"assistant","content":"done"}"#;

    #[test]
    fn every_shape_is_found() {
        let lines = PAIR.replace("},", "}");
        for (text, count) in [
            (format!("[{PAIR}]"), 1),
            (format!("{{\"id\":\"c7\",\"messages\":[{PAIR}]}}"), 1),
            (lines, 1),
            (format!("[{{\"task_id\":0,\"traj\":[{PAIR}]}},{{\"task_id\":1,\"traj\":[{PAIR}]}}]"), 2),
            (format!("{{\"messages\":[{0}]}}\n{{\"messages\":[{0}]}}\n", PAIR.replace('\n', "")), 2),
        ] {
            assert!(score(&text) >= 50, "{text}");
            let sessions = sessions(&text);
            assert_eq!(sessions.len(), count, "{text}");
            for session in &sessions {
                let texts: Vec<String> = session.messages.iter().map(crate::session::Message::text).collect();
                assert_eq!(texts, ["go", "done"], "{text}");
                let place = session.messages[1].place;
                assert!(text[place.byte as usize..].starts_with(r#"{"role":"assistant""#), "{text}");
            }
        }
        assert_eq!(sessions(&format!("{{\"id\":\"c7\",\"messages\":[{PAIR}]}}"))[0].id, "c7");
    }

    #[test]
    fn other_json_is_left_alone() {
        for text in
            [r#"{"type":"message","message":{"role":"user","content":"x"}}"#, r#"{"role":"admin"}"#, "[1]", "{}"]
        {
            assert_eq!(score(text), 0, "{text}");
        }
    }

    #[test]
    fn damage_is_named() {
        let read = sessions(&format!(
            "{}\n{{\"role\": bad}}\n{}",
            r#"{"role":"user","content":"a"}"#, r#"{"role":"user","content":"b"}"#
        ));
        assert_eq!((read[0].messages.len(), read[0].warnings[0].kind.word()), (2, "bad-json"));
        let cut = sessions(&format!("[{PAIR}, {{\"role\":\"user\",\"cont"));
        assert_eq!((cut[0].messages.len(), cut[0].warnings[0].kind.word()), (2, "cut"));
    }
}
