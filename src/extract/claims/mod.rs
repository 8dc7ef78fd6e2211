//! Claims: what the agent says about the state of the work. What proves them is `link`'s matter.
//!
//! [`KINDS`] is the registry: one file per kind, the most exact kinds first. A kind reads one sentence; what stands under
//! a heading that announces work to come, in a question, in quotation marks or behind "should", "if" and the like claims
//! nothing.

mod bare;
mod build;
mod change;
mod commit;
mod counted;
pub(crate) mod done;
mod failure;
mod file;
mod ran;
mod sentence;
mod service;
mod shown;
mod state;
mod tests_pass;
mod unchanged;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use self::sentence::{HEDGE, claims_of, is_open, whole};
use super::prose::{self, Kind as LineKind};
use crate::extract::prose::re;
use crate::session::{MessageKind, MsgIx, Provenance, Session, Span, ThreadIx, ToolKind};

/// Something that the agent says about the state of the work.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Message.
    pub msg: MsgIx,
    /// The claim as written.
    pub span: Span,
    /// What is claimed.
    pub matter: Matter,
    /// The sentence names an exception: failures known before, skipped parts.
    pub hedged: bool,
    /// Calls of the kind that could show it are known, and none stands before it.
    pub bare: bool,
}

/// Which way a figure went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// The figure rose.
    Up,
    /// The figure fell.
    Down,
    /// It got better, whichever way that is.
    Better,
    /// It got worse, whichever way that is.
    Worse,
}

/// What a claim is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Matter {
    /// Tests pass: how many, of how many, as far as said.
    Tests {
        /// Tests that pass.
        passed: Option<u64>,
        /// Tests in all.
        of: Option<u64>,
        /// All of the tests are meant, not a named part of them.
        whole: bool,
    },
    /// A build, a type check or a linter is clean.
    Build,
    /// A service is up.
    Service {
        /// Port, where named.
        port: Option<u32>,
    },
    /// A file was written.
    File {
        /// Path as written.
        path: String,
    },
    /// Changes were committed, or pushed.
    Commit {
        /// They were pushed.
        pushed: bool,
    },
    /// Nothing else was changed.
    Unchanged,
    /// A figure changed by so much.
    Change {
        /// Per cent, or the factor when `factor`; the upper end of a range.
        by: f64,
        /// The lower end, where a range is claimed.
        from: Option<f64>,
        /// It is a factor: 2x faster.
        factor: bool,
        /// Which way.
        direction: Direction,
    },
    /// A setting has a value.
    State {
        /// Words that name the setting, in lower case.
        subject: Vec<String>,
        /// Value as written.
        value: String,
    },
    /// A number of things.
    Count {
        /// The number.
        number: u64,
        /// What is counted, in lower case.
        noun: String,
    },
    /// Something ran, or works.
    Ran {
        /// One run is meant.
        run: bool,
    },
    /// A deed was done.
    Done {
        /// What was done: `add`, `install`, `rebase`.
        verb: &'static str,
    },
    /// Something is so, with a value that a command can print.
    Shown,
    /// Something could not be done.
    NotDone,
}

impl Matter {
    /// The word used in output.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Tests { .. } => "tests pass",
            Self::Build => "build clean",
            Self::Service { .. } => "service up",
            Self::File { .. } => "file written",
            Self::Commit { pushed: false } => "committed",
            Self::Commit { pushed: true } => "pushed",
            Self::Unchanged => "nothing else changed",
            Self::Change { .. } => "changed by",
            Self::State { .. } => "setting",
            Self::Count { .. } => "count",
            Self::Ran { .. } => "works",
            Self::Done { .. } => "done",
            Self::Shown => "state",
            Self::NotDone => "not done",
        }
    }
}

/// What a kind reads in a sentence: which bytes, and what they claim.
type Reading = (Range<usize>, Matter);

/// A kind of claim.
struct Kind {
    /// Reads the claims of this kind in one sentence.
    read: fn(&str) -> Vec<Reading>,
    /// Words like "not" before the claim turn it into another one.
    positive: bool,
    /// A claim that a more exact kind has read leaves nothing for this one.
    last_resort: bool,
}

const EXACT: Kind = Kind { read: |_| Vec::new(), positive: true, last_resort: false };

/// Kinds, the most exact first.
const KINDS: &[Kind] = &[
    tests_pass::KIND,
    build::KIND,
    service::KIND,
    commit::KIND,
    unchanged::KIND,
    change::KIND,
    state::KIND,
    counted::KIND,
    file::KIND,
    ran::KIND,
    failure::KIND,
    done::KIND,
];

/// Headings of what is to come, or what others are to do.
static TO_COME: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:next|todo|to do|to-do|plan(?:ned)?|steps to|acceptance|criteria|requirements?|goals?|objectives?|remaining|recommend\w*|suggest\w*|options?|proposed|proposal|future|open (?:items|questions)|how to|usage|test plan|before|original(?:ly)?|expected|task|checklist|if |risks?|instructions?|example)\b",
    )
});

