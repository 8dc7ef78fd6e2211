//! Planned order against executed order: deviations, items active side by side, work that was opened again.

use std::collections::BTreeMap;

use super::{ItemIx, Plan, State, TransitionKind};
use crate::session::MsgIx;

/// How one list was carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Conformance {
    /// Position in [`Plan::lists`].
    pub list: u32,
    /// Items in the order in which they were begun (or done, when they were never begun).
    pub executed: Vec<ItemIx>,
    /// Items begun before one planned ahead of them.
    pub deviations: Vec<Deviation>,
    /// Share of the items begun that were begun in their turn; 1 when nothing was begun.
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
    /// Items that stood ahead of it in the list and were not yet begun.
    pub before: Vec<ItemIx>,
}

/// Compares order planned and order executed, list by list. The planned order is that of the list as each write leaves
/// it; items that one write begins or finishes together are in turn.
pub fn conformance(plan: &Plan) -> Vec<Conformance> {
    let mut out: Vec<Conformance> = (0..plan.lists.len() as u32).map(empty).collect();
    let mut begun: BTreeMap<ItemIx, bool> = BTreeMap::new();
    for (at, snapshot) in plan.snapshots.iter().enumerate().filter(|(_, s)| s.accepted) {
        let list = &mut out[snapshot.list as usize];
        let items: Vec<(ItemIx, State)> = snapshot.items.iter().filter_map(|i| Some((i.item?, i.state))).collect();
        let first = |begun: &BTreeMap<ItemIx, bool>, i: ItemIx, s: State| {
            matches!(s, State::Active | State::Done) && !begun.contains_key(&i)
        };
        let starts: Vec<ItemIx> = items.iter().filter(|(i, s)| first(&begun, *i, *s)).map(|(i, _)| *i).collect();
        starts.iter().for_each(|i| {
            begun.insert(*i, true);
        });
        let mut waiting = Vec::new();
        for (item, state) in &items {
            if starts.contains(item) {
                list.executed.push(*item);
                if !waiting.is_empty() {
                    list.deviations.push(Deviation { msg: snapshot.msg, item: *item, before: waiting.clone() });
                }
            } else if *state == State::Pending && !begun.contains_key(item) {
                waiting.push(*item);
            }
        }
        for t in plan.rows_of(at as u32) {
            match (t.kind, t.item) {
                (TransitionKind::Reopened, Some(item)) => list.reopened.push((t.msg, item)),
                (TransitionKind::Paused, Some(item)) => list.paused.push((t.msg, item)),
                _ => {}
            }
        }
        let active: Vec<ItemIx> = items.iter().filter(|(_, s)| *s == State::Active).map(|(i, _)| *i).collect();
        if active.len() > 1 && list.parallel.last().is_none_or(|(_, last)| *last != active) {
            list.parallel.push((snapshot.msg, active));
        }
    }
    for list in &mut out {
        if !list.executed.is_empty() {
            list.fitness = 1.0 - list.deviations.len() as f64 / list.executed.len() as f64;
        }
    }
    out
}

fn empty(list: u32) -> Conformance {
    Conformance {
        list,
        executed: Vec::new(),
        deviations: Vec::new(),
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
        assert_eq!(found.deviations, [Deviation { msg: MsgIx(1), item: ItemIx(2), before: vec![ItemIx(1)] }]);
        assert_eq!(found.parallel, [(MsgIx(2), vec![ItemIx(1), ItemIx(2)])]);
        assert_eq!(found.reopened, [(MsgIx(3), ItemIx(0))]);
        assert!((found.fitness - 2.0 / 3.0).abs() < 1e-9);
    }
}
