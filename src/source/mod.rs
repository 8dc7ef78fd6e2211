//! Stage 1: from bytes to sessions. One file per transcript format; the only stage that opens inputs.
//!
//! Files are first told apart by their heads ([`mod@discover`]), put into groups that belong to one session or to a family
//! of forks, and then each group is parsed on its own ([`load`]), so memory is bounded by the largest group.

mod background;
mod bounded;
mod care;
mod claude_code;
mod codex;
pub mod discover;
mod folder;
mod gzip;
mod input;
mod json_text;
mod line;
pub mod lines;
mod loose;
mod message_parts;
mod messages;
mod opencode;
mod opencode_db;
mod opencode_events;
mod opencode_export;
mod opencode_markdown;
mod opencode_storage;
mod packed;
mod peek;
mod recognise;
mod regular;
mod seen;
mod shape;
mod sqlite;
pub mod stored;
mod text;
mod time;
mod todos;
mod utf16;
mod wal;
mod zipped;
mod zst;

use crate::diag::{Diag, Loc, Trouble};
use crate::error::Error;
use crate::session::{Draft, Session};

pub use discover::{Discovered, Group, discover};
pub use input::{Head, Input};
pub use recognise::{Recognised, recognise};

/// A transcript format.
#[derive(Debug)]
pub struct Format {
    /// Kebab-case id.
    pub id: &'static str,
    /// Agent that writes it, as in `sessions.agent`.
    pub agent: &'static str,
    /// What it is and where it is found, in one sentence.
    pub about: &'static str,
    /// Whether a file is told, and tied to others, by its first records, of which each is a line.
    pub lines: bool,
    /// How sure it is, from the first bytes, that a file is of this format: 0–100; from 50 it is taken.
    pub sniff: fn(&Head<'_>) -> u8,
    /// Names that tie files together: files that share one form a group. Read from the first bytes.
    pub keys: fn(&Head<'_>) -> Vec<String>,
    /// Files that belong to this one and stand near it, such as those of subagents.
    pub companions: fn(&std::path::Path) -> Vec<std::path::PathBuf>,
    /// Parses a group into sessions.
    pub load: fn(&[Input]) -> Result<Vec<Draft>, Error>,
}

/// Formats, in the order in which they are asked.
pub const FORMATS: &[Format] = &[
    claude_code::SESSION,
    claude_code::STREAM,
    codex::FORMAT,
    opencode_export::FORMAT,
    opencode_storage::FORMAT,
    opencode_db::FORMAT,
    opencode_events::FORMAT,
    opencode_markdown::FORMAT,
    messages::FORMAT,
];

/// Parses a group and numbers its messages.
pub fn load(group: &Group, first_number: Option<u64>) -> Result<Vec<Session>, Error> {
    let mut drafts = (group.format.load)(&group.inputs)?;
    for input in &group.inputs {
        let trouble = input.trouble();
        let of = drafts.iter().position(|d| d.head.sources.iter().any(|s| s.file == input.name)).unwrap_or(0);
        if let Some(draft) = drafts.get_mut(of) {
            draft.head.warnings.extend(trouble);
        } else if let Some(trouble) = trouble.first() {
            return Err(input.error(std::io::Error::other(trouble.message.clone())));
        }
    }
    let mut sessions: Vec<Session> = drafts.into_iter().map(|draft| draft.finish(first_number)).collect();
    for session in sessions.iter_mut().filter(|s| s.messages.is_empty()) {
        let file = session.sources.first().map(|s| s.file.clone()).unwrap_or_default();
        let message = format!("session {} holds no messages", session.id);
        session.warnings.push(Diag::warning(Trouble::Empty, Loc { file, ..Loc::default() }, message));
    }
    Ok(sessions)
}
