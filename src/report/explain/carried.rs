//! What a compaction summary carries over: open items whose words it holds, and facts that it tells again.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::before::{Item, open_items};
use super::some;
use super::subject::{Subject, first};
use crate::extract::prose::content_words;
use crate::link::{FactId, LinkKind};
use crate::session::{MessageKind, MsgIx};

#[derive(Debug, Serialize)]
struct View {
    held: Vec<Item>,
    lost: Vec<Item>,
    again: Vec<Again>,
}

/// Facts of one kind that are told again, and the messages that told them first.
#[derive(Debug, Serialize)]
struct Again {
    what: &'static str,
    count: usize,
    msgs: Vec<String>,
}

/// Share of an item's words, in per cent, from which a summary is taken to hold them.
const ENOUGH: usize = 60;
const MSGS: usize = 6;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    if subject.message().kind != MessageKind::CompactionSummary {
        return None;
    }
    let words = content_words(&subject.message().text());
    let holds = |item: &Item| {
        let own = content_words(&item.text);
        let shared = own.iter().filter(|w| words.binary_search(w).is_ok()).count();
        shared * 100 >= own.len() * ENOUGH
    };
    let (held, lost): (Vec<Item>, Vec<Item>) = open_items(subject).into_iter().partition(holds);
    let view = View { held, lost, again: again(subject) };
    let nothing = view.held.is_empty() && view.lost.is_empty() && view.again.is_empty();
    some(&view).filter(|_| !nothing)
}

fn again(subject: &Subject<'_>) -> Vec<Again> {
    let links = subject.analysis.links.iter().filter(|l| l.from_msg == subject.ix && l.kind == LinkKind::Restates);
    let mut by_kind: BTreeMap<&'static str, (BTreeSet<FactId>, BTreeSet<MsgIx>)> = BTreeMap::new();
    for l in links {
        let what = match l.from {
            FactId::Finding(_) => "finding",
            FactId::Measurement(_) => "figure",
            FactId::Table(_) => "table",
            _ => continue,
        };
        let row = by_kind.entry(what).or_default();
        row.0.insert(l.from);
        row.1.insert(l.to_msg);
    }
    let row = |(what, (facts, msgs)): (&'static str, (BTreeSet<FactId>, BTreeSet<MsgIx>))| {
        let msgs = first(msgs.into_iter().map(|m| subject.name(m)), MSGS).0;
        Again { what, count: facts.len(), msgs }
    };
    by_kind.into_iter().map(row).collect()
}
