//! Stage 4: typed links between facts, by id only.
//!
//! A link reads subject verb object: *call-12 result_of …*, *item-3 mirrors directive-2*. Text heuristics that find a
//! fact belong in `extract`; this stage only compares facts.

mod acts;
mod choices;
pub mod claims;
mod deeds;
mod evidence;
pub mod fate;
mod files;
mod mirrors;
mod overlap;
mod picks;
mod reasoning;
mod remarks;
mod reply;
mod responds;
mod restates;
mod results;
mod subagents;
pub(crate) mod turns;
mod verifies;

use std::cell::OnceCell;
use std::fmt;

use serde::Serialize;

use self::turns::Turns;
use crate::extract::Facts;
use crate::extract::options::{Opt, OptionList};
use crate::session::{CallRef, MsgIx, Session, Span};

/// Names one fact of a session. Shown as `call-12`, `item-3`, `msg-352`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactId {
    /// A message.
    Message(MsgIx),
    /// Position in `Facts::calls`.
    Call(u32),
    /// Position in `Facts::tables`.
    Table(u32),
    /// Position in `Plan::items`.
    Item(u32),
    /// Position in `Plan::transitions`.
    Transition(u32),
    /// Position in `Bench::measurements`.
    Measurement(u32),
    /// Position in `Bench::limits`.
    Limit(u32),
    /// Position in `Findings::findings`.
    Finding(u32),
    /// Position in `Facts::directives`.
    Directive(u32),
    /// Position over all `Facts::options`, list after list.
    Option(u32),
    /// Position in `Facts::artefacts`.
    Artefact(u32),
    /// Position in `Facts::claims`.
    Claim(u32),
    /// Position in `Episodes::runs`.
    Episode(u32),
    /// Position in `Findings::remarks`.
    Remark(u32),
    /// Position in `Facts::decisions`.
    Decision(u32),
    /// Position in `Facts::assumptions`.
    Assumption(u32),
    /// Position in `Facts::printed`.
    Printed(u32),
}

impl FactId {
    /// The id as shown, unique in the session. Positions count from 1.
    pub fn show(self, session: &Session) -> String {
        match self {
            Self::Message(ix) => session.message(ix).label.anchor(),
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for FactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, n) = match *self {
            Self::Message(ix) => ("message", ix.0),
            Self::Call(n) => ("call", n),
            Self::Table(n) => ("table", n),
            Self::Item(n) => ("item", n),
            Self::Transition(n) => ("transition", n),
            Self::Measurement(n) => ("measurement", n),
            Self::Limit(n) => ("limit", n),
            Self::Finding(n) => ("finding", n),
            Self::Directive(n) => ("directive", n),
            Self::Option(n) => ("option", n),
            Self::Artefact(n) => ("artefact", n),
            Self::Claim(n) => ("claim", n),
            Self::Episode(n) => ("episode", n),
            Self::Remark(n) => ("remark", n),
            Self::Decision(n) => ("decision", n),
            Self::Assumption(n) => ("assumption", n),
            Self::Printed(n) => ("tool-finding", n),
        };
        write!(f, "{kind}-{}", n + 1)
    }
}

/// What one fact is to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "docs/architecture.md defines each kind; the names say the rest")]
pub enum LinkKind {
    RespondsTo,
    ResultOf,
    Mirrors,
    Selects,
    Omits,
    ActsOn,
    Evidences,
    Verifies,
    Contradicts,
    Supersedes,
    Remeasures,
    Writes,
    Reads,
    Interrupts,
    Delegates,
    Returns,
    Restates,
}

