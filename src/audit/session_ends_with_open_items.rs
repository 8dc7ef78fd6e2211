//! Plan items that are still open in the last list.

use serde_json::json;

use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::plan::PlanSource;
use crate::session::ThreadIx;

/// Items named in the sentence; the rest is counted.
const NAMED: usize = 5;

pub(super) const RULE: Rule = Rule {
    id: "session-ends-with-open-items",
    severity: Severity::Medium,
    experimental: false,
    doc: r#"
**What it finds.** The last list that a plan tool wrote on the main thread still has items that are pending, active or blocked.

**Why it matters.** The session stopped before its own plan was done, or the plan was never brought up to date. On labelled
runs it is the one sign in the plan that goes with failure.

**Example.** `TodoWrite` leaves "Run the tests" *pending*, and no later list changes that.

**Exceptions.** Lists of subagents, checkbox lists in files and plans told in prose are not read by this rule. An item that was dropped
from the list is not open.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let lists = e.facts.plan.lists_at(None);
    let main =
        lists.into_iter().filter(|s| s.thread == ThreadIx(0) && s.source == PlanSource::Tool && s.certainty >= 0.9);
    main.filter_map(|list| {
        let open: Vec<_> = list.items.iter().filter(|i| i.state.is_open()).collect();
        let first = open.first()?;
        let named: Vec<_> = open.iter().take(NAMED).map(|i| json!({"text": i.text, "state": i.state.word()})).collect();
        let found = Discrepancy::of(&RULE, list.msg)
            .value("count", open.len())
            .value("of", list.items.len())
            .value("more", open.len().saturating_sub(NAMED))
            .value("items", named);
        Some(match &first.span {
            Some(span) => found.at(span),
            None => found,
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;

    fn todos(states: &[&str]) -> serde_json::Value {
        let items: Vec<_> = states
            .iter()
            .enumerate()
            .map(|(i, s)| json!({"content": format!("Step {i}"), "status": s, "activeForm": "x"}))
            .collect();
        json!({ "todos": items })
    }

    #[test]
    fn finds_items_that_stay_open() {
        let session =
            SessionBuilder::new().call("TodoWrite", todos(&["completed", "in_progress", "pending"]), "ok").build();
        let found = fire(&RULE, &session);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].values["count"], 2);
    }

    #[test]
    fn a_list_that_was_finished_later_is_fine() {
        let session = SessionBuilder::new()
            .call("TodoWrite", todos(&["pending"]), "ok")
            .call("TodoWrite", todos(&["completed"]), "ok")
            .build();
        assert_eq!(fire(&RULE, &session), []);
    }
}
