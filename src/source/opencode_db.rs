//! OpenCode's database `opencode.db`: tables `session`, `message` and `part` (1.2 and later), and `session_v2` and
//! `session_message` (2.x). Only these are read: never accounts, permissions or events.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use memchr::memmem;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::opencode::{Entry, Homes, Loaded, V2, drafts, entry, orphan, v2_row};
use super::sqlite::{CELL, Database, MAGIC, Row};
use super::text::mend_surrogates;
use super::{Format, Head, Input, bounded};
use crate::diag::{Diag, Loc, Trouble};
use crate::error::Error;
use crate::session::{Draft, Part, Place, SourceFile};

/// The format.
pub(super) const FORMAT: Format = Format {
    id: "opencode-db",
    agent: "opencode",
    about: "OpenCode database: the SQLite file `opencode.db` with its `-wal` (1.2 and later), several sessions",
    lines: false,
    sniff,
    keys: |_| Vec::new(),
    companions: |_: &Path| Vec::<PathBuf>::new(),
    load,
};

const SESSIONS: [&str; 2] = ["session_v2", "session"];

/// Tables that are read.
const READ: [&str; 5] = ["session_v2", "session", "message", "part", "session_message"];

fn sniff(head: &Head<'_>) -> u8 {
    if !head.bytes.starts_with(MAGIC) {
        return 0;
    }
    let has = |word: &str| memmem::find(head.bytes, word.as_bytes()).is_some();
    if has("session_message") || (has("message_id") && has("session_id") && has("project_id")) {
        return 95;
    }
    // The list of tables may stand far behind, or only in the write-ahead log.
    let tables = head.path.and_then(|p| Database::open_path(p).ok()).and_then(|d| d.tables().ok()).unwrap_or_default();
    let known = |name: &str| tables.iter().any(|t| t == name);
    if (known("message") && known("part")) || known("session_message") { 95 } else { 10 }
}

fn load(inputs: &[Input]) -> Result<Vec<Draft>, Error> {
    let mut loaded = Vec::new();
    for input in inputs {
        loaded.extend(read(input)?);
    }
    Ok(drafts(loaded, FORMAT.id))
}

fn read(input: &Input) -> Result<Vec<Loaded>, Error> {
    let digest = digest(input)?;
    let (database, file) = (Database::open(input)?, input.name.clone());
    let mut store = Store { database, file, trouble: Vec::new(), newer: BTreeMap::new() };
    let damaged = |why: String| input.error(io::Error::other(why));
    let tables = store.database.tables().map_err(damaged)?;
    std::mem::take(&mut store.database.damage).into_iter().for_each(|why| store.lost(why));
    for view in store.database.views().iter().filter(|view| READ.contains(&view.as_str())) {
        store.lost(format!("`{view}` is a view and no table; its rows are not read"));
    }
    let mut out: BTreeMap<String, Loaded> = BTreeMap::new();
    for table in SESSIONS.iter().filter(|t| tables.iter().any(|n| n == *t)) {
        for row in store.rows(table, &[]) {
            let info = session(&row);
            let id = text(&row, "id");
            out.entry(id.clone()).or_insert_with(|| Loaded { id, info, ..Loaded::default() });
        }
    }
    let parts = if tables.iter().any(|t| t == "part") { store.parts() } else { Parts::new() };
    if tables.iter().any(|t| t == "session_message") {
        store.new_messages(&mut out);
    }
    if tables.iter().any(|t| t == "message") {
        store.messages(parts, &mut out);
    }
    let mut sessions: Vec<Loaded> = out.into_values().collect();
    sessions.iter_mut().flat_map(|s| &mut s.sources).for_each(|source| {
        source.digest.clone_from(&digest);
        source.bytes_used = source.bytes_read - source.bytes_skipped;
        source.kept = source.records - source.skipped - source.copies;
    });
    let said = |s: &Loaded| s.entries.iter().any(|e| !e.message.parts.is_empty());
    if let (false, Some(trouble)) = (sessions.iter().any(said), store.trouble.first()) {
        return Err(damaged(trouble.message.clone()));
    }
    if sessions.is_empty() {
        sessions.push(Loaded { id: digest.chars().take(16).collect(), ..Loaded::default() });
    }
    sessions[0].warnings.append(&mut store.trouble);
    Ok(sessions)
}

/// SHA-256 of the file, read once through.
fn digest(input: &Input) -> Result<String, Error> {
    let mut reader = input.open()?;
    let (mut hash, mut block) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match reader.read(&mut block).map_err(|e| input.error(e))? {
            0 => return Ok(hash.finalize().iter().map(|b| format!("{b:02x}")).collect()),
            n => hash.update(&block[..n]),
        }
    }
}

/// Parts by message and session: two sessions may have messages of one id. The session is empty where none is named.
type Parts = BTreeMap<(String, String), Vec<Row>>;

