//! What was measured where no limit is known: the figures of a metric as they came, with the missing limit named.

use serde_json::json;

use super::axis::{self, Scale, extent};
use super::efficiency::capital;
use super::phrases::Phrases;
use super::svg::{self, Anchor, GRID, MEASURED, Svg, TEXT};
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

impl Bar<'_> {
    fn spread(&self) -> Option<(f64, f64)> {
        self.m.spread(self.value)
    }
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
    drawn.map(|g| figure(board, &g)).collect()
}

fn figure(board: &Board<'_>, group: &[&Series]) -> Result<Figure, Error> {
    let analysis = board.analysis;
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
    let shown = &bars[..bars.len().min(BARS)];
    let (low, high) = extent(bars.iter().map(|b| b.value));
    let scale = scale(shown);
    let view = json!({
        "name": capital(&words::metric_of(&first.metric, first.statistic.as_deref(), first.scope.as_deref())),
        "unit": unit, "log": scale.is_log(), "spread": shown.iter().any(|b| b.spread().is_some()),
        "low": words::value(low, unit), "high": words::value(high, unit),
        "count": bars.len(), "drawn": shown.len(),
    });
    let phrases = Phrases::of(board.engine, "measured", view)?;
    let height = TOP + ROW * shown.len() as f64 + 56.0;
    let svg = plot(shown, unit, &scale, &phrases, height);
    let rows = bars.iter().map(|b| FigureRow {
        cells: vec![conditions(b.m), words::value(b.value, unit)],
        msgs: vec![words::label(analysis, b.m)],
    });
    Ok(Figure::new(svg, &phrases, ("measured", &first.metric), (WIDTH, height), rows.collect()))
}

/// Bars must start at zero, so a logarithmic axis has dots.
fn scale(bars: &[Bar<'_>]) -> Scale {
    let ends = bars.iter().filter_map(Bar::spread).flat_map(|(l, h)| [l, h]);
    let (low, high) = extent(bars.iter().map(|b| b.value).chain(ends));
    if low > 0.0 && high / low > 100.0 {
        Scale::log(axis::Kind::Log10, low, high, (LEFT, RIGHT))
    } else {
        Scale::with_zero(low, high, (LEFT, RIGHT))
    }
}

fn plot(bars: &[Bar<'_>], unit: &str, scale: &Scale, phrases: &Phrases, height: f64) -> Svg {
    let mut svg = Svg::headed(phrases.get("title"), phrases.get("note"), WIDTH);
    axis::below(&mut svg, scale, (TOP - 6.0, height - 48.0), unit);
    for (i, bar) in bars.iter().enumerate() {
        let y = TOP + ROW * i as f64 + ROW / 2.0;
        let end = scale.at(bar.value);
        let claimed = bar.m.evidence == FigureEvidence::Claimed;
        if scale.is_log() {
            svg.line((LEFT, y), (end, y), GRID, 1.0, "");
        } else {
            let zero = scale.at(0.0);
            svg.rect(zero.min(end), y - 8.0, (end - zero).abs().max(1.5), 16.0, MEASURED);
        }
        if let Some((low, high)) = bar.spread() {
            svg.whisker((scale.at(low), y), (scale.at(high), y), TEXT);
        }
        if scale.is_log() || claimed {
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
