//! Reads the JSON of an export member by member: a place is known for every message and part, and damage costs the
//! record in which it stands and no other.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::cursor::Cursor;
use super::message::entry;
use super::{Loaded, str_at};
use crate::diag::{Diag, Folded, Severity, Trouble};
use crate::session::{Place, SourceFile};
use crate::source::bounded;
use crate::source::json_text::{OddNumber, complete, mend_words};
use crate::source::text::{Lines, Text};

#[cfg(test)]
mod tests;

/// The start of an export, or of a message. It cannot stand inside a JSON string, where quotes are escaped.
pub(in crate::source) static START: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"\{\s*"(info|messages)"\s*:"#).expect("static"));

/// Reads every export in a file; several may stand behind each other, with other text around.
pub(in crate::source) fn read(name: &str, bytes: Vec<u8>) -> Vec<Loaded> {
    let digest: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
    let mut text = Text::decode(bytes);
    let odd = mend_words(&mut text.text);
    let mut walk = Walk::new(name, &digest, &text);
    let mut out = Vec::new();
    while let Some(start) = walk.seek() {
        let message = walk.is_message(start);
        if !message && walk.opened {
            out.push(walk.close());
        }
        walk.skip_to(start);
        walk.opened = true;
        let sound = if message { walk.message() && walk.messages() && walk.members() } else { walk.export() };
        walk.damaged = !sound;
    }
    walk.skip_to(text.text.len());
    out.push(walk.close());
    complete(&text.text, out.iter_mut().flat_map(|l| &mut l.warnings), |byte| text.position(byte));
    let mut lines = Lines::default();
    let odd = odd.into_iter().map(|n| OddNumber::diag(n.pointer, lines.loc(&text, n.at, name)));
    out[0].warnings.extend(odd);
    out.iter_mut().for_each(|l| l.warnings = Folded::of(std::mem::take(&mut l.warnings)));
    out
}

struct Walk<'a> {
    name: &'a str,
    digest: &'a str,
    text: &'a Text,
    lines: Lines,
    /// Where the walk stands: everything before is read or named in a warning.
    json: Cursor<'a>,
    /// Where the account of the current export begins.
    begin: usize,
    /// No start is looked for before this position.
    resume: usize,
    /// An export was begun.
    opened: bool,
    /// Spans of the current export that were passed over.
    passed: Vec<(usize, usize)>,
    /// The walk stopped at damage, which costs so many records.
    damaged: bool,
    lost: u64,
    current: Loaded,
    source: SourceFile,
}

impl<'a> Walk<'a> {
    fn new(name: &'a str, digest: &'a str, text: &'a Text) -> Self {
        let (lines, current, source) = (Lines::default(), Loaded::default(), SourceFile::default());
        let json = Cursor::new(&text.text);
        Self {
            name,
            digest,
            text,
            lines,
            json,
            begin: 0,
            resume: 0,
            opened: false,
            passed: Vec::new(),
            damaged: false,
            lost: 0,
            current,
            source,
        }
    }

    /// The next start of an export or message. Damage before it is named in the account of the current export.
    fn seek(&mut self) -> Option<usize> {
        let found = START.find_at(&self.text.text, self.json.at.max(self.resume)).map(|m| m.start());
        if self.damaged {
            self.skip_to(found.unwrap_or(self.text.text.len()));
        }
        found
    }

    /// Whether the start found is that of a message.
    fn is_message(&self, start: usize) -> bool {
        let Some(info) = self.text.text[start..].find(':').map(|c| start + c + 1) else { return false };
        if !self.text.text[start..info].contains("\"info\"") {
            return false;
        }
        match self.json.raw(info) {
            Some((raw, _)) => bounded::value(raw).is_ok_and(|v| v.get("role").is_some()),
            None => self.opened,
        }
    }

