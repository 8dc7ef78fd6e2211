//! The figures as every format prints them: one row for each series, one point for each figure.

use serde::Serialize;

use crate::analysis::Analysis;
use crate::extract::bench::comparisons::{self, Comparison};
use crate::extract::bench::series::{Series, series};
use crate::extract::bench::{Bench, Limit};
use crate::report::section::value::{label, word};

/// A series.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    #[serde(flatten)]
    pub(super) head: Head,
    #[serde(skip)]
    pub(super) points: Vec<Point>,
    #[serde(skip)]
    pub(super) best: usize,
}

/// What all points of a series share.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Head {
    pub(super) session_id: String,
    pub(super) metric: String,
    pub(super) statistic: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) params: std::collections::BTreeMap<String, String>,
    pub(super) unit: String,
    pub(super) higher_is_better: bool,
}

/// A figure of a series.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Point {
    pub(super) msg: String,
    pub(super) value: f64,
    phase: Option<String>,
    pub(super) evidence: String,
    quote: Option<String>,
    stated_again: Vec<String>,
    pub(super) limit_id: Option<String>,
    limit_derivation: Option<String>,
    other_limits: Vec<Other>,
    /// In the unit of the measurement.
    pub(super) limit_value: Option<f64>,
    pub(super) efficiency: Option<f64>,
    pub(super) gap: Option<f64>,
    /// From the point before it.
    pub(super) change: Option<Change>,
    /// The limit as written: value, unit, origin.
    #[serde(skip)]
    pub(super) limit: Option<(f64, String, String)>,
}

/// The figure against a second limit.
#[derive(Debug, Clone, Serialize)]
struct Other {
    limit_id: String,
    limit_value: f64,
    efficiency: f64,
    gap: f64,
    standing: String,
}

/// What became of a quantity since the measurement before, and what was done in between.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Change {
    from_msg: String,
    from_value: f64,
    pub(super) verdict: String,
    pub(super) change: Option<f64>,
    pub(super) points: Option<f64>,
    pub(super) speedup: Option<f64>,
    latency_ratio: Option<f64>,
    /// In percentage points of the limit.
    gap_change: Option<f64>,
    pub(super) stated_together: bool,
    pub(super) plan_changes: usize,
    pub(super) commands: u32,
    pub(super) edits: u32,
    last_call_msg: Option<String>,
}

impl Row {
    /// The series of a session, or those of one metric.
    pub(super) fn all(analysis: &Analysis, metric: Option<&str>) -> Vec<Self> {
        let wanted = |s: &Series| metric.is_none_or(|m| m == s.metric) && !s.points.is_empty();
        series(&analysis.facts.bench).iter().filter(|s| wanted(s)).map(|s| Self::of(analysis, s)).collect()
    }

    fn of(analysis: &Analysis, s: &Series) -> Self {
        let best = s.best().and_then(|b| s.points.iter().position(|p| *p == b)).unwrap_or(0);
        let head = Head {
            session_id: analysis.session.id.clone(),
            metric: s.metric.clone(),
            statistic: s.statistic.clone(),
            scope: s.scope.clone(),
            params: s.params.clone(),
            unit: s.unit.clone(),
            higher_is_better: s.higher_is_better,
        };
        Self { head, points: s.points.iter().map(|p| point(analysis, *p)).collect(), best }
    }

    /// The first, the best and the last point; a series has one point at least.
    pub(super) fn marked(&self) -> [&Point; 3] {
        [0, self.best, self.points.len() - 1].map(|i| &self.points[i])
    }
}

fn point(analysis: &Analysis, (i, value): (u32, f64)) -> Point {
    let bench = &analysis.facts.bench;
    let m = &bench.measurements[i as usize];
    let found = bench.efficiency_of(i).map(|e| (e, &bench.limits[e.limit as usize]));
    let change = comparisons::of(&analysis.facts.comparisons, i);
    Point {
        msg: label(&analysis.session, m.msg),
        value,
        phase: m.phase.clone(),
        evidence: word(m.evidence),
        quote: analysis.session.quote(&m.span).map(str::to_owned),
        stated_again: m.citations.iter().map(|c| label(&analysis.session, c.msg)).collect(),
        limit_id: found.map(|(_, l)| l.id.clone()),
        limit_derivation: found.and_then(|(_, l)| l.derivation.clone()),
        other_limits: others(bench, i),
        limit_value: found.map(|(e, _)| e.limit_in_unit),
        efficiency: found.map(|(e, _)| e.efficiency),
        gap: found.map(|(e, _)| e.gap),
        change: change.map(|c| changed(analysis, c)),
        limit: found.map(|(_, l)| written(l)),
    }
}

fn written(l: &Limit) -> (f64, String, String) {
    (l.value, l.unit.clone(), word(l.origin))
}

fn others(bench: &Bench, measurement: u32) -> Vec<Other> {
    let of_it = bench.other_efficiencies.iter().filter(|e| e.measurement == measurement);
    let other = |e: &crate::extract::bench::Efficiency| Other {
        limit_id: bench.limits[e.limit as usize].id.clone(),
        limit_value: e.limit_in_unit,
        efficiency: e.efficiency,
        gap: e.gap,
        standing: word(e.standing),
    };
    of_it.map(other).collect()
}

fn changed(analysis: &Analysis, c: &Comparison) -> Change {
    let before = &analysis.facts.bench.measurements[c.before as usize];
    Change {
        from_msg: label(&analysis.session, before.msg),
        from_value: c.from,
        verdict: word(c.verdict),
        change: c.delta.change,
        points: c.delta.points,
        speedup: c.delta.speedup,
        latency_ratio: c.delta.latency_ratio,
        gap_change: c.efficiency.map(|(a, b)| (a - b) * 100.0),
        stated_together: c.between.stated,
        plan_changes: c.between.plan.len(),
        commands: c.between.commands,
        edits: c.between.edits,
        last_call_msg: c.between.last.map(|call| label(&analysis.session, call.msg)),
    }
}
