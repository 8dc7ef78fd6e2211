//! OpenCode's storage tree: `session/<project>/<session>.json`, `message/<session>/<message>.json`,
//! `part/<message>/<part>.json`, each file one record. A folder is read as a whole; a session's own file brings its
//! messages, parts and subagents along.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::opencode::{Homes, Loaded, drafts, entry, members, orphan, part_order, str_at};
use super::text::{Text, mend_surrogates};
use super::{Format, Head, Input, bounded, regular};
use crate::diag::{Diag, Loc, Trouble};
use crate::error::Error;
use crate::session::{Draft, Place, SourceFile};

/// The format.
pub(super) const FORMAT: Format = Format {
    id: "opencode-storage",
    agent: "opencode",
    about: "OpenCode storage tree: `session`, `message` and `part` folders of small JSON files (before version 1.2)",
    lines: false,
    sniff,
    keys,
    companions,
    load,
};

/// What a file of the tree holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Session,
    Message,
    Part,
}

fn kind(members: &BTreeMap<String, String>) -> Option<Kind> {
    let has = |key: &str| members.contains_key(key);
    if !has("id") || has("messages") || has("parts") {
        return None;
    }
    match () {
        () if has("messageID") && has("type") => Some(Kind::Part),
        () if has("sessionID") && has("role") && has("time") => Some(Kind::Message),
        () if has("directory") && has("title") && has("time") && !has("role") => Some(Kind::Session),
        () => None,
    }
}

fn sniff(head: &Head<'_>) -> u8 {
    let text = String::from_utf8_lossy(head.bytes);
    let members = members(&text);
    let Some(kind) = kind(&members) else {
        // A record that was cut still begins with its id.
        let own = members.get("id").is_some_and(|id| ["ses_", "msg_", "prt_"].iter().any(|p| id.starts_with(p)));
        let cut = own && head.whole && serde_json::from_str::<Value>(&text).is_err_and(|e| e.is_eof());
        return if cut { 55 } else { 0 };
    };
    let prefix = match kind {
        Kind::Session => "ses_",
        Kind::Message => "msg_",
        Kind::Part => "prt_",
    };
    if members["id"].starts_with(prefix) { 90 } else { 65 }
}

fn keys(head: &Head<'_>) -> Vec<String> {
    let members = members(&String::from_utf8_lossy(head.bytes));
    let own = ["sessionID", "messageID", "parentID"].iter().filter_map(|k| members.get(*k));
    let id = members.get("id").filter(|_| kind(&members) != Some(Kind::Part));
    // A message's parent is a message; that of a session is a session.
    own.chain(id).filter(|id| !id.is_empty()).map(|id| format!("opencode-store:{id}")).collect()
}

/// Messages, parts and subagents of the session in a file `session/<project>/<session>.json`.
fn companions(path: &Path) -> Vec<PathBuf> {
    let project = path.parent();
    let folder = project.and_then(Path::parent).filter(|f| f.file_name().is_some_and(|n| n == "session"));
    let (Some(project), Some(root)) = (project, folder.and_then(Path::parent)) else { return Vec::new() };
    let parents: BTreeMap<PathBuf, String> = files(project)
        .into_iter()
        .filter_map(|p| {
            let info: Value = serde_json::from_slice(&regular::read(&p).ok()?).ok()?;
            Some((p, str_at(&info, "parentID")?.to_owned()))
        })
        .collect();
    let mut sessions = vec![path.to_owned()];
    let mut at = 0;
    while let Some(id) = sessions.get(at).and_then(|p| stem(p)) {
        let children = parents.iter().filter(|(_, parent)| **parent == id).map(|(p, _)| p);
        let new: Vec<PathBuf> = children.filter(|p| !sessions.contains(p)).cloned().collect();
        sessions.extend(new);
        at += 1;
    }
    let messages: Vec<PathBuf> =
        sessions.iter().filter_map(|p| stem(p)).flat_map(|id| files(&root.join("message").join(id))).collect();
    // The oldest versions keep the parts of a message below its session.
    let parts = messages.iter().filter_map(|p| Some((stem(p)?, p.parent()?.file_name()?))).flat_map(|(id, session)| {
        let folder = root.join("part");
        [files(&folder.join(&id)), files(&folder.join(session).join(&id))].concat()
    });
    let own: Vec<String> = sessions.iter().filter_map(|p| stem(p)).collect();
    // A message's folder also holds the parts of a message of the same id in another session.
    let is_own = |path: &PathBuf| {
        let part: Option<Value> = regular::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        part.as_ref().and_then(|p| str_at(p, "sessionID")).is_none_or(|id| own.iter().any(|s| s == id))
    };
    let parts: Vec<PathBuf> = parts.filter(is_own).collect();
    sessions.into_iter().skip(1).chain(messages).chain(parts).collect()
}

