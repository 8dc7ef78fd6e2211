//! Figures that repeat an earlier one are citations of it, not new measurements.

use std::collections::BTreeMap;

use super::units::Unit;
use super::{FigureEvidence, Found, Measurement, MeasurementRole};

/// The figures so far, with an index by value: a claimed figure is compared with those near it only.
#[derive(Default)]
pub(super) struct Told {
    /// The figures, in reading order.
    pub(super) found: Vec<Found>,
    classes: BTreeMap<(String, u8), Class>,
}

/// Figures of one unit and precision, by value.
struct Class {
    unit: Option<Unit>,
    by_value: BTreeMap<i64, Vec<usize>>,
}

impl Told {
    /// Adds what one table, block or text holds, leaving out what was stated before it.
    pub(super) fn add(&mut self, new: Vec<Found>) {
        self.take(new, false);
    }

    /// Adds what a command or tool only showed: a figure that was printed before is stated again, not measured again.
    pub(super) fn add_shown(&mut self, new: Vec<Found>) {
        self.take(new, true);
    }

    fn take(&mut self, new: Vec<Found>, shown: bool) {
        let known = self.found.len();
        for figure in new {
            // Figures of one table are never copies of each other, so only those known before it are compared.
            // What a tool printed is new each time: it need not be looked up.
            let claimed = shown || figure.measurement.evidence == FigureEvidence::Claimed;
            let stated: Vec<usize> = match figure.measurement.role {
                _ if !claimed => Vec::new(),
                // Who withdraws a figure means it wherever it was stated.
                MeasurementRole::Invalid => self.earlier(&figure).collect(),
                _ => self.earlier(&figure).take(1).collect(),
            };
            match stated.split_first() {
                Some((&last, others)) => {
                    if figure.measurement.role == MeasurementRole::Invalid {
                        others.iter().for_each(|&i| withdraw(&mut self.found[i].measurement));
                    }
                    cite(&mut self.found[last], figure);
                }
                None => self.found.push(figure),
            }
        }
        for i in known..self.found.len() {
            self.index(i);
        }
    }

    /// The figures that this one repeats: first those that share most of its conditions, of these the last.
    fn earlier(&self, figure: &Found) -> impl Iterator<Item = usize> {
        let mut all: Vec<usize> = self.near(figure);
        all.retain(|&i| repeats(figure, &self.found[i]));
        let shared = |i: usize| shared_values(&figure.measurement, &self.found[i].measurement);
        all.sort_by_key(|&i| std::cmp::Reverse((shared(i), i)));
        all.into_iter()
    }

    /// Figures of about the same value, in order.
    fn near(&self, figure: &Found) -> Vec<usize> {
        let Some(value) = figure.measurement.value.or(figure.measurement.lo) else { return Vec::new() };
        let mut near: Vec<usize> = Vec::new();
        for ((_, decimals), class) in &self.classes {
            let convert = |v: f64| match (&figure.unit, &class.unit) {
                (Some(from), Some(to)) => from.convert(v, to),
                (None, None) => Some(v),
                _ => None,
            };
            let (Some(value), Some(own)) = (convert(value), convert(half(figure.decimals))) else { continue };
            let loose = if figure.measurement.approx { value.abs() * 0.1 } else { 0.0 };
            let reach = own.max(half(*decimals)).max(loose) * (1.0 + 1e-6) + value.abs() * 1e-9;
            let range = class.by_value.range(order(value - reach)..=order(value + reach));
            near.extend(range.flat_map(|(_, places)| places));
        }
        near.sort_unstable();
        near
    }

    fn index(&mut self, i: usize) {
        let figure = &self.found[i];
        let Some(value) = figure.measurement.value.or(figure.measurement.lo) else { return };
        let unit = figure.unit.as_ref().map(|u| u.name.clone()).unwrap_or_default();
        let empty = || Class { unit: figure.unit.clone(), by_value: BTreeMap::new() };
        let class = self.classes.entry((unit, figure.decimals)).or_insert_with(empty);
        class.by_value.entry(order(value)).or_default().push(i);
    }
}

