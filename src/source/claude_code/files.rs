//! Which files make up a session: its own, those of its subagents, those of the sessions it shares lines with.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rayon::prelude::*;
use serde_json::Value;

use super::assemble::Assembly;
use super::order::{self, Item};
use super::record::{self, Block, Body, Kind, Line};
use super::threads::{self, AgentFile};
use super::totals;
use crate::diag::{Diag, Folded, Loc, Trouble};
use crate::error::Error;
use crate::session::{Draft, Message, Place, Session, SourceFile, ThreadStart, Usage};
use crate::source::input::Input;
use crate::source::lines::{self, Lines, Record};
use crate::source::{recognise, regular};

/// The id in the name of a subagent's file.
pub(super) fn agent_id(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix("agent-")?.split('.').next()
}

/// The session file that a subagent's file belongs to by its place: `S.jsonl` for `S/subagents/agent-X.jsonl`, or the
/// only session file of `S`.
pub(super) fn parent_session(path: &Path) -> Option<PathBuf> {
    agent_id(path)?;
    let folder = path.ancestors().skip(1).find(|a| a.file_name() == Some(OsStr::new("subagents")))?.parent()?;
    let own = folder.with_extension("jsonl");
    if own.is_file() {
        return Some(own);
    }
    let mut sessions = list(folder).into_iter().filter(|p| is_jsonl(p) && agent_id(p).is_none());
    let only = sessions.next()?;
    sessions.next().is_none().then_some(only)
}

/// Files of subagents near a session file.
pub(super) fn companions(path: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut folders = vec![path.with_extension("").join("subagents")];
    folders.extend(path.parent().map(|p| p.join("subagents")));
    for depth in 0..4 {
        let found: Vec<PathBuf> = folders.iter().flat_map(|f| list(f)).collect();
        let files = found.iter().filter(|p| is_named_jsonl(p) && parent_session(p).as_deref() == Some(path));
        out.extend(files.cloned());
        folders = if depth < 3 { found.into_iter().filter(|p| p.is_dir()).collect() } else { Vec::new() };
    }
    out.extend(beside(path));
    out.sort();
    out.dedup();
    out
}

/// Older versions write the subagents' files beside the session's; they carry its id.
fn beside(path: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(stem)) = (path.parent(), path.file_stem().and_then(OsStr::to_str)) else {
        return Vec::new();
    };
    let id = format!("\"sessionId\":\"{stem}\"");
    let agents = list(folder).into_iter().filter(|p| is_named_jsonl(p) && agent_id(p).is_some());
    agents
        .filter(|p| {
            if !regular::is_regular(p) {
                return true;
            }
            let head = recognise(&Input::file("", p));
            head.is_ok_and(|head| memchr::memmem::find(&head.bytes, id.as_bytes()).is_some())
        })
        .collect()
}

fn is_jsonl(path: &Path) -> bool {
    is_named_jsonl(path) && regular::is_regular(path)
}

/// Whether a path has the name of a transcript; what is no file there is told, not opened.
fn is_named_jsonl(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("jsonl")) && !path.is_dir()
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    paths
}

/// A file of the group.
struct File {
    lines: Lines<Line>,
    agent: Option<AgentFile>,
    session: String,
    first_at: Option<Timestamp>,
}

/// Parses a group of files into sessions, the earliest first.
pub(super) fn load(inputs: &[Input], format: &'static str, stream: bool) -> Result<Vec<Draft>, Error> {
    let read: Vec<File> = inputs.par_iter().map(|input| read(input, format)).collect::<Result<_, _>>()?;
    let mut sessions: BTreeMap<String, Vec<File>> = BTreeMap::new();
    let by_place: HashMap<PathBuf, String> = inputs
        .iter()
        .zip(&read)
        .filter_map(|(input, file)| Some((input.path()?.to_owned(), file.session.clone())))
        .collect();
    for (input, mut file) in inputs.iter().zip(read) {
        let parent = input.path().and_then(parent_session).and_then(|p| by_place.get(&p));
        if let Some(parent) = parent.filter(|_| file.agent.is_some()) {
            file.session.clone_from(parent);
        }
        sessions.entry(file.session.clone()).or_default().push(file);
    }
    let mut sessions: Vec<(String, Vec<File>)> = sessions.into_iter().collect();
    sort_by_age(&mut sessions);
    let owners = owners(&sessions);
    let ids: Vec<String> = sessions.iter().map(|(id, _)| id.clone()).collect();
    let drafts = sessions.into_par_iter().enumerate().map(|(s, (id, files))| {
        let copied = copied(s, &ids, &owners);
        draft(id, files, format, stream, &copied)
    });
    Ok(drafts.collect())
}

