//! Lines that are not exactly one record: joined, spread, torn, mended or skipped.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2, memmem};
use serde::de::IgnoredAny;
use serde_json::error::Category;

use super::json_text::{OddNumber, key_again, without_odd_numbers};
use super::lines::Sink;
use crate::diag::{Diag, Loc, Trouble};

/// Bytes of a chunk that hold no line which is a record by itself.
pub(super) struct Region<'a> {
    pub(super) bytes: &'a [u8],
    /// Where it starts in the chunk.
    pub(super) at: usize,
    /// Line breaks before it in the chunk.
    pub(super) line: u64,
    /// A record may go on behind it.
    pub(super) open: bool,
    /// It ends with the file, in the middle of a line.
    pub(super) ends_file: bool,
}

/// Bytes of white space, byte order marks and separators at the start.
pub(super) fn blank(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match bytes[at..] {
            [b' ' | b'\t' | b'\r' | b'\n' | 0x1E, ..] => at += 1,
            [0xEF, 0xBB, 0xBF, ..] => at += 3,
            _ => return at,
        }
    }
}

/// Reads what can be read of a region. Gives the start of a record that needs more bytes than there are, if any.
pub(super) fn read<T, P>(sink: &mut Sink<'_, T, P>, region: &Region<'_>) -> Option<usize>
where
    T: Send,
    P: Fn(&str) -> serde_json::Result<T> + Sync,
{
    let mut care = Care { sink, region, pos: 0, line: region.line, budget: (region.bytes.len() * 16).max(1 << 20) };
    care.run()
}

struct Care<'a, 'b, T, P> {
    sink: &'a mut Sink<'b, T, P>,
    region: &'a Region<'a>,
    /// Where reading stands in the region.
    pos: usize,
    /// Line breaks before `pos` in the chunk.
    line: u64,
    /// Bytes that may still be looked at in vain; keeps hostile input linear.
    budget: usize,
}

/// Where a JSON value ends, or why it does not.
enum End {
    At(usize),
    Cut,
    Bad,
}

