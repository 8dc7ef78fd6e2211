//! `acts_on` by place: the calls between a prompt and the next one, for directives that no call names; and `responds_to`: the
//! reply that ends the turn, for directives that ask for words.
//!
//! A call that shares a word for a thing, in what it writes or in what the agent says beside it, is tied to the directive. Where
//! a prompt asks for one thing only, a call of the kind that its verb names is tied weakly.

use std::collections::{BTreeMap, BTreeSet};

use super::overlap::Bag;
use super::{FactId, Link, LinkKind, Scene};
use crate::extract::directives::{Directive, Polarity};
use crate::session::{CallRef, MessageKind, MsgIx, PartBody, Role, ToolCall, ToolKind};

/// Bytes of what a call writes, and of what is said beside it, that are read.
const DEPTH: usize = 3_000;
/// Calls of one turn that are looked at.
const CALLS: usize = 300;
/// Links per directive.
const MOST: usize = 8;
/// A call that shares words with a directive in its turn.
const SHARED: f64 = 0.6;
/// A call of the right kind in the turn of the only directive.
const PLACED: f64 = 0.4;

/// What a verb asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Change,
    Run,
    Look,
    Talk,
    Any,
}

const DEEDS: &[(Deed, &[&str])] = &[
    (
        Deed::Change,
        &[
            "fix",
            "implement",
            "add",
            "write",
            "create",
            "update",
            "refactor",
            "remove",
            "delete",
            "rename",
            "make",
            "change",
            "improve",
            "replace",
            "move",
            "document",
            "clean",
            "rewrite",
            "adjust",
            "convert",
            "set",
            "apply",
            "extend",
            "simplify",
            "handle",
            "address",
            "resolve",
            "revert",
            "undo",
            "merge",
            "format",
            "comment",
            "port",
            "include",
            "use",
            "put",
            "drop",
            "split",
            "wire",
            "enable",
            "disable",
            "generate",
            "build",
            "do",
        ],
    ),
    (
        Deed::Run,
        &[
            "run",
            "rerun",
            "test",
            "execute",
            "benchmark",
            "commit",
            "push",
            "install",
            "start",
            "stop",
            "restart",
            "deploy",
            "measure",
            "try",
            "launch",
            "verify",
            "rebase",
            "pull",
            "clone",
            "download",
            "open",
        ],
    ),
    (
        Deed::Look,
        &[
            "look",
            "read",
            "review",
            "check",
            "analyze",
            "analyse",
            "investigate",
            "find",
            "explore",
            "debug",
            "inspect",
            "search",
            "study",
            "see",
            "research",
            "trace",
            "examine",
            "audit",
            "diagnose",
            "verify",
        ],
    ),
    (
        Deed::Talk,
        &[
            "show",
            "tell",
            "explain",
            "list",
            "summarize",
            "summarise",
            "describe",
            "say",
            "answer",
            "report",
            "give",
            "clarify",
            "compare",
            "recommend",
            "suggest",
            "propose",
            "elaborate",
            "outline",
            "print",
            "remind",
        ],
    ),
];

fn deed(verb: &str) -> Deed {
    DEEDS.iter().find(|(_, verbs)| verbs.contains(&verb)).map_or(Deed::Any, |(deed, _)| *deed)
}

/// The calls and the last reply after one prompt.
#[derive(Default)]
struct Turn {
    calls: Vec<u32>,
    reply: Option<MsgIx>,
}

