//! Sessions among each other: forks, and subagents under the calls that started them.

use std::collections::{BTreeMap, BTreeSet};

use super::join::{Joined, bare, move_to_file, title};
use super::message::time;
use super::str_at;
use crate::diag::Diag;
use crate::session::{Draft, DraftThread, Message, PartBody, Session, ThreadStart};

/// Marks sessions that begin with copies of another one's messages. A fork gives the copies new ids but leaves their
/// times and content.
pub(super) fn mark_forks(sessions: &mut [Joined]) {
    let mut by_start: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (i, session) in sessions.iter().enumerate() {
        if let Some(at) = session.entries.first().and_then(|e| e.message.at) {
            by_start.entry(at).or_default().push(i);
        }
    }
    for mut family in by_start.into_values().filter(|f| f.len() > 1) {
        family.sort_by_cached_key(|&i| (time(&sessions[i].info, "created"), sessions[i].id.clone()));
        for n in 1..family.len() {
            let fork = family[n];
            let shared = family[..n].iter().map(|&o| (shared_start(&sessions[o], &sessions[fork]), o));
            let Some((copies, original)) = shared.max_by_key(|&(n, o)| (n, std::cmp::Reverse(o))) else { continue };
            if copies == 0 {
                continue;
            }
            let id = sessions[original].id.clone();
            for entry in &mut sessions[fork].entries[..copies] {
                entry.message.copied_from = Some(id.clone());
            }
            sessions[fork].forked_from = Some(id);
        }
    }
    for session in sessions.iter_mut().filter(|s| s.forked_from.is_none()) {
        if title(&session.info).is_some_and(is_fork_title) {
            let text = "the title says that this is a fork; its original is not among the files, so which messages are copies is not known";
            let diag = Diag::note("fork-without-original", session.loc(), text);
            session.warnings.push(diag);
        }
    }
}

/// Whether a title ends in ` (fork #1)`.
fn is_fork_title(title: &str) -> bool {
    let number = title.rsplit_once(" (fork #").and_then(|(_, n)| n.strip_suffix(')'));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn shared_start(original: &Joined, fork: &Joined) -> usize {
    let same = |m: &Message| Message { native_id: None, abandoned: false, copied_from: None, ..bare(m) };
    let pairs = original.entries.iter().zip(&fork.entries);
    pairs.take_while(|(a, b)| a.message.at.is_some() && same(&a.message) == same(&b.message)).count()
}

/// One draft per session that no other session given has started.
pub(super) fn drafts(sessions: Vec<Joined>, format: &'static str) -> Vec<Draft> {
    let index: BTreeMap<&str, usize> = sessions.iter().enumerate().map(|(i, s)| (s.id.as_str(), i)).collect();
    let parents: Vec<Option<usize>> =
        sessions.iter().map(|s| str_at(&s.info, "parentID").and_then(|p| index.get(p).copied())).collect();
    let roots: Vec<usize> = (0..sessions.len()).map(|i| root(i, &parents)).collect();
    let mut out: Vec<Draft> = Vec::new();
    let mut draft_of: BTreeMap<usize, usize> = BTreeMap::new();
    let mut children = Vec::new();
    for (i, session) in sessions.into_iter().enumerate() {
        if roots[i] == i {
            draft_of.insert(i, out.len());
            out.push(draft(session, format));
        } else {
            children.push((roots[i], session));
        }
    }
    for (root, child) in children {
        out[draft_of[&root]].add_child(child);
    }
    for draft in &mut out {
        draft.starts();
    }
    out
}

/// The session at the top; one that is its own ancestor stands for itself.
fn root(of: usize, parents: &[Option<usize>]) -> usize {
    let mut at = of;
    for _ in 0..parents.len() {
        match parents[at] {
            Some(parent) => at = parent,
            None => return at,
        }
    }
    of
}

fn draft(session: Joined, format: &'static str) -> Draft {
    let text = |key| str_at(&session.info, key).map(Into::into);
    let head = Session {
        agent: "opencode".into(),
        title: title(&session.info).map(Into::into),
        cwd: text("directory"),
        version: text("version"),
        forked_from: session.forked_from,
        id: session.id.clone(),
        format,
        sources: session.sources,
        warnings: session.warnings,
        ..Session::default()
    };
    let main = DraftThread {
        native_id: Some(session.id),
        messages: session.entries.into_iter().map(|e| e.message).collect(),
        ..DraftThread::default()
    };
    Draft { head, threads: vec![main] }
}

impl Draft {
    fn add_child(&mut self, child: Joined) {
        let offset = self.head.sources.len() as u32;
        let mut messages: Vec<Message> = child.entries.into_iter().map(|e| e.message).collect();
        messages.iter_mut().for_each(|m| move_to_file(m, offset));
        self.head.sources.extend(child.sources);
        self.head.warnings.extend(child.warnings);
        self.threads.push(DraftThread {
            title: title(&child.info).map(Into::into),
            native_id: Some(child.id),
            start: ThreadStart::Unknown,
            messages,
        });
    }

    /// Finds the calls that started the threads.
    fn starts(&mut self) {
        let started: BTreeSet<String> = self.threads.iter().flat_map(|t| &t.messages).flat_map(started).collect();
        for thread in self.threads.iter_mut().skip(1) {
            if thread.native_id.as_ref().is_some_and(|id| started.contains(id)) {
                thread.start = ThreadStart::NativeId;
            }
        }
    }
}

fn started(message: &Message) -> Vec<String> {
    let calls = message.parts.iter().filter_map(|p| match &p.body {
        PartBody::Call(call) => call.started_thread.clone(),
        _ => None,
    });
    calls.collect()
}