impl<'a, T, P> Care<'a, '_, T, P>
where
    T: Send,
    P: Fn(&str) -> serde_json::Result<T> + Sync,
{
    fn run(&mut self) -> Option<usize> {
        // How many records the line held so far, and where the first one stands.
        let mut on_line: Option<(u64, Loc)> = None;
        loop {
            let rest = &self.region.bytes[self.pos..];
            let skip = blank(rest);
            if memchr2(b'\n', b'\r', &rest[..skip]).is_some() {
                self.joined(on_line.take());
            }
            self.advance(skip);
            if self.rest().is_empty() {
                self.joined(on_line);
                return None;
            }
            if self.rest()[0] != b'{' {
                self.joined(on_line.take());
                self.garbage();
                continue;
            }
            match self.end(self.rest(), self.region.open) {
                End::At(len) => {
                    let (n, first) = on_line.take().unwrap_or_else(|| (0, self.loc()));
                    on_line = Some((n + 1, first));
                    self.value(len);
                }
                End::Cut if self.region.open => {
                    self.joined(on_line);
                    return Some(self.pos);
                }
                End::Cut | End::Bad => {
                    self.joined(on_line.take());
                    self.broken();
                }
            }
        }
    }

    /// Names a line that held several records.
    fn joined(&mut self, on_line: Option<(u64, Loc)>) {
        if let Some((n, first)) = on_line.filter(|(n, _)| *n > 1) {
            let message = format!("{n} records on one line; each was read");
            self.sink.warnings.push(Diag::warning(Trouble::Joined, first, message));
        }
    }

    fn rest(&self) -> &'a [u8] {
        &self.region.bytes[self.pos..]
    }

    /// The rest of the line, without its break.
    fn rest_of_line(&self) -> &'a [u8] {
        let rest = self.rest();
        let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    fn advance(&mut self, bytes: usize) {
        self.line += memchr_iter(b'\n', &self.rest()[..bytes]).count() as u64;
        self.pos += bytes;
    }

    fn loc(&self) -> Loc {
        self.sink.loc(self.line, self.region.at + self.pos)
    }

    /// Where the value at the start of `bytes` ends. When too much was looked at in vain, only the line counts.
    fn end(&self, bytes: &[u8], whole: bool) -> End {
        let bytes =
            if self.budget == 0 && !whole { &bytes[..memchr(b'\n', bytes).unwrap_or(bytes.len())] } else { bytes };
        let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(_)) => End::At(values.byte_offset()),
            Some(Err(e)) if e.classify() == Category::Eof => End::Cut,
            _ => End::Bad,
        }
    }

    /// A whole JSON value of `len` bytes.
    fn value(&mut self, len: usize) {
        let loc = self.loc();
        let bytes = &self.region.bytes[self.pos..self.pos + len];
        match mend(bytes, self.sink.parse) {
            Ok((value, notes)) => {
                if memchr(b'\n', bytes).is_some() {
                    let message = "one record over several lines; read as one";
                    self.sink.warnings.push(Diag::warning(Trouble::Multiline, loc.clone(), message));
                }
                for note in notes {
                    self.sink.warnings.push(note.diag(loc.clone()));
                }
                let line = self.sink.lines_before() + self.line;
                self.sink.push(line, self.region.at + self.pos, len, value);
            }
            Err(why) => {
                self.sink.warnings.push(Diag::lost(
                    Trouble::NotARecord,
                    loc,
                    len as u64,
                    1,
                    format!("{why}; record skipped"),
                ));
            }
        }
        self.advance(len);
    }

    /// Something that is no JSON object: skipped to the end of the line, or to a record on it.
    fn garbage(&mut self) {
        let line = self.rest_of_line();
        let whole = memmem::find_iter(line, b"{\"").take(8).find(|&at| self.is_record(&line[at..]));
        let len = whole.unwrap_or(line.len());
        let (kind, message) = if line[..len].iter().all(|&b| b == 0) {
            (Trouble::Nul, "a run of NUL bytes; skipped")
        } else {
            (Trouble::NotARecord, "text that is no JSON object; skipped")
        };
        let lost = line[..len].trim_ascii_end().len();
        let loc = self.loc();
        self.sink.warnings.push(Diag::lost(kind, loc, lost as u64, 0, message));
        self.advance(len);
    }

    /// Whether a record starts here and fills the line, or is followed by another object.
    fn is_record(&self, line: &[u8]) -> bool {
        let End::At(len) = self.end(line, true) else { return false };
        let behind = len + blank(&line[len..]);
        (behind == line.len() || line[behind] == b'{')
            && std::str::from_utf8(&line[..len]).is_ok_and(|text| (self.sink.parse)(text).is_ok())
    }

    /// An object that does not end as it should: mended when only control characters or words for numbers that JSON does
    /// not have stand in the way, otherwise
    /// skipped to the next record on the line, or to the end of the line.
    fn broken(&mut self) {
        self.budget = self.budget.saturating_sub(self.rest().len());
        let line = self.rest_of_line();
        if let Some((value, notes)) = mend_line(line, self.sink.parse) {
            let (loc, len) = (self.loc(), line.len());
            for note in notes {
                self.sink.warnings.push(note.diag(loc.clone()));
            }
            let number = self.sink.lines_before() + self.line;
            self.sink.push(number, self.region.at + self.pos, len, value);
            self.advance(len);
            return;
        }
        let key = &line[..first_key(line)];
        let next = memmem::find_iter(&line[1..], key).take(64).map(|at| at + 1).find(|&at| self.is_record(&line[at..]));
        let len = next.unwrap_or(line.len());
        let ends_file = self.region.ends_file && self.pos + line.len() == self.region.bytes.len();
        let (kind, message) = match next {
            Some(_) => (Trouble::Torn, "half a record before a whole one; the half was skipped"),
            None if ends_file => (Trouble::Truncated, "the file ends in the middle of a record; skipped"),
            None => (Trouble::Torn, "a record that does not end, or is no valid JSON; line skipped"),
        };
        let loc = self.loc();
        self.sink.warnings.push(Diag::lost(kind, loc, line[..len].trim_ascii_end().len() as u64, 1, message));
        self.advance(len);
    }
}

/// Length of `{"key"` at the start of a line; of `{"` when there is no whole key.
fn first_key(line: &[u8]) -> usize {
    if !line.starts_with(b"{\"") {
        return line.len().min(2);
    }
    memchr(b'"', &line[2..]).map_or(2, |at| (at + 3).min(64))
}

/// What had to be changed so that a record could be read.
enum Note {
    Utf8(u64),
    Nul(u64),
    Control(u64),
    Surrogate,
    Number(String),
    TwiceNamed(String),
}

