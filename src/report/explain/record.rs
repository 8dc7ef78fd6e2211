//! What the message builds on, and what later refers to it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::{Subject, first};
use crate::link::LinkKind;
use crate::session::{CallRef, MsgIx};

#[derive(Debug, Serialize)]
struct View {
    builds_on: Vec<Reference>,
    builds_left: usize,
    referred_by: Vec<Reference>,
    referred_left: usize,
    /// Later messages of the plan that hold items of this message.
    kept_in: Vec<String>,
    files: Vec<File>,
}

/// Another message and what ties it to this one.
#[derive(Debug, Serialize)]
struct Reference {
    msg: String,
    how: Vec<String>,
}

/// A file that the message wrote or read.
#[derive(Debug, Serialize)]
struct File {
    path: String,
    writes: bool,
    written: Vec<String>,
    read: Vec<String>,
    deleted: Option<String>,
    state: &'static str,
}

const REFERENCES: usize = 12;
const FILES: usize = 8;
const TIMES: usize = 4;

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let (builds_on, builds_left) = references(subject, true);
    let (referred_by, referred_left) = references(subject, false);
    let view =
        View { builds_on, builds_left, referred_by, referred_left, kept_in: kept_in(subject), files: files(subject) };
    let nothing = view.builds_on.is_empty() && view.referred_by.is_empty() && view.files.is_empty();
    some(&view).filter(|_| !nothing || !view.kept_in.is_empty())
}

/// Messages that this one builds on (`back`), or that build on it, by links between their facts. The replies to a prompt
/// and the result of a call are told elsewhere.
fn references(subject: &Subject<'_>, back: bool) -> (Vec<Reference>, usize) {
    let mut by_msg: BTreeMap<MsgIx, BTreeSet<&str>> = BTreeMap::new();
    for l in &subject.analysis.links {
        let (this, other) = if back { (l.from_msg, l.to_msg) } else { (l.to_msg, l.from_msg) };
        let told = matches!(l.kind, LinkKind::ResultOf | LinkKind::RespondsTo);
        if this == subject.ix && other != this && !told && (other < this) == back {
            by_msg.entry(other).or_default().insert(l.kind.word());
        }
    }
    let how = |words: BTreeSet<&str>| words.into_iter().map(|w| w.replace('_', " ")).collect();
    first(by_msg.into_iter().map(|(m, words)| Reference { msg: subject.name(m), how: how(words) }), REFERENCES)
}

/// Later messages that change items which this message created or changed.
fn kept_in(subject: &Subject<'_>) -> Vec<String> {
    let plan = &subject.facts().plan;
    let mine: BTreeSet<_> =
        plan.transitions.iter().filter(|t| t.msg == subject.ix && t.is_change()).filter_map(|t| t.item).collect();
    let later = plan.transitions.iter().filter(|t| t.msg > subject.ix && t.is_change());
    let msgs: BTreeSet<MsgIx> = later.filter(|t| t.item.is_some_and(|i| mine.contains(&i))).map(|t| t.msg).collect();
    msgs.into_iter().take(REFERENCES).map(|m| subject.name(m)).collect()
}

fn files(subject: &Subject<'_>) -> Vec<File> {
    let here = |calls: &[CallRef]| calls.iter().any(|c| c.msg == subject.ix);
    let names = |calls: &[CallRef], later: bool| -> Vec<String> {
        let msgs: BTreeSet<MsgIx> =
            calls.iter().map(|c| c.msg).filter(|m| (*m > subject.ix) == later && *m != subject.ix).collect();
        msgs.into_iter().take(TIMES).map(|m| subject.name(m)).collect()
    };
    let mine = subject.facts().artefacts.iter().filter(|a| here(&a.written) || here(&a.read));
    mine.take(FILES)
        .map(|a| File {
            path: a.path.clone(),
            writes: here(&a.written),
            written: names(&a.written, here(&a.written)),
            read: names(&a.read, true),
            deleted: a.deleted.first().map(|c| c.msg).filter(|m| *m > subject.ix).map(|m| subject.name(m)),
            state: a.state(),
        })
        .collect()
}
