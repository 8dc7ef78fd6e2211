//! Before and after: two measurements of one quantity that follow each other, and what was done between them.
//!
//! What lies between two figures is named and counted, never called the cause.

use std::collections::BTreeSet;

use serde::Serialize;

use super::lexicon::Kind;
use super::series::{Series, series};
use super::units::Unit;
use super::{Bench, FigureEvidence, Measurement};
use crate::extract::plan::Plan;
use crate::session::{CallRef, Field, MsgIx, Session, ToolKind};

/// Two measurements of one quantity under the same conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Position of the earlier one in [`Bench::measurements`].
    pub before: u32,
    /// Position of the later one.
    pub after: u32,
    /// Unit of `from` and `to`.
    pub unit: String,
    /// The earlier value.
    pub from: f64,
    /// The later value.
    pub to: f64,
    /// How they differ.
    pub delta: Delta,
    /// What became of the quantity.
    pub verdict: Verdict,
    /// Shares of one and the same limit, where both have one.
    pub efficiency: Option<(f64, f64)>,
    /// What was done between the two.
    pub between: Between,
}

/// How two values differ, in the words that their kind allows; what has no meaning for the kind is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Delta {
    /// After ÷ before − 1: 0.1 is ten percent more.
    pub change: Option<f64>,
    /// After − before in percentage points; of shares only.
    pub points: Option<f64>,
    /// How many times as fast: after ÷ before of rates, before ÷ after of times.
    pub speedup: Option<f64>,
    /// After ÷ before; of times only.
    pub latency_ratio: Option<f64>,
}

/// What became of a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It moved to where it is better.
    Better,
    /// It moved to where it is worse.
    Worse,
    /// Both values are the same.
    Same,
    /// The spreads that are stated overlap.
    Noise,
}

/// What was done between two measurements.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Between {
    /// Changes of the plan: positions in [`Plan::transitions`].
    pub plan: Vec<u32>,
    /// Commands that ran something, but printed no figure.
    pub commands: u32,
    /// Edits and writes of files.
    pub edits: u32,
    /// The last of these commands and edits.
    pub last: Option<CallRef>,
    /// Both figures stand in one table cell, row or sentence that sets them against each other.
    pub stated: bool,
}

impl Between {
    /// Whether nothing is known to lie between: a repeated measurement, or a pair that was stated as such.
    pub fn is_empty(&self) -> bool {
        self.plan.is_empty() && self.commands + self.edits == 0
    }
}

impl Delta {
    fn of(from: f64, to: f64, unit: Option<&Unit>) -> Self {
        let kind = unit.map(Kind::of);
        let ratio = |a: f64, b: f64| (b > 0.0 && a > 0.0).then(|| a / b);
        let rate = kind.is_some_and(Kind::is_rate);
        let time = matches!(kind, Some(Kind::Time | Kind::TimePerOp));
        let whole = if unit.is_some_and(|u| u.name == "%") { 1.0 } else { 100.0 };
        Self {
            change: (from > 0.0).then(|| to / from - 1.0),
            points: (kind == Some(Kind::Ratio)).then_some((to - from) * whole),
            speedup: ratio(to, from).filter(|_| rate).or(ratio(from, to).filter(|_| time)),
            latency_ratio: ratio(to, from).filter(|_| time),
        }
    }
}

/// Every pair of measurements that follow each other in a series.
///
/// A message with several values under the same conditions breaks the chain: they may be conditions that were not
/// read. Two values that one message calls before and after are a pair of their own.
pub fn all(session: &Session, plan: &Plan, bench: &Bench) -> Vec<Comparison> {
    let done = Done::of(session, bench);
    let limited = bench.efficiencies.iter().map(|e| (e.measurement, (e.limit, e.efficiency))).collect();
    let context = Context { plan, bench, done, limited };
    let mut out: Vec<Comparison> = series(bench).iter().flat_map(|s| context.pairs(s)).collect();
    out.sort_by_key(|c| (c.after, c.before));
    out
}

/// The comparison that ends in this measurement; one at most does, and `all` come in the order of these.
pub fn of(all: &[Comparison], after: u32) -> Option<&Comparison> {
    all.get(all.partition_point(|c| c.after < after)).filter(|c| c.after == after)
}

