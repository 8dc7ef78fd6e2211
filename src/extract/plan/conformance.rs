//! Planned order against executed order: deviations, items skipped, items active side by side, work set aside or opened
//! again.

use std::collections::{BTreeMap, BTreeSet};

use super::changes::rank;
use super::{ItemIx, Plan, PlanSnapshot, SnapshotItem, State, Transition, TransitionKind};
use crate::session::MsgIx;

/// How one list was carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Conformance {
    /// Position in [`Plan::lists`].
    pub list: u32,
    /// Items in the order in which they were begun (or done, when they were never begun).
    pub executed: Vec<ItemIx>,
    /// The same items in the order in which they were planned.
    pub planned: Vec<ItemIx>,
    /// Items begun before one planned ahead of them that was begun later.
    pub deviations: Vec<Deviation>,
    /// Items that one begun later in the list passed by, and that were never begun.
    pub skipped: Vec<ItemIx>,
    /// Share of the items begun that lie in the longest run begun in the planned order; 1 when nothing was begun. It is
    /// the fitness of the best alignment with the planned order, as process mining defines it.
    pub fitness: f64,
    /// Writes that leave more than one item active.
    pub parallel: Vec<(MsgIx, Vec<ItemIx>)>,
    /// Items that were opened again after they were done.
    pub reopened: Vec<(MsgIx, ItemIx)>,
    /// Items that were set aside while active.
    pub paused: Vec<(MsgIx, ItemIx)>,
}

/// An item that was begun before its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// Message that began it.
    pub msg: MsgIx,
    /// The item.
    pub item: ItemIx,
    /// Items that stood ahead of it in the list, still waiting, and were begun later.
    pub before: Vec<ItemIx>,
}

/// An item as it is begun, with what waits ahead of it.
struct Beginning {
    msg: MsgIx,
    item: ItemIx,
    waiting: Vec<ItemIx>,
}

/// Compares order planned and order executed, list by list. The planned order is that of the list as each write leaves
/// it; items that one write begins or finishes together are in turn, and so is one of higher priority than those it passes.
pub fn conformance(plan: &Plan) -> Vec<Conformance> {
    let mut begun: BTreeSet<ItemIx> = BTreeSet::new();
    let mut lists: Vec<(Vec<Beginning>, Conformance)> =
        (0..plan.lists.len() as u32).map(|list| (Vec::new(), empty(list))).collect();
    for (at, snapshot) in (0..).zip(&plan.snapshots).filter(|(_, s)| s.accepted) {
        let (beginnings, list) = &mut lists[snapshot.list as usize];
        let rows = plan.rows_of(at);
        let fresh = |t: &&Transition| begins(t) && t.item.is_some_and(|i| !begun.contains(&i));
        let starts: BTreeSet<ItemIx> = rows.iter().filter(fresh).filter_map(|t| t.item).collect();
        begun.extend(&starts);
        beginnings.extend(beginnings_of(snapshot, &starts, &begun));
        for t in rows {
            match (t.kind, t.item) {
                (TransitionKind::Reopened, Some(item)) => list.reopened.push((t.msg, item)),
                (TransitionKind::Paused, Some(item)) => list.paused.push((t.msg, item)),
                _ => {}
            }
        }
        let active = snapshot.items.iter().filter(|i| i.state == State::Active).filter_map(|i| i.item);
        let active: Vec<ItemIx> = active.collect();
        if active.len() > 1 && list.parallel.last().is_none_or(|(_, last)| *last != active) {
            list.parallel.push((snapshot.msg, active));
        }
    }
    lists.into_iter().map(|(beginnings, list)| compare(beginnings, list, &begun)).collect()
}

/// Whether a row begins its item: it becomes active, or done without having been active.
pub(crate) fn begins(t: &Transition) -> bool {
    !t.revealed && matches!(t.to, State::Active | State::Done) && (t.from != t.to || t.kind == TransitionKind::Split)
}

fn beginnings_of(snapshot: &PlanSnapshot, starts: &BTreeSet<ItemIx>, begun: &BTreeSet<ItemIx>) -> Vec<Beginning> {
    let mut out = Vec::new();
    if starts.is_empty() {
        return out;
    }
    let mut waiting: Vec<&SnapshotItem> = Vec::new();
    for shown in &snapshot.items {
        let Some(item) = shown.item else { continue };
        if starts.contains(&item) {
            let waiting = waiting.iter().filter(|w| !is_urgent(shown, w)).filter_map(|w| w.item).collect();
            out.push(Beginning { msg: snapshot.msg, item, waiting });
        } else if shown.state == State::Pending && !begun.contains(&item) {
            waiting.push(shown);
        }
    }
    out
}

/// Whether the first of two has the higher priority.
fn is_urgent(a: &SnapshotItem, b: &SnapshotItem) -> bool {
    let of = |i: &SnapshotItem| rank(i.priority.as_deref()?);
    of(a).zip(of(b)).is_some_and(|(a, b)| a < b)
}

