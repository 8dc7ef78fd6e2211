//! Which item of a list continues which item of the list before: by the vendor's id, the exact text, the normalised
//! text, and last by an assignment on likeness.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pathfinding::matrix::Matrix;
use pathfinding::prelude::kuhn_munkres;

use super::similarity::{Idf, Side, Weights, part_score, score};
use super::sources::Entry;
use super::wording::{Wording, normalised};

/// What one new item continues.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Origin {
    /// Positions in the old list; empty for a new item.
    pub(super) olds: Vec<usize>,
    /// It is one of several that an old item was split into.
    pub(super) split: bool,
    /// It continues an item that was dropped before.
    pub(super) returned: bool,
    /// 0–1.
    pub(super) confidence: f64,
}

impl Origin {
    fn one(old: usize, confidence: f64) -> Self {
        Self { olds: vec![old], confidence, ..Self::default() }
    }
}

/// Above this many comparisons only equal texts are matched: an assignment would take too long.
const MOST_PAIRS: usize = 10_000;

/// For each new item, what it continues.
pub(super) fn origins(
    old: &[Entry],
    new: &[Entry],
    was_dropped: impl Fn(&Entry) -> bool,
    weights: &Weights,
) -> Vec<Origin> {
    let mut out = vec![Origin::default(); new.len()];
    let mut free = vec![true; old.len()];
    by_equal(old, new, &mut out, &mut free, 1.0, |e| e.key.clone());
    if new.iter().all(|e| e.key.is_some()) && old.iter().all(|e| e.key.is_some()) {
        return out;
    }
    by_equal(old, new, &mut out, &mut free, 1.0, |e| Some(format!("{}\0{}", e.native_id.as_deref()?, e.text)));
    by_equal(old, new, &mut out, &mut free, 1.0, |e| Some(e.text.clone()));
    by_equal(old, new, &mut out, &mut free, 0.99, |e| Some(normalised(&e.text)).filter(|t| !t.is_empty()));
    for (entry, origin) in new.iter().zip(&mut out) {
        origin.returned = origin.olds.is_empty() && was_dropped(entry);
    }
    let finished = !old.is_empty() && old.iter().all(|e| !e.state.is_open());
    if finished && out.iter().all(|o| o.olds.is_empty()) {
        // A finished list and one without a word of it: the next plan, however alike its items are.
        return out;
    }
    by_likeness(old, new, &mut out, &mut free, weights);
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

fn by_likeness(old: &[Entry], new: &[Entry], out: &mut [Origin], free: &mut [bool], weights: &Weights) {
    let rows: Vec<usize> = (0..old.len()).filter(|&i| free[i]).collect();
    let columns: Vec<usize> = (0..new.len()).filter(|&j| out[j].olds.is_empty() && !out[j].returned).collect();
    if rows.is_empty() || columns.is_empty() || rows.len() * columns.len() > MOST_PAIRS {
        return;
    }
    let anchors: Vec<Option<usize>> = (0..old.len()).map(|i| (!free[i]).then_some(i)).collect();
    let old_sides = sides(old, &anchors);
    let anchors: Vec<Option<usize>> = out.iter().map(|o| o.olds.first().copied()).collect();
    let new_sides = sides(new, &anchors);
    let idf = Idf::of(old_sides.iter().chain(&new_sides));
    let replaced = rows.len() == old.len() && columns.len() == new.len();
    let accept = if replaced { weights.accept_replaced } else { weights.accept };
    let row = |i: usize| columns.iter().map(|&j| score(&old_sides[i], &new_sides[j], &idf, weights)).collect();
    let scores: Vec<Vec<f64>> = rows.iter().map(|&i| row(i)).collect();
    for (r, c) in assignment(&scores, accept) {
        out[columns[c]] = Origin::one(rows[r], scores[r][c].min(0.98));
        free[rows[r]] = false;
    }
    let parts = Parts { old: &old_sides, new: &new_sides, weights };
    parts.split(&rows, &columns, &scores, out);
    parts.merge(&rows, out, free);
}

fn sides(entries: &[Entry], anchors: &[Option<usize>]) -> Vec<Side> {
    let side = |e: &Entry| Side { wording: Wording::of(&e.text), gap: (None, None), state: e.state };
    let mut out: Vec<Side> = entries.iter().map(side).collect();
    let (mut before, mut after) = (None, None);
    for n in 0..out.len() {
        out[n].gap.0 = before;
        before = anchors[n].or(before);
    }
    for n in (0..out.len()).rev() {
        out[n].gap.1 = after;
        after = anchors[n].or(after);
    }
    out
}

/// Finds items that became several, and several that became one.
struct Parts<'a> {
    old: &'a [Side],
    new: &'a [Side],
    weights: &'a Weights,
}

