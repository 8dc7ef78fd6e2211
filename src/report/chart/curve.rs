//! Does it scale: a metric over one condition that was varied, with its limit where one is known.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::axis::{self, Kind, Scale, extent};
use super::efficiency::capital;
use super::phrases::Phrases;
use super::svg::{self, Anchor, BASELINE, GRID, Ink, LIMIT, SERIES, SOFT, Svg};
use super::{Board, Chart, Figure, FigureRow, panel, words};
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

/// Axes along which a rate would grow in proportion if nothing stood in its way.
const PROPORTIONAL: &[&str] = &["concurrency", "batch", "threads", "connections", "gpus", "tp", "iodepth"];

/// One line: the other conditions it holds under, and its points by x.
pub(super) struct Line {
    name: String,
    pub(super) points: Vec<Point>,
}

pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) measurement: u32,
    spread: Option<(f64, f64)>,
}

fn draw(board: &Board<'_>) -> Result<Vec<Figure>, Error> {
    Ok(board.curves.clone())
}

/// The curves of every quantity that was measured at three places of an axis or more.
pub(super) fn figures(board: &Board<'_>) -> Result<Vec<Figure>, Error> {
    board.quantities.iter().filter_map(|group| figure(board, group).transpose()).collect()
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

fn figure(board: &Board<'_>, group: &[&Series]) -> Result<Option<Figure>, Error> {
    let analysis = board.analysis;
    let over = |axis: &str| -> BTreeSet<u64> {
        let xs = group.iter().filter_map(|s| x_value(axis, s.params.get(axis)?));
        xs.filter(|x| *x > 0.0).map(f64::to_bits).collect()
    };
    let Some(axis) = AXES.iter().find(|a| over(a).len() >= 3) else { return Ok(None) };
    let lines = lines(analysis, group, axis);
    let fit: Vec<&Line> = lines.iter().filter(|l| l.points.len() >= 2).collect();
    let drawn = &fit[..fit.len().min(SERIES.len())];
    if !drawn.iter().any(|l| l.points.len() >= 3) {
        return Ok(None);
    }
    let limits = limits(analysis, drawn);
    let first = group[0];
    let scales = Scales::of(drawn, &limits);
    let ideal = ideal(first, axis, drawn);
    let shares = panel::shares(analysis, drawn);
    let mut view = view(analysis, drawn, &limits, &first.unit);
    let more = json!({
        "name": capital(&words::metric_of(&first.metric, first.statistic.as_deref(), first.scope.as_deref())),
        "axis": axis.replace('_', " "), "unit": first.unit, "log": scales.y.is_log(), "ideal": ideal.is_some(),
        "shares": shares.is_some(),
        "lines": lines.len(), "drawn": drawn.len(),
    });
    if let (Some(view), Value::Object(more)) = (view.as_object_mut(), more) {
        view.extend(more);
    }
    let phrases = Phrases::of(board.engine, "curve", view)?;
    let mut svg = Svg::headed(phrases.get("title"), phrases.get("note"), SIZE.0);
    scales.axes(&mut svg, &first.unit, phrases.get("x"));
    if let Some(from) = ideal {
        scales.ideal(&mut svg, from, phrases.get("ideal"));
    }
    for (i, (limit, xs)) in limits.iter().enumerate() {
        scales.limit(&mut svg, limit, xs, phrases.nth("limit", i));
    }
    scales.lines(&mut svg, analysis, drawn);
    let mut size = SIZE;
    if let Some(shares) = &shares {
        size.1 += panel::draw(&mut svg, &scales.x, shares, SIZE.1, &phrases);
    }
    let cells = |l: &Line, p: &Point| {
        let mut row = row(analysis, l, p, &first.unit, &phrases);
        let share = analysis.facts.bench.efficiency_of(p.measurement).map(|e| axis::percent(e.efficiency));
        row.cells.extend(shares.as_ref().map(|_| share.unwrap_or_default()));
        row
    };
    let rows = lines.iter().flat_map(|l| l.points.iter().map(|p| cells(l, p))).collect();
    Ok(Some(Figure::new(svg, &phrases, ("curve", &first.metric), size, rows)))
}

/// The point from which a rate would grow in proportion: the first of the longest line. A rate for each of several
/// users or devices is not expected to grow.
fn ideal(first: &Series, axis: &str, lines: &[&Line]) -> Option<(f64, f64)> {
    let grows = first.higher_is_better && PROPORTIONAL.contains(&axis) && words::is_rate(&first.metric);
    let whole = first.scope.as_deref().is_none_or(|s| s == "total");
    let longest = lines.iter().rev().max_by_key(|l| l.points.len())?;
    longest.points.first().filter(|_| grows && whole).map(|p| (p.x, p.y))
}

fn lines(analysis: &Analysis, group: &[&Series], axis: &str) -> Vec<Line> {
    let bench = &analysis.facts.bench;
    let mut lines: Vec<Line> = Vec::new();
    for s in group {
        let Some(x) = s.params.get(axis).and_then(|v| x_value(axis, v)).filter(|x| *x > 0.0) else { continue };
        for &(measurement, y) in &s.points {
            let m = &bench.measurements[measurement as usize];
            let head = head(s, axis, m.phase.as_deref());
            // Points of one message are joined, never those of two runs; a figure that a table repeats stands in both.
            let again = m.conditions.as_ref().map(|(msg, _)| *msg).filter(|msg| *msg != m.msg);
            for msg in std::iter::once(m.msg).chain(again) {
                let name = format!("{head}{}", analysis.session.message(msg).label.cite());
                let point = Point { x, y, measurement, spread: m.spread(y) };
                match lines.iter_mut().find(|l| l.name == name) {
                    Some(line) => line.points.push(point),
                    None => lines.push(Line { name, points: vec![point] }),
                }
            }
        }
    }
    restated(analysis, group, axis, &mut lines);
    lines.iter_mut().for_each(|l| l.points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.measurement.cmp(&b.measurement))));
    without_repeats(lines)
}

