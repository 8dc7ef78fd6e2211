//! What the names in a formula stand for: the file's hardware and models, the catalogue, conditions of a figure.

use std::collections::{BTreeMap, BTreeSet};

use crate::extract::bench::hardware;
use crate::extract::bench::units::Unit;

use super::band::Band;

/// A piece of hardware or a model: named quantities.
#[derive(Debug, Clone, Default)]
pub(super) struct Object {
    /// `hardware.node`, `model.small`, `device.h100_sxm`.
    pub(super) path: String,
    /// Its quantities.
    pub(super) fields: BTreeMap<String, Field>,
}

/// A quantity with where it was read.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// The quantity.
    pub(super) band: Band,
    /// Line of the limits file, or row and source of the catalogue.
    pub(super) from: String,
}

/// What a name or an operation gives.
#[derive(Debug, Clone)]
pub(super) enum Thing<'a> {
    /// A quantity, and what to say of where it came from.
    Quantity(Band, Option<String>),
    /// Hardware or a model; only calculators take it.
    Object(&'a Object),
}

/// The objects of a limits file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Definitions {
    objects: Vec<Object>,
}

/// Names and what they stand for.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    /// Objects of the file.
    pub(super) definitions: &'a Definitions,
    /// Conditions of the figure that the limit is made for; `None` while the file is checked: then each is 1.
    pub(super) params: Option<&'a BTreeMap<String, String>>,
}

impl Definitions {
    /// Adds an object; a later one of the same path takes its place.
    pub(super) fn add(&mut self, object: Object) {
        self.objects.retain(|o| o.path != object.path);
        self.objects.push(object);
    }

    fn object(&self, path: &str) -> Option<&Object> {
        self.objects.iter().find(|o| o.path == path || o.path.split_once('.').is_some_and(|(_, name)| name == path))
    }
}

impl<'a> Names<'a> {
    /// What a dotted name stands for; the conditions that it needs are noted in `needed`.
    pub(super) fn find(&self, path: &str, needed: &mut BTreeSet<String>) -> Result<Thing<'a>, String> {
        if let Some(key) = path.strip_prefix("params.") {
            needed.insert(key.to_owned());
            return self.condition(key).map(|b| Thing::Quantity(b, Some(format!("{path} of the figure"))));
        }
        if let Some(object) = self.definitions.object(path) {
            return Ok(Thing::Object(object));
        }
        let cuts = path.match_indices('.').map(|(i, _)| (&path[..i], &path[i + 1..]));
        for (head, field) in cuts {
            let Some(object) = self.definitions.object(head) else { continue };
            return object.quantity(field, Band::plain(1.0)).map(|(b, from)| Thing::Quantity(b, Some(from)));
        }
        let row = hardware::find(path).or_else(|| hardware::find(&format!("{path}.bw")));
        if let Some(row) = row {
            let unit = Unit::parse(&row.unit).ok_or_else(|| format!("{path} has no unit"))?;
            return Ok(Thing::Quantity(Band::of(row.value, &unit), Some(format!("catalogue: {}", row.source))));
        }
        let own: Vec<&str> = self.definitions.objects.iter().map(|o| o.path.as_str()).collect();
        let own = if own.is_empty() { "no hardware and no model".to_owned() } else { own.join(", ") };
        Err(format!(
            "\"{path}\" is not known: this file defines {own}; `turnpoint limits` lists the catalogue (link.pcie5_x16) and the calculators; params.NAME is a condition of the figure"
        ))
    }

    fn condition(&self, key: &str) -> Result<Band, String> {
        let Some(params) = self.params else { return Ok(Band::plain(1.0)) };
        let text = params.get(key).ok_or_else(|| format!("the figure does not state {key}"))?;
        let (digits, factor) = match text.strip_suffix(['k', 'K']) {
            Some(digits) => (digits, 1024.0),
            None => (text.as_str(), 1.0),
        };
        let number: Result<f64, _> = digits.trim().parse();
        number.map(|n| Band::plain(n * factor)).map_err(|_| format!("{key} is \"{text}\", which is no number"))
    }
}

impl Object {
    /// A quantity of it; `batch` is how many tokens one step makes, which decides how many experts are read.
    pub(super) fn quantity(&self, name: &str, batch: Band) -> Result<(Band, String), String> {
        if let Some(field) = self.fields.get(name) {
            return Ok((field.band, format!("{}.{name}: {}", self.path, field.from)));
        }
        let made = match name {
            "weights" => self.weights(batch),
            "active" => self.active(),
            _ => None,
        };
        made.ok_or_else(|| {
            let known: Vec<&str> = self.fields.keys().map(String::as_str).collect();
            format!("{} has no \"{name}\"; it has {}", self.path, known.join(", "))
        })
    }

    /// The quantity for an input of a calculator, when the object holds one.
    pub(super) fn input(&self, name: &str, batch: Band) -> Option<(Band, String)> {
        let field = match name {
            "n" => "count",
            "kv" => "kv_bytes_per_token",
            other => other,
        };
        self.quantity(field, batch).ok()
    }

    /// Groups of layers: name, weights that one token uses, bytes for each.
    fn groups(&self) -> impl Iterator<Item = (&str, &Field, &Field)> {
        self.fields.iter().filter_map(|(key, params)| {
            let group = key.strip_suffix("_params")?;
            Some((group, params, self.fields.get(&format!("{group}_bytes"))?))
        })
    }

    /// Bytes that one step reads: the sum over the groups of layers.
    fn weights(&self, batch: Band) -> Option<(Band, String)> {
        let mut sum: Option<Band> = None;
        let mut shown = Vec::new();
        for (group, params, bytes) in self.groups() {
            let mut part = params.band.times(bytes.band);
            let mut text = format!("{group} {} × {} ({})", params.band, bytes.band, bytes.from);
            if let Some(more) = self.experts(batch).filter(|_| group == "routed") {
                part = part.times(more);
                text = format!("{text} × {more} for the experts that a batch of {batch} reads");
            }
            shown.push(text);
            sum = Some(sum.map_or(Some(part), |s| s.plus(part).ok())?);
        }
        sum.map(|s| (s, format!("{}: {}", self.path, shown.join(" + "))))
    }

    /// Of a mixture of experts: how many times as many experts a batch reads as one token does.
    fn experts(&self, batch: Band) -> Option<Band> {
        let (all, used) = (self.fields.get("experts")?.band, self.fields.get("experts_per_token")?.band);
        let read = |batch: f64| all.lo * (1.0 - (1.0 - used.lo / all.lo).powf(batch)) / used.lo;
        (used.lo > 0.0 && all.lo >= used.lo).then(|| Band { lo: read(batch.lo), hi: read(batch.hi), ..batch })
    }

    fn active(&self) -> Option<(Band, String)> {
        let sum = self.groups().map(|(_, params, _)| params.band).reduce(|a, b| a.plus(b).unwrap_or(a))?;
        Some((sum, format!("{}: sum of its *_params", self.path)))
    }
}
