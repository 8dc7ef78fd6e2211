//! Texts in the user's place: typed, or put there by the program.

use super::record::Bit;
use crate::session::{MessageKind, PartBody};

/// Starts of texts in the user's place that the program adds.
const INJECTED: &[&str] = &[
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<turn_aborted>",
    "<skill",
    "<collaboration_mode>",
    "<subagent_notification>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
];

/// What a text in the user's place is.
pub(super) fn kind(text: &str) -> MessageKind {
    let text = text.trim_start();
    if INJECTED.iter().any(|start| text.starts_with(start)) {
        MessageKind::InjectedContext
    } else if text.starts_with("<user_shell_command>") {
        MessageKind::Command
    } else {
        MessageKind::Prompt
    }
}

/// The parts of a message's content.
pub(super) fn parts(bits: Vec<Bit>) -> Vec<PartBody> {
    let part = |bit| match bit {
        Bit::Text(text) => PartBody::Text(text),
        Bit::Attachment(name) => PartBody::Attachment { name, bytes: 0 },
    };
    bits.into_iter().map(part).collect()
}
