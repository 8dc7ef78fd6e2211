//! A dataset: a folder that holds every table as files, and a manifest that says which session stands in which part.
//!
//! ```text
//! DIR/manifest.json              sessions: agent, session_id, digest, part
//! DIR/<table>/<part>.<format>    rows; never changed once written
//! ```
//!
//! One run writes one part (two where it meets a session id twice). A part's name is a hash of its content, so equal
//! input gives equal files. Files are written under temporary names, flushed and renamed; the manifest goes last and is
//! swapped by rename, so a reader sees either the old dataset or the new one. A session that is written again is found
//! in its new part only; a part in which no session is left is removed. Several runs may write at once: each puts its
//! parts in place alone and reads the manifest anew before, so that none takes back what another wrote.

mod lock;
mod part;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use self::lock::Lock;
use self::part::{Part, content_hash};
use super::{Kind, SCHEMA_VERSION, TABLES, Table, Value};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::session::visible_json;
use crate::temp;

/// Name of the manifest.
pub const MANIFEST: &str = "manifest.json";

/// Format of a dataset's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// Apache Parquet.
    Parquet,
    /// CSV with a header line; text that a spreadsheet would take for a formula is guarded.
    Csv,
    /// One JSON object a line.
    Ndjson,
}

impl Encoding {
    /// File name extension.
    pub fn word(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
        }
    }
}

/// What a dataset holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the schema of its tables.
    pub schema_version: u32,
    /// Format of its files.
    pub format: Encoding,
    /// Sessions, by agent and session id.
    pub sessions: Vec<Entry>,
}

/// A session of a dataset.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Entry {
    /// Name of the agent program.
    pub agent: String,
    /// Id of the session.
    pub session_id: String,
    /// SHA-256 over the digests of its files, as in `sessions.digest`.
    pub digest: String,
    /// Part that holds its rows.
    pub part: String,
}

impl Manifest {
    /// Reads the manifest of a dataset; `None` when the folder is none.
    pub fn read(folder: &Path) -> Result<Option<Self>, Error> {
        let path = folder.join(MANIFEST);
        let error = |source| Error::Read { path: path.display().to_string(), source };
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
            Err(e) => return Err(error(e)),
        };
        let invalid =
            |why: String| io::Error::new(io::ErrorKind::InvalidData, format!("no manifest of a dataset: {why}"));
        let manifest: Self = serde_json::from_slice(&bytes).map_err(|e| error(invalid(e.to_string())))?;
        // Names of parts become paths.
        match manifest.sessions.iter().find(|e| e.part.is_empty() || !e.part.bytes().all(|b| b.is_ascii_hexdigit())) {
            Some(entry) => Err(error(invalid(format!("{:?} is no name of a part", entry.part)))),
            None => Ok(Some(manifest)),
        }
    }

    /// Ids that sessions of several agents have.
    pub fn shared_ids(&self) -> BTreeSet<&str> {
        let mut seen = BTreeSet::new();
        self.sessions.iter().map(|e| e.session_id.as_str()).filter(|id| !seen.insert(*id)).collect()
    }

    /// Parts, each with the ids of the sessions it holds.
    pub fn parts(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut parts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for entry in &self.sessions {
            parts.entry(&entry.part).or_default().insert(&entry.session_id);
        }
        parts
    }
}

/// Path of one table of a part.
pub fn file(folder: &Path, table: &Table, part: &str, encoding: Encoding) -> PathBuf {
    folder.join(table.name).join(format!("{part}.{}", encoding.word()))
}

/// Reads the rows of a table back from NDJSON. Columns that the file does not have are NULL.
pub fn read_ndjson(path: &Path, table: &Table, emit: &mut dyn FnMut(&[Value<'_>])) -> Result<(), Error> {
    let error = |source| Error::Read { path: path.display().to_string(), source };
    let mut lines = BufReader::new(File::open(path).map_err(error)?);
    let mut line = String::new();
    while lines.read_line(&mut line).map_err(error)? > 0 {
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&line).map_err(|e| error(e.into()))?;
        let cells: Vec<Value<'_>> = table.columns().map(|c| cell(object.get(c.name), c.kind)).collect();
        emit(&cells);
        line.clear();
    }
    Ok(())
}

fn cell(value: Option<&serde_json::Value>, kind: Kind) -> Value<'_> {
    let Some(value) = value else { return Value::Null };
    match kind {
        Kind::Bool => value.as_bool().into(),
        Kind::Int => value.as_i64().into(),
        Kind::Float => value.as_f64().into(),
        Kind::Text => value.as_str().into(),
    }
}

/// Writes sessions to a dataset; nothing is seen in the folder before [`DatasetWriter::finish`].
pub struct DatasetWriter {
    folder: PathBuf,
    encoding: Encoding,
    raw: bool,
    temp: temp::Folder,
    current: Option<Part>,
    done: Vec<(PathBuf, Vec<Entry>)>,
}

