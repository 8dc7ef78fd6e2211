//! Two instructions in force that cannot both be followed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::words::re;
use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::directives::{Directive, Origin, Polarity};
use crate::extract::prose::content_words;

/// Messages between two instructions of the program and the user that still stand side by side.
const NEAR: u32 = 3;

pub(super) const RULE: Rule = Rule {
    id: "conflicting-directives",
    severity: Severity::Medium,
    experimental: true,
    doc: r#"
**What it finds.** Two instructions of one prompt, or of a prompt or summary and what the program adds in the user's name right after it, that ask for opposite
things: to ask and not to ask, or to do and not to do the same.

**Why it matters.** Whatever the agent does breaks one of them, and the record seldom says which was chosen.

**Example.** "Don't ask questions, just proceed" and, in the next message, "stop and ask for clarification if you are unsure".

**Exceptions.** A later prompt that the user typed is a change of mind, not a conflict.
"#,
    check,
};

static ASK: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\bask\b.*\b(clarif\w*|questions?|me|user|confirm\w*|permission|unsure)\b|\bask (for|if|me|before)\b|\bask\b.*\bif\b",
    )
});
static DONT_ASK: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(do not|don'?t|don’t|never|no need to|without) (ask\w*|stop\w* (to|and) ask|request\w*)\b.{0,40}|\bnon-interactive\b",
    )
});

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let mut found = asking(e);
    found.extend(opposites(e));
    found
}

/// "Ask when unsure" against "do not ask".
fn asking(e: &Evidence<'_>) -> Vec<Discrepancy> {
    // What a summary repeats stands beside the program's words after it.
    let restated = e.facts.standing.iter().filter(|s| s.origin == Origin::Summary).map(|s| &s.directive);
    let mut all: Vec<&Directive> = e.facts.directives.iter().chain(restated).collect();
    all.sort_by_key(|d| (d.msg, d.span.start));
    let silent: Vec<&Directive> = all.iter().copied().filter(|d| DONT_ASK.is_match(&d.text)).collect();
    let asks =
        all.iter().filter(|d| d.polarity != Polarity::Dont && ASK.is_match(&d.text) && !DONT_ASK.is_match(&d.text));
    let pair = |ask: &&Directive| {
        let other = silent.iter().rev().find(|d| d.msg <= ask.msg && stand_together(d, ask))?;
        Some(conflict(other, ask))
    };
    asks.filter_map(pair).take(1).collect()
}

/// "Do X" against "do not X" about the same thing.
fn opposites(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let mut by_verb: BTreeMap<&str, Vec<&Directive>> = BTreeMap::new();
    let mut found = Vec::new();
    for d in &e.facts.directives {
        let earlier = by_verb.entry(d.verb.as_str()).or_default();
        let opposite = |o: &&&Directive| {
            let dont = |d: &Directive| d.polarity == Polarity::Dont;
            dont(o) != dont(d) && stand_together(o, d) && same_object(o, d)
        };
        found.extend(earlier.iter().rev().take(20).find(opposite).map(|o| conflict(o, d)));
        earlier.push(d);
    }
    found
}

/// In one message, or a prompt and the program's words right after it.
fn stand_together(a: &Directive, b: &Directive) -> bool {
    a.msg == b.msg || (a.typed != b.typed || !a.typed) && b.msg.0.abs_diff(a.msg.0) <= NEAR
}

/// The same words for the object, at least one, and no condition that tells the two apart.
fn same_object(a: &Directive, b: &Directive) -> bool {
    let words = |d: &Directive| content_words(d.object.as_deref().unwrap_or(""));
    let (a, b) = (words(a), words(b));
    !a.is_empty() && a == b
}

fn conflict(first: &Directive, second: &Directive) -> Discrepancy {
    Discrepancy::of(&RULE, second.msg)
        .against(first.msg)
        .at(&second.span)
        .value("first", first.text.clone())
        .value("second", second.text.clone())
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;
    use crate::session::{MessageKind, Role};

    #[test]
    fn finds_ask_against_do_not_ask() {
        let session = SessionBuilder::new()
            .user("Go on with the work. Don't ask questions, just proceed with the work.")
            .text(
                Role::User,
                MessageKind::SyntheticContinuation,
                "Continue if you have next steps, or stop and ask for clarification if you are unsure.",
            )
            .build();
        assert_eq!(fire(&RULE, &session).len(), 1);
    }

    #[test]
    fn reads_what_a_summary_repeats() {
        let summary =
            "## Instructions\n\nThe agent runs unattended: don't ask questions, just proceed with the work.\n";
        let session = SessionBuilder::new()
            .text(Role::User, MessageKind::CompactionSummary, summary)
            .text(
                Role::User,
                MessageKind::SyntheticContinuation,
                "Continue, or stop and ask for clarification if you are unsure.",
            )
            .build();
        let found = fire(&RULE, &session);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (&found[0].values["first"], found[0].other_msg),
            (&"don't ask questions".into(), Some(crate::session::MsgIx(0)))
        );
    }

    #[test]
    fn a_change_of_mind_is_fine() {
        let session = SessionBuilder::new()
            .user("Don't ask questions.")
            .assistant("ok")
            .user("Please ask me before you delete anything.")
            .user("delete the logs but don't delete the data")
            .build();
        assert_eq!(fire(&RULE, &session), []);
    }
}
