//! SQL over the tables, run by polars.
//!
//! A query is checked first ([`check`]), then only the tables it names are filled. It runs in a thread of its own with a
//! large stack; the caller waits at most [`TIME`] and looks at the memory meanwhile. Where a limit is passed the caller
//! gets an error at once; the thread cannot be stopped from outside and ends with the process, as the `query` command does.

mod check;
mod joins;
mod names;
mod order;

use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use polars_core::prelude::*;
use polars_lazy::prelude::*;
use polars_sql::SQLContext;
use sqlparser::ast::Statement;

use super::dataset::{self, Encoding, Manifest};
use super::frame::{self, FrameBuilder};
use super::{Table, Value, nearest, parquet};
use crate::analysis::Analysis;
use crate::error::Error;

/// A query is stopped after this time.
pub const TIME: Duration = Duration::from_secs(10);
/// A query is stopped when it needs more memory than this, the tables not counted.
const MEMORY: u64 = 512 << 20;
const STACK: usize = 64 << 20;

/// A query, checked, and the tables it names, being filled.
pub struct Query {
    sql: String,
    statement: Statement,
    tables: Vec<Filled>,
}

struct Filled {
    table: &'static Table,
    rows: FrameBuilder,
    read: Vec<DataFrame>,
}

impl std::fmt::Debug for Query {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query").field("sql", &self.sql).finish_non_exhaustive()
    }
}

impl Query {
    /// Checks a query.
    pub fn new(sql: &str) -> Result<Self, Error> {
        let sql = sql.trim().trim_end_matches(';').to_owned();
        let text = sql.clone();
        let checked = on_thread(TIME, move || check::check(&text))?.map_err(Error::Query)?;
        let fill = |table| Filled { table, rows: FrameBuilder::new(table), read: Vec::new() };
        let tables = checked.tables.into_iter().map(fill).collect();
        let mut statement = checked.statement;
        let sql = if joins::rewrite(&mut statement) { statement.to_string() } else { sql };
        Ok(Self { sql, statement, tables })
    }

    /// Adds the rows of a session to the tables.
    pub fn add(&mut self, analysis: &Analysis) {
        for filled in &mut self.tables {
            filled.table.each_row(analysis, &mut |cells| filled.rows.push(cells));
        }
    }

