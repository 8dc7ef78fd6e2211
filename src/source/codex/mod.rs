//! Codex CLI: the rollout files under `~/.codex/sessions`, of every age.
//!
//! Lines wrap items of the conversation and events of the program, which say much twice: the items count. [`wire`] says
//! how lines are written, [`record`] what is kept of them, [`assemble`] makes the messages.

mod assemble;
mod background;
mod fork;
mod output;
mod record;
mod repeated;
mod script;
#[cfg(test)]
mod tests;
mod texts;
mod wire;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::loose::Str;
use super::{Format, Head, Input, lines, peek};
use crate::diag::{Diag, Folded, Loc, Trouble};
use crate::error::Error;
use crate::session::{Draft, DraftThread, PartBody, Place, Session, ThreadStart};

use assemble::{Assembly, Item};
use record::{Body, Line, Meta};

/// Rollout files.
pub(super) const FORMAT: Format = Format {
    id: "codex",
    agent: "codex",
    about: "Codex CLI rollouts, `~/.codex/sessions/*/*/*/rollout-*.jsonl`, old and new",
    lines: true,
    sniff,
    keys,
    companions: |_| Vec::new(),
    load,
};

/// What a line shows of itself in the head.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Peek<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    #[serde(borrow)]
    record_type: Str<'a>,
    #[serde(borrow)]
    id: Str<'a>,
    #[serde(borrow)]
    timestamp: Str<'a>,
    #[serde(borrow)]
    instructions: Option<&'a RawValue>,
    #[serde(borrow)]
    git: Option<&'a RawValue>,
    #[serde(borrow)]
    session: Option<&'a RawValue>,
    #[serde(borrow)]
    items: Option<&'a RawValue>,
}

const ENVELOPES: &[&str] = &["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"];

fn sniff(head: &Head<'_>) -> u8 {
    let lines = peek::objects::<Peek<'_>>(head, 20);
    let envelope = |l: &Peek<'_>| l.payload.is_some() && l.kind.str().is_some_and(|k| ENVELOPES.contains(&k));
    let old = |l: &Peek<'_>| {
        let first = l.kind.str().is_none() && l.id.str().is_some() && l.timestamp.str().is_some();
        (first && (l.instructions.is_some() || l.git.is_some())) || l.record_type.str() == Some("state")
    };
    let oldest = |l: &Peek<'_>| l.session.is_some() && l.items.is_some();
    // The first line holds the instructions and may be longer than the head.
    let cut = || memchr::memmem::find(head.bytes, b"\"type\":\"session_meta\",\"payload\":").is_some();
    match lines.iter().any(|l| envelope(l) || old(l) || oldest(l)) || (!head.whole && cut()) {
        true => 90,
        false => 0,
    }
}

/// Ids of the session, of its origin and of the agent that started it.
fn keys(head: &Head<'_>) -> Vec<String> {
    let mut keys = Vec::new();
    for line in peek::objects::<&RawValue>(head, 20) {
        let Ok(line) = record::parse(line.get()) else { continue };
        for body in line.bodies {
            let Body::Meta(meta) = body else { continue };
            let ids = [meta.id.map(Into::into), meta.parent.map(Into::into), meta.forked_from];
            keys.extend(ids.into_iter().flatten().map(|id: String| format!("session:{id}")));
        }
    }
    keys
}

/// A file of the group.
struct File {
    lines: lines::Lines<Line>,
    meta: Meta,
    id: String,
}

fn read(input: &Input) -> Result<File, Error> {
    let lines = lines::read(input, "codex", record::parse)?;
    let metas = lines.records.iter().flat_map(|r| &r.value.bodies);
    let mut metas = metas.filter_map(|b| if let Body::Meta(meta) = b { Some(meta) } else { None });
    // A fork or a resumed session repeats the first lines of its origin: the first one is this session.
    let mut meta = metas.next().map(|m| (**m).clone()).unwrap_or_default();
    let other = metas.find(|m| m.id.is_some() && m.id != meta.id).and_then(|m| m.id.clone());
    meta.forked_from = meta.forked_from.or_else(|| other.filter(|o| Some(o) != meta.parent.as_ref()).map(Into::into));
    let id = meta.id.clone().map_or_else(|| input.name.clone(), Into::into);
    Ok(File { lines, meta, id })
}

fn load(inputs: &[Input]) -> Result<Vec<Draft>, Error> {
    let files: Vec<File> = inputs.par_iter().map(read).collect::<Result<_, _>>()?;
    let parents: BTreeMap<String, Option<String>> =
        files.iter().map(|f| (f.id.clone(), f.meta.parent.clone().map(Into::into))).collect();
    let (roots, rings) = roots(&parents);
    let mut sessions: BTreeMap<String, Vec<File>> = BTreeMap::new();
    for file in files {
        let root = roots.get(&file.id).cloned().unwrap_or_else(|| file.id.clone());
        sessions.entry(root).or_default().push(file);
    }
    let of_ring = |id: &String, files: &[File]| {
        let loc =
            Loc { file: files.first().map(|f| f.lines.source.file.clone()).unwrap_or_default(), ..Loc::default() };
        let text = "agents that are said to have started each other; told as one session by the first of their ids";
        rings.contains(id).then(|| Diag::warning(Trouble::ParentCycle, loc, text))
    };
    let made = sessions.into_iter().map(|(id, files)| {
        let ring = of_ring(&id, &files);
        let mut draft = draft(id, files);
        draft.head.warnings.extend(ring);
        draft
    });
    let mut drafts: Vec<Draft> = made.collect();
    fork::mark(&mut drafts);
    Ok(drafts)
}

