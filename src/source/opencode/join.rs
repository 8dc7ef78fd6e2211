//! Joins what several files say of one session.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::Value;

use super::background;
use super::kind::kinds_by_neighbours;
use super::message::time;
use super::{Entry, Loaded, str_at, tree};
use crate::diag::{Diag, Loc, Trouble};
use crate::session::{Draft, Message, PartBody, Place, SourceFile};

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
    for session in &mut sessions {
        crate::source::background::join(session.entries.iter_mut().map(|e| &mut e.message), background::said);
    }
    tree::drafts(sessions, format)
}

fn first_time(entries: &[Entry]) -> Option<Timestamp> {
    entries.iter().filter_map(|e| e.message.at).min()
}

/// One session from its files. Its state is that of the newest file, by the session's time of update.
fn join(mut files: Vec<Loaded>) -> Joined {
    files.sort_by_cached_key(|f| (first_time(&f.entries), f.sources.first().map(|s| s.file.clone())));
    let mut out = Joined { id: files[0].id.clone(), ..Joined::default() };
    let mut sources = SourceList::default();
    for file in &mut files {
        let moves = sources.add(std::mem::take(&mut file.sources));
        out.warnings.append(&mut file.warnings);
        for entry in &mut file.entries {
            move_files(&mut entry.message, &moves);
            entry.records.iter_mut().for_each(|f| *f = moves.get(*f as usize).copied().unwrap_or(*f));
        }
    }
    files.sort_by_key(|f| time(&f.info, "updated"));
    let newest = files.last().map(|f| ids(&f.entries)).unwrap_or_default();
    let several = files.len() > 1;
    let mut merge = Merge { sources: sources.list, ..Merge::default() };
    for (state, file) in files.into_iter().enumerate() {
        file.entries.into_iter().for_each(|entry| merge.add(entry, state));
        if file.info.is_object() {
            out.info = file.info;
        }
    }
    out.warnings.extend(merge.warnings());
    (out.entries, out.sources) = (merge.entries, merge.sources);
    order(&mut out.entries);
    kinds_by_neighbours(&mut out.entries);
    mark_undone(&mut out, &newest, several);
    out
}

/// Messages of a session, from its oldest state to its newest.
#[derive(Debug, Default)]
struct Merge {
    entries: Vec<Entry>,
    sources: Vec<SourceFile>,
    /// Where a message stands in `entries`, and the state it came with.
    seen: BTreeMap<String, (usize, usize)>,
    /// Records of each file that were replaced by a newer state.
    older: BTreeMap<u32, u64>,
    /// Places of ids that stand twice in a state with different content.
    twice: Vec<(String, Place)>,
}

impl Merge {
    fn add(&mut self, entry: Entry, state: usize) {
        let Some(id) = entry.message.native_id.clone() else {
            self.entries.push(entry);
            return;
        };
        let Some(&(at, from)) = self.seen.get(&id) else {
            self.seen.insert(id, (self.entries.len(), state));
            self.entries.push(entry);
            return;
        };
        if bare(&self.entries[at].message) == bare(&entry.message) {
            self.drop(&entry.records);
        } else if from == state {
            self.twice.push((id, entry.message.place));
            self.entries.push(entry);
        } else {
            let old = std::mem::replace(&mut self.entries[at], entry);
            self.drop(&old.records);
            old.records.iter().for_each(|f| *self.older.entry(*f).or_default() += 1);
            self.seen.insert(id, (at, state));
        }
    }

    /// Counts records as copies.
    fn drop(&mut self, records: &[u32]) {
        for file in records {
            if let Some(source) = self.sources.get_mut(*file as usize) {
                source.count_copies(1);
            }
        }
    }