/// Of lines through the same measurements the longest is kept, of equal ones the first.
fn without_repeats(lines: Vec<Line>) -> Vec<Line> {
    let all: Vec<BTreeSet<u32>> = lines.iter().map(|l| l.points.iter().map(|p| p.measurement).collect()).collect();
    let repeats = |i: usize| {
        let larger = |j: usize| all[j].len() > all[i].len() || all[j].len() == all[i].len() && j < i;
        (0..all.len()).any(|j| j != i && larger(j) && all[j].is_superset(&all[i]))
    };
    let keep: Vec<bool> = (0..all.len()).map(|i| !repeats(i)).collect();
    lines.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(line, _)| line).collect()
}

/// A sweep that states an earlier figure again has a point there, too.
fn restated(analysis: &Analysis, group: &[&Series], axis: &str, lines: &mut [Line]) {
    let bench = &analysis.facts.bench;
    for s in group {
        let Some(x) = s.params.get(axis).and_then(|v| x_value(axis, v)).filter(|x| *x > 0.0) else { continue };
        for &(measurement, y) in &s.points {
            let m = &bench.measurements[measurement as usize];
            let head = head(s, axis, m.phase.as_deref());
            for msg in m.citations.iter().map(|c| c.msg).filter(|msg| *msg != m.msg) {
                let name = format!("{head}{}", analysis.session.message(msg).label.cite());
                let line = lines.iter_mut().find(|l| l.name == name && !l.points.iter().any(|p| p.x == x));
                line.into_iter().for_each(|l| l.points.push(Point { x, y, measurement, spread: m.spread(y) }));
            }
        }
    }
}

/// The conditions of a line apart from the axis, and its phase.
fn head(s: &Series, axis: &str, phase: Option<&str>) -> String {
    let mut others = s.params.clone();
    others.remove(axis);
    let phase = phase.map(|p| format!("{p} ")).unwrap_or_default();
    let conditions = words::conditions(&others);
    if conditions.is_empty() { phase } else { format!("{conditions} {phase}") }
}

/// The limits of the points: limit and its value in the unit of the chart, with the x it holds for.
fn limits<'a>(analysis: &'a Analysis, lines: &[&Line]) -> Vec<(&'a Limit, Vec<(f64, f64)>)> {
    let bench = &analysis.facts.bench;
    let mut out: Vec<(&Limit, Vec<(f64, f64)>)> = Vec::new();
    // A formula that is worked out for each load is one limit that moves: `decode[batch=2]` and `decode[batch=4]`.
    let family = |l: &Limit| l.id.split('[').next().unwrap_or_default().to_owned();
    for point in lines.iter().flat_map(|l| &l.points) {
        for e in bench.efficiencies.iter().filter(|e| e.measurement == point.measurement) {
            let limit = &bench.limits[e.limit as usize];
            match out.iter_mut().find(|(l, _)| family(l) == family(limit)) {
                Some((_, xs)) => xs.push((point.x, e.limit_in_unit)),
                None => out.push((limit, vec![(point.x, e.limit_in_unit)])),
            }
        }
    }
    for (_, xs) in &mut out {
        xs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        xs.dedup();
    }
    out
}

