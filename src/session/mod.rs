//! Stage 2: the normalised model of a session.
//!
//! Knows no transcript format and does no I/O. A [`Session`] is what every format parser produces (through
//! [`Draft::finish`], which numbers the messages) and what every extractor reads.
//!
//! Invariant: [`Session::messages`] is in reading order, that is by number; the messages of a subagent stand directly
//! after the message that started it. A [`MsgIx`] is a position in that list.

mod asked;
pub mod build;
mod display;
mod draft;
mod label;
pub(crate) mod patch;
mod span;
mod tool;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

pub use display::{hidden, visible, visible_json};
pub use draft::{Draft, DraftThread, ThreadStart};
pub use label::Label;
pub use span::{CallRef, Field, Provenance, Span, TextRef};
pub use tool::{CallStatus, ToolCall, ToolKind, ToolResult};

use crate::diag::Diag;

/// Position of a message in [`Session::messages`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct MsgIx(pub u32);

/// Position of a thread in [`Session::threads`]; 0 is the main thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Default)]
pub struct ThreadIx(pub u32);

impl MsgIx {
    /// The position as an index.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// One run of an agent, from its first to its last message, with the subagents it started.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Session {
    /// Name of the agent program, such as `claude-code` or `opencode`.
    pub agent: String,
    /// The session's own id, as the agent gave it.
    pub id: String,
    /// Id of the format it was read from, as `turnpoint formats` lists it.
    pub format: &'static str,
    /// Title as the transcript carries it.
    pub title: Option<String>,
    /// Working directory of the agent.
    pub cwd: Option<String>,
    /// Version of the agent program.
    pub version: Option<String>,
    /// Session that this one is a fork or copy of.
    pub forked_from: Option<String>,
    /// Threads; the first is the main thread and always exists.
    pub threads: Vec<Thread>,
    /// Messages in reading order.
    pub messages: Vec<Message>,
    /// Tokens by model that the transcript tells of the whole session only, where no message tells its own. The model
    /// is empty where none is named.
    pub totals: BTreeMap<String, Usage>,
    /// Files it was read from.
    pub sources: Vec<SourceFile>,
    /// Trouble met while reading.
    pub warnings: Vec<Diag>,
}

/// The main line of a session, or the line of one subagent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Thread {
    /// `main`, or the label of the subagent such as `340.s1`.
    pub label: String,
    /// The agent's own id of the thread.
    pub native_id: Option<String>,
    /// Description the caller gave, or the kind of subagent.
    pub title: Option<String>,
    /// The call that started it; `None` for the main thread and for subagents whose caller is unknown.
    pub started_by: Option<CallRef>,
    /// Thread of the caller; `None` for the main thread.
    pub parent: Option<ThreadIx>,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A person, or text that stands in a person's place (see [`MessageKind`]).
    #[default]
    User,
    /// The agent.
    Assistant,
    /// The agent's program.
    System,
}

/// What a message is, apart from who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum MessageKind {
    /// Text typed by the user, or the task given to a subagent.
    #[default]
    Prompt,
    /// One model response.
    Reply,
    /// A summary that stands for earlier messages.
    CompactionSummary,
    /// Text the program sends in the user's name to keep the agent going.
    SyntheticContinuation,
    /// Context the program adds: reminders, file bodies, hook output, task notifications.
    InjectedContext,
    /// A command to the program, such as `/model`, and its output.
    Command,
    /// A notice of the program: interruption, API error.
    Notice,
}

impl Role {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
        }
    }
}

impl MessageKind {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Reply => "reply",
            Self::CompactionSummary => "compaction-summary",
            Self::SyntheticContinuation => "synthetic-continuation",
            Self::InjectedContext => "injected-context",
            Self::Command => "command",
            Self::Notice => "notice",
        }
    }
}

/// One message. See `docs/formats.md` for what counts as one in each format.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Message {
    /// Number, set by [`Draft::finish`].
    pub label: Label,
    /// The transcript's own number, where it carries one.
    pub own_number: Option<u64>,
    /// The transcript's own id.
    pub native_id: Option<String>,
    /// Thread it belongs to, set by [`Draft::finish`].
    pub thread: ThreadIx,
    /// Who speaks.
    pub role: Role,
    /// What it is.
    pub kind: MessageKind,
    /// Time it was created (UTC).
    pub at: Option<Timestamp>,
    /// Model that wrote it.
    pub model: Option<String>,
    /// Mode or agent that the program names for it, in lower case, such as `plan` or `build`.
    pub mode: Option<String>,
    /// Token usage of the response.
    pub usage: Usage,
    /// Its parts, in order.
    pub parts: Vec<Part>,
    /// The record it starts at.
    pub place: Place,
    /// It lies on a branch that the user left.
    pub abandoned: bool,
    /// Session that this message was copied from (forks).
    pub copied_from: Option<String>,
}

