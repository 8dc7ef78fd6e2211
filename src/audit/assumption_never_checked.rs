//! An assumption that the agent states and that no later call looks at.

use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::assumptions::{Assumption, AssumptionKind};
use crate::extract::prose::{content_words, sentences};
use crate::session::{Provenance, ToolKind};

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

**Exceptions.** An assumption in the last messages; a question to the user, or one that the next prompt takes up; calls of other tools whose arguments name it. A check in other words than those of the assumption is not recognised.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let stated = e.facts.assumptions.iter().filter(|a| a.kind == AssumptionKind::Stated && a.verified_msg.is_none());
    stated
        .filter(|a| !is_question(e, a) && !is_answered(e, a))
        .filter(|a| {
            let from = e.facts.calls.partition_point(|c| c.msg <= a.msg);
            e.facts.calls.len() - from >= CHANCES
        })
        .map(|a| Discrepancy::of(&RULE, a.msg).at(&a.span).value("text", a.text.clone()))
        .collect()
}

/// Whether the sentence asks the user: `I assume the origin is the depot, correct?`
fn is_question(e: &Evidence<'_>, a: &Assumption) -> bool {
    let text = e.session.text_of(&a.span).map_or("", |t| &t[a.span.start as usize..]);
    let line = text.lines().next().unwrap_or("");
    sentences(line).first().is_some_and(|s| s.trim_end().ends_with('?'))
}

/// Whether the next prompt, or the arguments of a later tool call of any kind, hold half of its words, and two at least.
fn is_answered(e: &Evidence<'_>, a: &Assumption) -> bool {
    let words = content_words(&a.text);
    let speaks = |text: &str| {
        let held = content_words(text);
        let n = words.iter().filter(|w| held.contains(w)).count();
        n > 1 && n * 2 >= words.len()
    };
    let prompt = e.session.texts().find(|t| t.msg > a.msg && t.provenance == Provenance::User);
    let mut later = e.session.calls().filter(|(at, c)| at.msg > a.msg && c.kind == ToolKind::Other);
    prompt.is_some_and(|t| speaks(t.text)) || later.any(|(_, c)| speaks(&c.input.to_string()))
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
    fn a_question_or_an_answer_is_no_assumption_left() {
        let said = |text: &str, reply: &str| {
            let b = SessionBuilder::new().user("Book it.").assistant(text).user(reply);
            (0..6).fold(b, |b, n| b.shell(&format!("make step{n}"), 0, "ok")).build()
        };
        assert_eq!(fire(&RULE, &said("I assume the cache folder is writable, correct?", "Go on.")), []);
        assert_eq!(
            fire(&RULE, &said("I assume the cache folder is writable.", "Yes, the cache folder is writable.")),
            []
        );
        assert_eq!(fire(&RULE, &said("I assume the cache folder is writable.", "Go on.")).len(), 1);
    }

    #[test]
    fn a_look_at_it_is_enough() {
        assert_eq!(fire(&RULE, &session("ls -ld cache folder")), []);
    }
}