fn stem(path: &Path) -> Option<String> {
    path.file_stem().map(|s| s.to_string_lossy().into_owned())
}

/// The JSON files of a folder, in order, and what stands there in place of one.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let is_one = |p: &PathBuf| p.extension().is_some_and(|e| e == "json") && !p.is_dir();
    let mut out: Vec<PathBuf> = entries.filter(is_one).collect();
    out.sort();
    out
}

/// A file with what it says; `None` when it is no JSON.
struct Record {
    source: SourceFile,
    value: Option<Value>,
}

fn read(input: &Input) -> Result<Record, Error> {
    let bytes = input.read()?;
    let digest = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
    let size = bytes.len() as u64;
    let text = Text::decode(bytes).text;
    let text = text.trim_start_matches('\u{FEFF}');
    let value: Option<Value> = bounded::value(text).or_else(|_| bounded::value(&mend_surrogates(text))).ok();
    let (file, format) = (input.name.clone(), FORMAT.id);
    let source = SourceFile { file, format, bytes_read: size, records: 1, digest, ..SourceFile::default() };
    Ok(Record { source, value })
}

fn load(inputs: &[Input]) -> Result<Vec<Draft>, Error> {
    let records = inputs.par_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let mut tree = Tree::default();
    let mut lost = Vec::new();
    for mut record in records {
        let value = record.value.take().filter(Value::is_object);
        let kind = value.as_ref().and_then(|v| {
            let members = v.as_object()?.iter().map(|(k, v)| (k.clone(), v.as_str().unwrap_or_default().to_owned()));
            kind(&members.collect())
        });
        match (value, kind) {
            (Some(value), Some(kind)) => tree.add(record.source, value, kind),
            _ => lost.push(record.source),
        }
    }
    Ok(drafts(tree.sessions(lost), FORMAT.id))
}

#[derive(Debug, Default)]
struct Tree {
    sessions: BTreeMap<String, Vec<(SourceFile, Value)>>,
    messages: BTreeMap<String, Vec<(SourceFile, Value)>>,
    /// By message and session: two sessions may have messages of one id. The session is empty where a part names none.
    parts: BTreeMap<(String, String), Vec<(SourceFile, Value)>>,
}

impl Tree {
    fn add(&mut self, mut source: SourceFile, value: Value, kind: Kind) {
        (source.bytes_used, source.kept) = (source.bytes_read, 1);
        let id = |key| str_at(&value, key).unwrap_or_default().to_owned();
        match kind {
            Kind::Session => self.sessions.entry(id("id")).or_default().push((source, value)),
            Kind::Message => self.messages.entry(id("sessionID")).or_default().push((source, value)),
            Kind::Part => self.parts.entry((id("messageID"), id("sessionID"))).or_default().push((source, value)),
        }
    }

