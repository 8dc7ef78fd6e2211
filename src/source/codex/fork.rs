//! Copies at the start of a fork, and of an agent that was started with its caller's history.

use std::collections::{HashMap, HashSet};

use crate::diag::{Diag, Loc, Trouble};
use crate::session::{Draft, Message, MessageKind, Part, PartBody};

/// Marks the messages that sessions copied from the sessions that they are forks of.
pub(super) fn mark(drafts: &mut [Draft]) {
    let index: HashMap<String, usize> = drafts.iter().enumerate().map(|(i, d)| (d.head.id.clone(), i)).collect();
    let ring_starts = ring_starts(drafts, &index);
    for i in 0..drafts.len() {
        let Some(origin) = drafts[i].head.forked_from.clone() else { continue };
        let at = index.get(&origin).copied().filter(|&at| at != i);
        if ring_starts.contains(&i) {
            let head = &mut drafts[i].head;
            let file = head.sources.first().map(|s| s.file.clone()).unwrap_or_default();
            let text =
                "sessions that are said to be forks of each other; the one that begins first counts as the original";
            head.warnings.push(Diag::warning(Trouble::ParentCycle, Loc { file, line: 0, byte: 0 }, text));
            continue;
        }
        let Some([fork, origin_draft]) = at.and_then(|at| drafts.get_disjoint_mut([i, at]).ok()) else {
            let head = &mut drafts[i].head;
            let text =
                format!("a fork of {origin}, which is not among the files; which messages are copies is not known");
            let file = head.sources.first().map(|s| s.file.clone()).unwrap_or_default();
            head.warnings.push(Diag::note(Trouble::ForkWithoutOriginal, Loc { file, line: 0, byte: 0 }, text));
            continue;
        };
        if let (Some(copies), Some(own)) = (fork.threads.first_mut(), origin_draft.threads.first()) {
            mark_copies(&mut copies.messages, &own.messages, &origin);
        }
    }
    for draft in drafts {
        let Some((main, agents)) = draft.threads.split_first_mut() else { continue };
        for agent in agents {
            mark_copies(&mut agent.messages, &main.messages, &draft.head.id);
        }
    }
}

/// Of each ring of forks the session that begins first, of equal ones the first by id.
fn ring_starts(drafts: &[Draft], index: &HashMap<String, usize>) -> HashSet<usize> {
    let origin = |i: usize| drafts[i].head.forked_from.as_ref().and_then(|id| index.get(id)).copied();
    let first_at = |i: &usize| {
        let times = drafts[*i].threads.iter().flat_map(|t| &t.messages).filter_map(|m| m.at);
        (times.min(), drafts[*i].head.id.clone())
    };
    let (mut starts, mut done) = (HashSet::new(), HashSet::new());
    for i in 0..drafts.len() {
        let mut path: Vec<usize> = Vec::new();
        let mut at = Some(i);
        while let Some(here) = at.filter(|here| done.insert(*here)) {
            path.push(here);
            at = origin(here);
        }
        let ring: Vec<usize> = path.into_iter().skip_while(|here| Some(*here) != at).collect();
        starts.extend(ring.iter().min_by_key(|i| first_at(i)).filter(|_| ring.len() > 1));
    }
    starts
}

/// Marks the leading messages that say the same. Context that the program adds to every session is no proof of a copy.
fn mark_copies(messages: &mut [Message], origin: &[Message], id: &str) {
    let shared = messages.iter().zip(origin).take_while(|(a, b)| same(a, b)).count();
    let copies = &mut messages[..shared];
    if copies.iter().any(|m| matches!(m.kind, MessageKind::Prompt | MessageKind::Reply)) {
        copies.iter_mut().for_each(|m| m.copied_from = Some(id.to_owned()));
    }
}

fn same(a: &Message, b: &Message) -> bool {
    let parts = a.parts.len() == b.parts.len() && a.parts.iter().zip(&b.parts).all(|(a, b)| same_part(a, b));
    parts && (a.role, a.kind) == (b.role, b.kind)
}

/// Equal but for times and places; ids of calls stay in a copy.
fn same_part(a: &Part, b: &Part) -> bool {
    match (&a.body, &b.body) {
        (PartBody::Call(a), PartBody::Call(b)) => {
            let result = |c: &crate::session::ToolCall| c.result.as_ref().map(|r| (r.text.clone(), r.status));
            (&a.id, &a.tool, &a.input) == (&b.id, &b.tool, &b.input) && result(a) == result(b)
        }
        (PartBody::Unknown { kind: a, .. }, PartBody::Unknown { kind: b, .. }) => a == b,
        (a, b) => a == b,
    }
}
