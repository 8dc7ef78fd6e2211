//! Arithmetic that the participants state, worked out again.
//!
//! Figures are rounded: every number is an interval of half its last digit, and a statement holds when the interval of
//! what it states meets the interval of what comes out. A statement that can be read in several ways holds when one of
//! them fits; one whose units are not understood is not judged.

mod changes;
mod equations;
mod means;
mod rounded;
mod shares;
mod tables;

use std::ops::Range;

use serde::Serialize;

use super::tables::Table;
use crate::session::{MsgIx, Provenance, Session, Span, TextRef};
use rounded::Rounded;

/// A result that somebody states, with the terms it comes of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calculation {
    /// Message.
    pub msg: MsgIx,
    /// Bytes of the statement: terms and result, or the cell of a table.
    pub span: Span,
    /// Whose statement it is.
    pub provenance: Provenance,
    /// What is worked out.
    pub kind: CalculationKind,
    /// The terms, as they enter it.
    pub terms: Vec<f64>,
    /// What is stated, in `unit`.
    pub stated: f64,
    /// What comes out, in `unit`; of several readings the nearest.
    pub recomputed: f64,
    /// Unit of both; `None` for a plain number.
    pub unit: Option<String>,
    /// Whether the two agree within the rounding of what is written.
    pub holds: bool,
}

/// What is worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CalculationKind {
    /// Terms added, or a row of totals.
    Sum,
    /// Any other equation.
    Equation,
    /// A part of a whole, in percent.
    Share,
    /// What is missing to the whole, in percent.
    Gap,
    /// A change from one value to another, in percent, percentage points or as a difference.
    Change,
    /// A change as a factor.
    Factor,
    /// A mean.
    Mean,
}

/// Every calculation that was said, in reading order; tables after the text of their message part.
pub fn extract(session: &Session, tables: &[Table]) -> Vec<Calculation> {
    let mut out = Vec::new();
    for text in session.texts().filter(|t| t.provenance.is_said() && t.text.bytes().any(|b| b.is_ascii_digit())) {
        for range in prose_lines(text.text) {
            let line = Line { at: &text, start: range.start, text: &text.text[range] };
            let equations = equations::read(&line);
            let apart =
                |c: &Calculation| !equations.iter().any(|e| e.span.start < c.span.end && c.span.start < e.span.end);
            out.extend(shares::read(&line).into_iter().filter(apart));
            out.extend(equations);
            out.extend(changes::read(&line));
            out.extend(changes::read_factors(&line));
            out.extend(means::read(&line));
        }
    }
    let said = tables.iter().filter(|t| t.provenance.is_said() && t.restates.is_none());
    out.extend(said.flat_map(tables::read));
    out.sort_by_key(|c| (c.msg, c.span.part, c.span.start, c.kind));
    out
}

/// A line of prose.
struct Line<'a> {
    at: &'a TextRef<'a>,
    start: usize,
    text: &'a str,
}

impl Line<'_> {
    /// A calculation that stands in this range of the line.
    fn stated(&self, range: Range<usize>, kind: CalculationKind, terms: Vec<f64>, result: Outcome) -> Calculation {
        let span = self.at.span(self.start + range.start, self.start + range.end);
        Calculation {
            msg: self.at.msg,
            span,
            provenance: self.at.provenance,
            kind,
            terms,
            stated: result.stated,
            recomputed: result.recomputed,
            unit: result.unit,
            holds: result.holds,
        }
    }
}

/// What is stated and what comes out.
struct Outcome {
    stated: f64,
    recomputed: f64,
    unit: Option<String>,
    holds: bool,
}

impl Outcome {
    /// The stated figure against every way in which it can be meant; the nearest one is kept.
    fn of(stated: &Rounded, readings: &[Rounded], unit: &str) -> Option<Self> {
        let distance = |r: &&Rounded| (r.value - stated.value).abs();
        let nearest =
            readings.iter().filter(|r| r.value.is_finite()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let holds = readings.iter().any(|r| stated.agrees(r));
        let unit = (!unit.is_empty()).then(|| unit.to_owned());
        Some(Self { stated: stated.value, recomputed: nearest.value, unit, holds })
    }
}

/// The lines of a text that are no code, with a digit and a sign or word of arithmetic.
fn prose_lines(text: &str) -> Vec<Range<usize>> {
    const MARKS: &[&str] = &["=", "≈", "%", "×", "x", "mean", "average", "avg"];
    let mut out = Vec::new();
    let mut at = 0;
    let mut fence: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let mark = line.trim_start_matches([' ', '>']);
        let ticks = mark.len() - mark.trim_start_matches('`').len();
        match fence {
            Some(open) if ticks >= open && mark.trim_end().len() == ticks => fence = None,
            Some(_) => {}
            None if ticks >= 3 => fence = Some(ticks),
            None if mark.starts_with('|') => {}
            None => {
                let counts = line.bytes().any(|b| b.is_ascii_digit()) && MARKS.iter().any(|m| line.contains(m));
                out.extend(counts.then_some(range));
            }
        }
    }
    out
}

#[cfg(test)]
fn calculated(text: &str) -> Vec<(CalculationKind, f64, f64, bool)> {
    let session = crate::session::build::SessionBuilder::new().user("go").assistant(text).build();
    let found = super::extract(&session, &Default::default()).calculations;
    let short = |v: f64| (v * 1e4).round() / 1e4;
    found.iter().map(|c| (c.kind, short(c.stated), short(c.recomputed), c.holds)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_states_nothing() {
        assert_eq!(calculated("```\n3 + 4 = 8\n```\n"), []);
        assert_eq!(calculated("> 3 + 4 = 8"), [(CalculationKind::Sum, 8.0, 7.0, false)]);
    }

    #[test]
    fn every_statement_names_its_bytes() {
        let text = "Rows: 3 + 4 = 7 in all.";
        let session = crate::session::build::SessionBuilder::new().assistant(text).build();
        let found = crate::extract::extract(&session, &Default::default()).calculations;
        assert_eq!(found[0].terms, [3.0, 4.0]);
        assert_eq!(session.quote(&found[0].span), Some("3 + 4 = 7"));
    }
}
