//! An item was begun before one that the list puts ahead of it.

use std::collections::BTreeMap;

use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::plan::{ItemIx, PlanSnapshot, PlanSource, State};
use crate::session::ThreadIx;

pub(super) const RULE: Rule = Rule {
    id: "plan-order-broken",
    severity: Severity::Low,
    experimental: true,
    doc: r#"
**What it finds.** A write of the plan makes an item active or done while one that stood before it in the same list was still pending, and that one was begun
later.

**Why it matters.** The order of a plan often carries its reason: check first, then measure. The list shows only that the order was left, not why.

**Example.** "Rerun the benchmark" is started in one message, "Verify the link" before it in the list in a later one.

**Exceptions.** Items that were never begun, lists that were reordered or replaced by the same write, items of equal text.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let mut last: BTreeMap<u32, &PlanSnapshot> = BTreeMap::new();
    let mut waiting: BTreeMap<ItemIx, (&PlanSnapshot, String, String)> = BTreeMap::new();
    let mut found = Vec::new();
    let snapshots = e.facts.plan.snapshots.iter();
    for now in snapshots.filter(|s| s.accepted && s.source == PlanSource::Tool && s.thread == ThreadIx(0)) {
        let Some(before) = last.insert(now.list, now) else { continue };
        let was: BTreeMap<ItemIx, State> = before.items.iter().filter_map(|i| Some((i.item?, i.state))).collect();
        let begun = |i: &crate::extract::plan::SnapshotItem| {
            let new = matches!(i.state, State::Active | State::Done);
            i.item.filter(|x| new && was.get(x) == Some(&State::Pending))
        };
        let starts: Vec<(usize, ItemIx)> =
            now.items.iter().enumerate().filter_map(|(n, i)| Some((n, begun(i)?))).collect();
        for (_, item) in &starts {
            if let Some((earlier, ahead, text)) = waiting.remove(item) {
                found.push(
                    Discrepancy::of(&RULE, earlier.msg).against(now.msg).value("item", text).value("ahead", ahead),
                );
            }
        }
        let Some((n, _)) = starts.last() else { continue };
        let skipped = now.items[..*n]
            .iter()
            .filter(|i| i.state == State::Pending && i.item.is_some_and(|x| was.get(&x) == Some(&State::Pending)));
        for i in skipped {
            if let Some(x) = i.item {
                waiting.entry(x).or_insert((now, i.text.clone(), now.items[*n].text.clone()));
            }
        }
    }
    found
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
    fn the_order_of_the_list_is_fine() {
        let b = plan(SessionBuilder::new(), ["pending", "pending"]);
        let session = plan(plan(b, ["in_progress", "pending"]), ["completed", "in_progress"]).build();
        assert_eq!(fire(&RULE, &session), []);
    }
}
