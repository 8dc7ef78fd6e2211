//! Plan history: every change with its message, and the list at the end.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::value::{label, time, word};
use super::{Material, first_rows, some};
use crate::error::Error;
use crate::extract::plan::evidence::{Effort, efforts};
use crate::extract::plan::{ItemIx, Plan, PlanItem, State, Transition};
use crate::report::plan::{completion, order};
use crate::session::{MsgIx, Session, ThreadIx};

#[derive(Debug, Serialize)]
struct View {
    messages: Vec<String>,
    messages_left: usize,
    count: usize,
    rejected: Vec<String>,
    changes: Vec<Change>,
    left: usize,
    items: Vec<Item>,
    /// Sentences on planned order against order begun; empty when there is nothing to compare.
    order: String,
    figures: Vec<Picture>,
}

#[derive(Debug, Serialize)]
struct Picture {
    description: String,
    path: String,
}

/// A state an item came to, and the message.
#[derive(Debug, Serialize)]
struct Came {
    state: &'static str,
    msg: String,
}

/// Changes of an item told before the rest is only counted.
const TOLD: usize = 12;

#[derive(Debug, Serialize)]
struct Change {
    msg: String,
    at: Option<String>,
    /// `None` for changes of the list as a whole.
    item: Option<String>,
    text: String,
    old_text: Option<String>,
    from: &'static str,
    to: &'static str,
    kind: String,
    evidence: Vec<EvidenceCite>,
    without: &'static str,
    uncertain: bool,
    source: &'static str,
}

#[derive(Debug, Serialize)]
struct EvidenceCite {
    msg: String,
    outcome: String,
}

#[derive(Debug, Serialize)]
struct Item {
    label: String,
    text: String,
    thread: Option<String>,
    created: String,
    /// Every state it came to, in order.
    states: Vec<Came>,
    states_left: usize,
    /// What its last completion took.
    took: Option<String>,
    last: End,
}

/// Messages listed by number before the rest is only counted.
const CITED: usize = 40;

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    let (session, plan) = (&material.analysis.session, &material.analysis.facts.plan);
    if plan.snapshots.is_empty() {
        return Ok(None);
    }
    let shown: Vec<&Transition> = plan.transitions.iter().filter(|t| t.is_change()).collect();
    let msgs = plan.changed_messages();
    let rejected: BTreeSet<MsgIx> = plan.snapshots.iter().filter(|s| !s.accepted).map(|s| s.msg).collect();
    let changes = shown.iter().map(|t| change(session, plan, t)).collect();
    let (changes, left) = first_rows(changes, material.full);
    let last_took = took(session, plan);
    let told = |(i, it): (usize, &PlanItem)| {
        let ix = ItemIx(i as u32);
        Item { took: last_took.get(&ix).cloned(), ..item(session, plan, ix, it) }
    };
    some(View {
        messages: msgs.iter().take(CITED).map(|ix| label(session, *ix)).collect(),
        messages_left: msgs.len().saturating_sub(CITED),
        count: msgs.len(),
        rejected: rejected.iter().map(|ix| label(session, *ix)).collect(),
        changes,
        left,
        items: plan.items.iter().enumerate().map(told).collect(),
        order: order(material.engine, material.analysis)?,
        figures: material
            .figures
            .iter()
            .filter(|f| f.section == "plan")
            .map(|f| Picture { description: f.description.clone(), path: f.path.clone() })
            .collect(),
    })
}

fn change(session: &Session, plan: &Plan, t: &Transition) -> Change {
    let evidence = completion::proofs(t, 4).into_iter();
    Change {
        msg: label(session, t.msg),
        at: session.message(t.msg).at.map(time),
        item: t.item.map(|i| plan.items[i.0 as usize].label.clone()),
        text: t.text.clone(),
        old_text: t.old_text.clone(),
        from: t.from.word(),
        to: t.to.word(),
        kind: word(t.kind),
        evidence: evidence
            .map(|e| EvidenceCite { msg: label(session, e.call.msg), outcome: completion::outcome(session, e) })
            .collect(),
        without: t.without_evidence(),
        uncertain: t.confidence < Transition::UNCERTAIN,
        source: plan.snapshots[t.snapshot as usize].source.word(),
    }
}

/// What the last completion of each item took.
fn took(session: &Session, plan: &Plan) -> BTreeMap<ItemIx, String> {
    let of = |(at, effort): (usize, Effort)| Some((plan.transitions[at].item?, completion::took(&effort)));
    efforts(session, plan).into_iter().filter_map(of).collect()
}

fn item(session: &Session, plan: &Plan, ix: ItemIx, item: &PlanItem) -> Item {
    let changes = || plan.transitions.iter().filter(move |t| t.item == Some(ix) && t.from != t.to);
    let cite = |msg: MsgIx| label(session, msg);
    Item {
        label: item.label.clone(),
        text: item.text.clone(),
        thread: (item.thread != ThreadIx(0)).then(|| session.threads[item.thread.0 as usize].label.clone()),
        created: cite(item.first_msg),
        states: changes().take(TOLD).map(|t| Came { state: t.to.word(), msg: cite(t.msg) }).collect(),
        states_left: changes().count().saturating_sub(TOLD),
        took: None,
        last: end(item),
    }
}

/// How an item ended: its last state, and for one that left the list the state it had then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct End {
    pub(crate) state: &'static str,
    pub(crate) left_list: bool,
}

impl End {
    /// Whether the item was done, in the list or when it left it.
    pub(crate) fn is_done(self) -> bool {
        self.state == State::Done.word()
    }
}

/// How an item ended.
pub(crate) fn end(item: &PlanItem) -> End {
    End { state: item.outcome.word(), left_list: item.last == State::Absent }
}
