//! Figures of the message against limits and against the figures before; for a plan, the figures before and after it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::{Subject, first};
use crate::extract::bench::series::series;
use crate::extract::bench::{Efficiency, FigureEvidence, Measurement, MeasurementRole};
use crate::link::{FactId, LinkKind};
use crate::report::against::Against;
use crate::report::section::value::{number, pairs, percent};
use crate::session::Role;

#[derive(Debug, Serialize)]
struct View {
    rows: Vec<Row>,
    left: usize,
    /// No figure of the message has a limit.
    no_limit: bool,
    /// Some figure was measured before under the same conditions.
    again: bool,
    pairs: Vec<Pair>,
    pairs_left: usize,
}

#[derive(Debug, Serialize)]
struct Row {
    metric: String,
    params: String,
    value: String,
    role: &'static str,
    valid: bool,
    printed: bool,
    before: Option<Before>,
    against: Option<Against>,
}

/// The figure measured before under the same conditions.
#[derive(Debug, Serialize)]
struct Before {
    value: String,
    msg: String,
    change: Option<String>,
}

/// One quantity before a plan was written and after.
#[derive(Debug, Serialize)]
struct Pair {
    metric: String,
    params: String,
    before: String,
    before_msg: String,
    after: String,
    after_msg: String,
    change: Option<String>,
    efficiency: Option<Moved>,
}

#[derive(Debug, Serialize)]
struct Moved {
    before: String,
    after: String,
    limit: String,
}

const ROWS: usize = 24;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let bench = &subject.facts().bench;
    let own = bench.measurements.iter().enumerate();
    let own = own.filter(|(_, m)| m.msg == subject.ix && m.role != MeasurementRole::Derived);
    let (rows, left) = first(own.map(|(i, m)| row(subject, i as u32, m)), ROWS);
    let is_plan = subject.snapshot().is_some_and(|s| s.accepted) && subject.message().role == Role::Assistant;
    let (pairs, pairs_left) =
        first(if is_plan && subject.is_first_answer() { moved(subject) } else { Vec::new() }, ROWS);
    let view = View {
        no_limit: rows.iter().all(|r| r.against.is_none()),
        again: rows.iter().any(|r| r.before.is_some()),
        rows,
        left,
        pairs,
        pairs_left,
    };
    some(&view).filter(|_| !view.rows.is_empty() || !view.pairs.is_empty())
}

fn shown(value: Option<f64>, m: &Measurement) -> String {
    let unit = m.unit.as_deref().unwrap_or_default();
    let value = match (value, m.lo, m.hi) {
        (Some(v), _, _) => number(v),
        (None, Some(lo), Some(hi)) => format!("{}–{}", number(lo), number(hi)),
        _ => String::new(),
    };
    format!("{value} {unit}").trim().to_owned()
}

fn row(subject: &Subject<'_>, i: u32, m: &Measurement) -> Row {
    let bench = &subject.facts().bench;
    let against = bench.efficiency_of(i).map(|e| Against::of(subject.session(), bench, e));
    let id = FactId::Measurement(i);
    let link = subject.analysis.links.iter().find(|l| l.from == id && l.kind == LinkKind::Remeasures);
    let earlier = link.and_then(|l| match l.to {
        FactId::Measurement(n) => bench.measurements.get(n as usize),
        _ => None,
    });
    Row {
        metric: m.metric.clone(),
        params: pairs(&m.params),
        value: shown(m.value, m),
        role: role(m.role),
        valid: m.valid,
        printed: m.evidence == FigureEvidence::Tool,
        before: earlier.map(|b| Before {
            value: shown(b.value, b),
            msg: subject.name(b.msg),
            change: b.value.zip(m.value).and_then(|(b, a)| change(b, a)),
        }),
        against,
    }
}

fn role(role: MeasurementRole) -> &'static str {
    match role {
        MeasurementRole::Measured => "measured",
        MeasurementRole::Theoretical => "theoretical",
        MeasurementRole::Target => "target",
        MeasurementRole::Estimated => "estimated",
        MeasurementRole::Quoted => "quoted",
        MeasurementRole::Invalid => "invalid",
        MeasurementRole::Derived => "derived",
    }
}

/// A change in per cent of the earlier value, with its sign.
fn change(before: f64, after: f64) -> Option<String> {
    let by = (after / before - 1.0) * 100.0;
    by.is_finite().then(|| format!("{by:+.1}"))
}

/// Series with a point before the message and one after: the last before, the last after.
fn moved(subject: &Subject<'_>) -> Vec<Pair> {
    let bench = &subject.facts().bench;
    let efficiencies: BTreeMap<u32, &Efficiency> = bench.efficiencies.iter().map(|e| (e.measurement, e)).collect();
    let mut rows = Vec::new();
    for s in series(bench) {
        let msg = |p: &(u32, f64)| bench.measurements[p.0 as usize].msg;
        let before = s.points.iter().rfind(|p| msg(p) < subject.ix);
        let after = s.points.iter().rfind(|p| msg(p) > subject.ix);
        let Some((before, after)) = before.zip(after) else { continue };
        let value = |v: f64| format!("{} {}", number(v), s.unit);
        let against = efficiencies.get(&before.0).zip(efficiencies.get(&after.0)).filter(|(b, a)| b.limit == a.limit);
        rows.push(Pair {
            metric: s.metric.clone(),
            params: pairs(&s.params),
            before: value(before.1),
            before_msg: subject.name(msg(before)),
            after: value(after.1),
            after_msg: subject.name(msg(after)),
            change: change(before.1, after.1),
            efficiency: against.map(|(b, a)| Moved {
                before: percent(b.efficiency),
                after: percent(a.efficiency),
                limit: format!(
                    "{} {}",
                    number(bench.limits[b.limit as usize].value),
                    bench.limits[b.limit as usize].unit
                ),
            }),
        });
    }
    rows
}
