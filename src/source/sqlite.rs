//! SQLite files of other programs: opened so that nothing beside them is written, changed or locked.

use std::cmp::Ordering::{self, Equal};
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use super::{Input, wal};
use crate::error::Error;
use crate::temp::Folder;

/// The first bytes of every SQLite file.
pub(crate) const MAGIC: &[u8] = b"SQLite format 3\0";

/// Asks for something that every sound database answers.
const COUNT: &str = "SELECT count(*) FROM sqlite_master";

/// How often a file that is being written is copied again.
const TRIES: usize = 3;

/// Longest cell that is read.
pub(crate) const CELL: u64 = 128 << 20;

/// How long a lock of another program is waited for.
const WAIT: Duration = Duration::from_secs(2);

/// An open database. The copy, if one was made, lives as long as it.
pub(crate) struct Database {
    connection: Connection,
    /// What of it cannot be read, as far as opening tells.
    pub(crate) damage: Vec<String>,
    _copy: Option<Folder>,
}

/// A row: its columns by name.
pub(crate) type Row = BTreeMap<String, Value>;

impl Database {
    /// Opens an input for reading. With a write-ahead log beside it, both are copied first: opening them where they
    /// stand would write, and without the log the newest rows are missing.
    pub(crate) fn open(input: &Input) -> Result<Self, Error> {
        let fail = |e: Trouble| match e {
            Trouble::Io(e) => input.error(e),
            Trouble::Sql(e) => input.error(io::Error::other(e)),
        };
        match input.path() {
            Some(path) => Self::open_path(path).map_err(fail),
            None => Self::open_bytes(&input.read()?).map_err(fail),
        }
    }

    pub(crate) fn open_path(path: &Path) -> Result<Self, Trouble> {
        let wal = beside(path, "-wal");
        if fs::metadata(&wal).is_ok_and(|m| m.len() > 0) {
            let (copy, file) = copy_together(path, &wal)?;
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let damage = wal::damage(&mut BufReader::new(fs::File::open(beside(&file, "-wal"))?))?;
            let opened = Self::guarded(Connection::open_with_flags(file, flags)?, Some(copy))?;
            return Ok(Self { damage: damage.into_iter().chain(opened.damage).collect(), ..opened });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        locked(path, flags)?;
        Self::guarded(Connection::open_with_flags(immutable(path)?, flags)?, None)
    }

    /// Views and triggers of a hostile file may not call functions. Of a file that is cut, what stands is read: only with
    /// this switch does SQLite look at a file that is shorter than its header says. Nothing can be written all the same.
    fn guarded(connection: Connection, copy: Option<Folder>) -> Result<Self, Trouble> {
        connection.execute_batch("PRAGMA trusted_schema = OFF")?;
        let mut damage = Vec::new();
        if let Err(rusqlite::Error::SqliteFailure(e, _)) = connection.query_row(COUNT, [], |_| Ok(()))
            && e.code == rusqlite::ErrorCode::DatabaseCorrupt
        {
            connection.execute_batch("PRAGMA writable_schema = ON")?;
            if connection.query_row(COUNT, [], |_| Ok(())).is_ok() {
                damage.push("the file is shorter than it says; rows on the missing pages are not read".to_owned());
            }
        }
        Ok(Self { connection, damage, _copy: copy })
    }

    fn open_bytes(bytes: &[u8]) -> Result<Self, Trouble> {
        let copy = Folder::private()?;
        let file = copy.path().join("database");
        fs::File::create_new(&file)?.write_all(bytes)?;
        let opened = Self::open_path(&file)?;
        Ok(Self { _copy: Some(copy), ..opened })
    }

    /// Names of its tables, or why they cannot be read.
    pub(crate) fn tables(&self) -> Result<Vec<String>, String> {
        self.named("table")
    }

    /// Names of its views.
    pub(crate) fn views(&self) -> Vec<String> {
        self.named("view").unwrap_or_default()
    }

    fn named(&self, kind: &str) -> Result<Vec<String>, String> {
        let (rows, end) = self.rows(&format!("SELECT name FROM sqlite_master WHERE type = '{kind}' ORDER BY name"));
        let text = |mut row: Row| row.remove("name").and_then(|v| v.as_str().map(Into::into));
        end.map_or_else(|| Ok(rows.into_iter().filter_map(text).collect()), Err)
    }

    /// Rows of a table in the order of some columns, as far as the file is sound, and why it ended early. Each has its
    /// `rowid` as `place`, and as `octets` the length of its `data`. A cell that is too long is NULL, and `long` is 1.
    pub(crate) fn table(&self, table: &str, order: &[&str]) -> (Vec<Row>, Option<String>) {
        // Names that are no UTF-8 must not reach the result: asking for them panics.
        let (mut columns, mut long) = (String::from("rowid AS place"), String::from("0"));
        let listed = self.connection.prepare("SELECT name FROM pragma_table_info(?)").and_then(|mut statement| {
            let mut names = statement.query([table])?;
            while let Some(row) = names.next()? {
                let Ok(name) = row.get_ref(0)?.as_str() else { continue };
                let name = format!("\"{}\"", name.replace('"', "\"\""));
                // Asking for the length does not read the cell.
                let fits = format!("typeof({name}) <> 'blob' AND octet_length({name}) <= {CELL}");
                columns.push_str(&format!(", CASE WHEN {fits} THEN {name} END AS {name}"));
                long.push_str(&format!(" OR coalesce(octet_length({name}) > {CELL}, 0)"));
                if name == "\"data\"" {
                    columns.push_str(", octet_length(data) AS octets");
                }
            }
            Ok(())
        });
        if let Err(e) = listed {
            return (Vec::new(), Some(e.to_string()));
        }
        let sql = format!("SELECT {columns}, {long} AS long FROM {table} ORDER BY rowid");
        let (mut rows, end) = self.rows(&sql);
        let place = |row: &Row| row.get("place").and_then(Value::as_i64);
        if end.is_some() {
            // Half a page gives rows of nothing. Behind the damage, rows are read from the other end.
            let mut from = i64::MIN;
            rows.retain(|row| {
                let next = place(row).filter(|at| *at > from);
                from = next.unwrap_or(from);
                next.is_some()
            });
            let (mut behind, _) = self.rows(&format!("{sql} DESC"));
            behind.retain(|row| place(row) > Some(from));
            rows.extend(behind.into_iter().rev());
        }
        // Sorted here: SQLite would write what does not fit into memory to a file, and give nothing of a damaged table.
        rows.sort_by(|a, b| {
            order.iter().map(|key| compare(a.get(*key), b.get(*key))).find(|o| o.is_ne()).unwrap_or(Equal)
        });
        (rows, end)
    }

    /// Rows of a query, as far as the file is sound, and why it ended early.
    pub(crate) fn rows(&self, sql: &str) -> (Vec<Row>, Option<String>) {
        let mut out = Vec::new();
        let end = self.each(sql, |row| out.push(row)).err();
        (out, end.map(|e| e.to_string()))
    }

    fn each(&self, sql: &str, mut row: impl FnMut(Row)) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare(sql)?;
        let names: Vec<String> = statement.column_names().map(Into::into).collect();
        let mut rows = statement.query([])?;
        while let Some(found) = rows.next()? {
            let columns = names.iter().enumerate().map(|(i, n)| Ok((n.clone(), json(found.get_ref(i)?))));
            row(columns.collect::<rusqlite::Result<Row>>()?);
        }
        Ok(())
    }
}