fn read(input: &Input, format: &'static str) -> Result<File, Error> {
    let mut lines = lines::read(input, format, record::parse)?;
    let path = input.path().unwrap_or(Path::new(&input.name));
    let meta = path.with_extension("meta.json");
    if let Some(what) = agent_id(path).and_then(|_| regular::special(&meta)) {
        let file = Path::new(&input.name).with_extension("meta.json").to_string_lossy().into_owned();
        let loc = Loc { file, ..Loc::default() };
        lines.warnings.push(Diag::warning(Trouble::SpecialFile, loc, format!("not read: {what}")));
    }
    let agent = agent_id(path).map(|id| AgentFile { id: id.into(), call: beside_meta(&meta) });
    if agent.as_ref().is_some_and(|a| a.id.starts_with("acompact-")) {
        let loc = Loc { file: input.name.clone(), line: 0, byte: 0 };
        let message = "a copy of the session made for its compaction; every line of it counts as a copy";
        lines.warnings.push(Diag::note(Trouble::CompactionCopy, loc, message));
        lines.source.count_copies(u64::MAX);
        lines.records.clear();
    }
    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default().to_owned();
    let ids = || lines.records.iter().filter_map(|r| r.value.session.as_deref());
    // A resumed session's file begins with lines of the session it goes on from, so its last line counts.
    let session = if ids().any(|id| id == stem) { stem } else { ids().next_back().map(str::to_owned).unwrap_or(stem) };
    if agent.is_none() {
        lines.warnings.extend(several(&lines.records, &input.name));
    }
    let first_at = lines.records.iter().filter_map(|r| r.value.at).min();
    Ok(File { agent, session, first_at, lines })
}

/// A warning of sessions that stand one behind the other in a file. One that goes on from another names a line of it as
/// parent.
fn several(records: &[Record<Line>], file: &str) -> Option<Diag> {
    let (mut ids, mut lines): (Vec<&str>, HashSet<&str>) = (Vec::new(), HashSet::new());
    let mut alone: Option<&Record<Line>> = None;
    for record in records {
        let line = &record.value;
        if let Some(id) = line.session.as_deref().filter(|id| line.kind.is_said() && !ids.contains(id)) {
            let tied = line.parent.as_deref().is_some_and(|parent| lines.contains(parent));
            alone = alone.or((!ids.is_empty() && !tied).then_some(record));
            // So many are enough to say.
            if ids.len() < 8 {
                ids.push(id);
            }
        }
        lines.extend(line.uuid.as_deref());
    }
    let first = alone?;
    let loc = Loc { file: file.to_owned(), line: first.line.into(), byte: first.byte };
    let message =
        format!("here another session begins ({}); read as one session, with the id of the last", ids.join(", "));
    Some(Diag::warning(Trouble::SeveralSessions, loc, message))
}

/// The call that a subagent's `.meta.json` names.
fn beside_meta(path: &Path) -> Option<Box<str>> {
    let meta = regular::read(path).ok()?;
    let meta: Value = serde_json::from_slice(&meta).ok()?;
    meta.get("toolUseId")?.as_str().map(Box::from)
}

/// Sorts sessions by their first time; of those that share lines, the origin goes on first.
fn sort_by_age(sessions: &mut [(String, Vec<File>)]) {
    if sessions.len() < 2 {
        return;
    }
    let mut holders: HashMap<Box<str>, HashSet<usize>> = HashMap::new();
    for (s, (_, files)) in sessions.iter().enumerate() {
        for uuid in files.iter().flat_map(|f| &f.lines.records).filter_map(|r| r.value.uuid.clone()) {
            holders.entry(uuid).or_default().insert(s);
        }
    }
    let is_own = |line: &Line| line.uuid.as_ref().and_then(|u| holders.get(u)).is_none_or(|h| h.len() == 1);
    sessions.sort_by_cached_key(|(id, files)| {
        let first = files.iter().filter_map(|f| f.first_at).min();
        let own = files.iter().flat_map(|f| &f.lines.records).filter(|r| is_own(&r.value));
        (first, own.filter_map(|r| r.value.at).min(), id.clone())
    });
}

