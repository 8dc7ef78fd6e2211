//! Directives: what the user asked for, one by one.

mod blocks;
mod clauses;
mod labels;
mod standing;
mod verbs;
mod words;

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use crate::extract::prose::re;
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
    /// Condition under which it is asked for, as written ("If the port is taken").
    pub condition: Option<String>,
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
        let mut before: Option<String> = None;
        for (start, sentence) in blocks::sentences(text.text) {
            let condition = condition(sentence).or_else(|| before.take().filter(|_| depends(sentence)));
            for clause in clauses::read(sentence) {
                position.1 += 1;
                let made = directive(&text, (start, sentence), clause);
                found.push(Directive { position: position.1, typed, correction, condition: condition.clone(), ..made });
            }
            before = condition;
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
        condition: None,
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
        || text.contains("You **MUST** consider the user input")
}

static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^\W*(?:and |but |also |then )?((?:if|unless|in case|whenever|when|for) [^,;:]{3,160}|if (?:so|not|yes)),")
});
/// What begins like a condition and tells the order, or the purpose of all.
static NO_CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:when|once) (?:(?:you(?: are|['’]re)?|it(?: is|['’]s)?|this is|that is|all (?:is|of this is)) )?(?:done|finished|ready|complete|completed)\b|^for (?:this|now|the|that|me|us|our|my|example|instance|today)\b",
    )
});
static DEPENDS: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^\W*(?:instead|in that case|in this case|otherwise|if not|then|do this by|do that by|do so by)\b")
});

/// The condition that a sentence begins with, as written.
fn condition(sentence: &str) -> Option<String> {
    let found = CONDITION.captures(sentence)?.get(1)?.as_str();
    (!NO_CONDITION.is_match(found)).then(|| found.to_owned())
}

/// Whether a sentence goes on from the one before: what held there holds here.
fn depends(sentence: &str) -> bool {
    DEPENDS.is_match(sentence)
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
    fn a_condition_is_kept_and_passed_on() {
        let text = "If the port is taken, use the next one. Instead of failing, print a hint. For each lamp, add a switch. When you are done, write the log.";
        let found = extract(&SessionBuilder::new().user(text).build());
        let got: Vec<_> = found.iter().map(|d| (d.verb.as_str(), d.condition.as_deref())).collect();
        let port = Some("If the port is taken");
        assert_eq!(got, [("use", port), ("print", port), ("add", Some("For each lamp")), ("write", None)]);
    }

    #[test]
    fn labels_and_questions_ask_for_nothing() {
        let text = "NOTE ABOUT THE LAMP: it is really hot\n\n- **Setup**: Run `make lamp` first\n- **Check**\n\nNever mind, also, do we need both lamps?\n\nthoughts? - also, do we need the second one";
        let found = extract(&SessionBuilder::new().user(text).build());
        assert_eq!(found.iter().map(|d| d.text.as_str()).collect::<Vec<_>>(), ["Run `make lamp` first"]);
    }

    #[test]
    fn advice_of_git_and_pip_was_pasted() {
        let git = "It failed again:\n\n/usr/bin/git checkout --force refs/x\n  Note: switching to 'refs/x'.\n\n  You are in a state where you can look around, make changes and commit them.\n  If you want to keep them, do so now.\n  Example:\n\n    git switch -c name\n\n  Or undo this operation with:\n\n    git switch -\n\n  Turn off this advice by setting a variable\n\n  HEAD is now at ebc91a2 Merge\n/usr/bin/git log -1\n3s\n";
        assert_eq!(extract(&SessionBuilder::new().user(git).build()), []);
        let moved = "Here:\n delete mode 100644 a.json\n delete mode 100644 b.json\n create mode 100644 c.json\n";
        assert_eq!(extract(&SessionBuilder::new().user(moved).build()), []);
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
