//! Whether a figure is one of the session: the same after conversion and rounding, one that follows from others, or the
//! bare number of a table.

use std::collections::BTreeMap;

use super::super::Scene;
use crate::extract::bench::numbers::{self, Figure};
use crate::extract::bench::units::{Dimension, Unit};
use crate::session::MsgIx;
use crate::verify::article::Block;
use crate::verify::world::{self, Known};

/// Figures of a message that a ratio may be of, when the sentence names none: among more of them some pair fits by chance.
const FEW: usize = 4;
/// Figures of one metric that are set against each other.
const METRIC_FIGURES: usize = 200;

/// A value as it is written: its last digit may be rounded.
pub(in crate::verify::checks) fn rounds_to(value: f64, written: f64, decimals: u8) -> bool {
    let half = 0.5 * 10f64.powi(-i32::from(decimals));
    (value.abs() - written.abs()).abs() <= half * 1.000_001 + value.abs() * 1e-9
}

/// Whether a figure of the session is the one written, after conversion and rounding.
pub(in crate::verify::checks) fn is_same(known: &Known, figure: &Figure) -> bool {
    let Some(unit) = &figure.unit else { return false };
    known.unit.convert(known.value, unit).is_some_and(|v| {
        let sure = !figure.approx || v == 0.0;
        rounds_to(v, figure.value, figure.decimals) || !sure && (figure.value / v - 1.0).abs() < 0.05
    })
}

/// Whether it may be the difference or the change of two measured figures of one metric: of many figures some pair fits by
/// chance, so this supports nothing.
pub(super) fn may_follow(scene: &Scene<'_>, figure: &Figure) -> bool {
    let Some(unit) = figure.unit.as_ref() else { return false };
    let mut by_metric: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for m in &scene.world.analysis.facts.bench.measurements {
        let (Some(value), Some(unit)) = (m.value, m.unit.as_deref()) else { continue };
        by_metric.entry((&m.metric, unit)).or_default().push(value);
    }
    by_metric.into_iter().filter(|(_, all)| all.len() <= METRIC_FIGURES).any(|((_, name), all)| {
        let Some(of) = Unit::parse(name) else { return false };
        let fits = |a: f64, b: f64| {
            let results = match &*unit.name {
                "%" => vec![(a / b - 1.0) * 100.0, (b / a - 1.0) * 100.0],
                _ => of.convert(a - b, unit).into_iter().collect(),
            };
            results.into_iter().any(|r| r != 0.0 && rounds_to(r, figure.value, figure.decimals))
        };
        all.iter().enumerate().any(|(n, a)| all[n + 1..].iter().any(|b| fits(*a, *b)))
    })
}

/// Differences, ratios and complements of figures named together.
pub(super) fn derived(scene: &Scene<'_>, figure: &Figure, sentence: &[Known], named: &[MsgIx]) -> Option<String> {
    let unit = figure.unit.as_ref()?;
    let ratio = unit.dimension == Dimension::NONE;
    let mut known: Vec<&Known> = sentence.iter().filter(|k| !is_same(k, figure)).collect();
    let own = known.len();
    let around: Vec<Known> =
        scene.around().iter().flat_map(|s| numbers::with_units(&s.text)).flat_map(|f| world::known(&f)).collect();
    known.extend(&around);
    if known.len() < 2 && ratio && scene.sentence().block != Block::Row {
        let there: Vec<&Known> = named.iter().take(2).flat_map(|&ix| scene.world.figures(ix)).collect();
        known.extend(there.into_iter().take(FEW + 1));
    }
    // Of figures that only stand around, one must be the sentence's own, or there are but few.
    let pairs = if known.len() <= FEW { known.len() } else { own };
    for (n, a) in known.iter().enumerate().take(pairs) {
        for b in known.iter().skip(n + 1).filter(|b| b.unit.dimension == a.unit.dimension) {
            let Some(b_value) = b.unit.convert(b.value, &a.unit) else { continue };
            let (x, y) = (a.value, b_value);
            if x == 0.0 || y == 0.0 {
                continue;
            }
            let results: Vec<f64> = match &*unit.name {
                "%" if ratio => [x / y, y / x].iter().flat_map(|r| [r * 100.0, (r - 1.0) * 100.0]).collect(),
                _ if ratio => vec![x / y, y / x],
                "percentage points" => vec![x - y],
                _ => a.unit.convert(x - y, unit).into_iter().chain(a.unit.convert(x + y, unit)).collect(),
            };
            if results.iter().any(|r| rounds_to(*r, figure.value, figure.decimals)) {
                return Some(format!("follows from {x} and {y} {}", a.unit));
            }
        }
    }
    None
}

/// The message in which the number stands without its unit, as in tables that tools print. A number with another unit is
/// another figure.
pub(super) fn bare(scene: &Scene<'_>, figure: &Figure, named: &[MsgIx]) -> Option<MsgIx> {
    let unit = figure.unit.as_ref()?;
    if figure.decimals == 0 && figure.value < 100.0 {
        return None;
    }
    // Of figures without decimals another unit may stand beside the same number.
    let of_another = |k: &Known| k.unit.dimension != unit.dimension && figure.decimals > 0;
    let scaled = |k: &Known| k.unit.dimension == unit.dimension && k.unit.scale != unit.scale;
    let other = |k: &Known| k.value == figure.value && (of_another(k) || scaled(k));
    let everywhere: Vec<MsgIx> = scene.world.session().iter().map(|(ix, _)| ix).collect();
    if everywhere.iter().any(|&ix| scene.world.figures(ix).iter().any(other)) {
        return None;
    }
    let sought = if named.is_empty() { &everywhere } else { named };
    let stands = |ix: &MsgIx| has_number(scene.world.text(*ix), figure.value) && !is_elsewhere(scene, figure, *ix);
    sought.iter().copied().find(stands)
}

/// Whether the figure stands with its unit in another message than this.
fn is_elsewhere(scene: &Scene<'_>, figure: &Figure, but: MsgIx) -> bool {
    let unit = figure.unit.as_ref();
    let rate = unit.is_some_and(|u| u.dimension.is_rate());
    rate && scene
        .world
        .session()
        .iter()
        .any(|(ix, _)| ix != but && scene.world.figures(ix).iter().any(|k| is_same(k, figure)))
}

/// Whether a whole number stands in a text by itself.
fn has_number(text: &str, value: f64) -> bool {
    let digits = format!("{value}");
    text.match_indices(&*digits).any(|(at, _)| {
        let inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '.');
        !inside(text[..at].chars().next_back()) && !inside(text[at + digits.len()..].chars().next())
    })
}
