//! Asked → planned → done → verified: for every directive the items, calls and checks that are tied to it.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::super::section::value::label;
use crate::analysis::Analysis;
use crate::link::{FactId, Link, LinkKind};
use crate::session::MsgIx;

/// A directive with everything that is tied to it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Asked {
    /// Number of the message.
    pub msg: String,
    /// The directive, an exact substring of the source.
    pub text: String,
    /// File of the transcript.
    pub file: Option<String>,
    /// Line of the transcript, from 1.
    pub line: Option<u32>,
    /// First byte of the directive in its part of the message.
    pub start: u32,
    /// Byte after its last.
    pub end: u32,
    /// `do`, `dont` or `constraint`.
    pub polarity: &'static str,
    /// `asked` (nothing is tied to it), `answered`, `planned`, `done` or `verified`: the furthest that is known.
    pub reached: &'static str,
    /// Plan items that mirror it, with their state at the end.
    pub items: Vec<String>,
    /// Calls that act on it, the first of each message.
    pub actions: Vec<Action>,
    /// First messages with calls that act on it.
    pub acted: Vec<String>,
    /// First messages with calls of the kind it asks for, where it is the only request of its prompt and none names its object.
    pub perhaps_acted: Vec<String>,
    /// What was checked: probes after a change, and calls that bear on the completion of its items.
    pub evidence: Vec<Action>,
    /// Reply that ends the turn, where words were asked for.
    pub answered: Option<String>,
}

/// A call that is tied to a directive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Action {
    /// Number of the message.
    pub msg: String,
    /// Tool.
    pub tool: String,
    /// Its command or target, as written.
    pub what: Option<String>,
    /// `named` (it names the object), `near` (in its turn, words shared) or `placed` (in its turn, of its kind).
    pub by: &'static str,
}

/// Actions named per directive.
const NAMED: usize = 4;
/// Below this a call is tied to a directive by its place alone.
const WEAK: f64 = 0.45;
/// From here on a call names the object.
const SURE: f64 = 0.61;

/// What the links say of one directive.
#[derive(Default)]
struct Tied<'a> {
    items: Vec<u32>,
    acts: BTreeMap<MsgIx, &'a Link>,
    perhaps: BTreeMap<MsgIx, &'a Link>,
    checks: BTreeMap<MsgIx, &'a Link>,
    answered: Option<MsgIx>,
}

/// One row per directive, in order.
pub(super) fn rows(analysis: &Analysis) -> Vec<Asked> {
    let mut tied: BTreeMap<u32, Tied<'_>> = BTreeMap::new();
    for l in &analysis.links {
        let FactId::Directive(d) = l.to else { continue };
        let slot = tied.entry(d).or_default();
        match (l.kind, l.from) {
            (LinkKind::Mirrors, FactId::Item(i)) => slot.items.push(i),
            (LinkKind::RespondsTo, _) => slot.answered = Some(l.from_msg),
            (LinkKind::Verifies, _) => _ = slot.checks.entry(l.from_msg).or_insert(l),
            (LinkKind::ActsOn, _) => {
                let acts = if l.confidence < WEAK { &mut slot.perhaps } else { &mut slot.acts };
                acts.entry(l.from_msg).or_insert(l);
            }
            _ => {}
        }
    }
    let proofs = proofs(analysis);
    let all = analysis.facts.directives.iter().enumerate();
    all.map(|(i, _)| row(analysis, i, tied.remove(&(i as u32)).unwrap_or_default(), &proofs)).collect()
}

/// Calls that bear on the completion of an item, by item.
fn proofs(analysis: &Analysis) -> BTreeMap<u32, BTreeMap<MsgIx, &Link>> {
    let mut found: BTreeMap<u32, BTreeMap<MsgIx, &Link>> = BTreeMap::new();
    for l in analysis.links.iter().filter(|l| l.kind == LinkKind::Evidences && l.confidence >= SURE) {
        let FactId::Transition(t) = l.to else { continue };
        let item = analysis.facts.plan.transitions.get(t as usize).and_then(|t| t.item);
        if let Some(item) = item {
            found.entry(item.0).or_default().entry(l.from_msg).or_insert(l);
        }
    }
    found
}

fn row(analysis: &Analysis, at: usize, tied: Tied<'_>, proofs: &BTreeMap<u32, BTreeMap<MsgIx, &Link>>) -> Asked {
    let (session, d) = (&analysis.session, &analysis.facts.directives[at]);
    let labels = |links: &BTreeMap<MsgIx, &Link>| -> Vec<String> {
        links.keys().take(NAMED).map(|m| label(session, *m)).collect()
    };
    let actions = |links: &BTreeMap<MsgIx, &Link>| -> Vec<Action> {
        links.values().take(NAMED).filter_map(|l| action(analysis, l)).collect()
    };
    let items = tied.items.iter().filter_map(|i| analysis.facts.plan.items.get(*i as usize));
    let verified = !tied.checks.is_empty();
    let mut checks = tied.checks;
    let seen: BTreeSet<u32> = tied.items.iter().copied().collect();
    for (msg, link) in seen.iter().filter_map(|i| proofs.get(i)).flatten() {
        checks.entry(*msg).or_insert(link);
    }
    let place = session.message(d.msg).place;
    let acts = if tied.acts.is_empty() { &tied.perhaps } else { &tied.acts };
    let done = !acts.is_empty() || !checks.is_empty();
    let reached = match (verified, done, tied.items.is_empty(), tied.answered) {
        (true, ..) => "verified",
        (_, true, ..) => "done",
        (_, _, false, _) => "planned",
        (_, _, _, Some(_)) => "answered",
        _ => "asked",
    };
    Asked {
        msg: label(session, d.msg),
        text: d.text.clone(),
        file: session.sources.get(place.file as usize).map(|s| s.file.clone()),
        line: Some(place.line).filter(|l| *l > 0),
        start: d.span.start,
        end: d.span.end,
        polarity: d.polarity.word(),
        reached,
        items: items.map(|i| format!("{} {} ({})", i.label, i.text, i.last.word())).collect(),
        actions: actions(acts),
        acted: labels(&tied.acts),
        perhaps_acted: labels(&tied.perhaps),
        evidence: actions(&checks),
        answered: tied.answered.map(|m| label(session, m)),
    }
}

fn action(analysis: &Analysis, link: &Link) -> Option<Action> {
    let FactId::Call(c) = link.from else { return None };
    let call = analysis.session.call(*analysis.facts.calls.get(c as usize)?)?;
    let what = call.command().or(call.target()).map(|w| w.lines().next().unwrap_or(w).to_owned());
    let by = match link.confidence {
        c if c < WEAK => "placed",
        c if c < SURE => "near",
        _ => "named",
    };
    Some(Action { msg: label(&analysis.session, link.from_msg), tool: call.tool.clone(), what, by })
}
