//! Measurements set against the limits that hold for them.
//!
//! Metric, unit dimension, scope and conditions must match. Of several limits the first origin wins, then the more
//! specific, then the lower; of the transcript's, the one valid at the message.

use std::cmp::Reverse;

use super::lexicon;
use super::limits::{matches_metric, satisfies};
use super::units::Unit;
use super::{Efficiency, Limit, LimitOrigin, Measurement, MeasurementRole, Standing};

/// Every measurement that some limit holds for: against the limit that is preferred, and against others that differ.
pub(super) fn all(measurements: &[Measurement], limits: &[Limit]) -> (Vec<Efficiency>, Vec<Efficiency>) {
    let largest = largest_sizes(measurements);
    let (mut preferred, mut others) = (Vec::new(), Vec::new());
    for (i, m) in measurements.iter().enumerate() {
        if m.role == MeasurementRole::Measured && m.valid && is_whole(m) && !largest.contains(&i) {
            let mut found = against(i, m, limits).into_iter();
            preferred.extend(found.next());
            others.extend(found);
        }
    }
    (preferred, others)
}

/// A part of the whole (one stream, one step) and a spread have no efficiency.
fn is_whole(m: &Measurement) -> bool {
    let part = ["stream", "step", "rank", "worker", "thread_id"].iter().any(|p| m.params.contains_key(*p));
    let spread = matches!(m.statistic.as_deref(), Some("stdev" | "step"));
    let all_sizes = m.params.get("size").is_some_and(|s| s == "all");
    !part && !spread && !all_sizes
}

/// Bandwidths over a sweep of sizes: all but those of the largest size, which alone compares with a link.
fn largest_sizes(measurements: &[Measurement]) -> Vec<usize> {
    let size = |m: &Measurement| m.params.get("size").and_then(|s| s.parse::<f64>().ok());
    let peer = |a: &Measurement, b: &Measurement| a.msg == b.msg && a.metric == b.metric && a.span.part == b.span.part;
    let mut out = Vec::new();
    let mut largest: Option<(usize, f64)> = None;
    for (i, m) in measurements.iter().enumerate().rev() {
        let Some(s) = size(m).filter(|_| m.metric.ends_with("bandwidth")) else { continue };
        match largest {
            Some((j, top)) if peer(m, &measurements[j]) && s < top => out.push(i),
            _ => largest = Some((i, s)),
        }
    }
    out
}

/// Limits of another origin are shown when they differ by more than this share.
const DIFFERS: f64 = 0.02;

/// The measurement against the preferred limit, then against those that say something else: the best of each other
/// origin, and the transcript's last word.
fn against(index: usize, m: &Measurement, limits: &[Limit]) -> Vec<Efficiency> {
    let Some((unit, value)) = m.unit.as_deref().and_then(Unit::parse).zip(m.value) else { return Vec::new() };
    let higher = lexicon::higher_is_better(&m.metric, Some(&unit));
    let fitting = limits.iter().enumerate().filter_map(|(i, l)| {
        let bound = Unit::parse(&l.unit)?.convert(l.value, &unit).filter(|b| *b > 0.0)?;
        holds(l, m).then_some((i, l, bound))
    });
    let mut fitting: Vec<(usize, &Limit, f64)> = fitting.collect();
    fitting.sort_by(|(_, a, x), (_, b, y)| {
        let rank = |l: &Limit| (l.origin, Reverse(l.applies_when.len()), recency(l, m));
        let tighter = if higher { x.total_cmp(y) } else { y.total_cmp(x) };
        rank(a).cmp(&rank(b)).then(tighter)
    });
    let of = |limit: usize, bound: f64, standing: Standing| {
        let efficiency = if higher { value / bound } else { bound / value };
        let finite = efficiency.is_finite() && efficiency > 0.0;
        finite.then_some(Efficiency {
            measurement: index as u32,
            limit: limit as u32,
            efficiency,
            gap: 1.0 - efficiency,
            limit_in_unit: bound,
            standing,
        })
    };
    let Some(&(first, preferred, bound)) = fitting.first() else { return Vec::new() };
    let mut out: Vec<Efficiency> = of(first, bound, Standing::Preferred).into_iter().collect();
    let mut origins = vec![preferred.origin];
    let differs = |x: f64| (x / bound - 1.0).abs() > DIFFERS;
    for &(i, limit, x) in &fitting[1..] {
        if !origins.contains(&limit.origin) {
            origins.push(limit.origin);
            out.extend(of(i, x, Standing::OtherOrigin).filter(|_| differs(x)));
        }
    }
    let stated = fitting.iter().filter(|(_, l, _)| l.msg.is_some_and(|msg| msg > m.msg));
    if let Some(&(i, _, x)) = stated.max_by_key(|(_, l, _)| l.msg).filter(|(i, _, x)| *i != first && differs(*x)) {
        let known = out.iter().any(|e| e.limit == i as u32);
        out.extend(of(i, x, Standing::Final).filter(|_| !known));
    }
    out
}

