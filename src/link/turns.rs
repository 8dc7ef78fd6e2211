//! `acts_on` for directives: the calls between a prompt and the next one that did what is asked to a thing that is named;
//! and `responds_to`: the reply that ends the turn, for directives that ask for words.
//!
//! That a call ran in the turn, or shares words with the directive, ties nothing: what it was for is then not known.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::deeds::goal::{Deed, Goal, deed};
use super::{FactId, Link, LinkKind, Scene};
use crate::extract::Facts;
use crate::extract::directives::{Directive, Polarity};
use crate::session::{Message, MessageKind, MsgIx, Role, Session};

/// Links per directive.
const MOST: usize = 8;
/// A call that did the deed to the thing named, in the turn.
const MET: f64 = 0.8;
/// A reply that ends the turn.
const REPLIED: f64 = 0.6;

/// "continue", "yes, go ahead": the work on the prompt before goes on.
static GOES_ON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:(?:ok|okay|yes|yep|sure|please|perfect|great|good|and|now|just)\W+)*(?:continue|go on|go ahead|proceed|carry on|keep going|resume|yes|ok|okay|sure|y)(?: please)?\W*$")
        .expect("words that let work go on")
});

/// For every message the prompt of the main thread in whose turn it stands.
#[derive(Debug)]
pub(crate) struct Turns {
    prompts: Vec<Option<MsgIx>>,
}

impl Turns {
    /// The turns of a session; what a subagent does belongs to the turn that started it.
    pub(crate) fn of(session: &Session) -> Self {
        let mut prompts: Vec<Option<MsgIx>> = vec![None; session.messages.len()];
        let mut now = None;
        for (ix, message) in session.live() {
            if session.on_main(ix) {
                now = if is_prompt(message) && !(now.is_some() && GOES_ON.is_match(&message.text())) {
                    Some(ix)
                } else {
                    now
                };
                prompts[ix.at()] = now;
            } else {
                let started = session.threads.get(message.thread.0 as usize).and_then(|t| t.started_by);
                prompts[ix.at()] = started.and_then(|r| prompts.get(r.msg.at()).copied().flatten());
            }
        }
        Self { prompts }
    }

    /// The prompt in whose turn a message stands.
    pub(crate) fn prompt(&self, msg: MsgIx) -> Option<MsgIx> {
        self.prompts.get(msg.at()).copied().flatten()
    }

    /// The calls of each turn by its prompt, as positions in [`Facts::calls`].
    pub(crate) fn calls(&self, facts: &Facts) -> BTreeMap<MsgIx, Vec<u32>> {
        let mut calls: BTreeMap<MsgIx, Vec<u32>> = BTreeMap::new();
        for (i, r) in (0..).zip(&facts.calls) {
            if let Some(prompt) = self.prompt(r.msg) {
                calls.entry(prompt).or_default().push(i);
            }
        }
        calls
    }

    /// Whether a message stands in the turn of an earlier one, or in the one after it.
    pub(crate) fn at_most_next(&self, session: &Session, from: MsgIx, msg: MsgIx) -> bool {
        let prompts = session.live().skip_while(|(ix, _)| *ix <= from).take_while(|(ix, _)| *ix <= msg);
        prompts.filter(|(ix, _)| self.prompt(*ix) == Some(*ix)).count() <= 1
    }
}

fn is_prompt(message: &Message) -> bool {
    message.role == Role::User && matches!(message.kind, MessageKind::Prompt | MessageKind::Command)
}