static MET: LazyLock<Regex> = LazyLock::new(|| re(r"\b(?:meets?|met|satisf\w+|fulfil\w*|done|completed)\b"));

/// Collects the claims of the agent and its subagents.
pub fn extract(session: &Session) -> Vec<Claim> {
    let mut found = Vec::new();
    let ran = ran(session);
    for text in session.texts().filter(|t| t.provenance == Provenance::Assistant && !session.message(t.msg).abandoned) {
        let states = ran[text.msg.at()] && session.ends_turn(text.msg);
        let mut to_come = false;
        for line in prose::lines(text.text) {
            let heading = matches!(line.kind, LineKind::Heading(_));
            match line.kind {
                LineKind::Heading(_) => to_come = TO_COME.is_match(line.text),
                LineKind::Blank | LineKind::Table | LineKind::Quote | LineKind::Code => continue,
                _ if line.text.ends_with(':') && TO_COME.is_match(line.text) && !MET.is_match(line.text) => {
                    to_come = true;
                    continue;
                }
                LineKind::Text if to_come && line.indent == 0 && !line.text.starts_with('☐') => to_come = false,
                _ => {}
            }
            if to_come || line.text.starts_with("[ ]") || line.text.starts_with('☐') {
                continue;
            }
            for sentence in prose::sentences(line.text) {
                let start = prose::offset(text.text, sentence);
                for (range, matter) in claims_of(sentence, heading, states) {
                    let span = text.span(start + range.start, start + range.end);
                    found.push(Claim { msg: text.msg, span, matter, hedged: HEDGE.is_match(sentence), bare: false });
                }
            }
        }
    }
    bare::mark(session, &mut found);
    found
}

/// Whether a command ran in a message's turn, up to that message.
fn ran(session: &Session) -> Vec<bool> {
    let mut by_thread: BTreeMap<ThreadIx, bool> = BTreeMap::new();
    let per_message = session.messages.iter().map(|m| {
        let ran = by_thread.entry(m.thread).or_default();
        *ran = (*ran && m.kind != MessageKind::Prompt) || m.calls().any(|c| c.kind == ToolKind::Shell);
        *ran
    });
    per_message.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;

    /// Kind and text of each claim of a reply.
    pub(super) fn read(text: &str) -> Vec<(&'static str, String)> {
        let session = SessionBuilder::new().assistant(text).build();
        let found = extract(&session);
        found.iter().map(|c| (c.matter.word(), session.quote(&c.span).unwrap_or_default().to_owned())).collect()
    }

    #[test]
    fn reads_one_claim_of_each_kind() {
        for (text, kind) in [
            ("All 41 tests pass.", "tests pass"),
            ("The build is green again.", "build clean"),
            ("The server is up on port 8000.", "service up"),
            ("I saved the notes to docs/notes.md.", "file written"),
            ("Everything is committed.", "committed"),
            ("The branch has been pushed.", "pushed"),
            ("No other files were changed.", "nothing else changed"),
            ("Latency dropped by 20 %.", "changed by"),
            ("NUMA balancing is now off.", "setting"),
            ("I documented all 12 findings.", "count"),
            ("The parser was rewritten successfully.", "done"),
            ("I was unable to download the video.", "not done"),
        ] {
            let got: Vec<_> = read(text).into_iter().map(|(k, _)| k).collect();
            assert_eq!(got, [kind], "{text}");
        }
    }

    #[test]
    fn what_is_open_quoted_or_asked_claims_nothing() {
        for text in [
            "All tests should pass now.",
            "Let me check that all tests pass.",
            "Once the build is green I'll commit.",
            "Do all tests pass?",
            "The log says \"all tests pass\" somewhere.",
            "Not all tests pass.",
            "## Acceptance criteria\n- All tests pass\n- The server is up",
            "```\nAll tests pass.\n```",
            "> All tests pass.",
            "- [ ] All tests pass",
            "**Step 5: Test TypeScript passes**",
            "The 12x speedup was actually a cache that never missed.",
            "The 12x speedup came from an empty loop.",
            "## Uploader rewritten",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
    }

    #[test]
    fn a_claim_is_not_cut_before_its_subject() {
        for (text, want) in [
            ("Rule 4 and Rule 7 tests pass.", "Rule 4 and Rule 7 tests pass"),
            ("After that, the new loader is 20-25x faster.", "the new loader is 20-25x faster"),
        ] {
            assert_eq!(read(text)[0].1, want);
        }
    }

    #[test]
    fn a_sentence_may_claim_several_things() {
        let got = read("All 12 tests pass, and the build is clean.");
        let want = [("tests pass", "All 12 tests pass".to_owned()), ("build clean", "the build is clean".to_owned())];
        assert_eq!(got, want);
    }
}
