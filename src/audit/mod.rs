//! Stage 5: from facts and links to discrepancies: places where the record disagrees with itself. One file per rule.

mod arithmetic_wrong;
mod asked_leave_skipped;
mod assumption_never_checked;
mod claim_contradicted;
mod claim_stale;
mod claimed_file_missing;
mod claims;
mod conflicting_directives;
mod count_mismatch;
mod destructive_command;
mod directive_left_alone;
mod figures;
mod figures_contradict;
mod plan_order_broken;
pub mod precision;
mod prohibition_broken;
mod promised_file_missing;
mod repeated_failure;
mod session_ends_with_open_items;
pub mod settings;
mod tests_never_run;
mod text_contradicts_table;
mod words;

use serde::Serialize;
use sha2::{Digest, Sha256};

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
    /// Manual in Markdown: what it finds, why it matters, an example, exceptions.
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

impl Discrepancy {
    /// A discrepancy of a rule, shown by a message.
    fn of(rule: &Rule, msg: MsgIx) -> Self {
        let values = serde_json::Map::new();
        Self { rule: rule.id, severity: rule.severity, msg, other_msg: None, span: None, values }
    }

    /// With the message that it disagrees with.
    fn against(mut self, msg: MsgIx) -> Self {
        self.other_msg = Some(msg);
        self
    }

    /// With the bytes that show it.
    fn at(mut self, span: &Span) -> Self {
        self.span = Some(span.clone());
        self
    }

    /// With a named value.
    fn value(mut self, name: &str, value: impl Into<serde_json::Value>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }

    /// The same for the same discrepancy in two runs, whatever else was found: made of session, rule, message and values.
    pub fn fingerprint(&self, session: &Session) -> String {
        let label = |ix: MsgIx| session.message(ix).label.to_string();
        let values = serde_json::to_string(&self.values).unwrap_or_default();
        let parts = [&session.id, self.rule, &label(self.msg), &self.other_msg.map(label).unwrap_or_default(), &values];
        let digest = Sha256::digest(parts.join("\u{1f}"));
        digest.iter().take(8).map(|b| format!("{b:02x}")).collect()
    }
}

impl Rule {
    /// Its manual's first sentence.
    pub fn summary(&self) -> &'static str {
        let text = self.doc.trim_start();
        let text = text.split_once("\n\n").map_or(text, |(first, _)| first);
        text.strip_prefix("**What it finds.**").unwrap_or(text).trim()
    }
}

/// The rule with this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|r| r.id == id)
}

/// Rules, in the order in which they are listed.
pub const RULES: &[&Rule] = &[
    &session_ends_with_open_items::RULE,
    &count_mismatch::RULE,
    &arithmetic_wrong::RULE,
    &repeated_failure::RULE,
    &prohibition_broken::RULE,
    &promised_file_missing::RULE,
    &asked_leave_skipped::RULE,
    &directive_left_alone::RULE,
    &conflicting_directives::RULE,
    &plan_order_broken::RULE,
    &destructive_command::RULE,
    &assumption_never_checked::RULE,
    &claim_contradicted::RULE,
    &claim_stale::RULE,
    &tests_never_run::RULE,
    &claimed_file_missing::RULE,
    &text_contradicts_table::RULE,
    &figures_contradict::RULE,
];

/// Runs the rules. Experimental ones only when asked for.
pub fn audit(evidence: &Evidence<'_>, experimental: bool) -> Vec<Discrepancy> {
    let mut found: Vec<Discrepancy> =
        RULES.iter().filter(|r| experimental || !r.experimental).flat_map(|r| (r.check)(evidence)).collect();
    found.sort_by_key(|d| (std::cmp::Reverse(d.severity), d.msg));
    found
}

/// The manual of every rule in Markdown: `docs/rules.md`.
pub fn manual() -> String {
    let mut out = String::from(
        "# Rules\n\nWhat `turnpoint audit` reports. Printed by `turnpoint rules --format md`.\n\n| rule | severity | on by default |\n|---|---|---|\n",
    );
    for r in RULES {
        let on = if r.experimental { "no (`--experimental`)" } else { "yes" };
        out.push_str(&format!("| [{0}](#{0}) | {1} | {on} |\n", r.id, r.severity.word()));
    }
    for r in RULES {
        out.push_str(&format!("\n## {}\n\n{}\n", r.id, r.manual()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs one rule over a hand-made session.
    pub(super) fn fire(rule: &Rule, session: &Session) -> Vec<Discrepancy> {
        let facts = crate::extract::extract(session, &crate::extract::Config::default());
        let links = crate::link::link(session, &facts);
        (rule.check)(&Evidence { session, facts: &facts, links: &links })
    }

    #[test]
    fn every_rule_has_a_manual_and_a_name_of_its_own() {
        let ids: std::collections::BTreeSet<&str> = RULES.iter().map(|r| r.id).collect();
        assert_eq!(ids.len(), RULES.len());
        for r in RULES {
            for head in [
                "**What it finds.**",
                "**Why it matters.**",
                "**Example.**",
                "**Exceptions.**",
                "**Measured precision.**",
            ] {
                assert!(r.manual().contains(head), "{} {head}", r.id);
            }
            assert!(!r.summary().is_empty());
        }
    }
}