impl Note {
    fn diag(self, loc: Loc) -> Diag {
        match self {
            Self::Utf8(n) => {
                Diag::lost(Trouble::InvalidUtf8, loc, n, 0, format!("{n} bytes are no UTF-8; shown as U+FFFD"))
            }
            Self::Nul(n) => Diag::lost(Trouble::Nul, loc, n, 0, format!("{n} NUL bytes inside a record; left out")),
            Self::Control(n) => Diag::warning(
                Trouble::Control,
                loc,
                format!("{n} raw control characters inside a record; read as escaped"),
            ),
            Self::Surrogate => Diag::warning(Trouble::Surrogate, loc, "half a surrogate pair; shown as U+FFFD"),
            Self::Number(pointer) => OddNumber::diag(pointer, loc),
            Self::TwiceNamed(pointer) => {
                Diag::warning(Trouble::DuplicateKey, loc, "a key stands twice in one object, the last counts")
                    .at(pointer)
            }
        }
    }
}

/// Parses one whole JSON value, changing what keeps it from being read: bytes that are no UTF-8, halves of surrogate
/// pairs, numbers that cannot be held, keys named twice.
fn mend<T>(bytes: &[u8], parse: &impl Fn(&str) -> serde_json::Result<T>) -> Result<(T, Vec<Note>), String> {
    let mut notes = Vec::new();
    let mut text = decode(bytes, &mut notes);
    let error = match parse(&text) {
        Ok(value) => return Ok((value, notes)),
        Err(e) => e,
    };
    if let Some(mended) = without_lone_surrogates(&text) {
        notes.push(Note::Surrogate);
        text = Cow::Owned(mended);
        if let Ok(value) = parse(&text) {
            return Ok((value, notes));
        }
    }
    if let Some((mended, numbers)) = without_odd_numbers(&text) {
        notes.extend(numbers.into_iter().map(|n| Note::Number(n.pointer)));
        text = Cow::Owned(mended);
        if let Ok(value) = parse(&text) {
            return Ok((value, notes));
        }
    }
    if let Some(pointer) = key_again(&text)
        && let Ok(value) = serde_json::from_str::<serde_json::Value>(&text)
        && let Ok(value) = parse(&value.to_string())
    {
        notes.push(Note::TwiceNamed(pointer));
        return Ok((value, notes));
    }
    Err(why(&error))
}

fn why(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Parses one line after escaping the raw control characters in it and putting null for words that JSON does not have;
/// NUL bytes are left out.
fn mend_line<T>(line: &[u8], parse: &impl Fn(&str) -> serde_json::Result<T>) -> Option<(T, Vec<Note>)> {
    let nul = line.iter().filter(|&&b| b == 0).count() as u64;
    let other = line.iter().filter(|&&b| b != 0 && b < 0x20).count() as u64;
    let words = ["NaN", "Infinity"].iter().any(|word| memmem::find(line, word.as_bytes()).is_some());
    if nul + other == 0 && !words {
        return None;
    }
    let mut clean = Vec::with_capacity(line.len() + 5 * other as usize);
    for &b in line {
        match b {
            0 => {}
            1..0x20 => clean.extend_from_slice(format!("\\u{b:04x}").as_bytes()),
            _ => clean.push(b),
        }
    }
    let (value, mut notes) = mend(&clean, parse).ok()?;
    if nul > 0 {
        notes.push(Note::Nul(nul));
    }
    if other > 0 {
        notes.push(Note::Control(other));
    }
    Some((value, notes))
}

fn decode<'a>(bytes: &'a [u8], notes: &mut Vec<Note>) -> Cow<'a, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let bad = bytes.utf8_chunks().map(|c| c.invalid().len() as u64).sum();
    notes.push(Note::Utf8(bad));
    String::from_utf8_lossy(bytes)
}

/// The text with each escaped half of a surrogate pair replaced; `None` when there is none.
fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut found = false;
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let len = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                found = true;
                out.push_str("\\ufffd");
                rest = &escape[6..];
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => escape.char_indices().nth(2).map_or(escape.len(), |(i, _)| i),
        };
        out.push_str(&escape[..len]);
        rest = &escape[len..];
    }
    out.push_str(rest);
    found.then_some(out)
}

/// The UTF-16 unit that a `\uXXXX` at the start stands for.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}
