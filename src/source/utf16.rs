//! UTF-16 with a byte order mark, decoded to UTF-8 while it is read.

use std::io::{self, BufRead, Read};

use super::packed::{Notes, Plain};
use crate::diag::{Severity, Trouble};

/// The bytes as they are, or decoded when they start with a byte order mark of UTF-16.
pub(super) fn decode<'a>(mut bytes: Box<dyn BufRead + Send + 'a>, notes: &Notes) -> io::Result<Plain<'a>> {
    let head = bytes.fill_buf()?;
    let (big, name) = match head {
        // The mark of UTF-32 starts in the same way.
        [0xFF, 0xFE, 0, 0, ..] => return Ok(bytes),
        [0xFF, 0xFE, ..] => (false, "little"),
        [0xFE, 0xFF, ..] => (true, "big"),
        _ => return Ok(bytes),
    };
    bytes.consume(2);
    notes.set_packed();
    notes.add(
        Trouble::Utf16,
        Severity::Warning,
        format!("decoded from UTF-16, {name}-endian; places are those of the text in UTF-8"),
    );
    Ok(Box::new(Utf16 { bytes, big, raw: Vec::new(), text: Vec::new(), at: 0 }))
}

struct Utf16<'a> {
    bytes: Box<dyn BufRead + Send + 'a>,
    big: bool,
    /// Bytes that wait for their other half.
    raw: Vec<u8>,
    text: Vec<u8>,
    at: usize,
}

impl Utf16<'_> {
    /// Decodes the next bytes; gives back whether there were any.
    fn fill(&mut self) -> io::Result<bool> {
        self.at = 0;
        let more = self.bytes.by_ref().take(1 << 16).read_to_end(&mut self.raw)?;
        let unit =
            |b: &[u8]| if self.big { u16::from_be_bytes([b[0], b[1]]) } else { u16::from_le_bytes([b[0], b[1]]) };
        let mut units: Vec<u16> = self.raw.chunks_exact(2).map(unit).collect();
        if more > 0 && units.last().is_some_and(|u| (0xD800..0xDC00).contains(u)) {
            units.pop();
        }
        let chars = char::decode_utf16(units.iter().copied()).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
        let mut text: String = chars.collect();
        self.raw.drain(..units.len() * 2);
        if more == 0 && !self.raw.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            self.raw.clear();
        }
        self.text = text.into_bytes();
        Ok(more > 0)
    }
}

impl Read for Utf16<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            if !self.fill()? && self.text.is_empty() {
                return Ok(0);
            }
        }
        let n = (&self.text[self.at..]).read(buf)?;
        self.at += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> String {
        let mut out = String::new();
        decode(Box::new(bytes), &Notes::default()).unwrap().read_to_string(&mut out).unwrap();
        out
    }

    #[test]
    fn both_orders_with_pairs_halves_and_an_odd_byte() {
        let text = "{\"k\":\"é😀\"}\n".repeat(9000);
        let units: Vec<u16> = text.encode_utf16().collect();
        let big: Vec<u8> = [0xFE, 0xFF].into_iter().chain(units.iter().flat_map(|u| u.to_be_bytes())).collect();
        let little: Vec<u8> = [0xFF, 0xFE].into_iter().chain(units.iter().flat_map(|u| u.to_le_bytes())).collect();
        assert!(read(&big) == text && read(&little) == text);
        assert_eq!(read(b"\xFF\xFEa\0\x3D\xD8b\0c"), "a\u{FFFD}b\u{FFFD}");
        assert_eq!(read(b"\xFF\xFE"), "");
        assert_eq!(read(b"plain"), "plain");
    }
}
