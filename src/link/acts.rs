//! `acts_on` for options and findings: a later call that changed or set the very thing that one of them names, or a task
//! that the agent calls by its words.
//!
//! That a call reads the thing, failed, or merely shares words with the text ties nothing.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;

use super::deeds::Deeds;
use super::deeds::goal::{Deed, Goal, deed};
use super::overlap::Bag;
use super::{FactId, Link, LinkKind, Scene};
use crate::extract::artefacts::name;
use crate::extract::directives::Directive;
use crate::session::MsgIx;

/// A name that so many facts give names none of them.
const COMMON: usize = 2;
/// A word that so many facts share tells nothing.
const FREQUENT: usize = 12;
/// Share of the words for things of a text that what a call did must hold, beside a name.
const NAMED: f64 = 0.5;
/// The same for what the agent calls a call.
const LABELLED: f64 = 0.6;
/// Confidence in a tie.
const TIED: f64 = 0.8;

/// An option or finding.
struct Fact {
    id: FactId,
    msg: MsgIx,
    goal: Goal,
}

/// Options and findings by the names and words that they give.
struct Index {
    facts: Vec<Fact>,
    by_word: BTreeMap<String, Vec<usize>>,
    search: AhoCorasick,
    /// The facts of each pattern of `search`.
    named: Vec<Vec<usize>>,
}

impl Index {
    fn of(facts: Vec<Fact>) -> Option<Self> {
        let mut by_word: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (i, fact) in facts.iter().enumerate() {
            for word in fact.goal.bag().words() {
                by_word.entry(word.to_owned()).or_default().push(i);
            }
            let names = fact.goal.names().iter().map(String::as_str);
            let given: BTreeSet<&str> = names.chain(fact.goal.files().iter().map(|f| name(f))).collect();
            given.into_iter().for_each(|n| by_name.entry(n).or_default().push(i));
        }
        let names: Vec<&str> = by_name.keys().copied().collect();
        let search = AhoCorasick::builder().ascii_case_insensitive(true).build(names).ok()?;
        let named = by_name.into_values().collect();
        Some(Self { by_word, search, named, facts })
    }

    /// The facts that a call acts on.
    fn met(&self, deeds: &Deeds<'_>) -> BTreeSet<usize> {
        let mut hits: BTreeSet<usize> = BTreeSet::new();
        for text in deeds.texts() {
            hits.extend(self.search.find_overlapping_iter(text).map(|m| m.pattern().as_usize()));
        }
        let near: BTreeSet<usize> =
            hits.iter().map(|h| &self.named[*h]).filter(|f| f.len() <= COMMON).flatten().copied().collect();
        let mut met: BTreeSet<usize> = BTreeSet::new();
        if !near.is_empty() {
            let words = deeds.words();
            met.extend(near.into_iter().filter(|f| names(&self.facts[*f].goal, deeds, &words)));
        }
        met.extend(self.labelled(deeds));
        met
    }

    /// A task whose label asks for a change and holds most words of a fact.
    fn labelled(&self, deeds: &Deeds<'_>) -> Vec<usize> {
        let verb = deeds.label().split_whitespace().next().unwrap_or("").to_lowercase();
        if !deeds.delegated() || deed(&verb) != Deed::Change {
            return Vec::new();
        }
        let label = Bag::of(deeds.label());
        let words = label.words().filter_map(|w| self.by_word.get(w)).filter(|f| f.len() <= FREQUENT);
        let near: BTreeSet<usize> = words.flatten().copied().chain(self.short(deeds.label())).collect();
        let fits = |f: &usize| {
            let goal = &self.facts[*f].goal;
            let shared = label.shared_things(goal.bag());
            shared >= 2.0 && shared >= LABELLED * goal.bag().things()
                || goal.files().iter().any(|f| shortened(f, deeds.label()))
        };
        near.into_iter().filter(fits).collect()
    }

    /// Facts that name a file of which the label gives the beginning.
    fn short<'a>(&'a self, label: &'a str) -> impl Iterator<Item = usize> + 'a {
        let all = self.facts.iter().enumerate();
        all.filter(move |(_, f)| f.goal.files().iter().any(|file| shortened(file, label))).map(|(i, _)| i)
    }
}

/// Whether a call changed or set a thing that the text names, and what it did speaks of the rest of the text too.
fn names(goal: &Goal, deeds: &Deeds<'_>, words: &Bag) -> bool {
    let set = goal.names().iter().any(|n| deeds.sets(n));
    let changed = goal.files().iter().any(|f| deeds.changed(f));
    let things = goal.bag().things();
    let shared = words.shared_things(goal.bag());
    // A file's name alone says nothing of what is wrong in it: another word of the text must be spoken of.
    let alone = !set && shared < 3.0;
    (set || changed) && !alone && shared >= NAMED * things
}

/// Whether a label gives the beginning of a file's name: `ab-04` of `ab-04-mixing.md`.
fn shortened(file: &str, label: &str) -> bool {
    let file = name(file).to_lowercase();
    let label = label.to_lowercase();
    let mut words = label.split(|c: char| c.is_whitespace() || ",;:()".contains(c));
    words.any(|w| {
        let named = w.len() >= 4 && w.bytes().any(|b| b.is_ascii_digit() || b == b'_');
        named && file.strip_prefix(w).is_some_and(|rest| rest.starts_with(['-', '_', '.']))
    })
}

