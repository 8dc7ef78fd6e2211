//! Rows as CSV (RFC 4180, UTF-8, a header line), for eyes and sheets: text that a spreadsheet would take for a formula is
//! guarded, and characters that hide or steer are visible. With `raw` the text stands as it is.

use std::borrow::Cow;
use std::io::{self, Write};

use super::Value;
use crate::session::visible;

/// Writes rows as CSV.
#[derive(Debug)]
pub struct CsvWriter<W: Write> {
    inner: csv::Writer<W>,
    raw: bool,
}

impl<W: Write> CsvWriter<W> {
    /// Begins with the header line. `raw` turns the guard off.
    pub fn new<'n>(out: W, names: impl IntoIterator<Item = &'n str>, raw: bool) -> io::Result<Self> {
        let mut writer = Self { inner: csv::Writer::from_writer(out), raw };
        for name in names {
            writer.field(name)?;
        }
        writer.end()?;
        Ok(writer)
    }

    /// One row. NULL is an empty cell.
    pub fn row(&mut self, cells: &[Value<'_>]) -> io::Result<()> {
        for cell in cells {
            match cell {
                Value::Text(text) => self.field(text)?,
                number => self.inner.write_field(number.to_plain().as_bytes())?,
            }
        }
        self.end()
    }

    /// Writes what is buffered and hands the output back.
    pub fn finish(self) -> io::Result<W> {
        self.inner.into_inner().map_err(csv::IntoInnerError::into_error)
    }

    fn field(&mut self, text: &str) -> io::Result<()> {
        let text = if self.raw { Cow::Borrowed(text) } else { guarded(text) };
        Ok(self.inner.write_field(text.as_bytes())?)
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(self.inner.write_record(None::<&[u8]>)?)
    }
}

/// Text with nothing hidden in it, with a `'` before what a spreadsheet would take for a formula.
pub(crate) fn guarded(text: &str) -> Cow<'_, str> {
    let starts = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];
    let shown = visible(text);
    // A sheet that takes quotes or blanks off looks at what stands behind them.
    let bare = text.trim_start_matches(|c: char| c == '"' || c.is_whitespace());
    if text.starts_with(starts) || bare.starts_with(starts) { Cow::Owned(format!("'{shown}")) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(cells: &[Value<'_>], raw: bool) -> String {
        let names: Vec<String> = (0..cells.len()).map(|i| format!("c{i}")).collect();
        let mut csv = CsvWriter::new(Vec::new(), names.iter().map(String::as_str), raw).unwrap();
        csv.row(cells).unwrap();
        let text = String::from_utf8(csv.finish().unwrap()).unwrap();
        text.split_once('\n').unwrap().1.to_owned()
    }

    #[test]
    fn formulas_are_text_and_numbers_stay_numbers() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "＋1", "－1", "＠a"] {
            assert_eq!(line(&[text.into()], false), format!("'{text}\n"));
            assert_eq!(line(&[text.into()], true), format!("{text}\n"));
        }
        assert_eq!(line(&["\t=1".into(), "\r=1".into()], false), "'\t=1,'\\u{000D}=1\n");
        assert_eq!(line(&["a\u{1b}b\u{202e}".into()], false), "a\\u{001B}b\\u{202E}\n");
        assert_eq!(line(&["a\u{1b}b".into()], true), "a\u{1b}b\n");
        assert_eq!(line(&[(-1i64).into(), (-0.5).into(), "a-b".into()], false), "-1,-0.5,a-b\n");
    }

    #[test]
    fn quotes_line_ends_and_null() {
        let cells = ["a,\"b\"\nc".into(), Value::Null, true.into(), "".into()];
        assert_eq!(line(&cells, false), "\"a,\"\"b\"\"\nc\",,true,\n");
    }

    #[test]
    fn a_formula_behind_quotes_is_guarded() {
        assert_eq!(guarded("\"=1\""), "'\"=1\"");
        assert_eq!(guarded("\"a=1\""), "\"a=1\"");
        for blanks in [" ", "\n", "\u{a0}", "\u{3000}"] {
            assert_eq!(guarded(&format!("{blanks}=1")), format!("'{blanks}=1"));
        }
    }

    #[test]
    fn a_column_name_is_guarded_too() {
        let csv = CsvWriter::new(Vec::new(), ["=x", "y"], false).unwrap();
        assert_eq!(csv.finish().unwrap(), b"'=x,y\n");
    }
}
