//! Stage 6a: from analyses to rows. The only place that names polars (feature `polars`).
//!
//! [`TABLES`] is the registry: one entry per table, one file per family of tables. A table knows its columns and how to
//! make its rows from one [`Analysis`]; rows stream, nothing is collected here. Writers take rows of [`Value`]s and know
//! nothing of sessions.
//!
//! Invariants: every row begins with `session_id`; every cell is NULL or of its column's type; ids are unique over any
//! set of sessions, since they carry a prefix made from agent and session id.

mod artefacts;
mod bench;
mod claims;
mod comparisons;
pub mod csv;
pub mod dataset;
mod discrepancies;
mod episodes;
mod findings;
#[cfg(feature = "polars")]
mod frame;
mod links;
mod markdown;
pub mod ndjson;
#[cfg(feature = "polars")]
mod parquet;
mod plan;
mod printed;
pub mod queries;
mod reasoning;
mod requests;
mod scope;
mod sessions;
mod sources;
#[cfg(feature = "polars")]
pub mod sql;
mod tool_calls;
mod value;

pub use scope::{Rows, Scope};
pub use value::{Kind, Value};

use crate::analysis::Analysis;

/// Version of the schema: raised when a column changes its meaning or goes away, not when one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// What is said where a build without polars is asked for what needs it.
pub const NO_POLARS: &str = "this turnpoint was built without polars: no SQL, no Parquet; use CSV or NDJSON, or build with the default features";

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Name in SQL, CSV, NDJSON and Parquet.
    pub name: &'static str,
    /// Type of its cells.
    pub kind: Kind,
    /// Unit of its numbers; `""` = none.
    pub unit: &'static str,
    /// What it holds, in one phrase.
    pub meaning: &'static str,
}

/// A table: its columns, and how its rows are made.
#[derive(Debug)]
pub struct Table {
    /// Name in SQL; also the name of its files.
    pub name: &'static str,
    /// What one row is, in one sentence.
    pub about: &'static str,
    /// First columns, alike in many tables: [`SESSION`], [`PLACED`] or [`NAMED`].
    pub head: &'static [Column],
    /// The table's own columns, behind those of the head.
    pub own: &'static [Column],
    /// Makes the rows of one session.
    pub rows: for<'a> fn(&Scope<'a>, &mut Rows<'a, '_>),
}

/// Tables, in the order in which they are listed.
pub const TABLES: &[Table] = &[
    sources::SOURCES,
    sessions::SESSIONS,
    sessions::MESSAGES,
    tool_calls::TOOL_CALLS,
    plan::TRANSITIONS,
    plan::PLAN_ITEMS,
    markdown::TABLES,
    markdown::CELLS,
    bench::MEASUREMENTS,
    bench::LIMITS,
    bench::EFFICIENCIES,
    comparisons::COMPARISONS,
    comparisons::CALCULATIONS,
    findings::FINDINGS,
    printed::TOOL_FINDINGS,
    requests::DIRECTIVES,
    requests::OPTIONS,
    reasoning::DECISIONS,
    reasoning::ASSUMPTIONS,
    claims::CLAIMS,
    artefacts::ARTEFACTS,
    episodes::EPISODES,
    links::LINKS,
    discrepancies::DISCREPANCIES,
    sources::WARNINGS,
];

const SESSION_ID: Column = text("session_id", "id of the session, as the agent gave it");
const ID: Column = text("id", "id of the row, unique over all sessions");
const MSG: Column = int("msg", "", "number of the message; for a subagent's row, of the message that started it");
const SUB: Column = int("sub", "", "the subagent's own number of the message; NULL on the main thread");
const MSG_LABEL: Column = text("msg_label", "number of the message, unique in the session: 352, 340.s1.3");
const THREAD: Column = text("thread", "main, or the label of the subagent: 340.s1");

/// Head of tables whose rows have no single place.
pub const SESSION: &[Column] = &[SESSION_ID];
/// Head of tables whose rows have a place, but no id.
pub const PLACED: &[Column] = &[SESSION_ID, MSG, SUB, MSG_LABEL, THREAD];
/// Head of tables whose rows have an id and a place.
pub const NAMED: &[Column] = &[SESSION_ID, ID, MSG, SUB, MSG_LABEL, THREAD];

const fn text(name: &'static str, meaning: &'static str) -> Column {
    Column { name, kind: Kind::Text, unit: "", meaning }
}

const fn flag(name: &'static str, meaning: &'static str) -> Column {
    Column { name, kind: Kind::Bool, unit: "", meaning }
}

const fn int(name: &'static str, unit: &'static str, meaning: &'static str) -> Column {
    Column { name, kind: Kind::Int, unit, meaning }
}

const fn float(name: &'static str, unit: &'static str, meaning: &'static str) -> Column {
    Column { name, kind: Kind::Float, unit, meaning }
}

impl Table {
    /// All columns, in order.
    pub fn columns(&self) -> impl Iterator<Item = &'static Column> + use<> {
        self.head.iter().chain(self.own)
    }

    /// Hands the rows of one session to `emit`, one after the other.
    pub fn each_row(&self, analysis: &Analysis, emit: &mut dyn FnMut(&[Value<'_>])) {
        let scope = Scope::new(analysis);
        (self.rows)(&scope, &mut Rows::new(&scope, self.head.len() + self.own.len(), emit));
    }
}

/// The table of this name.
pub fn find(name: &str) -> Option<&'static Table> {
    TABLES.iter().find(|t| t.name == name)
}

/// The name most like `name`, when it is like enough: for hints in errors.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let name = name.to_lowercase();
    let scored = known.into_iter().map(|k| (distance(&name, k), k));
    scored.min().filter(|(d, _)| *d <= name.chars().count().div_ceil(3)).map(|(_, k)| k)
}

/// Edits (insert, remove, replace) that lead from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
