//! Does it scale: a metric over one condition that was varied, with its limit where one is known.

use std::collections::BTreeSet;

use super::axis::{self, Kind, Scale};
use super::efficiency::capital;
use super::svg::{self, Anchor, GRID, Ink, LIMIT, SERIES, SOFT, Svg, TEXT};
use super::{Board, Chart, Figure, FigureRow, words};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::bench::series::Series;
use crate::extract::bench::{FigureEvidence, Limit};
use crate::report::section::value::number;

/// The chart.
pub(super) const CHART: Chart = Chart { id: "curve", section: "bench", draw };

const SIZE: (f64, f64) = (900.0, 420.0);
const PLOT: (f64, f64, f64, f64) = (76.0, 62.0, 680.0, 360.0);
/// Conditions that a curve may run over, in the order of preference.
const AXES: &[&str] =
    &["concurrency", "batch", "context", "input_len", "size", "threads", "connections", "gpus", "tp", "iodepth", "n"];

/// One line: the other conditions it holds under, and its points by x.
struct Line {
    name: String,
    points: Vec<Point>,
}

struct Point {
    x: f64,
    y: f64,
    measurement: u32,
}

fn draw(board: &Board<'_>) -> Result<Vec<Figure>, Error> {
    Ok(board.curves.clone())
}

/// The curves of every quantity that was measured at three places of an axis or more.
pub(super) fn figures(board: &Board<'_>) -> Vec<Figure> {
    board.quantities.iter().filter_map(|group| figure(board.analysis, group)).collect()
}

/// A number with `k` for 1024 in lengths, 1000 elsewhere.
fn x_value(axis: &str, text: &str) -> Option<f64> {
    let text = text.trim().replace([',', '_'], "");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let value: f64 = text[..digits].parse().ok()?;
    let thousand = if matches!(axis, "context" | "input_len" | "size") { 1024.0 } else { 1000.0 };
    match text[digits..].trim() {
        "k" | "K" => Some(value * thousand),
        "M" => Some(value * thousand * thousand),
        rest if rest.is_empty()
            || rest.starts_with(|c: char| c == '×' || c == 'x' || c.is_alphabetic() && rest.len() > 2) =>
        {
            Some(value)
        }
        _ => None,
    }
}

fn figure(analysis: &Analysis, group: &[&Series]) -> Option<Figure> {
    let unit = &group[0].unit;
    let over = |axis: &str| -> BTreeSet<u64> {
        let xs = group.iter().filter_map(|s| x_value(axis, s.params.get(axis)?));
        xs.filter(|x| *x > 0.0).map(f64::to_bits).collect()
    };
    let axis = AXES.iter().find(|a| over(a).len() >= 3)?;
    let lines = lines(analysis, group, axis);
    let drawn: Vec<&Line> = lines.iter().filter(|l| l.points.len() >= 2).take(SERIES.len()).collect();
    if !drawn.iter().any(|l| l.points.len() >= 3) {
        return None;
    }
    let limits = limits(analysis, &drawn);
    let first = group[0];
    let name = words::metric_of(&first.metric, first.statistic.as_deref(), first.scope.as_deref());
    let title = format!("{} over {}", capital(&name), axis.replace('_', " "));
    let description = describe(analysis, &drawn, &limits, unit, axis);
    let svg = plot(analysis, &drawn, &limits, (unit, axis), &title);
    let (id, svg) = svg.finish("curve", &first.metric, SIZE, &title, &description);
    let header = [axis.replace('_', " "), "series".to_owned(), format!("value ({unit})"), "limit".to_owned()];
    let rows = drawn.iter().flat_map(|l| l.points.iter().map(|p| row(analysis, l, p, unit))).collect();
    Some(Figure {
        id,
        title,
        description,
        metric: first.metric.clone(),
        svg,
        header: header.into(),
        rows,
        ..Figure::default()
    })
}

