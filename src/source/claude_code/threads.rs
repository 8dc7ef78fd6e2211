//! Which thread a line belongs to, and which call started the thread: told by ids, never by time.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::order::{Item, Plan};
use super::record::{Block, Body, Kind};
use crate::session::ThreadStart;

/// What tells the lines of one thread.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Main,
    /// The id of the subagent.
    Agent(Box<str>),
    /// The id of the call that started it.
    Call(Box<str>),
    /// The first line of a side chain without an id.
    Root(usize),
}

/// A thread of the session, before its messages are made.
#[derive(Debug, Clone, Default)]
pub(super) struct Thread {
    pub(super) agent: Option<Box<str>>,
    pub(super) start: ThreadStart,
    /// Description that the caller gave.
    pub(super) title: Option<String>,
    /// Its first item.
    pub(super) first: usize,
}

/// A subagent's file: its id, and what stands beside it.
#[derive(Debug, Clone, Default)]
pub(super) struct AgentFile {
    pub(super) id: Box<str>,
    /// Call that started it, as the `.meta.json` beside the file says.
    pub(super) call: Option<Box<str>>,
}

/// The threads of a session and the thread of each item; the first is the main thread.
pub(super) struct Threads {
    pub(super) list: Vec<Thread>,
    pub(super) of: Vec<usize>,
}

/// Tells the threads apart. `files` holds the subagent's file at the position of each file that is one.
pub(super) fn threads(items: &[Item], plan: &Plan, files: &[Option<AgentFile>]) -> Threads {
    let mut by_key: HashMap<Key, usize> = HashMap::from([(Key::Main, 0)]);
    let mut list = vec![Thread::default()];
    let mut of = vec![0; items.len()];
    let mut keys: Vec<Key> = vec![Key::Main; items.len()];
    for &i in &plan.order {
        let key = key(items, plan, files, &keys, i);
        let thread = *by_key.entry(key.clone()).or_insert_with(|| {
            let agent = if let Key::Agent(id) = &key { Some(id.clone()) } else { None };
            list.push(Thread { agent, start: ThreadStart::Unknown, first: i, ..Thread::default() });
            list.len() - 1
        });
        of[i] = thread;
        keys[i] = key;
    }
    let mut threads = Threads { list, of };
    threads.promote();
    threads.join(items, plan, files);
    threads
}

fn key(items: &[Item], plan: &Plan, files: &[Option<AgentFile>], keys: &[Key], i: usize) -> Key {
    let line = &items[i].line;
    if let Some(file) = &files[items[i].place.file as usize] {
        return Key::Agent(line.agent.clone().unwrap_or_else(|| file.id.clone()));
    }
    if line.sidechain {
        if let Some(agent) = &line.agent {
            return Key::Agent(agent.clone());
        }
        return match plan.parent[i].filter(|&p| p != i).map(|p| &keys[p]) {
            Some(key) if *key != Key::Main => key.clone(),
            _ => Key::Root(i),
        };
    }
    match &line.caller {
        Some(call) if matches!(line.kind, Kind::User | Kind::Assistant) => Key::Call(call.clone()),
        _ => Key::Main,
    }
}

impl Threads {
    /// When only a subagent's lines are there, its thread is the main one.
    fn promote(&mut self) {
        if self.list.len() == 2 && !self.of.contains(&0) {
            self.list.remove(0);
            self.list[0].start = ThreadStart::Main;
            self.of.fill(0);
        }
    }

    /// Finds the call that started each thread: named beside the file or in its lines, else by the agent's id in a
    /// result, else by an equal prompt that only one call has.
    fn join(&mut self, items: &[Item], plan: &Plan, files: &[Option<AgentFile>]) {
        let calls = Calls::of(items, plan);
        let mut taken: HashSet<Box<str>> = HashSet::new();
        let named = self.named(items, plan, files);
        for (t, thread) in self.list.iter_mut().enumerate().skip(1) {
            let by_agent = || calls.by_agent.get(thread.agent.as_deref()?).cloned();
            if let Some(call) = named.get(&t).cloned().or_else(by_agent) {
                taken.insert(call.clone());
                thread.start = ThreadStart::Call(call.into());
            }
        }
        let prompts = self.prompts(items, plan);
        for (thread, prompt) in self.list.iter_mut().zip(prompts).skip(1) {
            if thread.start == ThreadStart::Unknown
                && let Some(prompt) = prompt
                && let Some(list) = calls.by_prompt.get(prompt)
            {
                let free: Vec<_> = list.iter().filter(|c| !taken.contains(*c)).collect();
                if let [only] = free[..] {
                    taken.insert(only.clone());
                    thread.start = ThreadStart::Call(only.to_string());
                }
            }
        }
        for thread in &mut self.list {
            if let ThreadStart::Call(call) = &thread.start {
                thread.title = calls.titles.get(call.as_str()).map(|t| t.to_string());
            }
        }
    }

    /// Calls that the lines of a thread, or the file beside them, name as its start.
    fn named(&self, items: &[Item], plan: &Plan, files: &[Option<AgentFile>]) -> HashMap<usize, Box<str>> {
        let mut named: HashMap<usize, Box<str>> = HashMap::new();
        for &i in &plan.order {
            let thread = self.of[i];
            if thread == 0 || named.contains_key(&thread) {
                continue;
            }
            let beside = files[items[i].place.file as usize].as_ref().and_then(|f| f.call.clone());
            // In a subagent's own file, `parentToolUseID` of a progress line names a call inside the thread.
            let said = || items[i].line.caller.clone().filter(|_| items[i].line.kind != Kind::Progress);
            if let Some(call) = beside.or_else(said) {
                named.insert(thread, call);
            }
        }
        named
    }

    /// The task of each thread: its first text in the user's place.
    fn prompts<'a>(&self, items: &'a [Item], plan: &Plan) -> Vec<Option<&'a str>> {
        let mut prompts = vec![None; self.list.len()];
        for &i in plan.order.iter().filter(|&&i| items[i].line.kind == Kind::User) {
            let Body::Message(message) = &items[i].line.body else { continue };
            let mut texts = message.blocks.iter();
            let text = texts.find_map(|b| if let Block::Text(text) = b { Some(text.trim()) } else { None });
            prompts[self.of[i]] = prompts[self.of[i]].or(text);
        }
        prompts
    }
}

/// The calls of a session that can start a subagent.
#[derive(Default)]
struct Calls<'a> {
    by_agent: HashMap<&'a str, Box<str>>,
    by_prompt: BTreeMap<&'a str, Vec<Box<str>>>,
    titles: HashMap<&'a str, &'a str>,
}

impl<'a> Calls<'a> {
    fn of(items: &'a [Item], plan: &Plan) -> Self {
        let mut calls = Self::default();
        for &i in &plan.order {
            let Body::Message(message) = &items[i].line.body else { continue };
            for block in &message.blocks {
                match block {
                    Block::Call { id: Some(id), input, .. } => {
                        let field = |name| input.get(name).and_then(serde_json::Value::as_str);
                        if let Some(prompt) = field("prompt") {
                            calls.by_prompt.entry(prompt.trim()).or_default().push(id.clone());
                            calls.titles.extend(field("description").map(|d| (&**id, d)));
                        }
                    }
                    Block::Result { id: Some(id), .. } => {
                        if let Some(agent) = message.data.get("agentId").and_then(serde_json::Value::as_str) {
                            calls.by_agent.entry(agent).or_insert_with(|| id.clone());
                        }
                    }
                    _ => {}
                }
            }
        }
        calls
    }
}
