//! The article as a list of sentences, each with its place in the Markdown and the messages it speaks of.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::refs::{self, Reference};
use crate::session;

/// Sentences of a paragraph that are read together. A sentence is read with those around it, so a paragraph without an
/// end would cost its square.
const TOGETHER: usize = 60;

/// What kind of block a sentence stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    /// A heading.
    Heading,
    /// A paragraph or an item of a list.
    Prose,
    /// A row of a table; the cells are parted by `|`.
    Row,
    /// A block of code: text quoted from a message.
    Code,
}

/// One sentence, heading, table row or code block of an article.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sentence {
    /// Plain text: emphasis taken off, code in backticks, links to messages as `[msg N]`.
    pub(super) text: String,
    /// Bytes in the Markdown.
    pub(super) bytes: Range<usize>,
    /// Line in the Markdown, from 1.
    pub(super) line: usize,
    /// What it stands in.
    pub(super) block: Block,
    /// The messages it names itself.
    pub(super) own: Vec<Reference>,
    /// The messages named by what encloses it: its paragraph or bullet, else its heading.
    pub(super) inherited: Vec<Reference>,
    /// The heading it stands under, with those above it, outermost first.
    pub(super) headings: Vec<String>,
    /// For a row: the cells of the table's head.
    pub(super) head: Vec<String>,
    /// For a row: bytes of its cells in the text.
    pub(super) cells: Vec<Range<usize>>,
    /// Lists it stands in.
    pub(super) depth: usize,
    /// Position of its paragraph, bullet or table in the article: equal for sentences that stand together.
    pub(super) group: usize,
}

impl Sentence {
    /// The messages it speaks of: those it names, else those named around it.
    pub(super) fn references(&self) -> &[Reference] {
        if self.own.is_empty() { &self.inherited } else { &self.own }
    }

    /// The texts of its cells, for a row.
    pub(super) fn cells(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().map(|c| self.text[c.clone()].trim())
    }
}

/// Plain text of a block, and where each piece of it stands in the Markdown.
#[derive(Default)]
struct Text {
    plain: String,
    /// (byte in `plain`, byte in the Markdown), ascending.
    places: Vec<(usize, usize)>,
    end: usize,
    /// For a row: bytes of its cells.
    cells: Vec<Range<usize>>,
}

impl Text {
    /// Adds a piece; characters that were made visible become again what they were.
    fn push(&mut self, text: &str, at: Range<usize>) {
        let mut rest = text;
        while let Some((shown, c)) = session::hidden(rest) {
            let from = at.start + (text.len() - rest.len());
            self.add(&rest[..shown.start], from);
            self.add(c.encode_utf8(&mut [0; 4]), from + shown.start);
            rest = &rest[shown.end..];
        }
        self.add(rest, at.start + (text.len() - rest.len()));
        self.end = at.end;
    }

    fn add(&mut self, text: &str, at: usize) {
        self.places.push((self.plain.len(), at));
        self.plain.push_str(text);
    }

    fn source(&self, plain: usize) -> usize {
        let n = self.places.partition_point(|p| p.0 <= plain);
        self.places.get(n.wrapping_sub(1)).map_or(0, |p| p.1 + (plain - p.0))
    }
}

struct Reader<'a> {
    markdown: &'a str,
    out: Vec<Sentence>,
    /// Headings above, by level, with the messages they name.
    headings: Vec<(u8, String)>,
    lines: Vec<usize>,
    group: usize,
    depth: usize,
}

/// Reads an article.
pub(super) fn read(markdown: &str) -> Vec<Sentence> {
    let lines = std::iter::once(0).chain(memchr::memchr_iter(b'\n', markdown.as_bytes()).map(|n| n + 1)).collect();
    let mut reader = Reader { markdown, out: Vec::new(), headings: Vec::new(), lines, group: 0, depth: 0 };
    reader.run();
    reader.out
}

