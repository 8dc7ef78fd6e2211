//! What all stores of OpenCode share: a session, its messages and their parts have the same shape in the export, in
//! the storage tree, in the database and in events. The store's own file reads that shape into [`Loaded`] sessions;
//! [`drafts`] joins them.

mod background;
mod call;
mod cursor;
mod join;
mod kind;
mod message;
mod next;
mod odd;
mod order;
mod stray;
mod tree;
mod v2;
mod walk;

use jiff::Timestamp;
use serde_json::Value;

use crate::diag::Diag;
use crate::session::{Message, SourceFile};

pub(super) use call::UNTOLD;
pub(super) use cursor::{Cursor, Mended, members};
pub(super) use join::drafts;
pub(super) use message::{entry, orphan};
pub(super) use next::Next;
use odd::Odd;
pub(super) use order::part_order;
pub(super) use stray::Homes;
pub(super) use v2::{V2, row as v2_row};
pub(super) use walk::{START, read};

/// One session as it stands in one file, or in one tree of files.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    /// The session's id.
    pub(super) id: String,
    /// The session's record: title, directory, version, times, parent, revert. Null when it is missing.
    pub(super) info: Value,
    /// Its messages, in file order.
    pub(super) entries: Vec<Entry>,
    /// Files it was read from, with the accounts of their bytes and records. Copies found by [`drafts`] are moved from
    /// `kept` to `copies`.
    pub(super) sources: Vec<SourceFile>,
    /// Trouble met.
    pub(super) warnings: Vec<Diag>,
}

/// One message with what is needed to join sessions.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The message; places name files of [`Loaded::sources`].
    pub(super) message: Message,
    /// Native id of the message that it answers.
    pub(super) parent: Option<String>,
    /// Id of the session that it says it belongs to.
    pub(super) session: Option<String>,
    /// The file of each record it was made from: of itself and of its parts.
    pub(super) records: Vec<u32>,
    /// Fields that are not as they should be.
    odd: Vec<Odd>,
    /// Time it is ordered by: its own, else that of the message before it.
    order: Option<Timestamp>,
}

impl Loaded {
    /// Adds a message, and names what is odd about it. `prefix` leads from its place to its record in a document.
    pub(super) fn push(&mut self, mut entry: Entry, prefix: &str) {
        let odd = std::mem::take(&mut entry.odd);
        let file = |at: u32| self.sources.get(at as usize).map(|s| s.file.clone()).unwrap_or_default();
        self.warnings.extend(odd::diags(odd, entry.message.place, prefix, file));
        self.entries.push(entry);
    }
}

/// The string at a key.
pub(super) fn str_at<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// Takes the string at a key out of the value, so that it need not be copied.
fn take_str(value: &mut Value, key: &str) -> Option<String> {
    match value.get_mut(key).map(Value::take) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// A number at a key, also when it is written as a fraction.
fn number_at(value: &Value, key: &str) -> Option<i64> {
    let number = value.get(key)?;
    number.as_i64().or_else(|| number.as_f64().filter(|f| f.abs() < 9e15).map(|f| f as i64))
}
