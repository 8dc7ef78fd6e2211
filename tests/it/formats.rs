//! Invariants of every format over every file at hand.

use std::path::{Path, PathBuf};

use turnpoint::session::{PartBody, Session};
use turnpoint::source::{self, Discovered};

/// Folder of shared transcripts; `None` when the environment says that there is none.
pub(crate) fn shared() -> Option<PathBuf> {
    let named = std::env::var_os("TURNPOINT_SHARED");
    if named.as_deref().is_some_and(|n| n == "none") {
        return None;
    }
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = named.map_or_else(beside, PathBuf::from);
    assert!(folder.is_dir(), "no shared data at {}; set TURNPOINT_SHARED, or to `none`", folder.display());
    Some(folder)
}

/// Every session of a path.
pub(crate) fn load(path: &Path) -> Vec<Session> {
    let Discovered { groups, errors, .. } = source::discover(&[path.to_owned()]);
    assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    groups.iter().flat_map(|g| source::load(g, None).expect("the file can be read")).collect()
}

fn check(path: &Path) {
    let sessions = load(path);
    assert!(!sessions.is_empty(), "{}: no session", path.display());
    for session in &sessions {
        let lost = |file: &str| session.warnings.iter().filter(|w| w.loc.file == file).map(|w| w.skipped).sum::<u64>();
        for source in &session.sources {
            let name = path.display();
            assert_eq!(source.bytes_read, source.bytes_used + source.bytes_skipped, "{name}: bytes");
            assert_eq!(source.records, source.kept + source.copies + source.skipped, "{name}: records");
            assert_eq!(source.bytes_skipped, lost(&source.file), "{name}: bytes named in warnings");
            assert_eq!(source.digest.len(), 64, "{name}: digest");
        }
        let labels: Vec<_> = session.messages.iter().map(|m| &m.label).collect();
        assert!(labels.iter().all(|l| l.msg > 0 || !l.sub.is_empty()), "{}: numbers", path.display());
        let mut unique = labels.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), labels.len(), "{}: a number stands twice", path.display());
    }
    assert_eq!(sessions, load(path), "{}: a second run differs", path.display());
}

fn files(folder: &Path, ends: &str) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|e| e.expect("the entry is there").path())
        .filter(|p| p.is_dir() || p.to_string_lossy().ends_with(ends))
        .collect();
    out.sort();
    assert!(!out.is_empty(), "{}: no files", folder.display());
    out
}

#[test]
fn every_byte_and_record_of_claude_code_is_accounted_for() {
    let Some(shared) = shared() else { return };
    files(&shared.join("corpus/claude-code"), ".jsonl").iter().for_each(|p| check(p));
    files(&shared.join("corpus/claude-code-stream"), ".txt").iter().for_each(|p| check(p));
    files(&shared.join("labelled/parity"), ".stream.jsonl").iter().for_each(|p| check(p));
    let runs = files(&shared.join("labelled/todo_runs"), ".jsonl");
    runs.iter().filter(|p| !p.ends_with("instructions.jsonl")).for_each(|p| check(p));
}

/// One line for each message and part, so that a change of the reading shows in the snapshot.
fn outline(session: &Session) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    for s in &session.sources {
        let counts = format!("{} records, {} kept, {} copies, {} skipped", s.records, s.kept, s.copies, s.skipped);
        line(format!("{}: {} bytes, {} skipped; {counts}", s.file, s.bytes_read, s.bytes_skipped));
    }
    for w in &session.warnings {
        line(w.to_string());
    }
    line(format!("title {:?}, cwd {:?}, version {:?}", session.title, session.cwd, session.version));
    for t in session.threads.iter().skip(1) {
        line(format!("thread {} {:?} {:?} by {:?}", t.label, t.native_id, t.title, t.started_by));
    }
    for m in &session.messages {
        let left = if m.abandoned { ", abandoned" } else { "" };
        let (id, usage) = (m.native_id.as_deref().unwrap_or("-"), m.usage.output);
        line(format!("{} line {} {:?} {:?} {id} out {usage:?}{left}", m.label, m.place.line, m.role, m.kind));
        for p in &m.parts {
            let body = match &p.body {
                PartBody::Text(text) => format!("text {text:?}"),
                PartBody::Reasoning(text) => format!("reasoning {text:?}"),
                PartBody::Call(c) => {
                    let result = c.result.as_ref().map_or_else(String::new, |r| format!("{:?}", r.text));
                    let end = format!("{} exit {:?} after {:?}", c.status().word(), c.exit_code(), c.duration_ms);
                    format!("call {} {} {} -> {end} {result}", c.id, c.tool, c.input)
                }
                other => format!("{other:?}"),
            };
            line(format!("    line {} {body}", p.place.line));
        }
    }
    out
}

fn fixture(path: &str) -> Vec<Session> {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path))
}

#[test]
fn the_traps_of_claude_code() {
    let sessions = fixture("claude-code");
    assert_eq!(sessions.len(), 1);
    insta::assert_snapshot!(outline(&sessions[0]));
}

#[test]
fn naming_the_session_file_finds_its_subagents() {
    assert_eq!(fixture("claude-code/session.jsonl"), fixture("claude-code"));
}

#[test]
fn the_traps_of_the_stream_form() {
    let sessions = fixture("claude-code-stream/session.jsonl");
    assert_eq!(sessions.len(), 1);
    insta::assert_snapshot!(outline(&sessions[0]));
}

#[test]
fn every_byte_and_record_of_codex_is_accounted_for() {
    let Some(shared) = shared() else { return };
    files(&shared.join("corpus/codex"), ".jsonl").iter().for_each(|p| check(p));
}

#[test]
fn the_traps_of_codex() {
    let sessions = fixture("codex/session.jsonl");
    assert_eq!(sessions.len(), 1);
    insta::assert_snapshot!(outline(&sessions[0]));
}
