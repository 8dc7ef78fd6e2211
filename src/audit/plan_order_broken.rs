//! An item was begun before one that the list puts ahead of it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::plan::{ItemIx, PlanSnapshot, PlanSource, State};
use crate::session::ThreadIx;

pub(super) const RULE: Rule = Rule {
    id: "plan-order-broken",
    severity: Severity::Low,
    experimental: true,
    doc: r#"
**What it finds.** A write of a whole list makes an item active or done while one that came with it in the same write and stands before it was still pending;
a later write makes that one active.

**Why it matters.** The order of a plan often carries its reason: check first, then measure. The list shows only that the order was left, not why.

**Example.** "Rerun the benchmark" is started in one message, "Verify the link" before it in the list in a later one.

**Exceptions.** Items that were never begun, or ticked off without having been active: the list does not tell when they were done; items begun earlier and
put back; items added later than the one begun; lists that were reordered or replaced; tools that make one task a call, whose ids are no order.
"#,
    check,
};

/// What is known of one list up to a write.
#[derive(Default)]
struct Known<'a> {
    last: Option<&'a PlanSnapshot>,
    /// The write by which an item came into the list: only items of one write stand in an order.
    born: BTreeMap<ItemIx, usize>,
    /// Items that were active or done at any time.
    begun: BTreeSet<ItemIx>,
    /// Items that another one was begun before.
    waiting: BTreeMap<ItemIx, Ahead<'a>>,
}

/// The write that began another item, and the texts of the item that waits and of the one begun.
type Ahead<'a> = (&'a PlanSnapshot, &'a str, &'a str);

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let mut lists: BTreeMap<u32, Known<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    for (n, now) in e.facts.plan.snapshots.iter().enumerate().filter(|(_, s)| writes_a_list(e, s)) {
        let known = lists.entry(now.list).or_default();
        for (earlier, ahead, item) in known.take_in(n, now) {
            let row = Discrepancy::of(&RULE, earlier.msg).against(now.msg);
            found.push(row.value("item", item).value("ahead", ahead));
        }
    }
    found
}

/// Whether a snapshot is a write of a whole list by a plan tool: the ids of tools that make one task a call are no order.
fn writes_a_list(e: &Evidence<'_>, s: &PlanSnapshot) -> bool {
    let call = s.call.and_then(|at| e.session.call(at));
    let whole = call.and_then(|c| c.input.as_object()).is_some_and(|o| o.values().any(serde_json::Value::is_array));
    whole && s.accepted && s.source == PlanSource::Tool && s.thread == ThreadIx(0)
}

impl<'a> Known<'a> {
    /// Reads a write; gives the items that it begins after one behind them.
    fn take_in(&mut self, n: usize, now: &'a PlanSnapshot) -> Vec<Ahead<'a>> {
        let items: Vec<(ItemIx, State, &str)> =
            now.items.iter().filter_map(|i| Some((i.item?, i.state, i.text.as_str()))).collect();
        for (item, ..) in &items {
            self.born.entry(*item).or_insert(n);
        }
        // What a write leaves out waits no longer; a list that was replaced begins anew.
        self.waiting.retain(|item, _| items.iter().any(|(x, ..)| x == item));
        let was: BTreeMap<ItemIx, State> =
            self.last.iter().flat_map(|b| &b.items).filter_map(|i| Some((i.item?, i.state))).collect();
        let waited = |item: &ItemIx| was.get(item) == Some(&State::Pending);
        let starts = |at: &usize| {
            let (item, state, _) = items[*at];
            matches!(state, State::Active | State::Done) && waited(&item) && !self.begun.contains(&item)
        };
        let starts: Vec<usize> = (0..items.len()).filter(starts).collect();
        let mut found = Vec::new();
        for at in &starts {
            // What is ticked off without having been active was done at a time that the list does not tell.
            let ahead = self.waiting.remove(&items[*at].0);
            found.extend(ahead.filter(|_| items[*at].1 == State::Active));
        }
        if let Some(last) = starts.last().copied() {
            for (item, state, text) in &items[..last] {
                let first = *state == State::Pending && waited(item) && !self.begun.contains(item);
                if first && self.born.get(item) == self.born.get(&items[last].0) {
                    self.waiting.entry(*item).or_insert((now, *text, items[last].2));
                }
            }
        }
        let begun = items.iter().filter(|(_, s, _)| matches!(s, State::Active | State::Done));
        self.begun.extend(begun.map(|(x, ..)| *x));
        self.last = Some(now);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn plan(b: SessionBuilder, states: [&str; 2]) -> SessionBuilder {
        let item = |text: &str, s: &str| json!({"content": text, "status": s, "activeForm": "x"});
        b.call(
            "TodoWrite",
            json!({"todos": [item("Verify the link", states[0]), item("Rerun the load", states[1])]}),
            "ok",
        )
    }

    #[test]
    fn finds_an_item_begun_ahead_of_its_turn() {
        let b = plan(SessionBuilder::new(), ["pending", "pending"]);
        let session = plan(plan(b, ["pending", "in_progress"]), ["in_progress", "completed"]).build();
        let found = fire(&RULE, &session);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (&found[0].values["item"], &found[0].values["ahead"]),
            (&"Rerun the load".into(), &"Verify the link".into())
        );
    }

    #[test]
    fn a_list_that_lags_or_puts_back_is_fine() {
        // Ticked off at once: when it was done is not told.
        let b = plan(SessionBuilder::new(), ["pending", "pending"]);
        let session = plan(plan(b, ["pending", "completed"]), ["completed", "completed"]).build();
        assert_eq!(fire(&RULE, &session), []);
        // Begun first, put back, taken up again.
        let b = plan(plan(SessionBuilder::new(), ["pending", "pending"]), ["in_progress", "pending"]);
        let session =
            plan(plan(plan(b, ["pending", "pending"]), ["pending", "in_progress"]), ["in_progress", "completed"]);
        assert_eq!(fire(&RULE, &session.build()), []);
    }

    #[test]
    fn items_added_later_and_single_tasks_stand_in_no_order() {
        let item = |text: &str, s: &str| json!({"content": text, "status": s, "activeForm": "x"});
        let write =
            |b: SessionBuilder, items: Vec<serde_json::Value>| b.call("TodoWrite", json!({"todos": items}), "ok");
        let b = write(SessionBuilder::new(), vec![item("Run the suite", "pending")]);
        let b = write(b, vec![item("Mend the parser", "pending"), item("Run the suite", "pending")]);
        let b = write(b, vec![item("Mend the parser", "pending"), item("Run the suite", "in_progress")]);
        let b = write(b, vec![item("Mend the parser", "in_progress"), item("Run the suite", "pending")]);
        assert_eq!(fire(&RULE, &b.build()), []);
        let create = |b: SessionBuilder, n: u32| {
            b.call(
                "TaskCreate",
                json!({"subject": format!("Part {n}")}),
                &format!("Task #{n} created successfully: Part {n}"),
            )
        };
        let update = |b: SessionBuilder, n: u32| {
            b.call(
                "TaskUpdate",
                json!({"taskId": n.to_string(), "status": "in_progress"}),
                &format!("Updated task #{n} status"),
            )
        };
        let b = update(update(create(create(SessionBuilder::new(), 1), 2), 2), 1);
        assert_eq!(fire(&RULE, &b.build()), []);
    }

    #[test]
    fn the_order_of_the_list_is_fine() {
        let b = plan(SessionBuilder::new(), ["pending", "pending"]);
        let session = plan(plan(b, ["in_progress", "pending"]), ["completed", "in_progress"]).build();
        assert_eq!(fire(&RULE, &session), []);
    }
}
