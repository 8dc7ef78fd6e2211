//! `measurements`, `limits` and `efficiencies`.

use super::value::{map_text, word};
use super::{NAMED, PLACED, Rows, Scope, Table, flag, float, int, text};
use crate::link::FactId;

pub(super) const MEASUREMENTS: Table = Table {
    name: "measurements",
    about: "A figure with its unit and the conditions it holds under.",
    head: NAMED,
    own: &[
        text("metric", "what was measured"),
        float("value", "in `unit`", "the figure; NULL for a range"),
        text("unit", "unit, as written; NULL = not known"),
        text("role", "measured, theoretical, target, estimated, quoted, invalid or derived"),
        text("phase", "baseline, before or after"),
        text("statistic", "mean, median, p99 …"),
        text("scope", "total, per_gpu, per_user …"),
        text("params", "conditions (concurrency, batch, model …), as a JSON object of strings"),
        float("lo", "in `unit`", "lower end of a range or interval"),
        float("hi", "in `unit`", "upper end of a range or interval"),
        float("pm", "in `unit`", "half width after ±"),
        flag("approx", "written with ~ or ≈"),
        flag("valid", "false for runs with failures, and for what was withdrawn"),
        text("evidence", "tool (a tool printed it) or claimed (somebody says so)"),
        text("table_id", "tables.id of the table it stands in"),
        int("row", "", "row of that table, from 0"),
        int("col", "", "column of that table, from 0"),
        text("quote", "the bytes it was read from"),
    ],
    rows: measurements,
};

fn measurements<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    for (i, m) in scope.analysis.facts.bench.measurements.iter().enumerate() {
        out.named(
            scope.id(FactId::Measurement(i as u32)),
            Some(m.msg),
            [
                (&m.metric).into(),
                m.value.into(),
                (&m.unit).into(),
                word(&m.role),
                (&m.phase).into(),
                (&m.statistic).into(),
                (&m.scope).into(),
                map_text(&m.params).into(),
                m.lo.into(),
                m.hi.into(),
                m.pm.into(),
                m.approx.into(),
                m.valid.into(),
                word(&m.evidence),
                m.cell.map(|c| scope.id(FactId::Table(c.0))).into(),
                m.cell.map(|c| c.1).into(),
                m.cell.map(|c| c.2).into(),
                scope.quote(&m.span).into(),
            ],
        );
    }
}

pub(super) const LIMITS: Table = Table {
    name: "limits",
    about: "What is possible at most (or, for times, at least). Limits from a limits file have no place.",
    head: NAMED,
    own: &[
        text("metric", "metric it bounds; a file may give a glob"),
        float("value", "in `unit`", "the limit"),
        text("unit", "unit, as written"),
        text("origin", "file, transcript or calculator"),
        text("kind", "theoretical, calibrated, target, slo, vendor, measured_best or implied"),
        text("scope", "total, per_gpu, per_user …"),
        text("applies_when", "conditions a measurement must meet, as a JSON object of strings"),
        text("derivation", "formula and inputs as written, or why they are unknown"),
        text("source", "source as the file names it, or the message"),
        text("name", "the limit's own id: the file's, or made from message and metric"),
        text("quote", "the bytes it was read from"),
        float("lo", "in `unit`", "lower end, where the inputs are known only within bounds"),
        float("hi", "in `unit`", "upper end, where the inputs are known only within bounds"),
    ],
    rows: limits,
};

fn limits<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    for (i, l) in scope.analysis.facts.bench.limits.iter().enumerate() {
        out.named(
            scope.id(FactId::Limit(i as u32)),
            l.msg,
            [
                (&l.metric).into(),
                l.value.into(),
                (&l.unit).into(),
                word(&l.origin),
                (&l.kind).into(),
                (&l.scope).into(),
                map_text(&l.applies_when).into(),
                (&l.derivation).into(),
                (&l.source).into(),
                (&l.id).into(),
                l.span.as_ref().and_then(|s| scope.quote(s)).into(),
                l.band.map(|b| b.0).into(),
                l.band.map(|b| b.1).into(),
            ],
        );
    }
}

pub(super) const EFFICIENCIES: Table = Table {
    name: "efficiencies",
    about: "A measurement set against a limit that matches it; against a second one where another origin, or the transcript later, says otherwise.",
    head: PLACED,
    own: &[
        text("metric", "what was measured"),
        text("params", "conditions of the measurement, as a JSON object of strings"),
        float("value", "in `unit`", "measured value"),
        text("unit", "unit of the measurement, as written"),
        float("limit_value", "in `limit_unit`", "the limit, as written"),
        text("limit_unit", "unit of the limit, as written"),
        text("limit_id", "limits.id"),
        float("efficiency", "ratio", "measured ÷ limit, or limit ÷ measured where lower is better"),
        float("gap", "ratio", "1 − efficiency"),
        text("measurement_id", "measurements.id"),
        float("limit_in_unit", "in `unit`", "the limit, in the unit of the measurement"),
        text("standing", "preferred; other-origin or final: a second limit that differs by more than 2 %"),
    ],
    rows: efficiencies,
};

fn efficiencies<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let bench = &scope.analysis.facts.bench;
    for e in bench.efficiencies.iter().chain(&bench.other_efficiencies) {
        let (Some(m), Some(l)) = (bench.measurements.get(e.measurement as usize), bench.limits.get(e.limit as usize))
        else {
            continue;
        };
        out.placed(
            Some(m.msg),
            [
                (&m.metric).into(),
                map_text(&m.params).into(),
                m.value.into(),
                (&m.unit).into(),
                l.value.into(),
                (&l.unit).into(),
                scope.id(FactId::Limit(e.limit)).into(),
                e.efficiency.into(),
                e.gap.into(),
                scope.id(FactId::Measurement(e.measurement)).into(),
                e.limit_in_unit.into(),
                word(&e.standing),
            ],
        );
    }
}
