//! The measured precision of the rules, from the sheet of firings read by hand or set against labels: `docs/audit-precision.tsv`.

use super::Rule;

const SHEET: &str = include_str!("../../docs/audit-precision.tsv");

/// True firings, and the share of true ones, from which a rule may be on by default.
const ENOUGH: (usize, usize) = (10, 80);

/// A firing that was read by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// Id of the rule.
    pub rule: &'static str,
    /// Name of the transcript.
    pub session: &'static str,
    /// Number of the message.
    pub msg: &'static str,
    /// Fingerprint.
    pub fingerprint: &'static str,
    /// Whether what it says is so.
    pub right: bool,
}

/// The rows of the sheet.
pub fn sheet() -> impl Iterator<Item = Read> {
    SHEET.lines().filter(|l| !l.starts_with('#')).filter_map(|line| {
        let mut cells = line.split('\t');
        let [rule, session, msg, fingerprint, verdict] = std::array::from_fn(|_| cells.next());
        let right = match verdict? {
            "true" => true,
            "false" => false,
            _ => return None,
        };
        Some(Read { rule: rule?, session: session?, msg: msg?, fingerprint: fingerprint?, right })
    })
}

/// Firings of a rule that were read, and how many of them are right.
pub fn of(rule: &str) -> (usize, usize) {
    let of_rule = sheet().filter(|r| r.rule == rule);
    of_rule.fold((0, 0), |(read, right), r| (read + 1, right + usize::from(r.right)))
}

/// Whether the sheet lets a rule be on by default.
pub fn is_enough((read, right): (usize, usize)) -> bool {
    right >= ENOUGH.0 && right * 100 >= read * ENOUGH.1
}

impl Rule {
    /// Its whole manual in Markdown, with the measured precision.
    pub fn manual(&self) -> String {
        let (read, right) = of(self.id);
        let measured = match read {
            0 => "no firing over the shared sessions was read; experimental until there are ten true ones.".to_owned(),
            _ => {
                let share = right as f64 / read as f64;
                let state = if is_enough((read, right)) { "on by default" } else { "experimental" };
                format!(
                    "{share:.2} ({right} of {read} firings over the shared sessions, read by hand or set against labels: `docs/audit-precision.tsv`); {state}."
                )
            }
        };
        format!("{}\n\n**Measured precision.** {measured}", self.doc.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RULES, rule};
    use super::*;

    #[test]
    fn only_rules_that_are_right_often_enough_are_on() {
        for r in RULES {
            assert_eq!(!r.experimental, is_enough(of(r.id)), "{} {:?}", r.id, of(r.id));
        }
    }

    #[test]
    fn every_row_of_the_sheet_names_a_rule_and_stands_once() {
        let rows: Vec<Read> = sheet().collect();
        let lines = SHEET.lines().filter(|l| !l.starts_with('#') && !l.starts_with("rule\t")).count();
        assert_eq!(rows.len(), lines, "every line has five cells and a verdict");
        let prints: std::collections::BTreeSet<_> = rows.iter().map(|r| (r.rule, r.session, r.fingerprint)).collect();
        assert_eq!(prints.len(), rows.len());
        assert!(rows.iter().all(|r| rule(r.rule).is_some()));
    }
}
