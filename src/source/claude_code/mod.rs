//! Claude Code: the session files under `~/.claude/projects`, and what `claude -p --output-format stream-json` prints.
//!
//! One message is one model response: all lines with one `message.id`, placed at the first. Texts in the user's place
//! are messages of their own, by kind; results are folded into their calls; every other line hangs on the message
//! before it. [`wire`] says how lines are written, [`record`] what is kept of them, [`order`] in which order they
//! count, [`threads`] which of them belong to a subagent, [`assemble`] makes the messages.

mod assemble;
mod background;
mod files;
mod order;
mod record;
mod results;
#[cfg(test)]
mod tests;
mod text;
mod threads;
mod totals;
mod twins;
mod wire;

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::loose::Str;
use super::{Format, Head, peek};

/// Session files.
pub(super) const SESSION: Format = Format {
    id: "claude-code",
    agent: "claude-code",
    about: "Claude Code session files, `~/.claude/projects/*/*.jsonl`, with the files of subagents",
    lines: true,
    sniff: |head| if looks(head).session { 90 } else { 0 },
    keys,
    companions,
    load: |inputs| files::load(inputs, "claude-code", false),
};

/// The stream form.
pub(super) const STREAM: Format = Format {
    id: "claude-code-stream",
    agent: "claude-code",
    about: "what `claude -p --output-format stream-json` prints",
    lines: true,
    sniff: |head| {
        let looks = looks(head);
        if looks.stream && !looks.session { 90 } else { 0 }
    },
    keys,
    companions: |_| Vec::new(),
    load: |inputs| files::load(inputs, "claude-code-stream", true),
};

/// What a line shows of itself in the head.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Peek<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    #[serde(borrow)]
    session_id: Str<'a>,
    #[serde(borrow, rename = "session_id")]
    stream_session_id: Str<'a>,
    #[serde(borrow)]
    uuid: Str<'a>,
    #[serde(borrow)]
    leaf_uuid: Str<'a>,
}

/// Lines of the head that are looked at.
const PEEKED: usize = 40;

/// First lines whose ids tie a fork to its origin.
const HEAD_UUIDS: usize = 3;

#[derive(Default)]
struct Looks {
    session: bool,
    stream: bool,
}

fn looks(head: &Head<'_>) -> Looks {
    let mut looks = Looks::default();
    for line in peek::objects::<Peek<'_>>(head, PEEKED) {
        if !line.kind.str().is_some_and(record::is_known) {
            continue;
        }
        looks.session |= line.session_id.str().is_some() || line.leaf_uuid.str().is_some();
        looks.stream |= line.stream_session_id.str().is_some();
    }
    // The first line may be longer than the head.
    let has = |word: &str| memchr::memmem::find(head.bytes, word.as_bytes()).is_some();
    if !looks.stream && !looks.session && !head.whole {
        looks.session = has("\"sessionId\":") && has("\"parentUuid\":");
        looks.stream = !looks.session && has("\"session_id\":") && has("\"type\":\"assistant\"");
    }
    looks
}

/// Session ids and first line ids of the head, and the path of the session that a subagent's file belongs to.
fn keys(head: &Head<'_>) -> Vec<String> {
    let mut keys = Vec::new();
    let mut uuids = 0;
    for line in peek::objects::<Peek<'_>>(head, PEEKED) {
        let session = line.session_id.str().or(line.stream_session_id.str());
        keys.extend(session.map(|id| format!("session:{id}")));
        let counts = matches!(line.kind.str(), Some("user" | "assistant")) && uuids < HEAD_UUIDS;
        if let Some(uuid) = line.uuid.str().filter(|_| counts) {
            keys.push(format!("line:{uuid}"));
            uuids += 1;
        }
    }
    if let Some(path) = head.path {
        let session = files::parent_session(path).unwrap_or_else(|| path.to_owned());
        keys.push(format!("path:{}", session.display()));
    }
    keys.dedup();
    keys
}

/// Files of subagents that belong to a session file.
fn companions(path: &Path) -> Vec<PathBuf> {
    if files::agent_id(path).is_some() { Vec::new() } else { files::companions(path) }
}