/// Line ids by the first session that holds them, where several sessions do.
fn owners(sessions: &[(String, Vec<File>)]) -> HashMap<Box<str>, Vec<usize>> {
    let mut owners: HashMap<Box<str>, Vec<usize>> = HashMap::new();
    if sessions.len() < 2 {
        return owners;
    }
    for (s, (_, files)) in sessions.iter().enumerate() {
        for uuid in files.iter().flat_map(|f| &f.lines.records).filter_map(|r| r.value.uuid.clone()) {
            let list = owners.entry(uuid).or_default();
            if list.last() != Some(&s) {
                list.push(s);
            }
        }
    }
    owners
}

/// The lines of a session that an earlier session of the group holds, with that session's id.
fn copied(session: usize, sessions: &[String], owners: &HashMap<Box<str>, Vec<usize>>) -> HashMap<Box<str>, String> {
    let later = |list: &[usize]| list.contains(&session) && list[0] < session;
    let lines = owners.iter().filter(|(_, list)| later(list));
    lines.map(|(uuid, list)| (uuid.clone(), sessions[list[0]].clone())).collect()
}

/// Makes one session of its files.
fn draft(
    id: String,
    mut files: Vec<File>,
    format: &'static str,
    stream: bool,
    copied: &HashMap<Box<str>, String>,
) -> Draft {
    files.sort_by(|a, b| {
        let key = |f: &File| (f.agent.is_some(), f.first_at.is_none(), f.first_at);
        key(a).cmp(&key(b)).then_with(|| a.lines.source.file.cmp(&b.lines.source.file))
    });
    let agents: Vec<Option<AgentFile>> = files.iter().map(|f| f.agent.clone()).collect();
    let mut head = Session { agent: "claude-code".into(), id, format, ..Session::default() };
    let mut items = Vec::new();
    for (f, mut file) in files.into_iter().enumerate() {
        head.warnings.append(&mut file.lines.warnings);
        head.warnings.extend(same_bytes(&head.sources, &file.lines.source));
        head.sources.push(file.lines.source);
        for record in file.lines.records {
            let place = Place { file: f as u32, line: record.line, byte: record.byte };
            push(&mut items, place, record.len, record.value);
        }
    }
    drop_repeated(&mut items, &agents);
    drop_delivered(&mut items);
    describe(&mut head, &items, copied);
    let names: Vec<String> = head.sources.iter().map(|s| s.file.clone()).collect();
    let loc = |p: Place| Loc { file: names[p.file as usize].clone(), line: u64::from(p.line), byte: p.byte };
    let mut warnings = Folded::default();
    let plan = order::plan(&items, loc, &mut warnings);
    for (item, _) in items.iter().zip(&plan.copy).filter(|(item, copy)| **copy && !item.unpacked) {
        head.sources[item.place.file as usize].count_copies(1);
        let message = format!("{} bytes that repeat an earlier line with the same id; counted once", item.bytes);
        warnings.push(Diag::note(Trouble::Duplicate, loc(item.place), message));
    }
    let forked: HashMap<Place, String> =
        items.iter().filter_map(|item| Some((item.place, copied.get(item.line.uuid.as_deref()?)?.clone()))).collect();
    let totals = totals::only(items.iter().map(|item| &item.line));
    let threads = threads::threads(&items, &plan, &agents);
    for thread in threads.list.iter().skip(1).filter(|t| t.start == ThreadStart::Unknown) {
        let message = "a subagent whose caller is not known; numbered from 0.s1";
        warnings.push(Diag::warning(Trouble::StraySubagent, loc(items[thread.first].place), message));
    }
    let mut threads = Assembly::new(stream, loc, &mut warnings).run(items, &plan, threads);
    for message in threads.iter_mut().flat_map(|t| &mut t.messages) {
        message.copied_from = forked.get(&message.place).cloned();
    }
    let told = |u: &Usage| [u.input, u.output, u.cache_read, u.cache_write].into_iter().flatten().any(|n| n > 0);
    if !threads.iter().flat_map(|t| &t.messages).any(|m| told(&m.usage)) {
        head.totals = totals;
    }
    warn_of_clock(&threads[0].messages, loc, &mut warnings);
    head.warnings.extend(warnings.finish());
    Draft { head, threads }
}

