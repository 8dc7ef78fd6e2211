//! Checks a narrative against its transcript.
//!
//! Sees the article's Markdown and the session with its facts, never templates or view models: our own reports pass the
//! same checks as anybody's text. A sentence is cut into what it states ([`checks`], one file per kind); each statement is
//! supported, contradicted, or cannot be verified. Evaluations, motives and causes are never guessed at.

mod annotated;
mod article;
mod checks;
mod refs;
#[cfg(test)]
mod tests;
mod words;
mod world;

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

pub use annotated::annotated;

use crate::analysis::Analysis;
use crate::extract::prose::re;
use article::{Block, Sentence};
use world::World;

/// What became of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The session says otherwise.
    Contradicted,
    /// The session can not decide it.
    Unverifiable,
    /// The session says so.
    Supported,
}

impl Verdict {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Contradicted => "contradicted",
            Self::Unverifiable => "unverifiable",
            Self::Supported => "supported",
        }
    }
}

/// What a statement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A message exists, or is named rightly.
    Reference,
    /// Words given as somebody's.
    Quote,
    /// A figure with a unit, a percentage or a ratio.
    Number,
    /// How many there are of something.
    Count,
    /// Who said or did it.
    Actor,
    /// What came first.
    Order,
    /// A date, or how long something took.
    Time,
    /// State of a plan item, or a change of it.
    Plan,
    /// An exit code, a success or a failure.
    Outcome,
    /// Something is there, or is not.
    Presence,
    /// Which of a list was taken or left out.
    Selection,
    /// Praise, motive, cause, guess.
    Opinion,
    /// Nothing that can be checked was found in it.
    Other,
}

impl Kind {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Quote => "quote",
            Self::Number => "number",
            Self::Count => "count",
            Self::Actor => "actor",
            Self::Order => "order",
            Self::Time => "time",
            Self::Plan => "plan",
            Self::Outcome => "outcome",
            Self::Presence => "presence",
            Self::Selection => "selection",
            Self::Opinion => "opinion",
            Self::Other => "other",
        }
    }
}

/// One thing that an article states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// The sentence, plain.
    pub text: String,
    /// Line of the article, from 1.
    pub line: usize,
    /// First byte of the sentence in the article.
    pub start: usize,
    /// Byte after its last.
    pub end: usize,
    /// What is stated.
    pub kind: Kind,
    /// What became of it.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
    /// Messages that show it.
    pub evidence_msgs: Vec<String>,
    /// Supported in part: the only words of the sentence that were found; what it says of them was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
    /// It stands in a paragraph or bullet, not in a heading, table or block of code.
    #[serde(skip)]
    pub in_prose: bool,
}

/// Trouble with an article as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What is the matter.
    pub text: String,
    /// Whether it means that the article is wrong.
    pub wrong: bool,
}

/// An article, checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// Trouble with the article as a whole, such as references to messages that do not exist.
    pub notes: Vec<Note>,
    /// Sentences, headings, rows and blocks read.
    pub sentences: usize,
    /// Those that state something: all but headings, captions and asides without a finding.
    #[serde(skip)]
    pub stating: usize,
    /// Statements, in order of the article.
    pub statements: Vec<Statement>,
}

impl Verification {
    /// Statements with a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.statements.iter().filter(|s| s.verdict == verdict).count()
    }

    /// Statements of sentences of which nothing but some words was found.
    pub fn in_part(&self) -> usize {
        self.statements.iter().filter(|s| s.only.is_some()).count()
    }

    /// Sentences of which nothing was decided.
    pub fn unchecked(&self) -> impl Iterator<Item = &Statement> {
        let decided: std::collections::BTreeSet<usize> =
            self.statements.iter().filter(|s| s.verdict != Verdict::Unverifiable).map(|s| s.start).collect();
        let mut last = None;
        self.statements.iter().filter(move |s| !decided.contains(&s.start) && last.replace(s.start) != Some(s.start))
    }

    /// Sentences of which something was decided.
    pub fn checked(&self) -> usize {
        self.stating - self.unchecked().count()
    }
}

/// What one check says of one sentence.
#[derive(Debug, Clone, PartialEq)]
struct Finding {
    kind: Kind,
    verdict: Verdict,
    reason: String,
    evidence: Vec<crate::session::MsgIx>,
    /// It says no more than that these words stand somewhere.
    words: Option<String>,
}

impl Finding {
    fn new(kind: Kind, verdict: Verdict, reason: impl Into<String>) -> Self {
        Self { kind, verdict, reason: reason.into(), evidence: Vec::new(), words: None }
    }

    fn supported(kind: Kind, reason: impl Into<String>) -> Self {
        Self::new(kind, Verdict::Supported, reason)
    }

    fn contradicted(kind: Kind, reason: impl Into<String>) -> Self {
        Self::new(kind, Verdict::Contradicted, reason)
    }

    fn unverifiable(kind: Kind, reason: impl Into<String>) -> Self {
        Self::new(kind, Verdict::Unverifiable, reason)
    }

