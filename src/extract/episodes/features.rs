//! Scores: what a message is worth reading for, as a sum of named features.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Episodes;
use crate::extract::Facts;
use crate::extract::bench::MeasurementRole;
use crate::extract::decisions::By;
use crate::session::{MessageKind, MsgIx, Role, Session, ToolKind};

/// Something about a message that makes it worth reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "`WEIGHTS` names each")]
pub enum Feature {
    Correction,
    Prompt,
    Directive,
    NewPlan,
    PlanChange,
    FirstFigure,
    FigureTurn,
    Figure,
    FigureTable,
    Limit,
    FirstFailure,
    Failure,
    Decision,
    Option,
    Finding,
    PhaseTurn,
    Compaction,
    Revert,
    Interruption,
    Redirection,
    Disagreement,
    LaterLink,
}

/// What a feature is worth.
#[derive(Debug, Clone, Copy)]
pub struct Weight {
    /// The feature.
    pub feature: Feature,
    /// Its name in output.
    pub name: &'static str,
    /// Points for each time it is there.
    pub worth: u32,
    /// Times that count, so that one long table does not outweigh everything else.
    pub cap: u32,
    /// The session turns by it: it can make a message a pivot.
    pub turns: bool,
}

impl Weight {
    /// Points for a feature that is there so often.
    pub fn points(&self, count: u32) -> u32 {
        self.worth * count.min(self.cap)
    }
}

const fn turn(feature: Feature, name: &'static str, worth: u32, cap: u32) -> Weight {
    Weight { feature, name, worth, cap, turns: true }
}

const fn fact(feature: Feature, name: &'static str, worth: u32, cap: u32) -> Weight {
    Weight { feature, name, worth, cap, turns: false }
}

/// All weights. What answers the questions of a post-mortem leads: what was asked, what the plan became, what was
/// measured, what was taken back.
pub const WEIGHTS: &[Weight] = &[
    turn(Feature::Correction, "correction by the user", 6, 1),
    turn(Feature::Redirection, "prompt after an interruption", 6, 1),
    turn(Feature::Prompt, "prompt by the user", 3, 1),
    turn(Feature::Directive, "directives", 2, 4),
    turn(Feature::NewPlan, "new plan", 6, 1),
    fact(Feature::PlanChange, "plan changes", 1, 8),
    turn(Feature::FirstFigure, "first measurement", 8, 1),
    turn(Feature::FigureTurn, "large changes of a figure", 4, 2),
    turn(Feature::Figure, "figures measured", 1, 10),
    turn(Feature::FigureTable, "figures set in a table", 1, 10),
    fact(Feature::Limit, "limits stated", 4, 3),
    turn(Feature::FirstFailure, "first failure after successes", 3, 1),
    fact(Feature::Failure, "failed calls", 1, 4),
    turn(Feature::Decision, "decisions", 3, 2),
    fact(Feature::Option, "options listed", 1, 8),
    turn(Feature::Finding, "findings", 2, 8),
    turn(Feature::PhaseTurn, "change of phase", 2, 1),
    turn(Feature::Compaction, "compaction", 3, 1),
    turn(Feature::Revert, "work taken back", 5, 1),
    turn(Feature::Interruption, "interruption", 3, 1),
    fact(Feature::Disagreement, "disagreements", 4, 4),
    fact(Feature::LaterLink, "later links to it", 1, 8),
];

/// The weights as a Markdown table.
pub fn weights_markdown() -> String {
    let row = |w: &Weight| format!("| {} | {} | {} | {} |\n", w.name, w.worth, w.cap, if w.turns { "yes" } else { "" });
    let rows: String = WEIGHTS.iter().map(row).collect();
    format!("| feature | points each | at most | a session turns by it |\n|---|--:|--:|---|\n{rows}")
}

/// Calls in a row that worked, after which one that fails is news.
const CALM: u32 = 8;
/// Ratio of a figure to the one before it in its series that is a large change.
const LARGE: f64 = 1.5;

/// Features of messages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scores(BTreeMap<MsgIx, BTreeMap<Feature, u32>>);

impl Scores {
    /// Counts a feature of a message once more.
    pub fn add(&mut self, msg: MsgIx, feature: Feature) {
        *self.0.entry(msg).or_default().entry(feature).or_default() += 1;
    }

    /// The features of a message with how often each is there, weightiest first.
    pub fn features(&self, msg: MsgIx) -> Vec<(&'static Weight, u32)> {
        let Some(counts) = self.0.get(&msg) else { return Vec::new() };
        let mut found: Vec<_> = WEIGHTS.iter().filter_map(|w| Some((w, *counts.get(&w.feature)?))).collect();
        found.sort_by_key(|(w, n)| std::cmp::Reverse(w.points(*n)));
        found
    }

    /// Messages of a range that have features, in reading order.
    pub fn messages(&self, range: std::ops::Range<MsgIx>) -> impl Iterator<Item = MsgIx> {
        self.0.range(range).map(|(m, _)| *m)
    }

    /// The score of a message: the sum of what its features are worth.
    pub fn score(&self, msg: MsgIx) -> u32 {
        self.features(msg).iter().map(|(w, n)| w.points(*n)).sum()
    }