/// The ends of the longest line, and the limits, for the template.
fn view(analysis: &Analysis, lines: &[&Line], limits: &[(&Limit, Vec<(f64, f64)>)], unit: &str) -> Value {
    let longest = lines.iter().rev().max_by_key(|l| l.points.len()).map(|l| &l.points[..]).unwrap_or_default();
    let end = |p: &Point| json!({ "value": words::value(p.y, unit), "x": number(p.x) });
    let limit = |(l, xs): &(&Limit, Vec<(f64, f64)>)| {
        let moves = xs.first().zip(xs.last()).filter(|(a, b)| a.1 != b.1);
        let source = words::source(analysis, l);
        json!({
            "value": moves.map_or_else(|| words::limit(l), |(a, _)| words::value(a.1, unit)),
            "to": moves.map(|(_, b)| words::value(b.1, unit)),
            "source": if moves.is_some() { source.split('[').next().unwrap_or_default() } else { &source },
        })
    };
    json!({
        "first": longest.first().map(end), "last": longest.last().map(end),
        "limits": limits.iter().map(limit).collect::<Vec<_>>(),
        "spread": lines.iter().flat_map(|l| &l.points).any(|p| p.spread.is_some()),
    })
}

/// Where values lie in the picture.
struct Scales {
    x: Scale,
    y: Scale,
}

impl Scales {
    fn of(lines: &[&Line], limits: &[(&Limit, Vec<(f64, f64)>)]) -> Self {
        let (left, top, right, bottom) = PLOT;
        let points = || lines.iter().flat_map(|l| &l.points);
        let ends = points().filter_map(|p| p.spread).flat_map(|(l, h)| [l, h]);
        let bounds = limits.iter().flat_map(|(_, xs)| xs.iter().map(|p| p.1));
        let (min_y, max_y) = extent(points().map(|p| p.y).chain(bounds).chain(ends));
        let (min_x, max_x) = extent(points().map(|p| p.x));
        let x = if max_x / min_x >= 8.0 {
            Scale::log(Kind::Log2, min_x, max_x, (left, right))
        } else {
            Scale::between(min_x, max_x, (left, right))
        };
        let y = if min_y > 0.0 && max_y / min_y > 30.0 {
            Scale::log(Kind::Log10, min_y, max_y, (bottom, top))
        } else {
            Scale::with_zero(min_y, max_y, (bottom, top))
        };
        Self { x, y }
    }

    fn axes(&self, svg: &mut Svg, unit: &str, name: &str) {
        let (left, top, right, bottom) = PLOT;
        for tick in self.y.ticks() {
            let y = self.y.at(tick);
            svg.line((left, y), (right, y), GRID, 1.0, "");
            svg.text((left - 8.0, y + 4.0), Anchor::End, SOFT, 11.0, &axis::number(tick));
        }
        for (x, text) in axis::spaced(&self.x) {
            svg.line((x, bottom), (x, bottom + 5.0), GRID, 1.0, "");
            svg.text((x, bottom + 19.0), Anchor::Middle, SOFT, 11.0, &text);
        }
        svg.text(((left + right) / 2.0, bottom + 40.0), Anchor::Middle, SOFT, 12.0, name);
        svg.text_up((20.0, (top + bottom) / 2.0), SOFT, 12.0, unit);
    }

    /// What would be if the first point grew in proportion; it leaves the picture at the top.
    fn ideal(&self, svg: &mut Svg, (x, y): (f64, f64), text: &str) {
        let (_, top, right, _) = PLOT;
        let start = self.x.at(x);
        let at = |px: f64| (px, self.y.at(y * self.x.value(px) / x));
        let steps = (0..=48).map(|i| at(start + (right - start) * f64::from(i) / 48.0));
        let path: Vec<(f64, f64)> = steps.take_while(|p| p.1 >= top).collect();
        let Some(&end) = path.last().filter(|_| path.len() > 1) else { return };
        svg.path(&path, BASELINE, 1.5, "2 4");
        let room = right - end.0;
        let anchor = if room > svg::width(text, 11.0) + 10.0 { Anchor::Start } else { Anchor::End };
        let x = end.0 + if anchor == Anchor::Start { 8.0 } else { -8.0 };
        svg.label(&[(x, end.1 + 10.0), (x, end.1 - 4.0)], anchor, SOFT, 11.0, text);
    }

