//! The text of a limits file.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use toml::{Spanned, Value};

use super::band::Band;
use super::formula::{self, Worked};
use super::names::{Definitions, Field, Names, Object};
use super::{LimitsFile, Template, matches_metric};
use crate::error::Error;
use crate::extract::bench::lexicon::{self, Kind};
use crate::extract::bench::units::{Dimension, Unit};
use crate::extract::bench::{Limit, LimitOrigin, hardware};

/// What a limit can be.
const KINDS: &[&str] = &["theoretical", "calibrated", "target", "slo", "vendor", "measured_best", "implied"];
/// What a model may state besides `NAME_params` and `NAME_bytes`.
const MODEL: &[&str] =
    &["kv_bytes_per_token", "layers", "d_attn", "hidden", "experts", "experts_per_token", "accept_length"];

type Things = BTreeMap<String, BTreeMap<String, Spanned<Value>>>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Option<Spanned<i64>>,
    #[serde(default)]
    hardware: Things,
    #[serde(default)]
    model: Things,
    #[serde(default)]
    limit: Vec<Spanned<Entry>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Spanned<String>,
    metric: Spanned<String>,
    unit: Spanned<String>,
    value: Option<Spanned<Value>>,
    formula: Option<Spanned<String>>,
    kind: Option<Spanned<String>>,
    scope: Option<String>,
    statistic: Option<String>,
    direction: Option<Spanned<String>>,
    #[serde(default)]
    when: BTreeMap<String, Spanned<Value>>,
    source: String,
    note: Option<String>,
}

impl LimitsFile {
    /// Reads the text of a limits file; `name` is its path as shown in errors.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let reader = Reader { name, text };
        let file: File = toml::from_str(text).map_err(|e| {
            reader.error(e.span().map_or(0, |s| s.start), e.message().split_whitespace().collect::<Vec<_>>().join(" "))
        })?;
        if let Some(schema) = file.schema.filter(|s| *s.get_ref() != 1) {
            return Err(reader
                .error(schema.span().start, format!("schema {} is not known; write schema = 1", schema.get_ref())));
        }
        let mut out = Self::default();
        for (name, keys) in &file.hardware {
            out.definitions.add(reader.hardware(name, keys)?);
        }
        for (name, keys) in &file.model {
            out.definitions.add(reader.model(name, keys)?);
        }
        for entry in file.limit {
            let start = entry.span().start;
            reader.limit(entry.into_inner(), start, &mut out)?;
        }
        Ok(out)
    }
}

