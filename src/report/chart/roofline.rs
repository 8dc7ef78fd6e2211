//! Which wall: FLOP rates over FLOP per byte, under what memory and arithmetic allow.
//!
//! Drawn only where the session states the intensity of what it measured, a peak FLOP rate and a memory bandwidth.

use serde_json::json;

use super::axis::{self, Kind, Scale, extent};
use super::efficiency::capital;
use super::phrases::Phrases;
use super::svg::{self, Anchor, BASELINE, GRID, LIMIT, MEASURED, SOFT, Svg, TEXT};
use super::{Board, Chart, Figure, FigureRow, words};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::bench::units::{Dimension, Quantity, Unit};
use crate::extract::bench::{FigureEvidence, Limit, Measurement, MeasurementRole};
use crate::report::section::value::number;

/// The chart.
pub(super) const CHART: Chart = Chart { id: "roofline", section: "bench", draw };

const SIZE: (f64, f64) = (900.0, 460.0);
const PLOT: (f64, f64, f64, f64) = (76.0, 62.0, 860.0, 400.0);
/// Ceilings of one kind in a picture.
const CEILINGS: usize = 4;
/// Points with a name beside them.
const NAMED: usize = 12;

struct Point<'a> {
    m: &'a Measurement,
    /// FLOP per byte.
    x: f64,
    /// FLOP per second.
    y: f64,
}

/// A ceiling with its label: FLOP/s, or bytes/s.
struct Ceiling {
    value: f64,
    label: String,
}

struct Roof {
    peaks: Vec<Ceiling>,
    memory: Vec<Ceiling>,
}

impl Roof {
    /// What is possible at an intensity, by the highest ceilings.
    fn at(&self, x: f64) -> f64 {
        let most = |list: &[Ceiling]| list.iter().map(|c| c.value).fold(0.0, f64::max);
        most(&self.peaks).min(most(&self.memory) * x)
    }

    /// Where each peak meets the highest bandwidth.
    fn ridges(&self) -> Vec<(f64, &Ceiling, &Ceiling)> {
        let top = self.memory.iter().max_by(|a, b| a.value.total_cmp(&b.value));
        top.map(|m| self.peaks.iter().map(|p| (p.value / m.value, p, m)).collect()).unwrap_or_default()
    }
}

fn draw(board: &Board<'_>) -> Result<Vec<Figure>, Error> {
    let analysis = board.analysis;
    let points: Vec<Point<'_>> = analysis.facts.bench.measurements.iter().filter_map(point).collect();
    let bandwidth = Dimension::of(Quantity::Byte, 1).times(Dimension::of(Quantity::Second, 1), -1);
    let flops = Dimension::of(Quantity::Flop, 1).times(Dimension::of(Quantity::Second, 1), -1);
    let roof = Roof {
        peaks: ceilings(analysis, flops, |l| l.metric == "flops"),
        memory: ceilings(analysis, bandwidth, |l| l.metric == "memory_bandwidth"),
    };
    if points.is_empty() || roof.peaks.is_empty() || roof.memory.is_empty() {
        return Ok(Vec::new());
    }
    figure(board, &points, &roof).map(|f| vec![f])
}

/// A FLOP rate whose intensity is stated.
fn point(m: &Measurement) -> Option<Point<'_>> {
    let x: f64 = m.params.get("intensity")?.split_whitespace().next()?.parse().ok()?;
    let unit = Unit::parse(m.unit.as_deref()?)?;
    let flops = unit.dimension.power(Quantity::Flop) == 1 && unit.dimension.is_rate();
    let y = m.value? * unit.scale.factor();
    let counts = m.role == MeasurementRole::Measured && m.valid && flops && x > 0.0 && y > 0.0;
    counts.then_some(Point { m, x, y })
}

