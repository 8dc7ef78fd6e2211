//! Sections of a report: each makes a view of plain values from an analysis; the sentences stand in
//! `templates/sections/<id>.md`. A section with nothing to say is left out.

mod artefacts;
mod asked;
mod assumptions;
pub(crate) mod bench;
pub(crate) mod change;
mod decisions;
pub(crate) mod diff;
mod discrepancies;
mod findings;
mod left;
pub(crate) mod messages;
pub mod opening;
pub(crate) mod phases;
pub(crate) mod plan;
mod printed;
mod sources;
pub(crate) mod summary;
mod tools;
pub(crate) mod value;

use serde_json::Value;

use super::chart::Figure;
use super::engine::Engine;
use crate::analysis::Analysis;
use crate::error::Error;

/// What the sections are made from.
#[derive(Debug)]
pub struct Material<'a> {
    /// The session, analysed.
    pub analysis: &'a Analysis,
    /// Its charts.
    pub figures: &'a [Figure],
    /// Every row instead of the first ones.
    pub full: bool,
    /// Sentences of discrepancies.
    pub engine: &'a Engine,
}

/// A section of the report.
#[derive(Debug)]
pub struct Section {
    /// Id, and name of the template.
    pub id: &'static str,
    /// Makes the view; `None` when there is nothing to say.
    pub view: fn(&Material<'_>) -> Result<Option<Value>, Error>,
}

/// Sections, in the order of the report.
pub const SECTIONS: &[Section] = &[
    Section { id: "opening", view: opening::view },
    Section { id: "left", view: left::view },
    Section { id: "summary", view: summary::view },
    Section { id: "asked", view: asked::view },
    Section { id: "phases", view: phases::view },
    Section { id: "plan", view: plan::view },
    Section { id: "bench", view: bench::view },
    Section { id: "findings", view: findings::view },
    Section { id: "printed", view: printed::view },
    Section { id: "decisions", view: decisions::view },
    Section { id: "assumptions", view: assumptions::view },
    Section { id: "discrepancies", view: discrepancies::view },
    Section { id: "artefacts", view: artefacts::view },
    Section { id: "tools", view: tools::view },
    Section { id: "sources", view: sources::view },
];

/// Rows of a table shown unless everything is asked for.
const ROWS: usize = 60;

/// Rows of a table that a reader looks into rather than reads.
const FEW: usize = 20;

/// The first few rows, and how many are left out.
fn first_few<T>(mut rows: Vec<T>, full: bool) -> (Vec<T>, usize) {
    let left = if full { 0 } else { rows.len().saturating_sub(FEW) };
    rows.truncate(rows.len() - left);
    (rows, left)
}

/// The first rows, and how many are left out.
fn first_rows<T>(mut rows: Vec<T>, full: bool) -> (Vec<T>, usize) {
    let left = if full { 0 } else { rows.len().saturating_sub(ROWS) };
    rows.truncate(rows.len() - left);
    (rows, left)
}

/// A view as a template takes it.
fn some(view: impl serde::Serialize) -> Result<Option<Value>, Error> {
    serde_json::to_value(view).map(Some).map_err(|e| Error::Template(e.to_string()))
}
