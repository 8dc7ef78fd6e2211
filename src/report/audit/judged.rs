//! What a project knows already: suppressions, severities of its own, and the findings of an earlier run.

use std::collections::BTreeSet;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Row, View};
use crate::audit::settings::{Case, Settings};
use crate::session::Session;

/// A discrepancy that is known, and why it is not counted.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Suppressed {
    /// The discrepancy.
    pub discrepancy: Row,
    /// `baseline`, `suppression` or `rule off`.
    pub by: &'static str,
    /// Reason, as the configuration gives it.
    pub reason: Option<String>,
}

/// Suppressions (position in the settings) that named a discrepancy, and those that named one too late.
#[derive(Debug, Default)]
pub struct Used {
    /// In force.
    pub held: BTreeSet<usize>,
    /// Ended before the session's last message.
    pub expired: BTreeSet<usize>,
}

impl View {
    /// Sets the severities of a project and takes out what it knows; `known` are fingerprints of an earlier run.
    pub fn judge(&mut self, session: &Session, settings: &Settings, known: &BTreeSet<String>, used: &mut Used) {
        let on = last_day(session);
        for mut row in std::mem::take(&mut self.discrepancies) {
            let case = Case {
                session: &self.session_id,
                on,
                rule: row.rule,
                message: &row.msg,
                fingerprint: &row.fingerprint,
            };
            let off = settings.severities.get(row.rule).copied();
            let named: Vec<usize> =
                (0..settings.suppressions.len()).filter(|&i| settings.suppressions[i].names(&case)).collect();
            let holds = named.iter().copied().find(|&i| settings.suppressions[i].holds(on));
            let why = if off == Some(None) {
                Some(("rule off", None))
            } else if let Some(i) = holds {
                used.held.insert(i);
                Some(("suppression", Some(settings.suppressions[i].reason.clone())))
            } else if known.contains(&row.fingerprint) {
                Some(("baseline", None))
            } else {
                used.expired.extend(named);
                None
            };
            if let Some(Some(severity)) = off {
                row.severity = severity.word();
            }
            match why {
                Some((by, reason)) => self.suppressed.push(Suppressed { discrepancy: row, by, reason }),
                None => self.discrepancies.push(row),
            }
        }
        let rank = |row: &Row| ["high", "medium", "low"].iter().position(|w| *w == row.severity);
        self.discrepancies.sort_by_key(rank);
    }
}

fn last_day(session: &Session) -> Option<Date> {
    let last = session.messages.iter().filter_map(|m| m.at).max()?;
    Some(jiff::tz::Offset::UTC.to_datetime(last).date())
}
