//! Folds plan writes into items and transitions: each list as the writes leave it, one after the other.

use std::collections::BTreeMap;

use super::lineage::{Origin, origins};
use super::sources::{Entry, Write};
use super::wording::normalised;
use super::{ItemIx, Plan, PlanItem, PlanSnapshot, SnapshotItem, State, Transition, TransitionKind, Weights, changes};
use crate::diag::{Diag, Loc, Trouble};
use crate::session::{MsgIx, Session};

/// A list between two writes.
#[derive(Default)]
struct Live {
    entries: Vec<Entry>,
    items: Vec<ItemIx>,
    /// Items that were in the list and are not any more, by normalised text (the latest of equal ones).
    dropped: BTreeMap<String, ItemIx>,
}

/// Follows the items through all writes, which are in reading order.
pub(super) fn follow(session: &Session, writes: Vec<Write>, weights: &Weights) -> Plan {
    let mut follower = Follower { session, weights, plan: Plan::default(), live: Vec::new(), last: None };
    for write in writes {
        follower.apply(write);
    }
    follower.plan
}

struct Follower<'a> {
    session: &'a Session,
    weights: &'a Weights,
    plan: Plan,
    /// Parallel to `plan.lists`.
    live: Vec<Live>,
    /// Message and number of the last write.
    last: Option<(MsgIx, u32)>,
}

/// One item of a write with what it continues.
struct Row {
    item: ItemIx,
    origin: Origin,
    /// Position of the old item whose identity it has.
    heir: Option<usize>,
    returned: bool,
}

