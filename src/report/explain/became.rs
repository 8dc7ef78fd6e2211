//! What became of the items of a message's plan.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::plan::done;
use super::some;
use super::subject::Subject;
use crate::extract::plan::conformance::conformance;
use crate::extract::plan::{ItemIx, PlanItem, PlanSnapshot, SnapshotItem, State, Transition};
use crate::report::section::plan::{End, end};

#[derive(Debug, Serialize)]
struct View {
    rows: Vec<Row>,
    left: usize,
    deviations: Vec<Deviation>,
    /// Items that one message started and completed.
    at_once: Vec<AtOnce>,
}

#[derive(Debug, Serialize)]
struct Row {
    label: String,
    active: Option<String>,
    done: Option<String>,
    end: Option<End>,
    /// Messages whose calls bear on the completion.
    evidence: Vec<String>,
    weak: bool,
    without: &'static str,
}

/// An item that was started before one listed ahead of it.
#[derive(Debug, Serialize)]
struct Deviation {
    item: String,
    msg: String,
    ahead: String,
}

#[derive(Debug, Serialize)]
struct AtOnce {
    item: String,
    msg: String,
}

const ROWS: usize = 20;
const EVIDENCE: usize = 4;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let snapshot = subject.snapshot().filter(|s| s.accepted && !s.items.is_empty())?;
    // Of items that were done before, the message says nothing.
    let open = snapshot
        .items
        .iter()
        .filter(|i| i.state.is_open() || done(subject, i.item).is_some_and(|t| t.msg >= subject.ix));
    let (rows, left) = super::subject::first(open.map(|i| row(subject, i)), ROWS);
    if rows.is_empty() {
        return None;
    }
    let at_once = rows.iter().filter(|r| r.done.is_some() && r.done == r.active);
    some(View {
        at_once: at_once.filter_map(|r| Some(AtOnce { item: r.label.clone(), msg: r.done.clone()? })).collect(),
        deviations: deviations(subject, snapshot),
        rows,
        left,
    })
}

fn row(subject: &Subject<'_>, item: &SnapshotItem) -> Row {
    let known: Option<&PlanItem> = item.item.and_then(|i| subject.facts().plan.items.get(i.at()));
    let completion = done(subject, item.item);
    let mut seen = BTreeSet::new();
    let evidence = completion.map(|t| &t.evidence[..]).unwrap_or_default();
    let messages = evidence.iter().filter(|e| seen.insert(e.call.msg)).take(EVIDENCE);
    Row {
        label: known.map(|k| k.label.clone()).unwrap_or_default(),
        active: started(subject, item.item).map(|t| subject.name(t.msg)),
        done: completion.map(|t| subject.name(t.msg)),
        end: known.map(end),
        evidence: messages.map(|e| subject.name(e.call.msg)).collect(),
        weak: !evidence.is_empty() && evidence.iter().all(|e| !e.strong),
        without: completion.map_or("–", Transition::without_evidence),
    }
}

fn started<'a>(subject: &Subject<'a>, item: Option<ItemIx>) -> Option<&'a Transition> {
    let all = subject.facts().plan.transitions.iter();
    all.into_iter().find(|t| item.is_some() && t.item == item && t.to == State::Active && t.from != t.to)
}

/// Items of the list that were begun before one that stood ahead of them and was begun later.
fn deviations(subject: &Subject<'_>, snapshot: &PlanSnapshot) -> Vec<Deviation> {
    let plan = &subject.facts().plan;
    let name = |item: ItemIx| plan.items.get(item.at()).map(|i| i.label.clone()).unwrap_or_default();
    let is_shown = |item: ItemIx| snapshot.items.iter().any(|i| i.item == Some(item));
    let lists = conformance(plan);
    let found = lists.get(snapshot.list as usize).into_iter().flat_map(|list| &list.deviations);
    let shown = found.filter(|d| is_shown(d.item) && d.msg >= subject.ix).filter_map(|d| {
        let ahead = d.before.iter().copied().find(|b| is_shown(*b))?;
        Some(Deviation { item: name(d.item), msg: subject.name(d.msg), ahead: name(ahead) })
    });
    shown.collect()
}