pub(super) fn link(scene: &Scene<'_>, links: &[Link]) -> Vec<Link> {
    let taken: BTreeSet<FactId> = links.iter().filter(|l| l.kind == LinkKind::ActsOn).map(|l| l.to).collect();
    let wanted = |(i, d): &(usize, &Directive)| {
        d.typed && d.polarity == Polarity::Do && !taken.contains(&FactId::Directive(*i as u32))
    };
    let all = &scene.facts.directives;
    let left: Vec<(usize, &Directive)> = all.iter().enumerate().filter(wanted).collect();
    let prompts: BTreeSet<MsgIx> = left.iter().map(|(_, d)| d.msg).collect();
    let turns = turns(scene, &prompts);
    let picked = picked(scene, links);
    let mut found = Vec::new();
    for (i, directive) in left {
        let Some(turn) = turns.get(&directive.msg) else { continue };
        let id = FactId::Directive(i as u32);
        let asked = all.iter().filter(|d| d.msg == directive.msg && d.polarity == Polarity::Do).count();
        let named = format!("{} {}", directive.text, picked.get(&id).map_or("", String::as_str));
        let acts = near(scene, turn, &named);
        let acts = if acts.is_empty() && asked == 1 { placed(scene, turn, deed(&directive.verb)) } else { acts };
        let act = |(c, confidence): &(u32, f64)| Link {
            from: FactId::Call(*c),
            from_msg: scene.facts.calls[*c as usize].msg,
            kind: LinkKind::ActsOn,
            to: id,
            to_msg: directive.msg,
            confidence: *confidence,
            span: None,
        };
        found.extend(acts.iter().take(MOST).map(act));
        if let Some(reply) = turn.reply.filter(|_| deed(&directive.verb) == Deed::Talk) {
            found.push(Link {
                from: FactId::Message(reply),
                from_msg: reply,
                kind: LinkKind::RespondsTo,
                to: id,
                to_msg: directive.msg,
                confidence: SHARED,
                span: None,
            });
        }
    }
    found
}

/// What each directive's picked findings are called.
fn picked(scene: &Scene<'_>, links: &[Link]) -> BTreeMap<FactId, String> {
    let mut named: BTreeMap<FactId, String> = BTreeMap::new();
    for l in links.iter().filter(|l| l.kind == LinkKind::Selects) {
        if let (FactId::Directive(_), FactId::Finding(f)) = (l.from, l.to) {
            let slot = named.entry(l.from).or_default();
            slot.push_str(&scene.facts.findings.findings[f as usize].title);
            slot.push('\n');
        }
    }
    named
}

/// The turns of these prompts: what follows on the main thread until the next prompt.
fn turns(scene: &Scene<'_>, prompts: &BTreeSet<MsgIx>) -> BTreeMap<MsgIx, Turn> {
    let mut turns: BTreeMap<MsgIx, Turn> = BTreeMap::new();
    let mut calls = scene.facts.calls.iter().enumerate().peekable();
    let mut prompt = None;
    for (ix, message) in scene.session.live() {
        let main = scene.session.on_main(ix);
        if main && message.role == Role::User && message.kind == MessageKind::Prompt {
            prompt = Some(ix).filter(|p| prompts.contains(p));
        }
        let mut turn = prompt.map(|p| turns.entry(p).or_default());
        while let Some((i, r)) = calls.next_if(|(_, r)| r.msg <= ix) {
            if let Some(turn) = turn.as_mut().filter(|t| main && r.msg == ix && t.calls.len() < CALLS) {
                turn.calls.push(i as u32);
            }
        }
        if let Some(turn) = turn.filter(|_| main && message.role == Role::Assistant) {
            let speaks = message.parts.iter().any(|p| matches!(&p.body, PartBody::Text(t) if !t.trim().is_empty()));
            turn.reply = if speaks { Some(ix) } else { turn.reply };
        }
    }
    turns
}

/// Calls that share a word for a thing with a directive: in what they write, or in what is said beside them.
fn near(scene: &Scene<'_>, turn: &Turn, text: &str) -> Vec<(u32, f64)> {
    let goal = Bag::of(text);
    let enough = |bag: &Bag| {
        let things = bag.shared_things(&goal);
        things >= 2.0 || things >= 1.0 && things * 2.0 >= goal.things()
    };
    let mut said: BTreeMap<MsgIx, bool> = BTreeMap::new();
    let near = |c: &&u32| {
        let Some((r, call)) = call(scene, **c) else { return false };
        let beside = said.entry(r.msg).or_insert_with(|| enough(&Bag::of(&beside(scene, r.msg))));
        *beside || enough(&Bag::of(&written(call)))
    };
    let mut near = near;
    turn.calls.iter().filter(|c| near(c)).map(|c| (*c, SHARED)).collect()
}

