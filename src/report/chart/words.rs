//! How figures and their conditions are named in pictures.

use std::collections::BTreeMap;

use crate::analysis::Analysis;
use crate::extract::bench::{Efficiency, Limit, LimitOrigin, Measurement};
use crate::report::section::value::number;

/// `output_throughput` → `output throughput`.
pub(super) fn metric(id: &str) -> String {
    match id {
        "ttft" | "tpot" | "itl" | "iops" => id.to_uppercase(),
        "acc" => "accuracy".to_owned(),
        "flops" => "FLOP rate".to_owned(),
        "p2p_bandwidth" => "P2P bandwidth".to_owned(),
        _ => id.replace('_', " "),
    }
}

/// Metric with statistic and scope.
pub(crate) fn metric_of(id: &str, statistic: Option<&str>, scope: Option<&str>) -> String {
    let extra: Vec<String> =
        [statistic, scope.filter(|s| *s != "total")].into_iter().flatten().map(|t| t.replace('_', " ")).collect();
    if extra.is_empty() { metric(id) } else { format!("{}, {}", metric(id), extra.join(", ")) }
}

/// `concurrency 4, model m`.
pub(crate) fn conditions(params: &BTreeMap<String, String>) -> String {
    params.iter().map(|(k, v)| format!("{} {v}", k.replace('_', " "))).collect::<Vec<_>>().join(", ")
}

/// A value with its unit.
pub(crate) fn value(value: f64, unit: &str) -> String {
    format!("{} {unit}", number(value)).trim_end().to_owned()
}

/// A limit with its unit: as written, or four digits of what was worked out.
pub(super) fn limit(l: &Limit) -> String {
    let shown = if l.origin == LimitOrigin::Calculator { super::axis::number(l.value) } else { number(l.value) };
    format!("{shown} {}", l.unit)
}

/// The number of a message, as cited.
pub(super) fn label(analysis: &Analysis, m: &Measurement) -> String {
    analysis.session.message(m.msg).label.to_string()
}

/// The message a limit was read from, or the name it has in its file.
pub(super) fn source(analysis: &Analysis, limit: &Limit) -> String {
    limit.msg.map_or_else(|| limit.id.clone(), |ix| analysis.session.message(ix).label.cite())
}

/// The measurement and the limit of an efficiency.
pub(super) fn both<'a>(analysis: &'a Analysis, e: &Efficiency) -> (&'a Measurement, &'a Limit) {
    let bench = &analysis.facts.bench;
    (&bench.measurements[e.measurement as usize], &bench.limits[e.limit as usize])
}

/// Whether a metric says how much is done in a time.
pub(crate) fn is_rate(metric: &str) -> bool {
    metric.ends_with("throughput") || metric.ends_with("bandwidth") || matches!(metric, "iops" | "flops")
}
