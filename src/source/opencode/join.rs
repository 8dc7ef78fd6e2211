//! Joins what several files say of one session.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::Value;

use super::kind::kinds_by_neighbours;
use super::message::time;
use super::{Entry, Loaded, str_at, tree};
use crate::diag::{Diag, Loc};
use crate::session::{Draft, Message, PartBody, SourceFile};

/// A session joined from all its files, in order.
#[derive(Debug, Default)]
pub(super) struct Joined {
    pub(super) id: String,
    pub(super) info: Value,
    pub(super) entries: Vec<Entry>,
    pub(super) sources: Vec<SourceFile>,
    pub(super) warnings: Vec<Diag>,
    /// Original, when this is a fork of another session given.
    pub(super) forked_from: Option<String>,
}

impl Joined {
    /// A place in the first file, for warnings about the session as a whole.
    pub(super) fn loc(&self) -> Loc {
        Loc { file: self.sources.first().map(|s| s.file.clone()).unwrap_or_default(), ..Loc::default() }
    }
}

/// Sessions of a group of files: copies dropped and counted, forks marked, subagents put under their callers.
pub(in crate::source) fn drafts(loaded: Vec<Loaded>, format: &'static str) -> Vec<Draft> {
    let mut by_id: BTreeMap<String, Vec<Loaded>> = BTreeMap::new();
    for one in loaded {
        by_id.entry(one.id.clone()).or_default().push(one);
    }
    let mut sessions: Vec<Joined> = by_id.into_values().map(join).collect();
    sessions.sort_by_cached_key(|s| (first_time(&s.entries), s.loc().file, s.id.clone()));
    tree::mark_forks(&mut sessions);
    tree::drafts(sessions, format)
}

fn first_time(entries: &[Entry]) -> Option<Timestamp> {
    entries.iter().filter_map(|e| e.message.at).min()
}

/// One session from its files: the order of states is that of the session's time of update.
fn join(mut files: Vec<Loaded>) -> Joined {
    files.sort_by_cached_key(|f| (first_time(&f.entries), f.source.file.clone()));
    let mut states: Vec<usize> = (0..files.len()).collect();
    states.sort_by_key(|&i| time(&files[i].info, "updated"));
    let mut out = Joined { id: files[0].id.clone(), ..Joined::default() };
    let newest = states.last().map(|&i| ids(&files[i].entries)).unwrap_or_default();
    let mut seen: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut counts = vec![Counts::default(); files.len()];
    for &i in &states {
        for mut entry in std::mem::take(&mut files[i].entries) {
            move_to_file(&mut entry.message, i as u32);
            let Some(id) = entry.message.native_id.clone() else {
                out.entries.push(entry);
                continue;
            };
            let Some(&(at, from)) = seen.get(&id) else {
                seen.insert(id, (out.entries.len(), i));
                out.entries.push(entry);
                continue;
            };
            if bare(&out.entries[at].message) == bare(&entry.message) {
                counts[i].copies += entry.records;
            } else if from == i {
                counts[i].twice.push((id, entry.message.place.line, entry.message.place.byte));
                out.entries.push(entry);
            } else {
                counts[from].older += out.entries[at].records;
                out.entries[at] = entry;
                seen.insert(id, (at, i));
            }
        }
        if files[i].info.is_object() {
            out.info = std::mem::take(&mut files[i].info);
        }
    }
    for (file, counts) in files.into_iter().zip(counts) {
        let mut source = file.source;
        out.warnings.extend(file.warnings);
        out.warnings.extend(counts.warnings(&source.file));
        source.kept -= counts.copies + counts.older;
        source.copies += counts.copies + counts.older;
        out.sources.push(source);
    }
    order(&mut out.entries);
    kinds_by_neighbours(&mut out.entries);
    mark_undone(&mut out, &newest, states.len() > 1);
    out
}

#[derive(Debug, Clone, Default)]
struct Counts {
    copies: u64,
    older: u64,
    /// Ids that stand twice in the file with different content, with line and byte.
    twice: Vec<(String, u32, u64)>,
}

impl Counts {
    fn warnings(&self, file: &str) -> Vec<Diag> {
        let mut out = Vec::new();
        if self.older > 0 {
            let text = format!("{} records stand in a newer state in another file; that state is used", self.older);
            out.push(Diag::note("older-state", Loc { file: file.into(), ..Loc::default() }, text));
        }
        for (id, line, byte) in &self.twice {
            let loc = Loc { file: file.into(), line: (*line).into(), byte: *byte };
            let text = format!("message {id} stands twice with different content; both are kept");
            out.push(Diag::warning("id-twice", loc, text));
        }
        out
    }
}

fn ids(entries: &[Entry]) -> BTreeSet<String> {
    entries.iter().filter_map(|e| e.message.native_id.clone()).collect()
}

/// Orders by time of creation, then by file position. Ids are never looked at: they wrap every 795 days. A message
/// without a time stays behind the one before it.
fn order(entries: &mut [Entry]) {
    let mut last = None;
    for entry in entries.iter_mut() {
        last = entry.message.at.or(last);
        entry.order = last;
    }
    entries.sort_by_key(|e| e.order);
}

/// Marks what the user undid: messages from the one that `revert` names on, and messages of an older export that the
/// newest one has lost from its middle.
fn mark_undone(session: &mut Joined, newest: &BTreeSet<String>, several: bool) {
    if let Some(id) = session.info.pointer("/revert/messageID").and_then(Value::as_str) {
        let part = session.info.pointer("/revert/partID").and_then(Value::as_str);
        let found = session.entries.iter().position(|e| e.message.native_id.as_deref() == Some(id));
        match found {
            Some(at) => {
                let from = if part.is_some() { at + 1 } else { at };
                session.entries[from..].iter_mut().for_each(|e| e.message.abandoned = true);
            }
            None => {
                let text = format!("the session was reverted to message {id}, which does not stand in the file");
                let diag = Diag::note("revert-without-message", session.loc(), text);
                session.warnings.push(diag);
            }
        }
    }
    if !several {
        return;
    }
    let known = |e: &Entry| e.message.native_id.as_ref().is_some_and(|id| newest.contains(id));
    let (first, last) = (session.entries.iter().position(known), session.entries.iter().rposition(known));
    if let (Some(first), Some(last)) = (first, last) {
        session.entries[first..=last].iter_mut().filter(|e| !known(e)).for_each(|e| e.message.abandoned = true);
    }
}

/// Moves every place of a message from file 0 to another.
pub(super) fn move_to_file(message: &mut Message, by: u32) {
    message.place.file += by;
    for part in &mut message.parts {
        part.place.file += by;
        if let PartBody::Call(call) = &mut part.body
            && let Some(result) = &mut call.result
        {
            result.place.file += by;
        }
    }
}

/// A message without its places.
pub(super) fn bare(message: &Message) -> Message {
    let mut bare = Message { place: Default::default(), ..message.clone() };
    for part in &mut bare.parts {
        part.place = Default::default();
        if let PartBody::Call(call) = &mut part.body
            && let Some(result) = &mut call.result
        {
            result.place = Default::default();
        }
    }
    bare
}

/// Title of a session's record.
pub(super) fn title(info: &Value) -> Option<&str> {
    str_at(info, "title").filter(|t| !t.is_empty())
}
