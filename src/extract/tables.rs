//! Markdown tables, wherever they stand in what was said.

use serde::Serialize;

use crate::session::{Provenance, Session, Span};

/// A Markdown table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// The whole table, from the first `|` of its header to the end of its last row.
    pub span: Span,
    /// Where the text comes from; only tables of [`Provenance::User`] and [`Provenance::Assistant`] can be new.
    pub provenance: Provenance,
    /// Nearest heading, or the paragraph of one line that stands directly before it.
    pub caption: Option<String>,
    /// Header cells, as shown (marks removed).
    pub header: Vec<Cell>,
    /// Rows; each has as many cells as the header.
    pub rows: Vec<Vec<Cell>>,
    /// Columns aligned to the right or to the centre.
    pub numeric_hint: Vec<bool>,
    /// What it holds.
    pub kind: TableKind,
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

/// Reads every Markdown table of what was said.
pub fn extract(_session: &Session) -> Vec<Table> {
    Vec::new()
}