struct Reader<'a> {
    name: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn line(&self, byte: usize) -> usize {
        self.text.as_bytes()[..byte.min(self.text.len())].iter().filter(|b| **b == b'\n').count() + 1
    }

    fn error(&self, byte: usize, reason: String) -> Error {
        Error::Config { path: self.name.to_owned(), line: self.line(byte), reason }
    }

    fn from(&self, byte: usize) -> String {
        format!("{}:{}", self.name, self.line(byte))
    }

    fn hardware(&self, name: &str, keys: &BTreeMap<String, Spanned<Value>>) -> Result<Object, Error> {
        let mut object = Object { path: format!("hardware.{name}"), ..Object::default() };
        object.fields.insert("count".to_owned(), Field { band: Band::plain(1.0), from: "left out".to_owned() });
        if let Some(device) = keys.get("device") {
            let wanted = device.get_ref().as_str().unwrap_or_default();
            let rows: Vec<&hardware::Row> =
                hardware::catalogue().iter().filter(|r| r.group == "device" && r.id == wanted).collect();
            if rows.is_empty() {
                let known: BTreeSet<&str> =
                    hardware::catalogue().iter().filter(|r| r.group == "device").map(|r| r.id.as_str()).collect();
                let known = known.into_iter().collect::<Vec<_>>().join(", ");
                return Err(self.error(
                    device.span().start,
                    format!("device \"{wanted}\" is not in the catalogue; leave it out and give bw, mem, tf yourself, or take one of {known}"),
                ));
            }
            for row in rows {
                let unit = Unit::parse(&row.unit);
                let from = format!("catalogue, device.{wanted}: {}", row.source);
                let field = unit.map(|u| Field { band: Band::of(row.value, &u), from });
                object.fields.extend(field.map(|f| (row.quantity.clone(), f)));
            }
        }
        for (key, value) in keys.iter().filter(|(k, _)| *k != "device") {
            let unit = match key.as_str() {
                "count" => "",
                "bw" | "link" => "GB/s",
                "mem" => "GB",
                "tf" => "TFLOP/s",
                _ => {
                    let reason = format!("hardware has no \"{key}\"; it takes device, count, bw, mem, link, tf");
                    return Err(self.error(value.span().start, reason));
                }
            };
            let (at, from) = (value.span().start, self.from(value.span().start));
            match value.get_ref() {
                Value::Table(kinds) if key == "tf" => {
                    for (kind, value) in kinds {
                        let band = self.quantity(value, at, unit)?;
                        object.fields.insert(format!("tf.{kind}"), Field { band, from: from.clone() });
                    }
                }
                other => {
                    let band = self.quantity(other, at, unit)?;
                    object.fields.insert(key.clone(), Field { band, from });
                }
            }
        }
        Ok(object)
    }

    fn model(&self, name: &str, keys: &BTreeMap<String, Spanned<Value>>) -> Result<Object, Error> {
        let mut object = Object { path: format!("model.{name}"), ..Object::default() };
        for (key, value) in keys {
            let at = value.span().start;
            let group = key.strip_suffix("_params").or_else(|| key.strip_suffix("_bytes"));
            if group.is_none() && !MODEL.contains(&key.as_str()) {
                let reason =
                    format!("a model has no \"{key}\"; it takes NAME_params with NAME_bytes, {}", MODEL.join(", "));
                return Err(self.error(at, reason));
            }
            if let Some(group) = group.filter(|g| !keys.contains_key(&format!("{g}_params"))) {
                return Err(
                    self.error(at, format!("\"{key}\" needs {group}_params beside it, the weights of the group"))
                );
            }
            let bytes = key.ends_with("_bytes") || key == "kv_bytes_per_token";
            let weights =
                value.get_ref().as_str().and_then(|format| hardware::find(&format!("weights.{format}.bytes")));
            let field = match weights.filter(|_| key.ends_with("_bytes")) {
                Some(row) => {
                    let unit = Dimension::of(crate::extract::bench::units::Quantity::Byte, 1);
                    let from = format!("{}, catalogue, weights.{}: {}", self.from(at), row.id, row.source);
                    Field { band: Band::exact(row.value, unit), from }
                }
                None => {
                    let unit = if bytes { "B" } else { "" };
                    Field { band: self.quantity(value.get_ref(), at, unit)?, from: self.from(at) }
                }
            };
            if field.band.lo <= 0.0 {
                return Err(self.error(at, format!("\"{key}\" must be a positive number")));
            }
            object.fields.insert(key.clone(), field);
        }
        let groups: Vec<String> =
            object.fields.keys().filter_map(|k| k.strip_suffix("_params")).map(String::from).collect();
        for group in groups {
            let byte = Unit::parse("B").map(|u| u.dimension).unwrap_or_default();
            let open = Band { lo: 0.5, hi: 2.0, dimension: byte };
            let from = "number format not stated, so 0.5 to 2 bytes for each weight".to_owned();
            object.fields.entry(format!("{group}_bytes")).or_insert(Field { band: open, from });
        }
        Ok(object)
    }

    /// A number (of `unit`), a text with a formula or a unit of its own, or two of these: the ends of a band.
    fn quantity(&self, value: &Value, at: usize, unit: &str) -> Result<Band, Error> {
        let wanted = Unit::parse(unit);
        let plain = |v: f64| wanted.as_ref().map_or(Band::plain(v), |u| Band::of(v, u));
        let wrong = |reason: String| self.error(at, reason);
        match value {
            Value::Integer(n) => Ok(plain(*n as f64)),
            Value::Float(n) if n.is_finite() => Ok(plain(*n)),
            Value::String(text) => {
                let names = Names { definitions: &Definitions::default(), params: None };
                let band = formula::work_out(text, names).map_err(|w| wrong(w.reason))?.band;
                let dimension = wanted.as_ref().map(|u| u.dimension).unwrap_or_default();
                match band.dimension {
                    d if d == dimension => Ok(band),
                    Dimension::NONE => Ok(Band { dimension, ..band.times(plain(1.0)) }),
                    d => Err(wrong(format!("this must be {dimension}, not {d}"))),
                }
            }
            Value::Array(ends) if ends.len() == 2 => {
                let (a, b) = (self.quantity(&ends[0], at, unit)?, self.quantity(&ends[1], at, unit)?);
                Band::between(a, b).map_err(wrong)
            }
            _ => Err(wrong(
                "write a number, a text with a unit such as \"1.8 TB/s\", or a band of two: [0.5, 2]".to_owned(),
            )),
        }
    }

    fn limit(&self, entry: Entry, start: usize, out: &mut LimitsFile) -> Result<(), Error> {
        let metric = entry.metric.get_ref().clone();
        let unit = Unit::parse(entry.unit.get_ref()).ok_or_else(|| {
            let reason = format!(
                "unit \"{}\" is not known; write one such as tok/s, GB/s, ms, %, TFLOP/s",
                entry.unit.get_ref()
            );
            self.error(entry.unit.span().start, reason)
        })?;
        self.metric(&entry, &metric, &unit)?;
        let kind = entry.kind.as_ref().map_or("theoretical", |k| k.get_ref().as_str());
        if let Some(wrong) = entry.kind.as_ref().filter(|_| !KINDS.contains(&kind)) {
            return Err(self.error(wrong.span().start, format!("kind \"{kind}\" is not one of {}", KINDS.join(", "))));
        }
        self.direction(entry.direction.as_ref(), &metric, &unit)?;
        let applies_when =
            entry.when.iter().map(|(key, v)| Ok((key.clone(), self.condition(v)?))).collect::<Result<_, Error>>()?;
        let limit = Limit {
            of_link: false,
            id: entry.id.get_ref().clone(),
            msg: None,
            span: None,
            metric,
            value: 0.0,
            band: None,
            unit: unit.name.clone(),
            origin: LimitOrigin::File,
            kind: kind.to_owned(),
            scope: entry.scope.clone(),
            statistic: entry.statistic.clone(),
            applies_when,
            derivation: entry.note.clone(),
            source: entry.source.clone(),
        };
        let id = limit.id.clone();
        out.limits.retain(|l| l.id != id); // later entries win
        out.templates.retain(|t| t.limit.id != id);
        match (&entry.value, &entry.formula) {
            (Some(value), None) => {
                let at = value.span().start;
                let band = self.quantity(value.get_ref(), at, &unit.name)?;
                out.limits.push(bounded(limit, band).map_err(|reason| self.error(at, reason))?);
            }
            (None, Some(formula)) => self.formula(limit, formula, out)?,
            (Some(_), Some(formula)) => {
                return Err(self
                    .error(formula.span().start, format!("limit \"{id}\" has both a value and a formula; keep one")));
            }
            (None, None) => {
                return Err(self.error(start, format!("limit \"{id}\" has no value and no formula; give one")));
            }
        }
        Ok(())
    }

    /// A formula is worked out at once, unless it asks for conditions of a figure; then it is only checked.
    fn formula(&self, limit: Limit, formula: &Spanned<String>, out: &mut LimitsFile) -> Result<(), Error> {
        let text = formula.get_ref();
        let at = formula.span().start;
        let names = Names { definitions: &out.definitions, params: None };
        let found = formula::work_out(text, names).map_err(|w| {
            let lines = text.get(..w.at).map_or(0, |t| t.matches('\n').count());
            let error = self.error(at, format!("formula: {}", w.reason));
            match error {
                Error::Config { path, line, reason } => Error::Config { path, line: line + lines, reason },
                other => other,
            }
        })?;
        let wanted = Unit::parse(&limit.unit).map(|u| u.dimension).unwrap_or_default();
        if found.band.dimension != wanted {
            let reason = format!(
                "the formula gives {}, but the limit is in {}; give its inputs units, or multiply by one of what is missing (1 tok)",
                found.band.dimension, limit.unit
            );
            return Err(self.error(at, reason));
        }
        if found.needed.is_empty() {
            out.limits.push(worked(limit, text, &found).map_err(|reason| self.error(at, reason))?);
        } else {
            let limit = Limit { origin: LimitOrigin::Calculator, ..limit };
            out.templates.push(Template { limit, formula: text.clone(), needed: found.needed });
        }
        Ok(())
    }

    fn metric(&self, entry: &Entry, metric: &str, unit: &Unit) -> Result<(), Error> {
        if !lexicon::metric_ids().any(|id| matches_metric(metric, id)) {
            let fits = |id: &&str| lexicon::kinds(id).is_some_and(|k| k.contains(&Kind::of(unit)));
            let same: BTreeSet<&str> = lexicon::metric_ids().filter(fits).collect();
            let list = if same.is_empty() { lexicon::metric_ids().collect() } else { same };
            let list = list.into_iter().collect::<Vec<_>>().join(", ");
            let reason = format!("metric \"{metric}\" is not known; in {} there are {list}", unit.name);
            return Err(self.error(entry.metric.span().start, reason));
        }
        let known = lexicon::kinds(metric).unwrap_or_default();
        if known.is_empty() || known.contains(&Kind::of(unit)) {
            return Ok(());
        }
        let reason =
            format!("{metric} is not measured in {unit}; give the limit in a unit such as {}", known[0].example());
        Err(self.error(entry.unit.span().start, reason))
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
    fn condition(&self, value: &Spanned<Value>) -> Result<String, Error> {
        let plain = |v: &Value| match v {
            Value::String(s) => Some(s.clone()),
            Value::Integer(n) => Some(n.to_string()),
            Value::Float(n) => Some(n.to_string()),
            Value::Boolean(b) => Some(b.to_string()),
            _ => None,
        };
        let bound = |t: &toml::Table| match (t.len(), t.get("max"), t.get("min")) {
            (1, Some(max), _) => plain(max).map(|v| format!("<={v}")),
            (1, _, Some(min)) => plain(min).map(|v| format!(">={v}")),
            _ => None,
        };
        let read = match value.get_ref() {
            Value::Table(t) => bound(t),
            other => plain(other),
        };
        let reason = "a condition is a text, a number, true or false, { max = N } or { min = N }";
        read.ok_or_else(|| self.error(value.span().start, reason.to_owned()))
    }
}