fn ceilings(analysis: &Analysis, dimension: Dimension, wanted: impl Fn(&Limit) -> bool) -> Vec<Ceiling> {
    let limits = analysis.facts.bench.limits.iter().filter(|l| l.kind != "target" && l.kind != "slo" && wanted(l));
    let ceiling = |l: &Limit| {
        let unit = Unit::parse(&l.unit).filter(|u| u.dimension == dimension)?;
        let label = format!("{} ({})", words::limit(l), words::source(analysis, l));
        Some(Ceiling { value: l.value * unit.scale.factor(), label }).filter(|c| c.value > 0.0)
    };
    let mut out: Vec<Ceiling> = limits.filter_map(ceiling).collect();
    out.sort_by(|a, b| b.value.total_cmp(&a.value));
    out.dedup_by(|a, b| a.value == b.value);
    out.truncate(CEILINGS);
    out
}

fn figure(board: &Board<'_>, points: &[Point<'_>], roof: &Roof) -> Result<Figure, Error> {
    let analysis = board.analysis;
    let ridges = roof.ridges();
    let first = ridges.iter().map(|r| r.0).fold(f64::INFINITY, f64::min);
    let labels = |list: &[Ceiling]| list.iter().map(|c| c.label.clone()).collect::<Vec<_>>();
    let view = json!({
        "name": capital(&words::metric("flops")), "count": points.len(),
        "ridges": ridges.iter().map(|(x, p, m)| json!({
            "x": axis::number(*x), "flops": p.label, "bandwidth": m.label,
        })).collect::<Vec<_>>(),
        "bound_by_memory": points.iter().filter(|p| p.x < first).count(),
        "memory": labels(&roof.memory), "peaks": labels(&roof.peaks),
    });
    let phrases = Phrases::of(board.engine, "roofline", view)?;
    let svg = plot(points, roof, &phrases);
    let row = |p: &Point<'_>| {
        let possible = roof.at(p.x);
        let unit = p.m.unit.as_deref().unwrap_or_default();
        let scale = Unit::parse(unit).map_or(1.0, |u| u.scale.factor());
        FigureRow {
            cells: vec![
                conditions(p.m),
                number(p.x),
                words::value(p.m.value.unwrap_or_default(), unit),
                words::value(possible / scale, unit),
                axis::percent(p.y / possible),
            ],
            msgs: vec![words::label(analysis, p.m)],
        }
    };
    Ok(Figure::new(svg, &phrases, ("roofline", "flops"), SIZE, points.iter().map(row).collect()))
}

/// The conditions of a point apart from where it stands.
fn conditions(m: &Measurement) -> String {
    let mut params = m.params.clone();
    params.remove("intensity");
    words::conditions(&params)
}

fn plot(points: &[Point<'_>], roof: &Roof, phrases: &Phrases) -> Svg {
    let (left, top, right, bottom) = PLOT;
    let ridges = roof.ridges();
    let (min_x, max_x) = extent(points.iter().map(|p| p.x).chain(ridges.iter().map(|r| r.0)));
    let x = Scale::log(Kind::Log10, min_x / 2.0, max_x * 2.0, (left, right));
    let peaks = roof.peaks.iter().map(|c| c.value);
    let (min_y, max_y) = extent(points.iter().map(|p| p.y).chain(peaks));
    let y = Scale::log(Kind::Log10, min_y / 2.0, max_y * 1.6, (bottom, top));
    let mut svg = Svg::headed(phrases.get("title"), phrases.get("note"), SIZE.0);
    for tick in y.ticks() {
        svg.line((left, y.at(tick)), (right, y.at(tick)), GRID, 1.0, "");
        svg.text((left - 8.0, y.at(tick) + 4.0), Anchor::End, SOFT, 11.0, &rate(tick));
    }
    axis::below(&mut svg, &x, (top, bottom), phrases.get("x"));
    svg.text_up((18.0, (top + bottom) / 2.0), SOFT, 12.0, "FLOP/s");
    let highest = roof.peaks.first().map_or(0.0, |p| p.value);
    for (i, memory) in roof.memory.iter().enumerate() {
        slope(&mut svg, (&x, &y), memory, highest, phrases.nth("memory", i));
    }
    let fastest = roof.memory.first().map_or(0.0, |m| m.value);
    for (i, peak) in roof.peaks.iter().enumerate() {
        let from = x.at(peak.value / fastest).max(left);
        let at = y.at(peak.value);
        svg.path(&[(from, at), (right, at)], LIMIT, 2.0, "6 4");
        svg.label(&[(right, at - 6.0), (right, at + 15.0)], Anchor::End, LIMIT, 12.0, phrases.nth("peak", i));
        svg.line((from, at), (from, bottom), BASELINE, 1.0, "2 3");
        svg.text((from + 4.0, bottom - 6.0), Anchor::Start, SOFT, 11.0, phrases.nth("ridge", i));
    }
    marks(&mut svg, (&x, &y), points);
    svg
}

/// A bandwidth is a rising line up to the highest peak, its label above its middle: points lie below.
fn slope(svg: &mut Svg, (x, y): (&Scale, &Scale), memory: &Ceiling, highest: f64, text: &str) {
    let (left, _, _, bottom) = PLOT;
    let lowest = x.value(left).max(y.value(bottom) / memory.value);
    let start = (x.at(lowest), y.at(lowest * memory.value));
    let end = (x.at(highest / memory.value), y.at(highest));
    svg.path(&[start, end], LIMIT, 2.0, "6 4");
    let middle = ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0);
    svg.label(&[(middle.0 - 8.0, middle.1 - 8.0)], Anchor::End, LIMIT, 12.0, text);
}