struct Store {
    database: Database,
    file: String,
    trouble: Vec<Diag>,
    /// Sessions that 2.x wrote, with the times of its first and last message.
    newer: BTreeMap<String, (Timestamp, Timestamp)>,
}

impl Store {
    /// Rows of a table, as far as the file is sound.
    fn rows(&mut self, table: &str, order: &[&str]) -> Vec<Row> {
        let (rows, end) = self.database.table(table, order);
        if let Some(why) = end {
            self.lost(format!(
                "{why}; rows of `{table}` from there on are read only as far as they are found from its end"
            ));
        }
        // A long `data` is told with its row.
        let is_long = |row: &&Row| row.get("long").is_some_and(|v| v == 1) && octets(row) <= CELL;
        for row in rows.iter().filter(is_long) {
            let loc = Loc { file: self.file.clone(), line: place(row).line.into(), byte: 0 };
            let text = format!("a cell of table {table} holds more than {} MiB; read as empty", CELL >> 20);
            self.trouble.push(Diag::lost(Trouble::LineTooLong, loc, 0, 0, text));
        }
        rows
    }

    /// Says what of the file cannot be read.
    fn lost(&mut self, why: String) {
        let loc = Loc { file: self.file.clone(), ..Loc::default() };
        self.trouble.push(Diag::lost(Trouble::BadDatabase, loc, 0, 0, why));
    }

    /// Parts by message and session, in order.
    fn parts(&mut self) -> Parts {
        let mut out = Parts::new();
        for row in self.rows("part", &["time_created"]) {
            out.entry((text(&row, "message_id"), text(&row, "session_id"))).or_default().push(row);
        }
        out
    }

    fn messages(&mut self, mut parts: Parts, out: &mut BTreeMap<String, Loaded>) {
        for row in self.rows("message", &["time_created"]) {
            let (id, session_id) = (text(&row, "id"), text(&row, "session_id"));
            let loaded = self.loaded(out, &session_id);
            // What 2.x wrote stands in its own table; rows of 1.x from that time are stale.
            let newer = self.newer.get(&session_id);
            let stale = newer.is_some_and(|(first, last)| at(&row).is_some_and(|at| (first..=last).contains(&&at)));
            let Some(info) = data(loaded, "message", &row, &[("id", &id), ("sessionID", &session_id)]) else {
                continue; // its parts are kept as those of a message of which only the id is known
            };
            let place = place(&row);
            let mut rows = parts.remove(&(id.clone(), session_id.clone())).unwrap_or_default();
            rows.extend(parts.remove(&(id.clone(), String::new())).unwrap_or_default());
            let parts: Vec<(Value, Place)> = rows
                .iter()
                .filter_map(|p| {
                    let ids = [("id", text(p, "id")), ("messageID", id.clone()), ("sessionID", session_id.clone())];
                    let ids: Vec<(&str, &str)> = ids.iter().map(|(k, v)| (*k, v.as_str())).collect();
                    Some((data(loaded, "part", p, &ids)?, self::place(p)))
                })
                .collect();
            if stale {
                loaded.sources[0].copies += 1 + parts.len() as u64;
                if !loaded.warnings.iter().any(|w| w.kind == "older-store") {
                    let loc = Loc { file: self.file.clone(), line: place.line.into(), byte: 0 };
                    let text = "rows of `message` from the time that `session_message` covers are not read";
                    loaded.warnings.push(Diag::note(Trouble::OlderStore, loc, text));
                }
            } else {
                loaded.push(with_time(entry(&info, parts, place), &row), "");
            }
        }
        self.orphans(parts, out);
    }

    /// Parts whose message is not in the session they name: kept there as a message of which only the id is known.
    fn orphans(&self, parts: Parts, out: &mut BTreeMap<String, Loaded>) {
        let homes = Homes::of(out.values());
        for ((message, session), rows) in parts {
            let loaded = self.loaded(out, &session);
            let parts: Vec<(Value, Place)> = rows
                .iter()
                .filter_map(|r| Some((data(loaded, "part", r, &[("id", &text(r, "id"))])?, place(r))))
                .collect();
            let Some(place) = parts.first().map(|p| p.1) else { continue };
            let loc = Loc { file: self.file.clone(), line: place.line.into(), byte: 0 };
            loaded.warnings.push(Diag::warning(Trouble::Orphan, loc, homes.told(&message, &session)));
            loaded.push(orphan(&message, &session, parts, place), "");
        }
    }

