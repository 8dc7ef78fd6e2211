//! Figures that repeat an earlier one are citations of it, not new measurements.

use super::{FigureEvidence, Found, Measurement, MeasurementRole};

/// Adds what one table, block or text holds, leaving out what was stated before it.
pub(super) fn add(found: &mut Vec<Found>, new: Vec<Found>) {
    let known = found.len();
    for figure in new {
        // Figures of one table are never copies of each other, so only those known before it are compared.
        // What a tool printed is new each time: it need not be looked up.
        let claimed = figure.measurement.evidence == FigureEvidence::Claimed;
        match (0..known).rev().find(|&i| claimed && repeats(&figure, &found[i])) {
            Some(i) => {
                found[i].derivation = found[i].derivation.take().or(figure.derivation);
                let old = &mut found[i].measurement;
                if figure.measurement.cell.is_some() && old.cell.is_none() && old.conditions.is_none() {
                    old.conditions = Some((figure.measurement.msg, figure.measurement.params.clone()));
                }
                if found[i].measurement.msg == figure.measurement.msg {
                    found[i].measurement.params.extend(figure.measurement.params);
                }
                found[i].measurement.citations.push(figure.measurement.span);
            }
            None => found.push(figure),
        }
    }
}

/// Whether `new` states the figure `old` once more.
fn repeats(new: &Found, old: &Found) -> bool {
    let (a, b) = (&new.measurement, &old.measurement);
    same_role(a, b)
        && same_metric(&a.metric, &b.metric)
        && same_value(new, old)
        && agree(a.scope.as_deref(), b.scope.as_deref())
        && agree(a.statistic.as_deref(), b.statistic.as_deref())
        && same_conditions(a, b)
}

fn same_role(a: &Measurement, b: &Measurement) -> bool {
    let told = |m: &Measurement| {
        matches!(m.role, MeasurementRole::Measured | MeasurementRole::Quoted | MeasurementRole::Invalid)
    };
    // "3 % of 300 tok/s": prose that only cites a limit gives it no role of its own.
    let cited = a.cell.is_none() && a.role == MeasurementRole::Measured && a.evidence == FigureEvidence::Claimed;
    let bound = matches!(b.role, MeasurementRole::Theoretical | MeasurementRole::Target);
    a.role == b.role || told(a) && told(b) || cited && bound
}

/// A general name repeats a special one: "throughput" after `decode_throughput`.
fn same_metric(a: &str, b: &str) -> bool {
    const GENERAL: &[&str] = &["output_throughput", "throughput", "bandwidth", "latency", "time", "duration"];
    fn kind(metric: &str) -> &str {
        let last = metric.rsplit('_').next().unwrap_or(metric);
        if last == "bandwidth" { "throughput" } else { last }
    }
    let time =
        |m: &str| matches!(m, "latency" | "time" | "duration" | "ttft" | "tpot" | "itl") || m.ends_with("_latency");
    a == b || GENERAL.contains(&a) && (kind(a) == kind(b) || time(a) && time(b))
}

/// Equal after rounding to the coarser of the two.
fn same_value(new: &Found, old: &Found) -> bool {
    let (a, b) = (&new.measurement, &old.measurement);
    let convert = |v: f64| match (&old.unit, &new.unit) {
        (Some(from), Some(to)) => from.convert(v, to),
        (None, None) => Some(v),
        _ => None,
    };
    let half = |decimals: u8| 0.5 * 10f64.powi(-i32::from(decimals));
    let equal = |x: f64, y: f64| {
        let known = convert(half(old.decimals)).unwrap_or(0.0);
        let loose = if a.approx { y.abs() * 0.05 } else { 0.0 };
        let whole = new.decimals == 0 && x.abs() < 10.0 && (x - y).abs() > 1e-9 * y.abs();
        !whole && (x - y).abs() <= half(new.decimals).max(known).max(loose) * (1.0 + 1e-9)
    };
    match (a.value, b.value) {
        (Some(x), Some(y)) => convert(y).is_some_and(|y| equal(x, y)),
        (None, None) => match (a.lo, a.hi, b.lo, b.hi) {
            (Some(l), Some(h), Some(m), Some(i)) => {
                convert(m).is_some_and(|m| equal(l, m)) && convert(i).is_some_and(|i| equal(h, i))
            }
            _ => false,
        },
        _ => false,
    }
}

fn agree(a: Option<&str>, b: Option<&str>) -> bool {
    a.is_none() || b.is_none() || a == b
}

/// No condition differs; one that the earlier figure does not state may be added only to what a tool printed, or to a
/// limit in the message that states it.
fn same_conditions(a: &Measurement, b: &Measurement) -> bool {
    let open = b.evidence == FigureEvidence::Tool
        || a.msg == b.msg && a.role == MeasurementRole::Theoretical && a.cell.is_none();
    let prose = a.cell.is_none() && a.evidence == FigureEvidence::Claimed;
    a.params.iter().filter(|(key, _)| !(prose && *key == "config")).all(|(key, value)| match b.params.get(key) {
        Some(other) => other.eq_ignore_ascii_case(value),
        None => open,
    })
}
