//! The same quantity under the same conditions, followed through the session.

use std::collections::BTreeMap;

use super::lexicon;
use super::units::Unit;
use super::{Bench, FigureEvidence, Measurement, MeasurementRole};
use crate::session::MsgIx;

/// Measurements of one metric under one set of conditions, in reading order.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Metric.
    pub metric: String,
    /// Statistic.
    pub statistic: Option<String>,
    /// Scope.
    pub scope: Option<String>,
    /// Unit of the first point; all values are converted to it.
    pub unit: String,
    /// Conditions that all points share.
    pub params: BTreeMap<String, String>,
    /// Points: position in [`Bench::measurements`] and value in `unit`.
    pub points: Vec<(u32, f64)>,
    /// Whether more is better.
    pub higher_is_better: bool,
}

impl Series {
    /// The best point.
    pub fn best(&self) -> Option<(u32, f64)> {
        let better = |a: f64, b: f64| if self.higher_is_better { a > b } else { a < b };
        self.points.iter().copied().reduce(|best, p| if better(p.1, best.1) { p } else { best })
    }
}

/// Conditions that tell runs apart, not quantities.
const RUN: &[&str] = &["commit", "date", "run", "at"];

/// Every series of valid measured figures with a value and a unit, in the order of their first points.
pub fn series(bench: &Bench) -> Vec<Series> {
    let mut out: Vec<Series> = Vec::new();
    let mut by_key: BTreeMap<Key, usize> = BTreeMap::new();
    for (i, m) in bench.measurements.iter().enumerate() {
        let measured = m.role == MeasurementRole::Measured && m.valid && m.statistic.as_deref() != Some("stdev");
        let Some((value, unit)) = m.value.zip(m.unit.as_deref()).filter(|_| measured) else { continue };
        let at = *by_key.entry(key(m, unit)).or_insert_with(|| {
            out.push(start(m, unit));
            out.len() - 1
        });
        let series = &mut out[at];
        let converted = match (Unit::parse(unit), Unit::parse(&series.unit)) {
            (Some(from), Some(to)) => from.convert(value, &to).unwrap_or(value),
            _ => value,
        };
        series.points.push((i as u32, converted));
    }
    out
}

/// Figures of the same quantity under the same conditions that do not count: withdrawn, from a warm-up or a failed run.
pub fn not_valid(bench: &Bench, s: &Series) -> Vec<(u32, f64)> {
    let unit = Unit::parse(&s.unit);
    let same = |m: &Measurement| {
        let scope = |s: &Option<String>| s.clone().filter(|s| s != "total");
        m.metric == s.metric
            && m.statistic == s.statistic
            && scope(&m.scope) == scope(&s.scope)
            && conditions(m) == s.params
    };
    let counts = |m: &Measurement| m.role == MeasurementRole::Measured && m.valid;
    let told = |m: &Measurement| matches!(m.role, MeasurementRole::Measured | MeasurementRole::Invalid);
    let left = bench.measurements.iter().enumerate().filter(|(_, m)| told(m) && !counts(m) && same(m));
    let converted = |(i, m): (usize, &Measurement)| {
        let value = Unit::parse(m.unit.as_deref()?)?.convert(m.value?, unit.as_ref()?)?;
        Some((i as u32, value))
    };
    left.filter_map(converted).collect()
}

type Key = (String, Option<String>, Option<String>, String, BTreeMap<String, String>, Option<MsgIx>);

/// Names that say nothing of what was timed: stated without a condition, they compare only inside their message.
const GENERAL: &[&str] = &["time", "duration", "latency", "throughput", "bandwidth", "flops", "ops_rate"];

fn key(m: &Measurement, unit: &str) -> Key {
    let dimension = Unit::parse(unit).map_or_else(|| unit.to_owned(), |u| format!("{:?}", u.dimension));
    let scope = m.scope.clone().filter(|s| s != "total");
    let bare = m.params.is_empty() && m.cell.is_none();
    let said = m.evidence == FigureEvidence::Claimed && GENERAL.contains(&m.metric.as_str());
    // `time` tells how long some command took, not which.
    let timed = m.evidence == FigureEvidence::Tool && matches!(&*m.metric, "time" | "user_time" | "sys_time");
    let alone = (bare && (said || timed)).then_some(m.msg);
    (m.metric.clone(), m.statistic.clone(), scope, dimension, conditions(m), alone)
}

fn conditions(m: &Measurement) -> BTreeMap<String, String> {
    m.conditions
        .as_ref()
        .map_or(&m.params, |(_, params)| params)
        .iter()
        .filter(|(k, _)| !RUN.contains(&k.as_str()))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect()
}

fn start(m: &Measurement, unit: &str) -> Series {
    Series {
        metric: m.metric.clone(),
        statistic: m.statistic.clone(),
        scope: m.scope.clone(),
        unit: unit.to_owned(),
        params: conditions(m),
        points: Vec::new(),
        higher_is_better: lexicon::higher_is_better(&m.metric, Unit::parse(unit).as_ref()),
    }
}
