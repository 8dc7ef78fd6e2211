//! Rows ↔ Parquet files. Row groups have a fixed number of rows, so the bytes do not depend on threads or memory.

use std::io::{self, Write};
use std::path::Path;

use polars_core::prelude::*;
use polars_io::SerReader;
use polars_io::parquet::read::ParquetReader;
use polars_io::parquet::write::{BatchedWriter, ParquetWriter};

use super::frame::{self, FrameBuilder};
use super::{Table, Value};
use crate::error::Error;

/// Rows of a row group.
const ROW_GROUP: usize = 8192;

/// Writes the rows of one table as Parquet.
pub(super) struct TableWriter {
    table: &'static Table,
    pending: FrameBuilder,
    // Behind a pointer, so that polars' writer is compiled for one type only.
    inner: BatchedWriter<Box<dyn Write>>,
}

impl TableWriter {
    pub(super) fn new(out: impl Write + 'static, table: &'static Table) -> io::Result<Self> {
        let inner = ParquetWriter::new(Box::new(out) as Box<dyn Write>)
            .with_row_group_size(Some(ROW_GROUP))
            .batched(&frame::schema(table))
            .map_err(io::Error::other)?;
        Ok(Self { table, pending: FrameBuilder::new(table), inner })
    }

    pub(super) fn row(&mut self, cells: &[Value<'_>]) -> io::Result<()> {
        self.pending.push(cells);
        if self.pending.rows() == ROW_GROUP { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let rows = std::mem::replace(&mut self.pending, FrameBuilder::new(self.table));
        let frame = rows.finish().map_err(io::Error::other)?;
        self.inner.write_batch(&frame).map_err(unwrap_io)
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.pending.rows() > 0 {
            self.flush()?;
        }
        self.inner.finish().map_err(unwrap_io)?;
        Ok(())
    }
}

/// The system's own error where there is one: its text names the reason.
fn unwrap_io(error: PolarsError) -> io::Error {
    match error {
        PolarsError::IO { error, .. } => io::Error::new(error.kind(), error.to_string()),
        other => io::Error::other(other),
    }
}

/// Writes a frame as Parquet.
pub(super) fn write_frame(frame: &mut DataFrame, out: impl Write) -> io::Result<()> {
    frame.rechunk_mut();
    ParquetWriter::new(Box::new(out) as Box<dyn Write + '_>)
        .with_row_group_size(Some(ROW_GROUP))
        .finish(frame)
        .map_err(unwrap_io)?;
    Ok(())
}

/// Reads the columns of `table` from a Parquet file. Columns that the file does not have are NULL.
pub(super) fn read(path: &Path, table: &'static Table) -> Result<DataFrame, Error> {
    let error = |source: io::Error| Error::Read { path: path.display().to_string(), source };
    let file = std::fs::File::open(path).map_err(error)?;
    let frame = ParquetReader::new(file).finish().map_err(|e| error(unwrap_io(e)))?;
    let height = frame.height();
    let schema = frame::schema(table);
    let columns = schema.iter_fields().map(|field| match frame.column(field.name()) {
        Ok(column) => column.cast(field.dtype()),
        Err(_) => Ok(Column::full_null(field.name().clone(), height, field.dtype())),
    });
    let columns = columns.collect::<PolarsResult<Vec<_>>>().map_err(|e| error(unwrap_io(e)))?;
    DataFrame::new(height, columns).map_err(|e| error(unwrap_io(e)))
}