impl LinkKind {
    /// Every kind.
    pub const ALL: [Self; 17] = [
        Self::RespondsTo,
        Self::ResultOf,
        Self::Mirrors,
        Self::Selects,
        Self::Omits,
        Self::ActsOn,
        Self::Evidences,
        Self::Verifies,
        Self::Contradicts,
        Self::Supersedes,
        Self::Remeasures,
        Self::Writes,
        Self::Reads,
        Self::Interrupts,
        Self::Delegates,
        Self::Returns,
        Self::Restates,
    ];

    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::RespondsTo => "responds_to",
            Self::ResultOf => "result_of",
            Self::Mirrors => "mirrors",
            Self::Selects => "selects",
            Self::Omits => "omits",
            Self::ActsOn => "acts_on",
            Self::Evidences => "evidences",
            Self::Verifies => "verifies",
            Self::Contradicts => "contradicts",
            Self::Supersedes => "supersedes",
            Self::Remeasures => "remeasures",
            Self::Writes => "writes",
            Self::Reads => "reads",
            Self::Interrupts => "interrupts",
            Self::Delegates => "delegates",
            Self::Returns => "returns",
            Self::Restates => "restates",
        }
    }
}

/// A typed link between two facts.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Subject.
    pub from: FactId,
    /// Message of the subject.
    pub from_msg: MsgIx,
    /// Verb.
    pub kind: LinkKind,
    /// Object.
    pub to: FactId,
    /// Message of the object.
    pub to_msg: MsgIx,
    /// 0–1.
    pub confidence: f64,
    /// Bytes that show it.
    pub span: Option<Span>,
}

/// What the linkers read.
#[derive(Debug)]
struct Scene<'a> {
    session: &'a Session,
    facts: &'a Facts,
    turns: OnceCell<Turns>,
}

impl<'a> Scene<'a> {
    fn new(session: &'a Session, facts: &'a Facts) -> Self {
        Self { session, facts, turns: OnceCell::new() }
    }

    /// The id of a call.
    fn call(&self, r: CallRef) -> Option<FactId> {
        self.facts.calls.binary_search(&r).ok().map(|i| FactId::Call(i as u32))
    }

    /// The turns of the session, worked out when they are first asked for.
    fn turns(&self) -> &Turns {
        self.turns.get_or_init(|| Turns::of(self.session))
    }

    /// What the call at a position did; `None` = it is not known to have worked.
    fn deeds(&self, call: u32) -> Option<deeds::Deeds<'a>> {
        self.session.call(*self.facts.calls.get(call as usize)?).and_then(deeds::Deeds::of)
    }

    /// Options of all lists, with their ids and lists.
    fn options(&self) -> impl Iterator<Item = (u32, &OptionList, &Opt)> {
        let all = self.facts.options.iter().flat_map(|l| l.options.iter().map(move |o| (l, o)));
        all.enumerate().map(|(i, (list, option))| (i as u32, list, option))
    }
}

/// A certain link between two facts.
fn sure(kind: LinkKind, from: (FactId, MsgIx), to: (FactId, MsgIx)) -> Link {
    Link { from: from.0, from_msg: from.1, kind, to: to.0, to_msg: to.1, confidence: 1.0, span: None }
}

/// Makes one kind of link; sees those made before it.
type Linker = fn(&Scene<'_>, &[Link]) -> Vec<Link>;

/// Linkers, one file per kind of link. Each sees the links made by those above it.
const LINKERS: &[Linker] = &[
    responds::link,
    subagents::link,
    files::link,
    restates::link,
    results::link,
    mirrors::link,
    evidence::link,
    choices::link,
    picks::link,
    remarks::link,
    turns::link,
    acts::link,
    verifies::link,
    claims::link,
    reasoning::link,
];

/// Links the facts of a session, in order of subject, kind and object.
pub fn link(session: &Session, facts: &Facts) -> Vec<Link> {
    let scene = Scene::new(session, facts);
    let mut links: Vec<Link> = Vec::new();
    for linker in LINKERS {
        let new = linker(&scene, &links);
        links.extend(new);
    }
    links.sort_by(|a, b| {
        let key = |l: &Link| (l.from_msg, l.from, l.kind, l.to_msg, l.to);
        key(a).cmp(&key(b)).then(b.confidence.total_cmp(&a.confidence))
    });
    links.dedup_by(|a, b| (a.from, a.kind, a.to) == (b.from, b.kind, b.to));
    links
}