/// The transcript's limits: the latest up to the message first, then the earliest after it.
fn recency(limit: &Limit, m: &Measurement) -> (bool, u32) {
    match limit.msg {
        Some(msg) if msg > m.msg => (true, msg.0),
        Some(msg) => (false, u32::MAX - msg.0),
        None => (false, 0),
    }
}

/// Whether a limit bounds a measurement.
fn holds(limit: &Limit, m: &Measurement) -> bool {
    // A link's bandwidth is one way unless it says otherwise.
    let total =
        |s: &Option<String>| s.as_deref().filter(|s| !matches!(*s, "total" | "per_direction")).map(str::to_owned);
    let asked = limit.kind == "target" && limit.origin != LimitOrigin::File;
    !asked
        && bounds(limit, &m.metric)
        && total(&limit.scope) == total(&m.scope)
        && (limit.statistic.is_none() || limit.statistic == m.statistic)
        && limit.applies_when.iter().all(|(key, wanted)| meets(limit, key, wanted, m))
        && !(limit.origin == LimitOrigin::Transcript && unstated_load(limit, m))
}

/// A link bounds the copies between peers that go over it.
fn bounds(limit: &Limit, metric: &str) -> bool {
    matches_metric(&limit.metric, metric) || limit.of_link && metric == "p2p_bandwidth"
}

/// A condition must be met. What a session rarely writes beside each figure (model, precision) may be unstated when
/// the user's own file names it; the load may not.
fn meets(limit: &Limit, key: &str, wanted: &str, m: &Measurement) -> bool {
    const LOAD: &[&str] =
        &["concurrency", "batch", "context", "input_len", "output_len", "size", "threads", "gpus", "tp"];
    match m.params.get(key) {
        Some(value) => satisfies(value, wanted),
        None => limit.msg.is_none() && !LOAD.contains(&key),
    }
}

/// A ceiling stated without a load is that of one stream; it does not bound many at once.
fn unstated_load(limit: &Limit, m: &Measurement) -> bool {
    ["concurrency", "batch"].iter().any(|load| {
        let many = m.params.get(*load).is_some_and(|v| v != "1");
        many && !limit.applies_when.contains_key(*load) && m.metric.ends_with("throughput")
    })
}

#[cfg(test)]
mod tests {
    use super::super::limits::LimitsFile;
    use super::*;
    use crate::session::build::SessionBuilder;

    const SAID: [&str; 3] = [
        "The theoretical maximum at concurrency 1 is 90 tok/s.",
        "| concurrency | output tok/s |\n|---|---|\n| 1 | 45 |\n",
        "After a second look the theoretical maximum at concurrency 1 is 120 tok/s.",
    ];

    /// What the figure is set against: why, and the limit.
    fn against(file: &str) -> Vec<(Standing, f64)> {
        let session = SAID.iter().fold(SessionBuilder::new().user("go"), |s, t| s.assistant(t)).build();
        let limits = if file.is_empty() {
            LimitsFile::default()
        } else {
            let text = format!(
                "schema = 1\n[[limit]]\nid = \"a\"\nmetric = \"output_throughput\"\nunit = \"tok/s\"\nvalue = {file}\n\
                 when = {{ concurrency = 1 }}\nsource = \"sheet\"\n"
            );
            LimitsFile::parse("l.toml", &text).expect("a good file")
        };
        let bench = crate::extract::extract(&session, &crate::extract::Config { limits }).bench;
        bench.efficiencies.iter().chain(&bench.other_efficiencies).map(|e| (e.standing, e.limit_in_unit)).collect()
    }

    #[test]
    fn what_is_stated_later_is_shown_too() {
        assert_eq!(against(""), [(Standing::Preferred, 90.0), (Standing::Final, 120.0)]);
    }

    #[test]
    fn another_origin_is_shown_when_it_says_something_else() {
        let all = [(Standing::Preferred, 200.0), (Standing::OtherOrigin, 90.0), (Standing::Final, 120.0)];
        assert_eq!(against("200"), all);
        assert_eq!(against("91"), [(Standing::Preferred, 91.0), (Standing::Final, 120.0)], "within 2 %");
    }

    #[test]
    fn a_link_bounds_copies_and_a_bus_bandwidth_of_collectives_does_not() {
        let figure = "The P2P bandwidth we measured is 24 GB/s.";
        let count = |limit: &str| {
            let session = SessionBuilder::new().user("go").assistant(limit).assistant(figure).build();
            crate::extract::extract(&session, &Default::default()).bench.efficiencies.len()
        };
        assert_eq!(count("The theoretical limit of the PCIe link is 32 GB/s."), 1);
        assert_eq!(count("The theoretical bus bandwidth of the all-reduce is 32 GB/s."), 0);
    }
}
