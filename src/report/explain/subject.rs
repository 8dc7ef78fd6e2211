//! The message explained, and what every section asks of its surroundings.

use crate::analysis::Analysis;
use crate::audit::Discrepancy;
use crate::error::Error;
use crate::extract::Facts;
use crate::extract::plan::PlanSnapshot;
use crate::link::{FactId, LinkKind};
use crate::report::engine::Engine;
use crate::report::section::value::label;
use crate::report::sentence;
use crate::session::{Message, MessageKind, MsgIx, Role, Session};

/// A message in its session.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    /// The session, analysed.
    pub(super) analysis: &'a Analysis,
    /// The message.
    pub(super) ix: MsgIx,
    /// The prompt that it answers.
    pub(super) prompt: Option<MsgIx>,
    /// Discrepancies that it shows or is set against, each with the sentence of its rule.
    pub(super) disagreements: Vec<(&'a Discrepancy, String)>,
}

impl<'a> Subject<'a> {
    /// Sets a message in its session; fails when the sentence of a rule can not be made.
    pub(super) fn new(engine: &Engine, analysis: &'a Analysis, ix: MsgIx) -> Result<Self, Error> {
        let mut subject = Self { analysis, ix, prompt: None, disagreements: Vec::new() };
        let is_reply = subject.message().role == Role::Assistant;
        let linked = analysis.links.iter().find(|l| l.from == FactId::Message(ix) && l.kind == LinkKind::RespondsTo);
        subject.prompt = linked.map(|l| l.to_msg).or_else(|| subject.prompt_before(ix)).filter(|_| is_reply);
        // The plan that answers a prompt stands for what the prompt says.
        let prompt = subject.prompt.filter(|_| subject.snapshot().is_some() && subject.is_first_answer());
        let here = |m: MsgIx| m == ix || Some(m) == prompt;
        let found = analysis.discrepancies.iter().filter(|d| here(d.msg) || d.other_msg.is_some_and(here));
        let said = found.map(|d| Ok((d, sentence::discrepancy(engine, &analysis.session, d)?)));
        subject.disagreements = said.collect::<Result<_, Error>>()?;
        Ok(subject)
    }

    pub(super) fn session(&self) -> &'a Session {
        &self.analysis.session
    }

    pub(super) fn facts(&self) -> &'a Facts {
        &self.analysis.facts
    }

    pub(super) fn message(&self) -> &'a Message {
        self.session().message(self.ix)
    }

    pub(super) fn name(&self, ix: MsgIx) -> String {
        label(self.session(), ix)
    }

    /// Messages of the same thread before one, nearest first; those on branches left are passed over.
    pub(super) fn before(&self, ix: MsgIx) -> impl Iterator<Item = (MsgIx, &'a Message)> + use<'a> {
        let (session, thread) = (self.session(), self.session().message(ix).thread);
        let all = (0..ix.0).rev().map(MsgIx).map(move |i| (i, session.message(i)));
        all.filter(move |(_, m)| m.thread == thread && !m.abandoned)
    }

    /// Messages of the same thread after it, nearest first.
    pub(super) fn after(&self) -> impl Iterator<Item = (MsgIx, &'a Message)> + use<'a> {
        let (ix, thread) = (self.ix, self.message().thread);
        self.session().iter().skip(ix.at() + 1).filter(move |(_, m)| m.thread == thread && !m.abandoned)
    }

    /// The last prompt of the thread before a message.
    pub(super) fn prompt_before(&self, ix: MsgIx) -> Option<MsgIx> {
        self.before(ix).find(|(_, m)| asks(m)).map(|(i, _)| i)
    }

    /// Whether no other reply stands between the prompt and the message.
    pub(super) fn is_first_answer(&self) -> bool {
        self.before(self.ix).find(|(i, m)| m.role == Role::Assistant || Some(*i) == self.prompt).map(|(i, _)| i)
            == self.prompt
    }

    /// The plan as the last write of the message leaves it.
    pub(super) fn snapshot(&self) -> Option<&'a PlanSnapshot> {
        self.facts().plan.snapshots.iter().rev().find(|s| s.msg == self.ix)
    }
}

/// Whether a message asks the agent for something: typed, or sent in the user's name.
pub(super) fn asks(m: &Message) -> bool {
    m.role == Role::User && matches!(m.kind, MessageKind::Prompt | MessageKind::SyntheticContinuation)
}

/// The first so many of a list, and how many are left out.
pub(super) fn first<T>(rows: impl IntoIterator<Item = T>, most: usize) -> (Vec<T>, usize) {
    let mut rows: Vec<T> = rows.into_iter().collect();
    let left = rows.len().saturating_sub(most);
    rows.truncate(most);
    (rows, left)
}