/// For each session the one at the top of the chain of agents that started each other, as far as their files are there;
/// of a ring the first by id. And those that stand for a ring.
fn roots(parents: &BTreeMap<String, Option<String>>) -> (BTreeMap<String, String>, BTreeSet<String>) {
    let (mut roots, mut rings) = (BTreeMap::<String, String>::new(), BTreeSet::new());
    for id in parents.keys() {
        let (mut path, mut on_path) = (Vec::new(), BTreeSet::new());
        let mut at = id;
        let root = loop {
            if let Some(root) = roots.get(at) {
                break root.clone();
            }
            if !on_path.insert(at) {
                let ring = path.iter().copied().skip_while(|known| *known != at);
                let first = ring.min().unwrap_or(at).clone();
                rings.insert(first.clone());
                break first;
            }
            path.push(at);
            match parents.get(at) {
                Some(Some(parent)) if parents.contains_key(parent) => at = parent,
                _ => break at.clone(),
            }
        };
        roots.extend(path.into_iter().map(|id| (id.clone(), root.clone())));
    }
    (roots, rings)
}

/// Makes one session of its files: its own, and those of the agents that it started.
fn draft(id: String, mut files: Vec<File>) -> Draft {
    files.sort_by(|a, b| {
        let key = |f: &File| (f.id != id, f.lines.records.iter().find_map(|r| r.value.at));
        key(a).cmp(&key(b)).then_with(|| a.lines.source.file.cmp(&b.lines.source.file))
    });
    let mut head = Session { agent: "codex".into(), format: "codex", ..Session::default() };
    let mut order: Vec<(String, Vec<Item>)> = Vec::new();
    for (f, file) in files.into_iter().enumerate() {
        if f == 0 {
            (head.cwd, head.version) = (file.meta.cwd, file.meta.version);
            head.forked_from = file.meta.forked_from;
        }
        let mut source = file.lines.source;
        head.warnings.extend(file.lines.warnings);
        let same = head.sources.iter().any(|s| s.digest == source.digest);
        if same {
            let loc = Loc { file: source.file.clone(), line: 0, byte: 0 };
            head.warnings.push(Diag::note(
                Trouble::DuplicateFile,
                loc,
                "the same bytes as a file before it; counted once",
            ));
            source.count_copies(u64::MAX);
        }
        head.sources.push(source);
        let records = file.lines.records.into_iter().filter(|_| !same);
        let items =
            records.map(|r| Item { place: Place { file: f as u32, line: r.line, byte: r.byte }, line: r.value });
        match order.iter_mut().find(|(id, _)| *id == file.id) {
            Some((_, list)) => list.extend(items),
            None => order.push((file.id, items.collect())),
        }
    }
    head.id = id;
    let names: Vec<String> = head.sources.iter().map(|s| s.file.clone()).collect();
    let loc = |p: Place| Loc { file: names[p.file as usize].clone(), line: u64::from(p.line), byte: p.byte };
    let mut warnings = Folded::default();
    let mut threads: Vec<DraftThread> = Vec::new();
    for (id, items) in order {
        let messages = Assembly::run(items, &loc, &mut warnings);
        threads.push(DraftThread { native_id: Some(id), messages, ..DraftThread::default() });
    }
    join(&mut threads, &loc, &mut warnings);
    head.warnings.extend(warnings.finish());
    Draft { head, threads }
}

/// Joins each agent's thread to the call that names it.
fn join(threads: &mut [DraftThread], loc: &impl Fn(Place) -> Loc, warnings: &mut Folded) {
    let mut starts: BTreeMap<String, String> = BTreeMap::new();
    for part in threads.iter().flat_map(|t| &t.messages).flat_map(|m| &m.parts) {
        let PartBody::Call(call) = &part.body else { continue };
        if let Some(started) = &call.started_thread {
            starts.entry(started.clone()).or_insert_with(|| call.id.clone());
        }
    }
    for thread in threads.iter_mut().skip(1) {
        let call = thread.native_id.as_ref().and_then(|id| starts.get(id));
        thread.start = call.map_or(ThreadStart::Unknown, |id| ThreadStart::Call(id.clone()));
        if let (ThreadStart::Unknown, Some(first)) = (&thread.start, thread.messages.first()) {
            let message = "an agent whose caller is not known; numbered from 0.s1";
            warnings.push(Diag::warning(Trouble::StraySubagent, loc(first.place), message));
        }
    }
}