pub(super) fn link(scene: &Scene<'_>, _: &[Link]) -> Vec<Link> {
    let turns = scene.turns();
    let calls = turns.calls(scene.facts);
    let replies = replies(scene.session, turns);
    let mut found = Vec::new();
    let numbered: Vec<(u32, &Directive)> = (0..).zip(&scene.facts.directives).collect();
    for group in numbered.chunk_by(|a, b| a.1.msg == b.1.msg) {
        let Some(prompt) = turns.prompt(group[0].1.msg) else { continue };
        let goals: Vec<(u32, &Directive, Goal)> = group
            .iter()
            .filter(|(_, d)| d.typed && d.polarity == Polarity::Do)
            .map(|(i, d)| (*i, *d, Goal::of(&d.verb, &d.text)))
            .collect();
        for call in calls.get(&prompt).into_iter().flatten().filter(|_| !goals.is_empty()) {
            let Some(deeds) = scene.deeds(*call) else { continue };
            let at = scene.facts.calls[*call as usize].msg;
            let met = goals.iter().filter(|(_, d, goal)| d.msg < at && goal.met_by(&deeds));
            found.extend(met.map(|(i, d, _)| tie((FactId::Call(*call), at), LinkKind::ActsOn, (*i, d), MET)));
        }
        // Words asked for under a condition may not have been due.
        let talk = goals.iter().filter(|(_, d, _)| deed(&d.verb) == Deed::Talk && d.condition.is_none());
        let reply = replies.get(&prompt).filter(|r| **r > group[0].1.msg);
        found.extend(talk.filter_map(|(i, d, _)| {
            Some(tie((FactId::Message(*reply?), *reply?), LinkKind::RespondsTo, (*i, d), REPLIED))
        }));
    }
    few(found)
}

fn tie(from: (FactId, MsgIx), kind: LinkKind, to: (u32, &Directive), confidence: f64) -> Link {
    let (to, to_msg) = (FactId::Directive(to.0), to.1.msg);
    Link { from: from.0, from_msg: from.1, kind, to, to_msg, confidence, span: None }
}

/// The first links of each directive.
fn few(links: Vec<Link>) -> Vec<Link> {
    let mut count: BTreeMap<FactId, usize> = BTreeMap::new();
    let kept = links.into_iter().filter(|l| {
        let n = count.entry(l.to).or_default();
        *n += 1;
        *n <= MOST || l.kind == LinkKind::RespondsTo
    });
    kept.collect()
}

/// Whether the agent says something in a message of the main thread.
pub(crate) fn speaks(session: &Session, ix: MsgIx, message: &Message) -> bool {
    session.on_main(ix) && message.role == Role::Assistant && !message.text().trim().is_empty()
}

/// The last reply of each turn that says something.
fn replies(session: &Session, turns: &Turns) -> BTreeMap<MsgIx, MsgIx> {
    let said = session.live().filter(|(ix, m)| speaks(session, *ix, m));
    said.filter_map(|(ix, _)| Some((turns.prompt(ix)?, ix))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Config, extract};
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn acts(session: &Session) -> Vec<(FactId, FactId)> {
        let facts = extract(session, &Config::default());
        let links = super::super::link(session, &facts);
        let of = |l: &&Link| matches!(l.to, FactId::Directive(_)) && l.kind != LinkKind::Mirrors;
        links.iter().filter(of).map(|l| (l.from, l.to)).collect()
    }

    fn edit(file: &str) -> serde_json::Value {
        json!({"file_path": file, "old_string": "x", "new_string": "comments of scripts"})
    }

    #[test]
    fn a_change_of_the_named_file_ties_and_one_of_another_does_not() {
        let session = SessionBuilder::new()
            .user("Add comments to run.sh")
            .call("Read", json!({"file_path": "/w/run.sh"}), "text")
            .call("Edit", edit("/w/other.sh"), "ok")
            .call("Edit", edit("/w/run.sh"), "ok")
            .user("thanks")
            .call("Edit", edit("/w/run.sh"), "ok")
            .build();
        assert_eq!(acts(&session), [(FactId::Call(2), FactId::Directive(0))]);
    }

    #[test]
    fn words_shared_with_what_is_written_tie_nothing() {
        let plan =
            json!({"file_path": "/w/plan.md", "content": "Connect the repository to the host. Add the database."});
        let session =
            SessionBuilder::new().user("Connect the repository to the host").call("Write", plan, "ok").build();
        assert_eq!(acts(&session), []);
    }

    #[test]
    fn work_goes_on_after_a_prompt_that_only_lets_it() {
        let session = SessionBuilder::new()
            .user("Add comments to run.sh")
            .assistant("Shall I?")
            .user("Yes, go ahead")
            .call("Edit", edit("/w/run.sh"), "ok")
            .build();
        assert_eq!(acts(&session), [(FactId::Call(0), FactId::Directive(0))]);
    }

    #[test]
    fn a_request_for_words_is_answered_by_the_last_reply() {
        let session = SessionBuilder::new().user("show me the list again").assistant("Here: one, two.").build();
        assert_eq!(acts(&session), [(FactId::Message(MsgIx(1)), FactId::Directive(0))]);
    }
}
