//! Below a curve: which share of the limit each point reaches, or of growth in proportion where no limit is known.

use super::axis::{self, Scale};
use super::curve::{DASHES, Line, Point};
use super::phrases::Phrases;
use super::svg::{self, Anchor, BASELINE, FLAGGED, GRID, LIMIT, SERIES, SOFT, Svg};
use crate::analysis::Analysis;
use crate::extract::bench::FigureEvidence;

/// Height that the panel adds to the picture.
const HEIGHT: f64 = 158.0;
const PLOT: (f64, f64) = (76.0, 680.0);

/// Shares of each line, in percent, at its places on the x axis.
pub(super) struct Shares {
    lines: Vec<Vec<Share>>,
    /// Of a limit; else of growth in proportion to the first point.
    pub(super) of_limit: bool,
}

struct Share {
    x: f64,
    percent: f64,
    claimed: bool,
}

/// What the panel shows; `None` when fewer than two points have a share.
pub(super) fn shares(analysis: &Analysis, lines: &[&Line], ideal: Option<(f64, f64)>) -> Option<Shares> {
    let of = |of_limit: bool| -> Vec<Vec<Share>> {
        let with = |l: &Line, p: &Point| {
            let claimed = analysis.facts.bench.measurements[p.measurement as usize].evidence == FigureEvidence::Claimed;
            Some(Share { x: p.x, percent: share(analysis, l, p, of_limit)? * 100.0, claimed })
        };
        lines.iter().map(|l| l.points.iter().filter_map(|p| with(l, p)).collect()).collect()
    };
    let limited = of(true);
    if limited.iter().any(|l| l.len() >= 2) {
        return Some(Shares { lines: limited, of_limit: true });
    }
    ideal.map(|_| Shares { lines: of(false), of_limit: false })
}

/// The share of a point: of its limit, or of growth in proportion to the first point of its line.
pub(super) fn share(analysis: &Analysis, line: &Line, p: &Point, of_limit: bool) -> Option<f64> {
    if of_limit {
        return analysis.facts.bench.efficiency_of(p.measurement).map(|e| e.efficiency);
    }
    let first = line.points.first().filter(|f| f.y > 0.0)?;
    Some((p.y / first.y) / (p.x / first.x))
}

/// Draws the panel below a picture of this height; gives the height it adds.
pub(super) fn draw(svg: &mut Svg, x: &Scale, shares: &Shares, below: f64, phrases: &Phrases) -> f64 {
    let (left, right) = PLOT;
    let (top, bottom) = (below + 30.0, below + HEIGHT - 34.0);
    let most = shares.lines.iter().flatten().map(|p| p.percent).fold(100.0, f64::max);
    let y = Scale::from_zero(most, (bottom, top));
    let name = phrases.get(if shares.of_limit { "efficiency" } else { "scaling" });
    svg.text((left, below + 14.0), Anchor::Start, SOFT, 12.0, name);
    for tick in y.ticks() {
        svg.line((left, y.at(tick)), (right, y.at(tick)), GRID, 1.0, "");
        svg.text((left - 8.0, y.at(tick) + 4.0), Anchor::End, SOFT, 11.0, &format!("{} %", axis::number(tick)));
    }
    let whole = if shares.of_limit { LIMIT } else { BASELINE };
    svg.line((left, y.at(100.0)), (right, y.at(100.0)), whole, 1.5, "6 4");
    let mut seen = f64::NEG_INFINITY;
    for tick in x.ticks() {
        if x.at(tick) - seen > 34.0 {
            svg.text((x.at(tick), bottom + 17.0), Anchor::Middle, SOFT, 11.0, &axis::number(tick));
            seen = x.at(tick);
        }
    }
    let mut ends: Vec<((f64, f64), svg::Ink, String)> = Vec::new();
    for (i, line) in shares.lines.iter().enumerate() {
        let path: Vec<(f64, f64)> = line.iter().map(|p| (x.at(p.x), y.at(p.percent))).collect();
        if path.len() > 1 {
            svg.path(&path, SERIES[i], 2.0, DASHES[i]);
        }
        for (at, share) in path.iter().zip(line) {
            let ink = if share.percent > 100.0 + 1e-9 && shares.of_limit { FLAGGED } else { SERIES[i] };
            svg.mark(*at, i, ink, share.claimed);
        }
        ends.extend(path.last().zip(line.last()).map(|(at, s)| (*at, SERIES[i], axis::percent(s.percent / 100.0))));
    }
    ends.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
    let mut free = top - 12.0;
    // Where lines end short of the edge their labels stay beside them.
    let x = ends.iter().map(|e| e.0.0).fold(left, f64::max) + 12.0;
    for (at, ink, text) in &ends {
        let line = at.1.max(free + 13.0);
        svg.text((x, line + 4.0), Anchor::Start, *ink, 12.0, text);
        free = line;
    }
    HEIGHT
}
