//! Plan items, counted: in a list, over the session, and as the plan stood at a message.

use super::super::Scene;
use super::tally::{Tally, counted, is_filler, is_in};
use crate::extract::plan::{ItemIx, PlanItem, PlanSnapshot, State, TransitionKind};
use crate::session::MsgIx;

pub(super) fn items(scene: &Scene<'_>, qualifiers: &[&str], set: &[MsgIx]) -> Vec<Tally> {
    let plan = &scene.world.analysis.facts.plan;
    let within = |ix: MsgIx| is_in(set, ix);
    let narrowed: Vec<String> = qualifiers.iter().filter(|q| !is_filler(q)).map(|q| q.to_ascii_lowercase()).collect();
    let words: Vec<&str> = narrowed.iter().map(String::as_str).collect();
    let (state, open, created) = match words[..] {
        [] => (None, false, false),
        ["created"] => (None, false, true),
        ["open"] => (None, true, false),
        ["gone"] => {
            let gone = |i: &&PlanItem| i.outcome != State::Done && !i.last.is_open();
            return vec![counted(plan.items.iter().filter(gone).map(|i| i.first_msg).collect())];
        }
        ["high" | "medium" | "low"] => return priorities(scene, words[0], set),
        [word] => match State::of_word(word) {
            State::Other | State::Absent => return Vec::new(),
            state => (Some(state), false, false),
        },
        _ => return Vec::new(),
    };
    let is = |s: State| state.is_none_or(|want| want == s) && (!open || s.is_open());
    let mut out = Vec::new();
    let created_here: Vec<MsgIx> = plan
        .transitions
        .iter()
        .filter(|t| {
            within(t.msg) && t.from == State::Absent && t.to != State::Absent && t.kind != TransitionKind::ReAdded
        })
        .map(|t| t.msg)
        .collect();
    if created || set.len() > 1 && state.is_none() && !open {
        out.push((created_here.len() as u64, created_here));
        if created {
            return out;
        }
    }
    // A refused write still says what it lists.
    let lists: Vec<&PlanSnapshot> = plan.snapshots.iter().filter(|s| within(s.msg)).collect();
    if set.len() == 1 || words.is_empty() {
        out.extend(
            lists.iter().rev().take(1).map(|s| (s.items.iter().filter(|i| is(i.state)).count() as u64, vec![s.msg])),
        );
    }
    if set.len() != 1 {
        let upto = set.last().copied();
        let last: u64 = plan.lists_at(upto).iter().flat_map(|s| &s.items).filter(|i| is(i.state)).count() as u64;
        let all = plan.items.iter().filter(|i| within(i.first_msg));
        let ended = all.clone().filter(|i| is(i.last)).count() as u64;
        let outcome = all.filter(|i| is(i.outcome)).count() as u64;
        out.extend([ended, outcome, last].map(|n| (n, Vec::new())));
    }
    out
}

/// Items of the latest list in a set that have a priority.
fn priorities(scene: &Scene<'_>, priority: &str, set: &[MsgIx]) -> Vec<Tally> {
    let within = |ix: MsgIx| is_in(set, ix);
    let snapshots = &scene.world.analysis.facts.plan.snapshots;
    let Some(list) = snapshots.iter().rev().find(|s| within(s.msg) && s.items.iter().any(|i| i.priority.is_some()))
    else {
        return Vec::new();
    };
    let has = |i: &&crate::extract::plan::SnapshotItem| {
        i.priority.as_deref().is_some_and(|p| p.eq_ignore_ascii_case(priority))
    };
    vec![(list.items.iter().filter(has).count() as u64, vec![list.msg])]
}

/// Items as the plan stood after a message (`None` = before the first): those of the lists then in force, and those of
/// all lists so far, each in its last state.
pub(super) fn then(scene: &Scene<'_>, qualifiers: &[&str], upto: Option<MsgIx>) -> Vec<Tally> {
    let plan = &scene.world.analysis.facts.plan;
    let Some(upto) = upto else { return vec![(0, Vec::new())] };
    let mut wanted = qualifiers.iter().filter(|q| !is_filler(q));
    let keep: Box<dyn Fn(State) -> bool> = match wanted.next().map(|w| w.to_ascii_lowercase()).as_deref() {
        None | Some("created") => Box::new(|_| true),
        Some("open") => Box::new(State::is_open),
        Some(word) => match State::of_word(word) {
            State::Other | State::Absent => return Vec::new(),
            want => Box::new(move |s| s == want),
        },
    };
    if wanted.next().is_some() {
        return Vec::new();
    }
    let in_force = plan.lists_at(Some(upto)).into_iter().flat_map(|s| &s.items).filter(|i| keep(i.state)).count();
    let mut last: std::collections::BTreeMap<ItemIx, State> = std::collections::BTreeMap::new();
    for t in plan.transitions.iter().filter(|t| t.msg <= upto) {
        // An item that leaves the list keeps the state it left with.
        if let (Some(item), true) = (t.item, t.to != State::Absent) {
            last.insert(item, t.to);
        }
    }
    let so_far = last.values().filter(|s| keep(**s)).count();
    [in_force, so_far].map(|n| (n as u64, vec![upto])).into()
}
