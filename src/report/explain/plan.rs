//! The plan as a message leaves it, what the message changed, and what became of each item.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::analysis::Analysis;
use crate::extract::plan::conformance::conformance;
use crate::extract::plan::{ItemIx, Plan, PlanItem, PlanSnapshot, State, Transition, TransitionKind};
use crate::report::section::plan::{End, end};
use crate::report::section::value::{label, word};
use crate::session::{MsgIx, Session};

/// A message's plan.
#[derive(Debug, Serialize)]
pub(super) struct PlanOfMessage {
    accepted: bool,
    source: &'static str,
    created: usize,
    active: usize,
    pending: usize,
    done: usize,
    items: Vec<Row>,
    dropped: Vec<Dropped>,
    all_done_msg: Option<String>,
    deviations: Vec<Deviation>,
}

#[derive(Debug, Serialize)]
struct Row {
    label: String,
    text: String,
    state: &'static str,
    priority: Option<String>,
    changes: Vec<String>,
    old_text: Option<String>,
    before: &'static str,
    active_msg: Option<String>,
    done_msg: Option<String>,
    last: Option<End>,
    evidence: Vec<String>,
    without: &'static str,
    weak: bool,
}

#[derive(Debug, Serialize)]
struct Dropped {
    label: String,
    text: String,
    from: &'static str,
}

/// An item that was started before one listed ahead of it.
#[derive(Debug, Serialize)]
struct Deviation {
    item: String,
    msg: String,
    ahead: String,
}

/// The plan that the last write of the message leaves; `None` when the message writes no plan.
pub(super) fn of_message(analysis: &Analysis, ix: MsgIx) -> Option<PlanOfMessage> {
    let (session, plan) = (&analysis.session, &analysis.facts.plan);
    let snapshot = plan.snapshots.iter().rev().find(|s| s.msg == ix)?;
    let here: Vec<&Transition> = plan.transitions.iter().filter(|t| t.msg == ix).collect();
    let items: Vec<Row> = snapshot.items.iter().map(|item| row(session, plan, &here, item)).collect();
    let count = |state: State| snapshot.items.iter().filter(|i| i.state == state).count();
    let is_created =
        |t: &&&Transition| t.from == State::Absent && t.to != State::Absent && t.kind != TransitionKind::Unchanged;
    let created: BTreeSet<Option<ItemIx>> = here.iter().filter(is_created).map(|t| t.item).collect();
    let gone = here.iter().filter(|t| t.to == State::Absent && t.from != State::Absent);
    let all_done = snapshot.items.iter().all(|i| known(plan, i.item).is_some_and(|item| end(item).is_done()));
    let done_at = snapshot.items.iter().filter_map(|i| done(plan, i.item)).map(|t| t.msg).max();
    Some(PlanOfMessage {
        accepted: snapshot.accepted,
        source: snapshot.source.word(),
        created: created.len(),
        active: count(State::Active),
        pending: count(State::Pending),
        done: count(State::Done),
        dropped: gone
            .filter_map(|t| {
                let label = plan.items[t.item?.0 as usize].label.clone();
                Some(Dropped { label, text: t.text.clone(), from: t.from.word() })
            })
            .collect(),
        all_done_msg: done_at.filter(|_| all_done && !items.is_empty()).map(|m| label(session, m)),
        deviations: deviations(session, plan, snapshot),
        items,
    })
}

fn row(session: &Session, plan: &Plan, here: &[&Transition], item: &crate::extract::plan::SnapshotItem) -> Row {
    let mine = || here.iter().filter(|t| t.item == item.item);
    let known = known(plan, item.item);
    let completion = done(plan, item.item);
    let mut seen = BTreeSet::new();
    let evidence = completion.map(|t| &t.evidence[..]).unwrap_or_default();
    Row {
        label: known.map(|k| k.label.clone()).unwrap_or_default(),
        text: item.text.clone(),
        state: item.state.word(),
        priority: item.priority.clone(),
        changes: mine().filter(|t| t.kind != TransitionKind::Unchanged).map(|t| word(t.kind)).collect(),
        old_text: mine().find_map(|t| t.old_text.clone()),
        before: mine().map(|t| t.from.word()).next().unwrap_or(State::Absent.word()),
        active_msg: started(plan, item.item).map(|t| label(session, t.msg)),
        done_msg: completion.map(|t| label(session, t.msg)),
        last: known.map(end),
        evidence: evidence
            .iter()
            .filter(|e| seen.insert(e.call.msg))
            .take(4)
            .map(|e| label(session, e.call.msg))
            .collect(),
        without: completion.map_or("–", Transition::without_evidence),
        weak: !evidence.is_empty() && evidence.iter().all(|e| !e.strong),
    }
}

fn known(plan: &Plan, item: Option<ItemIx>) -> Option<&PlanItem> {
    plan.items.get(item?.0 as usize)
}

fn started(plan: &Plan, item: Option<ItemIx>) -> Option<&Transition> {
    plan.transitions.iter().find(|t| item.is_some() && t.item == item && t.to == State::Active && t.from != t.to)
}

fn done(plan: &Plan, item: Option<ItemIx>) -> Option<&Transition> {
    plan.transitions.iter().rfind(|t| item.is_some() && t.item == item && t.to == State::Done && t.from != t.to)
}

/// Items of the list that were begun before one that stood ahead of them and was begun later.
fn deviations(session: &Session, plan: &Plan, snapshot: &PlanSnapshot) -> Vec<Deviation> {
    let name = |item: ItemIx| plan.items.get(item.at()).map(|i| i.label.clone()).unwrap_or_default();
    let is_shown = |item: ItemIx| snapshot.items.iter().any(|i| i.item == Some(item));
    let lists = conformance(plan);
    let found = lists.get(snapshot.list as usize).into_iter().flat_map(|list| &list.deviations);
    let shown = found.filter(|d| is_shown(d.item)).filter_map(|d| {
        let ahead = d.before.iter().copied().find(|b| is_shown(*b))?;
        Some(Deviation { item: name(d.item), msg: label(session, d.msg), ahead: name(ahead) })
    });
    shown.collect()
}
