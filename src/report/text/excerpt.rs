//! A text of the transcript, written in Markdown or not, as pieces of one readable line.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A piece of an excerpt.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    /// What is shown.
    pub(super) text: String,
    /// It stands as code.
    pub(super) code: bool,
}

/// Bytes of a text that are looked at for each character shown.
const LOOK: usize = 8;

struct Line {
    pieces: Vec<Piece>,
    /// A blank, or dots, to be written before the next word.
    space: bool,
    gap: bool,
    words: usize,
    chars: usize,
    /// Something did not fit.
    full: bool,
}

/// The start of a text: at most `words` words and `max` characters, dots where marks were taken off or text was cut.
pub(super) fn pieces(text: &str, words: usize, max: usize) -> Vec<Piece> {
    let text = text.trim_start();
    let start = &text[..text.floor_char_boundary(max * LOOK + 400)];
    let mut line = Line { pieces: Vec::new(), space: false, gap: false, words, chars: max, full: false };
    let mut inside = 0;
    for (event, at) in Parser::new_ext(start, Options::ENABLE_TABLES).into_offset_iter() {
        if line.full {
            break;
        }
        let raw = &start[at.clone()];
        match event {
            // A link keeps its marks: without them the words around it would not stand together.
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => {
                if inside == 0 {
                    line.say(raw, false);
                }
                inside += 1;
            }
            Event::End(TagEnd::Link | TagEnd::Image) => inside -= 1,
            _ if inside > 0 => {}
            Event::Text(_) | Event::Html(_) | Event::InlineHtml(_) => line.say(raw, false),
            Event::Code(code) => line.say(&code, true),
            Event::SoftBreak | Event::HardBreak | Event::Start(Tag::Paragraph) => line.space = true,
            Event::Start(Tag::Emphasis | Tag::Strong) if raw.starts_with('_') => line.say(mark(raw), false),
            Event::End(TagEnd::Emphasis | TagEnd::Strong) if raw.starts_with('_') => line.say(mark(raw), false),
            Event::Start(Tag::Emphasis | Tag::Strong) | Event::End(TagEnd::Emphasis | TagEnd::Strong) => {}
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock | TagEnd::Paragraph) => line.space = true,
            Event::Start(_) | Event::Rule => line.gap = true,
            // The close of a block of code, of a row: marks stand there, or a line that Markdown does not show.
            Event::End(TagEnd::CodeBlock | TagEnd::TableHead | TagEnd::TableCell) => line.gap = true,
            _ => line.space = true,
        }
    }
    if line.full || start.len() < text.len() {
        line.push("…", false);
    }
    line.pieces
}

/// The marks of an emphasis by underscores.
fn mark(raw: &str) -> &str {
    &raw[..raw.len() - raw.trim_start_matches('_').len()]
}

impl Line {
    /// Adds text word by word, until a limit is met.
    fn say(&mut self, text: &str, code: bool) {
        self.space |= text.starts_with(char::is_whitespace);
        for (i, word) in text.split_whitespace().enumerate() {
            self.space |= i > 0;
            let starts = self.space || self.gap || self.pieces.is_empty();
            let length = word.chars().count() + usize::from(self.space) + 2 * usize::from(self.gap);
            // Dots between two words stand alone, as a word does.
            let cost = usize::from(starts) + usize::from(self.gap && !self.pieces.is_empty());
            if self.full || cost > self.words {
                self.full = true;
                return;
            }
            if length > self.chars {
                let kept: String = word.chars().take(self.chars.saturating_sub(1)).collect();
                if self.pieces.is_empty() || kept.chars().count() >= 12 {
                    self.word(&kept, code && i == 0);
                }
                self.full = true;
                return;
            }
            self.words -= cost;
            self.chars -= length;
            // The words of one piece of code stay one piece.
            if code && i > 0 {
                self.space = false;
                self.push(&format!(" {word}"), true);
            } else {
                self.word(word, code);
            }
        }
        self.space |= text.ends_with(char::is_whitespace);
    }

    fn word(&mut self, word: &str, code: bool) {
        if !self.pieces.is_empty() {
            if self.gap {
                self.push(" … ", false);
            } else if self.space {
                self.push(" ", false);
            }
        }
        (self.space, self.gap) = (false, false);
        self.push(word, code);
    }

    fn push(&mut self, text: &str, code: bool) {
        match self.pieces.last_mut().filter(|p| p.code == code) {
            Some(last) => last.text.push_str(text),
            None => self.pieces.push(Piece { text: text.to_owned(), code }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{excerpt, plain_excerpt};

    #[test]
    fn marks_are_taken_off_and_leave_dots_where_they_parted() {
        for (text, shown) in [
            (
                "Both **items** are done:\n\n- `a_b.md` is *new*\n- the rest",
                "Both items are done: … `a_b.md` is new … the rest",
            ),
            ("## Result\nIt is 3 < 4.\n\nNext.", "Result It is 3 \\< 4. Next."),
            ("| a | b |\n|---|---|\n| 1 | 2 |", "a … b … 1 … 2"),
            ("Run:\n```sh\nls *.rs\n```\nthen go", "Run: … ls \\*.rs … then go"),
            ("see [the page](http://x.example) and <b>", "see \\[the page\\](http\\://x.example) and \\<b\\>"),
            ("_so_ and __init__ and 2 * 3", "_so_ and __init__ and 2 \\* 3"),
            ("", ""),
        ] {
            assert_eq!(excerpt(text, 50, 200).replace("\\_", "_"), shown, "{text}");
        }
    }

    #[test]
    fn words_and_characters_are_limited() {
        assert_eq!(plain_excerpt("one two three four", 3, 100), "one two three…");
        assert_eq!(plain_excerpt("one two three", 3, 100), "one two three");
        assert_eq!(plain_excerpt("one two three", 9, 8), "one two…");
        assert_eq!(plain_excerpt(&"漢".repeat(40), 9, 10), format!("{}…", "漢".repeat(9)));
        assert_eq!(plain_excerpt("run `make all the things`", 3, 90), "run make all…");
        assert_eq!(plain_excerpt("a", 0, 10), "…");
    }
}
