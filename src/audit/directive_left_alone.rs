//! One of several things asked for that nothing took up.

use std::collections::{BTreeMap, BTreeSet};

use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::directives::{Directive, Polarity};
use crate::extract::prose::content_words;
use crate::link::{FactId, LinkKind};
use crate::session::{MsgIx, Provenance};

/// Directives that a message must hold, and words that one of them must be told apart by.
const SEVERAL: usize = 3;

pub(super) const RULE: Rule = Rule {
    id: "directive-left-alone",
    severity: Severity::Medium,
    experimental: true,
    doc: r#"
**What it finds.** A prompt asks for three things or more; most are taken up by plan items or calls, but one is mirrored by no item, acted on
by no call, and none of its own words are spoken again by the agent or stand in a call.

**Why it matters.** In a list of requests the one that is forgotten is easily missed, since everything around it was done.

**Example.** "Fix the parser, add a test for comments and rename the crate", after which nothing speaks of the crate's name.

**Exceptions.** Prohibitions and constraints; requests whose words all stand in the others too; the last prompt when the agent never acted after it.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let taken: BTreeSet<u32> = e.links.iter().filter_map(taken_up).collect();
    let all = &e.facts.directives;
    let mut alone: Vec<(&Directive, Vec<String>)> = Vec::new();
    let mut first = 0;
    for group in all.chunk_by(|a, b| a.msg == b.msg) {
        let asked: Vec<(u32, &Directive)> =
            (first..).zip(group).filter(|(_, d)| d.typed && d.polarity == Polarity::Do).collect();
        first += group.len() as u32;
        let left: Vec<&(u32, &Directive)> = asked.iter().filter(|(i, _)| !taken.contains(i)).collect();
        if asked.len() < SEVERAL || left.len() * 2 >= asked.len() {
            continue;
        }
        alone.extend(left.into_iter().map(|(i, d)| (*d, own_words(*i, d, &asked))).filter(|(_, w)| w.len() >= 2));
    }
    let heard = last_heard(e, &alone);
    let silent =
        |(d, words): &(&Directive, Vec<String>)| words.iter().all(|w| heard.get(w).is_none_or(|m| *m <= d.msg));
    alone.iter().filter(|a| silent(a)).map(|(d, _)| made(d)).collect()
}

fn taken_up(link: &crate::link::Link) -> Option<u32> {
    match (link.kind, link.to) {
        (LinkKind::Mirrors | LinkKind::ActsOn, FactId::Directive(d)) => Some(d),
        _ => None,
    }
}

/// Words of a directive that the others of its message lack.
fn own_words(at: u32, directive: &Directive, asked: &[(u32, &Directive)]) -> Vec<String> {
    let others: BTreeSet<String> =
        asked.iter().filter(|(i, _)| *i != at).flat_map(|(_, d)| content_words(&d.text)).collect();
    content_words(directive.object.as_deref().unwrap_or("")).into_iter().filter(|w| !others.contains(w)).collect()
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

    fn session(last: &str) -> crate::session::Session {
        SessionBuilder::new()
            .user("Fix the parser in src/parser.rs. Add a test in tests/comments.rs. Draw a lighthouse emblem.")
            .call("Edit", json!({"file_path": "src/parser.rs", "old_string": "a", "new_string": "fix"}), "updated")
            .call("Write", json!({"file_path": "tests/comments.rs", "content": "add a test"}), "written")
            .assistant(last)
            .build()
    }

    #[test]
    fn finds_the_one_request_that_nothing_took_up() {
        let found = fire(&RULE, &session("The parser is fixed and tested."));
        assert_eq!(found.iter().map(|d| d.values["said"].clone()).collect::<Vec<_>>(), ["Draw a lighthouse emblem"]);
    }

    #[test]
    fn what_the_agent_speaks_of_is_not_left_alone() {
        assert_eq!(fire(&RULE, &session("I cannot draw the lighthouse here.")), []);
    }
}