fn lines(analysis: &Analysis, group: &[&Series], axis: &str) -> Vec<Line> {
    let bench = &analysis.facts.bench;
    let mut lines: Vec<Line> = Vec::new();
    for s in group {
        let Some(x) = s.params.get(axis).and_then(|v| x_value(axis, v)).filter(|x| *x > 0.0) else { continue };
        let mut others = s.params.clone();
        others.remove(axis);
        for &(measurement, y) in &s.points {
            let m = &bench.measurements[measurement as usize];
            let phase = m.phase.as_deref().map(|p| format!("{p} ")).unwrap_or_default();
            let head = if others.is_empty() { String::new() } else { words::conditions(&others) + " " };
            // Points of one message are joined, never those of two runs; a figure that a table repeats stands in both.
            let again = m.conditions.as_ref().map(|(msg, _)| *msg).filter(|msg| *msg != m.msg);
            for msg in std::iter::once(m.msg).chain(again) {
                let name = format!("{head}{phase}{}", analysis.session.message(msg).label.cite());
                let point = Point { x, y, measurement };
                match lines.iter_mut().find(|l| l.name == name) {
                    Some(line) => line.points.push(point),
                    None => lines.push(Line { name, points: vec![point] }),
                }
            }
        }
    }
    lines.iter_mut().for_each(|l| l.points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.measurement.cmp(&b.measurement))));
    lines
}

/// The limits of the points: limit and its value in the unit of the chart, with the x it holds for.
fn limits<'a>(analysis: &'a Analysis, lines: &[&Line]) -> Vec<(&'a Limit, Vec<(f64, f64)>)> {
    let bench = &analysis.facts.bench;
    let mut out: Vec<(&Limit, Vec<(f64, f64)>)> = Vec::new();
    for point in lines.iter().flat_map(|l| &l.points) {
        for e in bench.efficiencies.iter().filter(|e| e.measurement == point.measurement) {
            let limit = &bench.limits[e.limit as usize];
            match out.iter_mut().find(|(l, _)| l.id == limit.id) {
                Some((_, xs)) => xs.push((point.x, e.limit_in_unit)),
                None => out.push((limit, vec![(point.x, e.limit_in_unit)])),
            }
        }
    }
    out.iter_mut().for_each(|(_, xs)| xs.sort_by(|a, b| a.0.total_cmp(&b.0)));
    out
}

fn describe(
    analysis: &Analysis,
    lines: &[&Line],
    limits: &[(&Limit, Vec<(f64, f64)>)],
    unit: &str,
    axis: &str,
) -> String {
    let axis = axis.replace('_', " ");
    let longest = lines.iter().max_by_key(|l| l.points.len()).map(|l| &l.points[..]).unwrap_or_default();
    let mut text = match (longest.first(), longest.last()) {
        (Some(a), Some(b)) => format!(
            "{} at {axis} {}, {} at {axis} {}",
            words::value(a.y, unit),
            number(a.x),
            words::value(b.y, unit),
            number(b.x)
        ),
        _ => String::new(),
    };
    match limits {
        [] => text.push_str("; no limit is known for this metric."),
        list => {
            let named = |(l, _): &(&Limit, Vec<(f64, f64)>)| {
                format!("{} ({})", words::value(l.value, &l.unit), words::source(analysis, l))
            };
            text.push_str(&format!("; limit {}.", list.iter().map(named).collect::<Vec<_>>().join(", ")));
        }
    }
    text
}