    /// Passes over text that is not part of an export, and names it in a warning.
    fn skip_to(&mut self, to: usize) {
        let from = self.json.at;
        self.json.at = to;
        let damaged = std::mem::take(&mut self.damaged);
        let records = std::mem::take(&mut self.lost);
        let between = &self.text.text[from..to];
        let only_marks = between.chars().all(|c| c.is_ascii_whitespace() || "[]{},\u{FEFF}".contains(c));
        let cut = to == self.text.text.len();
        let nothing_read = cut && !self.opened && from < to;
        if only_marks && !damaged && !nothing_read {
            return;
        }
        let skipped = self.text.byte(to) - self.text.byte(from);
        let (kind, severity, message) = match (damaged, cut) {
            (true, true) if skipped == 0 => {
                (Trouble::Truncated, Severity::Warning, "the file ends before the export is closed")
            }
            (true, true) => {
                (Trouble::Truncated, Severity::Lost, "the file is cut or damaged here; whole records before are kept")
            }
            (true, false) => (Trouble::BadJson, Severity::Lost, "damaged JSON; passed over up to the next message"),
            (false, true) => (Trouble::TextAfter, Severity::Warning, "text behind the export; passed over"),
            (false, false) => (Trouble::TextBefore, Severity::Note, "text before the export; passed over"),
        };
        let loc = self.lines.loc(self.text, from, self.name);
        let diag = Diag { severity, skipped, records, ..Diag::warning(kind, loc, message) };
        self.current.warnings.push(diag);
        self.passed.push((from, to));
        self.source.bytes_skipped += skipped;
        self.source.records += records;
        self.source.skipped += records;
    }

    /// Ends the account of the current export.
    fn close(&mut self) -> Loaded {
        self.replacements();
        let mut done = std::mem::take(&mut self.current);
        done.warnings.iter_mut().for_each(|w| w.loc.file = self.name.into());
        let from_message = done.entries.iter().find_map(|e| e.session.clone());
        let id = str_at(&done.info, "id").map(Into::into).or(from_message);
        done.id = id.unwrap_or_else(|| self.digest.chars().take(16).collect());
        let mut source = std::mem::take(&mut self.source);
        source.file = self.name.into();
        source.digest = self.digest.into();
        source.bytes_read = self.text.byte(self.json.at) - self.text.byte(self.begin);
        source.bytes_used = source.bytes_read - source.bytes_skipped;
        source.kept = source.records - source.skipped;
        done.sources.push(source);
        self.begin = self.json.at;
        done
    }

    /// Names what was replaced in the current export so that it could be read.
    fn replacements(&mut self) {
        for (at, mended) in std::mem::take(&mut self.json.mended) {
            let loc = self.lines.loc(self.text, at, self.name);
            self.current.warnings.push(mended.diag(loc));
        }
        let passed = std::mem::take(&mut self.passed);
        for &(at, bytes) in self.text.damaged(self.begin, self.json.at) {
            if !passed.iter().any(|&(from, to)| (from..to).contains(&at)) {
                let loc = self.lines.loc(self.text, at, self.name);
                let text = format!("{bytes} bytes are no UTF-8; shown as U+FFFD");
                self.current.warnings.push(Diag::lost(Trouble::InvalidUtf8, loc, bytes, 0, text));
                self.source.bytes_skipped += bytes;
            }
        }
    }

    /// Reads an export from its opening brace; false when it met damage.
    fn export(&mut self) -> bool {
        self.json.at += 1;
        self.members()
    }

    /// Reads the members of an export up to its closing brace.
    fn members(&mut self) -> bool {
        while let Some(key) = self.json.key() {
            let sound = match key {
                "messages" if self.json.peek() == Some(b'[') => {
                    self.json.at += 1;
                    self.messages()
                }
                "info" => self.json.value().map(|v| self.current.info = v).is_some(),
                _ => self.unknown_member(key),
            };
            if !sound {
                return false;
            }
        }
        self.json.closes(b'}')
    }