impl Follower<'_> {
    fn apply(&mut self, write: Write) {
        let list = self.list_of(&write);
        let seq = match self.last {
            Some((msg, seq)) if msg == write.msg => seq + 1,
            _ => 1,
        };
        self.last = Some((write.msg, seq));
        self.warn_of_words(&write);
        self.take_in(list, &write);
        let live = &self.live[list];
        let was_dropped = |e: &Entry| live.dropped.contains_key(&key(e));
        let origins = origins(&live.entries, &write.entries, was_dropped, self.weights);
        let items = if write.accepted {
            let rows = self.rows(list, &write, origins);
            self.transitions(list, &write, seq, &rows);
            let items: Vec<ItemIx> = rows.iter().map(|r| r.item).collect();
            self.replace(list, &write, &items, &rows);
            items.into_iter().map(Some).collect()
        } else {
            let live = &self.live[list];
            origins.iter().map(|o| o.olds.first().map(|&i| live.items[i])).collect()
        };
        self.plan.snapshots.push(snapshot(write, list as u32, seq, items));
    }

    /// Takes in items that were there before the first write that is seen.
    fn take_in(&mut self, list: usize, write: &Write) {
        for entry in &write.baseline {
            if self.live[list].entries.iter().any(|e| e.text == entry.text) {
                continue;
            }
            let item = self.new_item(list, write);
            let known = &mut self.plan.items[item.at()];
            (known.text, known.last, known.outcome) = (entry.text.clone(), entry.state, entry.state);
            self.live[list].entries.push(entry.clone());
            self.live[list].items.push(item);
        }
    }

    fn list_of(&mut self, write: &Write) -> usize {
        if let Some(at) = self.plan.lists.iter().position(|l| *l == write.list) {
            return at;
        }
        self.plan.lists.push(write.list.clone());
        self.live.push(Live::default());
        self.plan.lists.len() - 1
    }

    /// Gives every item of the write its identity.
    fn rows(&mut self, list: usize, write: &Write, origins: Vec<Origin>) -> Vec<Row> {
        let mut rows = Vec::with_capacity(origins.len());
        let mut taken = vec![false; self.live[list].items.len()];
        for (entry, origin) in write.entries.iter().zip(origins) {
            // Of the parts of a split item the first goes on; the others are new items that name it.
            let heir = origin.olds.first().copied().filter(|&i| !std::mem::replace(&mut taken[i], true));
            let back = origin.olds.is_empty().then(|| self.live[list].dropped.remove(&key(entry))).flatten();
            let item = match (heir, back) {
                (Some(i), _) => self.live[list].items[i],
                (None, Some(item)) => item,
                (None, None) => self.new_item(list, write),
            };
            rows.push(Row { item, origin, heir, returned: back.is_some() });
        }
        rows
    }

    fn new_item(&mut self, list: usize, write: &Write) -> ItemIx {
        let ix = ItemIx(self.plan.items.len() as u32);
        self.plan.items.push(PlanItem {
            label: format!("T{}", ix.0 + 1),
            thread: write.list.thread,
            list: list as u32,
            text: String::new(),
            last: State::Absent,
            outcome: State::Absent,
            first_msg: write.msg,
        });
        ix
    }

    fn transitions(&mut self, list: usize, write: &Write, seq: u32, rows: &[Row]) {
        let live = &self.live[list];
        let snapshot = self.plan.snapshots.len() as u32;
        let mut out = Vec::new();
        let mut push = |item: Option<ItemIx>, old: Option<&Entry>, new: Option<&Entry>, kind, confidence, related| {
            let text = new.or(old).map(|e| e.text.clone()).unwrap_or_default();
            let old_text = old.map(|o| &o.text).filter(|t| **t != text).cloned();
            let [from, to] = [old, new].map(|e| e.map_or(State::Absent, |e| e.state));
            let (msg, revealed, evidence) = (write.msg, write.revealed, Vec::new());
            out.push(Transition {
                snapshot,
                msg,
                seq,
                item,
                text,
                old_text,
                from,
                to,
                kind,
                confidence,
                related,
                revealed,
                evidence,
                unsure: false,
            });
        };
        if let Some(kind) = changes::of_list(&live.entries, write) {
            push(None, None, None, kind, 1.0, Vec::new());
        }
        let moved = changes::moved(rows.iter().map(|r| r.heir));
        let touched = |n: usize| write.touched.as_ref().is_none_or(|t| t.contains(&n));
        for (n, row) in rows.iter().enumerate().filter(|(n, _)| touched(*n)) {
            let new = &write.entries[n];
            let olds: Vec<&Entry> = row.origin.olds.iter().map(|&i| &live.entries[i]).collect();
            let related: Vec<ItemIx> =
                row.origin.olds.iter().map(|&i| live.items[i]).filter(|i| *i != row.item).collect();
            let confidence = if olds.is_empty() { 1.0 } else { row.origin.confidence };
            for kind in changes::of_item(&olds, new, row.origin.split, row.returned, moved[n]) {
                push(Some(row.item), olds.first().copied(), Some(new), kind, confidence, related.clone());
            }
        }
        for row in rows {
            for &i in row.origin.olds.iter().filter(|&&i| live.items[i] != row.item && !row.origin.split) {
                push(
                    Some(live.items[i]),
                    Some(&live.entries[i]),
                    None,
                    TransitionKind::Merged,
                    row.origin.confidence,
                    vec![row.item],
                );
            }
        }
        let mut gone = vec![true; live.entries.len()];
        rows.iter().flat_map(|r| &r.origin.olds).for_each(|&i| gone[i] = false);
        for (i, old) in live.entries.iter().enumerate().filter(|(i, _)| gone[*i]) {
            let kind = TransitionKind::of_states(old.state, State::Absent);
            push(Some(live.items[i]), Some(old), None, kind, 1.0, Vec::new());
        }
        self.plan.transitions.append(&mut out);
    }

    /// Makes the write the list's present.
    fn replace(&mut self, list: usize, write: &Write, items: &[ItemIx], rows: &[Row]) {
        let live = &mut self.live[list];
        let entries = std::mem::replace(&mut live.entries, write.entries.clone());
        let old = std::mem::replace(&mut live.items, items.to_vec());
        let mut went_on = vec![false; old.len()];
        rows.iter().flat_map(|r| &r.origin.olds).for_each(|&i| went_on[i] = true);
        for (i, (entry, item)) in entries.iter().zip(old).enumerate() {
            if !items.contains(&item) {
                self.plan.items[item.at()].last = State::Absent;
                if !went_on[i] {
                    live.dropped.insert(key(entry), item);
                }
            }
        }
        for (entry, item) in write.entries.iter().zip(items) {
            let item = &mut self.plan.items[item.at()];
            (item.text, item.last, item.outcome) = (entry.text.clone(), entry.state, entry.state);
        }
    }

    fn warn_of_words(&mut self, write: &Write) {
        for entry in write.entries.iter().filter(|e| e.state == State::Other && write.accepted) {
            let message = format!("status \"{}\" of a plan item is not known; kept as other", entry.status_text);
            if self.plan.warnings.iter().any(|w| w.message == message) {
                continue;
            }
            let place = self.session.message(write.msg).place;
            let file = self.session.sources.get(place.file as usize).map(|s| s.file.clone()).unwrap_or_default();
            let loc = Loc { file, line: place.line.into(), byte: place.byte };
            self.plan.warnings.push(Diag::warning(Trouble::UnknownStatus, loc, message));
        }
    }
}

/// What a dropped item is found by when it returns.
fn key(entry: &Entry) -> String {
    entry.key.clone().unwrap_or_else(|| normalised(&entry.text))
}

fn snapshot(write: Write, list: u32, seq: u32, items: Vec<Option<ItemIx>>) -> PlanSnapshot {
    let Write { msg, call, list: super::PlanList { thread, source, .. }, certainty, accepted, entries, .. } = write;
    let items = entries.into_iter().zip(items).map(|(e, item)| SnapshotItem {
        item,
        native_id: e.native_id,
        text: e.text,
        state: e.state,
        status_text: e.status_text,
        priority: e.priority,
        active_form: e.active_form,
        span: e.span,
    });
    PlanSnapshot { msg, thread, list, call, seq, source, certainty, accepted, items: items.collect() }
}
