//! `verifies`, `contradicts` and `supersedes`: calls and the claims they prove, refute, or leave behind.
//!
//! A claim is *supported* when a call before it, in its own thread or a subagent's, shows what it says; *contradicted* when
//! the newest result that bears on it prints the opposite and nothing was changed since; *stale* when the newest check
//! would support it but predates the last edit to code; *no evidence found* when it is known which calls could show such a
//! claim and none was made; else it is *not known*. A command alone proves nothing and accuses nobody: the printed result
//! decides, and a call that only failed contradicts nothing.

mod builds;
mod change;
mod done;
mod execution;
mod files;
mod record;
mod repository;
mod runs;
mod service;
mod shown;
mod state;

use serde::Serialize;

use super::{FactId, Link, LinkKind, Scene, sure};
use crate::extract::Facts;
use crate::extract::claims::{Claim, Matter};
use crate::extract::episodes::command::{Class, Classes};
use crate::session::{MsgIx, Session, ToolCall, ToolKind};
use record::Record;
pub use runs::{Counts, Unit};

/// What the record says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// A call before it shows it.
    Supported,
    /// The newest result that bears on it prints the opposite.
    Contradicted,
    /// The last check predates the last edit to what it covers.
    Stale,
    /// It is known which calls could show such a claim, and none was made before it, or since the last edit.
    NoEvidence,
    /// No call could be tied to it.
    NotKnown,
}

impl Word {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Contradicted => "contradicted",
            Self::Stale => "stale",
            Self::NoEvidence => "no evidence found",
            Self::NotKnown => "not known",
        }
    }
}

/// The verdict on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// What the record says.
    pub word: Word,
    /// Position in [`Facts::calls`] of the call that it rests on.
    pub call: Option<u32>,
    /// The result itself prints it; otherwise a call that worked did it.
    pub printed: bool,
    /// The edit that a stale check predates.
    pub edit: Option<u32>,
}

impl Verdict {
    /// No call could be tied to the claim.
    const NONE: Self = Self { word: Word::NotKnown, call: None, printed: false, edit: None };

    /// A call shows it, by its result or by having worked.
    fn supported(call: usize, printed: bool) -> Self {
        Self { word: Word::Supported, call: Some(call as u32), printed, edit: None }
    }

    /// A printed result says the opposite.
    fn contradicted(call: usize) -> Self {
        Self { word: Word::Contradicted, call: Some(call as u32), printed: true, edit: None }
    }

    /// The check that would show it predates an edit.
    fn stale(call: usize, edit: usize) -> Self {
        Self { word: Word::Stale, call: Some(call as u32), printed: true, edit: Some(edit as u32) }
    }

    /// The message that it rests on.
    pub fn msg(&self, facts: &Facts) -> Option<MsgIx> {
        self.call.and_then(|c| facts.calls.get(c as usize)).map(|r| r.msg)
    }
}

/// What the last run of tests printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestRun {
    /// Message of the call.
    pub msg: MsgIx,
    /// What passed and failed.
    pub counts: Counts,
    /// The last later message that runs tests again and prints no count that could be read.
    pub again: Option<MsgIx>,
}

/// Tests that a command says have passed and failed: one that names a test runner, or one that runs something else (a
/// script, a task of a build) and prints the sum that only a test runner prints.
pub fn tests_of(call: &ToolCall) -> Option<Counts> {
    let (result, command) = (call.result.as_ref()?, call.command()?);
    let classes = Classes::of(command);
    if classes.has(Class::Test) {
        return runs::counts(&result.text);
    }
    classes.run().then(|| runs::summed(&result.text)).flatten()
}

/// Whether a command runs tests.
fn runs_tests(call: &ToolCall) -> bool {
    call.command().is_some_and(|c| Classes::of(c).has(Class::Test))
}

/// The last command that runs tests and whose result says how many tests passed and failed.
pub fn last_test_run(session: &Session) -> Option<TestRun> {
    let mut last: Option<TestRun> = None;
    for (at, call) in session.calls().filter(|(at, c)| c.kind == ToolKind::Shell && !session.message(at.msg).abandoned)
    {
        match (tests_of(call), &mut last) {
            (Some(counts), _) => last = Some(TestRun { msg: at.msg, counts, again: None }),
            (None, Some(run)) if runs_tests(call) => run.again = Some(at.msg),
            _ => {}
        }
    }
    last
}