    fn sessions(mut self, lost: Vec<SourceFile>) -> Vec<Loaded> {
        let mut out = Vec::new();
        let mut messages = std::mem::take(&mut self.messages);
        for (id, records) in std::mem::take(&mut self.sessions) {
            let messages = messages.remove(&id).unwrap_or_default();
            out.push(self.session(of_records(id, records), messages));
        }
        for (id, messages) in messages {
            let mut loaded = self.session(Loaded { id, ..Loaded::default() }, messages);
            let loc = Loc { file: loaded.sources[0].file.clone(), line: 1, byte: 0 };
            loaded.warnings.push(Diag::warning(Trouble::Orphan, loc, "messages without the record of their session"));
            out.push(loaded);
        }
        let homes = Homes::of(&out);
        for ((message, session), parts) in std::mem::take(&mut self.parts) {
            orphans(&mut out, &homes, &message, session, parts);
        }
        if out.is_empty() {
            out.push(Loaded { id: "unknown".into(), ..Loaded::default() });
        }
        // Files that are no JSON are told by the first session of the group.
        for source in lost {
            pass_over(&mut out[0], source, Trouble::Truncated, "not a whole JSON record");
        }
        out
    }

    fn session(&mut self, mut loaded: Loaded, messages: Vec<(SourceFile, Value)>) -> Loaded {
        for (source, info) in messages {
            let place = new_file(&mut loaded, source);
            let id = str_at(&info, "id").unwrap_or_default().to_owned();
            let named = self.parts.remove(&(id.clone(), loaded.id.clone())).unwrap_or_default();
            let mut parts = self.parts.remove(&(id.clone(), String::new())).unwrap_or_default();
            parts.extend(named);
            part_order(&mut parts, &id, |(_, value)| value);
            let parts = parts.into_iter().map(|(source, value)| (value, new_file(&mut loaded, source))).collect();
            let message = entry(&info, parts, place);
            loaded.push(message, "");
        }
        loaded
    }
}

/// A session by its own record. Where several files hold one of the same id, that of the newest state counts; those
/// with the same bytes as one before are copies, the others are named.
fn of_records(id: String, mut records: Vec<(SourceFile, Value)>) -> Loaded {
    let updated = |info: &Value| info.pointer("/time/updated").and_then(Value::as_f64).unwrap_or_default();
    let newest = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0));
    let at = records.iter().enumerate().map(|(i, (_, info))| (i, updated(info))).max_by(newest);
    let (source, info) = records.remove(at.map_or(0, |(at, _)| at));
    let mut loaded = Loaded { id, info, sources: vec![source], ..Loaded::default() };
    for (mut source, _) in records {
        let loc = Loc { file: source.file.clone(), ..Loc::default() };
        let used = &loaded.sources[0].file;
        if loaded.sources.iter().any(|s| s.digest == source.digest) {
            source.count_copies(1);
            loaded.warnings.push(Diag::note(Trouble::DuplicateFile, loc, format!("the same bytes as {used}")));
        } else {
            let text = format!("another record of session {}; that of {used} is the newer one and is used", loaded.id);
            loaded.warnings.push(Diag::warning(Trouble::IdTwice, loc, text));
        }
        loaded.sources.push(source);
    }
    loaded
}

/// Parts whose message is not in the session they name: kept there, or where they name none in the first one, as a
/// message of which only the id is known.
fn orphans(
    sessions: &mut Vec<Loaded>,
    homes: &Homes,
    message: &str,
    session: String,
    mut parts: Vec<(SourceFile, Value)>,
) {
    let found = sessions.iter().position(|s| session.is_empty() || s.id == session);
    let at = found.unwrap_or_else(|| {
        sessions.push(Loaded { id: session.clone(), ..Loaded::default() });
        sessions.len() - 1
    });
    let loaded = &mut sessions[at];
    part_order(&mut parts, message, |(_, value)| value);
    let parts: Vec<(Value, Place)> = parts.into_iter().map(|(s, value)| (value, new_file(loaded, s))).collect();
    let Some(place) = parts.first().map(|p| p.1) else { return };
    let loc = Loc { file: loaded.sources[place.file as usize].file.clone(), line: 1, byte: 0 };
    loaded.warnings.push(Diag::warning(Trouble::Orphan, loc, homes.told(message, &session)));
    loaded.push(orphan(message, &session, parts, place), "");
}

