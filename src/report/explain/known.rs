//! What was on record when a message planned, measured or found something: figures and limits, the last table of
//! figures, the last findings, the hardware.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::{Subject, first};
use crate::extract::bench::{Bench, Efficiency, MeasurementRole};
use crate::extract::equipment::named_before;
use crate::extract::findings::FindingStatus;
use crate::extract::tables::TableKind;
use crate::report::against::Against;
use crate::report::section::value::number;
use crate::session::MsgIx;

#[derive(Debug, Serialize)]
struct View {
    hardware: Option<Hardware>,
    against: Vec<Against>,
    limits: Vec<Figure>,
    table: Option<Table>,
    findings: Option<Findings>,
}

#[derive(Debug, Serialize)]
struct Hardware {
    text: String,
    msg: String,
}

/// A theoretical figure that nothing measured before is set against.
#[derive(Debug, Serialize)]
struct Figure {
    metric: String,
    value: String,
    msg: String,
}

/// The last table of figures.
#[derive(Debug, Serialize)]
struct Table {
    msg: String,
    key: String,
    keys: Vec<String>,
    columns: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Findings {
    msg: String,
    count: usize,
    levels: Vec<Count>,
    needs: Vec<Count>,
    fine: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Count {
    what: String,
    count: usize,
}

const AGAINST: usize = 2;
const LIMITS: usize = 4;
const KEYS: usize = 16;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let facts = subject.facts();
    let of_weight = subject.snapshot().is_some()
        || facts.bench.measurements.iter().any(|m| m.msg == subject.ix && m.role == MeasurementRole::Measured)
        || facts.findings.findings.iter().any(|f| f.msg == subject.ix);
    if !of_weight {
        return None;
    }
    let bench = &subject.facts().bench;
    let earlier = latest(bench, subject.ix);
    let view = View {
        hardware: named_before(subject.session(), subject.ix)
            .map(|h| Hardware { msg: subject.name(h.msg), text: h.text }),
        limits: limits(subject, &earlier),
        against: earlier.iter().map(|e| Against::of(subject.session(), bench, e)).collect(),
        table: table(subject),
        findings: findings(subject),
    };
    let nothing = view.hardware.is_none() && view.against.is_empty() && view.limits.is_empty();
    some(&view).filter(|_| !nothing || view.table.is_some() || view.findings.is_some())
}

fn shown(value: f64, unit: Option<&str>) -> String {
    format!("{} {}", number(value), unit.unwrap_or_default()).trim_end().to_owned()
}

/// The last figure of each metric before the message that has a limit.
fn latest(bench: &Bench, ix: MsgIx) -> Vec<&Efficiency> {
    let mut seen = BTreeSet::new();
    let earlier = bench.efficiencies.iter().filter(|e| bench.measurements[e.measurement as usize].msg < ix);
    let mut rows = Vec::new();
    for e in earlier.rev() {
        let m = &bench.measurements[e.measurement as usize];
        if m.value.is_some() && rows.len() < AGAINST && seen.insert(m.metric.as_str()) {
            rows.push(e);
        }
    }
    rows
}

fn limits(subject: &Subject<'_>, against: &[&Efficiency]) -> Vec<Figure> {
    let all = &subject.facts().bench.measurements;
    let mut by_metric: BTreeMap<&str, Figure> = BTreeMap::new();
    for m in all.iter().filter(|m| m.msg < subject.ix && m.role == MeasurementRole::Theoretical) {
        let Some(value) = m.value.filter(|_| !against.iter().any(|e| all[e.measurement as usize].metric == m.metric))
        else {
            continue;
        };
        let value = shown(value, m.unit.as_deref());
        by_metric.insert(&m.metric, Figure { metric: m.metric.clone(), value, msg: subject.name(m.msg) });
    }
    by_metric.into_values().take(LIMITS).collect()
}

fn table(subject: &Subject<'_>) -> Option<Table> {
    let tables = subject.facts().tables.iter().rev();
    let table = tables.into_iter().find(|t| {
        t.span.msg < subject.ix && t.kind == TableKind::Benchmark && t.restates.is_none() && t.rows.len() > 1
    })?;
    let (key, columns) = table.header.split_first()?;
    Some(Table {
        msg: subject.name(table.span.msg),
        key: key.text.clone(),
        keys: first(table.rows.iter().filter_map(|r| Some(r.first()?.text.clone())), KEYS).0,
        columns: columns.iter().map(|c| c.text.clone()).collect(),
    })
}

/// What the last message with findings before this one says.
fn findings(subject: &Subject<'_>) -> Option<Findings> {
    let all = &subject.facts().findings.findings;
    let msg = all.iter().filter(|f| f.msg < subject.ix && f.restates.is_none()).map(|f| f.msg).max()?;
    let (fine, found): (Vec<_>, Vec<_>) =
        all.iter().filter(|f| f.msg == msg).partition(|f| f.status == FindingStatus::Ok);
    let counts = |of: fn(&crate::extract::findings::Finding) -> Option<&String>| {
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        found.iter().filter_map(|f| of(f)).for_each(|what| *counts.entry(what).or_default() += 1);
        counts.into_iter().map(|(what, count)| Count { what: what.clone(), count }).collect()
    };
    Some(Findings {
        msg: subject.name(msg),
        count: found.len(),
        levels: counts(|f| f.level.as_ref()),
        needs: counts(|f| f.needs.as_ref()),
        fine: first(fine.iter().map(|f| f.title.clone()), KEYS).0,
    })
}
