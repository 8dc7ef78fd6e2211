//! Rows ↔ polars frames.

use polars_core::prelude::*;

use super::{Column, Kind, Table, Value};

/// Collects the rows of one table into a frame.
pub(super) struct FrameBuilder {
    columns: Vec<ColumnBuilder>,
    rows: usize,
}

enum ColumnBuilder {
    Bool(BooleanChunkedBuilder),
    Int(PrimitiveChunkedBuilder<Int64Type>),
    Float(PrimitiveChunkedBuilder<Float64Type>),
    Text(StringChunkedBuilder),
}

impl FrameBuilder {
    /// An empty frame with the columns of the table.
    pub(super) fn new(table: &Table) -> Self {
        Self { columns: table.columns().map(ColumnBuilder::new).collect(), rows: 0 }
    }

    /// Rows collected.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Adds one row.
    pub(super) fn push(&mut self, cells: &[Value<'_>]) {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell);
        }
        self.rows += 1;
    }

    /// The frame.
    pub(super) fn finish(self) -> PolarsResult<DataFrame> {
        DataFrame::new(self.rows, self.columns.into_iter().map(ColumnBuilder::finish).collect())
    }
}

impl ColumnBuilder {
    fn new(column: &Column) -> Self {
        let name = PlSmallStr::from_static(column.name);
        match column.kind {
            Kind::Bool => Self::Bool(BooleanChunkedBuilder::new(name, 0)),
            Kind::Int => Self::Int(PrimitiveChunkedBuilder::new(name, 0)),
            Kind::Float => Self::Float(PrimitiveChunkedBuilder::new(name, 0)),
            Kind::Text => Self::Text(StringChunkedBuilder::new(name, 0)),
        }
    }

    fn push(&mut self, cell: &Value<'_>) {
        match (self, cell) {
            (Self::Bool(b), Value::Bool(v)) => b.append_value(*v),
            (Self::Int(b), Value::Int(v)) => b.append_value(*v),
            (Self::Float(b), Value::Float(v)) => b.append_value(*v),
            (Self::Text(b), Value::Text(v)) => b.append_value(v),
            (Self::Bool(b), _) => b.append_null(),
            (Self::Int(b), _) => b.append_null(),
            (Self::Float(b), _) => b.append_null(),
            (Self::Text(b), _) => b.append_null(),
        }
    }

    fn finish(self) -> polars_core::prelude::Column {
        match self {
            Self::Bool(b) => b.finish().into_series().into(),
            Self::Int(b) => b.finish().into_series().into(),
            Self::Float(b) => b.finish().into_series().into(),
            Self::Text(b) => b.finish().into_series().into(),
        }
    }
}

/// Schema of a table's frame.
pub(super) fn schema(table: &Table) -> Schema {
    let fields = table.columns().map(|c| {
        let kind = match c.kind {
            Kind::Bool => DataType::Boolean,
            Kind::Int => DataType::Int64,
            Kind::Float => DataType::Float64,
            Kind::Text => DataType::String,
        };
        Field::new(PlSmallStr::from_static(c.name), kind)
    });
    fields.collect()
}

/// Hands the rows of a frame to `emit`, one after the other. Dates, lists and the like become text.
pub(super) fn each_row<E>(frame: &DataFrame, mut emit: impl FnMut(&[Value<'_>]) -> Result<(), E>) -> Result<(), E> {
    let columns: Vec<&Series> = frame.columns().iter().map(|c| c.as_materialized_series()).collect();
    let mut cells = Vec::with_capacity(columns.len());
    for row in 0..frame.height() {
        cells.clear();
        cells.extend(columns.iter().map(|c| c.get(row).map_or(Value::Null, value)));
        emit(&cells)?;
    }
    Ok(())
}

fn value(cell: AnyValue<'_>) -> Value<'_> {
    match cell {
        AnyValue::Null => Value::Null,
        AnyValue::Boolean(b) => Value::Bool(b),
        AnyValue::String(text) => Value::Text(text.into()),
        AnyValue::StringOwned(text) => Value::Text(text.to_string().into()),
        AnyValue::Float32(x) => Value::Float(x.into()),
        AnyValue::Float64(x) => Value::Float(x),
        AnyValue::List(series) => list(&series).into(),
        other if other.is_integer() => match other.extract::<i64>() {
            Some(n) => Value::Int(n),
            None => Value::Text(other.to_string().into()),
        },
        other => Value::Text(other.to_string().into()),
    }
}

/// A list as a JSON array.
fn list(series: &Series) -> String {
    let items: Vec<serde_json::Value> = series.iter().map(|item| value(item).to_json()).collect();
    serde_json::Value::Array(items).to_string()
}