fn plot(
    analysis: &Analysis,
    lines: &[&Line],
    limits: &[(&Limit, Vec<(f64, f64)>)],
    (unit, axis): (&str, &str),
    title: &str,
) -> Svg {
    let (left, top, right, bottom) = PLOT;
    let points = || lines.iter().flat_map(|l| &l.points);
    let bounds = limits.iter().flat_map(|(_, xs)| xs.iter().map(|p| p.1));
    let ys: Vec<f64> = points().map(|p| p.y).chain(bounds).collect();
    let (min_y, max_y) = extent(ys.iter().copied());
    let (min_x, max_x) = extent(points().map(|p| p.x));
    let x = if max_x / min_x >= 8.0 {
        Scale::log(Kind::Log2, min_x, max_x, (left, right))
    } else {
        Scale::between(min_x, max_x, (left, right))
    };
    let log = min_y > 0.0 && max_y / min_y > 30.0;
    let y =
        if log { Scale::log(Kind::Log10, min_y, max_y, (bottom, top)) } else { Scale::from_zero(max_y, (bottom, top)) };
    let mut svg = Svg::default();
    svg.text((16.0, 26.0), Anchor::Start, TEXT, 16.0, &svg::shorten(title, 16.0, SIZE.0 - 32.0));
    let missing = if limits.is_empty() { "; no limit is known for this metric" } else { "" };
    let note =
        format!("{unit}{}; filled: printed by a tool, hollow: stated{missing}", if log { ", logarithmic" } else { "" });
    svg.text((16.0, 46.0), Anchor::Start, SOFT, 12.0, &note);
    for tick in y.ticks() {
        svg.line((left, y.at(tick)), (right, y.at(tick)), GRID, 1.0, "");
        svg.text((left - 8.0, y.at(tick) + 4.0), Anchor::End, SOFT, 11.0, &axis::number(tick));
    }
    let mut seen = f64::NEG_INFINITY;
    for tick in x.ticks() {
        if x.at(tick) - seen > 34.0 {
            svg.line((x.at(tick), bottom), (x.at(tick), bottom + 5.0), GRID, 1.0, "");
            svg.text((x.at(tick), bottom + 19.0), Anchor::Middle, SOFT, 11.0, &axis::number(tick));
            seen = x.at(tick);
        }
    }
    svg.text(((left + right) / 2.0, bottom + 40.0), Anchor::Middle, SOFT, 12.0, &axis.replace('_', " "));
    svg.text_up((20.0, (top + bottom) / 2.0), SOFT, 12.0, unit);
    for (limit, xs) in limits {
        limit_line(&mut svg, analysis, limit, xs, &x, &y);
    }
    let mut ends = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let ink = SERIES[i];
        let path: Vec<(f64, f64)> = line.points.iter().map(|p| (x.at(p.x), y.at(p.y))).collect();
        svg.path(&path, ink, 2.0, DASHES[i]);
        for (p, at) in line.points.iter().zip(&path) {
            let m = &analysis.facts.bench.measurements[p.measurement as usize];
            svg.mark(*at, i, ink, m.evidence == FigureEvidence::Claimed);
        }
        ends.extend(path.last().map(|p| (p.1, ink, line.name.as_str())));
    }
    end_labels(&mut svg, ends, right + 14.0);
    svg
}

pub(super) const DASHES: [&str; 6] = ["", "8 3", "2 3", "8 3 2 3", "4 4", "1 3"];

/// A limit as a dashed line, its label on the line.
fn limit_line(svg: &mut Svg, analysis: &Analysis, limit: &Limit, xs: &[(f64, f64)], x: &Scale, y: &Scale) {
    let (left, _, right, _) = PLOT;
    let constant = xs.windows(2).all(|w| w[0].1 == w[1].1);
    let Some(&value_at) = xs.first() else { return };
    let value = value_at.1;
    // A limit that holds at one load only must not seem to hold at all of them.
    let only_here = !limit.applies_when.is_empty() && xs.iter().all(|p| p.0 == value_at.0);
    let path: Vec<(f64, f64)> = match (constant, only_here) {
        (true, true) => {
            let middle = x.at(xs[0].0);
            vec![((middle - 26.0).max(left), y.at(value)), ((middle + 26.0).min(right), y.at(value))]
        }
        (true, false) => vec![(left, y.at(value)), (right, y.at(value))],
        (false, _) => xs.iter().map(|p| (x.at(p.0), y.at(p.1))).collect(),
    };
    svg.path(&path, LIMIT, 2.0, "6 4");
    let text = format!("limit {} ({})", words::value(limit.value, &limit.unit), words::source(analysis, limit));
    let at = if only_here { path[0] } else { (left + 8.0, path[0].1) };
    svg.text((at.0, at.1 - 6.0), Anchor::Start, LIMIT, 12.0, &svg::shorten(&text, 12.0, right - at.0));
}

/// Names at the ends of the lines, moved apart where they would overlap.
pub(super) fn end_labels(svg: &mut Svg, mut ends: Vec<(f64, Ink, &str)>, x: f64) {
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free = PLOT.1 - 10.0;
    for (y, ink, name) in ends {
        let lines = svg::wrap(name, 12.0, SIZE.0 - x - 6.0, 3);
        let start = y.max(free + 6.0);
        for (i, line) in lines.iter().enumerate() {
            svg.text((x, start + 4.0 + 14.0 * i as f64), Anchor::Start, ink, 12.0, line);
        }
        free = start + 14.0 * lines.len() as f64;
    }
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)))
}

fn row(analysis: &Analysis, line: &Line, point: &Point, unit: &str) -> FigureRow {
    let bench = &analysis.facts.bench;
    let m = &bench.measurements[point.measurement as usize];
    let limit = bench.efficiencies.iter().find(|e| e.measurement == point.measurement);
    let limit = limit.map_or_else(|| "not known".to_owned(), |e| words::value(e.limit_in_unit, unit));
    FigureRow {
        cells: vec![number(point.x), line.name.clone(), number(point.y), limit],
        msgs: vec![words::label(analysis, m)],
    }
}
