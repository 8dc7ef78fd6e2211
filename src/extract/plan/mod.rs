//! Plan state: snapshots of todo lists, the items behind them, and every change of every item.
//!
//! [`sources`] read plan writes, one file per source; [`lineage`] says which item of one list continues which of the
//! list before; [`follow`] folds the writes into items and transitions; [`evidence`] says what proves a completion.

mod changes;
pub mod conformance;
pub mod evidence;
mod figures;
mod follow;
mod lineage;
mod similarity;
pub mod sources;
mod state;
mod wording;

use serde::Serialize;

pub use figures::Figures;
pub use similarity::Weights;
pub use state::{State, TransitionKind, matrix_markdown};

use crate::diag::Diag;
use crate::session::{CallRef, MsgIx, Session, Span, ThreadIx};

/// Everything known of the plans of a session, over all threads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Lists, in order of first write: one per thread and source (and file).
    pub lists: Vec<PlanList>,
    /// Plan writes, in reading order.
    pub snapshots: Vec<PlanSnapshot>,
    /// Items, in order of first appearance; an item keeps its identity when it is reworded.
    pub items: Vec<PlanItem>,
    /// Rows of (write, item, kind), in order of write, then position of the item in the list.
    pub transitions: Vec<Transition>,
    /// What could not be understood, such as an unknown status word.
    pub warnings: Vec<Diag>,
}

/// Position of an item in [`Plan::items`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ItemIx(pub u32);

impl ItemIx {
    /// The position as an index.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// One list of items that is written again and again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlanList {
    /// Thread whose plan it is.
    pub thread: ThreadIx,
    /// Where it comes from.
    pub source: PlanSource,
    /// What tells it from other lists of that source: the path of a file, `tasks` for one-item tools, else empty.
    pub name: String,
}

/// Where a snapshot comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum PlanSource {
    /// A plan tool.
    #[default]
    Tool,
    /// A checkbox list in a file that the agent edits.
    File,
    /// The text of a plan mode.
    PlanMode,
    /// A plan told in prose.
    Prose,
}

impl PlanSource {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::File => "file",
            Self::PlanMode => "plan-mode",
            Self::Prose => "prose",
        }
    }
}

/// The plan as one write leaves it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanSnapshot {
    /// Message of the write.
    pub msg: MsgIx,
    /// Thread whose plan it is.
    pub thread: ThreadIx,
    /// Position in [`Plan::lists`].
    pub list: u32,
    /// Call that wrote it; `None` for plans in prose.
    pub call: Option<CallRef>,
    /// Order among the writes of one message, from 1.
    pub seq: u32,
    /// Where it comes from.
    pub source: PlanSource,
    /// 1 for a tool's list; lower for what was inferred.
    pub certainty: f64,
    /// False for a write that was refused or never answered: it changes nothing.
    pub accepted: bool,
    /// The list, in order.
    pub items: Vec<SnapshotItem>,
}

/// One item as one snapshot shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotItem {
    /// Identity; `None` in a snapshot that was not accepted, where no known item has this text.
    pub item: Option<ItemIx>,
    /// The transcript's own id.
    pub native_id: Option<String>,
    /// Text, as written.
    pub text: String,
    /// State.
    pub state: State,
    /// State as written.
    pub status_text: String,
    /// Priority as written.
    pub priority: Option<String>,
    /// Form shown while the item is active.
    pub active_form: Option<String>,
    /// Where the text stands.
    pub span: Option<Span>,
}

/// An item's life over all snapshots.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanItem {
    /// Short stable label: `T1`, `T2` … in order of first appearance.
    pub label: String,
    /// Thread whose plan it is in.
    pub thread: ThreadIx,
    /// Position in [`Plan::lists`].
    pub list: u32,
    /// Latest text.
    pub text: String,
    /// State at the end of the session.
    pub last: State,
    /// State when it was last in the list: of an item that was dropped, the state it had before.
    pub outcome: State,
    /// Message where it was first seen.
    pub first_msg: MsgIx,
}