struct Context<'a> {
    plan: &'a Plan,
    bench: &'a Bench,
    done: Done,
    /// Preferred limit and efficiency of a measurement.
    limited: std::collections::BTreeMap<u32, (u32, f64)>,
}

type Point = (u32, f64);

impl Context<'_> {
    fn measured(&self, p: Point) -> &Measurement {
        &self.bench.measurements[p.0 as usize]
    }

    fn pairs(&self, s: &Series) -> Vec<Comparison> {
        let mut out = Vec::new();
        let mut last: Option<Point> = None;
        for group in s.points.chunk_by(|a, b| self.measured(*a).msg == self.measured(*b).msg) {
            match *group {
                [one] => {
                    out.extend(last.map(|before| self.compare(s, before, one, false)));
                    last = Some(one);
                }
                [a, b] if self.is_before(a) && self.measured(b).phase.as_deref() == Some("after") => {
                    out.push(self.compare(s, a, b, true));
                    last = Some(b);
                }
                _ => last = None,
            }
        }
        out
    }

    fn is_before(&self, p: Point) -> bool {
        matches!(self.measured(p).phase.as_deref(), Some("before" | "baseline"))
    }

    fn compare(&self, s: &Series, before: Point, after: Point, stated: bool) -> Comparison {
        let (a, b) = (self.measured(before), self.measured(after));
        let limits = self.limited.get(&before.0).zip(self.limited.get(&after.0));
        Comparison {
            before: before.0,
            after: after.0,
            unit: s.unit.clone(),
            from: before.1,
            to: after.1,
            delta: Delta::of(before.1, after.1, Unit::parse(&s.unit).as_ref()),
            verdict: verdict(s.higher_is_better, (a, before.1), (b, after.1)),
            efficiency: limits.filter(|((x, _), (y, _))| x == y).map(|((_, x), (_, y))| (*x, *y)),
            between: if stated { Between { stated, ..Between::default() } } else { self.between(a, b) },
        }
    }

    fn between(&self, a: &Measurement, b: &Measurement) -> Between {
        let changes = self.plan.transitions.iter().enumerate();
        let from = self.plan.transitions.partition_point(|t| t.msg <= a.msg);
        let inside = changes.skip(from).take_while(|(_, t)| t.msg <= b.msg);
        let plan = inside.filter(|(_, t)| t.is_change() && t.item.is_some()).map(|(i, _)| i as u32).collect();
        let (commands, edits, last) = self.done.between(place(a), place(b));
        Between { plan, commands, edits, last, stated: false }
    }
}

fn place(m: &Measurement) -> CallRef {
    CallRef { msg: m.msg, part: m.span.part }
}

/// Whether `to` is better than `from`; within the spread that is stated it is neither.
fn verdict(higher: bool, (a, from): (&Measurement, f64), (b, to): (&Measurement, f64)) -> Verdict {
    let (low, high) = (a.spread(from), b.spread(to));
    let stated = low.is_some() || high.is_some();
    let (low, high) = (low.unwrap_or((from, from)), high.unwrap_or((to, to)));
    match to.total_cmp(&from) {
        _ if to == from => Verdict::Same,
        _ if stated && low.0 <= high.1 && high.0 <= low.1 => Verdict::Noise,
        order if (order == std::cmp::Ordering::Greater) == higher => Verdict::Better,
        _ => Verdict::Worse,
    }
}

/// The calls that may have changed what is measured, in order, with a running count of edits.
struct Done {
    calls: Vec<CallRef>,
    edits: Vec<u32>,
}

impl Done {
    /// Calls that only show files, or that printed figures, change nothing.
    fn of(session: &Session, bench: &Bench) -> Self {
        let printed = |m: &&Measurement| m.evidence == FigureEvidence::Tool && m.span.field == Field::Output;
        let runs: BTreeSet<(MsgIx, u32)> =
            bench.measurements.iter().filter(printed).map(|m| (m.msg, m.span.part)).collect();
        let mut out = Self { calls: Vec::new(), edits: vec![0] };
        for (at, call) in session.calls() {
            let edit = matches!(call.kind, ToolKind::Edit | ToolKind::Write);
            let shell = call.kind == ToolKind::Shell && call.command().is_some_and(super::collect::runs_something);
            if (edit || shell) && !runs.contains(&(at.msg, at.part)) {
                out.calls.push(at);
                out.edits.push(out.edits[out.edits.len() - 1] + u32::from(edit));
            }
        }
        out
    }

