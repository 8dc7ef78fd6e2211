//! The same quantity under the same conditions, followed through the session.

use std::collections::{BTreeMap, BTreeSet};

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
    let apart = apart(bench);
    for (i, m) in bench.measurements.iter().enumerate() {
        let Some((value, unit)) = counted(m) else { continue };
        let key = Some(key(m, unit)).filter(|_| !apart.contains(&i));
        let at = key.as_ref().and_then(|k| by_key.get(k)).copied().unwrap_or_else(|| {
            out.push(start(m, unit));
            out.len() - 1
        });
        by_key.extend(key.map(|k| (k, at)));
        let series = &mut out[at];
        let converted = match (Unit::parse(unit), Unit::parse(&series.unit)) {
            (Some(from), Some(to)) => from.convert(value, &to).unwrap_or(value),
            _ => value,
        };
        series.points.push((i as u32, converted));
    }
    out
}

/// Value and unit of a valid measured figure.
fn counted(m: &Measurement) -> Option<(f64, &str)> {
    let measured = m.role == MeasurementRole::Measured && m.valid && m.statistic.as_deref() != Some("stdev");
    m.value.zip(m.unit.as_deref()).filter(|_| measured)
}

/// Runs of the same thing scatter less than this, greatest to least; what differs more differs by a condition.
const SCATTER: f64 = 1.5;

/// Figures that one message gives of the same quantity, with other values and no condition that was read to tell them
/// apart: there is one, so they are no development. Those stated as before and after are, and runs that a program
/// repeated.
fn apart(bench: &Bench) -> BTreeSet<usize> {
    let mut said: BTreeMap<(Key, MsgIx), Vec<(usize, f64)>> = BTreeMap::new();
    for (i, m) in bench.measurements.iter().enumerate() {
        let paired = matches!(m.phase.as_deref(), Some("before" | "after"));
        let Some((value, unit)) = counted(m).filter(|_| m.cell.is_none() && !paired) else { continue };
        said.entry((key(m, unit), m.msg)).or_default().push((i, value));
    }
    let differ = |figures: &&Vec<(usize, f64)>| {
        let values = figures.iter().map(|f| f.1);
        let (least, most) = values.fold((f64::INFINITY, 0.0f64), |(lo, hi), v| (lo.min(v), hi.max(v)));
        let repeated = bench.measurements[figures[0].0].evidence == FigureEvidence::Tool && most <= least * SCATTER;
        most > least && !repeated
    };
    said.values().filter(differ).flatten().map(|f| f.0).collect()
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
    // The name of the thing measured does not say how much of what it had to do.
    let bare = m.params.keys().all(|k| matches!(k.as_str(), "config" | "case")) && m.cell.is_none();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Config, extract};
    use crate::session::build::SessionBuilder;

    fn series_of(texts: &[&str]) -> Vec<(String, Vec<f64>)> {
        let session = texts.iter().fold(SessionBuilder::new(), |b, t| b.assistant(t)).build();
        let facts = extract(&session, &Config::default());
        let shown = |s: Series| {
            let params: Vec<String> = s.params.iter().map(|(k, v)| format!("{k} {v}")).collect();
            (params.join(", "), s.points.iter().map(|p| p.1).collect())
        };
        series(&facts.bench).into_iter().map(shown).collect()
    }

    fn own(params: &str, points: &[f64]) -> (String, Vec<f64>) {
        (params.to_owned(), points.to_vec())
    }

    #[test]
    fn figures_of_one_message_with_no_condition_read_are_no_development() {
        let found = series_of(&["Folding took 30 ms and 90 ms of run time.", "It went from 30 tok/s to 42 tok/s."]);
        assert_eq!(found, [own("", &[30.0]), own("", &[90.0]), own("", &[30.0, 42.0])]);
    }

    #[test]
    fn what_a_program_repeats_is_a_series_but_not_what_differs_by_a_condition_that_was_not_read() {
        let of = |output: &str| {
            let session = SessionBuilder::new().shell("./fold_bench", 0, output).build();
            let facts = extract(&session, &Config::default());
            series(&facts.bench).into_iter().map(|s| s.points.len()).collect::<Vec<_>>()
        };
        let row = |ms: &str| format!("{{\"method\": \"fold\", \"mean_time_ms\": {ms}}}\n");
        assert_eq!(of(&[row("2.5"), row("2.7")].concat()), [2]);
        assert_eq!(of(&[row("2.5"), row("26.0")].concat()), [1, 1]);
    }

    #[test]
    fn things_set_against_each_other_keep_their_names() {
        let found = series_of(&["- **Grid 32**: Fold 30µs vs Plain 90µs", "- **8×8**: 4 µs (ours) vs 9 µs (theirs)"]);
        let want = [
            own("case Grid 32, config Fold", &[30.0]),
            own("case Grid 32, config Plain", &[90.0]),
            own("config ours, size 8×8", &[4.0]),
            own("config theirs, size 8×8", &[9.0]),
        ];
        assert_eq!(found, want);
    }

    #[test]
    fn a_name_alone_does_not_join_times_of_two_messages() {
        let found = series_of(&["Fold (30 µs) vs Plain (90 µs)", "Fold (70 µs) vs Plain (95 µs)"]);
        assert_eq!(found.len(), 4);
    }
}
