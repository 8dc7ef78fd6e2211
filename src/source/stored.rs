//! What a store of many sessions says of each without its messages being read: OpenCode's database and storage tree keep
//! title, directory, times and the latest list beside the messages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

use super::regular;
use super::sqlite::{Database, Row, Trouble};
use crate::error::Error;

/// Rows of `session_message` that are messages; others are marks that hang on one.
const MESSAGES: [&str; 7] = ["user", "synthetic", "skill", "system", "assistant", "compaction", "shell"];

/// A session of a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stored {
    /// Its id.
    pub id: String,
    /// Title, as the store has it.
    pub title: Option<String>,
    /// Working directory of the agent.
    pub directory: Option<String>,
    /// When it was made.
    pub created: Option<Timestamp>,
    /// When it was last changed.
    pub updated: Option<Timestamp>,
    /// Messages, subagents' included; not known where the table of messages is damaged.
    pub messages: Option<u64>,
    /// Whether a part of the store that may tell of it could not be read.
    pub damaged: bool,
    /// Items of its latest list: done, and all.
    pub plan: Option<(u64, u64)>,
    /// The file that holds it: what a command reads it from.
    pub file: PathBuf,
    parent: Option<String>,
}

/// The sessions of an OpenCode database, in order of id, as far as the file is sound. Subagents count with the session
/// that started them.
pub fn database(path: &Path) -> Result<Vec<Stored>, Error> {
    let fail = |source: io::Error| Error::Read { path: path.display().to_string(), source };
    let database = Database::open_path(path).map_err(|e| match e {
        Trouble::Io(e) => fail(e),
        Trouble::Sql(e) => fail(io::Error::other(e)),
    })?;
    let tables = database.tables().map_err(|why| fail(io::Error::other(why)))?;
    let has = |name: &str| tables.iter().any(|t| t == name);
    let (mut out, mut trouble) = (BTreeMap::<String, Stored>::new(), database.damage.first().cloned());
    for table in ["session_v2", "session"].iter().filter(|t| has(t)) {
        let (rows, end) = database.table(table, &[]);
        trouble = trouble.or(end);
        for row in rows {
            let stored = Stored { file: path.to_owned(), messages: Some(0), ..of_row(&row) };
            out.entry(stored.id.clone()).or_insert(stored);
        }
    }
    for (table, sql) in counts().iter().filter(|(table, _)| has(table)) {
        let (rows, end) = database.rows(sql);
        let counted = rows.iter().filter_map(|row| Some((text(row, "session_id")?, row)));
        for (id, row) in counted {
            // The record of a session may be gone while its messages stand.
            let new = || Stored { id: id.into(), file: path.to_owned(), messages: Some(0), ..Stored::default() };
            let stored = out.entry(id.to_owned()).or_insert_with(new);
            match *table {
                "todo" => stored.plan = Some((number(row, "done"), number(row, "n"))),
                _ => stored.messages = stored.messages.max(Some(number(row, "n"))),
            }
        }
        if let Some(why) = end {
            out.values_mut().filter(|_| *table != "todo").for_each(|stored| stored.messages = None);
            trouble = trouble.or(Some(why));
        }
    }
    if let (true, Some(why)) = (out.is_empty(), &trouble) {
        return Err(fail(io::Error::other(why.clone())));
    }
    out.values_mut().for_each(|stored| stored.damaged = trouble.is_some());
    Ok(with_subagents(out))
}

