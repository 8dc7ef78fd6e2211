//! What was measured where no limit is known: the figures of a metric as they came, with the missing limit named.

use super::axis::{self, Scale};
use super::efficiency::capital;
use super::svg::{self, Anchor, GRID, MEASURED, SOFT, Svg, TEXT};
use super::{Board, Chart, Figure, FigureRow, words};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::bench::series::Series;
use crate::extract::bench::{FigureEvidence, Measurement};

/// The chart.
pub(super) const CHART: Chart = Chart { id: "measured", section: "bench", draw };

const WIDTH: f64 = 900.0;
const ROW: f64 = 30.0;
const TOP: f64 = 64.0;
const LEFT: f64 = 300.0;
const RIGHT: f64 = 740.0;
/// Bars in one picture; the table below it has them all.
const BARS: usize = 24;

struct Bar<'a> {
    m: &'a Measurement,
    value: f64,
    label: String,
}

fn draw(board: &Board<'_>) -> Result<Vec<Figure>, Error> {
    let analysis = board.analysis;
    let bench = &analysis.facts.bench;
    let limited =
        |metric: &str| bench.efficiencies.iter().any(|e| bench.measurements[e.measurement as usize].metric == metric);
    let told = |s: &Series| super::dumbbell::is_pair(analysis, s) || super::timeline::is_followed(analysis, s);
    let left = |s: &&Series| !limited(&s.metric) && !board.has_curve(&s.metric) && !told(s);
    let groups = board.quantities.iter().map(|g| g.iter().copied().filter(left).collect::<Vec<&Series>>());
    let drawn = groups.filter(|g| g.iter().map(|s| s.points.len()).sum::<usize>() >= 2);
    Ok(drawn.map(|g| figure(analysis, &g)).collect())
}

fn figure(analysis: &Analysis, group: &[&Series]) -> Figure {
    let (first, unit) = (group[0], group[0].unit.as_str());
    let mut bars: Vec<(u32, Bar<'_>)> = group
        .iter()
        .flat_map(|s| s.points.iter())
        .map(|&(i, value)| {
            let m = &analysis.facts.bench.measurements[i as usize];
            (i, Bar { m, value, label: label(analysis, m) })
        })
        .collect();
    bars.sort_by_key(|(i, _)| *i);
    let bars: Vec<Bar<'_>> = bars.into_iter().map(|(_, b)| b).collect();
    let name = words::metric_of(&first.metric, first.statistic.as_deref(), first.scope.as_deref());
    let title = format!("{}: measured, no limit known", capital(&name));
    let values = || bars.iter().map(|b| b.value);
    let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let mut description = format!(
        "{} to {} in {} figures; no limit is known for this metric.",
        words::value(low, unit),
        words::value(high, unit),
        bars.len()
    );
    if bars.len() > BARS {
        description = format!("{description} The first {BARS} are drawn.");
    }
    let shown = &bars[..bars.len().min(BARS)];
    let height = TOP + ROW * shown.len() as f64 + 56.0;
    let svg = plot(shown, unit, &title, height);
    let (id, svg) = svg.finish("measured", &first.metric, (WIDTH, height), &title, &description);
    let rows = bars.iter().map(|b| FigureRow {
        cells: vec![conditions(b.m), words::value(b.value, unit)],
        msgs: vec![words::label(analysis, b.m)],
    });
    let header = ["conditions", "measured"].map(str::to_owned).into();
    Figure {
        id,
        title,
        description,
        metric: first.metric.clone(),
        svg,
        header,
        rows: rows.collect(),
        ..Figure::default()
    }
}

fn plot(bars: &[Bar<'_>], unit: &str, title: &str, height: f64) -> Svg {
    let mut svg = Svg::default();
    svg.text((16.0, 26.0), Anchor::Start, TEXT, 16.0, &svg::shorten(title, 16.0, WIDTH - 32.0));
    let (low, high) = bars.iter().fold((f64::INFINITY, 0.0f64), |(l, h), b| (l.min(b.value), h.max(b.value)));
    let log = low > 0.0 && high / low > 100.0;
    // Bars must start at zero, so a logarithmic axis has dots.
    let scale = if log {
        Scale::log(axis::Kind::Log10, low, high, (LEFT, RIGHT))
    } else {
        Scale::with_zero(low, high, (LEFT, RIGHT))
    };
    let note = if log { ", logarithmic axis" } else { "" };
    svg.text((16.0, 46.0), Anchor::Start, SOFT, 12.0, &format!("{unit}{note}; hollow: stated, not printed by a tool"));
    let bottom = height - 48.0;
    axis::below(&mut svg, &scale, (TOP - 6.0, bottom), unit);
    for (i, bar) in bars.iter().enumerate() {
        let y = TOP + ROW * i as f64 + ROW / 2.0;
        let end = scale.at(bar.value);
        let zero = if log { LEFT } else { scale.at(0.0) };
        let claimed = bar.m.evidence == FigureEvidence::Claimed;
        if log {
            svg.line((LEFT, y), (end, y), GRID, 1.0, "");
        } else {
            svg.rect(zero.min(end), y - 8.0, (end - zero).abs().max(1.5), 16.0, MEASURED);
        }
        if log || claimed {
            svg.mark((end, y), 0, MEASURED, claimed);
        }
        svg.lines((LEFT - 10.0, y), Anchor::End, TEXT, 12.0, &svg::wrap(&bar.label, 12.0, LEFT - 30.0, 2));
        svg.text((RIGHT + 30.0, y + 4.0), Anchor::Start, TEXT, 12.0, &words::value(bar.value, unit));
    }
    svg
}

fn conditions(m: &Measurement) -> String {
    let mut parts = vec![words::conditions(&m.params)];
    parts.extend(m.phase.clone());
    parts.retain(|p| !p.is_empty());
    parts.join(", ")
}

fn label(analysis: &Analysis, m: &Measurement) -> String {
    format!("[msg {}] {}", words::label(analysis, m), conditions(m)).trim().to_owned()
}
