//! Plan state: snapshots of todo lists, the items behind them, and every change of every item.

use serde::Serialize;

use crate::session::{CallRef, MsgIx, Session, Span, ThreadIx};

/// Everything known of the plans of a session, over all threads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Plan writes, in reading order.
    pub snapshots: Vec<PlanSnapshot>,
    /// Items, in order of first appearance; an item keeps its identity when it is reworded.
    pub items: Vec<PlanItem>,
    /// Rows of (write, item, kind), in order of write, then position of the item in the list.
    pub transitions: Vec<Transition>,
}

/// Position of an item in [`Plan::items`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ItemIx(pub u32);

/// State of a plan item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Not in the list.
    #[default]
    Absent,
    /// To be done.
    Pending,
    /// Being done.
    Active,
    /// Done.
    Done,
    /// Given up.
    Cancelled,
    /// Waiting for something.
    Blocked,
    /// A word this version does not know.
    Other,
}

impl State {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Blocked => "blocked",
            Self::Other => "other",
        }
    }

    /// Whether an item in this state is still to be dealt with.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Active | Self::Blocked | Self::Other)
    }
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
    /// Identity; for a snapshot that was not accepted it may name an item that nothing else shows.
    pub item: ItemIx,
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
    /// Latest text.
    pub text: String,
    /// State at the end of the session.
    pub last: State,
    /// Message where it was first seen.
    pub first_msg: MsgIx,
}

/// How an item changed. The status kinds are a total function of the two states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "docs/plan.md defines each kind; the names say the rest")]
pub enum TransitionKind {
    CreatedPending,
    CreatedActive,
    CreatedDone,
    CreatedCancelled,
    CreatedBlocked,
    CreatedOther,
    Started,
    Completed,
    CompletedWithoutStart,
    Paused,
    Reopened,
    Cancelled,
    Uncancelled,
    Blocked,
    Unblocked,
    DroppedOpen,
    DroppedDone,
    ReAdded,
    StatusChanged,
    Unchanged,
    Renamed,
    ParameterChanged,
    Narrowed,
    Widened,
    Split,
    Merged,
    PriorityRaised,
    PriorityLowered,
    Reordered,
    ListReplaced,
    ListCleared,
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
    /// Item.
    pub item: ItemIx,
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
    /// 0–1: how sure it is that the two wordings are one item.
    pub confidence: f64,
    /// For completions: calls that bear on the item, strongest first.
    pub evidence: Vec<Evidence>,
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

/// Reads every plan write and follows the items.
pub fn extract(_session: &Session) -> Plan {
    Plan::default()
}
