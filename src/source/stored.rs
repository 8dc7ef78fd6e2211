//! What a store of many sessions says of each without its messages being read: OpenCode's database and storage tree keep
//! title, directory, times and the latest list beside the messages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

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
    /// Messages, subagents' included.
    pub messages: u64,
    /// Items of its latest list: done, and all.
    pub plan: Option<(u64, u64)>,
    /// The file that holds it: what a command reads it from.
    pub file: PathBuf,
    parent: Option<String>,
}

/// The sessions of an OpenCode database, in order of id. Subagents count with the session that started them.
pub fn database(path: &Path) -> Result<Vec<Stored>, Error> {
    let fail = |source: io::Error| Error::Read { path: path.display().to_string(), source };
    let database = Database::open_path(path).map_err(|e| match e {
        Trouble::Io(e) => fail(e),
        Trouble::Sql(e) => fail(io::Error::other(e)),
    })?;
    let tables = database.tables().map_err(|why| fail(io::Error::other(why)))?;
    let has = |name: &str| tables.iter().any(|t| t == name);
    let whole = |(rows, end)| match end {
        None => Ok(rows),
        Some(why) => Err(fail(io::Error::other::<String>(why))),
    };
    let rows = |sql: &str| whole(database.rows(sql));
    let mut out: BTreeMap<String, Stored> = BTreeMap::new();
    for table in ["session_v2", "session"].iter().filter(|t| has(t)) {
        for row in whole(database.table(table, &[]))? {
            let stored = Stored { file: path.to_owned(), ..of_row(&row) };
            out.entry(stored.id.clone()).or_insert(stored);
        }
    }
    let kinds = MESSAGES.map(|m| format!("'{m}'")).join(", ");
    // A session that 2.x goes on with has its messages in both tables, the older ones in the old one alone: the larger
    // number is the nearer one.
    let counts = [
        (
            "session_message",
            format!(
                "SELECT session_id, count(*) AS n FROM session_message WHERE type IN ({kinds}) GROUP BY session_id"
            ),
        ),
        ("message", "SELECT session_id, count(*) AS n FROM message GROUP BY session_id".to_owned()),
    ];
    for (_, sql) in counts.iter().filter(|(table, _)| has(table)) {
        for row in rows(sql)? {
            if let Some(stored) = out.get_mut(text(&row, "session_id").unwrap_or_default()) {
                stored.messages = stored.messages.max(row.get("n").and_then(Value::as_u64).unwrap_or_default());
            }
        }
    }
    if has("todo") {
        let sql = "SELECT session_id, count(*) AS n, sum(status = 'completed') AS done FROM todo GROUP BY session_id";
        for row in rows(sql)? {
            let number = |key: &str| row.get(key).and_then(Value::as_u64).unwrap_or_default();
            if let Some(stored) = out.get_mut(text(&row, "session_id").unwrap_or_default()) {
                stored.plan = Some((number("done"), number("n")));
            }
        }
    }
    Ok(with_subagents(out))
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
    let info: Value = serde_json::from_slice(&fs::read(file)?)?;
    let text = |key: &str| info.get(key).and_then(Value::as_str).filter(|t| !t.is_empty()).map(str::to_owned);
    let time = |key: &str| info.get("time")?.get(key)?.as_i64().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let id = text("id").ok_or_else(|| io::Error::other("a session's record without an id"))?;
    let todo = fs::read(root.join("todo").join(format!("{id}.json"))).ok();
    let todo = todo.and_then(|bytes| serde_json::from_slice::<Vec<Value>>(&bytes).ok()).filter(|list| !list.is_empty());
    let done =
        |list: &[Value]| list.iter().filter(|i| i.get("status").is_some_and(|s| s == "completed")).count() as u64;
    Ok(Stored {
        title: text("title"),
        directory: text("directory"),
        created: time("created"),
        updated: time("updated"),
        messages: entries(&root.join("message").join(&id)).len() as u64,
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
            above.messages += stored.messages;
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
        assert_eq!(short, [("ses_a", Some("first"), 3, Some((1, 2))), ("ses_c", None, 1, None)]);
        assert_eq!(all[0].updated.unwrap().as_second(), 12);
        assert!(database(&folder.path().join("none.db")).is_err());
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
        assert_eq!((all.len(), all[0].messages, all[0].plan, errors.len()), (1, 1, Some((1, 1)), 1));
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
