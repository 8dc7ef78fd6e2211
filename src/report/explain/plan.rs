//! The plan as a message leaves it, and what the message changed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::Subject;
use crate::extract::plan::{ItemIx, SnapshotItem, State, Transition, TransitionKind};
use crate::report::section::plan::end;
use crate::report::section::value::word;

#[derive(Debug, Serialize)]
struct View {
    accepted: bool,
    source: &'static str,
    is_new: bool,
    rows: Vec<Row>,
    /// Items that the write leaves as they were, where they are many.
    same: Vec<String>,
    gone: Vec<Gone>,
    priorities: Vec<Priority>,
    first: String,
    last: String,
}

#[derive(Debug, Serialize)]
struct Row {
    label: String,
    text: String,
    old_text: Option<String>,
    priority: Option<String>,
    before: &'static str,
    state: &'static str,
    /// The state as the transcript writes it.
    written: String,
    changes: Vec<String>,
}

/// Items that left the list, by the state they had.
#[derive(Debug, Serialize)]
struct Gone {
    from: &'static str,
    items: Vec<Item>,
}

#[derive(Debug, Serialize)]
struct Item {
    label: String,
    text: String,
    /// The message that last set its state.
    msg: String,
}

#[derive(Debug, Serialize)]
struct Priority {
    priority: String,
    items: Vec<String>,
}

/// The plan in numbers.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    items: usize,
    active: usize,
    pending: usize,
    done: usize,
    created: usize,
    changed: usize,
    gone: usize,
    all_done_msg: Option<String>,
}

impl Figures {
    /// Items of the list.
    pub(super) fn items(&self) -> usize {
        self.items
    }

    /// Items that the message changed, created or dropped.
    pub(super) fn changed(&self) -> usize {
        self.changed
    }

    /// Whether the message creates every item of the list.
    pub(super) fn is_new(&self) -> bool {
        self.items > 0 && self.created == self.items
    }
}

/// Longer lists show the changed items only.
const WHOLE: usize = 10;

/// The plan of the message in numbers; `None` when it writes none, or none that was accepted.
pub(super) fn figures(subject: &Subject<'_>) -> Option<Figures> {
    let plan = &subject.facts().plan;
    let snapshot = subject.snapshot().filter(|s| s.accepted)?;
    let here: Vec<&Transition> = changes(subject).collect();
    let items = |keep: fn(&Transition) -> bool| {
        here.iter().filter(|t| keep(t)).filter_map(|t| t.item).collect::<BTreeSet<ItemIx>>().len()
    };
    let count = |state: State| snapshot.items.iter().filter(|i| i.state == state).count();
    let known = |i: &SnapshotItem| plan.items.get(i.item?.at());
    let all_done =
        !snapshot.items.is_empty() && snapshot.items.iter().all(|i| known(i).is_some_and(|k| end(k).is_done()));
    let done_at = snapshot.items.iter().filter_map(|i| done(subject, i.item)).map(|t| t.msg).max();
    Some(Figures {
        items: snapshot.items.len(),
        active: count(State::Active),
        pending: count(State::Pending),
        done: count(State::Done),
        created: items(|t| t.from == State::Absent && t.to != State::Absent && t.kind != TransitionKind::ReAdded),
        changed: items(|_| true),
        gone: items(|t| t.to == State::Absent && t.from != State::Absent),
        all_done_msg: done_at.filter(|m| all_done && *m > subject.ix).map(|m| subject.name(m)),
    })
}

/// Changes that the message makes in the list that its last write leaves.
fn changes<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a Transition> + use<'a> {
    let (plan, ix) = (&subject.facts().plan, subject.ix);
    let list = subject.snapshot().map(|s| s.list);
    plan.transitions.iter().filter(move |t| {
        t.msg == ix && t.is_change() && list.is_none_or(|l| plan.snapshots[t.snapshot as usize].list == l)
    })
}

/// The last time an item was done.
pub(super) fn done<'a>(subject: &Subject<'a>, item: Option<ItemIx>) -> Option<&'a Transition> {
    let plan = &subject.facts().plan;
    plan.transitions.iter().rfind(|t| item.is_some() && t.item == item && t.to == State::Done && t.from != t.to)
}

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let plan = &subject.facts().plan;
    let snapshot = subject.snapshot()?;
    let here: Vec<&Transition> = changes(subject).collect();
    let (rows, same): (Vec<Row>, Vec<Row>) = snapshot
        .items
        .iter()
        .map(|i| row(subject, &here, i))
        .partition(|r| snapshot.items.len() <= WHOLE || !r.changes.is_empty());
    let gone = here.iter().filter(|t| t.to == State::Absent && t.from != State::Absent && t.item.is_some());
    let mut by_state: BTreeMap<&'static str, Vec<Item>> = BTreeMap::new();
    for (t, item) in gone.filter_map(|t| Some((t, plan.items.get(t.item?.at())?))) {
        let set = plan.transitions.iter().rfind(|e| e.item == t.item && e.msg < subject.ix);
        let msg = subject.name(set.map_or(item.first_msg, |e| e.msg));
        by_state.entry(t.from.word()).or_default().push(Item { label: item.label.clone(), text: t.text.clone(), msg });
    }
    let mut by_priority: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for item in &snapshot.items {
        if let Some(priority) = &item.priority {
            by_priority.entry(priority).or_default().push(label(subject, item));
        }
    }
    some(View {
        accepted: snapshot.accepted,
        source: snapshot.source.word(),
        is_new: figures(subject).is_some_and(|f| f.is_new()),
        first: snapshot.items.first().map(|i| label(subject, i)).unwrap_or_default(),
        last: snapshot.items.last().map(|i| label(subject, i)).unwrap_or_default(),
        same: same.into_iter().map(|r| r.label).collect(),
        rows,
        gone: by_state.into_iter().map(|(from, items)| Gone { from, items }).collect(),
        priorities: by_priority
            .into_iter()
            .map(|(priority, items)| Priority { priority: priority.to_owned(), items })
            .collect(),
    })
}

fn label(subject: &Subject<'_>, item: &SnapshotItem) -> String {
    let known = item.item.and_then(|i| subject.facts().plan.items.get(i.at()));
    known.map(|k| k.label.clone()).unwrap_or_default()
}

fn row(subject: &Subject<'_>, here: &[&Transition], item: &SnapshotItem) -> Row {
    let mine = || here.iter().filter(|t| t.item.is_some() && t.item == item.item);
    Row {
        label: label(subject, item),
        text: item.text.clone(),
        old_text: mine().find_map(|t| t.old_text.clone()),
        priority: item.priority.clone(),
        before: before(subject, item).word(),
        state: item.state.word(),
        written: item.status_text.clone(),
        changes: mine().filter(|t| t.kind != TransitionKind::Unchanged).map(|t| word(t.kind)).collect(),
    }
}

/// The state of an item before the message.
fn before(subject: &Subject<'_>, item: &SnapshotItem) -> State {
    let all = subject.facts().plan.transitions.iter();
    let mine: Vec<&Transition> = all.filter(|t| item.item.is_some() && t.item == item.item).collect();
    let here = mine.iter().find(|t| t.msg == subject.ix).map(|t| t.from);
    here.or_else(|| mine.iter().rfind(|t| t.msg < subject.ix).map(|t| t.to)).unwrap_or(State::Absent)
}
