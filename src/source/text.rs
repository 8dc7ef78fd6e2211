//! The bytes of a file as text, and the way back from a position in the text to byte and line of the file.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

use crate::diag::Loc;
use crate::session::Place;

/// A file decoded as UTF-8, each damaged sequence replaced by U+FFFD.
#[derive(Debug, Default)]
pub(crate) struct Text {
    /// The text.
    pub(crate) text: String,
    /// From this position in the text on, the text is longer than the file by so many bytes.
    shifts: Vec<(usize, i64)>,
    /// Where damaged sequences were replaced, and how many bytes they had.
    damaged: Vec<(usize, u64)>,
}

impl Text {
    /// Decodes bytes; costs no copy when they are sound.
    pub(crate) fn decode(bytes: Vec<u8>) -> Self {
        let bytes = match String::from_utf8(bytes) {
            Ok(text) => return Self { text, ..Self::default() },
            Err(error) => error.into_bytes(),
        };
        let (mut text, mut shifts, mut damaged) = (String::with_capacity(bytes.len()), Vec::new(), Vec::new());
        let mut read = 0;
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            read += chunk.valid().len() + chunk.invalid().len();
            if !chunk.invalid().is_empty() {
                damaged.push((text.len(), chunk.invalid().len() as u64));
                text.push(char::REPLACEMENT_CHARACTER);
                shifts.push((text.len(), text.len() as i64 - read as i64));
            }
        }
        Self { text, shifts, damaged }
    }

    /// Damaged sequences that were replaced between two positions: where, and how many bytes they had.
    pub(crate) fn damaged(&self, from: usize, to: usize) -> &[(usize, u64)] {
        let start = self.damaged.partition_point(|&(at, _)| at < from);
        let end = self.damaged.partition_point(|&(at, _)| at < to);
        &self.damaged[start..end.max(start)]
    }

    /// The position in the text of a byte of the file.
    pub(crate) fn position(&self, byte: u64) -> usize {
        let before = self.shifts.partition_point(|&(from, shift)| from as i64 - shift <= byte as i64);
        let shift = before.checked_sub(1).map_or(0, |i| self.shifts[i].1);
        (byte as i64 + shift).max(0) as usize
    }

    /// The byte of the file at a position in the text.
    pub(crate) fn byte(&self, at: usize) -> u64 {
        let before = self.shifts.partition_point(|&(from, _)| from <= at);
        let shift = before.checked_sub(1).map_or(0, |i| self.shifts[i].1);
        (at as i64 - shift).max(0) as u64
    }
}

/// Counts lines up to a position, from the position asked before.
#[derive(Debug, Default, Clone)]
pub(crate) struct Lines {
    at: usize,
    line: u32,
}

impl Lines {
    /// Line, from 1, and byte of a position in the text.
    pub(crate) fn place(&mut self, text: &Text, at: usize) -> Place {
        let bytes = text.text.as_bytes();
        if at < self.at {
            self.line -= memchr_iter(b'\n', &bytes[at..self.at]).count() as u32;
        } else {
            self.line += memchr_iter(b'\n', &bytes[self.at..at]).count() as u32;
        }
        self.at = at;
        Place { file: 0, line: self.line + 1, byte: text.byte(at) }
    }

    /// The same as a place in a named file.
    pub(crate) fn loc(&mut self, text: &Text, at: usize, file: &str) -> Loc {
        let place = self.place(text, at);
        Loc { file: file.into(), line: place.line.into(), byte: place.byte }
    }
}

/// Replaces `\uXXXX` escapes of lone surrogates, which no string can hold, by that of U+FFFD. The length stays.
pub(crate) fn mend_surrogates(json: &str) -> Cow<'_, str> {
    let mut out: Option<String> = None;
    let mut at = 0;
    while let Some(found) = memchr(b'\\', &json.as_bytes()[at..]) {
        let escape = at + found;
        at = match (surrogate(json, escape), surrogate(json, escape + 6)) {
            (None, _) => (escape + 2).min(json.len()),
            (Some(Half::High), Some(Half::Low)) => escape + 12,
            (Some(_), _) => {
                out.get_or_insert_with(|| json.to_owned()).replace_range(escape..escape + 6, "\\ufffd");
                escape + 6
            }
        };
    }
    out.map_or(Cow::Borrowed(json), Cow::Owned)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    High,
    Low,
}

fn surrogate(json: &str, at: usize) -> Option<Half> {
    let hex = json.get(at..at + 6)?.strip_prefix("\\u")?;
    match u16::from_str_radix(hex, 16).ok()? {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_are_mended_in_place() {
        let json = r#""\ud83d\ude00 \ud83d x \\ud83d \uDE00""#;
        assert_eq!(mend_surrogates(json), r#""\ud83d\ude00 \ufffd x \\ud83d \ufffd""#);
        assert!(matches!(mend_surrogates(r#""\n\u00e9\"#), Cow::Borrowed(_)));
    }

    #[test]
    fn positions_lead_back_to_the_bytes_of_the_file() {
        let text = Text::decode(b"a\xffb\n\xe2\x82c\nd".to_vec());
        assert_eq!(text.text, "a\u{FFFD}b\n\u{FFFD}c\nd");
        assert_eq!(text.damaged(0, 99), [(1, 1), (6, 2)]);
        assert_eq!(text.damaged(2, 6), []);
        let mut lines = Lines::default();
        for (found, line, byte) in [("a", 1, 0), ("b", 1, 2), ("d", 3, 8), ("c", 2, 6)] {
            let place = lines.place(&text, text.text.find(found).unwrap());
            assert_eq!((place.line, place.byte), (line, byte), "{found}");
            assert_eq!(text.position(byte), text.text.find(found).unwrap(), "{found}");
        }
    }
}
