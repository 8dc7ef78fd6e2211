//! Limits: the user's `limits.toml`, and figures that the transcript itself calls theoretical.

mod band;
mod file;
mod formula;
mod names;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::lexicon::words;
use super::units::Unit;
use super::{Found, Limit, LimitOrigin, Measurement, MeasurementRole};
use crate::session::Session;
use names::{Definitions, Names};

/// Limits given by the user.
#[derive(Debug, Clone, Default)]
pub struct LimitsFile {
    /// Limits that hold for every figure alike, in the order of the file.
    pub limits: Vec<Limit>,
    /// Limits whose formula asks for conditions of the figure.
    templates: Vec<Template>,
    definitions: Definitions,
}

/// A limit that is worked out for each set of conditions.
#[derive(Debug, Clone)]
struct Template {
    limit: Limit,
    formula: String,
    needed: BTreeSet<String>,
}

impl LimitsFile {
    /// The limits that hold for these figures: those of the file, and one of each template for each set of conditions.
    pub(super) fn limits_for(&self, found: &[Found]) -> Vec<Limit> {
        let mut limits = self.limits.clone();
        for template in &self.templates {
            let mut known: BTreeSet<BTreeMap<String, String>> = BTreeSet::new();
            for m in found.iter().map(|f| &f.measurement).filter(|m| template.asks_for(m)) {
                let conditions: BTreeMap<String, String> =
                    template.needed.iter().filter_map(|k| Some((k.clone(), m.params.get(k)?.clone()))).collect();
                if conditions.len() == template.needed.len() && known.insert(conditions.clone()) {
                    limits.extend(template.limit_under(&conditions, &self.definitions));
                }
            }
        }
        limits
    }

    /// Limits of the file that none of these came of, with the conditions that their formulas ask for.
    pub fn waiting(&self, limits: &[Limit]) -> Vec<(String, Vec<String>)> {
        let made = |t: &Template| limits.iter().any(|l| l.id.starts_with(&format!("{}[", t.limit.id)));
        let needs = |t: &Template| (t.limit.id.clone(), t.needed.iter().cloned().collect());
        self.templates.iter().filter(|t| !made(t)).map(needs).collect()
    }
}

impl Template {
    fn asks_for(&self, m: &Measurement) -> bool {
        let unit = m.unit.as_deref().and_then(Unit::parse).zip(Unit::parse(&self.limit.unit));
        m.role == MeasurementRole::Measured
            && matches_metric(&self.limit.metric, &m.metric)
            && unit.is_some_and(|(a, b)| a.dimension == b.dimension)
    }

    fn limit_under(&self, conditions: &BTreeMap<String, String>, definitions: &Definitions) -> Option<Limit> {
        let wanted = |(key, value): (&String, &String)| {
            self.limit.applies_when.get(key).is_none_or(|wanted| satisfies(value, wanted))
        };
        if !conditions.iter().all(wanted) {
            return None;
        }
        let names = Names { definitions, params: Some(conditions) };
        let worked = formula::work_out(&self.formula, names).ok()?;
        let shown: Vec<String> = conditions.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let mut limit = file::worked(self.limit.clone(), &self.formula, &worked).ok()?;
        limit.id = format!("{}[{}]", self.limit.id, shown.join(","));
        limit.applies_when.extend(conditions.clone());
        Some(limit)
    }
}

/// A metric id, or a glob with one `*`.
pub(crate) fn matches_metric(pattern: &str, metric: &str) -> bool {
    match pattern.split_once('*') {
        Some((head, tail)) => {
            metric.len() >= head.len() + tail.len() && metric.starts_with(head) && metric.ends_with(tail)
        }
        None => pattern == metric,
    }
}

/// `wanted` is a text, or a bound such as `<=64`.
pub(super) fn satisfies(value: &str, wanted: &str) -> bool {
    let number = |t: &str| t.trim().parse::<f64>().ok();
    if let Some(max) = wanted.strip_prefix("<=").and_then(number) {
        return number(value).is_some_and(|v| v <= max);
    }
    if let Some(min) = wanted.strip_prefix(">=").and_then(number) {
        return number(value).is_some_and(|v| v >= min);
    }
    value.eq_ignore_ascii_case(wanted) || number(value).is_some_and(|v| number(wanted) == Some(v))
}

/// The limits that the transcript states.
pub(super) fn stated(session: &Session, found: &[Found]) -> Vec<Limit> {
    found.iter().filter_map(|f| limit(session, f)).collect()
}

fn limit(session: &Session, found: &Found) -> Option<Limit> {
    let m = &found.measurement;
    let kind = match m.role {
        MeasurementRole::Theoretical => "theoretical",
        MeasurementRole::Target => "target",
        _ => return None,
    };
    let label = &session.message(m.msg).label;
    Some(Limit {
        id: format!("{}-{}-{}", m.metric.replace('_', "-"), label.anchor(), m.span.start),
        msg: Some(m.msg),
        span: Some(m.span.clone()),
        metric: m.metric.clone(),
        value: m.value?,
        band: None,
        unit: m.unit.clone()?,
        origin: LimitOrigin::Transcript,
        kind: kind.to_owned(),
        scope: m.scope.clone(),
        statistic: None,
        of_link: m.metric == "bus_bandwidth" && line_of(session, m).is_some_and(|l| LINK.is_match(l)),
        applies_when: m.params.clone(),
        derivation: found.derivation.clone(),
        source: label.cite(),
    })
}

/// Words for a link that copies between devices go over; a bandwidth of collectives is none.
static LINK: LazyLock<Regex> = LazyLock::new(|| words(r"\b(pcie|pci-e|nvlink|links?|lanes?|interconnect)\b"));

/// The line that a figure stands in.
fn line_of<'a>(session: &'a Session, m: &Measurement) -> Option<&'a str> {
    let text = session.text_of(&m.span)?;
    let (before, after) = (text.get(..m.span.start as usize)?, text.get(m.span.end as usize..)?);
    let start = before.rfind('\n').map_or(0, |n| n + 1);
    let end = text.len() - after.len() + after.find('\n').unwrap_or(after.len());
    text.get(start..end)
}
