//! OpenCode's stores, over fixtures and real files.

use std::path::{Path, PathBuf};

use turnpoint::session::{CallStatus, Message, MessageKind, PartBody, Session};
use turnpoint::source::{FORMATS, Format, Group, Head, Input, discover, load};

fn format(id: &str) -> &'static Format {
    FORMATS.iter().find(|f| f.id == id).unwrap()
}

/// Shared data; `None` only when the environment says that there is none.
fn shared(folder: &str) -> Option<Vec<PathBuf>> {
    let root = match std::env::var("TURNPOINT_SHARED") {
        Ok(root) if root == "none" => return None,
        Ok(root) => PathBuf::from(root),
        Err(_) => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
    };
    let entries = std::fs::read_dir(root.join(folder)).expect("shared data; set TURNPOINT_SHARED=none to go without");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    Some(paths)
}

fn read(format: &'static Format, paths: &[PathBuf]) -> Vec<Session> {
    let inputs = paths.iter().map(|p| Input::file(p.file_name().unwrap().to_string_lossy(), p)).collect();
    load(&Group { format, inputs }, None).unwrap()
}

/// Nothing is lost silently, and each quote leads back to its record.
fn check(sessions: &[Session], paths: &[PathBuf]) {
    for session in sessions {
        for source in &session.sources {
            assert_eq!(source.bytes_read, source.bytes_used + source.bytes_skipped, "{}", source.file);
            assert_eq!(source.records, source.kept + source.copies + source.skipped, "{}", source.file);
            let named: u64 = session.warnings.iter().filter(|w| w.loc.file == source.file).map(|w| w.skipped).sum();
            assert_eq!(source.bytes_skipped, named, "{}", source.file);
        }
        assert!(!session.messages.is_empty());
        for message in &session.messages {
            let file = &session.sources[message.place.file as usize].file;
            let path = paths.iter().find(|p| p.ends_with(file)).unwrap();
            let bytes = std::fs::read(path).unwrap();
            for place in message.parts.iter().map(|p| p.place).chain([message.place]) {
                assert_eq!(bytes[place.byte as usize], b'{', "{file}:{}", place.line);
                let line = bytes[..place.byte as usize].iter().filter(|b| **b == b'\n').count() + 1;
                assert_eq!(place.line as usize, line, "{file}");
            }
        }
    }
}

#[test]
fn real_exports_are_read_whole() {
    let Some(paths) = shared("corpus/opencode-json") else { return };
    let export = format("opencode-export");
    for path in &paths {
        let input = Input::file("x", path);
        let (bytes, whole) = input.head().unwrap();
        assert!((export.sniff)(&Head { name: "x", path: Some(path), bytes: &bytes, whole }) >= 90, "{path:?}");
        let sessions = read(export, std::slice::from_ref(path));
        assert_eq!(sessions.len(), 1);
        check(&sessions, &paths);
        assert!(sessions[0].warnings.is_empty(), "{:?}", sessions[0].warnings);
    }
}

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path)
}

#[test]
fn the_seed_sessions_carry_their_own_numbers() {
    for (name, first, last) in [("glm-session.json", 1256, 1283), ("qwen-session.json", 6024, 6033)] {
        let paths = [fixture(name)];
        let sessions = read(format("opencode-export"), &paths);
        check(&sessions, &paths);
        let numbers: Vec<u64> = sessions[0].messages.iter().map(|m| m.label.msg).collect();
        assert_eq!(numbers, (first..=last).collect::<Vec<u64>>(), "{name}");
        assert!(sessions[0].warnings.is_empty(), "{:?}", sessions[0].warnings);
    }
}

#[test]
fn the_state_dump_before_a_continuation_is_a_summary() {
    let sessions = read(format("opencode-export"), &[fixture("qwen-session.json")]);
    let kind = |number: &str| sessions[0].message(sessions[0].find(number).unwrap()).kind;
    assert_eq!(kind("6024"), MessageKind::Prompt);
    assert_eq!(kind("6026"), MessageKind::CompactionSummary);
    assert_eq!(kind("6027"), MessageKind::SyntheticContinuation);
    let stopped = sessions[0].message(sessions[0].find("6025").unwrap());
    assert_eq!(stopped.calls().next().unwrap().status(), CallStatus::Interrupted);
}

