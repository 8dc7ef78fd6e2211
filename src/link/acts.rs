//! `acts_on`: calls and the directives, options and findings they take up, by shared names of things and words.

use std::collections::BTreeMap;

use super::overlap::Bag;
use super::{FactId, Link, LinkKind, Scene};
use crate::session::{CallRef, CallStatus, MsgIx, ToolCall, ToolKind};

/// Bytes of a command or description that are read.
const DEPTH: usize = 2_000;
/// A word that so many facts share tells nothing.
const COMMON: usize = 12;

/// Length from which a piece of an identifier that few facts share names one of them.
const RARE: usize = 6;

/// Facts that calls may act on, found by their words.
#[derive(Default)]
struct Index {
    by_word: BTreeMap<String, Vec<u32>>,
    facts: Vec<(FactId, MsgIx, Bag)>,
}

impl Index {
    fn add(&mut self, id: FactId, msg: MsgIx, text: &str) {
        let bag = Bag::of(text);
        for word in bag.words() {
            self.by_word.entry(word.to_owned()).or_default().push(self.facts.len() as u32);
        }
        self.facts.push((id, msg, bag));
    }

    /// Facts that share the name of a thing, or two words for things, with a call.
    fn near(&self, bag: &Bag) -> Vec<(u32, f64)> {
        let mut hits: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for word in bag.words() {
            let Some(facts) = self.by_word.get(word).filter(|f| f.len() <= COMMON) else { continue };
            let rare = facts.len() <= 2 && word.len() >= RARE;
            let named = bag.specific().any(|s| s == word) || rare && bag.pieces().any(|s| s == word);
            for f in facts {
                let slot = hits.entry(*f).or_default();
                *(if named { &mut slot.0 } else { &mut slot.1 }) += 1;
            }
        }
        let good = |(f, (named, words)): (u32, (usize, usize))| {
            let (share, things) = bag.against(&self.facts[f as usize].2);
            match (named, words) {
                (1.., _) => Some((f, 0.8)),
                (0, 2..) if things >= 1.8 && share >= 0.35 => Some((f, 0.5)),
                _ => None,
            }
        };
        hits.into_iter().filter_map(good).collect()
    }
}

pub(super) fn link(scene: &Scene<'_>, links: &[Link]) -> Vec<Link> {
    let mut found = through_items(links);
    let mut index = Index::default();
    let mut new = fresh(scene);
    new.reverse();
    for (i, r) in scene.facts.calls.iter().enumerate() {
        while new.last().is_some_and(|(msg, ..)| *msg <= r.msg) {
            if let Some((msg, id, text)) = new.pop() {
                index.add(id, msg, &text);
            }
        }
        // A call that the tool or the user refused did nothing; a command that failed was at least run.
        let ran = |c: &&ToolCall| c.status() != CallStatus::Error || c.exit_code().is_some();
        let acts = |c: &&ToolCall| !matches!(c.kind, ToolKind::Plan | ToolKind::Ask);
        let Some(call) = scene.session.call(*r).filter(acts).filter(ran) else { continue };
        let bag = Bag::of(&about(call));
        let near = index.near(&bag);
        found.extend(near.into_iter().map(|(f, confidence)| act(i, r, &index.facts[f as usize], confidence)));
    }
    let through = through_findings(links, &found);
    found.extend(through);
    found
}

fn act(call: usize, r: &CallRef, fact: &(FactId, MsgIx, Bag), confidence: f64) -> Link {
    let from = FactId::Call(call as u32);
    Link { from, from_msg: r.msg, kind: LinkKind::ActsOn, to: fact.0, to_msg: fact.1, confidence, span: None }
}

/// Directives, options and findings in reading order.
fn fresh(scene: &Scene<'_>) -> Vec<(MsgIx, FactId, String)> {
    let facts = scene.facts;
    let directives =
        facts.directives.iter().enumerate().map(|(i, d)| (d.msg, FactId::Directive(i as u32), d.text.clone()));
    let options = scene.options().map(|(i, list, o)| (list.msg, FactId::Option(i), o.text.clone()));
    let open = facts.findings.findings.iter().enumerate().filter(|(_, f)| f.restates.is_none());
    let findings = open.map(|(i, f)| (f.msg, FactId::Finding(i as u32), f.title.clone()));
    let mut all: Vec<_> = directives.chain(options).chain(findings).collect();
    all.sort_by_key(|(msg, id, _)| (*msg, *id));
    all
}

/// What a call is about: its command, target and description.
fn about(call: &ToolCall) -> String {
    let description = call.input.get("description").and_then(|d| d.as_str()).unwrap_or("");
    let parts = [call.command().unwrap_or(""), call.target().unwrap_or(""), description];
    let text = parts.join(" ");
    text[..text.floor_char_boundary(DEPTH)].to_owned()
}

/// A call that acts on an item acts on the directive, option or finding that the item mirrors.
fn through_items(links: &[Link]) -> Vec<Link> {
    let mut mirrors: BTreeMap<FactId, Vec<&Link>> = BTreeMap::new();
    for l in links.iter().filter(|l| l.kind == LinkKind::Mirrors) {
        mirrors.entry(l.from).or_default().push(l);
    }
    let acts = links.iter().filter(|l| l.kind == LinkKind::ActsOn);
    acts.flat_map(|act| {
        let goals = mirrors.get(&act.to).into_iter().flatten();
        goals.filter(|m| m.to_msg <= act.from_msg).map(|m| Link {
            to: m.to,
            to_msg: m.to_msg,
            confidence: (act.confidence * m.confidence * 100.0).round() / 100.0,
            ..act.clone()
        })
    })
    .collect()
}

/// A call that acts on a finding acts on the directive that picked it.
fn through_findings(links: &[Link], acts: &[Link]) -> Vec<Link> {
    let mut picks: BTreeMap<FactId, Vec<&Link>> = BTreeMap::new();
    for l in links.iter().filter(|l| l.kind == LinkKind::Selects && matches!(l.from, FactId::Directive(_))) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Config, extract};
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    #[test]
    fn calls_act_on_what_they_name() {
        let session = SessionBuilder::new()
            .user("write it down in notes.md and rerun the load benchmark")
            .call("Write", json!({"file_path": "/w/notes.md", "content": "x"}), "ok")
            .shell("ls -l", 0, "")
            .shell("python load_bench.py # load benchmark", 0, "")
            .build();
        let facts = extract(&session, &Config::default());
        let links = super::super::link(&session, &facts);
        let got: Vec<_> = links.iter().filter(|l| l.kind == LinkKind::ActsOn).map(|l| (l.from, l.to)).collect();
        assert_eq!(got, [(FactId::Call(0), FactId::Directive(0)), (FactId::Call(2), FactId::Directive(1))]);
    }
}