pub(super) fn link(scene: &Scene<'_>, links: &[Link]) -> Vec<Link> {
    let mut found = Vec::new();
    if let Some(index) = Index::of(facts(scene)).filter(|i| !i.facts.is_empty()) {
        for (i, r) in scene.facts.calls.iter().enumerate() {
            let Some(deeds) = scene.deeds(i as u32) else { continue };
            let later = index.met(&deeds).into_iter().map(|f| &index.facts[f]).filter(|f| f.msg < r.msg);
            found.extend(later.map(|fact| Link {
                from: FactId::Call(i as u32),
                from_msg: r.msg,
                kind: LinkKind::ActsOn,
                to: fact.id,
                to_msg: fact.msg,
                confidence: TIED,
                span: None,
            }));
        }
    }
    let through = through_findings(scene, links, &found);
    found.extend(through);
    found
}

/// Options that ask for a change, and findings.
fn facts(scene: &Scene<'_>) -> Vec<Fact> {
    let options = scene.options().map(|(i, list, o)| {
        let verb = o.text.split(|c: char| !c.is_alphanumeric()).find(|w| !w.is_empty()).unwrap_or("").to_lowercase();
        Fact { id: FactId::Option(i), msg: list.msg, goal: Goal::of(&verb, &o.text) }
    });
    let options = options.filter(|f| !matches!(f.goal.deed(), Deed::Look | Deed::Talk));
    let findings = scene.facts.findings.findings.iter().enumerate().filter(|(_, f)| f.restates.is_none());
    let findings =
        findings.map(|(i, f)| Fact { id: FactId::Finding(i as u32), msg: f.msg, goal: Goal::of("", &f.title) });
    options.chain(findings).collect()
}

/// A call that acts on a finding acts on the directive that picked it.
fn through_findings(scene: &Scene<'_>, links: &[Link], acts: &[Link]) -> Vec<Link> {
    // "Show me the P2 items" picks findings and asks for no work on them.
    let works = |id: FactId| matches!(id, FactId::Directive(d) if asks_for_work(&scene.facts.directives[d as usize]));
    let mut picks: BTreeMap<FactId, Vec<&Link>> = BTreeMap::new();
    for l in links.iter().filter(|l| l.kind == LinkKind::Selects && matches!(l.to, FactId::Finding(_)) && works(l.from))
    {
        picks.entry(l.to).or_default().push(l);
    }
    acts.iter()
        .flat_map(|act| {
            let by = picks.get(&act.to).into_iter().flatten().filter(|p| p.from_msg <= act.from_msg);
            by.map(|p| Link {
                to: p.from,
                to_msg: p.from_msg,
                confidence: (act.confidence * p.confidence * 100.0).round() / 100.0,
                ..act.clone()
            })
        })
        .collect()
}

/// Whether a directive asks for a change, not for words or a look.
pub(super) fn asks_for_work(directive: &Directive) -> bool {
    matches!(deed(&directive.verb), Deed::Change | Deed::Any)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Config, extract};
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    const REVIEW: &str = "## Issues found\n\n- **P1** `walk_tree` follows links out of the folder\n- **P2** ab-04-mixing.md repeats ab-05-stirring.md\n- **P3** notes.md\n";

    fn acts(builder: SessionBuilder) -> Vec<FactId> {
        let session = builder.build();
        let facts = extract(&session, &Config::default());
        let links = super::super::link(&session, &facts);
        links.iter().filter(|l| l.kind == LinkKind::ActsOn).map(|l| l.to).collect()
    }

    #[test]
    fn a_change_of_the_thing_named_acts_on_a_finding() {
        let edit = |new: &str| json!({"file_path": "/w/a.rs", "old_string": "x", "new_string": new});
        let told = SessionBuilder::new().assistant(REVIEW);
        let right = edit("fn walk_tree() { /* never follows links out of a folder */ }");
        assert_eq!(acts(told.clone().call("Edit", right, "ok")), [FactId::Finding(0)]);
        assert_eq!(acts(told.clone().call("Edit", edit("fn other() {}"), "ok")), []);
        assert_eq!(acts(told.shell("grep -rn walk_tree src # follows links folder", 0, "")), []);
    }

    #[test]
    fn a_task_may_give_a_file_a_short_name() {
        let task = |label: &str| {
            SessionBuilder::new().assistant(REVIEW).call("Task", json!({"description": label, "prompt": "x"}), "done")
        };
        assert_eq!(acts(task("Delete ab-04")), [FactId::Finding(1)]);
        assert_eq!(acts(task("Review ab-04")), []);
    }

    #[test]
    fn a_file_alone_says_nothing_of_what_is_wrong_in_it() {
        let edit = json!({"file_path": "/w/notes.md", "old_string": "x", "new_string": "y"});
        assert_eq!(acts(SessionBuilder::new().assistant(REVIEW).call("Edit", edit, "ok")), []);
    }
}
