//! Directives: what the user asked for, one by one.

mod blocks;
mod clauses;
mod standing;
mod verbs;
mod words;

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use crate::session::{MessageKind, MsgIx, Provenance, Role, Session, Span, TextRef};

/// One thing the user asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Directive {
    /// Message of the user.
    pub msg: MsgIx,
    /// Order in the message, from 1.
    pub position: u32,
    /// Bytes of the whole directive.
    pub span: Span,
    /// The directive, an exact substring of the source.
    pub text: String,
    /// Verb it starts with, lower case.
    pub verb: String,
    /// What the verb acts on, as written.
    pub object: Option<String>,
    /// Constraint, as written ("runtime only for now").
    pub constraint: Option<String>,
    /// `do`, `dont` or `constraint`.
    pub polarity: Polarity,
    /// Typed by the user; false = sent by the program in the user's name.
    pub typed: bool,
    /// The message starts as a correction ("No, …", "I meant …").
    pub correction: bool,
}

pub use standing::{Origin, Standing, extract as standing};

/// Whether something is asked for, forbidden, or a condition on the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Polarity {
    /// Asked for.
    Do,
    /// Forbidden.
    Dont,
    /// A condition on the result.
    Constraint,
}

impl Polarity {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Do => "do",
            Self::Dont => "dont",
            Self::Constraint => "constraint",
        }
    }
}

/// Reads the directives of every user prompt on the main thread, and of what the program sends in the user's name to
/// keep the agent going. Tasks given to subagents, injected context, commands and summaries are not among them.
pub fn extract(session: &Session) -> Vec<Directive> {
    let mut found = Vec::new();
    let mut position = (None, 0);
    for text in session.texts() {
        let message = session.message(text.msg);
        let typed = text.provenance == Provenance::User;
        let told = message.role == Role::User && message.kind == MessageKind::SyntheticContinuation;
        if !(typed || told) || !session.on_main(text.msg) || is_template(text.text) {
            continue;
        }
        if position.0 != Some(text.msg) {
            position = (Some(text.msg), 0);
        }
        let correction = typed && CORRECTION.is_match(text.text);
        for (start, sentence) in blocks::sentences(text.text) {
            for clause in clauses::read(sentence) {
                position.1 += 1;
                let made = directive(&text, (start, sentence), clause);
                found.push(Directive { position: position.1, typed, correction, ..made });
            }
        }
    }
    found
}

/// The directive that a clause of a sentence (with its place) makes.
fn directive(text: &TextRef<'_>, (start, sentence): (usize, &str), clause: clauses::Clause) -> Directive {
    let whole = &sentence[clause.whole.clone()];
    let object = sentence[clause.object.clone()].trim();
    Directive {
        msg: text.msg,
        position: 0,
        span: text.span(start + clause.whole.start, start + clause.whole.end),
        text: whole.to_owned(),
        object: Some(object).filter(|o| !o.is_empty()).map(str::to_owned),
        constraint: constraint(whole, clause.polarity),
        verb: clause.verb,
        polarity: clause.polarity,
        typed: false,
        correction: false,
    }
}

/// Templates of commands and skills are not the user's words.
fn is_template(text: &str) -> bool {
    text.starts_with("---\n")
        || text.contains("$ARGUMENTS")
        || text.starts_with("<command-")
        || text.starts_with("# Skill")
}

static CORRECTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(no[,.! ]|nope|wrong|that'?s (not|wrong)|this is (not|wrong)|stop\b|wait\b|i (meant|said|asked|told)|actually,|not what|undo|revert|why did you|you (forgot|missed|should not|shouldn't|didn't|broke))")
        .expect("words of correction")
});

static LIMITED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?-u:\b)(\w+ only for now(?-u:\b)|\w+ only$|only [^,.;]+|without [^,.;]+|except [^,.;]+|for now(?-u:\b)|at (?:most|least) [^,.;]+|(?:no|not) (?:more|less) than [^,.;]+|exactly \d+[^,.;]*|instead of [^,.;]+|if (?:you can|possible|needed|necessary)(?-u:\b)|one [^,.;]+ at a time)",
    )
    .expect("words of constraint")
});

/// The condition inside a directive, as written.
fn constraint(text: &str, polarity: Polarity) -> Option<String> {
    let inside = LIMITED.find(text).map(|m| m.as_str().trim().to_owned());
    inside.or_else(|| (polarity == Polarity::Constraint).then(|| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn reads_each_directive_with_its_bytes() {
        let session = SessionBuilder::new()
            .user("Thanks. Note it in n.md, apply the fixes runtime only for now, then rerun it.\n\n```\ndelete all\n```\n> remove me\n")
            .assistant("Delete the old files.")
            .text(Role::User, MessageKind::InjectedContext, "Run the linter.")
            .build();
        let found = extract(&session);
        let got: Vec<_> = found.iter().map(|d| (d.position, d.verb.as_str(), d.constraint.as_deref())).collect();
        assert_eq!(got, [(1, "note", None), (2, "apply", Some("runtime only for now")), (3, "rerun", None)]);
        assert!(found.iter().all(|d| session.quote(&d.span) == Some(d.text.as_str())));
    }

    #[test]
    fn marks_corrections_and_words_of_the_program() {
        let session = SessionBuilder::new()
            .user("No, use the other port")
            .text(Role::User, MessageKind::SyntheticContinuation, "Continue if you have next steps, or stop and ask.")
            .build();
        let got: Vec<_> = extract(&session).iter().map(|d| (d.verb.clone(), d.typed, d.correction)).collect();
        assert_eq!(got[0], ("use".to_owned(), true, true));
        assert_eq!(got[1], ("continue".to_owned(), false, false));
    }

    #[test]
    fn options_and_logs_hold_none() {
        let text = "State so far.\n\n## Potential next steps\n1. Remove the flag\n2. Try the other backend\n\n2024-01-01 12:00:00 start worker\nTraceback (most recent call last):\n  File \"a.py\", line 1\n";
        assert_eq!(extract(&SessionBuilder::new().user(text).build()), []);
    }

    #[test]
    fn what_was_pasted_asks_for_nothing() {
        let log = "This is what I get:\n\nerror: managed-environment\n\n× This tool may not write here\n╰─> To install things, try the package of the system.\n\n    If you want one of your own,\n    create an environment first.\n    Make sure you have the full package installed.\n\nhint: See the manual for more.\n\nFix the setup script.\n";
        let code = "Look at this:\n\n- let done = false\n- let buffer = \"\"\n- try {\n-   continue\nkeep reading until the end\n} catch (e) {\n";
        for (text, want) in [(log, vec!["fix"]), (code, vec!["look at"]), ("Do we not have a build for that", vec![])] {
            let got: Vec<String> =
                extract(&SessionBuilder::new().user(text).build()).into_iter().map(|d| d.verb).collect();
            assert_eq!(got, want, "{text}");
        }
    }
}
