//! Episodes: runs of messages in one phase of the work, and the messages at which a session turns.
//!
//! Each tool call, and each reply without one, is a *step* of one phase or says nothing ([`step`]); steps make runs
//! ([`segment`]); every message is scored by named features ([`features`]). `docs/episodes.md` states the rules.

pub(crate) mod command;
pub mod features;
mod names;
mod programs;
mod segment;
pub(crate) mod shell;
mod step;

use serde::Serialize;

use crate::extract::Facts;
use crate::session::{CallRef, Message, MessageKind, MsgIx, Role, Session};

pub use features::{Feature, Scores, Weight};
use segment::{Price, Unit};

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Looks, searches, reproduces.
    Diagnose,
    /// Makes a plan or asks for direction.
    Plan,
    /// Changes files, packages, services.
    Act,
    /// Runs tests, builds, or what was changed.
    Verify,
    /// Runs a benchmark or prints figures.
    Measure,
    /// Gives an account.
    Report,
}

impl Phase {
    /// Every phase, in the order of a simple session.
    pub const ALL: [Self; 6] = [Self::Diagnose, Self::Plan, Self::Act, Self::Verify, Self::Measure, Self::Report];

    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Diagnose => "diagnose",
            Self::Plan => "plan",
            Self::Act => "act",
            Self::Verify => "verify",
            Self::Measure => "measure",
            Self::Report => "report",
        }
    }

    fn at(self) -> usize {
        self as usize
    }
}

/// One tool call, or one reply without any, with its phase.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Step {
    /// Message.
    pub msg: MsgIx,
    /// Part of the message, from 0.
    pub part: u32,
    /// What it does.
    pub phase: Phase,
    /// How much it counts when runs are made.
    pub weight: f64,
}

/// A run of messages in one phase.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Episode {
    /// First message; on the main thread, unless its subagent's caller is unknown.
    pub first: MsgIx,
    /// Last message of the main thread in it.
    pub last: MsgIx,
    /// The message after it, its subagents' included.
    pub end: MsgIx,
    /// What it mainly is; `None` when no message in it takes a step.
    pub phase: Option<Phase>,
    /// Its steps, by phase in the order of [`Phase::ALL`].
    pub steps: [u32; Phase::ALL.len()],
}

impl Episode {
    /// Whether a message lies in it.
    pub fn holds(&self, msg: MsgIx) -> bool {
        (self.first..self.end).contains(&msg)
    }
}

/// The work of a session in phases.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Episodes {
    /// Steps, in reading order.
    pub steps: Vec<Step>,
    /// Runs of one phase; each message lies in exactly one.
    pub runs: Vec<Episode>,
    /// Features of every message that has one.
    pub scores: Scores,
    /// First and last position of each unit: a message of the main thread with what its subagents did.
    units: Vec<(MsgIx, MsgIx)>,
    weights: Vec<Unit>,
}

/// What a turn costs in a fine account: two ordinary steps of another phase are no turn, three are.
const FINE: Price = Price { turn: 1.25, at_border: 0.0, cut: true };
/// Weight that the steps of one unit have at most, so that ten subagents do not outweigh the thread that waits.
const HEAVIEST: f64 = 4.0;

/// Reads the episodes of a session from its calls and the other facts.
pub fn extract(session: &Session, facts: &Facts) -> Episodes {
    let (steps, reverts) = step::read(session, facts);
    let (units, weights) = units(session, &steps);
    let mut found = Episodes { steps, units, weights, ..Episodes::default() };
    found.runs = found.tell(segment::runs(&found.weights, FINE));
    found.scores = features::score(session, facts, &found, &reverts);
    found
}

impl Episodes {
    /// The session in at most `most` runs.
    pub fn at_most(&self, most: usize) -> Vec<Episode> {
        if self.runs.len() <= most { self.runs.clone() } else { self.tell(segment::at_most(&self.weights, most)) }
    }

    /// The phase of a call; `None` = it says nothing of the work.
    pub fn phase_of(&self, call: CallRef) -> Option<Phase> {
        let at = self.steps.binary_search_by_key(&(call.msg, call.part), |s| (s.msg, s.part)).ok()?;
        Some(self.steps[at].phase)
    }

    /// The message of an episode that scores highest among those at which a session turns.
    pub fn pivot(&self, episode: &Episode) -> Option<MsgIx> {
        let turning = self.scores.messages(episode.first..episode.end).filter(|m| self.scores.turns(*m));
        turning.max_by_key(|m| (self.scores.score(*m), std::cmp::Reverse(*m)))
    }

    /// The steps of an episode.
    pub fn steps_of(&self, episode: &Episode) -> &[Step] {
        let at = |msg: MsgIx| self.steps.partition_point(|s| s.msg < msg);
        &self.steps[at(episode.first)..at(episode.end)]
    }

    fn tell(&self, runs: Vec<(std::ops::Range<usize>, Phase)>) -> Vec<Episode> {
        let tell = |(range, phase): (std::ops::Range<usize>, Phase)| {
            let (first, last) = (self.units[range.start].0, self.units[range.end - 1].0);
            let end = MsgIx(self.units[range.end - 1].1.0 + 1);
            let mut episode = Episode { first, last, end, phase: None, steps: [0; Phase::ALL.len()] };
            let mut steps = [0; Phase::ALL.len()];
            self.steps_of(&episode).iter().for_each(|s| steps[s.phase.at()] += 1);
            episode.phase = steps.iter().any(|n| *n > 0).then_some(phase);
            episode.steps = steps;
            episode
        };
        runs.into_iter().map(tell).collect()
    }
}

/// Messages of the main thread with what their subagents did; a message of a subagent whose caller is unknown is a unit
/// of its own.
fn units(session: &Session, steps: &[Step]) -> (Vec<(MsgIx, MsgIx)>, Vec<Unit>) {
    let mut places: Vec<(MsgIx, MsgIx)> = Vec::new();
    let mut weights: Vec<Unit> = Vec::new();
    let mut steps = steps.iter().peekable();
    // Borders part only what has been done from what comes.
    let mut idle = true;
    for (ix, message) in session.iter() {
        let joins = message.label.sub_number().is_some() && message.label.msg != 0;
        match places.last_mut().filter(|_| joins) {
            Some(place) => place.1 = ix,
            None => {
                let border = !idle && is_border(message);
                idle |= border;
                places.push((ix, ix));
                weights.push(Unit { border, ..Unit::default() });
            }
        }
        while let Some(step) = steps.next_if(|s| s.msg == ix) {
            if let Some(unit) = weights.last_mut() {
                unit.weights[step.phase.at()] += step.weight;
            }
            idle = false;
        }
    }
    for unit in &mut weights {
        let all: f64 = unit.weights.iter().sum();
        if all > HEAVIEST {
            unit.weights = unit.weights.map(|w| w * HEAVIEST / all);
        }
    }
    (places, weights)
}

/// Whether what was done before a message ends there.
fn is_border(message: &Message) -> bool {
    let prompt = message.role == Role::User && message.kind == MessageKind::Prompt && !message.abandoned;
    let typed = prompt && message.label.sub_number().is_none() && !message.text().trim().is_empty();
    typed || message.kind == MessageKind::CompactionSummary
}

#[cfg(test)]
mod tests;
