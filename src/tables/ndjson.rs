//! Rows as JSON objects: one a line (NDJSON), or all in one array.

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::Value;
use crate::session::visible_json;

/// How the objects are strung together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One object a line.
    Lines,
    /// An array of objects, one a line.
    Array,
}

/// Writes rows as JSON objects. Keys stand in the order of the columns; NULL is `null`.
#[derive(Debug)]
pub struct JsonWriter<W: Write> {
    out: W,
    names: Vec<String>,
    layout: Layout,
    rows: u64,
}

impl<W: Write> JsonWriter<W> {
    /// Begins the output.
    pub fn new<'n>(mut out: W, names: impl IntoIterator<Item = &'n str>, layout: Layout) -> io::Result<Self> {
        if layout == Layout::Array {
            out.write_all(b"[")?;
        }
        Ok(Self { out, names: names.into_iter().map(Into::into).collect(), layout, rows: 0 })
    }

    /// One row.
    pub fn row(&mut self, cells: &[Value<'_>]) -> io::Result<()> {
        if self.layout == Layout::Array {
            self.out.write_all(if self.rows == 0 { b"\n" } else { b",\n" })?;
        }
        let row = serde_json::to_string(&Row { names: &self.names, cells })?;
        self.out.write_all(visible_json(&row).as_bytes())?;
        if self.layout == Layout::Lines {
            self.out.write_all(b"\n")?;
        }
        self.rows += 1;
        Ok(())
    }

    /// Ends the output and hands it back.
    pub fn finish(mut self) -> io::Result<W> {
        if self.layout == Layout::Array {
            self.out.write_all(if self.rows == 0 { b"]\n" } else { b"\n]\n" })?;
        }
        Ok(self.out)
    }
}

struct Row<'r> {
    names: &'r [String],
    cells: &'r [Value<'r>],
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.names.len()))?;
        for (name, cell) in self.names.iter().zip(self.cells) {
            map.serialize_entry(name, cell)?;
        }
        map.end()
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(b) => serializer.serialize_bool(*b),
            Value::Int(n) => serializer.serialize_i64(*n),
            Value::Float(x) => serializer.serialize_f64(*x),
            Value::Text(text) => serializer.serialize_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(layout: Layout, rows: &[[Value<'_>; 2]]) -> String {
        let mut out = JsonWriter::new(Vec::new(), ["b", "a"], layout).unwrap();
        rows.iter().for_each(|r| out.row(r).unwrap());
        String::from_utf8(out.finish().unwrap()).unwrap()
    }

    #[test]
    fn lines_and_arrays() {
        let rows = [["x\n=1".into(), Value::Int(-1)], [Value::Null, Value::Float(f64::INFINITY)]];
        assert_eq!(write(Layout::Lines, &rows), "{\"b\":\"x\\n=1\",\"a\":-1}\n{\"b\":null,\"a\":null}\n");
        let array: serde_json::Value = serde_json::from_str(&write(Layout::Array, &rows)).unwrap();
        assert_eq!(array[0]["a"], -1);
        assert_eq!(write(Layout::Array, &[]), "[]\n");
    }
}
