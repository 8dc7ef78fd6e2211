//! Which series a table shows that is to be read in two minutes.

use std::collections::BTreeSet;

use super::model::{Head, Row};

/// More rows than this are no overview.
const ROWS: usize = 40;
/// How far single runs spread; said beside a mean or median of the same runs, they are detail.
const SPREAD: &[&str] = &["min", "max"];

/// The rows shown and how many are not.
pub(super) struct Brief<'a> {
    pub(super) rows: Vec<&'a Row>,
    spread: usize,
    further: usize,
}

impl<'a> Brief<'a> {
    /// All rows.
    pub(super) fn whole(list: &'a [Row]) -> Self {
        Self { rows: list.iter().collect(), spread: 0, further: 0 }
    }

    /// Without minima and maxima that stand beside a mean; of more than [`ROWS`], those with a limit and those that several
    /// messages measured, where there are any, in the order of the session.
    pub(super) fn of(list: &'a [Row]) -> Self {
        let central = |h: &&Head| h.statistic.as_deref().is_none_or(|s| matches!(s, "mean" | "median" | "p50"));
        let middles: BTreeSet<_> = list.iter().map(|r| &r.head).filter(central).map(quantity).collect();
        let is_spread = |r: &&Row| {
            r.head.statistic.as_deref().is_some_and(|s| SPREAD.contains(&s)) && middles.contains(&quantity(&r.head))
        };
        let (spread, rest): (Vec<&Row>, Vec<&Row>) = list.iter().partition(is_spread);
        let rank = |i: &usize| (rest[*i].marked()[1].efficiency.is_some(), messages(rest[*i]));
        let mut ranked: Vec<usize> = (0..rest.len()).collect();
        if rest.len() > ROWS {
            let tells = |i: &usize| rank(i) > (false, 1);
            if ranked.iter().any(tells) {
                ranked.retain(tells);
            }
            ranked.sort_by_key(|i| std::cmp::Reverse(rank(i)));
            ranked.truncate(ROWS);
            ranked.sort_unstable();
        }
        let rows: Vec<&Row> = ranked.iter().map(|&i| rest[i]).collect();
        Self { spread: spread.len(), further: rest.len() - rows.len(), rows }
    }

    /// What is not in the table; empty when everything is.
    pub(super) fn left_out(&self) -> String {
        let spread = (self.spread > 0).then(|| format!("{} series of minima or maxima", self.spread));
        let further = (self.further > 0).then(|| format!("{} further series", self.further));
        let parts: Vec<String> = spread.into_iter().chain(further).collect();
        if parts.is_empty() {
            return String::new();
        }
        format!("\nNot shown: {}. --full shows them all, --format json and csv hold them too.\n", parts.join(", "))
    }
}

/// What two statistics of the same runs share.
fn quantity(head: &Head) -> (&str, Option<&str>, &std::collections::BTreeMap<String, String>) {
    (&head.metric, head.scope.as_deref(), &head.params)
}

/// In how many messages a series was measured.
fn messages(row: &Row) -> usize {
    row.points.iter().map(|p| p.msg.as_str()).collect::<BTreeSet<_>>().len()
}