fn new_file(loaded: &mut Loaded, source: SourceFile) -> Place {
    loaded.sources.push(source);
    Place { file: loaded.sources.len() as u32 - 1, line: 1, byte: 0 }
}

/// Names a file that is read but not used.
fn pass_over(loaded: &mut Loaded, mut source: SourceFile, kind: Trouble, message: &str) {
    (source.bytes_skipped, source.skipped) = (source.bytes_read, 1);
    (source.bytes_used, source.kept) = (0, 0);
    let loc = Loc { file: source.file.clone(), line: 1, byte: 0 };
    loaded.warnings.push(Diag::lost(kind, loc, source.bytes_read, 1, format!("{message}; passed over")));
    loaded.sources.push(source);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{CallStatus, Session};

    fn inputs(files: &[(&str, &str)]) -> Vec<Input> {
        files.iter().map(|(name, text)| Input::bytes(*name, *text)).collect()
    }

    fn sessions(files: &[(&str, &str)]) -> Vec<Session> {
        load(&inputs(files)).unwrap().into_iter().map(|d| d.finish(None)).collect()
    }

    const SESSION: (&str, &str) =
        ("s", r#"{"id":"ses_a","projectID":"p","directory":"/x","title":"t","version":"1","time":{"created":1}}"#);
    const ASK: (&str, &str) = ("m1", r#"{"id":"msg_1","sessionID":"ses_a","role":"user","time":{"created":5}}"#);
    const ANSWER: (&str, &str) =
        ("m0", r#"{"id":"msg_0","sessionID":"ses_a","role":"assistant","parentID":"msg_1","time":{"created":6}}"#);
    const TEXT: (&str, &str) =
        ("p1", r#"{"id":"prt_1","messageID":"msg_1","sessionID":"ses_a","type":"text","text":"go"}"#);

    #[test]
    fn files_are_put_together_by_their_ids_and_ordered_by_time() {
        let call = r#"{"id":"prt_2","messageID":"msg_0","type":"tool","tool":"bash","callID":"c","state":{"status":"success","output":"x"}}"#;
        let session = &sessions(&[("p2", call), ANSWER, TEXT, ASK, SESSION])[0];
        assert_eq!((session.id.as_str(), session.title.as_deref(), session.sources.len()), ("ses_a", Some("t"), 5));
        assert_eq!(session.messages[0].text(), "go");
        assert_eq!(session.messages[1].calls().next().unwrap().status(), CallStatus::Ok);
        let file = |place: Place| session.sources[place.file as usize].file.as_str();
        assert_eq!((file(session.messages[1].place), file(session.messages[1].parts[0].place)), ("m0", "p2"));
        assert!(session.warnings.is_empty());
    }

    #[test]
    fn a_session_s_file_finds_its_parts_in_both_layouts() {
        for part in ["part/msg_1/prt_1.json", "part/ses_a/msg_1/prt_1.json"] {
            let root = tempfile::tempdir().unwrap();
            let names = ["session/p/ses_a.json", "message/ses_a/msg_1.json", part];
            for (name, (_, text)) in names.iter().zip([SESSION, ASK, TEXT]) {
                let path = root.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            let found = crate::source::discover(&[root.path().join(names[0])]);
            let session = crate::source::load(&found.groups[0], None).unwrap().remove(0);
            assert_eq!((session.messages[0].text().as_str(), session.sources.len()), ("go", 3), "{part}");
        }
    }

    #[test]
    fn of_two_records_of_a_session_the_newer_counts_and_the_other_is_named() {
        let newer = SESSION.1.replace("\"t\"", "\"new\"").replace("\"created\":1", "\"created\":1,\"updated\":9");
        for files in [
            [SESSION, ("other", newer.as_str()), ("copy", SESSION.1), ASK, TEXT],
            [("other", newer.as_str()), SESSION, ("copy", SESSION.1), TEXT, ASK],
        ] {
            let found = sessions(&files);
            let session = &found[0];
            assert_eq!((found.len(), session.title.as_deref(), session.messages.len()), (1, Some("new"), 1));
            let kinds: Vec<_> = session.warnings.iter().map(|w| (w.kind.word(), w.loc.file.as_str())).collect();
            assert_eq!(kinds, [("id-twice", "s"), ("duplicate-file", "copy")]);
            let bytes: u64 = session.sources.iter().map(|s| s.bytes_used).sum();
            assert_eq!(bytes, files.iter().map(|f| f.1.len() as u64).sum::<u64>());
            assert!(session.sources.iter().all(|s| s.records == s.kept + s.copies));
        }
    }

    #[test]
    fn what_cannot_be_placed_is_named() {
        let orphan = r#"{"id":"prt_9","messageID":"msg_gone","sessionID":"ses_a","type":"text","text":"lost"}"#;
        let session = &sessions(&[SESSION, ASK, ("p9", orphan), ("b", r#"{"id":"prt_"#)])[0];
        let kinds: Vec<_> = session.warnings.iter().map(|w| (w.kind.word(), w.loc.file.as_str())).collect();
        assert_eq!(kinds, [("orphan", "p9"), ("truncated", "b")]);
        for source in &session.sources {
            assert_eq!(source.bytes_read, source.bytes_used + source.bytes_skipped, "{}", source.file);
            assert_eq!(source.records, source.kept + source.skipped, "{}", source.file);
        }
    }

    #[test]
    fn messages_of_one_id_in_two_sessions_keep_their_parts_apart() {
        let other = |text: &str| text.replace("ses_a", "ses_b").replace("prt_1", "prt_2").replace("go", "stay");
        let [session, ask, part] = [SESSION, ASK, TEXT].map(|f| other(f.1));
        let both = [SESSION, ASK, TEXT, ("s2", &session), ("m2", &ask), ("p2", &part)];
        let texts = |files: &[(&str, &str)]| {
            let told = |s: Session| (s.id.clone(), s.messages.iter().map(|m| m.text()).collect(), s.warnings.len());
            sessions(files).into_iter().map(told).collect::<Vec<(String, Vec<String>, usize)>>()
        };
        let [a, b] = ["ses_a", "ses_b"].map(str::to_owned);
        let want = [(a.clone(), vec!["go".into()], 0), (b.clone(), vec!["stay".into()], 0)];
        assert_eq!(texts(&both), want);
        // Without its message a part stays with the session it names, and that is said.
        let lone = sessions(&[SESSION, ASK, TEXT, ("s2", &session), ("p2", &part)]);
        let of_b = lone.iter().find(|s| s.id == "ses_b").unwrap();
        assert_eq!((lone.len(), of_b.messages[0].text().as_str()), (2, "stay"));
        assert!(of_b.warnings[0].message.contains("of session ses_b whose message stands in session ses_a only"));
        let unknown = texts(&[SESSION, ASK, TEXT, ("p2", &part)]);
        assert!(unknown.contains(&(b, vec!["stay".into()], 1)) && unknown.contains(&(a, vec!["go".into()], 0)));
    }

    #[test]
    fn each_kind_of_file_is_told_by_its_members() {
        for (file, key) in [(SESSION, "ses_a"), (ASK, "ses_a"), (ANSWER, "msg_1"), (TEXT, "msg_1")] {
            let head = Head { name: "x", path: None, bytes: file.1.as_bytes(), whole: true };
            assert_eq!(sniff(&head), 90, "{}", file.0);
            assert!(keys(&head).contains(&format!("opencode-store:{key}")), "{}", file.0);
        }
        for other in [r#"{"info":{},"messages":[]}"#, r#"{"id":"x","title":"t"}"#, "[]", ""] {
            assert_eq!(sniff(&Head { name: "x", path: None, bytes: other.as_bytes(), whole: true }), 0, "{other}");
        }
    }
}
