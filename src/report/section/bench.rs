//! Benchmarks: charts with their data, efficiencies, every figure, and the tables as they stand.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::value::{label, number, pairs, word};
use super::{Material, first_rows, some};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::bench::comparisons::Comparison;
use crate::extract::bench::{FigureEvidence, Limit, Measurement, MeasurementRole};
use crate::extract::tables::{Table, TableKind};
use crate::link::{FactId, Link, LinkKind};
use crate::report::against::{Against, metric, value};
use crate::report::chart::FigureRow;
use crate::session::{MsgIx, Session};

#[derive(Debug, Serialize)]
struct View {
    figures: Vec<FigureView>,
    limits: Vec<LimitRow>,
    efficiencies: Vec<Against>,
    efficiencies_left: usize,
    comparisons: Vec<ComparisonRow>,
    comparisons_left: usize,
    unlimited: Vec<String>,
    count: usize,
    measured: usize,
    measurements: Vec<MeasurementRow>,
    left: usize,
    tables: Vec<TableView>,
    tables_left: usize,
}

#[derive(Debug, Serialize)]
struct FigureView {
    title: String,
    description: String,
    path: String,
    header: Vec<String>,
    rows: Vec<FigureRow>,
}

#[derive(Debug, Serialize)]
struct LimitRow {
    metric: String,
    value: String,
    kind: String,
    origin: String,
    applies: String,
    derivation: Option<String>,
    source: String,
    msg: Option<String>,
}

#[derive(Debug, Serialize)]
struct ComparisonRow {
    metric: String,
    params: String,
    before: String,
    after: String,
    change: Option<String>,
    points: Option<String>,
    speedup: Option<String>,
    gap_change: Option<String>,
    verdict: String,
    stated: bool,
    plan: usize,
    commands: u32,
    edits: u32,
    msgs: [String; 2],
}

#[derive(Debug, Serialize)]
struct MeasurementRow {
    metric: String,
    params: String,
    value: String,
    role: String,
    phase: Option<String>,
    valid: bool,
    evidence: String,
    /// The message whose output holds a figure that is said.
    printed: Option<String>,
    msg: String,
}

#[derive(Debug, Serialize)]
struct TableView {
    caption: Option<String>,
    msg: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    left: usize,
}

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    let analysis = material.analysis;
    let (session, bench) = (&analysis.session, &analysis.facts.bench);
    let tables: Vec<TableView> = analysis
        .facts
        .tables
        .iter()
        .filter(|t| t.kind == TableKind::Benchmark && t.provenance.is_said())
        .map(|t| table(session, t, material.full))
        .collect();
    let outputs = outputs(analysis);
    let all = (0..).zip(&bench.measurements);
    let shown: Vec<(u32, &Measurement)> = all.filter(|(_, m)| m.role != MeasurementRole::Derived).collect();
    if shown.is_empty() && tables.is_empty() {
        return Ok(None);
    }
    let (efficiencies, efficiencies_left) =
        first_rows(bench.efficiencies.iter().map(|e| Against::of(session, bench, e)).collect(), material.full);
    let (measurements, left) =
        first_rows(shown.iter().map(|(i, m)| measurement(session, m, outputs.get(i))).collect(), material.full);
    let compared = analysis.facts.comparisons.iter().map(|c| comparison(material, c)).collect();
    let (comparisons, comparisons_left) = first_rows(compared, material.full);
    let (tables, tables_left) = if material.full { (tables, 0) } else { first_tables(tables) };
    some(View {
        figures: figures(material),
        limits: bench.limits.iter().map(|l| limit(session, l)).collect(),
        efficiencies,
        efficiencies_left,
        comparisons,
        comparisons_left,
        unlimited: unlimited(material),
        count: shown.len(),
        measured: shown.iter().filter(|(_, m)| m.role == MeasurementRole::Measured).count(),
        measurements,
        left,
        tables,
        tables_left,
    })
}

/// Tables shown unless everything is asked for.
const TABLES: usize = 12;