/// A condition without the marks that people and programs write differently; 64×64 is the size 64.
fn plain(value: &str) -> String {
    let sides: Vec<&str> = value.split(['×', 'x']).map(str::trim).collect();
    let square = sides[0].bytes().all(|b| b.is_ascii_digit()) && sides.iter().all(|s| *s == sides[0]);
    let value = if square { sides[0] } else { value };
    value.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// How many conditions of `a` stand among those of `b`, under whatever name: "Our GPU" is `our_gpu`.
fn shared_values(a: &Measurement, b: &Measurement) -> usize {
    let known: Vec<String> = b.params.values().map(|v| plain(v)).collect();
    a.params.values().map(|v| plain(v)).filter(|v| !v.is_empty() && known.contains(v)).count()
}

fn withdraw(m: &mut Measurement) {
    if m.role == MeasurementRole::Measured {
        (m.role, m.valid) = (MeasurementRole::Invalid, false);
    }
}

/// Notes that `figure` states `old` once more.
fn cite(old: &mut Found, figure: Found) {
    old.derivation = old.derivation.take().or(figure.derivation);
    let old = &mut old.measurement;
    let new = figure.measurement;
    if new.role == MeasurementRole::Invalid {
        withdraw(old);
    }
    if new.cell.is_some() && old.cell.is_none() && old.conditions.is_none() {
        old.conditions = Some((new.msg, new.params.clone()));
    }
    if old.msg == new.msg {
        old.params.extend(new.params);
    }
    old.phase = old.phase.take().or(new.phase);
    old.citations.push(new.span);
}

/// A whole number that sorts as the float does.
fn order(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// Half of the last digit.
fn half(decimals: u8) -> f64 {
    0.5 * 10f64.powi(-i32::from(decimals))
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
    let equal = |x: f64, y: f64| {
        let known = convert(half(old.decimals)).unwrap_or(0.0);
        let loose = if a.approx { y.abs() * 0.05 } else { 0.0 };
        let whole = new.decimals == 0 && x.abs() < 10.0 && (x - y).abs() > 1e-9 * y.abs();
        !whole && (x - y).abs() <= half(new.decimals).max(known).max(loose) * (1.0 + 1e-9)
    };
    match (a.value, b.value) {
        (Some(x), Some(y)) => convert(y).is_some_and(|y| equal(x, y)),
        // Who withdraws a range names one of its values.
        (Some(x), None) if a.role == MeasurementRole::Invalid => {
            b.lo.and_then(convert).zip(b.hi.and_then(convert)).is_some_and(|(lo, hi)| lo <= x && x <= hi)
        }
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
    // Two names in one message are two things, unless one is short for the other.
    let apart = |x: &String, y: &String| {
        let (x, y) = (x.to_lowercase(), y.to_lowercase());
        !x.contains(&y) && !y.contains(&x)
    };
    let other = a.params.get("config").zip(b.params.get("config")).is_some_and(|(x, y)| apart(x, y));
    if other && a.msg == b.msg {
        return false;
    }
    a.params.iter().filter(|(key, _)| !(prose && *key == "config")).all(|(key, value)| match b.params.get(key) {
        Some(other) => plain(other) == plain(value),
        None => open,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn floats_keep_their_order() {
        let values = [f64::NEG_INFINITY, -2.5, -1e-9, 0.0, 1e-9, 2.5, f64::INFINITY];
        assert!(values.map(order).is_sorted());
    }

    #[test]
    fn a_coarser_figure_finds_the_finer_one_in_another_unit() {
        let text = "We measured a latency of 0.1234 s.\n\nThe latency of 123 ms is fine. The latency of 140 ms is not.";
        let bench = crate::extract::extract(&SessionBuilder::new().assistant(text).build(), &Default::default()).bench;
        let seen: Vec<(Option<f64>, usize)> = bench.measurements.iter().map(|m| (m.value, m.citations.len())).collect();
        assert_eq!(seen, [(Some(0.1234), 1), (Some(140.0), 0)]);
    }
}