    /// Whether the session turns at a message.
    pub fn turns(&self, msg: MsgIx) -> bool {
        self.features(msg).iter().any(|(w, _)| w.turns)
    }

    /// Messages with their scores, highest first; of equal ones the earlier first.
    pub fn ranked(&self) -> Vec<(MsgIx, u32)> {
        let mut all: Vec<(MsgIx, u32)> = self.0.keys().map(|m| (*m, self.score(*m))).collect();
        all.sort_by_key(|(m, score)| (std::cmp::Reverse(*score), *m));
        all
    }
}

/// Scores every message by the facts of its session.
pub(super) fn score(session: &Session, facts: &Facts, episodes: &Episodes, reverts: &[MsgIx]) -> Scores {
    let mut scores = Scores::default();
    asked(session, facts, &mut scores);
    planned(facts, &mut scores);
    measured(facts, &mut scores);
    failed(session, &mut scores);
    for d in &facts.decisions {
        if d.by == By::Assistant || session.message(d.msg).role == Role::User {
            scores.add(d.msg, Feature::Decision);
        }
        d.reversed_msg.into_iter().for_each(|m| scores.add(m, Feature::Revert));
    }
    for list in &facts.options {
        list.options.iter().for_each(|_| scores.add(list.msg, Feature::Option));
    }
    facts.findings.findings.iter().filter(|f| f.restates.is_none()).for_each(|f| scores.add(f.msg, Feature::Finding));
    let told: Vec<_> = episodes.runs.iter().filter_map(|e| Some((e.first, e.phase?))).collect();
    for pair in told.windows(2).filter(|pair| pair[0].1 != pair[1].1) {
        scores.add(pair[1].0, Feature::PhaseTurn);
    }
    reverts.iter().for_each(|m| scores.add(*m, Feature::Revert));
    scores.0.retain(|ix, _| !session.message(*ix).abandoned);
    scores
}

fn asked(session: &Session, facts: &Facts, scores: &mut Scores) {
    for d in facts.directives.iter().filter(|d| d.typed) {
        scores.add(d.msg, Feature::Directive);
        if d.correction {
            scores.add(d.msg, Feature::Correction);
        }
    }
    let mut stopped = false;
    for (ix, message) in session.iter().filter(|(ix, _)| session.on_main(*ix)) {
        let text = || message.text().to_ascii_lowercase();
        match message.kind {
            MessageKind::Prompt if message.role == Role::User && !message.text().trim().is_empty() => {
                scores.add(ix, Feature::Prompt);
                if std::mem::take(&mut stopped) {
                    scores.add(ix, Feature::Redirection);
                }
            }
            MessageKind::Reply => stopped = false,
            MessageKind::CompactionSummary => scores.add(ix, Feature::Compaction),
            MessageKind::Notice if text().contains("interrupted") => {
                stopped = true;
                scores.add(ix, Feature::Interruption);
            }
            _ => {}
        }
    }
}

fn planned(facts: &Facts, scores: &mut Scores) {
    for t in facts.plan.transitions.iter().filter(|t| t.is_change()) {
        scores.add(t.msg, Feature::PlanChange);
    }
    for (ix, snapshot) in facts.plan.snapshots.iter().enumerate().filter(|(_, s)| s.accepted) {
        // A list's first write, or one that keeps none of the items before it.
        let rows = facts.plan.rows_of(ix as u32);
        let first = !rows.is_empty() && rows.iter().all(|t| t.kind.word().starts_with("created"));
        if first || rows.iter().any(|t| t.kind.word() == "list-replaced") {
            scores.add(snapshot.msg, Feature::NewPlan);
        }
    }
}

fn measured(facts: &Facts, scores: &mut Scores) {
    let mut first = true;
    let mut last: BTreeMap<String, (MsgIx, f64)> = BTreeMap::new();
    for m in &facts.bench.measurements {
        match m.role {
            MeasurementRole::Measured => {
                scores.add(m.msg, Feature::Figure);
                if let Some((table, _)) = m.conditions.as_ref().filter(|(table, _)| *table != m.msg) {
                    scores.add(*table, Feature::FigureTable);
                }
            }
            MeasurementRole::Theoretical => {
                scores.add(m.msg, Feature::Limit);
                continue;
            }
            _ => continue,
        }
        if std::mem::take(&mut first) {
            scores.add(m.msg, Feature::FirstFigure);
        }
        let Some(value) = m.value.filter(|v| *v > 0.0 && m.valid && !m.params.is_empty()) else { continue };
        let series = format!("{} {:?} {:?} {:?} {:?}", m.metric, m.unit, m.statistic, m.scope, m.params);
        if let Some((msg, before)) = last.insert(series, (m.msg, value))
            && msg != m.msg
            && (value / before).max(before / value) >= LARGE
        {
            scores.add(m.msg, Feature::FigureTurn);
        }
    }
}

fn failed(session: &Session, scores: &mut Scores) {
    let mut calm = 0;
    for (at, call) in session.calls().filter(|(at, _)| session.on_main(at.msg)) {
        if call.failed() {
            scores.add(at.msg, Feature::Failure);
            if calm >= CALM && matches!(call.kind, ToolKind::Shell | ToolKind::Other) {
                scores.add(at.msg, Feature::FirstFailure);
            }
            calm = 0;
        } else if call.worked() {
            calm += 1;
        }
    }
}
