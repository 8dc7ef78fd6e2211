//! One part of a dataset while it is written: a file per table in a temporary folder.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Encoding, Entry};
use crate::analysis::Analysis;
use crate::tables::csv::CsvWriter;
use crate::tables::ndjson::{JsonWriter, Layout};
use crate::tables::{TABLES, Table, Value, sessions};

/// A part while it is written: one file per table in a temporary folder.
pub(super) struct Part {
    folder: PathBuf,
    tables: Vec<(&'static Table, Box<dyn RowWriter>)>,
    pub(super) entries: Vec<Entry>,
}

impl Part {
    pub(super) fn new(folder: PathBuf, encoding: Encoding, raw: bool) -> io::Result<Self> {
        fs::create_dir(&folder)?;
        let create = |table: &'static Table| {
            let file = BufWriter::new(File::create(folder.join(table.name))?);
            Ok((table, open(file, table, encoding, raw)?))
        };
        let tables = TABLES.iter().map(create).collect::<io::Result<_>>()?;
        Ok(Self { folder, tables, entries: Vec::new() })
    }

    pub(super) fn add(&mut self, analysis: &Analysis) -> io::Result<()> {
        for (table, file) in &mut self.tables {
            let mut result = Ok(());
            table.each_row(analysis, &mut |cells| {
                if result.is_ok() {
                    result = file.row(cells);
                }
            });
            result?;
        }
        let session = &analysis.session;
        self.entries.push(Entry {
            agent: session.agent.clone(),
            session_id: session.id.clone(),
            digest: sessions::digest(session),
            part: String::new(),
        });
        Ok(())
    }

    /// Ends and flushes the files.
    pub(super) fn finish(self) -> io::Result<(PathBuf, Vec<Entry>)> {
        for (table, file) in self.tables {
            file.finish()?;
            File::open(self.folder.join(table.name))?.sync_all()?;
        }
        Ok((self.folder, self.entries))
    }
}

/// The writer behind one file of a part.
trait RowWriter {
    fn row(&mut self, cells: &[Value<'_>]) -> io::Result<()>;
    fn finish(self: Box<Self>) -> io::Result<()>;
}

impl RowWriter for CsvWriter<BufWriter<File>> {
    fn row(&mut self, cells: &[Value<'_>]) -> io::Result<()> {
        self.row(cells)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()?.flush()
    }
}

impl RowWriter for JsonWriter<BufWriter<File>> {
    fn row(&mut self, cells: &[Value<'_>]) -> io::Result<()> {
        self.row(cells)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()?.flush()
    }
}

#[cfg(feature = "polars")]
impl RowWriter for crate::tables::parquet::TableWriter {
    fn row(&mut self, cells: &[Value<'_>]) -> io::Result<()> {
        self.row(cells)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()
    }
}

fn open(file: BufWriter<File>, table: &'static Table, encoding: Encoding, raw: bool) -> io::Result<Box<dyn RowWriter>> {
    let names = table.columns().map(|c| c.name);
    Ok(match encoding {
        #[cfg(feature = "polars")]
        Encoding::Parquet => Box::new(crate::tables::parquet::TableWriter::new(file, table)?),
        #[cfg(not(feature = "polars"))]
        Encoding::Parquet => return Err(io::Error::new(io::ErrorKind::Unsupported, crate::tables::NO_POLARS)),
        Encoding::Csv => Box::new(CsvWriter::new(file, names, raw)?),
        Encoding::Ndjson => Box::new(JsonWriter::new(file, names, Layout::Lines)?),
    })
}

/// Hash of the files of a part: 16 hex digits.
pub(super) fn content_hash(folder: &Path) -> io::Result<String> {
    let mut sha = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    for table in TABLES {
        sha.update(table.name);
        let mut file = File::open(folder.join(table.name))?;
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                n => sha.update(&buffer[..n]),
            }
        }
    }
    Ok(sha.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect())
}