    /// Adds the rows of a dataset to the tables.
    pub fn add_dataset(&mut self, folder: &Path, manifest: &Manifest) -> Result<(), Error> {
        for (part, sessions) in manifest.parts() {
            for filled in &mut self.tables {
                let path = dataset::file(folder, filled.table, part, manifest.format);
                match manifest.format {
                    Encoding::Parquet => {
                        let frame = parquet::read(&path, filled.table)?;
                        // A session that a later part replaced leaves stale rows behind.
                        let ids = frame.column("session_id").and_then(|c| Ok(c.str()?.clone()));
                        let live: BooleanChunked =
                            ids.map_err(failed)?.iter().map(|id| id.is_some_and(|id| sessions.contains(id))).collect();
                        filled.read.push(frame.filter(&live).map_err(failed)?);
                    }
                    Encoding::Ndjson => dataset::read_ndjson(&path, filled.table, &mut |cells| {
                        if cells[0].as_text().is_some_and(|id| sessions.contains(id)) {
                            filled.rows.push(cells);
                        }
                    })?,
                    Encoding::Csv => {
                        let why = "holds CSV, which does not tell NULL from empty text; write it as Parquet or NDJSON to query it";
                        return Err(Error::Query(format!("{} {why}", folder.display())));
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs it.
    pub fn run(self) -> Result<Answer, Error> {
        let tables: Vec<&Table> = self.tables.iter().map(|filled| filled.table).collect();
        let mut context = SQLContext::new();
        for filled in self.tables {
            let mut frame = filled.rows.finish().map_err(failed)?;
            for read in filled.read {
                frame.vstack_mut_owned(read).map_err(failed)?;
            }
            frame.rechunk_mut();
            context.register(filled.table.name, frame.lazy());
        }
        let (sql, statement) = (self.sql, self.statement);
        let frame = on_thread(TIME, move || order::plan(&mut context, &sql, &statement)?.collect())?;
        frame.map(Answer).map_err(|e| name_error(e, &tables))
    }
}

/// Runs a piece of work on a thread with a large stack, within the limits.
fn on_thread<T: Send + 'static>(time: Duration, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    let (done, result) = mpsc::channel();
    let before = resident();
    let run = move || {
        let _ = done.send(work());
    };
    let started = Instant::now();
    let spawned = thread::Builder::new().name("query".into()).stack_size(STACK).spawn(run);
    spawned.map_err(|e| Error::Query(format!("no thread could be started: {e}")))?;
    loop {
        match result.recv_timeout(Duration::from_millis(20)) {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Disconnected) => return Err(Error::Query("the query engine failed on it".into())),
            Err(RecvTimeoutError::Timeout) if started.elapsed() > time => {
                let seconds = time.as_secs();
                return Err(Error::Query(format!("stopped after {seconds} s; select less, or add a WHERE or a LIMIT")));
            }
            Err(RecvTimeoutError::Timeout) if resident().saturating_sub(before) > MEMORY => {
                let mib = MEMORY >> 20;
                return Err(Error::Query(format!(
                    "stopped: it needs more than {mib} MiB; select less, or add a WHERE"
                )));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Bytes of memory in use; 0 where the system does not tell.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm");
    let pages = pages.ok().and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}

fn failed(error: PolarsError) -> Error {
    Error::Query(error.to_string().lines().next().unwrap_or_default().trim_end_matches('.').to_owned())
}

/// The engine's error; where a column does not exist, with the nearest name, or the names there are.
fn name_error(error: PolarsError, tables: &[&'static Table]) -> Error {
    let text = error.to_string();
    let unknown = match &error {
        PolarsError::ColumnNotFound(_) => quoted(&text),
        PolarsError::SQLInterface(_) if text.contains("column") => quoted(&text),
        _ => None,
    };
    let names = || tables.iter().flat_map(|t| t.columns().map(|c| c.name));
    match unknown.filter(|name| names().all(|known| known != *name)) {
        None => failed(error),
        Some(name) => Error::Query(match nearest(name, names()) {
            Some(near) => format!("no column `{name}` (`{near}`?); `turnpoint schema` lists the columns"),
            None => {
                let names: std::collections::BTreeSet<&str> = names().collect();
                let names: Vec<&str> = names.into_iter().collect();
                format!("no column `{name}`; the tables named have {}", names.join(", "))
            }
        }),
    }
}

/// The first name in quotes.
fn quoted(text: &str) -> Option<&str> {
    let start = text.find(['"', '\'', '`'])? + 1;
    let end = text[start..].find(['"', '\'', '`'])? + start;
    Some(&text[start..end])
}

/// The rows that a query gives.
pub struct Answer(DataFrame);

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Answer").field(&self.0.shape()).finish()
    }
}

impl Answer {
    /// Names of the columns.
    pub fn names(&self) -> Vec<&str> {
        self.0.get_column_names().into_iter().map(|n| n.as_str()).collect()
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.0.height()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps the first rows only.
    pub fn truncate(&mut self, rows: usize) {
        if rows < self.len() {
            self.0 = self.0.head(Some(rows));
        }
    }

    /// Hands the rows to `emit`, one after the other.
    pub fn each_row<E>(&self, emit: impl FnMut(&[Value<'_>]) -> Result<(), E>) -> Result<(), E> {
        frame::each_row(&self.0, emit)
    }

    /// Writes the rows as Parquet.
    pub fn write_parquet(&mut self, out: impl Write) -> io::Result<()> {
        parquet::write_frame(&mut self.0, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_takes_too_long_or_fails_is_an_error() {
        let slow = on_thread(Duration::from_millis(50), || thread::sleep(Duration::from_secs(5)));
        assert!(slow.unwrap_err().to_string().starts_with("stopped after"));
        let failed = on_thread(TIME, || std::panic::resume_unwind(Box::new("no")));
        assert_eq!(failed.map(|()| 0).unwrap_err().to_string(), "the query engine failed on it");
        assert_eq!(on_thread(TIME, || 7).unwrap(), 7);
    }
}
