//! Rows and columns of text, whoever drew the table.

use std::ops::Range;

use crate::extract::tables::Table;

/// A cell: text as shown, its bytes in the source, and whether it is struck out.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct GridCell {
    /// Text as shown.
    pub(crate) text: String,
    /// Bytes in the source.
    pub(crate) range: Range<usize>,
    /// Written between `~~`.
    pub(crate) struck: bool,
}

/// A table with what stands above it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Grid {
    /// Header cells.
    pub(crate) header: Vec<GridCell>,
    /// Rows; each as long as the header.
    pub(crate) rows: Vec<Vec<GridCell>>,
    /// Columns aligned to the right.
    pub(crate) right: Vec<bool>,
    /// Caption and heading, one after the other.
    pub(crate) above: String,
    /// Position in `Facts::tables`, for Markdown tables.
    pub(crate) table: Option<u32>,
}

impl Grid {
    /// A Markdown table; `source` is the text it stands in.
    pub(crate) fn of_table(table: &Table, at: Option<u32>, source: &str) -> Self {
        let cell = |c: &crate::extract::tables::Cell| {
            let range = c.span.start as usize..c.span.end as usize;
            let struck = source.get(range.clone()).is_some_and(|raw| raw.starts_with("~~"));
            GridCell { text: clean(&c.text), range, struck }
        };
        let mut above = table.heading.clone().unwrap_or_default();
        if let Some(caption) = table.caption.as_ref().filter(|c| Some(*c) != table.heading.as_ref()) {
            above = format!("{above}\n{caption}");
        }
        let mut grid = Self {
            header: table.header.iter().map(cell).collect(),
            rows: table.rows.iter().map(|r| r.iter().map(cell).collect()).collect(),
            right: table.numeric_hint.clone(),
            above,
            table: at,
        };
        grid.carry_down();
        grid
    }

    /// Text of a cell; empty where there is none.
    pub(crate) fn text(&self, row: usize, column: usize) -> &str {
        self.rows.get(row).and_then(|r| r.get(column)).map_or("", |c| &c.text)
    }

    /// Filled cells of a column.
    pub(crate) fn column(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(move |r| r.get(column)).map(|c| c.text.as_str()).filter(|t| !is_absent(t))
    }

    /// A blank first cell repeats the one above it, when the row holds anything else.
    fn carry_down(&mut self) {
        for row in 1..self.rows.len() {
            let (above, below) = self.rows.split_at_mut(row);
            let (Some(above), Some(row)) = (above.last(), below.first_mut()) else { continue };
            if row.len() > 2 && row[0].text.is_empty() && row[1..].iter().any(|c| !c.text.is_empty()) {
                row[0].text = above[0].text.clone();
            }
        }
    }
}

/// Whether a cell says that there is no value.
pub(crate) fn is_absent(text: &str) -> bool {
    matches!(
        text.trim().to_ascii_lowercase().as_str(),
        "" | "-" | "–" | "—" | "n/a" | "na" | "nan" | "skip" | "skipped" | "oom" | "fail" | "failed" | "tbd" | "?"
    )
}

/// Text without the pictures and marks around it.
fn clean(text: &str) -> String {
    let picture = |c: char| matches!(c, '\u{1F000}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}' | '\u{FE0F}' | '\u{2B50}');
    let text: String = text.chars().filter(|c| !picture(*c)).collect();
    text.trim().trim_matches('*').trim().to_owned()
}
