//! What tells the figures of one sentence apart: the lead of its line, and the names of things set against each other.

use std::sync::LazyLock;

use regex::Regex;

use super::clauses::Clause;
use super::says_more;
use crate::extract::bench::MeasurementRole;
use crate::extract::bench::lexicon::words;

/// `- **128×128**: …`, `Signal 1024: …` at the start of a line.
static LEAD: LazyLock<Regex> = LazyLock::new(|| {
    words(r"^\s*(?:(?:[-*•+]|\d{1,2}[.)])\s+)?(?:\*\*|__|`)?([^:*`\n]{2,40}?)(?:\*\*|__|`)?:(?:\*\*|__)?\s")
});
/// A bare size.
static SIZE: LazyLock<Regex> = LazyLock::new(|| words(r"^\d[\d,]*(?:\s*[×x]\s*\d[\d,]*)*$"));
/// `engine (12 µs)`.
static BEFORE_BRACKET: LazyLock<Regex> = LazyLock::new(|| words(r"([A-Za-z][\w./+-]*(?: [\w./+-]+){0,2}) \($"));
/// `12 µs (engine)`.
static IN_BRACKET: LazyLock<Regex> = LazyLock::new(|| words(r"^\s*\(([A-Za-z][\w./+-]*(?: [\w./+-]+){0,2})\)"));
/// `Engine 12 µs`.
static RIGHT_BEFORE: LazyLock<Regex> = LazyLock::new(|| words(r"(?:^|[\s(*:])([A-Z][\w./+-]*)[*`_ ]+$"));

/// The word that sets a thing against the one before it.
static JOINED: LazyLock<Regex> =
    LazyLock::new(|| words(r"^\W*(?:vs\.?|versus|compared (?:to|with)|instead of|against|than|and)\s+(?:the )?"));

/// The condition that the lead of a line sets for all its figures: its name and value. A thing that was measured leads in
/// figures of several metrics; what leads in several of one is a case, and the things are named behind it.
pub(super) fn lead<'a>(line: &'a str, clauses: &[Clause<'_>]) -> Option<(&'static str, &'a str)> {
    let mut metrics: Vec<&str> = clauses.iter().filter(|c| is_named(c)).filter_map(|c| c.metric).collect();
    let lead = LEAD.captures(line).filter(|_| metrics.len() > 1)?.get(1)?.as_str().trim();
    metrics.sort_unstable();
    let repeated = metrics.windows(2).any(|pair| pair[0] == pair[1]);
    match SIZE.is_match(lead) {
        true => Some(("size", lead)),
        false if says_more(lead) => None,
        false => Some((if repeated { "case" } else { "config" }, lead)),
    }
}

/// Whether a figure is one of a metric, and no ratio of others.
fn is_named(clause: &Clause<'_>) -> bool {
    clause.metric.is_some() && clause.role != Some(MeasurementRole::Derived)
}

/// The names of figures that are set against each other (`Alpha 12 µs vs Beta 80 µs`), by position: all of them have one,
/// no two the same, or none has.
pub(super) fn contrasted<'a>(clauses: &[Clause<'a>], text: &'a str) -> Vec<Option<&'a str>> {
    let name = |c: &Clause<'a>| -> Option<&'a str> {
        let left = JOINED.find(c.left).map_or(c.left, |m| &c.left[m.end()..]);
        let before = || BEFORE_BRACKET.captures(left).or_else(|| RIGHT_BEFORE.captures(left));
        let inside = IN_BRACKET.captures(&text[c.figure.span.end..]);
        let found = inside.or_else(before)?.get(1)?.as_str();
        (!says_more(found)).then_some(found)
    };
    let named: Vec<Option<&str>> = clauses.iter().map(|c| name(c).filter(|_| is_named(c))).collect();
    let mut names: Vec<&str> = named.iter().flatten().copied().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    let all = clauses.iter().filter(|c| is_named(c)).count() == count && names.len() == count && count > 1;
    if all { named } else { vec![None; clauses.len()] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(metrics: &[&'static str]) -> Vec<Clause<'static>> {
        let figure = |_: &&str| crate::extract::bench::numbers::with_units("3 µs").remove(0);
        let clause = |m: &&'static str| Clause {
            figure: figure(m),
            left: "",
            right: "",
            kind: None,
            metric: Some(*m),
            role: None,
        };
        metrics.iter().map(clause).collect()
    }

    #[test]
    fn leads_are_conditions_but_for_names_of_metrics() {
        let two = of(&["time", "time"]);
        assert_eq!(lead("- **64×64**: 3 µs vs 9 µs", &two), Some(("size", "64×64")));
        assert_eq!(lead("* Grid 32: Ours 3 µs", &two), Some(("case", "Grid 32")));
        assert_eq!(lead("1. **Folding**: 3 µs", &of(&["time", "flops"])), Some(("config", "Folding")));
        assert_eq!(lead("1. **Folding**: 3 µs", &of(&["time"])), None);
        assert_eq!(lead("- Throughput: 3 tok/s", &two), None);
        assert_eq!(lead("At 3:15 it took 4 s", &two), None);
    }
}
