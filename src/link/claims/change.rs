//! Changes of figures: two printed figures of one kind, before and after.

use std::sync::LazyLock;

use regex::Regex;

use super::Verdict;
use super::record::Record;
use crate::extract::bench::FigureEvidence;
use crate::extract::claims::{Claim, Direction};
use crate::link::Scene;

/// Calls before a claim that are looked through for figures.
const WINDOW: usize = 12;
/// Measurements before a claim that are compared in pairs.
const POOL: usize = 24;
/// Lines longer than this hold no labelled figure.
const LINE: usize = 200;

static BEFORE: LazyLock<Regex> = LazyLock::new(|| label("before|baseline|old|original|reference|master|stock"));
static AFTER: LazyLock<Regex> = LazyLock::new(|| label("after|new|candidate|patched|optimi[sz]ed|tuned|improved"));
static FIGURE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(\d[\d,]*(?:\.\d+)?) ?([A-Za-zµ%×][\w/%µ]*)?").expect("a figure with its unit"));

fn label(words: &str) -> Regex {
    Regex::new(&format!(r"(?i)(?-u:\b)(?:{words})(?-u:\b)")).expect("words that name a phase")
}

/// A figure that a line names as before or after.
#[derive(Debug, Clone)]
struct Figure {
    call: usize,
    value: f64,
    unit: String,
}

/// A change as claimed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claimed {
    /// Ends of the range claimed; the same twice for one figure.
    low: f64,
    by: f64,
    factor: bool,
    direction: Direction,
}

impl Claimed {
    /// A change `by` so much, or from `low` to `by`.
    pub(super) fn new(by: f64, low: Option<f64>, factor: bool, direction: Direction) -> Self {
        Self { low: low.unwrap_or(by), by, factor, direction }
    }

    /// How far a change lies outside of what is claimed.
    fn gap(&self, change: f64) -> f64 {
        (self.low - change).max(change - self.by).max(0.0)
    }
}

/// The verdict on a change by so much.
pub(super) fn judge(scene: &Scene<'_>, record: &Record<'_>, claim: &Claim, at: usize, claimed: &Claimed) -> Verdict {
    let Claimed { by, factor, .. } = *claimed;
    if let Some(call) = told_pair(record, claim, at, claimed) {
        return Verdict::supported(call, true);
    }
    let (before, after) = labelled(record, claim, at);
    if let (Some(a), Some(b)) = (&before, &after)
        && a.unit == b.unit
        && a.value > 0.0
        && b.value > 0.0
    {
        let gaps = gaps((a.value, b.value), &a.unit, claimed);
        let call = a.call.max(b.call);
        let close = |gap: f64| gap <= if factor { by * 0.06 } else { (by * 0.06).max(0.6) };
        let far = |gap: f64| gap > if factor { by * 0.3 } else { (by * 0.3).max(2.5) };
        if gaps.iter().any(|g| close(*g)) {
            return Verdict::supported(call, true);
        }
        if gaps.iter().all(|g| far(*g)) && !claim.hedged {
            return Verdict::contradicted(call);
        }
        return Verdict::NONE;
    }
    measured(scene, record, claim, at, claimed)
}

/// The newest call that prints one of two figures of the claim's own line, when the other is printed too and the two
/// make the change: `11.1 ms against 41.6 ms, 3.75x faster`.
fn told_pair(record: &Record<'_>, claim: &Claim, at: usize, claimed: &Claimed) -> Option<usize> {
    let text = record.session.text_of(&claim.span)?;
    let (start, end) = (claim.span.start as usize, claim.span.end as usize);
    let from = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let to = text[end..].find('\n').map_or(text.len(), |i| end + i);
    let figures: Vec<(&str, f64, &str)> = FIGURE
        .captures_iter(&text[from..to])
        .filter_map(|c| {
            let written = c.get(1)?.as_str();
            Some((written, written.replace(',', "").parse().ok()?, c.get(2)?.as_str()))
        })
        .filter(|(written, value, _)| written.len() > 1 && *value > 0.0)
        .take(POOL)
        .collect();
    let near = |change: f64| claimed.gap(change) <= if claimed.factor { claimed.by * 0.01 } else { 0.6 };
    let makes = |a: f64, b: f64| changes((a, b), "", claimed).into_iter().any(near);
    let printed = |written: &str| {
        let says = |s: &super::record::Seen<'_>| {
            FIGURE.captures_iter(s.printed).any(|c| c.get(1).is_some_and(|f| is_rounded(written, f.as_str())))
        };
        record.newest(claim, at).take(POOL).find(|(_, s)| says(s)).map(|(i, _)| i)
    };
    figures.iter().enumerate().find_map(|(n, (a, x, unit))| {
        figures[n + 1..].iter().filter(|(_, _, u)| u == unit).find_map(|(b, y, _)| {
            let pair = makes(*x, *y) || makes(*y, *x);
            if pair { Some(printed(a)?.max(printed(b)?)) } else { None }
        })
    })
}

/// Whether a figure as told is one as printed, rounded: 139 of 139.04.
fn is_rounded(told: &str, printed: &str) -> bool {
    let places = |f: &str| f.split_once('.').map_or(0, |(_, d)| d.len());
    let value = |f: &str| f.replace(',', "").parse::<f64>().ok();
    let (Some(a), Some(b)) = (value(told), value(printed)) else { return false };
    places(printed) >= places(told) && (a - b).abs() <= 0.5 * 10f64.powi(-(places(told) as i32)) + 1e-9
}