/// What can go wrong in opening.
#[derive(Debug)]
pub(crate) enum Trouble {
    Io(io::Error),
    Sql(rusqlite::Error),
}

impl From<io::Error> for Trouble {
    fn from(e: io::Error) -> Self {
        Self::Io(e)
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(e: rusqlite::Error) -> Self {
        Self::Sql(e)
    }
}

/// The order that SQLite gives cells: nothing, numbers, text.
fn compare(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    let key = |v: Option<&Value>| v.map_or(0, |v| 2 * u8::from(v.is_string()) + u8::from(v.is_number()));
    let number = |v: Option<&Value>| v.and_then(Value::as_f64).unwrap_or_default();
    let text = |v| Option::<&Value>::and_then(v, Value::as_str).unwrap_or_default();
    key(a).cmp(&key(b)).then_with(|| number(a).total_cmp(&number(b))).then_with(|| text(a).cmp(text(b)))
}

fn json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
        ValueRef::Integer(n) => n.into(),
        ValueRef::Real(f) => f.into(),
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned().into(),
    }
}

/// Fails when another program holds the database for itself. Only a database without a write-ahead log is asked: with
/// one, asking would write beside it.
fn locked(path: &Path, flags: OpenFlags) -> Result<(), Trouble> {
    let mut header = [0; 20];
    let whole = fs::File::open(path)?.read_exact(&mut header).is_ok();
    if !whole || header[18] != 1 {
        return Ok(());
    }
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(WAIT)?;
    match connection.query_row(COUNT, [], |_| Ok(())) {
        Err(rusqlite::Error::SqliteFailure(e, _)) if e.code == rusqlite::ErrorCode::DatabaseBusy => {
            Err(io::Error::other("locked by another program; close it, or copy the file and read the copy").into())
        }
        _ => Ok(()),
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The database that a write-ahead log, or the index of one, stands beside.
pub(crate) fn base_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let base = ["-wal", "-shm"].iter().find_map(|end| name.strip_suffix(end))?;
    Some(path.with_file_name(base))
}

/// Copies a database and its log to a private folder, again if either changed meanwhile.
fn copy_together(path: &Path, wal: &Path) -> io::Result<(Folder, PathBuf)> {
    let state = || -> io::Result<_> {
        let seen = |m: Metadata| -> io::Result<_> { Ok((m.len(), m.modified()?)) };
        Ok((seen(fs::metadata(path)?)?, seen(fs::metadata(wal)?)?))
    };
    let copy = Folder::private()?;
    let file = copy.path().join("database");
    for _ in 0..TRIES {
        let before = state()?;
        // Contents only: a copy of the permissions could not be opened or deleted.
        for (from, to) in [(path, file.clone()), (wal, beside(&file, "-wal"))] {
            io::copy(&mut fs::File::open(from)?, &mut fs::File::create(to)?)?;
        }
        if state()? == before {
            return Ok((copy, file));
        }
    }
    Err(io::Error::other("the database is being written; try again when the program rests"))
}

/// A path as a URI that tells SQLite that nobody writes the file: it then needs no lock and no file beside it.
fn immutable(path: &Path) -> io::Result<String> {
    let path = std::path::absolute(path)?;
    let path = path.to_str().ok_or_else(|| io::Error::other("the path is no valid Unicode"))?.replace('\\', "/");
    let mut uri = String::from(if path.starts_with('/') { "file:" } else { "file:/" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b':' => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    Ok(uri + "?immutable=1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writer(path: &Path) -> Connection {
        let connection = Connection::open(path).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)").unwrap();
        connection
    }

    fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let mut out: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().path())
            .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), fs::read(p).unwrap()))
            .collect();
        out.sort();
        out
    }

    #[test]
    fn rows_in_the_log_are_seen_and_nothing_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a ?#%é.db");
        let writer = writer(&path);
        let before = files(folder.path());
        assert!(before.iter().any(|(n, b)| n.ends_with("-wal") && !b.is_empty()));
        let database = Database::open_path(&path).unwrap();
        assert_eq!(database.rows("SELECT x FROM t").0.len(), 1);
        drop(database);
        assert_eq!(files(folder.path()), before);
        drop(writer);
        let before = files(folder.path());
        assert_eq!(before.len(), 1);
        let database = Database::open_path(&path).unwrap();
        assert_eq!((database.rows("SELECT x FROM t").0.len(), database.tables()), (1, Ok(vec!["t".to_owned()])));
        assert_eq!(files(folder.path()), before);
        assert_eq!(Database::open_bytes(&before[0].1).unwrap().rows("SELECT x FROM t").0.len(), 1);
    }

    #[test]
    fn the_schema_is_not_trusted_with_a_log_and_without() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let writer = writer(&path);
        let trusted = || {
            let database = Database::open_path(&path).unwrap();
            let (copied, rows) = (database._copy.is_some(), database.rows("PRAGMA trusted_schema").0);
            (copied, rows[0]["trusted_schema"].clone())
        };
        assert_eq!(trusted(), (true, 0.into()));
        drop(writer);
        assert_eq!(trusted(), (false, 0.into()));
    }

    #[test]
    fn a_lock_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch("CREATE TABLE t (x); BEGIN EXCLUSIVE").unwrap();
        let error = Database::open(&Input::file("x.db", &path)).err().unwrap();
        assert!(error.to_string().contains("locked by another program"), "{error}");
    }

    #[test]
    fn a_column_whose_name_is_no_utf8_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        Connection::open(&path)
            .unwrap()
            .execute_batch("CREATE TABLE t (x, data); INSERT INTO t VALUES (1, 2)")
            .unwrap();
        let mut bytes = fs::read(&path).unwrap();
        let at = bytes.windows(4).position(|w| w == b"data").unwrap();
        bytes[at + 1] = 0xFF;
        let (rows, end) = Database::open_bytes(&bytes).unwrap().table("t", &[]);
        assert_eq!(
            (rows[0].keys().cloned().collect::<Vec<_>>(), end),
            (vec!["long".into(), "place".into(), "x".into()], None)
        );
    }

    #[test]
    fn a_damaged_file_tells_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        fs::write(&path, [MAGIC, &[7; 5000]].concat()).unwrap();
        let database = Database::open_path(&path).unwrap();
        assert!(database.rows("SELECT name FROM sqlite_master").1.is_some());
        assert!(database.tables().is_err());
    }
}