/// Names each message of the main thread that is more than a second older than the one before it: file order counts.
fn warn_of_clock(messages: &[Message], loc: impl Fn(Place) -> Loc, warnings: &mut Folded) {
    let mut last: Option<Timestamp> = None;
    for message in messages.iter().filter(|m| m.at.is_some()) {
        if last.zip(message.at).is_some_and(|(before, at)| before.as_second() - at.as_second() > 1) {
            let note = "older than the message before it; file order counts";
            warnings.push(Diag::note(Trouble::ClockBack, loc(message.place), note));
        }
        last = message.at;
    }
}

/// Adds a line; a line that it repeats from a subagent becomes an item of its own.
fn push(items: &mut Vec<Item>, place: Place, bytes: u64, mut line: Line) {
    let body = std::mem::replace(&mut line.body, Body::Nothing);
    match body {
        Body::Copy(inner) => {
            items.push(Item { place, bytes, line, unpacked: false });
            items.push(Item { place, bytes, line: *inner, unpacked: true });
        }
        body => {
            line.body = body;
            items.push(Item { place, bytes, line, unpacked: false });
        }
    }
}

/// Drops what progress lines repeat of subagents whose own lines are there.
fn drop_repeated(items: &mut Vec<Item>, files: &[Option<AgentFile>]) {
    let mut own: HashSet<Box<str>> = files.iter().flatten().map(|f| f.id.clone()).collect();
    let own_lines = items.iter().filter(|i| !i.unpacked && i.line.sidechain);
    own.extend(own_lines.filter_map(|i| i.line.agent.clone()));
    items.retain(|i| !i.unpacked || i.line.agent.as_ref().is_none_or(|a| !own.contains(a)));
}

/// Takes the text from queue lines whose text stands in the user's place further down. What stays was given to the
/// model while it worked, and stands nowhere else.
fn drop_delivered(items: &mut [Item]) {
    let mut below: HashMap<String, usize> = HashMap::new();
    for item in items.iter_mut().rev() {
        let mut stands = |text: &str| *below.entry(text.trim().to_owned()).or_default() += 1;
        match (item.line.kind, &item.line.body) {
            (Kind::User, Body::Message(message)) => {
                for block in &message.blocks {
                    let Block::Text(text) = block else { continue };
                    stands(text);
                    // Several queued texts are given together, one below the other.
                    text.lines().skip(usize::from(!text.contains('\n'))).for_each(&mut stands);
                }
            }
            (Kind::Attachment, Body::Text { text, .. }) => stands(text),
            (Kind::State, Body::Text { text, .. }) => {
                if let Some(left) = below.get_mut(text.trim()).filter(|left| **left > 0) {
                    *left -= 1;
                    item.line.body = Body::Nothing;
                }
            }
            _ => {}
        }
    }
}

/// Title, folder, version and origin, as the lines say.
fn describe(head: &mut Session, items: &[Item], copied: &HashMap<Box<str>, String>) {
    let uuids: HashSet<&str> = items.iter().filter_map(|i| i.line.uuid.as_deref()).collect();
    let mut best = None;
    for item in items {
        let Body::Title { rank, text, leaf } = &item.line.body else { continue };
        // A summary line may be the title of another session.
        let own = *rank > 0 || leaf.as_deref().is_some_and(|leaf| uuids.contains(leaf));
        if own && best.is_none_or(|(r, _)| *rank >= r) {
            best = Some((*rank, text));
        }
    }
    head.title = best.map(|(_, text)| text.clone());
    head.cwd = items.iter().find_map(|i| i.line.cwd.as_deref()).map(str::to_owned);
    head.version = items.iter().rev().find_map(|i| i.line.version.as_deref()).map(str::to_owned);
    head.forked_from = items.iter().find_map(|i| copied.get(i.line.uuid.as_deref()?)).cloned();
}

/// A remark on a file that has the same bytes as one before it.
fn same_bytes(before: &[SourceFile], file: &SourceFile) -> Option<Diag> {
    let same = before.iter().find(|s| s.digest == file.digest && s.bytes_read > 0)?;
    let loc = Loc { file: file.file.clone(), line: 0, byte: 0 };
    Some(Diag::note(Trouble::DuplicateFile, loc, format!("the same bytes as {}", same.file)))
}
