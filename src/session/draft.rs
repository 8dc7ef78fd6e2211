//! From what a format parser read to a numbered [`Session`].

use std::collections::BTreeMap;

use super::{CallRef, Label, Message, MsgIx, PartBody, Session, Thread, ThreadIx};
use crate::diag::{Diag, Loc, Trouble};

/// What a format parser hands over: threads with their messages in order, not yet numbered.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// Everything but threads and messages, which stay empty here.
    pub head: Session,
    /// Threads; the first is the main thread.
    pub threads: Vec<DraftThread>,
}

/// A thread before numbering.
#[derive(Debug, Clone, Default)]
pub struct DraftThread {
    /// The agent's own id of the thread.
    pub native_id: Option<String>,
    /// Description the caller gave, or the kind of subagent.
    pub title: Option<String>,
    /// What started it.
    pub start: ThreadStart,
    /// Its messages, in order.
    pub messages: Vec<Message>,
}

/// What started a thread.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ThreadStart {
    /// The user: the main thread.
    #[default]
    Main,
    /// The tool call with this id, in whatever thread it stands.
    Call(String),
    /// The tool call whose `started_thread` is this thread's native id: for formats where call ids repeat.
    NativeId,
    /// Not known.
    Unknown,
}

impl Draft {
    /// Numbers the messages and puts them in reading order.
    ///
    /// The transcript's own numbers are used when every message of the main thread carries one and they rise strictly;
    /// otherwise the main thread counts from `first_number` (1 when not given).
    pub fn finish(mut self, first_number: Option<u64>) -> Session {
        if self.threads.is_empty() {
            self.threads.push(DraftThread::default());
        }
        let numbers = self.main_numbers(first_number);
        let starts = self.starts_by_call();
        let mut out = Numbering { session: self.head, threads: self.threads, starts };
        out.session.messages = Vec::new();
        out.session.threads = vec![Thread {
            label: "main".into(),
            native_id: out.threads[0].native_id.take(),
            title: out.threads[0].title.take(),
            ..Thread::default()
        }];
        let main = std::mem::take(&mut out.threads[0].messages);
        for (message, number) in main.into_iter().zip(numbers) {
            out.place(message, Label::main(number), ThreadIx(0));
        }
        out.place_orphans();
        out.session
    }

    fn main_numbers(&mut self, first_number: Option<u64>) -> Vec<u64> {
        let main = &self.threads[0].messages;
        let own: Vec<u64> = main.iter().filter_map(|m| m.own_number).collect();
        if !own.is_empty() && own.len() == main.len() && own.is_sorted_by(|a, b| a < b) && first_number.is_none() {
            return own;
        }
        if !own.is_empty() && first_number.is_none() {
            let file = self.head.sources.first().map(|s| s.file.clone()).unwrap_or_default();
            self.head.warnings.push(Diag::warning(
                Trouble::OwnNumbersIgnored,
                Loc { file, ..Loc::default() },
                "the messages' own numbers do not rise strictly, or some have none; numbered 1, 2, 3 … instead",
            ));
        }
        let first = first_number.unwrap_or(1);
        (0..main.len() as u64).map(|i| first.saturating_add(i)).collect()
    }

    /// Threads by what names the call that started them. Of two threads that name the same call, both are kept.
    fn starts_by_call(&self) -> BTreeMap<StartKey, Vec<usize>> {
        let mut starts: BTreeMap<StartKey, Vec<usize>> = BTreeMap::new();
        for (i, thread) in self.threads.iter().enumerate().skip(1) {
            if let Some(key) = thread.start_key() {
                starts.entry(key).or_default().push(i);
            }
        }
        starts
    }
}

/// What a call is found by: its id, or the native id of the thread it started.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum StartKey {
    Call(String),
    Thread(String),
}

impl DraftThread {
    fn start_key(&self) -> Option<StartKey> {
        match &self.start {
            ThreadStart::Call(id) => Some(StartKey::Call(id.clone())),
            ThreadStart::NativeId => self.native_id.clone().map(StartKey::Thread),
            ThreadStart::Main | ThreadStart::Unknown => None,
        }
    }
}

struct Numbering {
    session: Session,
    threads: Vec<DraftThread>,
    /// Threads not yet placed, by the call that starts them.
    starts: BTreeMap<StartKey, Vec<usize>>,
}

