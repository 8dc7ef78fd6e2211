//! Markdown tables, wherever they stand in what was said.
//!
//! Tables that a tool printed are not among them: they are input of the benchmark readers.

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::{memchr, memrchr};
use pulldown_cmark::{Alignment, Event, Options, Parser, Tag, TagEnd};
use serde::Serialize;

use crate::session::{Provenance, Session, Span, TextRef};

/// A Markdown table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// The whole table, from the first byte of its header to the end of its last row.
    pub span: Span,
    /// Where the text comes from; only tables of [`Provenance::User`] and [`Provenance::Assistant`] can be new.
    pub provenance: Provenance,
    /// The paragraph of one line that stands directly before it, else the nearest heading.
    pub caption: Option<String>,
    /// The nearest heading above it in the same text.
    pub heading: Option<String>,
    /// Header cells, as shown (marks removed).
    pub header: Vec<Cell>,
    /// Rows; each has as many cells as the header.
    pub rows: Vec<Vec<Cell>>,
    /// Columns aligned to the right or to the centre.
    pub numeric_hint: Vec<bool>,
    /// What it holds; [`TableKind::Other`] until `table_kinds` has judged it.
    pub kind: TableKind,
    /// Earlier table (position in `Facts::tables`) with the same cells: this one is not new.
    pub restates: Option<u32>,
}

/// One cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// Text as shown: emphasis and code marks removed.
    pub text: String,
    /// The cell's bytes in the source, without the white space around.
    pub span: Span,
}

/// What a table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum TableKind {
    /// Measured figures.
    Benchmark,
    /// Findings with levels or states.
    Findings,
    /// Options or alternatives.
    Options,
    /// Anything else.
    #[default]
    Other,
}

impl TableKind {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Benchmark => "benchmark",
            Self::Findings => "findings",
            Self::Options => "options",
            Self::Other => "other",
        }
    }
}

impl Table {
    /// The bytes from the first to the last cell of a row.
    pub fn row_span(&self, row: usize) -> Option<Span> {
        let cells = self.rows.get(row)?;
        let (first, last) = (cells.first()?, cells.iter().rev().find(|c| c.span.end > 0)?);
        Some(Span { end: last.span.end.max(first.span.end), ..first.span.clone() })
    }

    /// Position of the first column whose header satisfies `wanted` (given in lower case).
    pub fn column(&self, wanted: impl Fn(&str) -> bool) -> Option<usize> {
        self.header.iter().position(|c| wanted(&c.text.to_lowercase()))
    }

    fn content(&self) -> Vec<String> {
        let rows = self.rows.iter().flatten();
        self.header.iter().chain(rows).map(|c| c.text.clone()).collect()
    }
}

/// Reads every Markdown table of what was said.
pub fn extract(session: &Session) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut seen: BTreeMap<Vec<String>, u32> = BTreeMap::new();
    for text in session.texts().filter(|t| has_delimiter_row(t.text)) {
        for mut table in read(&text) {
            let here = tables.len() as u32;
            let first = *seen.entry(table.content()).or_insert(here);
            table.restates = (first < here).then_some(first);
            tables.push(table);
        }
    }
    tables
}

/// Whether a line like `|---|:--:|` stands anywhere. Cheap, so that texts without tables cost nothing.
fn has_delimiter_row(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(pipe) = memchr(b'|', &bytes[at..]) {
        let pipe = at + pipe;
        let start = memrchr(b'\n', &bytes[..pipe]).map_or(0, |n| n + 1).max(at);
        let end = memchr(b'\n', &bytes[pipe..]).map_or(bytes.len(), |n| pipe + n);
        let line = &bytes[start..end];
        if start > 0 && line.contains(&b'-') && line.iter().all(|b| b" \t\r|:->".contains(b)) {
            return true;
        }
        at = end;
    }
    false
}

/// The tables of one text.
pub(crate) fn read(text: &TextRef<'_>) -> Vec<Table> {
    let mut reader = Reader { text, tables: Vec::new(), heading: None, before: None, open: None, cell: None };
    let mut inline = String::new();
    for (event, range) in Parser::new_ext(text.text, Options::ENABLE_TABLES).into_offset_iter() {
        reader.event(event, range, &mut inline);
    }
    reader.tables
}