/// One row of the plan's history.
#[derive(Debug, Clone, PartialEq)]
pub struct Transition {
    /// Position of the write in [`Plan::snapshots`].
    pub snapshot: u32,
    /// Message of the write.
    pub msg: MsgIx,
    /// Order among the writes of one message, from 1.
    pub seq: u32,
    /// Item; `None` for the list kinds (`list-replaced`, `list-cleared`), whose states are both absent.
    pub item: Option<ItemIx>,
    /// Text of the item after the write (before it, when the item was dropped).
    pub text: String,
    /// Text of the item before the write, when it differs.
    pub old_text: Option<String>,
    /// State before.
    pub from: State,
    /// State after.
    pub to: State,
    /// How it changed.
    pub kind: TransitionKind,
    /// 0–1: how sure it is that the two wordings are one item. Below [`Transition::UNCERTAIN`] it is shown as uncertain.
    pub confidence: f64,
    /// For `split`: the item it came out of; for `merged`: the items that went into it.
    pub related: Vec<ItemIx>,
    /// It was changed out of sight: the write only shows it, and who did it is not known.
    pub revealed: bool,
    /// For completions: calls that bear on the item, strongest first.
    pub evidence: Vec<Evidence>,
    /// For completions without evidence: a call did, or may have done, what the item asks for, but shares no word with it,
    /// so that it is not known whether it bears on the item.
    pub unsure: bool,
}

impl Transition {
    /// Identities below this confidence are flagged as uncertain.
    pub const UNCERTAIN: f64 = 0.5;

    /// Whether an item was completed by a write of the transcript.
    pub fn is_completion(&self) -> bool {
        self.kind.is_completion() && !self.revealed
    }

    /// What is said where no call bears on it: only a completion needs evidence, and none that is talk.
    pub fn without_evidence(&self) -> &'static str {
        match (self.is_completion(), evidence::is_talk(&self.text)) {
            _ if self.revealed => "changed out of sight",
            (true, true) => "talk: needs none",
            (true, false) if self.unsure => "not known",
            (true, false) => "none found",
            (false, _) => "–",
        }
    }

    /// Whether it changed the plan.
    pub fn is_change(&self) -> bool {
        self.kind != TransitionKind::Unchanged
    }
}

/// A call that bears on the completion of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The call.
    pub call: CallRef,
    /// Shares a path, flag, identifier or number with the item, or is of the kind its verb names.
    pub strong: bool,
    /// The words shared.
    pub shared: Vec<String>,
}

impl Plan {
    /// Messages that changed the plan, in reading order.
    pub fn changed_messages(&self) -> Vec<MsgIx> {
        let mut out: Vec<MsgIx> = self.transitions.iter().filter(|t| t.is_change()).map(|t| t.msg).collect();
        out.sort();
        out.dedup();
        out
    }

    /// Items still to be dealt with at the end of the session. A plan-mode text whose progress is never told says nothing
    /// on what is open, so its items are not among them.
    pub fn open_items(&self) -> impl Iterator<Item = (ItemIx, &PlanItem)> {
        let is_told = |list: u32| {
            self.lists[list as usize].source != PlanSource::PlanMode
                || self.items.iter().any(|i| i.list == list && i.outcome != State::Pending)
        };
        let told: Vec<bool> = (0..self.lists.len() as u32).map(is_told).collect();
        (0..).map(ItemIx).zip(&self.items).filter(move |(_, i)| i.last.is_open() && told[i.list as usize])
    }

    /// Rows of one write.
    pub fn rows_of(&self, snapshot: u32) -> &[Transition] {
        let from = self.transitions.partition_point(|t| t.snapshot < snapshot);
        let to = self.transitions.partition_point(|t| t.snapshot <= snapshot);
        &self.transitions[from..to]
    }

    /// The last accepted snapshot of each list at or before a message (`None` = at the end), in order of lists.
    pub fn lists_at(&self, msg: Option<MsgIx>) -> Vec<&PlanSnapshot> {
        let mut last = vec![None; self.lists.len()];
        for s in self.snapshots.iter().filter(|s| s.accepted && msg.is_none_or(|m| s.msg <= m)) {
            last[s.list as usize] = Some(s);
        }
        last.into_iter().flatten().collect()
    }
}

/// Reads every plan write and follows the items.
pub fn extract(session: &Session) -> Plan {
    extract_with(session, &Weights::default())
}

/// As [`extract`], with other weights for the likeness of wordings.
pub fn extract_with(session: &Session, weights: &Weights) -> Plan {
    let mut plan = follow::follow(session, sources::writes(session), weights);
    evidence::find(session, &mut plan);
    plan
}

#[cfg(test)]
mod tests;
