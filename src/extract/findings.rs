//! Findings: what the participants found, from tables and lists.

use serde::Serialize;

use crate::extract::tables::Table;
use crate::session::{MsgIx, Session, Span};

/// Findings of a session, and the counts that its texts state about them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// Findings, in reading order.
    pub findings: Vec<Finding>,
    /// Stated counts ("9 findings at P0"), for the audit.
    pub stated: Vec<StatedCount>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Message.
    pub msg: MsgIx,
    /// Bytes of the title.
    pub span: Span,
    /// Normalised level, `P0` (worst) to `P4`; `None` = not stated.
    pub level: Option<String>,
    /// Level as written.
    pub level_text: Option<String>,
    /// Title, an exact substring of the source.
    pub title: String,
    /// State.
    pub status: FindingStatus,
    /// Value found.
    pub current: Option<String>,
    /// Value wanted.
    pub wanted: Option<String>,
    /// What the change needs: `runtime`, `reboot`, `rebuild`, `credentials` …
    pub needs: Option<String>,
    /// Table (position in `Facts::tables`) and row, from 0.
    pub row: Option<(u32, u32)>,
    /// Earlier finding (position in [`Findings::findings`]) that this one repeats.
    pub restates: Option<u32>,
}

/// State of a finding, as the text gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingStatus {
    /// In order.
    Ok,
    /// Asks for something to be done.
    Actionable,
    /// Done.
    Fixed,
    /// Worth knowing.
    Info,
}

impl FindingStatus {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Actionable => "actionable",
            Self::Fixed => "fixed",
            Self::Info => "info",
        }
    }
}

/// A count of findings that a text states.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StatedCount {
    /// Where it is stated.
    pub span: Span,
    /// The number.
    pub count: u64,
    /// What is counted, as written ("findings", "critical issues").
    pub what: String,
    /// Level that the count is of.
    pub level: Option<String>,
    /// How many the same message lists.
    pub listed: u64,
}

/// Reads every finding.
pub fn extract(_session: &Session, _tables: &[Table]) -> Findings {
    Findings::default()
}