/// Tokens of one model response. `None` = the transcript does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Usage {
    /// Tokens read, without those from the cache.
    pub input: Option<u64>,
    /// Tokens written.
    pub output: Option<u64>,
    /// Tokens read from the cache.
    pub cache_read: Option<u64>,
    /// Tokens written to the cache.
    pub cache_write: Option<u64>,
}

/// Where a record stands: file (position in [`Session::sources`]), line from 1, byte from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct Place {
    /// Position in [`Session::sources`].
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Byte offset of the record in the file, from 0.
    pub byte: u64,
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The record it was read from.
    pub place: Place,
    /// Its content.
    pub body: PartBody,
}

/// Content of a part.
#[derive(Debug, Clone, PartialEq)]
pub enum PartBody {
    /// Text said.
    Text(String),
    /// Text that the program put into the message: file bodies, reminders, errors. Not said by the speaker.
    Injected(String),
    /// The model's reasoning, where the transcript shows it.
    Reasoning(String),
    /// A tool call with its result.
    Call(Box<ToolCall>),
    /// A file or picture; the bytes are not kept.
    Attachment {
        /// Media type or file name, as the transcript says.
        name: String,
        /// Size of the content in the transcript, in bytes.
        bytes: u64,
    },
    /// A change of files that the program recorded.
    Patch {
        /// Paths changed.
        files: Vec<String>,
    },
    /// Something this version does not know: kept and counted, never dropped.
    Unknown {
        /// The transcript's word for it.
        kind: String,
        /// The record as it stands.
        raw: Value,
    },
}

/// A file that a session was read from, and what became of its bytes and records.
/// Invariants: `bytes_read = bytes_used + bytes_skipped`, `records = kept + copies + skipped`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct SourceFile {
    /// Path as shown to the user, relative to the INPUT.
    pub file: String,
    /// Id of the format.
    pub format: &'static str,
    /// Size of the file.
    pub bytes_read: u64,
    /// Bytes of records kept, of copies, and of white space between.
    pub bytes_used: u64,
    /// Bytes named in warnings.
    pub bytes_skipped: u64,
    /// Records seen.
    pub records: u64,
    /// Records that are part of the session.
    pub kept: u64,
    /// Records that repeat another record.
    pub copies: u64,
    /// Records named in warnings.
    pub skipped: u64,
    /// SHA-256 of the file, in hex.
    pub digest: String,
}

impl Usage {
    /// Adds the tokens of another response.
    pub fn add(&mut self, other: Self) {
        let add = |a: &mut Option<u64>, b: Option<u64>| *a = a.map_or(b, |n| Some(n.saturating_add(b.unwrap_or(0))));
        add(&mut self.input, other.input);
        add(&mut self.output, other.output);
        add(&mut self.cache_read, other.cache_read);
        add(&mut self.cache_write, other.cache_write);
    }
}

impl SourceFile {
    /// Counts kept records as copies of others, so many of them as there are.
    pub fn count_copies(&mut self, records: u64) {
        let copies = records.min(self.kept);
        self.kept -= copies;
        self.copies += copies;
    }
}

impl Session {
    /// The message at `ix`.
    pub fn message(&self, ix: MsgIx) -> &Message {
        &self.messages[ix.at()]
    }

    /// Messages with their positions, in reading order.
    pub fn iter(&self) -> impl Iterator<Item = (MsgIx, &Message)> {
        self.messages.iter().enumerate().map(|(i, m)| (MsgIx(i as u32), m))
    }

    /// Messages that count: those on branches the user left are passed over.
    pub fn live(&self) -> impl Iterator<Item = (MsgIx, &Message)> {
        self.iter().filter(|(_, m)| !m.abandoned)
    }

    /// Finds a message by its number (`352`, `340.s1.3`, `msg-352`, `[msg 352]`) or native id.
    pub fn find(&self, name: &str) -> Option<MsgIx> {
        let by_label = name.parse::<Label>().ok().and_then(|l| self.find_label(&l));
        by_label.or_else(|| self.iter().find(|(_, m)| m.native_id.as_deref() == Some(name)).map(|(ix, _)| ix))
    }

    /// Finds a message by its number.
    pub fn find_label(&self, label: &Label) -> Option<MsgIx> {
        self.iter().find(|(_, m)| m.label == *label).map(|(ix, _)| ix)
    }

