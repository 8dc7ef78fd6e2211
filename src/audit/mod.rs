//! Stage 5: from facts and links to discrepancies: places where the record disagrees with itself. One file per rule.

use serde::Serialize;

use crate::extract::Facts;
use crate::link::Link;
use crate::session::{MsgIx, Session, Span};

/// What a rule reads.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The session.
    pub session: &'a Session,
    /// Its facts.
    pub facts: &'a Facts,
    /// Their links.
    pub links: &'a [Link],
}

/// How bad a discrepancy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth a look.
    Low,
    /// Should be cleared up.
    Medium,
    /// The record is wrong, or an instruction was broken.
    High,
}

impl Severity {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// A rule of the audit.
#[derive(Debug)]
pub struct Rule {
    /// Kebab-case id that names the fault.
    pub id: &'static str,
    /// How bad what it finds is.
    pub severity: Severity,
    /// Off by default: precision not yet measured, or below .80.
    pub experimental: bool,
    /// Manual in Markdown: what it finds, why it matters, an example, measured precision.
    pub doc: &'static str,
    /// Finds discrepancies.
    pub check: fn(&Evidence<'_>) -> Vec<Discrepancy>,
}

/// A place where the record disagrees with itself. `values` are facts; the sentence is made by the rule's template
/// `templates/rules/<rule>.md`.
#[derive(Debug, Clone, PartialEq)]
pub struct Discrepancy {
    /// Id of the rule.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Message that shows it.
    pub msg: MsgIx,
    /// Message that it disagrees with.
    pub other_msg: Option<MsgIx>,
    /// Bytes that show it.
    pub span: Option<Span>,
    /// Named values for the sentence.
    pub values: serde_json::Map<String, serde_json::Value>,
}

/// Rules, in the order in which they are listed.
pub const RULES: &[Rule] = &[];

/// Runs the rules. Experimental ones only when asked for.
pub fn audit(evidence: &Evidence<'_>, experimental: bool) -> Vec<Discrepancy> {
    let mut found: Vec<Discrepancy> =
        RULES.iter().filter(|r| experimental || !r.experimental).flat_map(|r| (r.check)(evidence)).collect();
    found.sort_by_key(|d| (std::cmp::Reverse(d.severity), d.msg));
    found
}
