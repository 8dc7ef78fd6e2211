//! What a message is: typed by the user, or put there by the program.

use serde_json::Value;

use super::{Entry, str_at};
use crate::session::{Message, MessageKind, Part, PartBody, Place, Role};

/// Marks among a message's part records that say nothing but tell what the message is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks {
    /// A compaction was started here; the flag says whether by the program.
    compaction: Option<bool>,
    /// A command of the user that starts a subagent.
    subtask: bool,
}

impl Marks {
    pub(super) fn of(parts: &[(Value, Place)]) -> Self {
        let mut marks = Self::default();
        for (part, _) in parts {
            match str_at(part, "type") {
                Some("compaction") => marks.compaction = Some(part["auto"] == true),
                Some("subtask") => marks.subtask = true,
                _ => {}
            }
        }
        marks
    }
}

/// The kind of a message on its own. Where the program alone speaks in a user message, its text becomes the message's.
pub(super) fn kind(role: Role, info: &Value, marks: Marks, parts: &mut [Part]) -> MessageKind {
    match role {
        Role::Assistant if info["summary"] == true => MessageKind::CompactionSummary,
        Role::Assistant => MessageKind::Reply,
        Role::System => MessageKind::InjectedContext,
        Role::User => match marks.compaction {
            Some(true) => MessageKind::Notice,
            Some(false) => MessageKind::Command,
            None if marks.subtask => MessageKind::Command,
            None => user_kind(parts),
        },
    }
}

fn user_kind(parts: &mut [Part]) -> MessageKind {
    let typed = |p: &Part| !matches!(p.body, PartBody::Injected(_));
    if parts.iter().any(typed) || parts.is_empty() {
        return MessageKind::Prompt;
    }
    let mut kind = MessageKind::InjectedContext;
    for part in parts {
        let PartBody::Injected(text) = &mut part.body else { continue };
        kind = match kind {
            MessageKind::InjectedContext if is_continuation(text) => MessageKind::SyntheticContinuation,
            MessageKind::InjectedContext if is_user_shell(text) => MessageKind::Command,
            kind => kind,
        };
        part.body = PartBody::Text(std::mem::take(text));
    }
    kind
}

/// Sentences with which the program keeps the agent going: after a compaction, after a subtask.
fn is_continuation(text: &str) -> bool {
    const STARTS: [&str; 3] = [
        "Continue if you have next steps",
        "Summarize the task tool output above and continue",
        "Continue with the next steps",
    ];
    STARTS.iter().any(|s| text.trim_start().starts_with(s))
}

/// The sentence that stands for a command the user ran by `!`.
fn is_user_shell(text: &str) -> bool {
    text.trim_start().starts_with("The following tool was executed by the user")
}

/// Kinds that only the neighbours tell: the answer to a command that the user ran is no reply of the model, and a text
/// of the program directly before a continuation is the summary to be continued from.
pub(super) fn kinds_by_neighbours(entries: &mut [Entry]) {
    for i in 1..entries.len() {
        let (before, rest) = entries.split_at_mut(i);
        let (Some(before), Some(this)) = (before.last_mut(), rest.first_mut()) else { continue };
        let answers = this.parent.is_some() && this.parent == before.message.native_id;
        if answers && is_shell_command(&before.message) && this.message.kind == MessageKind::Reply {
            this.message.kind = MessageKind::Command;
        }
        if this.message.kind == MessageKind::SyntheticContinuation
            && before.message.role == Role::User
            && before.message.kind == MessageKind::InjectedContext
        {
            before.message.kind = MessageKind::CompactionSummary;
        }
    }
}

fn is_shell_command(message: &Message) -> bool {
    message.kind == MessageKind::Command
        && message.parts.iter().any(|p| matches!(&p.body, PartBody::Text(t) if is_user_shell(t)))
}
