//! The order of a session's lines: copies, parents, lines that stand before their parent, branches the user left.
//!
//! Chains of parents are walked with loops only, since their length is the input's to choose, and each step is linear.

use std::collections::HashMap;

use super::record::{Block, Body, Kind, Line};
use super::text;
use crate::diag::{Diag, Folded, Loc, Trouble};
use crate::session::{MessageKind, Place};

/// A line with its place.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) place: Place,
    /// Length of its record in bytes.
    pub(super) bytes: u64,
    pub(super) line: Line,
    /// It was unpacked from a progress line, and is no record of its own.
    pub(super) unpacked: bool,
}

/// What is known of the items of a session before messages are made; every list is as long as that of the items.
pub(super) struct Plan {
    /// The items to read, in order; copies are not among them.
    pub(super) order: Vec<usize>,
    /// The item that `parentUuid` names.
    pub(super) parent: Vec<Option<usize>>,
    /// Repeats an earlier item.
    pub(super) copy: Vec<bool>,
    /// Lies on a branch that the user left.
    pub(super) abandoned: Vec<bool>,
}

/// Plans the reading of a session's items, which are in file order.
pub(super) fn plan(items: &[Item], loc: impl Fn(Place) -> Loc, warnings: &mut Folded) -> Plan {
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(items.len());
    let mut copy = vec![false; items.len()];
    for (i, item) in items.iter().enumerate() {
        let Some(uuid) = item.line.uuid.as_deref() else { continue };
        let &mut earlier = first.entry(uuid).or_insert(i);
        if earlier == i {
            continue;
        }
        copy[i] = item.unpacked || is_copy(&items[earlier].line, &item.line);
        if !copy[i] && !is_same_reply(&items[earlier].line, &item.line) {
            let message =
                format!("the uuid of line {} again, with other content; both kept", items[earlier].place.line);
            warnings.push(Diag::warning(Trouble::IdReused, loc(item.place), message));
        }
    }
    mark_repeated_blocks(items, &mut copy);
    let parent: Vec<Option<usize>> =
        items.iter().map(|item| first.get(item.line.parent.as_deref()?).copied()).collect();
    warn_of_parents(items, &parent, &copy, &loc, warnings);
    let order = order(items, &parent, &copy);
    let abandoned = abandoned(items, &parent, &order);
    Plan { order, parent, copy, abandoned }
}

/// Lines of one reply; the stream form gives some of them one uuid.
fn is_same_reply(a: &Line, b: &Line) -> bool {
    match (&a.body, &b.body) {
        (Body::Message(a), Body::Message(b)) => a.id.is_some() && a.id == b.id,
        _ => false,
    }
}

/// Equal content; a resumed or forked file may name another session in its copies.
fn is_copy(a: &Line, b: &Line) -> bool {
    a.kind == b.kind && a.at == b.at && a.body == b.body
}

/// Lines of a reply that were written again, with another uuid or none: equal `message.id` and equal content.
fn mark_repeated_blocks(items: &[Item], copy: &mut [bool]) {
    // A reply has few lines; comparing with the last ones only keeps hostile input linear.
    const COMPARED: usize = 32;
    let mut lines: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, item) in items.iter().enumerate().filter(|(_, item)| item.line.kind == Kind::Assistant) {
        let Body::Message(message) = &item.line.body else { continue };
        let Some(id) = message.id.as_deref().filter(|_| !copy[i] && !message.blocks.is_empty()) else { continue };
        let earlier = lines.entry(id).or_default();
        let same = |&j: &usize| match &items[j].line.body {
            Body::Message(other) => other.blocks == message.blocks,
            _ => false,
        };
        if earlier.iter().rev().take(COMPARED).any(same) {
            copy[i] = true;
        } else {
            earlier.push(i);
        }
    }
}

