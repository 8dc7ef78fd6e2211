//! Limits: the user's `limits.toml`, and figures that the transcript itself calls theoretical.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::lexicon::{self, Kind};
use super::units::Unit;
use super::{Found, Limit, LimitOrigin, MeasurementRole};
use super::{calculators, hardware};
use crate::error::Error;
use crate::session::Session;

/// Limits given by the user.
#[derive(Debug, Clone, Default)]
pub struct LimitsFile {
    /// The limits, in the order of the file.
    pub limits: Vec<Limit>,
}

/// What a limit can be.
const KINDS: &[&str] = &["theoretical", "calibrated", "target", "slo", "vendor", "measured_best", "implied"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Option<Spanned<i64>>,
    #[serde(default)]
    limit: Vec<Spanned<Entry>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Spanned<String>,
    metric: Spanned<String>,
    unit: Spanned<String>,
    value: Option<Spanned<f64>>,
    calculator: Option<Spanned<String>>,
    #[serde(default)]
    inputs: BTreeMap<String, Spanned<toml::Value>>,
    kind: Option<Spanned<String>>,
    scope: Option<String>,
    statistic: Option<String>,
    direction: Option<Spanned<String>>,
    #[serde(default)]
    when: BTreeMap<String, Spanned<toml::Value>>,
    source: String,
    note: Option<String>,
}

impl LimitsFile {
    /// Reads the text of a limits file; `name` is its path as shown in errors.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let reader = Reader { name, text };
        let file: File = toml::from_str(text).map_err(|e| {
            reader.error(e.span().map_or(0, |s| s.start), e.message().lines().next().unwrap_or_default().to_owned())
        })?;
        if let Some(schema) = file.schema.filter(|s| *s.get_ref() != 1) {
            return Err(reader
                .error(schema.span().start, format!("schema {} is not known; write schema = 1", schema.get_ref())));
        }
        let mut limits: Vec<Limit> = Vec::new();
        for entry in file.limit {
            let start = entry.span().start;
            let limit = reader.limit(entry.into_inner(), start)?;
            limits.retain(|l| l.id != limit.id); // later entries win
            limits.push(limit);
        }
        Ok(Self { limits })
    }
}

