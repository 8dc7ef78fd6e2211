//! How alike two wordings are: a weighted sum, and what forbids a match. `docs/plan.md` tells which weights were tried.

use std::collections::{BTreeMap, BTreeSet};

use super::State;
use super::wording::Wording;

/// The parts of the sum and the bounds for a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weights {
    pub(super) cosine: f64,
    pub(super) trigrams: f64,
    pub(super) containment: f64,
    pub(super) position: f64,
    pub(super) status: f64,
    /// Pairs below are two items.
    pub(super) accept: f64,
}

/// The weights in use.
pub(super) const WEIGHTS: Weights =
    Weights { cosine: 0.40, trigrams: 0.25, containment: 0.15, position: 0.10, status: 0.10, accept: 0.35 };

/// An item's wording with its place and state.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub(super) wording: Wording,
    /// Place in the list, 0–1.
    pub(super) place: f64,
    pub(super) state: State,
}

/// How rare each stem is among the items compared.
pub(super) struct Idf(BTreeMap<String, f64>);

impl Idf {
    pub(super) fn of<'a>(sides: impl Iterator<Item = &'a Side> + Clone) -> Self {
        let n = sides.clone().count() as f64;
        let mut counts: BTreeMap<String, f64> = BTreeMap::new();
        for side in sides {
            for stem in side.wording.stems.iter().collect::<BTreeSet<_>>() {
                *counts.entry(stem.clone()).or_default() += 1.0;
            }
        }
        counts.values_mut().for_each(|df| *df = ((1.0 + n) / (1.0 + *df)).ln() + 1.0);
        Self(counts)
    }

    fn weight(&self, stem: &str) -> f64 {
        self.0.get(stem).copied().unwrap_or(1.0)
    }

    fn total<'a>(&self, stems: impl Iterator<Item = &'a String>) -> f64 {
        stems.map(|s| self.weight(s)).sum()
    }
}

/// Likeness of two items, 0–1; 0 where a veto forbids the match.
pub(super) fn score(old: &Side, new: &Side, idf: &Idf, w: &Weights) -> f64 {
    if vetoed(&old.wording, &new.wording) {
        return 0.0;
    }
    let text = text_score(&old.wording, &new.wording, idf, w);
    if text == 0.0 {
        return 0.0;
    }
    let place = 1.0 - (old.place - new.place).abs();
    text + w.position * place + w.status * status(old.state, new.state)
}

fn text_score(a: &Wording, b: &Wording, idf: &Idf, w: &Weights) -> f64 {
    let (sa, sb): (BTreeSet<&String>, BTreeSet<&String>) = (a.stems.iter().collect(), b.stems.iter().collect());
    let shared = idf_sum(sa.intersection(&sb), idf);
    if shared == 0.0 {
        return 0.0;
    }
    let square = |s: &BTreeSet<&String>| s.iter().map(|x| idf.weight(x).powi(2)).sum::<f64>();
    let dot: f64 = sa.intersection(&sb).map(|s| idf.weight(s).powi(2)).sum();
    let cosine = dot / (square(&sa) * square(&sb)).sqrt();
    let smaller = idf.total(sa.iter().copied()).min(idf.total(sb.iter().copied()));
    let common = a.trigrams.intersection(&b.trigrams).count() as f64;
    let jaccard = common / (a.trigrams.len() + b.trigrams.len()) as f64;
    let jaccard = jaccard / (1.0 - jaccard);
    w.cosine * cosine + w.trigrams * jaccard + w.containment * (shared / smaller)
}

fn idf_sum<'a>(stems: impl Iterator<Item = &'a &'a String>, idf: &Idf) -> f64 {
    stems.map(|s| idf.weight(s)).sum()
}

/// Two items are not one when one is negated, or when both name numbers, paths or flags and share none of them.
fn vetoed(a: &Wording, b: &Wording) -> bool {
    a.negated != b.negated
        || (!a.parameters.is_empty() && !b.parameters.is_empty() && a.parameters.is_disjoint(&b.parameters))
            && !same_but_parameters(a, b)
}

/// Whether nothing but numbers, paths and flags differs.
pub(super) fn same_but_parameters(a: &Wording, b: &Wording) -> bool {
    let rest = |w: &Wording| -> Vec<String> {
        w.words.iter().map(|x| if w.parameters.contains(x) { "#".to_owned() } else { x.clone() }).collect()
    };
    a.parameters != b.parameters && rest(a) == rest(b)
}

/// How well a step from one state to another fits one item's life.
fn status(from: State, to: State) -> f64 {
    match (from, to) {
        _ if from == to => 1.0,
        (State::Pending | State::Blocked | State::Other, _) | (State::Active, State::Done) => 1.0,
        (State::Active, _) => 0.6,
        (State::Done | State::Cancelled, _) => 0.2,
        _ => 0.5,
    }
}
