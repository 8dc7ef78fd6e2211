//! The plan on its own: the sentence in front, a Gantt chart in text, an event log for process mining.

pub(crate) mod completion;
pub mod timeline;
pub mod xes;

use serde::Serialize;

use super::engine::Engine;
use super::section::value::label;
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::plan::conformance::{Deviation, conformance};
use crate::extract::plan::{Figures, ItemIx, PlanSource, SnapshotItem, State};
use crate::session::{MsgIx, Session, ThreadIx};

/// Open items named before the rest is only counted.
const SHOWN: usize = 6;

#[derive(Debug, Serialize)]
struct Headline {
    lists: usize,
    figures: Figures,
    first: Option<String>,
    last: Option<String>,
    open: Vec<Open>,
    open_left: usize,
    refused: usize,
    /// Words of the sources other than a tool.
    inferred: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct Open {
    label: String,
    text: String,
    state: &'static str,
}

/// The sentence a reader needs first: how many messages changed plan state, and what is still open.
/// `templates/plan.txt` holds it.
pub fn headline(engine: &Engine, analysis: &Analysis) -> Result<String, Error> {
    let (session, plan) = (&analysis.session, &analysis.facts.plan);
    let figures = plan.figures();
    let open: Vec<Open> = plan
        .open_items()
        .map(|(_, i)| Open { label: i.label.clone(), text: i.text.clone(), state: i.last.word() })
        .collect();
    let mut inferred: Vec<&str> =
        plan.lists.iter().filter(|l| l.source != PlanSource::Tool).map(|l| l.source.word()).collect();
    inferred.sort_unstable();
    inferred.dedup();
    let view = Headline {
        lists: plan.lists.len(),
        first: figures.first.map(|m| label(session, m)),
        last: figures.last.map(|m| label(session, m)),
        figures,
        open_left: open.len().saturating_sub(SHOWN),
        open: open.into_iter().take(SHOWN).collect(),
        refused: plan.snapshots.iter().filter(|s| !s.accepted).count(),
        inferred,
    };
    Ok(engine.render("plan.txt", &view)?.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Threads from the main one down to this one: sorted by it, lists of subagents stand below that of their caller.
pub(crate) fn below_caller(session: &Session, thread: ThreadIx) -> Vec<ThreadIx> {
    let up = std::iter::successors(Some(thread), |t| session.threads.get(t.0 as usize)?.parent);
    let mut path: Vec<ThreadIx> = up.take(session.threads.len().max(1)).collect();
    path.reverse();
    path
}

#[derive(Debug, Serialize)]
struct Order {
    /// Items begun before their turn, the first few.
    deviations: Vec<Turn>,
    deviations_left: usize,
    skipped: Vec<String>,
    skipped_left: usize,
    /// Writes that leave several items active, and the first of them.
    parallel: usize,
    parallel_first: Option<String>,
    /// Items opened again after they were done, and items set aside while active.
    reopened: Vec<Place>,
    reopened_left: usize,
    paused: Vec<Place>,
    paused_left: usize,
    /// Items that were begun.
    begun: usize,
    /// Messages that changed the plan first and last.
    first: Option<String>,
    last: Option<String>,
}

#[derive(Debug, Serialize)]
struct Place {
    label: String,
    msg: String,
}

#[derive(Debug, Serialize)]
struct Turn {
    label: String,
    msg: String,
    before: String,
}

/// The sentences on planned order against order begun, over all lists in which two items or more were begun, and on what
/// was set aside or opened again. `templates/plan-order.txt` holds them.
pub fn order(engine: &Engine, analysis: &Analysis) -> Result<String, Error> {
    let (session, plan) = (&analysis.session, &analysis.facts.plan);
    let name = |i: &ItemIx| plan.items[i.at()].label.clone();
    let all = conformance(plan);
    let place = |(msg, item): &(MsgIx, ItemIx)| Place { label: name(item), msg: label(session, *msg) };
    let paused: Vec<Place> = all.iter().flat_map(|l| &l.paused).map(place).collect();
    let reopened: Vec<Place> = all.iter().flat_map(|l| &l.reopened).map(place).collect();
    let parallel: Vec<MsgIx> = all.iter().flat_map(|l| &l.parallel).map(|(msg, _)| *msg).collect();
    let lists: Vec<_> = all.iter().filter(|l| l.executed.len() > 1).collect();
    let turn = |d: &Deviation| {
        let before: Vec<String> = d.before.iter().take(SHOWN).map(name).collect();
        Turn { label: name(&d.item), msg: label(session, d.msg), before: before.join(", ") }
    };
    let deviations: Vec<Turn> = lists.iter().flat_map(|l| &l.deviations).map(turn).collect();
    let skipped: Vec<String> = lists.iter().flat_map(|l| &l.skipped).map(name).collect();
    let figures = plan.figures();
    let view = Order {
        first: figures.first.map(|m| label(session, m)),
        last: figures.last.map(|m| label(session, m)),
        skipped_left: skipped.len().saturating_sub(SHOWN),
        skipped: skipped.into_iter().take(SHOWN).collect(),
        deviations_left: deviations.len().saturating_sub(SHOWN),
        deviations: deviations.into_iter().take(SHOWN).collect(),
        parallel: parallel.len(),
        parallel_first: parallel.iter().min().map(|m| label(session, *m)),
        reopened_left: reopened.len().saturating_sub(SHOWN),
        reopened: reopened.into_iter().take(SHOWN).collect(),
        paused_left: paused.len().saturating_sub(SHOWN),
        paused: paused.into_iter().take(SHOWN).collect(),
        begun: lists.iter().map(|l| l.executed.len()).sum(),
    };
    Ok(engine.render("plan-order.txt", &view)?.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[derive(Debug, Serialize)]
struct HeadlineAt {
    msg: String,
    /// Message of the last write up to then; `None` when there was none.
    written: Option<String>,
    items: usize,
    done: usize,
    cancelled: usize,
    open: Vec<Open>,
    open_left: usize,
    /// Messages that changed the plan up to then, and after it.
    before: usize,
    after: usize,
}

/// The sentence for the list as it stood after a message. `templates/plan-at.txt` holds it.
pub fn headline_at(engine: &Engine, analysis: &Analysis, msg: MsgIx) -> Result<String, Error> {
    let (session, plan) = (&analysis.session, &analysis.facts.plan);
    let changed = plan.changed_messages();
    let before = changed.partition_point(|m| *m <= msg);
    let lists = plan.lists_at(Some(msg));
    let items = || lists.iter().flat_map(|s| &s.items);
    let label_of = |i: &SnapshotItem| i.item.and_then(|x| plan.items.get(x.at())).map(|x| x.label.clone());
    let open: Vec<Open> = items()
        .filter(|i| i.state.is_open())
        .map(|i| Open { label: label_of(i).unwrap_or_default(), text: i.text.clone(), state: i.state.word() })
        .collect();
    let view = HeadlineAt {
        msg: label(session, msg),
        written: lists.iter().map(|s| s.msg).max().map(|m| label(session, m)),
        items: items().count(),
        done: items().filter(|i| i.state == State::Done).count(),
        cancelled: items().filter(|i| i.state == State::Cancelled).count(),
        open_left: open.len().saturating_sub(SHOWN),
        open: open.into_iter().take(SHOWN).collect(),
        before,
        after: changed.len() - before,
    };
    Ok(engine.render("plan-at.txt", &view)?.split_whitespace().collect::<Vec<_>>().join(" "))
}