    /// Commands, edits and the last of both, strictly between two places.
    fn between(&self, a: CallRef, b: CallRef) -> (u32, u32, Option<CallRef>) {
        let place = |c: &CallRef| (c.msg, c.part);
        let from = self.calls.partition_point(|c| place(c) <= place(&a));
        let to = self.calls.partition_point(|c| place(c) < place(&b)).max(from);
        let edits = self.edits[to] - self.edits[from];
        ((to - from) as u32 - edits, edits, (to > from).then(|| self.calls[to - 1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;

    fn compared(session: Session) -> Vec<Comparison> {
        crate::extract::extract(&session, &Default::default()).comparisons
    }

    fn table(value: &str) -> String {
        format!("| concurrency | output tok/s |\n|---|---|\n| 4 | {value} |\n")
    }

    #[test]
    fn what_was_done_between_two_runs_is_counted() {
        let run = |s: SessionBuilder, v: &str| {
            s.shell("./serve-bench", 0, &format!("Output token throughput (tok/s):  {v}\n"))
        };
        let s = run(SessionBuilder::new().user("go"), "40.00");
        let s = s.shell("cat notes.md", 0, "nothing").shell("systemctl restart engine", 0, "");
        let found = compared(run(s.assistant("Again."), "50.00").build());
        assert_eq!(found.len(), 1, "{found:?}");
        let c = &found[0];
        assert_eq!((c.from, c.to, c.verdict), (40.0, 50.0, Verdict::Better));
        assert_eq!((c.between.commands, c.between.edits, c.between.plan.len()), (1, 0, 0));
        assert!(c.between.last.is_some());
    }

    #[test]
    fn each_kind_of_unit_has_its_words() {
        let delta = |from, to, unit| Delta::of(from, to, Unit::parse(unit).as_ref());
        let rate = delta(10.0, 12.0, "tok/s");
        assert_eq!((rate.points, rate.latency_ratio), (None, None));
        assert!((rate.speedup.unwrap() - 1.2).abs() < 1e-12 && (rate.change.unwrap() - 0.2).abs() < 1e-12);
        let time = delta(80.0, 40.0, "ms");
        assert_eq!((time.speedup, time.latency_ratio, time.points), (Some(2.0), Some(0.5), None));
        let share = delta(60.0, 66.0, "%");
        assert_eq!((share.points, share.speedup), (Some(6.0), None));
        assert!((share.change.unwrap() - 0.1).abs() < 1e-12);
        assert_eq!(delta(0.0, 5.0, "W"), Delta::default());
    }

    #[test]
    fn several_values_in_one_message_break_the_chain() {
        let twice = "| concurrency | output tok/s |\n|---|---|\n| 4 | 44 |\n| 4 | 61 |\n";
        let s = SessionBuilder::new().user("go").assistant(&table("40")).assistant(twice).assistant(&table("70"));
        assert_eq!(compared(s.build()), []);
    }

    #[test]
    fn a_pair_in_one_message_is_stated_and_has_nothing_between() {
        let said =
            "| Metric | Before → after |\n|---|---|\n| Output (tok/s) | 10.4 → 13.0 |\n| TTFT (ms) | 800 → 600 |\n";
        let found = compared(SessionBuilder::new().user("go").assistant(said).build());
        let shown: Vec<_> = found.iter().map(|c| (c.from, c.to, c.verdict, c.between.stated)).collect();
        assert_eq!(shown, [(10.4, 13.0, Verdict::Better, true), (800.0, 600.0, Verdict::Better, true)]);
    }

    #[test]
    fn what_lies_within_the_stated_spread_is_noise() {
        let verdict = |a: &str, b: &str| {
            let s = SessionBuilder::new().user("go").assistant(&table(a)).assistant(&table(b)).build();
            compared(s)[0].verdict
        };
        assert_eq!(verdict("40 ± 3", "44 ± 2"), Verdict::Noise);
        assert_eq!(verdict("40 ± 1", "44 ± 2"), Verdict::Better);
        assert_eq!(verdict("44", "40"), Verdict::Worse);
    }
}
