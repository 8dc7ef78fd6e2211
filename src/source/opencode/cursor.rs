//! Steps through JSON text value by value, without reading the whole of it at once.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Deserializer, Value};

use crate::source::text::mend_surrogates;

/// A place in JSON text.
#[derive(Debug)]
pub(in crate::source) struct Cursor<'a> {
    text: &'a str,
    /// Byte of the text that is read next.
    pub(in crate::source) at: usize,
    /// Values in which lone surrogates were replaced.
    pub(in crate::source) mended: u64,
}

impl<'a> Cursor<'a> {
    pub(in crate::source) fn new(text: &'a str) -> Self {
        Self { text, at: 0, mended: 0 }
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
        let value = serde_json::from_str(raw).or_else(|_| {
            let mended = serde_json::from_str(&mend_surrogates(raw));
            self.mended += u64::from(mended.is_ok());
            mended
        });
        let value = value.ok()?;
        self.at = end;
        Some(value)
    }

    /// The JSON value at a position, and where it ends.
    pub(in crate::source) fn raw(&self, at: usize) -> Option<(&'a str, usize)> {
        let mut stream = Deserializer::from_str(&self.text[at..]).into_iter::<&RawValue>();
        let raw = stream.next()?.ok()?;
        Some((raw.get(), at + stream.byte_offset()))
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
    let mut json = Cursor::new(text.trim_start_matches('\u{FEFF}'));
    let mut out = BTreeMap::new();
    if json.peek() != Some(b'{') {
        return out;
    }
    json.at += 1;
    while let Some(key) = json.key() {
        json.peek();
        let Some((raw, end)) = json.raw(json.at) else {
            out.insert(key.to_owned(), String::new());
            break;
        };
        let value = if raw.len() < 300 { serde_json::from_str(raw).unwrap_or_default() } else { String::new() };
        out.insert(key.to_owned(), value);
        json.at = end;
    }
    out
}
