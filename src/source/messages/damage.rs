//! What of a document of messages cannot be read: it is named, counted and passed over.

use super::Reader;
use crate::diag::{Diag, Folded, Trouble};
use crate::source::bounded;
use crate::source::json_text::{OddNumber, complete};

impl Reader<'_> {
    /// Names what was replaced, and completes the pointers of all warnings.
    pub(super) fn tell(&mut self, odd: Vec<OddNumber>) {
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

    /// Passes over a message that holds too many values, and names it.
    pub(super) fn is_full(&mut self) -> bool {
        let start = self.json.at;
        let Some((raw, end)) = self.json.raw(start) else { return false };
        let Err(why) = bounded::check(raw) else { return false };
        let bytes = self.text.byte(end) - self.text.byte(start);
        let loc = self.places.loc(self.text, start, self.name);
        self.warnings.push(Diag::lost(Trouble::NotARecord, loc, bytes, 1, format!("{why}; passed over")));
        self.skipped += bytes;
        self.lost += 1;
        self.json.at = end;
        true
    }

    /// Names what could not be read, and goes on at the next line that may begin a value.
    pub(super) fn skip_damage(&mut self, start: usize) {
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
}