/// The newest figures that lines call before and after.
fn labelled(record: &Record<'_>, claim: &Claim, at: usize) -> (Option<Figure>, Option<Figure>) {
    let (mut before, mut after): (Vec<Figure>, Vec<Figure>) = (Vec::new(), Vec::new());
    for (call, seen) in record.newest(claim, at).take(WINDOW) {
        if seen.quotes {
            continue;
        }
        for line in seen.printed.lines().filter(|l| l.len() <= LINE) {
            let side = match (BEFORE.is_match(line), AFTER.is_match(line)) {
                (true, false) => &mut before,
                (false, true) => &mut after,
                _ => continue,
            };
            let mut figures = FIGURE.captures_iter(line).filter_map(|c| {
                let value = c.get(1)?.as_str().replace(',', "").parse().ok()?;
                Some(Figure { call, value, unit: c.get(2).map_or("", |u| u.as_str()).to_lowercase() })
            });
            // A line of several figures does not say which one is meant.
            if let (Some(one), None) = (figures.next(), figures.next()) {
                side.push(one);
            }
        }
    }
    let only = |side: Vec<Figure>| if side.len() == 1 { side.into_iter().next() } else { None };
    (only(before), only(after))
}

/// How far a pair of figures is from the change claimed, in each way of reading it; per cent points, or factors.
fn gaps(pair: (f64, f64), unit: &str, claimed: &Claimed) -> Vec<f64> {
    changes(pair, unit, claimed).into_iter().map(|x| claimed.gap(x)).collect()
}

/// The change that a pair of figures makes, in each way of reading it.
fn changes((a, b): (f64, f64), unit: &str, claimed: &Claimed) -> Vec<f64> {
    let Claimed { factor, direction, .. } = *claimed;
    let rise = if factor { b / a } else { (b / a - 1.0) * 100.0 };
    let fall = if factor { a / b } else { (1.0 - b / a) * 100.0 };
    // 100 s to 50 s: half the time, twice as fast.
    let quicker = if factor { a / b } else { (a / b - 1.0) * 100.0 };
    let better: Vec<f64> = match higher_is_better(unit) {
        Some(true) => vec![rise],
        Some(false) => vec![fall, quicker],
        None => vec![rise, fall, quicker],
    };
    match direction {
        Direction::Up => vec![rise],
        Direction::Down => vec![fall],
        Direction::Better => better,
        Direction::Worse => better.into_iter().map(|x| if factor { 1.0 / x } else { -x }).collect(),
    }
}

/// Whether more of a unit is better: rates and speed-ups are, times are not.
fn higher_is_better(unit: &str) -> Option<bool> {
    if unit.contains("/s") || unit.ends_with("ps") || matches!(unit, "x" | "×") {
        return Some(true);
    }
    matches!(unit, "ms" | "s" | "us" | "µs" | "ns" | "min" | "sec" | "seconds" | "minutes").then_some(false)
}

/// Pairs of one metric and unit that tools printed before the claim.
fn measured(scene: &Scene<'_>, record: &Record<'_>, claim: &Claim, at: usize, change: &Claimed) -> Verdict {
    let all = &scene.facts.bench.measurements;
    let end = all.partition_point(|m| m.msg <= claim.msg);
    let printed = all[..end].iter().rev().filter(|m| m.evidence == FigureEvidence::Tool && m.valid);
    let pool: Vec<_> = printed.take(POOL).collect();
    let Claimed { by, factor, .. } = *change;
    // With many figures some pair fits by chance: only exact claims are matched.
    if by < 3.0 && !factor {
        return Verdict::NONE;
    }
    for (i, new) in pool.iter().enumerate() {
        for old in &pool[i + 1..] {
            let (Some(a), Some(b)) = (old.value, new.value) else { continue };
            let alike = old.metric == new.metric && old.unit == new.unit && old.statistic == new.statistic;
            if !alike || a <= 0.0 || b <= 0.0 || old.msg == new.msg && old.span.part == new.span.part {
                continue;
            }
            let close = if factor { by * 0.03 } else { 0.6 };
            if gaps((a, b), new.unit.as_deref().unwrap_or(""), change).iter().any(|g| *g <= close) {
                let call = record.calls[..at].iter().rposition(|c| c.at.msg == new.msg && c.at.part == new.span.part);
                return call.map_or(Verdict::NONE, |c| Verdict::supported(c, true));
            }
        }
    }
    Verdict::NONE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_pair_each_way() {
        let min = |a, b, unit, by, factor, d| {
            gaps((a, b), unit, &Claimed::new(by, None, factor, d)).into_iter().fold(f64::MAX, f64::min)
        };
        assert!(min(20.72, 23.20, "tok/s", 12.0, false, Direction::Better) < 0.1);
        assert!(min(240.0, 236.0, "ms", 20.0, false, Direction::Down) > 18.0);
        assert!(min(1.0, 0.93, "x", 7.0, false, Direction::Better) > 13.0);
        assert!(min(100.0, 50.0, "ms", 2.0, true, Direction::Better) < 0.01);
    }
}