/// Tables that are counted, and how. A session that 2.x goes on with has its messages in both tables, the older ones in
/// the old one alone: the larger number is the nearer one.
fn counts() -> [(&'static str, String); 3] {
    let kinds = MESSAGES.map(|m| format!("'{m}'")).join(", ");
    let count = |columns: &str, from: &str| format!("SELECT session_id, count(*) AS n{columns} FROM {from} GROUP BY 1");
    [
        ("session_message", count("", &format!("session_message WHERE type IN ({kinds})"))),
        ("message", count("", "message")),
        ("todo", count(", sum(status = 'completed') AS done", "todo")),
    ]
}

fn number(row: &Row, column: &str) -> u64 {
    row.get(column).and_then(Value::as_u64).unwrap_or_default()
}

fn of_row(row: &Row) -> Stored {
    let time = |key: &str| row.get(key).and_then(Value::as_i64).and_then(|ms| Timestamp::from_millisecond(ms).ok());
    Stored {
        id: text(row, "id").unwrap_or_default().to_owned(),
        title: text(row, "title").map(str::to_owned),
        directory: text(row, "directory").map(str::to_owned),
        created: time("time_created"),
        updated: time("time_updated"),
        parent: text(row, "parent_id").map(str::to_owned),
        ..Stored::default()
    }
}

fn text<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    row.get(column).and_then(Value::as_str).filter(|t| !t.is_empty())
}

/// The sessions of a storage tree, in order of id, and the files that could not be understood.
pub fn tree(root: &Path) -> (Vec<Stored>, Vec<Error>) {
    let (mut out, mut errors) = (BTreeMap::new(), Vec::new());
    for file in entries(&root.join("session")).iter().flat_map(|project| entries(project)) {
        if file.extension().is_none_or(|e| e != "json") {
            continue;
        }
        match of_file(root, &file) {
            Ok(stored) => drop(out.insert(stored.id.clone(), stored)),
            Err(source) => errors.push(Error::Read { path: file.display().to_string(), source }),
        }
    }
    (with_subagents(out), errors)
}

fn of_file(root: &Path, file: &Path) -> io::Result<Stored> {
    let info: Value = serde_json::from_slice(&regular::read(file)?)?;
    let text = |key: &str| info.get(key).and_then(Value::as_str).filter(|t| !t.is_empty()).map(str::to_owned);
    let time = |key: &str| info.get("time")?.get(key)?.as_i64().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let id = text("id").ok_or_else(|| io::Error::other("a session's record without an id"))?;
    let todo = regular::read(&root.join("todo").join(format!("{id}.json"))).ok();
    let todo = todo.and_then(|bytes| serde_json::from_slice::<Vec<Value>>(&bytes).ok()).filter(|list| !list.is_empty());
    let done =
        |list: &[Value]| list.iter().filter(|i| i.get("status").is_some_and(|s| s == "completed")).count() as u64;
    Ok(Stored {
        title: text("title"),
        directory: text("directory"),
        created: time("created"),
        updated: time("updated"),
        damaged: false,
        messages: Some(entries(&root.join("message").join(&id)).len() as u64),
        plan: todo.map(|list| (done(&list), list.len() as u64)),
        file: file.to_owned(),
        parent: text("parentID"),
        id,
    })
}

/// What a folder holds, in order; nothing when it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    out.sort();
    out
}