struct Reader<'a> {
    name: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn error(&self, byte: usize, reason: String) -> Error {
        let line = self.text.as_bytes()[..byte.min(self.text.len())].iter().filter(|b| **b == b'\n').count() + 1;
        Error::Config { path: self.name.to_owned(), line, reason }
    }

    fn limit(&self, entry: Entry, start: usize) -> Result<Limit, Error> {
        let metric = entry.metric.get_ref().clone();
        let known = lexicon::metric_ids().filter(|id| matches_metric(&metric, id)).collect::<Vec<_>>();
        if known.is_empty() {
            let list = lexicon::metric_ids().collect::<std::collections::BTreeSet<_>>();
            let list = list.into_iter().collect::<Vec<_>>().join(", ");
            return Err(
                self.error(entry.metric.span().start, format!("metric \"{metric}\" is not known; known are {list}"))
            );
        }
        let unit = Unit::parse(entry.unit.get_ref()).ok_or_else(|| {
            self.error(entry.unit.span().start, format!("unit \"{}\" is not known", entry.unit.get_ref()))
        })?;
        let fits = lexicon::kinds(&metric).is_none_or(|kinds| kinds.contains(&Kind::of(&unit)));
        if !fits {
            return Err(self.error(entry.unit.span().start, format!("{metric} is not measured in {unit}")));
        }
        let (value, derivation) = self.value(&entry, &unit, start)?;
        let kind = entry.kind.as_ref().map_or("theoretical", |k| k.get_ref().as_str());
        if let Some(wrong) = entry.kind.as_ref().filter(|_| !KINDS.contains(&kind)) {
            return Err(self.error(wrong.span().start, format!("kind \"{kind}\" is not one of {}", KINDS.join(", "))));
        }
        self.direction(entry.direction.as_ref(), &metric, &unit)?;
        let applies_when =
            entry.when.iter().map(|(key, v)| Ok((key.clone(), self.condition(v)?))).collect::<Result<_, Error>>()?;
        Ok(Limit {
            id: entry.id.into_inner(),
            msg: None,
            span: None,
            metric,
            value,
            unit: unit.name,
            origin: if derivation.is_some() { LimitOrigin::Calculator } else { LimitOrigin::File },
            kind: kind.to_owned(),
            scope: entry.scope,
            statistic: entry.statistic,
            applies_when,
            derivation: derivation.or(entry.note),
            source: entry.source,
        })
    }

    /// The value as given, or as its calculator makes it of its inputs; then the derivation comes with it.
    fn value(&self, entry: &Entry, unit: &Unit, start: usize) -> Result<(f64, Option<String>), Error> {
        let id = entry.id.get_ref();
        match (&entry.value, &entry.calculator) {
            (Some(value), None) if value.get_ref().is_finite() && *value.get_ref() > 0.0 => {
                Ok((*value.get_ref(), None))
            }
            (Some(value), None) => Err(self.error(value.span().start, "a limit must be a positive number".to_owned())),
            (None, Some(name)) => self.calculated(entry, name, unit),
            (Some(_), Some(name)) => {
                Err(self
                    .error(name.span().start, format!("limit \"{id}\" has both a value and a calculator; keep one")))
            }
            (None, None) => Err(self.error(start, format!("limit \"{id}\" has no value and no calculator"))),
        }
    }

    fn calculated(&self, entry: &Entry, name: &Spanned<String>, unit: &Unit) -> Result<(f64, Option<String>), Error> {
        let at = name.span().start;
        let calculator = calculators::find(name.get_ref()).ok_or_else(|| {
            let known: Vec<&str> = calculators::CALCULATORS.iter().map(|c| c.id).collect();
            self.error(at, format!("calculator \"{}\" is not one of {}", name.get_ref(), known.join(", ")))
        })?;
        if let Some((key, value)) = entry.inputs.iter().find(|(k, _)| !calculator.inputs.contains(&k.as_str())) {
            let known = calculator.inputs.join(", ");
            return Err(
                self.error(value.span().start, format!("{} has no input \"{key}\"; it takes {known}", calculator.id))
            );
        }
        let mut values = Vec::new();
        let mut shown = Vec::new();
        for key in calculator.inputs {
            let input = entry
                .inputs
                .get(*key)
                .ok_or_else(|| self.error(at, format!("{} needs the input \"{key}\"", calculator.id)))?;
            let (value, text) = self.input(key, input)?;
            values.push(value);
            shown.push(text);
        }
        let result = calculator.compute(&values).zip(Unit::parse(calculator.unit));
        let value = result.and_then(|(v, from)| from.convert(v, unit)).ok_or_else(|| {
            self.error(
                at,
                format!("{} gives {}, which is no positive number of {unit}", calculator.id, calculator.unit),
            )
        })?;
        Ok((value, Some(format!("{}: {}; {}", calculator.id, calculator.formula, shown.join(", ")))))
    }

    /// A number, or the path of a figure in the catalogue.
    fn input(&self, key: &str, input: &Spanned<toml::Value>) -> Result<(f64, String), Error> {
        let wrong = |reason: String| self.error(input.span().start, reason);
        match input.get_ref() {
            toml::Value::Integer(n) => Ok((*n as f64, format!("{key} = {n}"))),
            toml::Value::Float(n) => Ok((*n, format!("{key} = {n}"))),
            toml::Value::String(path) => {
                let row = hardware::find(path)
                    .ok_or_else(|| wrong(format!("\"{path}\" is not in the catalogue; turnpoint limits lists it")))?;
                Ok((row.value, format!("{key} = {} {} ({path}: {})", row.value, row.unit, row.source)))
            }
            _ => {
                Err(wrong("an input is a number, or a name of the catalogue such as \"link.pcie5_x16.bw\"".to_owned()))
            }
        }
    }

    fn direction(&self, stated: Option<&Spanned<String>>, metric: &str, unit: &Unit) -> Result<(), Error> {
        let Some(stated) = stated else { return Ok(()) };
        let known = if lexicon::higher_is_better(metric, Some(unit)) { "higher" } else { "lower" };
        if stated.get_ref() == known {
            return Ok(());
        }
        Err(self.error(stated.span().start, format!("for {metric} the better direction is \"{known}\"")))
    }

    /// A value that must be equal, or `{ max = 64 }`, `{ min = 2 }`.
    fn condition(&self, value: &Spanned<toml::Value>) -> Result<String, Error> {
        let plain = |v: &toml::Value| match v {
            toml::Value::String(s) => Some(s.clone()),
            toml::Value::Integer(n) => Some(n.to_string()),
            toml::Value::Float(n) => Some(n.to_string()),
            toml::Value::Boolean(b) => Some(b.to_string()),
            _ => None,
        };
        let bound = |t: &toml::Table| match (t.len(), t.get("max"), t.get("min")) {
            (1, Some(max), _) => plain(max).map(|v| format!("<={v}")),
            (1, _, Some(min)) => plain(min).map(|v| format!(">={v}")),
            _ => None,
        };
        let read = match value.get_ref() {
            toml::Value::Table(t) => bound(t),
            other => plain(other),
        };
        let reason = "a condition is a text, a number, true or false, { max = N } or { min = N }";
        read.ok_or_else(|| self.error(value.span().start, reason.to_owned()))
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
        unit: m.unit.clone()?,
        origin: LimitOrigin::Transcript,
        kind: kind.to_owned(),
        scope: m.scope.clone(),
        statistic: None,
        applies_when: m.params.clone(),
        derivation: found.derivation.clone(),
        source: label.cite(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "schema = 1\n[[limit]]\nid = \"link\"\nmetric = \"bus_bandwidth\"\nunit = \"GB/s\"\nvalue = 40\n\
        when = { size = 64, gpus = { max = 4 } }\nsource = \"data sheet\"\n";

    fn line_and_reason(text: &str) -> (usize, String) {
        match LimitsFile::parse("l.toml", text) {
            Err(Error::Config { path, line, reason }) => {
                assert_eq!(path, "l.toml");
                (line, reason)
            }
            other => panic!("no error: {other:?}"),
        }
    }

    #[test]
    fn reads_values_and_conditions() {
        let file = LimitsFile::parse("l.toml", GOOD).unwrap();
        let limit = &file.limits[0];
        assert_eq!((limit.value, limit.unit.as_str(), limit.kind.as_str()), (40.0, "GB/s", "theoretical"));
        let want = [("gpus", "<=4"), ("size", "64")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(limit.applies_when, want.into());
        let twice = format!("{GOOD}{}", GOOD.replace("schema = 1\n", "").replace("40", "50"));
        let values: Vec<f64> = LimitsFile::parse("l.toml", &twice).unwrap().limits.iter().map(|l| l.value).collect();
        assert_eq!(values, [50.0], "later entries win");
    }

    #[test]
    fn a_calculator_shows_its_inputs() {
        let text = GOOD.replace("value = 40", "calculator = \"pcie\"\ninputs = { gts = 16, lanes = 16 }");
        let limit = LimitsFile::parse("l.toml", &text).unwrap().limits.remove(0);
        assert_eq!(((limit.value * 10.0).round(), limit.origin), (315.0, LimitOrigin::Calculator));
        assert!(limit.derivation.unwrap().ends_with("gts = 16, lanes = 16"));
        let from_catalogue = text
            .replace("pcie\"", "memory\"")
            .replace("gts = 16, lanes = 16", "channels = 2, mts = \"link.eth_10g.bw\"");
        let derivation = LimitsFile::parse("l.toml", &from_catalogue).unwrap().limits.remove(0).derivation.unwrap();
        assert!(derivation.contains("link.eth_10g.bw: arithmetic"), "{derivation}");
        let (line, reason) = line_and_reason(&text.replace("lanes", "planes"));
        assert!(line == 7 && reason.contains("has no input \"planes\""), "{line} {reason}");
    }

    #[test]
    fn says_the_line_of_what_is_wrong() {
        for (from, to, line, words) in [
            ("GB/s", "GB/sx", 5, "unit \"GB/sx\" is not known"),
            ("GB/s", "tok/s", 5, "bus_bandwidth is not measured in tok/s"),
            ("bus_bandwidth", "bus_bandwith", 4, "metric \"bus_bandwith\" is not known"),
            ("value = 40", "value = -1", 6, "positive"),
            ("source", "sauce", 8, "unknown field"),
            ("value = 40", "value = ", 6, ""),
            ("value = 40", "value = 40\nkind = \"guess\"", 7, "kind \"guess\""),
            ("value = 40", "value = 40\ndirection = \"lower\"", 7, "\"higher\""),
            ("size = 64", "size = [1]", 7, "a condition is"),
            ("value = 40\n", "", 2, "no value"),
            ("schema = 1", "schema = 9", 1, "schema 9"),
        ] {
            let (at, reason) = line_and_reason(&GOOD.replacen(from, to, 1));
            assert!(at == line && reason.contains(words), "{to}: line {at}: {reason}");
        }
    }
}