#[test]
fn the_fixture_holds_the_traps() {
    let paths = [fixture("opencode-export/session.json"), fixture("opencode-export/child.json")];
    let sessions = read(format("opencode-export"), &paths);
    assert_eq!(sessions.len(), 1);
    let session = &sessions[0];
    check(&sessions, &paths);
    let lines: Vec<String> = session.messages.iter().map(line).collect();
    insta::assert_snapshot!(lines.join("\n"));
    let warnings: Vec<&str> = session.warnings.iter().map(|w| w.kind.word()).collect();
    assert_eq!(warnings, ["text-before"]);
}

/// A message on one line: number, kind, and what its parts are.
fn line(message: &Message) -> String {
    let parts: Vec<String> = message.parts.iter().map(|p| part(&p.body)).collect();
    let (role, kind) = (message.role, message.kind);
    format!("{} {role:?} {kind:?}: {}", message.label, parts.join(" · "))
}

fn part(body: &PartBody) -> String {
    match body {
        PartBody::Text(t) => format!("text {:?}", t.lines().next().unwrap_or_default()),
        PartBody::Injected(t) => format!("injected {:?}", t.lines().next().unwrap_or_default()),
        PartBody::Reasoning(_) => "reasoning".into(),
        PartBody::Call(c) => {
            let exit = c.exit_code().map_or(String::new(), |e| format!(" exit {e}"));
            format!("{} {}{exit}", c.tool, c.status().word())
        }
        PartBody::Attachment { name, .. } => format!("file {name}"),
        PartBody::Patch { files } => format!("patch {}", files.len()),
        PartBody::Unknown { kind, .. } => format!("unknown {kind}"),
    }
}

/// Everything below a folder of shared data, by the command line's own discovery.
fn found(folder: &str) -> Option<Vec<Session>> {
    let root = shared(folder)?.first()?.parent()?.to_owned();
    let found = discover(&[root]);
    assert!(found.errors.is_empty(), "{:?}", found.errors);
    Some(found.groups.iter().flat_map(|g| load(g, None).unwrap()).collect())
}

fn accounted(sessions: &[Session]) {
    for session in sessions {
        for source in &session.sources {
            assert_eq!(source.bytes_read, source.bytes_used + source.bytes_skipped, "{}", source.file);
            assert_eq!(source.records, source.kept + source.copies + source.skipped, "{}", source.file);
        }
    }
}

#[test]
fn a_real_storage_tree_is_read() {
    let Some(sessions) = found("corpus/opencode-storage") else { return };
    accounted(&sessions);
    let lengths: Vec<(&str, usize)> = sessions.iter().map(|s| (s.id.as_str(), s.messages.len())).collect();
    insta::assert_debug_snapshot!(lengths);
}

#[test]
fn the_write_ahead_log_is_read() {
    let Some(sessions) = found("corpus/opencode-db") else { return };
    accounted(&sessions);
    let messages: usize = sessions.iter().map(|s| s.messages.len()).sum();
    assert_eq!((sessions.len(), messages), (2, 88));
    let Some(exports) = found("corpus/opencode-json") else { return };
    for session in &sessions {
        let export = exports.iter().find(|e| e.id == session.id).unwrap();
        assert_eq!(facts(session), facts(export));
    }
}

/// What a session says, without the places where it says it.
fn facts(session: &Session) -> Vec<String> {
    let message = |m: &Message| {
        let texts: Vec<String> = m
            .parts
            .iter()
            .map(|p| match &p.body {
                PartBody::Call(c) => format!(
                    "{} {} {:?} {:?} {:?}",
                    c.id,
                    c.tool,
                    c.input,
                    c.result.as_ref().map(|r| (&r.text, r.status, r.exit_code)),
                    c.duration_ms
                ),
                // The stores keep ids inside such a part or beside it.
                PartBody::Unknown { kind, .. } => format!("unknown {kind}"),
                other => format!("{other:?}"),
            })
            .collect();
        format!("{} {:?} {:?} {:?} {:?} {:?} {:?}", m.label, m.native_id, m.role, m.kind, m.at, m.model, texts)
    };
    session.messages.iter().map(message).collect()
}