impl Reader<'_> {
    fn run(&mut self) {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let markdown = self.markdown;
        let mut text = Text::default();
        let mut link: Option<String> = None;
        let mut head: Vec<String> = Vec::new();
        let mut row = Text::default();
        let mut code = false;
        for (event, at) in Parser::new_ext(markdown, options).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { .. } | Tag::Paragraph | Tag::TableCell | Tag::HtmlBlock) => {
                    text = Text::default();
                }
                Event::Start(Tag::Item) => {
                    self.prose(&mut text);
                }
                Event::Start(Tag::List(_)) => {
                    self.prose(&mut text);
                    self.depth += 1;
                }
                Event::End(TagEnd::List(_)) => self.depth = self.depth.saturating_sub(1),
                Event::End(TagEnd::Heading(level)) => self.heading(level as u8, &mut text),
                Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::BlockQuote(_)) => self.prose(&mut text),
                Event::Start(Tag::CodeBlock(_)) => {
                    self.prose(&mut text);
                    code = true;
                }
                Event::End(TagEnd::CodeBlock) => {
                    code = false;
                    self.code(&mut text);
                }
                Event::Start(Tag::TableHead | Tag::TableRow) => {
                    row = Text::default();
                }
                Event::End(TagEnd::TableCell) => {
                    if !row.cells.is_empty() {
                        row.push(" | ", at.start..at.start);
                    }
                    let from = row.plain.len();
                    for (n, &(plain, source)) in text.places.iter().enumerate() {
                        let to = text.places.get(n + 1).map_or(text.plain.len(), |p| p.0);
                        row.push(&text.plain[plain..to], source..text.end);
                    }
                    row.cells.push(from..row.plain.len());
                    text = Text::default();
                }
                Event::End(TagEnd::TableHead) => {
                    head = row.cells.iter().map(|c| row.plain[c.clone()].trim().to_owned()).collect();
                }
                Event::End(TagEnd::TableRow) => self.row(&mut row, &head),
                Event::End(TagEnd::Table) => self.group += 1,
                Event::Start(Tag::Link { dest_url, .. }) => {
                    link = dest_url.contains("#").then(|| dest_url.to_string()).filter(|d| d.contains("msg-"));
                }
                Event::End(TagEnd::Link) => link = None,
                Event::Text(t) if link.is_some() && !t.starts_with('[') => {
                    text.push(&format!("[{t}]"), at);
                }
                Event::Text(t) => text.push(&t, at),
                Event::Code(t) => text.push(&format!("`{t}`"), at),
                Event::SoftBreak | Event::HardBreak if !code => text.push(" ", at),
                _ => {}
            }
        }
        self.prose(&mut text);
    }

    fn line(&self, byte: usize) -> usize {
        self.lines.partition_point(|&start| start <= byte)
    }

    fn titles(&self) -> Vec<String> {
        self.headings.iter().map(|h| h.1.clone()).collect()
    }

    fn heading(&mut self, level: u8, text: &mut Text) {
        let text = std::mem::take(text);
        self.headings.retain(|h| h.0 < level);
        self.push(&text, 0..text.plain.len(), Block::Heading, Vec::new(), Vec::new());
        self.headings.push((level, text.plain));
        self.group += 1;
    }

    fn prose(&mut self, text: &mut Text) {
        let text = std::mem::take(text);
        if text.plain.trim().is_empty() {
            return;
        }
        for part in sentences(&text.plain).chunks(TOGETHER) {
            let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
            let around = named(&text.plain[first.start..last.end]);
            for range in part {
                self.push(&text, range.clone(), Block::Prose, around.clone(), Vec::new());
            }
            self.group += 1;
        }
    }

    fn row(&mut self, text: &mut Text, head: &[String]) {
        let text = std::mem::take(text);
        self.push(&text, 0..text.plain.len(), Block::Row, Vec::new(), head.to_vec());
    }

    fn code(&mut self, text: &mut Text) {
        let text = std::mem::take(text);
        self.push(&text, 0..text.plain.len(), Block::Code, Vec::new(), Vec::new());
        self.group += 1;
    }

    fn push(&mut self, text: &Text, at: Range<usize>, block: Block, around: Vec<Reference>, head: Vec<String>) {
        let plain = &text.plain[at.clone()];
        let start = text.source(at.start);
        let end = if at.end == text.plain.len() { text.end } else { text.source(at.end) };
        let inherited =
            if around.is_empty() { self.headings.last().map(|h| refs::find(&h.1)).unwrap_or_default() } else { around };
        self.out.push(Sentence {
            text: plain.to_owned(),
            bytes: start..end.max(start),
            line: self.line(start),
            block,
            own: if block == Block::Code { Vec::new() } else { named(plain) },
            inherited,
            headings: self.titles(),
            head,
            cells: text.cells.clone(),
            depth: self.depth,
            group: self.group,
        });
    }
}

/// The messages that a text names; code gives words of the session, ids such as `msg-2` among them.
fn named(text: &str) -> Vec<Reference> {
    let mut out = refs::find(text);
    out.retain(|r| text[..r.at.start].matches('`').count().is_multiple_of(2));
    out
}

