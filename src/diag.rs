//! Warnings as values. Bad data never aborts a run: it yields a [`Diag`] that says what was wrong, where, and how many
//! bytes were skipped for it.

mod trouble;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

pub use trouble::Trouble;

/// How much a warning matters to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing; nothing was lost.
    Note,
    /// Input was read in another way than it claims, or a part could not be understood; nothing was lost.
    Warning,
    /// Input was lost: bytes were skipped. `--strict` turns these into exit code 3.
    Lost,
}

/// A place in an input file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Default)]
pub struct Loc {
    /// Path as shown to the user, relative to the INPUT.
    pub file: String,
    /// Line, from 1; 0 when the file as a whole is meant.
    pub line: u64,
    /// Byte offset of the line or span, from 0.
    pub byte: u64,
}

/// Trouble in reading input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diag {
    /// Kind of trouble.
    pub kind: Trouble,
    /// How much it matters.
    pub severity: Severity,
    /// Where it is.
    pub loc: Loc,
    /// Bytes that were skipped for it.
    pub skipped: u64,
    /// Records that were skipped for it (0 when the damaged span holds no whole record).
    pub records: u64,
    /// How often: more than once when others of its kind are added up in it.
    pub times: u64,
    /// Where it is inside a JSON document, as a JSON pointer. While a document is read, from the value at `loc` on.
    pub pointer: Option<String>,
    /// What was wrong and what was done, at most 500 characters, without a final full stop.
    pub message: String,
}

impl Diag {
    /// A warning that lost nothing.
    pub fn warning(kind: Trouble, loc: Loc, message: impl Into<String>) -> Self {
        let message = cut(message.into());
        Self { kind, severity: Severity::Warning, loc, skipped: 0, records: 0, times: 1, pointer: None, message }
    }

    /// A remark that lost nothing and asks for nothing.
    pub fn note(kind: Trouble, loc: Loc, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::warning(kind, loc, message) }
    }

    /// A warning about input that was skipped.
    pub fn lost(kind: Trouble, loc: Loc, skipped: u64, records: u64, message: impl Into<String>) -> Self {
        Self { severity: Severity::Lost, skipped, records, ..Self::warning(kind, loc, message) }
    }

    /// The same, of a value inside the value at its place.
    pub fn at(self, pointer: impl Into<String>) -> Self {
        Self { pointer: Some(pointer.into()), ..self }
    }

    /// What was wrong, with the pointer to it.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.pointer {
            Some(pointer) if !pointer.is_empty() => format!("{}, at {}", self.message, cut(pointer.clone())).into(),
            _ => Cow::Borrowed(&self.message),
        }
    }
}

impl fmt::Display for Diag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.loc.file)?;
        if self.loc.line > 0 {
            write!(f, ":{}", self.loc.line)?;
        }
        let level = if self.severity == Severity::Note { "note" } else { "warning" };
        write!(f, ": {level}[{}]: {}", self.kind, self.text())?;
        match (self.skipped, self.loc.line) {
            (0, 0) => Ok(()),
            (0, _) => write!(f, " (byte {})", self.loc.byte),
            (skipped, _) => write!(f, " ({skipped} bytes skipped at byte {})", self.loc.byte),
        }
    }
}

/// Warnings, of which those of one kind beyond the twentieth are added up in one.
#[derive(Debug, Default)]
pub struct Folded {
    shown: Vec<Diag>,
    /// Per kind: how many there were, and where the last one shown stands.
    kinds: BTreeMap<Trouble, (u64, usize)>,
}

impl Folded {
    const SHOWN: u64 = 20;

    /// Adds a warning.
    pub fn push(&mut self, diag: Diag) {
        let (count, last) = self.kinds.entry(diag.kind).or_default();
        *count += 1;
        if *count <= Self::SHOWN {
            *last = self.shown.len();
            self.shown.push(diag);
        } else {
            self.shown[*last].skipped += diag.skipped;
            self.shown[*last].records += diag.records;
        }
    }

    /// The same warnings, folded.
    pub fn of(diags: Vec<Diag>) -> Vec<Diag> {
        let mut folded = Self::default();
        diags.into_iter().for_each(|diag| folded.push(diag));
        folded.finish()
    }

    /// The warnings, in the order in which they came.
    pub fn finish(mut self) -> Vec<Diag> {
        for (count, last) in self.kinds.into_values().filter(|(count, _)| *count > Self::SHOWN) {
            let more = count - Self::SHOWN;
            self.shown[last].times += more;
            self.shown[last].message.push_str(&format!("; and {more} more like this"));
        }
        self.shown
    }
}

fn cut(message: String) -> String {
    match message.char_indices().nth(500) {
        Some((at, _)) => format!("{}…", &message[..message[..at].floor_char_boundary(496)]),
        None => message,
    }
}
