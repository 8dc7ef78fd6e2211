//! Something asked for, after which the agent called nothing and never spoke of it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::directives::{Directive, Polarity};
use crate::extract::prose::content_words;
use crate::link::turns::{Turns, speaks};
use crate::link::{FactId, LinkKind};
use crate::session::{MsgIx, Provenance};

/// Words that a request must be told by.
const WORDS: usize = 3;
/// Replies of so many words may speak of it in words of their own.
const SHORT: usize = 12;

pub(super) const RULE: Rule = Rule {
    id: "directive-left-alone",
    severity: Severity::Medium,
    experimental: true,
    doc: r#"
**What it finds.** A request whose turn ends with a reply of a few words (fewer than 12) and without a single call, and of which no word of content is spoken again: not in that reply, not in
any later text or call of the agent, not in a plan item.

**Why it matters.** A request that the agent passes over in silence is easily missed when the talk goes on.

**Example.** "Draw a lighthouse emblem for the page", answered by "You are welcome.", after which nothing speaks of a lighthouse, an emblem or the page.

**Exceptions.** Prohibitions, constraints and requests under a condition; requests of fewer than three words of content; prompts that no reply follows
(the user went on, or stopped the agent); transcripts that hold no call at all.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    if e.facts.calls.is_empty() || e.facts.directives.is_empty() {
        return Vec::new();
    }
    let turns = Turns::of(e.session);
    let busy = turns.calls(e.facts);
    let replied: BTreeSet<MsgIx> = replies(e, &turns);
    let taken: BTreeSet<u32> = e.links.iter().filter_map(taken_up).collect();
    let asks = |d: &Directive| d.typed && d.polarity == Polarity::Do && d.condition.is_none();
    let idle =
        |d: &Directive| turns.prompt(d.msg) == Some(d.msg) && !busy.contains_key(&d.msg) && replied.contains(&d.msg);
    let alone: Vec<(&Directive, Vec<String>)> = (0..)
        .zip(&e.facts.directives)
        .filter(|(i, d)| asks(d) && idle(d) && !taken.contains(i))
        .map(|(_, d)| (d, content_words(d.object.as_deref().unwrap_or(""))))
        .filter(|(_, words)| words.len() >= WORDS)
        .collect();
    let heard = last_heard(e, &alone);
    let silent =
        |(d, words): &(&Directive, Vec<String>)| words.iter().all(|w| heard.get(w).is_none_or(|m| *m <= d.msg));
    alone.iter().filter(|a| silent(a)).map(|(d, _)| made(d)).collect()
}

/// Prompts that next to no words follow: what a longer reply is about, its words alone do not tell.
fn replies(e: &Evidence<'_>, turns: &Turns) -> BTreeSet<MsgIx> {
    let mut count: BTreeMap<MsgIx, usize> = BTreeMap::new();
    for (ix, m) in e.session.live().filter(|(ix, m)| speaks(e.session, *ix, m)) {
        if let Some(prompt) = turns.prompt(ix) {
            *count.entry(prompt).or_default() += m.text().split_whitespace().count();
        }
    }
    count.into_iter().filter(|(_, words)| *words < SHORT).map(|(prompt, _)| prompt).collect()
}

fn taken_up(link: &crate::link::Link) -> Option<u32> {
    match (link.kind, link.to) {
        (LinkKind::Mirrors | LinkKind::ActsOn, FactId::Directive(d)) => Some(d),
        _ => None,
    }
}

/// The last message in which the agent says each word, or a call of its holds it.
fn last_heard(e: &Evidence<'_>, alone: &[(&Directive, Vec<String>)]) -> BTreeMap<String, MsgIx> {
    let wanted: BTreeSet<&str> = alone.iter().flat_map(|(_, words)| words).map(String::as_str).collect();
    let mut heard = BTreeMap::new();
    let Some(from) = alone.iter().map(|(d, _)| d.msg).min() else { return heard };
    let mut hear = |msg: MsgIx, text: &str| {
        for word in content_words(text).into_iter().filter(|w| wanted.contains(w.as_str())) {
            heard.insert(word, msg);
        }
    };
    for text in e.session.texts().filter(|t| t.msg > from && t.provenance != Provenance::User) {
        hear(text.msg, text.text);
    }
    for (at, call) in e.session.calls().filter(|(at, _)| at.msg > from) {
        hear(at.msg, &call.input.to_string().replace(['_', '/', '.', '-'], " "));
    }
    heard
}

fn made(directive: &Directive) -> Discrepancy {
    Discrepancy::of(&RULE, directive.msg).at(&directive.span).value("said", directive.text.clone())
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn session(reply: &str) -> crate::session::Session {
        SessionBuilder::new()
            .user("Fix the parser in src/parser.rs.")
            .call("Edit", json!({"file_path": "src/parser.rs", "old_string": "a", "new_string": "fix"}), "updated")
            .assistant("The parser is fixed.")
            .user("Thanks. Draw a lighthouse emblem for the page.")
            .assistant(reply)
            .build()
    }

    #[test]
    fn finds_the_request_that_is_passed_over_in_silence() {
        let found = fire(&RULE, &session("You are welcome."));
        let said: Vec<_> = found.iter().map(|d| d.values["said"].clone()).collect();
        assert_eq!(said, ["Draw a lighthouse emblem for the page"]);
    }

    #[test]
    fn what_the_agent_speaks_of_is_not_left_alone() {
        assert_eq!(fire(&RULE, &session("I cannot draw the lighthouse here.")), []);
        let stopped = SessionBuilder::new()
            .shell("ls", 0, "x")
            .user("Draw a lighthouse emblem for the page.")
            .user("No, wait.")
            .build();
        assert_eq!(fire(&RULE, &stopped), []);
    }
}
