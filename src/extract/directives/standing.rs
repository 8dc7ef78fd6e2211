//! Standing instructions: rules that hold for the whole session and that the user did not type as a prompt.
//!
//! They stand in files of instructions that the program shows to the agent (`AGENTS.md`, `CLAUDE.md`), in texts of the
//! system, and in the sections of a compaction summary that repeat what was asked. They are kept apart from directives:
//! nothing is mapped to them, and they count as asked for only where another instruction contradicts them.

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use super::{Directive, blocks, clauses, directive, is_template};
use crate::extract::prose::{Kind, lines, offset};
use crate::session::{Provenance, Role, Session, TextRef};

/// Longer texts are documents; only their beginning is read.
const LONGEST: usize = 24_000;

/// A standing instruction and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The instruction, taken apart like a directive; `typed` is false.
    pub directive: Directive,
    /// What kind of text holds it.
    pub origin: Origin,
}

/// What kind of text holds a standing instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A compaction summary that repeats what was asked.
    Summary,
    /// A file of instructions for agents.
    File,
    /// A text of the program.
    System,
}

impl Origin {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::File => "file",
            Self::System => "system",
        }
    }
}

static INSTRUCTIONS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?-u:\b)(instructions?|constraints?|rules?|preferences?|guidelines?|requirements?|conventions?)(?-u:\b)",
    )
    .expect("headings of instructions")
});
static FILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u:\b)(AGENTS|CLAUDE|GEMINI|CONTRIBUTING)\.md(?-u:\b)|\.cursorrules|copilot-instructions")
        .expect("names of files of instructions")
});

/// Reads the standing instructions of a session; what two texts repeat counts once.
pub fn extract(session: &Session) -> Vec<Standing> {
    let mut seen = std::collections::BTreeSet::new();
    let mut found = Vec::new();
    for text in session.texts().filter(|t| session.on_main(t.msg)) {
        let Some(origin) = origin(session, &text) else { continue };
        for (start, sentence) in sections(text.text, origin) {
            for clause in clauses::read(sentence) {
                let directive = directive(&text, (start, sentence), clause);
                if seen.insert((origin, directive.text.clone())) {
                    found.push(Standing { directive, origin });
                }
            }
        }
    }
    found
}

fn origin(session: &Session, text: &TextRef<'_>) -> Option<Origin> {
    if is_template(text.text) {
        return None;
    }
    match text.provenance {
        Provenance::Summary => Some(Origin::Summary),
        Provenance::Injected => {
            let head = &text.text[..text.text.floor_char_boundary(600)];
            let system = session.message(text.msg).role == Role::System;
            if FILE.is_match(head) {
                Some(Origin::File)
            } else {
                (system && INSTRUCTIONS.is_match(head)).then_some(Origin::System)
            }
        }
        _ => None,
    }
}

/// Sentences of the sections that speak of instructions; of a file of instructions, all of them.
fn sections(text: &str, origin: Origin) -> Vec<(usize, &str)> {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    if origin == Origin::File {
        return blocks::sentences(text);
    }
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut read = |from: Option<usize>, to: usize| {
        let Some(from) = from else { return };
        found.extend(blocks::sentences(&text[from..to]).into_iter().map(|(at, s)| (from + at, s)));
    };
    for line in lines(text).iter().filter(|l| matches!(l.kind, Kind::Heading(_))) {
        let at = offset(text, line.text);
        let end = at + line.text.len();
        // The marks of the heading stand before its text.
        let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
        read(open.take(), start);
        open = INSTRUCTIONS.is_match(line.text).then_some(end);
    }
    read(open, text.len());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::MessageKind;
    use crate::session::build::SessionBuilder;

    #[test]
    fn reads_the_instructions_of_a_summary_only() {
        let summary = "## Goal\n\nMake it fast.\n\n## Instructions\n\nThe agent runs unattended: don't ask questions, just proceed with the work.\n\n## Next steps\n\n1. Remove the flag\n";
        let session = SessionBuilder::new()
            .user("Remove the cache.")
            .text(Role::User, MessageKind::CompactionSummary, summary)
            .build();
        let found = extract(&session);
        let got: Vec<_> = found.iter().map(|s| (s.directive.text.as_str(), s.origin)).collect();
        assert_eq!(got, [("don't ask questions", Origin::Summary), ("proceed with the work", Origin::Summary)]);
        for s in &found {
            assert_eq!(session.quote(&s.directive.span), Some(s.directive.text.as_str()));
        }
    }

    #[test]
    fn reads_files_of_instructions_apart_from_directives() {
        let session = SessionBuilder::new()
            .user("Fix the bug.")
            .text(Role::User, MessageKind::InjectedContext, "# AGENTS.md\n\n- Never push to main.\n")
            .text(Role::User, MessageKind::InjectedContext, "Background task done. Run the next one.")
            .build();
        let got: Vec<_> = extract(&session).into_iter().map(|s| (s.directive.text, s.origin)).collect();
        assert_eq!(got, [("Never push to main".to_owned(), Origin::File)]);
        assert_eq!(super::super::extract(&session).len(), 1);
    }
}
