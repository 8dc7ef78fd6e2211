//! Steps through JSON text value by value, without reading the whole of it at once.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Deserializer, Value};

use crate::diag::{Diag, Loc, Trouble};
use crate::source::bounded;
use crate::source::json_text::{OddNumber, without_odd_numbers};
use crate::source::text::mend_surrogates;

/// A place in JSON text.
#[derive(Debug)]
pub(in crate::source) struct Cursor<'a> {
    text: &'a str,
    /// Byte of the text that is read next.
    pub(in crate::source) at: usize,
    /// What was replaced in values, and where these begin; whoever has the places tells it.
    pub(in crate::source) mended: Vec<(usize, Mended)>,
    /// Bytes that were gone through for values that did not end.
    failed: Cell<usize>,
    /// Bytes of the whole text.
    whole: usize,
}

/// How often the length of the text is gone through for values that do not end: so often in full, then as often each value
/// for `SHORT` bytes only, in the end for `BRIEF` ones. Text made of openings alone would else take the square of its length.
const FAILURES: usize = 12;
const SHORT: usize = 4096;
const BRIEF: usize = 256;

/// What had to be replaced so that a value could be read.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::source) enum Mended {
    Surrogates,
    /// A number, by its pointer in the value.
    Number(String),
    /// A key that stands twice, by its pointer.
    Twice(String),
}

impl Mended {
    /// The warning about it.
    pub(in crate::source) fn diag(self, loc: Loc) -> Diag {
        match self {
            Self::Surrogates => Diag::warning(Trouble::Surrogate, loc, "half a surrogate pair; shown as U+FFFD"),
            Self::Number(pointer) => OddNumber::diag(pointer, loc),
            Self::Twice(pointer) => {
                Diag::warning(Trouble::DuplicateKey, loc, "a key stands twice in one object, the last counts")
                    .at(pointer)
            }
        }
    }
}

impl<'a> Cursor<'a> {
    pub(in crate::source) fn new(text: &'a str) -> Self {
        Self { text, at: 0, mended: Vec::new(), failed: Cell::new(0), whole: text.len() }
    }

    /// The next member's key; `None` at the end of the object or at damage.
    pub(in crate::source) fn key(&mut self) -> Option<&'a str> {
        if self.peek_item()? != b'"' {
            return None;
        }
        let (raw, end) = self.raw(self.at)?;
        let colon = end + self.text[end..].bytes().position(|b| !b.is_ascii_whitespace())?;
        if self.text.as_bytes()[colon] != b':' {
            return None;
        }
        self.at = colon + 1;
        Some(raw.trim_matches('"'))
    }

    /// Reads the value at the walk's place and goes behind it. A value that cannot be understood is damage.
    pub(in crate::source) fn value(&mut self) -> Option<Value> {
        self.peek()?;
        let (raw, end) = self.raw(self.at)?;
        bounded::check(raw).ok()?;
        let value = serde_json::from_str(raw).ok().or_else(|| self.mend(raw))?;
        self.at = end;
        Some(value)
    }

    /// Reads a value after changing what keeps it from being read.
    fn mend(&mut self, raw: &str) -> Option<Value> {
        let text = mend_surrogates(raw);
        let surrogates = matches!(text, Cow::Owned(_)).then_some((self.at, Mended::Surrogates));
        let (value, numbers) = match serde_json::from_str(&text) {
            Ok(value) => (value, Vec::new()),
            Err(_) => {
                let (text, numbers) = without_odd_numbers(&text)?;
                (serde_json::from_str(&text).ok()?, numbers)
            }
        };
        self.mended.extend(surrogates);
        self.mended.extend(numbers.into_iter().map(|n| (self.at, Mended::Number(n.pointer))));
        Some(value)
    }

    /// The JSON value at a position, and where it ends.
    pub(in crate::source) fn raw(&self, at: usize) -> Option<(&'a str, usize)> {
        let rest = &self.text[at..];
        let rest = match self.failed.get() / self.whole.max(SHORT) {
            ..FAILURES => rest,
            n if n < 2 * FAILURES => &rest[..rest.floor_char_boundary(SHORT)],
            _ => &rest[..rest.floor_char_boundary(BRIEF)],
        };
        let mut stream = Deserializer::from_str(rest).into_iter::<&RawValue>();
        match stream.next()? {
            Ok(raw) => Some((raw.get(), at + stream.byte_offset())),
            Err(e) => {
                self.failed.set(self.failed.get() + if e.is_eof() { rest.len() } else { 0 });
                None
            }
        }
    }

    /// Goes over white space; the byte there.
    pub(in crate::source) fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(rest.len());
        self.text.as_bytes().get(self.at).copied()
    }

    /// Goes over white space and commas; the byte there.
    pub(in crate::source) fn peek_item(&mut self) -> Option<u8> {
        while self.peek()? == b',' {
            self.at += 1;
        }
        self.peek()
    }

    pub(in crate::source) fn closes(&mut self, mark: u8) -> bool {
        let closes = self.peek_item() == Some(mark);
        self.at += usize::from(closes);
        closes
    }
}

/// String members of the first JSON object of a text, as far as it goes; members of another kind are empty.
pub(in crate::source) fn members(text: &str) -> BTreeMap<String, String> {
    Cursor::new(text).members().0
}

impl Cursor<'_> {
    /// The same of the object at the cursor, and a key that stands twice. The cursor stays.
    pub(in crate::source) fn members(&self) -> (BTreeMap<String, String>, Option<String>) {
        let text = self.text[self.at..].trim_start_matches('\u{FEFF}');
        let mut json = Cursor { failed: self.failed.clone(), whole: self.whole, ..Cursor::new(text) };
        let (mut out, mut again) = (BTreeMap::new(), None);
        if json.peek() != Some(b'{') {
            return (out, again);
        }
        json.at += 1;
        while let Some(key) = json.key() {
            json.peek();
            let Some((raw, end)) = json.raw(json.at) else {
                out.insert(key.to_owned(), String::new());
                break;
            };
            let value = if raw.len() < 300 { serde_json::from_str(raw).unwrap_or_default() } else { String::new() };
            if out.insert(key.to_owned(), value).is_some() {
                again.get_or_insert_with(|| key.to_owned());
            }
            json.at = end;
        }
        self.failed.set(json.failed.get());
        (out, again)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_do_not_end_are_gone_through_a_few_times_only() {
        let text = "{\"a\":".repeat(20_000) + "[1]";
        let cursor = Cursor::new(&text);
        let values = (0..text.len()).step_by(5).filter(|at| cursor.raw(*at).is_some()).count();
        let most = 2 * FAILURES * text.len() + text.len() / 5 * BRIEF;
        assert_eq!((values, cursor.failed.get() <= most + text.len()), (1, true));
    }

    #[test]
    fn what_was_replaced_is_noted() {
        let mut cursor = Cursor::new(r#" {"a": 1e400, "b": "\ud800", "c": [2.5]}"#);
        assert_eq!(cursor.value().unwrap()["c"][0].as_f64(), Some(2.5));
        assert_eq!(cursor.mended, [(1, Mended::Surrogates), (1, Mended::Number("/a".into()))]);
        assert_eq!(Cursor::new(r#"{"a": "1", "b": {"c": 2, "c": 3}, "a": "4"}"#).members().1.as_deref(), Some("a"));
    }
}
