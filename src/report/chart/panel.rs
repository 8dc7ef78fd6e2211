//! Below a curve: which share of its limit each point reaches.

use super::axis::{self, Scale};
use super::curve::{DASHES, Line, Point};
use super::phrases::Phrases;
use super::svg::{self, Anchor, FLAGGED, GRID, LIMIT, SERIES, SOFT, Svg};
use crate::analysis::Analysis;
use crate::extract::bench::FigureEvidence;

/// Height that the panel adds to the picture.
const HEIGHT: f64 = 158.0;
const PLOT: (f64, f64) = (76.0, 680.0);

/// A point of a line: its place on the x axis and its efficiency in percent.
struct Share {
    x: f64,
    percent: f64,
    claimed: bool,
}

/// The shares of each line.
pub(super) struct Shares(Vec<Vec<Share>>);

/// What the panel shows; `None` when no line has two points with a limit.
pub(super) fn shares(analysis: &Analysis, lines: &[&Line]) -> Option<Shares> {
    let bench = &analysis.facts.bench;
    let share = |p: &Point| {
        let percent = bench.efficiency_of(p.measurement)?.efficiency * 100.0;
        let claimed = bench.measurements[p.measurement as usize].evidence == FigureEvidence::Claimed;
        Some(Share { x: p.x, percent, claimed })
    };
    let limited: Vec<Vec<Share>> = lines.iter().map(|l| l.points.iter().filter_map(share).collect()).collect();
    limited.iter().any(|l| l.len() >= 2).then_some(Shares(limited))
}

/// Draws the panel below a picture of this height; gives the height it adds.
pub(super) fn draw(svg: &mut Svg, x: &Scale, shares: &Shares, below: f64, phrases: &Phrases) -> f64 {
    let (left, right) = PLOT;
    let (top, bottom) = (below + 30.0, below + HEIGHT - 34.0);
    let most = shares.0.iter().flatten().map(|p| p.percent).fold(100.0, f64::max);
    let y = Scale::from_zero(most, (bottom, top));
    let name = phrases.get("efficiency");
    svg.text((left, below + 14.0), Anchor::Start, SOFT, 12.0, name);
    for tick in y.ticks() {
        svg.line((left, y.at(tick)), (right, y.at(tick)), GRID, 1.0, "");
        svg.text((left - 8.0, y.at(tick) + 4.0), Anchor::End, SOFT, 11.0, &format!("{} %", axis::number(tick)));
    }
    svg.line((left, y.at(100.0)), (right, y.at(100.0)), LIMIT, 1.5, "6 4");
    for (at, text) in axis::spaced(x) {
        svg.text((at, bottom + 17.0), Anchor::Middle, SOFT, 11.0, &text);
    }
    let mut ends: Vec<((f64, f64), svg::Ink, String)> = Vec::new();
    for (i, line) in shares.0.iter().enumerate() {
        let path: Vec<(f64, f64)> = line.iter().map(|p| (x.at(p.x), y.at(p.percent))).collect();
        if path.len() > 1 {
            svg.path(&path, SERIES[i], 2.0, DASHES[i]);
        }
        for (at, share) in path.iter().zip(line) {
            let ink = if share.percent > 100.0 + 1e-9 { FLAGGED } else { SERIES[i] };
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
