//! What a plan came to: how many items were done, are open, or went another way.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{ItemIx, Plan, PlanItem, PlanSource, State};
use crate::session::MsgIx;

/// Counts of a plan at the end of its session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// Items ever in a list.
    pub items: usize,
    /// Items done, whether or not they are still in the list.
    pub done: usize,
    /// Of those done, the ones that no write of the transcript completed: they were done before, or out of sight.
    pub done_elsewhere: usize,
    /// Items given up.
    pub cancelled: usize,
    /// Items taken off the list while open.
    pub dropped_open: usize,
    /// Items still to be dealt with.
    pub open: usize,
    /// Items of plans whose progress is never told.
    pub never_told: usize,
    /// Items that are none of done, open and never told: cancelled or dropped.
    pub gone: usize,
    /// Completions.
    pub completions: usize,
    /// Completions with a call that proves them.
    pub proven: usize,
    /// No list comes from a tool.
    pub inferred: bool,
    /// Messages that changed the plan.
    pub changes: usize,
    /// The first of them.
    #[serde(skip)]
    pub first: Option<MsgIx>,
    /// The last of them.
    #[serde(skip)]
    pub last: Option<MsgIx>,
}

impl Plan {
    /// Counts of the plan at the end of the session.
    pub fn figures(&self) -> Figures {
        let count = |is: &dyn Fn(&PlanItem) -> bool| self.items.iter().filter(|i| is(i)).count();
        let done = count(&|i| i.outcome == State::Done);
        let open = self.open_items().count();
        let never_told = count(&|i| i.last.is_open()) - open;
        let completions = || self.transitions.iter().filter(|t| t.is_completion());
        let finished = self.transitions.iter().filter(|t| t.to == State::Done && t.from != State::Done && !t.revealed);
        let here: BTreeSet<ItemIx> = finished.filter_map(|t| t.item).collect();
        let changed = self.changed_messages();
        Figures {
            items: self.items.len(),
            done,
            done_elsewhere: (0..)
                .map(ItemIx)
                .zip(&self.items)
                .filter(|(ix, i)| i.outcome == State::Done && !here.contains(ix))
                .count(),
            cancelled: count(&|i| i.outcome == State::Cancelled),
            dropped_open: count(&|i| i.last == State::Absent && i.outcome.is_open()),
            open,
            never_told,
            gone: self.items.len() - done - open - never_told,
            completions: completions().count(),
            proven: completions().filter(|t| t.evidence.iter().any(|e| e.strong)).count(),
            inferred: self.lists.iter().all(|l| l.source != PlanSource::Tool),
            changes: changed.len(),
            first: changed.first().copied(),
            last: changed.last().copied(),
        }
    }

    /// The message that last changed an item.
    pub fn last_change(&self, ix: ItemIx) -> MsgIx {
        let last = self.transitions.iter().rfind(|t| t.item == Some(ix) && t.is_change());
        last.map_or(self.items[ix.at()].first_msg, |t| t.msg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::plan::extract;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    #[test]
    fn every_item_is_counted_once_and_knows_its_last_change() {
        let list = |states: &[(&str, &str)]| {
            let items: Vec<_> = states.iter().map(|(t, s)| json!({"content": t, "status": s})).collect();
            json!({ "todos": items })
        };
        let session = SessionBuilder::new()
            .call("TodoWrite", list(&[("dig", "pending"), ("fill", "pending"), ("rake", "pending")]), "ok")
            .call("TodoWrite", list(&[("dig", "completed"), ("fill", "cancelled"), ("rake", "pending")]), "ok")
            .call("TodoWrite", list(&[("dig", "completed"), ("fill", "cancelled")]), "ok")
            .call("TodoWrite", list(&[("dig", "completed"), ("fill", "cancelled"), ("sow", "in_progress")]), "ok")
            .call("TodoWrite", list(&[("dig", "completed"), ("fill", "cancelled"), ("sow", "in_progress")]), "ok")
            .build();
        let plan = extract(&session);
        let f = plan.figures();
        assert_eq!((f.items, f.done, f.open, f.gone, f.never_told), (4, 1, 1, 2, 0));
        assert_eq!((f.cancelled, f.dropped_open, f.completions, f.changes), (1, 1, 1, 4));
        assert_eq!((f.first, f.last), (Some(MsgIx(0)), Some(MsgIx(3))));
        let last: Vec<u32> = (0..4).map(|i| plan.last_change(ItemIx(i)).0).collect();
        assert_eq!(last, [1, 1, 2, 3]);
    }
}