/// The limit that a formula gives, with the formula and its inputs as derivation.
pub(super) fn worked(limit: Limit, formula: &str, worked: &Worked) -> Result<Limit, String> {
    let inputs = if worked.inputs.is_empty() { String::new() } else { format!("; {}", worked.inputs.join(", ")) };
    let note = limit.derivation.as_ref().map(|n| format!("; {n}")).unwrap_or_default();
    let derivation = Some(format!("{formula}{inputs}{note}"));
    bounded(Limit { origin: LimitOrigin::Calculator, derivation, ..limit }, worked.band)
}

/// The limit of a band is its outer end, which no figure can pass whatever is true inside; the band is kept.
fn bounded(limit: Limit, band: Band) -> Result<Limit, String> {
    let unit = Unit::parse(&limit.unit).ok_or_else(|| format!("unit \"{}\" is not known", limit.unit))?;
    let (lo, hi) = (band.lo / unit.scale.factor(), band.hi / unit.scale.factor());
    if !(lo.is_finite() && hi.is_finite() && lo > 0.0) {
        return Err(format!("a limit must be a positive number, this is {band}"));
    }
    let value = if lexicon::higher_is_better(&limit.metric, Some(&unit)) { hi } else { lo };
    Ok(Limit { value, band: band.is_open().then_some((lo, hi)), ..limit })
}