/// Points with their names, the ones that have room.
fn marks(svg: &mut Svg, (x, y): (&Scale, &Scale), points: &[Point<'_>]) {
    for (i, p) in points.iter().enumerate() {
        let at = (x.at(p.x), y.at(p.y));
        svg.mark(at, 0, MEASURED, p.m.evidence == FigureEvidence::Claimed);
        let text = svg::shorten(&conditions(p.m), 11.0, 200.0);
        let wide = svg::width(&text, 11.0);
        let right = at.0 + 10.0 + wide < PLOT.2;
        let start = if right { at.0 + 9.0 } else { at.0 - 9.0 - wide };
        if i < NAMED {
            svg.label(&[(start, at.1 + 14.0), (start, at.1 - 8.0)], Anchor::Start, TEXT, 11.0, &text);
        }
    }
}

/// A FLOP rate for an axis: `10 T`.
fn rate(value: f64) -> String {
    let steps = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")];
    let found = steps.iter().find(|(size, _)| value >= *size * (1.0 - 1e-9));
    found.map_or_else(|| axis::number(value), |(size, prefix)| format!("{} {prefix}", axis::number(value / size)))
}

#[cfg(test)]
mod tests {
    use crate::session::build::SessionBuilder;

    const TABLE: &str = "| Kernel | Intensity (FLOP/B) | GFLOP/s |\n|---|---|---|\n| copy | 0.25 | 52 |\n| stencil | 2.5 | 430 |\n| matmul | 96 | 9100 |\n";
    const LIMITS: &str = "The theoretical memory bandwidth is 270 GB/s. The theoretical peak is 12000 GFLOP/s.";

    #[test]
    fn points_stand_under_both_walls() {
        let session = SessionBuilder::new().user("go").assistant(LIMITS).assistant(TABLE).build();
        let figures = super::super::figures_of("roofline", session);
        assert_eq!(figures.len(), 1);
        let cells: Vec<&[String]> = figures[0].rows.iter().map(|r| &r.cells[1..]).collect();
        assert_eq!(cells[0], ["0.25", "52 GFLOP/s", "67.5 GFLOP/s", "77.04 %"]);
        assert_eq!(cells[2], ["96", "9100 GFLOP/s", "12000 GFLOP/s", "75.83 %"]);
        insta::assert_snapshot!("roofline", figures[0].svg);
    }

    #[test]
    fn without_a_wall_nothing_is_drawn() {
        let session = SessionBuilder::new().user("go").assistant(TABLE).build();
        assert_eq!(super::super::figures_of("roofline", session), []);
    }
}