impl Numbering {
    /// Places a message and, behind it, every message of the threads it started. A stack instead of recursion: the
    /// depth of nesting is the input's to choose.
    fn place(&mut self, message: Message, label: Label, thread: ThreadIx) {
        let mut stack = vec![(message, label, thread)];
        while let Some((mut message, label, thread)) = stack.pop() {
            let msg = MsgIx(self.session.messages.len() as u32);
            message.label = label.clone();
            message.thread = thread;
            let mut children = Vec::new();
            for (part, p) in message.parts.iter().enumerate() {
                let PartBody::Call(call) = &p.body else { continue };
                let started = call.started_thread.clone().map(StartKey::Thread);
                for key in std::iter::once(StartKey::Call(call.id.clone())).chain(started) {
                    for draft in self.starts.remove(&key).unwrap_or_default() {
                        children.push((draft, CallRef { msg, part: part as u32 }));
                    }
                }
            }
            self.session.messages.push(message);
            let mut behind = Vec::new();
            for (s, (draft, call)) in children.into_iter().enumerate() {
                let ix = self.open_thread(draft, format!("{label}.s{}", s + 1), Some(call), Some(thread));
                let messages = std::mem::take(&mut self.threads[draft].messages);
                for (n, m) in messages.into_iter().enumerate() {
                    behind.push((m, label.child(s as u32 + 1, n as u32 + 1), ix));
                }
            }
            stack.extend(behind.into_iter().rev());
        }
    }

    /// Threads whose caller is unknown, or was never reached, are numbered `0.s1`, `0.s2` … at the end.
    fn place_orphans(&mut self) {
        let mut s = 0;
        for draft in 1..self.threads.len() {
            if self.threads[draft].messages.is_empty() {
                continue;
            }
            if let Some(key) = self.threads[draft].start_key()
                && let Some(left) = self.starts.get_mut(&key)
            {
                left.retain(|&d| d != draft);
            }
            s += 1;
            let label = Label::main(0);
            let ix = self.open_thread(draft, format!("0.s{s}"), None, None);
            let messages = std::mem::take(&mut self.threads[draft].messages);
            for (n, m) in messages.into_iter().enumerate() {
                self.place(m, label.child(s, n as u32 + 1), ix);
            }
        }
    }

    fn open_thread(
        &mut self,
        draft: usize,
        label: String,
        started_by: Option<CallRef>,
        parent: Option<ThreadIx>,
    ) -> ThreadIx {
        let ix = ThreadIx(self.session.threads.len() as u32);
        let thread = &mut self.threads[draft];
        let (native_id, title) = (thread.native_id.take(), thread.title.take());
        self.session.threads.push(Thread { label, native_id, title, started_by, parent });
        ix
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::SessionBuilder;
    use super::*;

    fn labels(session: &Session) -> Vec<String> {
        session.messages.iter().map(|m| m.label.to_string()).collect()
    }

    #[test]
    fn subagents_stand_behind_the_message_that_started_them() {
        let session = SessionBuilder::new()
            .user("look into it")
            .call_id("c1", "task", serde_json::json!({}), "done")
            .assistant("both are back")
            .thread("c1", |t| t.user("inner").call_id("c2", "task", serde_json::json!({}), "ok").assistant("end"))
            .thread("c2", |t| t.user("innermost"))
            .thread_unknown(|t| t.user("lost"))
            .build();
        assert_eq!(labels(&session), ["1", "2", "2.s1.1", "2.s1.2", "2.s1.2.s1.1", "2.s1.3", "3", "0.s1.1"]);
        assert_eq!(session.threads[1].parent, Some(ThreadIx(0)));
        assert_eq!(session.threads[2].parent, Some(ThreadIx(1)));
        assert_eq!(session.threads[3].started_by, None);
    }

    #[test]
    fn own_numbers_are_used_only_when_they_rise() {
        let mut draft = SessionBuilder::new().user("a").assistant("b").draft();
        draft.threads[0].messages[0].own_number = Some(7);
        draft.threads[0].messages[1].own_number = Some(9);
        assert_eq!(labels(&draft.clone().finish(None)), ["7", "9"]);
        assert_eq!(labels(&draft.clone().finish(Some(100))), ["100", "101"]);
        draft.threads[0].messages[1].own_number = Some(7);
        let session = draft.finish(None);
        assert_eq!(labels(&session), ["1", "2"]);
        assert_eq!(session.warnings[0].kind, Trouble::OwnNumbersIgnored);
    }

    #[test]
    fn a_thread_that_started_itself_is_an_orphan_not_a_loop() {
        let session = SessionBuilder::new()
            .user("a")
            .thread("c1", |t| t.call_id("c1", "task", serde_json::json!({}), "ok"))
            .build();
        assert_eq!(labels(&session), ["1", "0.s1.1"]);
    }
}
