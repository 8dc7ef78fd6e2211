//! `tables` and `cells`: the Markdown tables of what was said.

use std::collections::BTreeMap;

use super::value::word;
use super::{NAMED, PLACED, Rows, Scope, Table, flag, float, int, text};
use crate::extract::tables::Cell;
use crate::link::FactId;

pub(super) const TABLES: Table = Table {
    name: "tables",
    about: "A Markdown table.",
    head: NAMED,
    own: &[
        text("kind", "benchmark, findings, options or other"),
        text("caption", "nearest heading, or the line directly before it"),
        int("row_count", "", "rows, without the header"),
        int("col_count", "", "columns"),
        text("header", "header cells, separated by ` | `"),
        flag("said", "said by a participant; false = a summary, a tool or the program repeats it"),
        text("quote", "the table in the source"),
    ],
    rows: tables,
};

fn tables<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    for (i, t) in scope.analysis.facts.tables.iter().enumerate() {
        let header: Vec<&str> = t.header.iter().map(|c| c.text.as_str()).collect();
        out.named(
            scope.id(FactId::Table(i as u32)),
            Some(t.span.msg),
            [
                word(&t.kind),
                (&t.caption).into(),
                t.rows.len().into(),
                t.header.len().into(),
                header.join(" | ").into(),
                t.provenance.is_said().into(),
                scope.quote(&t.span).into(),
            ],
        );
    }
}

pub(super) const CELLS: Table = Table {
    name: "cells",
    about: "A cell of a Markdown table; header cells are not rows, they stand in `header`.",
    head: PLACED,
    own: &[
        text("table_id", "tables.id"),
        int("row", "", "row, from 0, the header not counted"),
        int("col", "", "column, from 0"),
        text("header", "header of the column"),
        text("text", "text as shown: emphasis and code marks removed"),
        float("value", "", "the figure in the cell, where it was read as a measurement or is a plain number"),
        text("unit", "unit of the value; NULL = not known"),
        text("quote", "the cell in the source"),
    ],
    rows: cells,
};

fn cells<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let facts = &scope.analysis.facts;
    let measured: BTreeMap<_, _> =
        facts.bench.measurements.iter().filter_map(|m| Some((m.cell?, (m.value?, m.unit.as_deref())))).collect();
    for (i, table) in facts.tables.iter().enumerate() {
        let id = scope.id(FactId::Table(i as u32));
        for (row, line) in table.rows.iter().enumerate() {
            for (col, cell) in line.iter().enumerate() {
                let figure = measured.get(&(i as u32, row as u32, col as u32));
                out.placed(
                    Some(table.span.msg),
                    [
                        id.clone().into(),
                        row.into(),
                        col.into(),
                        table.header.get(col).map(|h| &h.text).into(),
                        (&cell.text).into(),
                        figure.map(|f| f.0).or_else(|| plain_number(cell)).into(),
                        figure.and_then(|f| f.1).into(),
                        scope.quote(&cell.span).into(),
                    ],
                );
            }
        }
    }
}

/// The number that a cell consists of, with nothing around it.
fn plain_number(cell: &Cell) -> Option<f64> {
    let text = cell.text.trim();
    let begins = text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    text.parse().ok().filter(|x: &f64| begins && x.is_finite())
}