    /// Every tool call, in reading order.
    pub fn calls(&self) -> impl Iterator<Item = (CallRef, &ToolCall)> {
        self.iter().flat_map(|(msg, m)| {
            m.parts.iter().enumerate().filter_map(move |(i, p)| match &p.body {
                PartBody::Call(call) => Some((CallRef { msg, part: i as u32 }, call.as_ref())),
                _ => None,
            })
        })
    }

    /// The call at `r`; `None` when the part is not a call.
    pub fn call(&self, r: CallRef) -> Option<&ToolCall> {
        match &self.messages.get(r.msg.at())?.parts.get(r.part as usize)?.body {
            PartBody::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Text parts, said or injected, in reading order, with their provenance. Reasoning and tool output are not among
    /// them.
    pub fn texts(&self) -> impl Iterator<Item = TextRef<'_>> {
        self.iter().flat_map(|(msg, m)| {
            m.parts.iter().enumerate().filter_map(move |(i, p)| match &p.body {
                PartBody::Text(text) => {
                    let provenance = Provenance::of_text(m);
                    Some(TextRef { msg, part: i as u32, field: Field::Text, text, provenance })
                }
                PartBody::Injected(text) => {
                    let provenance = Provenance::Injected;
                    Some(TextRef { msg, part: i as u32, field: Field::Text, text, provenance })
                }
                _ => None,
            })
        })
    }

    /// Results of tool calls, in reading order.
    pub fn outputs(&self) -> impl Iterator<Item = TextRef<'_>> {
        self.calls().filter_map(|(r, call)| {
            let text = call.result.as_ref()?.text.as_str();
            Some(TextRef { msg: r.msg, part: r.part, field: Field::Output, text, provenance: Provenance::ToolOutput })
        })
    }

    /// The text that a span lies in.
    pub fn text_of(&self, span: &Span) -> Option<&str> {
        let part = self.messages.get(span.msg.at())?.parts.get(span.part as usize)?;
        match (&part.body, &span.field) {
            (PartBody::Text(t) | PartBody::Injected(t) | PartBody::Reasoning(t), Field::Text) => Some(t),
            (PartBody::Call(c), Field::Output) => c.result.as_ref().map(|r| r.text.as_str()),
            (PartBody::Call(c), Field::Input(pointer)) => c.input.pointer(pointer)?.as_str(),
            _ => None,
        }
    }

    /// The exact substring of the source that a span names.
    pub fn quote(&self, span: &Span) -> Option<&str> {
        self.text_of(span)?.get(span.start as usize..span.end as usize)
    }

    /// Whether a message belongs to the main thread.
    pub fn on_main(&self, ix: MsgIx) -> bool {
        self.message(ix).thread == ThreadIx(0)
    }

    /// Whether the agent says nothing more in the message's thread before the user speaks. What the program puts between
    /// is nobody's turn, whoever's name it stands under.
    pub fn ends_turn(&self, ix: MsgIx) -> bool {
        let thread = self.message(ix).thread;
        use MessageKind::{CompactionSummary, InjectedContext, SyntheticContinuation};
        let by_program = |m: &Message| matches!(m.kind, CompactionSummary | InjectedContext | SyntheticContinuation);
        let speaks = |m: &&Message| m.thread == thread && !by_program(m);
        let next = self.messages[ix.at() + 1..].iter().find(speaks);
        next.is_none_or(|m| m.role != Role::Assistant)
    }

    /// Models that wrote messages, in order of first use.
    pub fn models(&self) -> Vec<&str> {
        let mut seen = Vec::new();
        for model in self.messages.iter().filter_map(|m| m.model.as_deref()) {
            if !seen.contains(&model) {
                seen.push(model);
            }
        }
        seen
    }

    /// Time of the earliest dated message; where none is dated, of the earliest dated result.
    pub fn first_at(&self) -> Option<Timestamp> {
        self.messages.iter().filter_map(|m| m.at).min().or_else(|| self.result_times().min())
    }

    /// Time of the latest dated message; where none is dated, of the latest dated result.
    pub fn last_at(&self) -> Option<Timestamp> {
        self.messages.iter().filter_map(|m| m.at).max().or_else(|| self.result_times().max())
    }

    fn result_times(&self) -> impl Iterator<Item = Timestamp> {
        self.calls().filter_map(|(_, call)| call.result.as_ref()?.at)
    }
}

impl Message {
    /// Its text parts; injected text is not among them.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|p| match &p.body {
            PartBody::Text(t) => Some(t.as_str()),
            _ => None,
        })
    }

    /// All text parts, joined by blank lines.
    pub fn text(&self) -> String {
        self.texts().collect::<Vec<_>>().join("\n\n")
    }

    /// Its tool calls.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|p| match &p.body {
            PartBody::Call(call) => Some(call.as_ref()),
            _ => None,
        })
    }
}
