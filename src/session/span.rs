//! Places inside a session: which text, and which bytes of it.

use serde::Serialize;

use super::{Message, MessageKind, MsgIx, Role};

/// A tool call's place: message and part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CallRef {
    /// Message that holds the call.
    pub msg: MsgIx,
    /// Part of the message, from 0.
    pub part: u32,
}

/// Which text of a part a span counts in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    /// The decoded string of a text or reasoning part.
    Text,
    /// The string at this JSON pointer (RFC 6901) in a tool call's input.
    Input(String),
    /// The text of a tool call's result.
    Output,
}

/// Bytes `start..end` (UTF-8) of one text of a message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    /// Message.
    pub msg: MsgIx,
    /// Part of the message, from 0.
    pub part: u32,
    /// Which text of the part.
    pub field: Field,
    /// First byte.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
}

/// One text of a session with its place.
#[derive(Debug, Clone)]
pub struct TextRef<'a> {
    /// Message.
    pub msg: MsgIx,
    /// Part of the message, from 0.
    pub part: u32,
    /// Which text of the part.
    pub field: Field,
    /// The text.
    pub text: &'a str,
    /// Where it comes from.
    pub provenance: Provenance,
}

impl TextRef<'_> {
    /// The span of `start..end` in this text.
    pub fn span(&self, start: usize, end: usize) -> Span {
        Span { msg: self.msg, part: self.part, field: self.field.clone(), start: start as u32, end: end as u32 }
    }
}

/// Where a text comes from: decides whether what it says is new or repeats something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// Typed by the user.
    User,
    /// Said by the agent.
    Assistant,
    /// A compaction summary: restates, never new.
    Summary,
    /// Added by the program: reminders, file bodies, templates.
    Injected,
    /// What a tool printed.
    ToolOutput,
}

impl Provenance {
    /// Where the text parts of a message come from.
    pub fn of_text(message: &Message) -> Self {
        match (message.role, message.kind) {
            (_, MessageKind::CompactionSummary) => Self::Summary,
            (Role::Assistant, MessageKind::Reply) => Self::Assistant,
            (Role::User, MessageKind::Prompt) => Self::User,
            _ => Self::Injected,
        }
    }

    /// Whether the text can hold something new, said by a participant.
    pub fn is_said(self) -> bool {
        matches!(self, Self::User | Self::Assistant)
    }
}
