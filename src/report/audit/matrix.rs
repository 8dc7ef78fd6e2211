//! Asked → planned → acted on → checked: for every directive the items, calls and checks that are tied to it.
//!
//! That calls ran after it says nothing of what they were for: then what was done about it is not known.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::super::section::value::label;
use crate::analysis::Analysis;
use crate::extract::directives::Polarity;
use crate::link::turns::Turns;
use crate::link::{FactId, Link, LinkKind};
use crate::session::MsgIx;

/// A directive with everything that is tied to it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Asked {
    /// Name of the fact, as in the tables `directives` and `links`.
    pub id: String,
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
    /// Condition under which it is asked for, as written.
    pub condition: Option<String>,
    /// `checked`, `acted on`, `planned` or `replied`: the furthest that is known; `not known` (calls followed, and none is tied
    /// to it), `no call` (its turn holds none).
    pub reached: &'static str,
    /// Plan items that mirror it, with their state at the end.
    pub items: Vec<String>,
    /// Calls that act on it, the first of each message.
    pub actions: Vec<Action>,
    /// First messages with calls that act on it.
    pub acted: Vec<String>,
    /// How many calls its turn holds, whatever they were for.
    pub calls_followed: usize,
    /// Tests and builds that ran clean in its turn, after a change that is tied to it.
    pub evidence: Vec<Action>,
    /// Reply that ends the turn, where words were asked for.
    pub replied: Option<String>,
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
}

/// Actions named per directive.
const NAMED: usize = 4;
/// What the links say of one directive.
#[derive(Default)]
struct Tied<'a> {
    items: Vec<u32>,
    acts: BTreeMap<MsgIx, &'a Link>,
    checks: BTreeMap<MsgIx, &'a Link>,
    replied: Option<MsgIx>,
}

/// One row per directive, in order.
pub(super) fn rows(analysis: &Analysis) -> Vec<Asked> {
    let mut tied: BTreeMap<u32, Tied<'_>> = BTreeMap::new();
    for l in &analysis.links {
        let FactId::Directive(d) = l.to else { continue };
        let slot = tied.entry(d).or_default();
        match (l.kind, l.from) {
            (LinkKind::Mirrors, FactId::Item(i)) => slot.items.push(i),
            (LinkKind::RespondsTo, _) => slot.replied = Some(l.from_msg),
            (LinkKind::Verifies, _) => _ = slot.checks.entry(l.from_msg).or_insert(l),
            (LinkKind::ActsOn, _) => _ = slot.acts.entry(l.from_msg).or_insert(l),
            _ => {}
        }
    }
    let calls = calls(analysis);
    let all = analysis.facts.directives.iter().enumerate();
    all.map(|(i, _)| row(analysis, i, tied.remove(&(i as u32)).unwrap_or_default(), &calls)).collect()
}

/// The messages of the calls of each directive's turn that stand after it.
fn calls(analysis: &Analysis) -> impl Fn(MsgIx) -> usize + '_ {
    let turns = Turns::of(&analysis.session);
    let of_turn = turns.calls(&analysis.facts);
    move |msg| {
        let turn = turns.prompt(msg).and_then(|p| of_turn.get(&p));
        turn.map_or(0, |calls| calls.iter().filter(|c| analysis.facts.calls[**c as usize].msg > msg).count())
    }
}

fn row(analysis: &Analysis, at: usize, tied: Tied<'_>, calls: &impl Fn(MsgIx) -> usize) -> Asked {
    let (session, d) = (&analysis.session, &analysis.facts.directives[at]);
    let labels = |links: &BTreeMap<MsgIx, &Link>| -> Vec<String> {
        links.keys().take(NAMED).map(|m| label(session, *m)).collect()
    };
    let actions = |links: &BTreeMap<MsgIx, &Link>| -> Vec<Action> {
        links.values().take(NAMED).filter_map(|l| action(analysis, l)).collect()
    };
    let items = tied.items.iter().filter_map(|i| analysis.facts.plan.items.get(*i as usize));
    let place = session.message(d.msg).place;
    let followed = calls(d.msg);
    let reached = match (tied.checks.is_empty(), tied.acts.is_empty(), tied.items.is_empty(), tied.replied) {
        (false, ..) => "checked",
        (_, false, ..) => "acted on",
        (_, _, false, _) => "planned",
        (_, _, _, Some(_)) => "replied",
        // A transcript without any call may be of a form that keeps them elsewhere.
        _ if analysis.facts.calls.is_empty() => "not known",
        _ if d.polarity != Polarity::Do || d.condition.is_some() || followed > 0 => "not known",
        _ => "no call",
    };
    Asked {
        id: FactId::Directive(at as u32).to_string(),
        msg: label(session, d.msg),
        text: d.text.clone(),
        file: session.sources.get(place.file as usize).map(|s| s.file.clone()),
        line: Some(place.line).filter(|l| *l > 0),
        start: d.span.start,
        end: d.span.end,
        polarity: d.polarity.word(),
        condition: d.condition.clone(),
        reached,
        items: items.map(|i| format!("{} {} ({})", i.label, i.text, i.last.word())).collect(),
        actions: actions(&tied.acts),
        acted: labels(&tied.acts),
        calls_followed: followed,
        evidence: actions(&tied.checks),
        replied: tied.replied.map(|m| label(session, m)),
    }
}

fn action(analysis: &Analysis, link: &Link) -> Option<Action> {
    let FactId::Call(c) = link.from else { return None };
    let call = analysis.session.call(*analysis.facts.calls.get(c as usize)?)?;
    let what = call.what().map(|w| w.lines().next().unwrap_or(w).to_owned());
    Some(Action { msg: label(&analysis.session, link.from_msg), tool: call.tool.clone(), what })
}
