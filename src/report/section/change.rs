//! The same quantity under the same conditions, first and last: did it help, and by how much.

use serde::Serialize;

use super::value::{label, number, percent};
use crate::analysis::Analysis;
use crate::extract::bench::series::{Series, series};
use crate::extract::bench::{FigureEvidence, Measurement};
use crate::report::chart::words;

/// A quantity that was measured again in a later message.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Change {
    /// Metric in words.
    pub(crate) metric: String,
    /// Conditions in words; empty = none stated.
    pub(crate) params: String,
    pub(crate) first: String,
    pub(crate) first_msg: String,
    pub(crate) last: String,
    pub(crate) last_msg: String,
    /// Last against first in per cent, with its sign; `None` when the first is zero.
    pub(crate) percent: Option<String>,
    /// `better`, `worse` or `level`.
    pub(crate) verdict: &'static str,
    /// A limit is known, and the last figure's share of it in per cent.
    pub(crate) share: Option<String>,
    pub(crate) limit: Option<String>,
    limit_msg: Option<String>,
    /// One of the two is told in prose, where conditions are seldom complete.
    loose: bool,
    #[serde(skip)]
    rank: (bool, bool, usize),
}

/// Every quantity that changes can be told of, in the order of first points.
pub(crate) fn changes(analysis: &Analysis) -> Vec<Change> {
    series(&analysis.facts.bench).iter().filter_map(|s| change(analysis, s)).collect()
}

/// The change that is told first: of a quantity with a limit, then of a rate, then the one measured most often.
pub(crate) fn headline(mut changes: Vec<Change>) -> Option<Change> {
    changes.sort_by_key(|c| std::cmp::Reverse(c.rank));
    changes.into_iter().next()
}

/// First and last point of a series, when each stands alone in its message: two values in one message may be two
/// conditions that were not read.
fn change(analysis: &Analysis, s: &Series) -> Option<Change> {
    let bench = &analysis.facts.bench;
    let msg = |at: u32| bench.measurements[at as usize].msg;
    let alone = |at: u32| s.points.iter().filter(|(p, _)| msg(*p) == msg(at)).count() == 1;
    let (&(from, first), &(to, last)) = (s.points.first()?, s.points.last()?);
    if msg(from) == msg(to) || !alone(from) || !alone(to) {
        return None;
    }
    let efficiency = bench.efficiencies.iter().find(|e| e.measurement == to && e.efficiency <= 1.0);
    let limit = efficiency.map(|e| &bench.limits[e.limit as usize]);
    let better = if s.higher_is_better { last > first } else { last < first };
    Some(Change {
        metric: words::metric_of(&s.metric, s.statistic.as_deref(), s.scope.as_deref()),
        params: words::conditions(&s.params),
        first: words::value(first, &s.unit),
        first_msg: label(&analysis.session, msg(from)),
        last: words::value(last, &s.unit),
        last_msg: label(&analysis.session, msg(to)),
        percent: (first > 0.0).then(|| signed(last / first - 1.0)),
        verdict: if first == last {
            "level"
        } else if better {
            "better"
        } else {
            "worse"
        },
        share: efficiency.map(|e| percent(e.efficiency)),
        limit: limit.map(|l| format!("{} {}", number(l.value), l.unit)),
        limit_msg: limit.and_then(|l| l.msg).map(|ix| label(&analysis.session, ix)),
        loose: [from, to].iter().any(|at| in_prose(&bench.measurements[*at as usize])),
        rank: (efficiency.is_some(), words::is_rate(&s.metric), s.points.len()),
    })
}

/// Whether a figure is told in prose.
pub(crate) fn in_prose(m: &Measurement) -> bool {
    m.evidence == FigureEvidence::Claimed && m.cell.is_none()
}

/// A share as per cent with its sign and one digit: `+14.9`, `−3`.
pub(crate) fn signed(share: f64) -> String {
    let text = number((share.abs() * 1000.0).round() / 10.0);
    let sign = if text == "0" {
        "±"
    } else if share > 0.0 {
        "+"
    } else {
        "−"
    };
    format!("{sign}{text}")
}