/// Confidence of links by which a result prints what is claimed, and by which a call that worked did it.
const PRINTED: f64 = 0.9;
const DONE: f64 = 0.6;

pub(super) fn link(scene: &Scene<'_>, _: &[Link]) -> Vec<Link> {
    let claims = &scene.facts.claims;
    if claims.is_empty() {
        return Vec::new();
    }
    let record = Record::of(scene);
    let mut found = Vec::new();
    for group in claims.chunk_by(|a, b| a.msg == b.msg) {
        let first = position(claims, group);
        for (i, claim) in group.iter().enumerate() {
            let at = record.before(claim);
            let verdict = match &claim.matter {
                Matter::Tests { passed, of, whole } => runs::judge(&record, claim, at, (*passed, *of, *whole)),
                Matter::Build => builds::judge(&record, claim, at),
                Matter::Service { port } => service::judge(&record, claim, at, *port),
                Matter::File { path } => files::judge(&record, claim, at, path),
                Matter::Commit { pushed } => repository::committed(&record, claim, at, *pushed),
                Matter::Unchanged => repository::unchanged(&record, claim, at),
                Matter::Change { by, from, factor, direction } => {
                    change::judge(scene, &record, claim, at, &change::Claimed::new(*by, *from, *factor, *direction))
                }
                Matter::Ran { run } => execution::judge(&record, claim, at, *run),
                Matter::State { subject, value } => state::judge(&record, claim, at, subject, value),
                Matter::Count { number, noun } => shown::counted(&record, claim, at, *number, noun),
                Matter::Done { verb } => done::judge(&record, claim, at, verb),
                Matter::Shown => shown::judge(&record, claim, at),
                Matter::NotDone => shown::failed(&record, claim, at),
            };
            found.extend(links(scene, (FactId::Claim((first + i) as u32), claim.msg), verdict));
        }
    }
    found
}

/// What a check of source files makes of a claim: supported; stale when source files were edited after it; nothing when
/// something ran after that edit whose result cannot be read here.
fn dated(record: &Record<'_>, claim: &Claim, (check, at): (usize, usize), printed: bool) -> Verdict {
    let Some(edit) = record.since(claim, check, at, |c| c.edits) else { return Verdict::supported(check, printed) };
    let unread = record.since(claim, edit, at, |c| c.call.kind == ToolKind::Task || execution::runs(c));
    if unread.is_some() { Verdict::NONE } else { Verdict::stale(check, edit) }
}

/// Position of a group of claims among all.
fn position<T>(all: &[T], group: &[T]) -> usize {
    (group.as_ptr() as usize - all.as_ptr() as usize) / size_of::<T>().max(1)
}

/// The links that carry a verdict.
fn links(scene: &Scene<'_>, claim: (FactId, MsgIx), verdict: Verdict) -> Vec<Link> {
    let call = |n: u32| scene.facts.calls.get(n as usize).map(|r| (FactId::Call(n), r.msg));
    let confidence = if verdict.printed { PRINTED } else { DONE };
    let tie = |kind, n: Option<u32>| n.and_then(call).map(|from| Link { confidence, ..sure(kind, from, claim) });
    let kind = if verdict.word == Word::Contradicted { LinkKind::Contradicts } else { LinkKind::Verifies };
    [tie(kind, verdict.call), tie(LinkKind::Supersedes, verdict.edit)].into_iter().flatten().collect()
}

/// The verdict on every claim, by position, read from the links.
pub fn verdicts(facts: &Facts, links: &[Link]) -> Vec<Verdict> {
    let untied = |bare| if bare { Word::NoEvidence } else { Word::NotKnown };
    let mut all: Vec<Verdict> =
        facts.claims.iter().map(|c| Verdict { word: untied(c.bare), ..Verdict::NONE }).collect();
    for l in links {
        let (FactId::Claim(at), FactId::Call(call)) = (l.to, l.from) else { continue };
        let Some(slot) = all.get_mut(at as usize) else { continue };
        let printed = l.confidence >= PRINTED;
        match l.kind {
            LinkKind::Verifies => {
                (slot.call, slot.printed) = (Some(call), printed);
                if slot.word != Word::Stale {
                    slot.word = Word::Supported;
                }
            }
            LinkKind::Contradicts => {
                *slot = Verdict { word: Word::Contradicted, call: Some(call), printed, edit: None };
            }
            LinkKind::Supersedes => (slot.word, slot.edit) = (Word::Stale, Some(call)),
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests;
