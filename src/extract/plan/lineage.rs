//! Which item of a list continues which item of the list before: by the vendor's id, the exact text, the normalised
//! text, and last by an assignment on likeness.

use std::collections::{BTreeMap, VecDeque};

use pathfinding::matrix::Matrix;
use pathfinding::prelude::kuhn_munkres;

use super::similarity::{Idf, Side, WEIGHTS, score};
use super::sources::Entry;
use super::wording::{Wording, normalised};

/// What one new item continues.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Origin {
    /// Positions in the old list; empty for a new item.
    pub(super) olds: Vec<usize>,
    /// It is one of several that an old item was split into.
    pub(super) split: bool,
    /// 0–1.
    pub(super) confidence: f64,
}

impl Origin {
    fn one(old: usize, confidence: f64) -> Self {
        Self { olds: vec![old], split: false, confidence }
    }
}

/// Above this many comparisons only equal texts are matched: an assignment would take too long.
const MOST_PAIRS: usize = 200_000;

/// For each new item, what it continues.
pub(super) fn origins(old: &[Entry], new: &[Entry]) -> Vec<Origin> {
    let mut out = vec![Origin::default(); new.len()];
    let mut free = vec![true; old.len()];
    by_equal(old, new, &mut out, &mut free, 1.0, |e| e.key.clone());
    if new.iter().all(|e| e.key.is_some()) && old.iter().all(|e| e.key.is_some()) {
        return out;
    }
    by_equal(old, new, &mut out, &mut free, 1.0, |e| Some(format!("{}\0{}", e.native_id.as_deref()?, e.text)));
    by_equal(old, new, &mut out, &mut free, 1.0, |e| Some(e.text.clone()));
    by_equal(old, new, &mut out, &mut free, 0.99, |e| Some(normalised(&e.text)).filter(|t| !t.is_empty()));
    by_likeness(old, new, &mut out, &mut free);
    out
}

/// Matches the first free old item with the first free new item of the same key, the second with the second.
fn by_equal(
    old: &[Entry],
    new: &[Entry],
    out: &mut [Origin],
    free: &mut [bool],
    confidence: f64,
    key: impl Fn(&Entry) -> Option<String>,
) {
    let mut places: BTreeMap<String, VecDeque<usize>> = BTreeMap::new();
    for (i, entry) in old.iter().enumerate().filter(|(i, _)| free[*i]) {
        if let Some(key) = key(entry) {
            places.entry(key).or_default().push_back(i);
        }
    }
    if places.is_empty() {
        return;
    }
    for (entry, origin) in new.iter().zip(out).filter(|(_, o)| o.olds.is_empty()) {
        if let Some(i) = key(entry).and_then(|k| places.get_mut(&k)?.pop_front()) {
            *origin = Origin::one(i, confidence);
            free[i] = false;
        }
    }
}

fn by_likeness(old: &[Entry], new: &[Entry], out: &mut [Origin], free: &mut [bool]) {
    let rows: Vec<usize> = (0..old.len()).filter(|&i| free[i]).collect();
    let columns: Vec<usize> = (0..new.len()).filter(|&j| out[j].olds.is_empty()).collect();
    if rows.is_empty() || columns.is_empty() || rows.len() * columns.len() > MOST_PAIRS {
        return;
    }
    let all = |entries: &[Entry]| -> Vec<Side> {
        entries.iter().enumerate().map(|(i, e)| side(e, i, entries.len())).collect()
    };
    let (old_sides, new_sides) = (all(old), all(new));
    let idf = Idf::of(old_sides.iter().chain(&new_sides));
    let scores: Vec<Vec<f64>> = rows
        .iter()
        .map(|&i| columns.iter().map(|&j| score(&old_sides[i], &new_sides[j], &idf, &WEIGHTS)).collect())
        .collect();
    for (r, c) in assignment(&scores) {
        if scores[r][c] >= WEIGHTS.accept {
            out[columns[c]] = Origin::one(rows[r], scores[r][c].min(0.98));
            free[rows[r]] = false;
        }
    }
}

fn side(entry: &Entry, at: usize, len: usize) -> Side {
    Side { wording: Wording::of(&entry.text), place: at as f64 / (len.max(2) - 1) as f64, state: entry.state }
}

/// The pairs of the best assignment; pairs without any likeness are left out.
fn assignment(scores: &[Vec<f64>]) -> Vec<(usize, usize)> {
    let (rows, columns) = (scores.len(), scores[0].len());
    let points = |score: f64| if score < WEIGHTS.accept { 0 } else { (score * 1e6) as i64 };
    let flip = rows > columns;
    let cell = |(r, c): (usize, usize)| if flip { points(scores[c][r]) } else { points(scores[r][c]) };
    let (short, long) = (rows.min(columns), rows.max(columns));
    let matrix = Matrix::from_fn(short, long, cell);
    let (_, of_short) = kuhn_munkres(&matrix);
    let pairs = of_short.into_iter().enumerate().map(|(s, l)| if flip { (l, s) } else { (s, l) });
    pairs.filter(|&(r, c)| points(scores[r][c]) > 0).collect()
}