/// Ranges of the sentences of a paragraph. Points in code, quotes, brackets, numbers and abbreviations end none.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let (mut start, mut ticks, mut quoted, mut depth) = (0, false, false, 0usize);
    // A mark that is never closed quotes nothing.
    let last = text.rfind('”').unwrap_or(0);
    let mut curly = false;
    let mut chars = text.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        let next = chars.peek().map(|n| n.1);
        match c {
            '“' => (quoted, curly) = (true, i < last),
            '”' => (quoted, curly) = (false, false),
            // What is quoted may hold half of a pair.
            _ if curly => {}
            '`' => ticks = !ticks,
            '"' => quoted = !quoted,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let closes = matches!(c, '.' | '!' | '?') && !quoted
            // `… done."` ends with the mark of the quote.
            || matches!(c, '"' | '”') && !quoted && text[..i].ends_with(['.', '!', '?', '…']);
        let at_end = next.is_none_or(char::is_whitespace);
        if !ticks
            && depth == 0
            && closes
            && at_end
            && !abbreviation(&text[start..i])
            && opens(&text[i + c.len_utf8()..])
        {
            push(&mut out, text, start..i + c.len_utf8());
            start = i + c.len_utf8();
        }
    }
    push(&mut out, text, start..text.len());
    out
}

fn push(out: &mut Vec<Range<usize>>, text: &str, range: Range<usize>) {
    let piece = &text[range.clone()];
    let from = range.start + (piece.len() - piece.trim_start().len());
    let to = range.start + piece.trim_end().len();
    if from < to {
        out.push(from..to);
    }
}

/// Whether a new sentence can begin here.
fn opens(rest: &str) -> bool {
    rest.trim_start().chars().next().is_none_or(|c| !c.is_lowercase())
}

fn abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
    let known = ["e.g", "i.e", "etc", "vs", "cf", "approx", "no", "resp", "dr", "mr", "fig"];
    known.contains(&word.to_ascii_lowercase().as_str())
        || before.trim().bytes().all(|b| b.is_ascii_digit()) && !before.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_knows_its_place_and_the_messages_around_it() {
        let article = "# On [msg 7](#msg-7)\n\nIt ran `a. B` once. [msg 9](#msg-9) failed.\n\n- one item ([msg 3])\n";
        let found = read(article);
        let texts: Vec<_> = found.iter().map(|s| (&*s.text, s.line)).collect();
        assert_eq!(
            texts,
            [("On [msg 7]", 1), ("It ran `a. B` once.", 3), ("[msg 9] failed.", 3), ("one item ([msg 3])", 5)]
        );
        assert_eq!(found[1].references()[0].to_string(), "9", "the paragraph's own message comes before the heading's");
        assert_eq!(&article[found[1].bytes.clone()], "It ran `a. B` once.");
    }

    #[test]
    fn code_names_no_message() {
        let found = read("[msg 5] bears the id `msg-2`.\n");
        assert_eq!(found[0].own.iter().map(Reference::to_string).collect::<Vec<_>>(), ["5"]);
    }

    #[test]
    fn rows_keep_the_head_of_their_table() {
        let found = read("| item | done |\n|---|---|\n| T1 | [msg 4] |\n");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text, "T1 | [msg 4]");
        assert_eq!(found[0].head, ["item", "done"]);
        assert_eq!(found[0].cells().collect::<Vec<_>>(), ["T1", "[msg 4]"]);
        assert_eq!(found[0].line, 3);
        let found = read("| command | end |\n|---|---|\n| `a \\| b` |  |\n");
        assert_eq!(found[0].cells().collect::<Vec<_>>(), ["`a | b`", ""], "a pipe inside a cell parts none");
    }

    #[test]
    fn what_was_made_visible_is_read_as_it_was() {
        let article = "It said \\\\u{001B}x. Then `y\\u{0007}z`.\n";
        let found = read(article);
        assert_eq!(found[0].text, "It said \u{1b}x.");
        assert_eq!(found[1].text, "Then `y\u{7}z`.");
        assert_eq!(&article[found[1].bytes.clone()], "Then `y\\u{0007}z`.");
    }

    #[test]
    fn a_paragraph_without_an_end_is_read_in_parts() {
        let article = (1..=150).map(|n| format!("[msg {n}] failed. ")).collect::<String>();
        let found = read(&article);
        assert_eq!(found.len(), 150);
        assert_eq!(found.last().map(|s| s.group), Some(2));
        assert!(found.iter().all(|s| s.inherited.len() <= TOGETHER));
    }
}