fn compare(beginnings: Vec<Beginning>, mut list: Conformance, begun: &BTreeSet<ItemIx>) -> Conformance {
    let mut skipped = BTreeSet::new();
    for b in &beginnings {
        let (before, never): (Vec<ItemIx>, Vec<ItemIx>) = b.waiting.iter().partition(|w| begun.contains(w));
        skipped.extend(never);
        if !before.is_empty() {
            list.deviations.push(Deviation { msg: b.msg, item: b.item, before });
        }
    }
    // From the last begun to the first: each stands right behind the last of those that waited ahead of it.
    for b in beginnings.iter().rev() {
        let waits: BTreeSet<ItemIx> = b.waiting.iter().copied().collect();
        let at = list.planned.iter().rposition(|p| waits.contains(p)).map_or(0, |at| at + 1);
        list.planned.insert(at, b.item);
    }
    list.skipped = skipped.into_iter().collect();
    list.executed = beginnings.iter().map(|b| b.item).collect();
    if !list.executed.is_empty() {
        list.fitness = in_order(&list.executed, &list.planned) as f64 / list.executed.len() as f64;
    }
    list
}

/// Length of the longest run of the first order that keeps the second: patience sorting.
fn in_order(executed: &[ItemIx], planned: &[ItemIx]) -> usize {
    let place: BTreeMap<ItemIx, usize> = planned.iter().copied().zip(0..).collect();
    let mut tails: Vec<usize> = Vec::new();
    for at in executed.iter().filter_map(|i| place.get(i)) {
        let n = tails.partition_point(|t| t < at);
        match tails.get_mut(n) {
            Some(tail) => *tail = *at,
            None => tails.push(*at),
        }
    }
    tails.len()
}

fn empty(list: u32) -> Conformance {
    Conformance {
        list,
        executed: Vec::new(),
        planned: Vec::new(),
        deviations: Vec::new(),
        skipped: Vec::new(),
        fitness: 1.0,
        parallel: Vec::new(),
        reopened: Vec::new(),
        paused: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::plan::extract;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    #[test]
    fn an_item_begun_before_one_planned_ahead_of_it_is_a_deviation() {
        let list = |states: [&str; 3]| {
            let items: Vec<_> =
                ["A", "B", "C"].iter().zip(states).map(|(t, s)| json!({"content": t, "status": s})).collect();
            json!({ "todos": items })
        };
        let (p, a, d) = ("pending", "in_progress", "completed");
        let session = SessionBuilder::new()
            .call("TodoWrite", list([a, p, p]), "ok")
            .call("TodoWrite", list([d, p, a]), "ok")
            .call("TodoWrite", list([d, a, a]), "ok")
            .call("TodoWrite", list([a, d, d]), "ok")
            .build();
        let found = &conformance(&extract(&session))[0];
        assert_eq!(found.executed, [ItemIx(0), ItemIx(2), ItemIx(1)]);
        assert_eq!(found.planned, [ItemIx(0), ItemIx(1), ItemIx(2)]);
        assert_eq!(found.deviations, [Deviation { msg: MsgIx(1), item: ItemIx(2), before: vec![ItemIx(1)] }]);
        assert_eq!(found.parallel, [(MsgIx(2), vec![ItemIx(1), ItemIx(2)])]);
        assert_eq!(found.reopened, [(MsgIx(3), ItemIx(0))]);
        assert!((found.fitness - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_never_begun_is_skipped_and_a_higher_priority_goes_first() {
        let list = |states: [&str; 3]| {
            let items = ["A", "B", "C"].iter().zip(["low", "medium", "high"]).zip(states);
            let items: Vec<_> = items.map(|((t, p), s)| json!({"content": t, "status": s, "priority": p})).collect();
            json!({ "todos": items })
        };
        let session = SessionBuilder::new()
            .call("TodoWrite", list(["pending", "pending", "completed"]), "ok")
            .call("TodoWrite", list(["pending", "completed", "completed"]), "ok")
            .build();
        let found = &conformance(&extract(&session))[0];
        assert_eq!((found.fitness, found.deviations.len(), found.skipped.len()), (1.0, 0, 0));
        let plain = |states: [&str; 3]| {
            let items: Vec<_> =
                ["A", "B", "C"].iter().zip(states).map(|(t, s)| json!({"content": t, "status": s})).collect();
            json!({ "todos": items })
        };
        let session =
            SessionBuilder::new().call("TodoWrite", plain(["pending", "completed", "completed"]), "ok").build();
        let found = &conformance(&extract(&session))[0];
        assert_eq!((found.fitness, &found.skipped[..]), (1.0, &[ItemIx(0)][..]));
    }

    #[test]
    fn the_planned_order_of_a_list_that_grows_is_rebuilt_from_what_waited() {
        let list = |items: &[(&str, &str)]| {
            let items: Vec<_> = items.iter().map(|(t, s)| json!({"content": t, "status": s})).collect();
            json!({ "todos": items })
        };
        let (p, d) = ("pending", "completed");
        let session = SessionBuilder::new()
            .call("TodoWrite", list(&[("A", p), ("B", p), ("C", d)]), "ok")
            .call("TodoWrite", list(&[("A", p), ("X", p), ("B", d), ("C", d)]), "ok")
            .call("TodoWrite", list(&[("A", d), ("X", p), ("B", d), ("C", d)]), "ok")
            .call("TodoWrite", list(&[("A", d), ("X", d), ("B", d), ("C", d)]), "ok")
            .build();
        let plan = extract(&session);
        let found = &conformance(&plan)[0];
        let name = |items: &[ItemIx]| items.iter().map(|i| plan.items[i.at()].text.as_str()).collect::<String>();
        assert_eq!((name(&found.executed), name(&found.planned)), ("CBAX".to_owned(), "AXBC".to_owned()));
        assert_eq!((found.fitness, found.deviations.len()), (0.5, 2));
    }
}
