//! States of plan items, the words vendors use for them, and the kind of every change from one to another.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

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
    /// Every state, in the order of the matrix.
    pub const ALL: [Self; 7] =
        [Self::Absent, Self::Pending, Self::Active, Self::Done, Self::Cancelled, Self::Blocked, Self::Other];

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

    /// The state a vendor's word stands for. Case, spaces, hyphens and underscores do not matter.
    pub fn of_word(word: &str) -> Self {
        let key: String = word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        match key.as_str() {
            "pending" | "todo" | "notstarted" | "open" | "queued" | "planned" | "new" | "backlog" => Self::Pending,
            "inprogress" | "active" | "doing" | "started" | "running" | "working" | "current" | "ongoing" | "wip" => {
                Self::Active
            }
            "completed" | "complete" | "done" | "finished" | "closed" | "resolved" | "checked" => Self::Done,
            "cancelled" | "canceled" | "skipped" | "abandoned" | "wontdo" | "wontfix" | "obsolete" => Self::Cancelled,
            "blocked" | "waiting" | "onhold" | "paused" | "stuck" => Self::Blocked,
            "deleted" | "removed" => Self::Absent,
            _ => Self::Other,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How an item changed. The status kinds are a total function of the two states; see [`TransitionKind::of_states`].
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

impl TransitionKind {
    /// Every kind: status kinds, then text kinds, then list kinds.
    pub const ALL: [Self; 31] = [
        Self::CreatedPending,
        Self::CreatedActive,
        Self::CreatedDone,
        Self::CreatedCancelled,
        Self::CreatedBlocked,
        Self::CreatedOther,
        Self::Started,
        Self::Completed,
        Self::CompletedWithoutStart,
        Self::Paused,
        Self::Reopened,
        Self::Cancelled,
        Self::Uncancelled,
        Self::Blocked,
        Self::Unblocked,
        Self::DroppedOpen,
        Self::DroppedDone,
        Self::ReAdded,
        Self::StatusChanged,
        Self::Unchanged,
        Self::Renamed,
        Self::ParameterChanged,
        Self::Narrowed,
        Self::Widened,
        Self::Split,
        Self::Merged,
        Self::PriorityRaised,
        Self::PriorityLowered,
        Self::Reordered,
        Self::ListReplaced,
        Self::ListCleared,
    ];

    /// The status kind of a change: the 7×7 matrix of `docs/plan.md`. An item that comes back after it was dropped is
    /// [`Self::ReAdded`] instead of `created-*`; that needs its history, which two states do not tell.
    pub fn of_states(from: State, to: State) -> Self {
        use State::{Absent, Active, Blocked, Cancelled, Done, Other, Pending};
        match (from, to) {
            _ if from == to => Self::Unchanged,
            (Absent, Pending) => Self::CreatedPending,
            (Absent, Active) => Self::CreatedActive,
            (Absent, Done) => Self::CreatedDone,
            (Absent, Cancelled) => Self::CreatedCancelled,
            (Absent, Blocked) => Self::CreatedBlocked,
            (Absent, _) => Self::CreatedOther,
            (Done | Cancelled, Absent) => Self::DroppedDone,
            (_, Absent) => Self::DroppedOpen,
            (Active | Other, Done) => Self::Completed,
            (_, Done) => Self::CompletedWithoutStart,
            (_, Other) | (Other, Pending | Active) => Self::StatusChanged,
            (_, Cancelled) => Self::Cancelled,
            (Done, _) => Self::Reopened,
            (Cancelled, _) => Self::Uncancelled,
            (_, Blocked) => Self::Blocked,
            (Blocked, _) => Self::Unblocked,
            (Active, _) => Self::Paused,
            (_, _) => Self::Started,
        }
    }

    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::CreatedPending => "created-pending",
            Self::CreatedActive => "created-active",
            Self::CreatedDone => "created-done",
            Self::CreatedCancelled => "created-cancelled",
            Self::CreatedBlocked => "created-blocked",
            Self::CreatedOther => "created-other",
            Self::Started => "started",
            Self::Completed => "completed",
            Self::CompletedWithoutStart => "completed-without-start",
            Self::Paused => "paused",
            Self::Reopened => "reopened",
            Self::Cancelled => "cancelled",
            Self::Uncancelled => "uncancelled",
            Self::Blocked => "blocked",
            Self::Unblocked => "unblocked",
            Self::DroppedOpen => "dropped-open",
            Self::DroppedDone => "dropped-done",
            Self::ReAdded => "re-added",
            Self::StatusChanged => "status-changed",
            Self::Unchanged => "unchanged",
            Self::Renamed => "renamed",
            Self::ParameterChanged => "parameter-changed",
            Self::Narrowed => "narrowed",
            Self::Widened => "widened",
            Self::Split => "split",
            Self::Merged => "merged",
            Self::PriorityRaised => "priority-raised",
            Self::PriorityLowered => "priority-lowered",
            Self::Reordered => "reordered",
            Self::ListReplaced => "list-replaced",
            Self::ListCleared => "list-cleared",
        }
    }

    /// Whether the kind is about the state, not about text or list.
    pub fn is_status(self) -> bool {
        self <= Self::Unchanged
    }

    /// Whether the kind brings an item into the list.
    pub fn is_creation(self) -> bool {
        self <= Self::CreatedOther || self == Self::ReAdded
    }

    /// Whether the kind says that an item got done.
    pub fn is_completion(self) -> bool {
        matches!(self, Self::Completed | Self::CompletedWithoutStart)
    }
}

impl fmt::Display for TransitionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for TransitionKind {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|k| k.word() == word).ok_or(())
    }
}

/// The matrix of status kinds as a Markdown table, rows from, columns to.
pub fn matrix_markdown() -> String {
    let head: Vec<&str> = State::ALL.iter().map(|s| s.word()).collect();
    let mut out = format!("| from \\ to | {} |\n|---|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for from in State::ALL {
        let cells = State::ALL.map(|to| TransitionKind::of_states(from, to).word());
        out.push_str(&format!("| **{}** | {} |\n", from.word(), cells.join(" | ")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendors_words_map_onto_states() {
        for (word, state) in [
            ("in_progress", State::Active),
            ("In Progress", State::Active),
            ("not-started", State::Pending),
            ("canceled", State::Cancelled),
            ("deleted", State::Absent),
            ("completed", State::Done),
            ("reviewing", State::Other),
            ("", State::Other),
        ] {
            assert_eq!(State::of_word(word), state, "{word}");
        }
    }

    #[test]
    fn the_matrix_is_total_and_only_its_diagonal_is_unchanged() {
        for from in State::ALL {
            for to in State::ALL {
                let kind = TransitionKind::of_states(from, to);
                assert!(kind.is_status());
                assert_eq!(kind == TransitionKind::Unchanged, from == to, "{from} {to}");
                assert_eq!(kind.is_completion(), to == State::Done && from != to && from != State::Absent);
            }
        }
    }

    #[test]
    fn words_read_back() {
        for kind in TransitionKind::ALL {
            assert_eq!(kind.word().parse(), Ok(kind));
        }
    }
}