/// Adds what subagents wrote to the session at the top. A session whose parent is gone stands for itself.
fn with_subagents(all: BTreeMap<String, Stored>) -> Vec<Stored> {
    let parent = |id: &str| all.get(id).and_then(|s| s.parent.as_deref()).filter(|p| all.contains_key(*p));
    let top = |id: &str| {
        let (mut at, mut seen) = (id.to_owned(), BTreeSet::new());
        while let Some(up) = parent(&at).filter(|up| seen.insert((*up).to_owned())) {
            at = up.to_owned();
        }
        at
    };
    let tops: BTreeMap<String, String> = all.keys().map(|id| (id.clone(), top(id))).collect();
    let mut out: BTreeMap<String, Stored> =
        all.iter().filter(|(id, _)| tops[*id] == **id).map(|(id, s)| (id.clone(), s.clone())).collect();
    for (id, stored) in all.iter().filter(|(id, _)| tops[*id] != **id) {
        if let Some(above) = out.get_mut(&tops[id]) {
            above.messages = above.messages.zip(stored.messages).map(|(a, b)| a + b);
            above.updated = above.updated.max(stored.updated);
        }
    }
    out.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, value: &Value) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value.to_string()).unwrap();
    }

    #[test]
    fn a_database_tells_its_sessions_without_messages() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("opencode.db");
        let sql = "
            CREATE TABLE session (id text, parent_id text, title text, directory text, time_created integer, time_updated integer);
            CREATE TABLE message (id text, session_id text, data text);
            CREATE TABLE session_message (id text, session_id text, type text, data text);
            CREATE TABLE todo (session_id text, content text, status text);
            INSERT INTO session VALUES ('ses_a', NULL, 'first', '/x', 1000, 9000), ('ses_b', 'ses_a', 'child', '/x', 2000, 12000),
                ('ses_c', 'ses_gone', '', '/y', 3000, 3000);
            INSERT INTO message VALUES ('m1', 'ses_a', ''), ('m2', 'ses_a', ''), ('m3', 'ses_b', '');
            INSERT INTO session_message VALUES ('n1', 'ses_c', 'user', ''), ('n2', 'ses_c', 'model-switched', '');
            INSERT INTO todo VALUES ('ses_a', 'x', 'completed'), ('ses_a', 'y', 'pending');";
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let all = database(&path).unwrap();
        let short: Vec<_> = all.iter().map(|s| (s.id.as_str(), s.title.as_deref(), s.messages, s.plan)).collect();
        assert_eq!(short, [("ses_a", Some("first"), Some(3), Some((1, 2))), ("ses_c", None, Some(1), None)]);
        assert_eq!(all[0].updated.unwrap().as_second(), 12);
        assert!(database(&folder.path().join("none.db")).is_err());
    }

    #[test]
    fn of_a_damaged_database_the_sessions_around_the_damage_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("opencode.db");
        let sql = "
            CREATE TABLE session (id text, title text, time_updated integer);
            CREATE TABLE message (id text, session_id text, data text);
            WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
                INSERT INTO session SELECT 'ses_' || i, 'title of ' || i || printf('%0100d', i), i FROM n;
            INSERT INTO message SELECT 'msg_' || id, id, '{}' FROM session;";
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let sound = fs::read(&path).unwrap();
        let with_damage_at = |needle: &str| {
            let mut bytes = sound.clone();
            let at = memchr::memmem::find(&bytes, needle.as_bytes()).unwrap() / 4096 * 4096;
            bytes[at..at + 4096].fill(0xAA);
            fs::write(&path, bytes).unwrap();
            database(&path).unwrap()
        };
        // The record is lost, the messages tell that there was a session.
        let all = with_damage_at("title of 250");
        let titled = all.iter().filter(|s| s.title.is_some()).count();
        assert!((200..300).contains(&titled), "{titled}");
        assert_eq!((all.len(), all.iter().all(|s| s.damaged && s.messages == Some(1))), (300, true));
        // The records stand, how many messages is not known.
        let all = with_damage_at("msg_ses_250");
        assert_eq!((all.len(), all.iter().all(|s| s.damaged && s.messages.is_none())), (300, true));
    }

    #[test]
    fn a_tree_tells_its_sessions_by_their_own_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let info = serde_json::json!({"id": "ses_a", "title": "t", "directory": "/d", "time": {"created": 1000, "updated": 2000}});
        write(&root.join("session/p/ses_a.json"), &info);
        write(&root.join("message/ses_a/msg_1.json"), &Value::Null);
        write(&root.join("todo/ses_a.json"), &serde_json::json!([{"content": "x", "status": "completed"}]));
        fs::write(root.join("session/p/ses_b.json"), "{").unwrap();
        let (all, errors) = tree(root);
        assert_eq!((all.len(), all[0].messages, all[0].plan, errors.len()), (1, Some(1), Some((1, 1)), 1));
    }

    #[test]
    fn sessions_that_start_each_other_end() {
        let stored = |id: &str, parent: &str| {
            let parent = Some(parent.to_owned());
            (id.to_owned(), Stored { id: id.into(), parent, ..Stored::default() })
        };
        assert!(with_subagents(BTreeMap::from([stored("a", "b"), stored("b", "a")])).len() <= 2);
    }
}