    fn warnings(&self) -> Vec<Diag> {
        let file = |f: u32| self.sources.get(f as usize).map(|s| s.file.clone()).unwrap_or_default();
        let older = self.older.iter().map(|(&f, records)| {
            let text = format!("{records} records stand in a newer state in another file; that state is used");
            Diag::note(Trouble::OlderState, Loc { file: file(f), ..Loc::default() }, text)
        });
        let twice = self.twice.iter().map(|(id, place)| {
            let loc = Loc { file: file(place.file), line: place.line.into(), byte: place.byte };
            Diag::warning(
                Trouble::IdTwice,
                loc,
                format!("message {id} stands twice with different content; both are kept"),
            )
        });
        older.chain(twice).collect()
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
                let diag = Diag::note(Trouble::RevertWithoutMessage, session.loc(), text);
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

/// Files of a session. Two accounts of one file become one.
#[derive(Debug, Default)]
pub(super) struct SourceList {
    pub(super) list: Vec<SourceFile>,
    index: BTreeMap<(String, String), u32>,
}

impl SourceList {
    /// Adds accounts and gives the new position of each.
    pub(super) fn add(&mut self, new: Vec<SourceFile>) -> Vec<u32> {
        new.into_iter().map(|source| self.add_one(source)).collect()
    }

    fn add_one(&mut self, source: SourceFile) -> u32 {
        let next = self.list.len() as u32;
        let at = *self.index.entry((source.file.clone(), source.digest.clone())).or_insert(next);
        if at == next {
            self.list.push(source);
            return at;
        }
        let sum = &mut self.list[at as usize];
        sum.bytes_read += source.bytes_read;
        sum.bytes_used += source.bytes_used;
        sum.bytes_skipped += source.bytes_skipped;
        sum.records += source.records;
        sum.kept += source.kept;
        sum.copies += source.copies;
        sum.skipped += source.skipped;
        at
    }
}

/// Gives every place of a message the new position of its file.
pub(super) fn move_files(message: &mut Message, moves: &[u32]) {
    let new = |place: &mut Place| place.file = moves.get(place.file as usize).copied().unwrap_or(place.file);
    new(&mut message.place);
    for part in &mut message.parts {
        new(&mut part.place);
        if let PartBody::Call(call) = &mut part.body
            && let Some(result) = &mut call.result
        {
            new(&mut result.place);
        }
    }
}

/// A message without its places, and without its mode, which older versions do not write.
pub(super) fn bare(message: &Message) -> Message {
    let mut bare = Message { place: Default::default(), mode: None, ..message.clone() };
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::message::entry;
    use super::*;

    fn loaded(file: &str, updated: u64, messages: &[(&str, u64, &str)]) -> Loaded {
        let entries = messages.iter().map(|(id, at, text)| {
            let info = json!({"id": id, "role": "user", "time": {"created": at}});
            let place = Place { file: 0, line: *at as u32, byte: *at };
            entry(&info, vec![(json!({"type": "text", "text": text}), place)], place)
        });
        let info = json!({"id": "a", "time": {"updated": updated}});
        let mut loaded = Loaded { id: "a".into(), info, entries: entries.collect(), ..Loaded::default() };
        let records = 2 * loaded.entries.len() as u64;
        loaded.sources = vec![SourceFile { file: file.into(), records, kept: records, ..SourceFile::default() }];
        loaded
    }

    fn texts(session: &Joined) -> Vec<String> {
        session.entries.iter().map(|e| e.message.text()).collect()
    }

    fn counts(session: &Joined) -> Vec<(&str, u64, u64)> {
        session.sources.iter().map(|s| (s.file.as_str(), s.kept, s.copies)).collect()
    }

    #[test]
    fn order_is_by_time_never_by_id() {
        // After a wrap of the 48 bits, new ids sort before old ones.
        let session =
            join(vec![loaded("x", 1, &[("msg_000", 30, "new"), ("msg_fff", 10, "old"), ("msg_aaa", 10, "same")])]);
        assert_eq!(texts(&session), ["old", "same", "new"]);
    }

    #[test]
    fn a_message_without_a_time_stays_where_it_stands() {
        let mut one = loaded("x", 1, &[("a", 10, "first"), ("b", 0, "timeless"), ("c", 5, "early")]);
        one.entries[1].message.at = None;
        assert_eq!(texts(&join(vec![one])), ["early", "first", "timeless"]);
    }

    #[test]
    fn two_exports_of_one_session_are_joined() {
        let old = loaded("old", 1, &[("a", 1, "one"), ("b", 2, "half")]);
        let new = loaded("new", 2, &[("a", 1, "one"), ("b", 2, "whole"), ("c", 3, "three")]);
        let session = join(vec![new, old]);
        assert_eq!(texts(&session), ["one", "whole", "three"]);
        assert_eq!(counts(&session), [("new", 4, 2), ("old", 2, 2)]);
        assert_eq!(session.warnings[0].kind.word(), "older-state");
        let files: Vec<u32> = session.entries.iter().map(|e| e.message.place.file).collect();
        assert_eq!(files, [1, 0, 0]);
    }

    #[test]
    fn one_id_with_two_contents_in_one_file_is_named() {
        let session = join(vec![loaded("x", 1, &[("a", 1, "one"), ("a", 2, "two"), ("a", 1, "one")])]);
        assert_eq!(texts(&session), ["one", "two"]);
        assert_eq!(session.warnings.iter().map(|w| w.kind.word()).collect::<Vec<_>>(), ["id-twice"]);
        assert_eq!(counts(&session), [("x", 4, 2)]);
    }

    #[test]
    fn what_the_user_undid_is_abandoned() {
        let undone = |s: &Joined| s.entries.iter().map(|e| e.message.abandoned).collect::<Vec<_>>();
        let messages = [("a", 1, "one"), ("b", 2, "two"), ("c", 3, "three")];
        let reverted = |revert| {
            let mut one = loaded("x", 1, &messages);
            one.info["revert"] = revert;
            join(vec![one])
        };
        assert_eq!(undone(&reverted(json!({"messageID": "b"}))), [false, true, true]);
        assert_eq!(undone(&reverted(json!({"messageID": "b", "partID": "p"}))), [false, false, true]);
        let gone = reverted(json!({"messageID": "z"}));
        assert_eq!((undone(&gone), gone.warnings[0].kind.word()), (vec![false; 3], "revert-without-message"));
        // The newer export has lost the message in the middle: the user undid it and went on.
        let newer = loaded("y", 2, &[("a", 1, "one"), ("d", 4, "four")]);
        assert_eq!(undone(&join(vec![loaded("x", 1, &messages[..2]), newer])), [false, true, false]);
        // Two halves of one export: nothing was undone.
        let half = loaded("y", 2, &messages[1..]);
        assert_eq!(undone(&join(vec![loaded("x", 1, &messages[..1]), half])), [false; 3]);
    }
}
