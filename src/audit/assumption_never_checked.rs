//! An assumption that the agent states and that no later call looks at.

use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::assumptions::AssumptionKind;

/// Calls after the assumption that could have checked it.
const CHANCES: usize = 5;

pub(super) const RULE: Rule = Rule {
    id: "assumption-never-checked",
    severity: Severity::Low,
    experimental: true,
    doc: r#"
**What it finds.** The agent says that it assumes something, goes on with five calls or more, and none of them names what was assumed.

**Why it matters.** What follows rests on something that nobody looked at; the report seldom says so.

**Example.** "I'm assuming the cache folder is writable", and no later command or read names the cache folder.

**Exceptions.** An assumption in the last messages. A check in other words than those of the assumption is not recognised.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let stated = e.facts.assumptions.iter().filter(|a| a.kind == AssumptionKind::Stated && a.verified_msg.is_none());
    stated
        .filter(|a| {
            let from = e.facts.calls.partition_point(|c| c.msg <= a.msg);
            e.facts.calls.len() - from >= CHANCES
        })
        .map(|a| Discrepancy::of(&RULE, a.msg).at(&a.span).value("text", a.text.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;

    fn session(last: &str) -> crate::session::Session {
        let made = SessionBuilder::new().assistant("I'm assuming the cache folder is writable.");
        let made = (0..4).fold(made, |b, n| b.shell(&format!("make step{n}"), 0, "ok"));
        made.shell(last, 0, "ok").build()
    }

    #[test]
    fn finds_what_nobody_looked_at() {
        let found = fire(&RULE, &session("make end"));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].values["text"], "the cache folder is writable");
    }

    #[test]
    fn a_look_at_it_is_enough() {
        assert_eq!(fire(&RULE, &session("ls -ld cache folder")), []);
    }
}