/// The calls of the kind that a verb names.
fn placed(scene: &Scene<'_>, turn: &Turn, deed: Deed) -> Vec<(u32, f64)> {
    let fits = |c: &&u32| call(scene, **c).is_some_and(|(_, call)| call.worked() && does(call.kind, deed));
    turn.calls.iter().filter(fits).map(|c| (*c, PLACED)).collect()
}

fn does(kind: ToolKind, deed: Deed) -> bool {
    match deed {
        Deed::Change => matches!(kind, ToolKind::Edit | ToolKind::Write),
        Deed::Run => kind == ToolKind::Shell,
        Deed::Look => matches!(kind, ToolKind::Read | ToolKind::Search | ToolKind::Fetch | ToolKind::Shell),
        Deed::Talk | Deed::Any => false,
    }
}

fn call<'a>(scene: &Scene<'a>, at: u32) -> Option<(CallRef, &'a ToolCall)> {
    let r = *scene.facts.calls.get(at as usize)?;
    let call = scene.session.call(r)?;
    (!matches!(call.kind, ToolKind::Plan | ToolKind::Ask)).then_some((r, call))
}

/// What is said in the message of a call.
fn beside(scene: &Scene<'_>, msg: MsgIx) -> String {
    let mut out = String::new();
    for part in &scene.session.message(msg).parts {
        if let PartBody::Text(t) | PartBody::Reasoning(t) = &part.body
            && out.len() < DEPTH
        {
            out.push_str(&t[..t.floor_char_boundary(DEPTH)]);
            out.push('\n');
        }
    }
    out
}

/// The first texts of a call's input.
fn written(call: &ToolCall) -> String {
    let mut out = String::new();
    for value in call.input.as_object().into_iter().flat_map(|o| o.values()).filter_map(|v| v.as_str()) {
        out.push_str(&value[..value.floor_char_boundary(DEPTH)]);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Config, extract};
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn acts(session: &crate::session::Session) -> Vec<(FactId, FactId, f64)> {
        let facts = extract(session, &Config::default());
        let links = super::super::link(session, &facts);
        let of = |l: &&Link| matches!(l.to, FactId::Directive(_)) && l.kind != LinkKind::Mirrors;
        links.iter().filter(of).map(|l| (l.from, l.to, l.confidence)).collect()
    }

    #[test]
    fn what_is_said_beside_a_call_ties_it_to_the_directive() {
        let session = SessionBuilder::new()
            .user("Add comments to the scripts")
            .assistant("Commenting the scripts now.")
            .call(
                "Edit",
                json!({"file_path": "run.sh", "old_string": "x", "new_string": "# comments: starts all scripts"}),
                "ok",
            )
            .user("thanks")
            .call("Edit", json!({"file_path": "b.sh", "old_string": "x", "new_string": "# comments of scripts"}), "ok")
            .build();
        assert_eq!(acts(&session), [(FactId::Call(0), FactId::Directive(0), SHARED)]);
    }

    #[test]
    fn the_only_directive_takes_the_calls_of_its_kind_weakly() {
        let session = SessionBuilder::new()
            .user("implement it then")
            .call("Read", json!({"file_path": "a.go"}), "text")
            .call("Edit", json!({"file_path": "a.go", "old_string": "x", "new_string": "y"}), "ok")
            .build();
        assert_eq!(acts(&session), [(FactId::Call(1), FactId::Directive(0), PLACED)]);
    }

    #[test]
    fn a_request_for_words_is_answered_by_the_last_reply() {
        let session = SessionBuilder::new().user("show me the list again").assistant("Here: one, two.").build();
        assert_eq!(acts(&session), [(FactId::Message(MsgIx(1)), FactId::Directive(0), SHARED)]);
    }
}