    /// Goes over a member that this version does not know, and says so once per key.
    fn unknown_member(&mut self, key: &str) -> bool {
        let loc = self.lines.loc(self.text, self.json.at, self.name);
        if ["info", "parts", "messages"].contains(&key) {
            let text = format!("member {key:?} holds the wrong type; not read");
            self.current.warnings.push(Diag::warning(Trouble::WrongType, loc, text));
            return self.json.value().is_some();
        }
        let text = format!("member {key:?} is not known in an export; not read");
        let diag = Diag::note(Trouble::UnknownMember, loc, text);
        if !self.current.warnings.iter().any(|w| w.kind == diag.kind && w.message == diag.message) {
            self.current.warnings.push(diag);
        }
        self.json.value().is_some()
    }

    /// Reads messages up to the end of their list.
    fn messages(&mut self) -> bool {
        loop {
            let behind = self.json.at;
            match self.json.peek_item() {
                Some(b'{') if !self.message() => {
                    // The comma before a message that is passed over goes with it.
                    if self.json.at == self.resume.saturating_sub(1)
                        && !self.text.text[behind..self.json.at].contains('\n')
                    {
                        self.json.at = behind;
                    }
                    return false;
                }
                Some(b'{') => {}
                Some(b']') => {
                    self.json.at += 1;
                    return true;
                }
                Some(_) if self.json.raw(self.json.at).is_some() => {
                    let end = self.json.raw(self.json.at).map_or(self.json.at + 1, |r| r.1);
                    self.pass_over(end, Trouble::WrongType, "a message that is no object; passed over");
                }
                other => {
                    self.lost = u64::from(other.is_some());
                    return false;
                }
            }
        }
    }

    /// Reads a message from its opening brace. Damage in a part costs that part and those behind it.
    fn message(&mut self) -> bool {
        let start = self.json.at;
        let place = self.place(start);
        let (mut info, mut parts) = (None, Vec::new());
        self.json.at += 1;
        let mut sound = true;
        while let Some(key) = self.json.key() {
            sound = match key {
                "info" if self.json.peek() == Some(b'{') => self.json.value().map(|v| info = Some(v)).is_some(),
                "parts" if self.json.peek() == Some(b'[') => self.parts(&mut parts),
                _ => self.unknown_member(key),
            };
            if !sound {
                break;
            }
        }
        sound = sound && self.json.closes(b'}');
        // Without its record a message says nothing, and of one that is cut it is not known what it would have said: the
        // whole of it is passed over.
        let cut = !sound && START.find_at(&self.text.text, self.json.at.max(start + 1)).is_none();
        let Some(info) = info.filter(|_| !cut) else {
            self.lost = 1 + parts.len() as u64;
            (self.json.at, self.resume) = (start, start + 1);
            return false;
        };
        let entry = entry(&info, parts, place);
        self.source.records += entry.records.len() as u64;
        self.current.push(entry, "/info");
        sound
    }

    /// Reads the parts of a message from the opening bracket.
    fn parts(&mut self, parts: &mut Vec<(Value, Place)>) -> bool {
        self.json.at += 1;
        loop {
            match self.json.peek_item() {
                Some(b']') => {
                    self.json.at += 1;
                    return true;
                }
                Some(_) => {
                    let place = self.place(self.json.at);
                    if let Some(value) = self.json.value() {
                        parts.push((value, place));
                    } else if let Some((_, end)) = self.json.raw(self.json.at) {
                        self.pass_over(end, Trouble::PartUnreadable, "a part is nested too deeply; passed over");
                    } else {
                        self.lost = 1;
                        return false;
                    }
                }
                None => return false,
            }
        }
    }

    /// Passes over a record that is JSON but cannot be used.
    fn pass_over(&mut self, to: usize, kind: Trouble, text: &str) {
        let skipped = self.text.byte(to) - self.text.byte(self.json.at);
        let loc = self.lines.loc(self.text, self.json.at, self.name);
        self.current.warnings.push(Diag::lost(kind, loc, skipped, 1, text));
        self.passed.push((self.json.at, to));
        self.source.bytes_skipped += skipped;
        self.source.records += 1;
        self.source.skipped += 1;
        self.json.at = to;
    }

    fn place(&mut self, at: usize) -> Place {
        self.lines.place(self.text, at)
    }
}