fn warn_of_parents(
    items: &[Item],
    parent: &[Option<usize>],
    copy: &[bool],
    loc: &impl Fn(Place) -> Loc,
    warnings: &mut Folded,
) {
    for (i, item) in items.iter().enumerate().filter(|&(i, item)| !copy[i] && !item.unpacked) {
        if item.line.parent.is_some() && parent[i].is_none() {
            let message = "the parent stands nowhere in the session; file order counts";
            warnings.push(Diag::note(Trouble::DanglingParent, loc(item.place), message));
        }
    }
    for i in cycles(parent) {
        let message = "the line is its own ancestor; file order counts";
        warnings.push(Diag::warning(Trouble::ParentCycle, loc(items[i].place), message));
    }
}

/// Items that lie on a cycle of parents.
fn cycles(parent: &[Option<usize>]) -> Vec<usize> {
    // 0 = not seen; otherwise the walk in which it was seen.
    let mut seen = vec![0; parent.len()];
    let mut found = Vec::new();
    for start in 0..parent.len() {
        let walk = start + 1;
        let mut at = Some(start);
        while let Some(i) = at
            && seen[i] == 0
        {
            seen[i] = walk;
            at = parent[i];
        }
        if let Some(first) = at.filter(|&i| seen[i] == walk) {
            found.push(first);
            let mut next = parent[first];
            while let Some(i) = next.filter(|&i| i != first) {
                found.push(i);
                next = parent[i];
            }
        }
    }
    found.sort_unstable();
    found
}

/// File order, but an item whose parent stands later in the same file moves directly after that parent.
fn order(items: &[Item], parent: &[Option<usize>], copy: &[bool]) -> Vec<usize> {
    let mut waiting: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut order = Vec::with_capacity(items.len());
    let late = |i: usize| parent[i].filter(|&p| p > i && items[p].place.file == items[i].place.file && !copy[p]);
    for i in (0..items.len()).filter(|&i| !copy[i]) {
        if let Some(p) = late(i) {
            waiting.entry(p).or_default().push(i);
        }
    }
    let mut stack = Vec::new();
    for i in (0..items.len()).filter(|&i| !copy[i] && late(i).is_none()) {
        stack.push(i);
        while let Some(j) = stack.pop() {
            order.push(j);
            stack.extend(waiting.remove(&j).unwrap_or_default().into_iter().rev());
        }
    }
    order
}

/// Items on branches the user left. A branch is a prompt typed by the user beside another one under the same parent;
/// the branch that ends last in the file is the one that goes on.
fn abandoned(items: &[Item], parent: &[Option<usize>], order: &[usize]) -> Vec<bool> {
    let mut left = vec![false; items.len()];
    let mut prompts: HashMap<usize, Vec<usize>> = HashMap::new();
    for &i in order {
        if let Some(p) = parent[i].filter(|_| is_typed(&items[i].line)) {
            prompts.entry(p).or_default().push(i);
        }
    }
    prompts.retain(|_, typed| typed.len() > 1);
    if prompts.is_empty() {
        return left;
    }
    // Position in the order of the last descendant.
    let mut end: Vec<usize> = vec![0; items.len()];
    let mut position: Vec<usize> = vec![0; items.len()];
    for (at, &i) in order.iter().enumerate() {
        (end[i], position[i]) = (at, at);
    }
    for &i in order.iter().rev() {
        if let Some(p) = parent[i].filter(|&p| position[p] < position[i]) {
            end[p] = end[p].max(end[i]);
        }
    }
    for &i in order {
        let inherited = parent[i].is_some_and(|p| left[p] && position[p] < position[i]);
        let loses = parent[i]
            .filter(|_| is_typed(&items[i].line))
            .and_then(|p| prompts.get(&p))
            .is_some_and(|typed| typed.iter().any(|&other| end[other] > end[i]));
        left[i] = inherited || loses;
    }
    left
}

/// Whether the user typed it on the main thread: no result of a tool, nothing that the program added.
fn is_typed(line: &Line) -> bool {
    let Body::Message(message) = &line.body else { return false };
    line.kind == Kind::User
        && !line.sidechain
        && !line.meta
        && !line.compact
        && !message.blocks.iter().any(|b| matches!(b, Block::Result { .. }))
        && message.blocks.iter().any(|b| match b {
            Block::Text(text) => text::kind(text) == MessageKind::Prompt && !text.trim_start().starts_with('<'),
            Block::Picture { .. } => true,
            _ => false,
        })
}
