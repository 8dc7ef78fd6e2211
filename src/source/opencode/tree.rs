//! Sessions among each other: forks, and subagents under the calls that started them.

use std::collections::BTreeMap;

use super::join::{Joined, SourceList, bare, move_files, title};
use super::message::time;
use super::str_at;
use crate::diag::{Diag, Trouble};
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
        session.forked_from = str_at(&session.info, "forkedFrom").map(Into::into);
        if session.forked_from.is_some() {
            continue;
        }
        if title(&session.info).is_some_and(is_fork_title) {
            let text = "the title says that this is a fork; its original is not among the files, so which messages are copies is not known";
            let diag = Diag::note(Trouble::ForkWithoutOriginal, session.loc(), text);
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
    let mut out: Vec<Tree> = Vec::new();
    let mut draft_of: BTreeMap<usize, usize> = BTreeMap::new();
    let mut children = Vec::new();
    for (i, session) in sessions.into_iter().enumerate() {
        if roots[i] == i {
            draft_of.insert(i, out.len());
            out.push(Tree::new(session, format));
        } else {
            children.push((roots[i], session));
        }
    }
    for (root, child) in children {
        out[draft_of[&root]].add_child(child);
    }
    out.into_iter().map(Tree::finish).collect()
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

/// A session with the subagents that are found to belong to it.
struct Tree {
    draft: Draft,
    sources: SourceList,
}

impl Tree {
    fn new(session: Joined, format: &'static str) -> Self {
        let text = |key| str_at(&session.info, key).map(Into::into);
        let head = Session {
            agent: "opencode".into(),
            title: title(&session.info).map(Into::into),
            cwd: text("directory"),
            version: text("version"),
            forked_from: session.forked_from,
            id: session.id.clone(),
            format,
            warnings: session.warnings,
            ..Session::default()
        };
        let mut sources = SourceList::default();
        sources.add(session.sources);
        let main = DraftThread {
            native_id: Some(session.id),
            messages: session.entries.into_iter().map(|e| e.message).collect(),
            ..DraftThread::default()
        };
        Self { draft: Draft { head, threads: vec![main] }, sources }
    }

    fn add_child(&mut self, child: Joined) {
        let moves = self.sources.add(child.sources);
        let mut messages: Vec<Message> = child.entries.into_iter().map(|e| e.message).collect();
        messages.iter_mut().for_each(|m| move_files(m, &moves));
        self.draft.head.warnings.extend(child.warnings);
        self.draft.threads.push(DraftThread {
            title: title(&child.info).map(Into::into),
            native_id: Some(child.id),
            start: ThreadStart::Unknown,
            messages,
        });
    }

    fn finish(mut self) -> Draft {
        self.starts();
        self.draft.head.sources = self.sources.list;
        self.draft
    }

    /// Finds the calls that started the threads. What a call on an abandoned branch started is abandoned with it.
    fn starts(&mut self) {
        let mut started: BTreeMap<String, (usize, bool)> = BTreeMap::new();
        for (t, thread) in self.draft.threads.iter().enumerate() {
            for (message, id) in thread.messages.iter().flat_map(|m| started_by(m).map(move |id| (m, id))) {
                started.entry(id.to_owned()).or_insert((t, message.abandoned));
            }
        }
        let callers: Vec<Option<(usize, bool)>> = self
            .draft
            .threads
            .iter()
            .enumerate()
            .map(|(t, thread)| {
                let caller = thread.native_id.as_ref().and_then(|id| started.get(id)).copied();
                caller.filter(|&(by, _)| t > 0 && by != t)
            })
            .collect();
        for (t, thread) in self.draft.threads.iter_mut().enumerate().filter(|&(t, _)| callers[t].is_some()) {
            thread.start = ThreadStart::NativeId;
            if abandoned(t, &callers) {
                thread.messages.iter_mut().for_each(|m| m.abandoned = true);
            }
        }
    }
}

/// Whether a thread, or one above it, was started by an abandoned message.
fn abandoned(thread: usize, callers: &[Option<(usize, bool)>]) -> bool {
    let up = std::iter::successors(callers[thread], |&(by, _)| callers[by]);
    up.take(callers.len()).any(|(_, abandoned)| abandoned)
}

/// Sessions that a message's calls started.
fn started_by(message: &Message) -> impl Iterator<Item = &str> {
    message.parts.iter().filter_map(|p| match &p.body {
        PartBody::Call(call) => call.started_thread.as_deref(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{Loaded, drafts, message::entry};
    use super::*;
    use crate::session::{Place, SourceFile};

    fn loaded(id: &str, info: Value, messages: &[(&str, u64, Value)]) -> Loaded {
        let entries = messages.iter().map(|(role, at, part)| {
            let info = json!({"id": format!("{id}{at}"), "role": role, "time": {"created": at}});
            entry(&info, vec![(part.clone(), Place::default())], Place::default())
        });
        let mut loaded = Loaded { id: id.into(), info, entries: entries.collect(), ..Loaded::default() };
        loaded.sources = vec![SourceFile { file: format!("{id}.json"), ..SourceFile::default() }];
        loaded
    }

    fn text(text: &str) -> Value {
        json!({"type": "text", "text": text})
    }

    fn task(call: &str, child: &str) -> Value {
        let state = json!({"status": "completed", "output": "ok", "metadata": {"sessionId": child}});
        json!({"type": "tool", "tool": "task", "callID": call, "state": state})
    }

    fn labels(session: &Session) -> Vec<String> {
        session.messages.iter().map(|m| m.label.to_string()).collect()
    }

    fn sessions(loaded: Vec<Loaded>) -> Vec<Session> {
        drafts(loaded, "opencode-export").into_iter().map(|d| d.finish(None)).collect()
    }

    #[test]
    fn a_subagent_stands_behind_its_call_even_when_call_ids_repeat() {
        let root = loaded("a", json!({}), &[("user", 1, text("go")), ("assistant", 2, task("c0", "b"))]);
        let child = loaded("b", json!({"parentID": "a", "title": "look"}), &[("assistant", 3, task("c0", "c"))]);
        let inner = loaded("c", json!({"parentID": "b"}), &[("user", 4, text("inner"))]);
        let lost = loaded("d", json!({"parentID": "a"}), &[("user", 5, text("no call names me"))]);
        let all = sessions(vec![lost, inner, child, root]);
        assert_eq!(labels(&all[0]), ["1", "2", "2.s1.1", "2.s1.1.s1.1", "0.s1.1"]);
        assert_eq!(all[0].threads[1].title.as_deref(), Some("look"));
        let files: Vec<&str> =
            all[0].messages.iter().map(|m| all[0].sources[m.place.file as usize].file.as_str()).collect();
        assert_eq!(files, ["a.json", "a.json", "b.json", "c.json", "d.json"]);
    }

    #[test]
    fn a_subagent_without_its_parent_is_a_session() {
        let child = loaded("b", json!({"parentID": "a"}), &[("user", 3, text("inner"))]);
        assert_eq!(sessions(vec![child])[0].id, "b");
        let ring =
            [("a", "b"), ("b", "a")].map(|(id, up)| loaded(id, json!({"parentID": up}), &[("user", 1, text(id))]));
        assert_eq!(sessions(ring.into()).len(), 2);
    }

    #[test]
    fn what_an_undone_call_started_is_undone() {
        let info = json!({"revert": {"messageID": "a2"}});
        let root = loaded("a", info, &[("user", 1, text("go")), ("assistant", 2, task("c0", "b"))]);
        let child = loaded("b", json!({"parentID": "a"}), &[("assistant", 3, task("c1", "c"))]);
        let inner = loaded("c", json!({"parentID": "b"}), &[("user", 4, text("inner"))]);
        let undone: Vec<bool> = sessions(vec![root, child, inner])[0].messages.iter().map(|m| m.abandoned).collect();
        assert_eq!(undone, [false, true, true, true]);
    }

    #[test]
    fn a_fork_is_a_session_whose_copies_are_marked() {
        let info = |title: &str, at: u64| json!({"title": title, "time": {"created": at}});
        let start = [("user", 1, text("go")), ("assistant", 2, text("done"))];
        let mut more = start.to_vec();
        more.push(("user", 9, text("another way")));
        let all = sessions(vec![loaded("f", info("t (fork #1)", 8), &more), loaded("a", info("t", 1), &start)]);
        let fork = all.iter().find(|s| s.id == "f").unwrap();
        assert_eq!(fork.forked_from.as_deref(), Some("a"));
        let copied: Vec<_> = fork.messages.iter().map(|m| m.copied_from.as_deref()).collect();
        assert_eq!(copied, [Some("a"), Some("a"), None]);
        assert!(fork.warnings.is_empty());
        let alone = sessions(vec![loaded("f", info("t (fork #1)", 8), &more)]);
        assert_eq!(
            (alone[0].forked_from.as_deref(), alone[0].warnings[0].kind.word()),
            (None, "fork-without-original")
        );
        assert!(!is_fork_title("fork #1") && !is_fork_title("t (fork #x)"));
    }
}