impl std::fmt::Debug for DatasetWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DatasetWriter").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl DatasetWriter {
    /// Begins to write into a folder, which is made when it does not exist. `raw` turns the guard of CSV off.
    pub fn new(folder: &Path, encoding: Encoding, raw: bool) -> Result<Self, Error> {
        let error = |source| write_error(folder, source);
        fs::create_dir_all(folder).map_err(error)?;
        let temp = {
            let _lock = Lock::take(folder).map_err(error)?;
            standing(folder, encoding)?;
            temp::Folder::new_in(folder).map_err(error)?
        };
        Ok(Self { folder: folder.into(), encoding, raw, temp, current: None, done: Vec::new() })
    }

    /// Adds the rows of a session.
    pub fn add(&mut self, analysis: &Analysis) -> Result<(), Error> {
        let session = &analysis.session;
        // Rows carry the session id alone: within a part it must name one session.
        let twice = |part: &Part| part.entries.iter().any(|e| e.session_id == session.id);
        if self.current.as_ref().is_some_and(twice) {
            self.close()?;
        }
        let part = match &mut self.current {
            Some(part) => part,
            none => {
                let folder = self.temp.path().join(self.done.len().to_string());
                none.insert(Part::new(folder, self.encoding, self.raw).map_err(|e| write_error(&self.folder, e))?)
            }
        };
        part.add(analysis).map_err(|e| write_error(&self.folder, e))
    }

    fn close(&mut self) -> Result<(), Error> {
        if let Some(part) = self.current.take() {
            self.done.push(part.finish().map_err(|e| write_error(&self.folder, e))?);
        }
        Ok(())
    }

    /// Puts the parts in place, then the manifest. Hands back the manifest.
    pub fn finish(mut self) -> Result<Manifest, Error> {
        self.close()?;
        let names: io::Result<Vec<String>> = self.done.iter().map(|(folder, _)| content_hash(folder)).collect();
        let error = |e| write_error(&self.folder, e);
        let names = names.map_err(error)?;
        let _lock = Lock::take(&self.folder).map_err(error)?;
        let old = standing(&self.folder, self.encoding)?;
        temp::whole(|| self.commit(old.as_ref(), names)).map_err(error)
    }

    fn commit(&self, old: Option<&Manifest>, names: Vec<String>) -> io::Result<Manifest> {
        let mut sessions: BTreeMap<(String, String), Entry> = BTreeMap::new();
        let key = |e: &Entry| (e.agent.clone(), e.session_id.clone());
        sessions.extend(old.iter().flat_map(|old| &old.sessions).map(|e| (key(e), e.clone())));
        for ((folder, entries), part) in self.done.iter().zip(names) {
            for table in TABLES {
                let target = file(&self.folder, table, &part, self.encoding);
                let below = self.folder.join(table.name);
                refuse_link(&below)?;
                fs::create_dir_all(below)?;
                fs::rename(folder.join(table.name), target)?;
            }
            sessions.extend(entries.iter().map(|e| (key(e), Entry { part: part.clone(), ..e.clone() })));
        }
        let sessions = sessions.into_values().collect();
        let manifest = Manifest { schema_version: SCHEMA_VERSION, format: self.encoding, sessions };
        self.swap(&manifest)?;
        self.remove_dead_parts(old, &manifest)?;
        Ok(manifest)
    }

    fn swap(&self, manifest: &Manifest) -> io::Result<()> {
        let path = self.temp.path().join(MANIFEST);
        let mut file = File::create(&path)?;
        file.write_all(visible_json(&serde_json::to_string_pretty(manifest)?).as_bytes())?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(path, self.folder.join(MANIFEST))
    }

    fn remove_dead_parts(&self, old: Option<&Manifest>, manifest: &Manifest) -> io::Result<()> {
        let live = manifest.parts();
        let old = old.iter().flat_map(|old| old.parts().into_keys());
        for part in old.filter(|part| !live.contains_key(part)) {
            for table in TABLES {
                match fs::remove_file(file(&self.folder, table, part, self.encoding)) {
                    Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// What a folder holds already; fails when that is no dataset, or one of another kind.
fn standing(folder: &Path, encoding: Encoding) -> Result<Option<Manifest>, Error> {
    let old = Manifest::read(folder).map_err(|e| write_error(folder, io::Error::other(e.to_string())))?;
    refuse_foreign(folder, old.is_some()).map_err(|source| write_error(folder, source))?;
    match old.as_ref().filter(|o| o.format != encoding || o.schema_version != SCHEMA_VERSION) {
        Some(other) => Err(Error::Query(format!(
            "{} holds a dataset of format {} and schema version {}; choose another folder",
            folder.display(),
            other.format.word(),
            other.schema_version
        ))),
        None => Ok(old),
    }
}

/// Refuses a folder that holds something, but no dataset, and one in which a table's folder leads elsewhere. What a
/// killed run or one that writes just now keeps there under a temporary name is ours.
fn refuse_foreign(folder: &Path, is_dataset: bool) -> io::Result<()> {
    let foreign = |e: fs::DirEntry| !e.file_name().to_string_lossy().starts_with(temp::PREFIX);
    if !is_dataset && fs::read_dir(folder)?.flatten().any(foreign) {
        let reason = "it holds files and was not written by `turnpoint extract`; choose another folder with -o";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, reason));
    }
    TABLES.iter().try_for_each(|table| refuse_link(&folder.join(table.name)))
}

/// Refuses a link: what is written below it would stand elsewhere.
fn refuse_link(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(found) if !found.is_dir() => {
            let reason = format!("{} is no folder of a dataset; nothing is written through it", path.display());
            Err(io::Error::new(io::ErrorKind::AlreadyExists, reason))
        }
        _ => Ok(()),
    }
}

fn write_error(path: &Path, source: io::Error) -> Error {
    Error::Write { path: path.into(), source }
}
