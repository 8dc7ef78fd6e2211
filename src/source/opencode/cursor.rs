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
    /// Values in which lone surrogates or numbers out of range were replaced.
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
            let text = mend_surrogates(raw);
            let mended = serde_json::from_str(&text).or_else(|_| serde_json::from_str(&without_big_numbers(&text)));
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

/// The text with `null` for each number that no float can hold.
fn without_big_numbers(json: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(json.len()), json);
    while let Some(at) = rest.find(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let string = rest.starts_with('"');
        let end = if string {
            string_end(rest)
        } else {
            rest.find(|c: char| !"+-.eE0123456789".contains(c)).unwrap_or(rest.len())
        };
        let big = !string && rest[..end].parse::<f64>().is_ok_and(f64::is_infinite);
        out.push_str(if big { "null" } else { &rest[..end] });
        rest = &rest[end..];
    }
    out + rest
}

/// Where the string that begins the text ends.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_unknown() {
        let json = r#"{"a": 1e400, "b": "1e400 \"-1e999", "c": [-1e999, 2.5, -0]}"#;
        assert_eq!(without_big_numbers(json), r#"{"a": null, "b": "1e400 \"-1e999", "c": [null, 2.5, -0]}"#);
        let mut cursor = Cursor::new(json);
        assert_eq!((cursor.value().unwrap()["c"][1].as_f64(), cursor.mended), (Some(2.5), 1));
    }
}
