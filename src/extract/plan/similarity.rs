//! How alike two wordings are: a weighted sum, and what forbids a match. `docs/plan.md` tells which weights were tried.

use std::collections::{BTreeMap, BTreeSet};

use super::State;
use super::wording::{Wording, trigrams};

/// The parts of the sum and the bounds for a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Of the TF-IDF cosine of the word stems.
    pub cosine: f64,
    /// Of the Jaccard index of the character trigrams.
    pub trigrams: f64,
    /// Of the share of the shorter wording that stands in the longer.
    pub containment: f64,
    /// Of the nearness of their places in the lists.
    pub position: f64,
    /// Of how well the step between the states fits one item.
    pub status: f64,
    /// Factor where the two name different activities.
    pub activity: f64,
    /// Added where both name the same file or identifier and the same activity.
    pub named: f64,
    /// Pairs below are two items.
    pub accept: f64,
    /// The same where no item of the list kept its wording: the whole plan may be another.
    pub accept_replaced: f64,
    /// Words alone must be as alike as this for a part of a split or merged item.
    pub part: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            cosine: 0.30,
            trigrams: 0.30,
            containment: 0.20,
            position: 0.10,
            status: 0.10,
            activity: 0.60,
            named: 0.10,
            accept: 0.38,
            accept_replaced: 0.42,
            part: 0.22,
        }
    }
}

/// An item's wording with its place and state.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub(super) wording: Wording,
    /// The old items already matched that stand nearest before and after it.
    pub(super) gap: (Option<usize>, Option<usize>),
    pub(super) state: State,
}

/// How rare each stem is among the items compared; by default all are alike.
#[derive(Default)]
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
    let text = part_score(old, new, idf, w);
    let coded = same_code(&old.wording, &new.wording);
    if text == 0.0 || !coded && vetoed(&old.wording, &new.wording) {
        return 0.0;
    }
    let place = f64::from(u8::from(old.gap.0 == new.gap.0) + u8::from(old.gap.1 == new.gap.1)) / 2.0;
    let same = old.wording.activity == new.wording.activity && shares_name(&old.wording, &new.wording);
    let named = if same { w.named } else { 0.0 };
    let whole = text + named + w.position * place + w.status * status(old.state, new.state);
    if coded {
        return whole.max(CODED);
    }
    let whole = match (old.wording.activity, new.wording.activity) {
        (Some(a), Some(b)) if a != b => whole * w.activity,
        _ => whole,
    };
    let again = matches!(old.state, State::Done | State::Cancelled) && new.state.is_open();
    if again && !same && whole < REOPENED { 0.0 } else { whole }
}

/// Likeness of two items of the same code: `P12: …` stays what it is in other words.
const CODED: f64 = 0.6;
/// Less is too little to say that what was done is to be done again: other words for it are other work.
const REOPENED: f64 = 0.6;

/// Whether the two begin with the same code, and have a word of what follows in common.
fn same_code(a: &Wording, b: &Wording) -> bool {
    let Some(code) = a.code.as_ref().filter(|_| a.code == b.code) else { return false };
    let is_more = |s: &&String| !code.split(' ').any(|part| part == s.as_str());
    !code.contains(' ') || a.stems.iter().filter(is_more).any(|s| b.stems.contains(s))
}

/// Whether the two name the same file or identifier.
fn shares_name(a: &Wording, b: &Wording) -> bool {
    let is_name = |w: &&String| w.chars().any(char::is_alphabetic) && w.len() > 2;
    a.parameters.intersection(&b.parameters).any(|w| is_name(&w))
}

/// Likeness by the words alone.
pub(super) fn part_score(old: &Side, new: &Side, idf: &Idf, w: &Weights) -> f64 {
    text_score(&old.wording, &new.wording, idf, w)
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
    let apart = || !a.parameters.iter().any(|x| b.parameters.iter().any(|y| nearly_equal(x, y)));
    let both = !a.parameters.is_empty() && !b.parameters.is_empty();
    a.negated != b.negated || both && apart() && !same_but_parameters(a, b)
}

/// Whether one of the two is the other in a slightly other spelling, as a path with and without its folder.
fn nearly_equal(x: &str, y: &str) -> bool {
    let (a, b) = (trigrams(x), trigrams(y));
    x == y || a.intersection(&b).count() as f64 >= 0.6 * a.len().min(b.len()) as f64
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
        (State::Done | State::Cancelled, _) => 0.0,
        _ => 0.5,
    }
}
