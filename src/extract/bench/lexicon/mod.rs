//! The words that say what a figure is: metrics, statistics, roles, phases, conditions.
//!
//! Every list is ordered, the more specific first. Texts are matched in any case.

mod conditions;
mod identifiers;
mod metrics;
mod roles;

use regex::Regex;

pub use conditions::{param_header, params, scope, statistic};
pub use identifiers::spoken;
pub use metrics::{Kind, METRICS, Metric, default_metric, higher_is_better, kinds, metric, metric_ids};
pub use roles::{is_derived, phase, role};

/// Compiles a list of words; `\b` is the ASCII one, which costs a big set nothing.
pub(crate) fn words(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){}", pattern.replace(r"\b", r"(?-u:\b)"))).expect("static pattern")
}
