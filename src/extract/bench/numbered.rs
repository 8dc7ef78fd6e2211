//! Files as a tool shows them: each line with its number before it (`   12→text`).

use std::sync::LazyLock;

use regex::Regex;

use crate::session::Span;

/// A text without the numbers of its lines.
pub(super) struct Plain {
    pub(super) text: String,
    /// Where each line starts, here and in the source.
    starts: Vec<(u32, u32)>,
}

/// The text without the numbers of its lines; `None` where most lines have none.
pub(super) fn strip(text: &str) -> Option<Plain> {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^ *\d+(?:→|\t)").expect("static pattern"));
    if !NUMBER.is_match(text) {
        return None;
    }
    let mut plain = Plain { text: String::with_capacity(text.len()), starts: Vec::new() };
    let (mut at, mut numbered, mut all) = (0, 0usize, 0usize);
    for line in text.split_inclusive('\n') {
        let skip = NUMBER.find(line).map_or(0, |m| m.end());
        numbered += usize::from(skip > 0);
        all += 1;
        plain.starts.push((plain.text.len() as u32, (at + skip) as u32));
        plain.text.push_str(&line[skip..]);
        at += line.len();
    }
    // A note of the program may stand below the file.
    (numbered * 2 >= all).then_some(plain)
}

impl Plain {
    /// Turns a span of this text into the one of the source.
    pub(super) fn restore(&self, span: &mut Span) {
        let back = |at: u32| {
            let line = self.starts.partition_point(|(here, _)| *here <= at).saturating_sub(1);
            self.starts.get(line).map_or(at, |(here, there)| at - here + there)
        };
        (span.start, span.end) = (back(span.start), back(span.end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Field, MsgIx};

    #[test]
    fn numbers_of_lines_are_taken_away_and_places_kept() {
        let text = "     1→{\n     2→  \"mean_ms\": 4.5\n     3→}\n\n<note>";
        let plain = strip(text).unwrap();
        assert_eq!(plain.text, "{\n  \"mean_ms\": 4.5\n}\n\n<note>");
        let start = plain.text.find("4.5").unwrap() as u32;
        let mut span = Span { msg: MsgIx(0), part: 0, field: Field::Output, start, end: start + 3 };
        plain.restore(&mut span);
        assert_eq!(&text[span.start as usize..span.end as usize], "4.5");
        assert!(strip("plain\ntext").is_none());
    }
}