impl Parts<'_> {
    /// New items next to a match of an old item that no other old item explains better are parts of it.
    fn split(&self, rows: &[usize], columns: &[usize], scores: &[Vec<f64>], out: &mut [Origin]) {
        for c in (0..columns.len()).chain((0..columns.len()).rev()) {
            let n = columns[c];
            let best = (0..rows.len()).max_by(|&a, &b| scores[a][c].total_cmp(&scores[b][c]));
            let Some(r) = best.filter(|&r| out[n].olds.is_empty() && scores[r][c] > 0.0) else { continue };
            let o = rows[r];
            let is_sibling = |&m: &usize| out.get(m).is_some_and(|x| x.olds == [o] && x.confidence < 0.99);
            let near = [n.checked_sub(1), Some(n + 1)];
            let Some(m) = near.into_iter().flatten().find(is_sibling) else { continue };
            if self.part(o, n) >= self.weights.part && !self.is_whole(o, m) {
                let confidence = scores[r][c].min(0.98);
                out[n] = Origin { olds: vec![o], split: true, confidence, ..Origin::default() };
                out[m].split = true;
            }
        }
    }

    /// Likeness of the words of an old and a new item.
    fn part(&self, o: usize, n: usize) -> f64 {
        part_score(&self.old[o], &self.new[n], &Idf::default(), self.weights)
    }

    /// Whether the new item says all that the old one says, so that nothing is left for another.
    fn is_whole(&self, o: usize, n: usize) -> bool {
        let new = &self.new[n].wording.stems;
        self.old[o].wording.stems.iter().all(|s| new.contains(s))
    }

    /// Old items that are left over went into a matched one that joins several things, where the words that this one gained
    /// are theirs.
    fn merge(&self, rows: &[usize], out: &mut [Origin], free: &mut [bool]) {
        let grown = |n: &usize| !out[*n].split && out[*n].confidence < 0.99 && !out[*n].olds.is_empty();
        let heirs: Vec<(usize, BTreeSet<&String>)> = (0..out.len())
            .filter(|n| grown(n) && self.new[*n].wording.joins > 0)
            .map(|n| (n, self.gained(out[n].olds[0], n)))
            .collect();
        for &o in rows.iter().filter(|&&o| free[o]) {
            let theirs = |gained: &BTreeSet<&String>| {
                let stems = &self.old[o].wording.stems;
                gained.iter().filter(|g| stems.contains(g)).count()
            };
            let heir = heirs.iter().find(|(n, gained)| {
                let shared = theirs(gained);
                let near = out[*n].olds.iter().any(|p| p.abs_diff(o) == 1);
                shared > 0
                    && 2 * shared >= gained.len()
                    && (shared > 1 || near && self.part(o, *n) >= self.weights.part)
            });
            if let Some((n, _)) = heir {
                out[*n].olds.push(o);
            }
        }
        out.iter().flat_map(|x| &x.olds).for_each(|&o| free[o] = false);
    }

    /// Stems that a new item has and the old one that it continues has not.
    fn gained(&self, o: usize, n: usize) -> BTreeSet<&String> {
        let old = &self.old[o].wording.stems;
        self.new[n].wording.stems.iter().filter(|s| !old.contains(s)).collect()
    }
}

/// The pairs of the best assignment; pairs without any likeness are left out.
fn assignment(scores: &[Vec<f64>], accept: f64) -> Vec<(usize, usize)> {
    let (rows, columns) = (scores.len(), scores[0].len());
    let points = |score: f64| if score < accept { 0 } else { (score * 1e6) as i64 };
    let flip = rows > columns;
    let cell = |(r, c): (usize, usize)| if flip { points(scores[c][r]) } else { points(scores[r][c]) };
    let (short, long) = (rows.min(columns), rows.max(columns));
    let matrix = Matrix::from_fn(short, long, cell);
    let (_, of_short) = kuhn_munkres(&matrix);
    let pairs = of_short.into_iter().enumerate().map(|(s, l)| if flip { (l, s) } else { (s, l) });
    pairs.filter(|&(r, c)| points(scores[r][c]) > 0).collect()
}