fn first_tables(mut tables: Vec<TableView>) -> (Vec<TableView>, usize) {
    let left = tables.len().saturating_sub(TABLES);
    tables.truncate(TABLES);
    (tables, left)
}

fn figures(material: &Material<'_>) -> Vec<FigureView> {
    let figure = |f: &crate::report::chart::Figure| FigureView {
        title: f.title.clone(),
        description: f.description.clone(),
        path: f.path.clone(),
        header: f.header.clone(),
        rows: f.rows.clone(),
    };
    material.figures.iter().filter(|f| f.section == "bench").map(figure).collect()
}

/// Metrics that were measured but have no limit.
fn unlimited(material: &Material<'_>) -> Vec<String> {
    let bench = &material.analysis.facts.bench;
    let limited: BTreeSet<&str> =
        bench.efficiencies.iter().map(|e| bench.measurements[e.measurement as usize].metric.as_str()).collect();
    let measured: BTreeSet<&str> = bench
        .measurements
        .iter()
        .filter(|m| m.role == MeasurementRole::Measured && !limited.contains(m.metric.as_str()))
        .map(|m| m.metric.as_str())
        .collect();
    measured.into_iter().map(String::from).collect()
}

fn limit(session: &Session, l: &Limit) -> LimitRow {
    LimitRow {
        metric: l.metric.clone(),
        value: format!("{} {}", number(l.value), l.unit),
        kind: l.kind.clone(),
        origin: word(l.origin),
        applies: pairs(&l.applies_when),
        derivation: l.derivation.clone(),
        source: l.source.clone(),
        msg: l.msg.map(|ix| label(session, ix)),
    }
}

fn comparison(material: &Material<'_>, c: &Comparison) -> ComparisonRow {
    let (session, bench) = (&material.analysis.session, &material.analysis.facts.bench);
    let (before, after) = (&bench.measurements[c.before as usize], &bench.measurements[c.after as usize]);
    let signed = |v: f64| format!("{}{:.2}", if v < 0.0 { "−" } else { "+" }, v.abs());
    ComparisonRow {
        metric: metric(after),
        params: pairs(&after.params),
        before: format!("{} {}", number(c.from), c.unit),
        after: format!("{} {}", number(c.to), c.unit),
        change: c.delta.change.map(|v| signed(v * 100.0)),
        points: c.delta.points.map(signed),
        speedup: c.delta.speedup.map(|v| format!("{v:.2}")),
        gap_change: c.efficiency.map(|(a, b)| signed((a - b) * 100.0)),
        verdict: word(c.verdict),
        stated: c.between.stated,
        plan: c.between.plan.len(),
        commands: c.between.commands,
        edits: c.between.edits,
        msgs: [label(session, before.msg), label(session, after.msg)],
    }
}

/// The messages whose outputs hold figures that are said, by position of the figure.
fn outputs(analysis: &Analysis) -> BTreeMap<u32, MsgIx> {
    let all = &analysis.facts.bench.measurements;
    let shown = |l: &Link| match (l.kind, l.from) {
        (LinkKind::ResultOf, FactId::Measurement(i)) => {
            (all[i as usize].evidence == FigureEvidence::Claimed).then_some((i, l.to_msg))
        }
        _ => None,
    };
    analysis.links.iter().filter_map(shown).collect()
}

fn measurement(session: &Session, m: &Measurement, printed: Option<&MsgIx>) -> MeasurementRow {
    MeasurementRow {
        printed: printed.map(|ix| label(session, *ix)),
        metric: metric(m),
        params: pairs(&m.params),
        value: value(m),
        role: word(m.role),
        phase: m.phase.clone(),
        valid: m.valid,
        evidence: word(m.evidence),
        msg: label(session, m.msg),
    }
}

fn table(session: &Session, t: &Table, full: bool) -> TableView {
    let rows = t.rows.iter().map(|r| r.iter().map(|c| c.text.clone()).collect()).collect();
    let (rows, left) = first_rows(rows, full);
    TableView {
        caption: t.caption.clone(),
        msg: label(session, t.span.msg),
        header: t.header.iter().map(|c| c.text.clone()).collect(),
        rows,
        left,
    }
}