#[test]
fn real_event_streams_are_read() {
    let Some(sessions) = found("corpus/opencode-events") else { return };
    accounted(&sessions);
    let lines: Vec<String> = sessions.iter().flat_map(|s| &s.messages).map(line).collect();
    // Texts of other people's sessions stay out of this repository.
    let shapes: Vec<String> = lines.iter().map(|l| l.split('"').step_by(2).collect()).collect();
    insta::assert_snapshot!(shapes.join("\n"));
}

#[test]
fn real_markdown_exports_are_read() {
    let Some(sessions) = found("corpus/opencode-md") else { return };
    accounted(&sessions);
    let shapes: Vec<String> = sessions
        .iter()
        .map(|s| {
            let calls: Vec<_> = s.messages.iter().flat_map(Message::calls).collect();
            let answered = calls.iter().filter(|c| c.result.is_some()).count();
            let warnings: Vec<&str> = s.warnings.iter().map(|w| w.kind.word()).collect();
            format!("{} messages {} calls {} answered {answered} {warnings:?}", s.id, s.messages.len(), calls.len())
        })
        .collect();
    insta::assert_snapshot!(shapes.join("\n"));
}

#[test]
fn real_message_lists_are_read() {
    let Some(sessions) = found("corpus/openai-messages") else { return };
    accounted(&sessions);
    assert!(sessions.len() > 1);
    for session in &sessions {
        assert!(session.calls().all(|(_, c)| c.result.is_some() || c.tool.contains("transfer")), "{}", session.id);
    }
}

/// The same session in every form: `opencode-export` is the measure.
fn form(format_id: &str) -> Session {
    let found = discover(&[fixture(format_id)]);
    assert!(found.errors.is_empty(), "{:?}", found.errors);
    let mut sessions: Vec<Session> = found.groups.iter().flat_map(|g| load(g, None).unwrap()).collect();
    accounted(&sessions);
    assert_eq!((sessions.len(), sessions[0].format), (1, format_id));
    sessions.remove(0)
}

#[test]
fn every_store_tells_the_same() {
    let export = form("opencode-export");
    for store in ["opencode-storage", "opencode-db", "opencode-events"] {
        let other = form(store);
        for (other, export) in facts(&other).iter().zip(&facts(&export)) {
            assert_eq!(other, export, "{store}");
        }
        assert_eq!(other.messages.len(), export.messages.len(), "{store}");
        let about = |s: &Session| (s.id.clone(), s.title.clone(), s.cwd.clone(), s.version.clone());
        assert_eq!(about(&other), about(&export), "{store}");
    }
}

/// What was said and called on the main thread: all that the poorer forms carry.
fn said(session: &Session) -> Vec<String> {
    let message = |m: &Message| {
        let calls: Vec<String> = m.calls().map(|c| format!("{} {:?}", c.tool, c.input)).collect();
        let text = if m.kind == MessageKind::SyntheticContinuation { String::new() } else { m.text() };
        (!text.is_empty() || !calls.is_empty()).then(|| format!("{:?} {text} {calls:?}", m.role))
    };
    session.messages.iter().filter(|m| m.thread.0 == 0).filter_map(message).collect()
}

#[test]
fn poorer_forms_tell_what_was_said_and_called() {
    let export = said(&form("opencode-export"));
    for form_id in ["opencode-markdown", "messages"] {
        assert_eq!(said(&form(form_id)), export, "{form_id}");
    }
}

#[test]
fn the_database_is_the_text_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    let sql = std::fs::read_to_string(fixture("opencode-db/session.sql")).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
    let sessions = read(format("opencode-db"), &[path]);
    assert_eq!(facts(&sessions[0]), facts(&form("opencode-db")));
}
