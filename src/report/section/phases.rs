//! Phases of the work, and the messages at which the session turned.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::value::label;
use super::{Material, some};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::artefacts::written_between;
use crate::extract::bench::MeasurementRole;
use crate::extract::episodes::{Episode, Phase, Weight};
use crate::session::MsgIx;

/// Rows of each table, unless everything is asked for.
const ROWS: usize = 10;
/// A message that scores less is no pivot: a change of phase alone makes none.
const LEAST: u32 = 3;

#[derive(Debug, Serialize)]
struct View {
    first: String,
    last: String,
    rows: Vec<Row>,
    /// Runs were drawn together to be few.
    finer: bool,
    pivots: Vec<Pivot>,
    left: usize,
}

#[derive(Debug, Serialize)]
struct Row {
    first: String,
    last: String,
    /// The commonest phases, until they make up half of the steps.
    phases: Vec<&'static str>,
    steps: Vec<Count>,
    calls: usize,
    failed: usize,
    files: usize,
    figures: usize,
    plan_changes: usize,
}

#[derive(Debug, Serialize)]
struct Count {
    what: &'static str,
    count: u32,
}

#[derive(Debug, Serialize)]
struct Pivot {
    msg: String,
    role: &'static str,
    score: u32,
    reasons: Vec<Reason>,
    text: String,
}

/// A feature of a message, how often it is there, and the points it gives.
#[derive(Debug, Serialize)]
pub(crate) struct Reason {
    what: &'static str,
    count: u32,
    points: u32,
}

impl Reason {
    /// The reasons of a message, weightiest first.
    pub(crate) fn of(features: Vec<(&'static Weight, u32)>) -> Vec<Self> {
        features.into_iter().map(|(w, count)| Self { what: w.name, count, points: w.points(count) }).collect()
    }
}

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    let session = &material.analysis.session;
    let episodes = &material.analysis.facts.episodes;
    let runs = if material.full { episodes.runs.clone() } else { episodes.at_most(ROWS) };
    let (Some(first), Some(end)) = (runs.first(), runs.last()) else { return Ok(None) };
    // Subagents whose caller is not known stand at the end of the list, not of the time.
    let on_main = session.live().map(|(ix, _)| ix).filter(|&ix| ix <= end.last && session.on_main(ix));
    let last = on_main.last().unwrap_or(end.last);
    if runs.iter().all(|r| r.phase.is_none()) {
        return Ok(None);
    }
    let scores = &episodes.scores;
    let mut pivots: Vec<MsgIx> =
        scores.ranked().into_iter().filter(|(m, s)| *s >= LEAST && scores.turns(*m)).map(|(m, _)| m).collect();
    let left = if material.full { 0 } else { pivots.len().saturating_sub(ROWS) };
    pivots.truncate(pivots.len() - left);
    pivots.sort();
    let changed: BTreeSet<MsgIx> = material.analysis.facts.plan.changed_messages().into_iter().collect();
    some(View {
        first: label(session, first.first),
        last: label(session, last),
        finer: runs.len() < episodes.runs.len(),
        rows: runs.iter().map(|run| row(material.analysis, run, &changed)).collect(),
        pivots: pivots.iter().map(|m| pivot(material.analysis, *m)).collect(),
        left,
    })
}

/// What happened in a run, in counts; subagents included.
fn row(analysis: &Analysis, run: &Episode, changed: &BTreeSet<MsgIx>) -> Row {
    let session = &analysis.session;
    let within = || session.messages[run.first.at()..run.end.at()].iter().filter(|m| !m.abandoned);
    let calls = || within().flat_map(|m| m.calls());
    let mut steps: Vec<Count> = Phase::ALL
        .into_iter()
        .zip(run.steps)
        .filter(|(_, n)| *n > 0)
        .map(|(p, count)| Count { what: p.word(), count })
        .collect();
    let own = run.phase.map(Phase::word);
    steps.sort_by_key(|s| (std::cmp::Reverse(s.count), own != Some(s.what)));
    let measured = analysis.facts.bench.measurements.iter().filter(|m| m.role == MeasurementRole::Measured);
    Row {
        first: label(session, run.first),
        last: label(session, run.last),
        phases: half(&steps),
        steps,
        calls: calls().count(),
        failed: calls().filter(|c| c.failed()).count(),
        files: written_between(&analysis.facts.artefacts, run.first, run.end),
        figures: measured.filter(|m| run.holds(m.msg)).count(),
        plan_changes: changed.range(run.first..run.end).count(),
    }
}

/// The first phases, until they make up half of all steps.
fn half(steps: &[Count]) -> Vec<&'static str> {
    let all: u32 = steps.iter().map(|s| s.count).sum();
    let mut told = 0;
    let enough = |s: &&Count| {
        let more = told * 2 < all;
        told += s.count;
        more
    };
    steps.iter().take_while(enough).map(|s| s.what).collect()
}

fn pivot(analysis: &Analysis, msg: MsgIx) -> Pivot {
    let scores = &analysis.facts.episodes.scores;
    let message = analysis.session.message(msg);
    Pivot {
        msg: label(&analysis.session, msg),
        role: message.role.word(),
        score: scores.score(msg),
        reasons: Reason::of(scores.features(msg)),
        text: message.text(),
    }
}