    /// A finding that says no more than that some words stand somewhere.
    fn of_words(mut self, words: &str) -> Self {
        self.words = Some(words.to_owned());
        self
    }

    fn shown_by(mut self, messages: impl IntoIterator<Item = crate::session::MsgIx>) -> Self {
        self.evidence.extend(messages);
        self.evidence.sort();
        self.evidence.dedup();
        self
    }
}

/// Checks every sentence of an article.
pub fn verify(article: &str, analysis: &Analysis) -> Verification {
    Verifier::new(analysis).verify(article)
}

/// A session, ready to check articles against.
pub struct Verifier<'a>(World<'a>);

impl<'a> Verifier<'a> {
    /// Indexes a session.
    pub fn new(analysis: &'a Analysis) -> Self {
        Self(World::new(analysis))
    }

    /// Checks every sentence of an article.
    pub fn verify(&self, article: &str) -> Verification {
        let world = &self.0;
        let sentences = article::read(article);
        let subject = checks::subject(&sentences, world);
        let mut statements = Vec::new();
        let mut stating = 0;
        for at in 0..sentences.len() {
            let scene = checks::Scene { world, sentences: &sentences, at, subject };
            let sentence = &sentences[at];
            let mut found = checks::check(&scene);
            if found.is_empty() && is_statement(sentence) {
                found.push(Finding::unverifiable(Kind::Other, "nothing in it can be checked"));
            }
            // A claim around a word that stands in the session is not shown by the word.
            let decides = |f: &Finding| f.verdict == Verdict::Supported && f.words.is_none();
            if found.iter().any(decides) || !scene.says_more() {
                found.iter_mut().for_each(|f| f.words = None);
            }
            stating += usize::from(!found.is_empty());
            statements.extend(found.into_iter().map(|f| statement(sentence, f, world)));
        }
        Verification { notes: notes(&sentences, world), sentences: sentences.len(), stating, statements }
    }
}

impl std::fmt::Debug for Verifier<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verifier").finish_non_exhaustive()
    }
}

/// Headings without a claim and captions state nothing.
fn is_statement(sentence: &Sentence) -> bool {
    let words = sentence.text.split_whitespace().count();
    let caption = sentence.text.ends_with(':') && words <= CAPTION && sentence.own.is_empty();
    sentence.block == Block::Prose && words > 2 && !caption
}

/// Words of a line that ends with a colon, names no message and says only what follows.
const CAPTION: usize = 5;

fn statement(sentence: &Sentence, finding: Finding, world: &World<'_>) -> Statement {
    Statement {
        text: sentence.text.clone(),
        line: sentence.line,
        start: sentence.bytes.start,
        end: sentence.bytes.end,
        kind: finding.kind,
        verdict: finding.verdict,
        reason: finding.reason,
        evidence_msgs: finding.evidence.iter().map(|&ix| world.label(ix)).collect(),
        only: finding.words.filter(|_| finding.verdict == Verdict::Supported),
        in_prose: sentence.block == Block::Prose,
    }
}

/// Messages named that do not exist, or no message named at all.
fn notes(sentences: &[Sentence], world: &World<'_>) -> Vec<Note> {
    let all: Vec<_> = sentences.iter().flat_map(|s| &s.own).collect();
    let labels = all.iter().flat_map(|r| std::iter::once(&r.first).chain(&r.last));
    let unknown: std::collections::BTreeSet<_> = labels.filter(|l| world.find(l).is_none()).collect();
    let lost = all.iter().filter(|r| unknown.contains(&r.first)).count();
    let list = unknown.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if let Some(other) = other_session(sentences, world) {
        let own = &world.session().id;
        return vec![Note {
            text: format!("The article is about the session {other}; this one is {own}."),
            wrong: true,
        }];
    }
    let (text, wrong) = if all.is_empty() {
        ("The article names no message: what it says is sought in the whole session.".to_owned(), false)
    } else if unknown.is_empty() {
        return Vec::new();
    } else if lost * 2 > all.len() {
        let session = world.session();
        let has = session
            .messages
            .first()
            .zip(session.messages.last())
            .map_or_else(|| "no message".to_owned(), |(a, b)| format!("[msg {}] to [msg {}]", a.label, b.label));
        (
            format!(
                "The article does not seem to be about this session: most messages that it names do not exist ({list}); the session has {has}."
            ),
            true,
        )
    } else {
        (format!("The article names messages that do not exist in this session: {list}."), true)
    };
    vec![Note { text, wrong }]
}

/// The session that an article names as its own, when it is not this one: `codex session `0199…`: 40 messages`.
fn other_session(sentences: &[Sentence], world: &World<'_>) -> Option<String> {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| re(r"^(?:[\w-]+ )?session `([\w.:-]{6,})`(?::|,| )"));
    let session = world.session();
    let ids = || std::iter::once(&session.id).chain(&session.forked_from);
    let named = sentences.iter().filter(|s| s.block == Block::Prose).find_map(|s| NAMED.captures(&s.text))?;
    (!ids().any(|id| *id == named[1])).then(|| named[1].to_owned())
}
