//! What a figure is of, and when two figures of one thing differ; shared by the rules on figures.

use crate::extract::bench::{FigureEvidence, Measurement, MeasurementRole};

/// Share by which two figures may differ for rounding.
const ROUNDING: f64 = 0.01;

/// Metric, unit, statistic, scope, phase and conditions.
pub(super) fn subject(m: &Measurement) -> String {
    format!("{}|{:?}|{:?}|{:?}|{:?}|{:?}", m.metric, m.unit, m.statistic, m.scope, m.phase, m.params)
}

/// A single measured value that a participant states as exact.
pub(super) fn is_plain(m: &Measurement) -> bool {
    let single = m.value.is_some() && m.lo.is_none() && m.hi.is_none() && !m.approx;
    single && m.valid && m.role == MeasurementRole::Measured && m.evidence == FigureEvidence::Claimed
}

/// Whether two values differ by more than rounding.
pub(super) fn differ(a: f64, b: f64) -> bool {
    let decimals =
        |x: f64| (0..6).find(|d| ((x * 10_f64.powi(*d)).round() - x * 10_f64.powi(*d)).abs() < 1e-6).unwrap_or(6);
    let unit = 10_f64.powi(-decimals(a).min(decimals(b)));
    (a - b).abs() > unit && (a - b).abs() > ROUNDING * a.abs().max(b.abs())
}
