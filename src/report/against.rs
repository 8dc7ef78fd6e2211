//! A figure set against its limit, as text and tables show it.

use serde::Serialize;

use super::section::value::{label, number, pairs, percent};
use crate::extract::bench::{Bench, Efficiency, Limit, Measurement};
use crate::session::Session;

/// A figure, its limit, and what is left between them.
#[derive(Debug, Serialize)]
pub(crate) struct Against {
    /// Metric, with statistic and scope.
    pub(crate) metric: String,
    /// Conditions of the figure.
    pub(crate) params: String,
    /// The figure with its unit.
    pub(crate) value: String,
    /// The limit with its unit.
    pub(crate) limit: String,
    /// Per cent of the limit.
    pub(crate) efficiency: String,
    /// Per cent that are missing to the limit.
    pub(crate) gap: String,
    /// Message of the figure.
    pub(crate) msg: String,
    /// Message that states the limit; `None` for one of the file.
    pub(crate) limit_msg: Option<String>,
}

impl Against {
    /// What an efficiency says.
    pub(crate) fn of(session: &Session, bench: &Bench, e: &Efficiency) -> Self {
        let (m, limit) = (&bench.measurements[e.measurement as usize], &bench.limits[e.limit as usize]);
        Self {
            metric: metric(m),
            params: pairs(&m.params),
            value: value(m),
            limit: bound(limit),
            efficiency: percent(e.efficiency),
            gap: percent(e.gap),
            msg: label(session, m.msg),
            limit_msg: limit.msg.map(|ix| label(session, ix)),
        }
    }
}

/// A metric with statistic and scope.
pub(crate) fn metric(m: &Measurement) -> String {
    let extra: Vec<&str> = [&m.statistic, &m.scope].into_iter().filter_map(|o| o.as_deref()).collect();
    if extra.is_empty() { m.metric.clone() } else { format!("{} ({})", m.metric, extra.join(", ")) }
}

/// A figure with its unit: a value, a range or a bound, with its spread.
pub(crate) fn value(m: &Measurement) -> String {
    let unit = m.unit.as_deref().unwrap_or("(unit not known)");
    let sign = if m.approx { "≈ " } else { "" };
    let figure = match (m.value, m.lo, m.hi) {
        (Some(v), ..) => number(v),
        (None, Some(lo), Some(hi)) => format!("{}–{}", number(lo), number(hi)),
        (None, Some(lo), None) => format!("≥ {}", number(lo)),
        (None, None, Some(hi)) => format!("≤ {}", number(hi)),
        (None, None, None) => "not known".into(),
    };
    let pm = m.pm.map(|pm| format!(" ± {}", number(pm))).unwrap_or_default();
    format!("{sign}{figure}{pm} {unit}")
}

fn bound(limit: &Limit) -> String {
    format!("{} {}", number(limit.value), limit.unit)
}