    fn new_messages(&mut self, out: &mut BTreeMap<String, Loaded>) {
        let mut marks: BTreeMap<String, Vec<Part>> = BTreeMap::new();
        for row in self.rows("session_message", &["session_id", "time_created", "seq"]) {
            let (id, session_id) = (text(&row, "id"), text(&row, "session_id"));
            let loaded = self.loaded(out, &session_id);
            let Some(info) = data(loaded, "session_message", &row, &[("id", &id), ("sessionID", &session_id)]) else {
                continue;
            };
            match v2_row(&text(&row, "type"), info, place(&row)) {
                V2::Message(mut new) => {
                    let early = marks.remove(&session_id).unwrap_or_default();
                    new.records.extend(early.iter().map(|_| 0));
                    new.message.parts.splice(0..0, early);
                    let new = with_time(*new, &row);
                    if let Some(at) = new.message.at {
                        let times = self.newer.entry(session_id).or_insert((at, at));
                        *times = (times.0.min(at), times.1.max(at));
                    }
                    loaded.entries.push(new);
                }
                V2::Mark(part) => match loaded.entries.last_mut() {
                    Some(last) => {
                        last.message.parts.push(part);
                        last.records.push(0);
                    }
                    None => marks.entry(session_id).or_default().push(part),
                },
            }
        }
    }

    /// The session of a row; one without a record of its own is made.
    fn loaded<'a>(&self, out: &'a mut BTreeMap<String, Loaded>, id: &str) -> &'a mut Loaded {
        let loaded = out.entry(id.to_owned()).or_insert_with(|| Loaded { id: id.into(), ..Loaded::default() });
        if loaded.sources.is_empty() {
            let (file, format) = (self.file.clone(), FORMAT.id);
            loaded.sources.push(SourceFile { file, format, ..SourceFile::default() });
        }
        loaded
    }
}

/// The session record that the columns make up.
fn session(row: &Row) -> Value {
    let mut info = Map::new();
    for (column, key) in [
        ("id", "id"),
        ("parent_id", "parentID"),
        ("title", "title"),
        ("directory", "directory"),
        ("version", "version"),
    ] {
        if let Some(value) = row.get(column).filter(|v| v.is_string()) {
            info.insert(key.into(), value.clone());
        }
    }
    let number = |key: &str| row.get(key).cloned().unwrap_or_default();
    info.insert("time".into(), json!({"created": number("time_created"), "updated": number("time_updated")}));
    if let Some(revert) = row.get("revert").and_then(Value::as_str).and_then(|r| serde_json::from_str(r).ok()) {
        info.insert("revert".into(), revert);
    }
    if let Some(fork) = row.get("fork_session_id").filter(|v| v.is_string()) {
        info.insert("forkedFrom".into(), fork.clone());
    }
    Value::Object(info)
}

/// The record in the `data` column with the ids that stand in columns of their own. Counts it.
fn data(loaded: &mut Loaded, table: &str, row: &Row, ids: &[(&str, &str)]) -> Option<Value> {
    let raw = row.get("data").and_then(Value::as_str).unwrap_or_default();
    let bytes = octets(row);
    count(&mut loaded.sources[0], bytes);
    let value = bounded::value(raw).or_else(|_| bounded::value(&mend_surrogates(raw)));
    match value {
        Ok(Value::Object(mut object)) => {
            object.extend(ids.iter().map(|(key, id)| ((*key).into(), (*id).into())));
            Some(Value::Object(object))
        }
        _ => {
            let id: String = text(row, "id").chars().take(100).collect();
            let (kind, what) = match bytes {
                CELL.. => (Trouble::LineTooLong, format!("holds more than {} MiB", CELL >> 20)),
                _ => (Trouble::BadJson, "is no JSON object".to_owned()),
            };
            skip(loaded, row, bytes, kind, &format!("the data of row {id} of table {table} {what}; passed over"));
            None
        }
    }
}

/// Bytes of a row's data.
fn octets(row: &Row) -> u64 {
    row.get("octets").and_then(Value::as_u64).unwrap_or_default()
}

fn count(source: &mut SourceFile, bytes: u64) {
    source.bytes_read += bytes;
    source.records += 1;
}

fn skip(loaded: &mut Loaded, row: &Row, bytes: u64, kind: Trouble, message: &str) {
    let source = &mut loaded.sources[0];
    source.bytes_skipped += bytes;
    source.skipped += 1;
    let loc = Loc { file: source.file.clone(), line: place(row).line.into(), byte: 0 };
    loaded.warnings.push(Diag::lost(kind, loc, bytes, 1, message));
}

fn text(row: &Row, column: &str) -> String {
    row.get(column).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A row's place: its number in the table stands for the line.
fn place(row: &Row) -> Place {
    let number = row.get("place").and_then(Value::as_u64).unwrap_or_default();
    Place { file: 0, line: u32::try_from(number).unwrap_or(u32::MAX), byte: 0 }
}

fn at(row: &Row) -> Option<Timestamp> {
    let created = row.get("time_created").and_then(Value::as_i64)?;
    Timestamp::from_millisecond(created).ok()
}

/// The column's time, where the record has none.
fn with_time(mut entry: Entry, row: &Row) -> Entry {
    entry.message.at = entry.message.at.or_else(|| at(row));
    entry
}

#[cfg(test)]
mod tests;