    /// A limit as a dashed line, its label on the line.
    fn limit(&self, svg: &mut Svg, limit: &Limit, xs: &[(f64, f64)], text: &str) {
        let (left, _, right, _) = PLOT;
        let constant = xs.windows(2).all(|w| w[0].1 == w[1].1);
        let Some(&value_at) = xs.first() else { return };
        let y = self.y.at(value_at.1);
        // A limit that holds at one load only must not seem to hold at all of them.
        let only_here = !limit.applies_when.is_empty() && xs.iter().all(|p| p.0 == value_at.0);
        let path: Vec<(f64, f64)> = match (constant, only_here) {
            (true, true) => {
                let middle = self.x.at(value_at.0);
                vec![((middle - 26.0).max(left), y), ((middle + 26.0).min(right), y)]
            }
            (true, false) => vec![(left, y), (right, y)],
            (false, _) => xs.iter().map(|p| (self.x.at(p.0), self.y.at(p.1))).collect(),
        };
        svg.path(&path, LIMIT, 2.0, "6 4");
        let text = svg::shorten(text, 12.0, right - left - 16.0);
        let latest = right - svg::width(&text, 12.0);
        let (x, y) = (if only_here { path[0].0 } else { left + 8.0 }.min(latest), path[0].1);
        // Beside a limit that rises there is room to its left.
        let beside = |p: &(f64, f64)| ((p.0 - svg::width(&text, 12.0) - 8.0).max(left + 4.0), p.1 - 6.0);
        let places: Vec<(f64, f64)> = if constant {
            // Where it holds at one load only the label stays with it.
            let away = if only_here { (path[1].0 + 6.0).min(latest) } else { latest };
            let dy = if only_here { 4.0 } else { -6.0 };
            vec![(x, y - 6.0), (x, y + 15.0), (away, y + dy), (x, y - 20.0)]
        } else {
            path.iter().rev().skip(path.len() / 2).chain(path.last()).map(beside).collect()
        };
        svg.label(&places, Anchor::Start, LIMIT, 12.0, &text);
    }

    fn lines(&self, svg: &mut Svg, analysis: &Analysis, lines: &[&Line]) {
        let mut ends = Vec::new();
        for (i, line) in lines.iter().enumerate() {
            let ink = SERIES[i];
            let path: Vec<(f64, f64)> = line.points.iter().map(|p| (self.x.at(p.x), self.y.at(p.y))).collect();
            svg.path(&path, ink, 2.0, DASHES[i]);
            for (p, at) in line.points.iter().zip(&path) {
                if let Some((low, high)) = p.spread {
                    svg.whisker((at.0, self.y.at(low)), (at.0, self.y.at(high)), ink);
                }
                let m = &analysis.facts.bench.measurements[p.measurement as usize];
                svg.mark(*at, i, ink, m.evidence == FigureEvidence::Claimed);
            }
            ends.extend(path.last().map(|p| (p.1, ink, line.name.as_str())));
        }
        end_labels(svg, ends, PLOT.2 + 14.0);
    }
}

pub(super) const DASHES: [&str; 6] = ["", "8 3", "2 3", "8 3 2 3", "4 4", "1 3"];

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

fn row(analysis: &Analysis, line: &Line, point: &Point, unit: &str, phrases: &Phrases) -> FigureRow {
    let bench = &analysis.facts.bench;
    let m = &bench.measurements[point.measurement as usize];
    let limit = bench.efficiency_of(point.measurement);
    let limit = limit.map_or_else(|| phrases.get("unlimited").to_owned(), |e| words::value(e.limit_in_unit, unit));
    FigureRow {
        cells: vec![number(point.x), line.name.clone(), number(point.y), limit],
        msgs: vec![words::label(analysis, m)],
    }
}

#[cfg(test)]
mod tests {
    use crate::session::build::SessionBuilder;

    #[test]
    fn a_sweep_keeps_the_points_that_it_states_again() {
        let table = |rows: &str| format!("| concurrency | output tok/s |\n|---|---|\n{rows}");
        let first = table("| 1 | 41.5 |\n| 2 | 80.25 |\n| 4 | 150.5 |\n");
        let again = table("| 1 | 41.5 |\n| 2 | 90.75 |\n| 4 | 180.5 |\n");
        let session = SessionBuilder::new().user("go").assistant(&first).assistant(&again).build();
        let figures = super::super::figures_of("curve", session);
        let rows: Vec<(&str, &str)> =
            figures[0].rows.iter().map(|r| (r.cells[0].as_str(), r.cells[1].as_str())).collect();
        assert_eq!(rows.len(), 6, "{rows:?}");
        assert_eq!(rows[3], ("1", "[msg 3]"));
    }
}