struct Reader<'a> {
    text: &'a TextRef<'a>,
    tables: Vec<Table>,
    heading: Option<String>,
    /// The paragraph that ended last, with its end.
    before: Option<(String, usize)>,
    open: Option<Table>,
    cell: Option<Range<usize>>,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>, inline: &mut String) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::Paragraph) => inline.clear(),
            Event::End(TagEnd::Heading(_)) => {
                self.heading = Some(inline.trim().to_owned());
                self.before = None;
            }
            Event::End(TagEnd::Paragraph) => self.before = Some((inline.trim().to_owned(), range.end)),
            Event::Start(Tag::Table(alignments)) => self.open_table(&alignments, range),
            Event::Start(Tag::TableRow) => {
                if let Some(table) = &mut self.open {
                    table.rows.push(Vec::new());
                }
            }
            Event::Start(Tag::TableCell) => {
                inline.clear();
                self.cell = Some(range);
            }
            Event::End(TagEnd::TableCell) => self.close_cell(inline),
            Event::End(TagEnd::Table) => self.close_table(),
            Event::Text(t) | Event::Code(t) => inline.push_str(&t),
            Event::SoftBreak | Event::HardBreak => inline.push('\n'),
            Event::InlineHtml(tag) if tag.starts_with("<br") => inline.push(' '),
            _ => {}
        }
    }

    fn open_table(&mut self, alignments: &[Alignment], range: Range<usize>) {
        let caption = self.before.take().filter(|(text, end)| {
            let between = self.text.text.get(*end..range.start).unwrap_or("x");
            !text.is_empty()
                && text.len() <= 200
                && !text.contains('\n')
                && between.bytes().all(|b| b" \t\r\n>".contains(&b))
        });
        let end = self.text.text[..range.end].trim_end().len().max(range.start);
        self.open = Some(Table {
            span: self.text.span(range.start, end),
            provenance: self.text.provenance,
            caption: caption.map(|(text, _)| text).or_else(|| self.heading.clone()),
            heading: self.heading.clone(),
            header: Vec::new(),
            rows: Vec::new(),
            numeric_hint: alignments.iter().map(|a| matches!(a, Alignment::Right | Alignment::Center)).collect(),
            kind: TableKind::Other,
            restates: None,
        });
    }

    fn close_cell(&mut self, inline: &str) {
        let (Some(range), Some(table)) = (self.cell.take(), &mut self.open) else { return };
        let raw = &self.text.text[range.clone()];
        let blank = |c: char| c.is_whitespace() || c == '|';
        let start = range.start + (raw.len() - raw.trim_start_matches(blank).len()).min(raw.len());
        let end = (range.start + trim_pipe(raw).len()).max(start);
        let shown = inline.replace("~~", "");
        let cell = Cell { text: shown.trim().to_owned(), span: self.text.span(start, end) };
        table.rows.last_mut().unwrap_or(&mut table.header).push(cell);
    }

    fn close_table(&mut self) {
        let Some(mut table) = self.open.take() else { return };
        let width = table.header.len();
        let nowhere = self.text.span(table.span.end as usize, table.span.end as usize);
        for row in &mut table.rows {
            let span = row.last().map_or(nowhere.clone(), |c| Span { start: c.span.end, ..c.span.clone() });
            row.resize(width, Cell { text: String::new(), span });
        }
        self.tables.push(table);
    }
}

/// A cell's source without the white space and the closing pipe behind it; an escaped pipe belongs to the cell.
fn trim_pipe(raw: &str) -> &str {
    let trimmed = raw.trim_end();
    match trimmed.strip_suffix('|') {
        Some(inner) if !inner.ends_with('\\') => inner.trim_end(),
        _ => trimmed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;
    use crate::session::{MessageKind, Role};

    fn texts(row: &[Cell]) -> Vec<&str> {
        row.iter().map(|c| c.text.as_str()).collect()
    }

    #[test]
    fn reads_cells_with_their_bytes() {
        let text = "## Runs\n\nAll in ms:\n\n| Name | **Mean** |\n|:--|--:|\n| a \\| b | `1 \\| 2` |\n| *c* |\n\nend";
        let session = SessionBuilder::new().assistant(text).build();
        let tables = extract(&session);
        assert_eq!(tables.len(), 1);
        let table = &tables[0];
        assert_eq!((table.caption.as_deref(), table.heading.as_deref()), (Some("All in ms:"), Some("Runs")));
        assert_eq!(texts(&table.header), ["Name", "Mean"]);
        assert_eq!(texts(&table.rows[0]), ["a | b", "1 | 2"]);
        assert_eq!(texts(&table.rows[1]), ["c", ""]);
        assert_eq!(table.numeric_hint, [false, true]);
        assert_eq!(session.quote(&table.header[1].span), Some("**Mean**"));
        assert_eq!(session.quote(&table.rows[0][0].span), Some("a \\| b"));
        assert_eq!(session.quote(&table.rows[0][1].span), Some("`1 \\| 2`"));
        assert_eq!(session.quote(&table.rows[1][1].span), Some(""));
        assert!(session.quote(&table.span).unwrap().starts_with("| Name"));
        assert!(session.quote(&table.span).unwrap().ends_with("| *c* |"));
        assert_eq!(session.quote(&table.row_span(0).unwrap()), Some("a \\| b | `1 \\| 2`"));
    }

    #[test]
    fn reads_tables_in_lists_and_quotes_but_not_in_fences() {
        let text = "- point\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n\n> | c | d |\n> |---|---|\n> | 3 | 4 |\n\n```\n| e | f |\n|---|---|\n| 5 | 6 |\n```\n";
        let session = SessionBuilder::new().user(text).build();
        let tables = extract(&session);
        let rows: Vec<_> = tables.iter().map(|t| texts(&t.rows[0])).collect();
        assert_eq!(rows, [["1", "2"], ["3", "4"]]);
        assert_eq!(session.quote(&tables[1].rows[0][1].span), Some("4"));
    }

    #[test]
    fn the_same_table_again_is_not_new() {
        let table = "| a | b |\n|---|---|\n| 1 | 2 |\n";
        let session = SessionBuilder::new()
            .assistant(table)
            .text(Role::User, MessageKind::CompactionSummary, &format!("So far:\n\n{table}"))
            .assistant("| a | b |\n|---|---|\n| 1 | 3 |\n")
            .build();
        let restates: Vec<_> = extract(&session).iter().map(|t| (t.restates, t.provenance)).collect();
        assert_eq!(
            restates,
            [(None, Provenance::Assistant), (Some(0), Provenance::Summary), (None, Provenance::Assistant)]
        );
    }

    #[test]
    fn a_pipe_alone_is_no_table() {
        for text in ["a | b", "cat x | sort\n-----\n", "|---|---|", "x\n\n|--|\n", ""] {
            let session = SessionBuilder::new().assistant(text).build();
            assert_eq!(extract(&session), [], "{text}");
        }
    }
}
