//! How close to the limit: one bar for each measurement that has one, against the line at 100 %.

use std::collections::BTreeMap;

use serde_json::json;

use super::axis::{self, Scale};
use super::phrases::Phrases;
use super::svg::{self, Anchor, FLAGGED, GRID, LIMIT, MEASURED, SOFT, Svg, TEXT};
use super::{Board, Chart, Figure, FigureRow, words};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::bench::{Efficiency, Measurement};

/// The chart.
pub(super) const CHART: Chart = Chart { id: "efficiency", section: "bench", draw };

const WIDTH: f64 = 900.0;
const ROW: f64 = 34.0;
const TOP: f64 = 78.0;
const LEFT: f64 = 270.0;
const RIGHT: f64 = 660.0;
/// Bars in one picture; the table below it has them all.
const BARS: usize = 20;

fn draw(board: &Board<'_>) -> Result<Vec<Figure>, Error> {
    let analysis = board.analysis;
    let mut by_metric: BTreeMap<(&str, Option<&str>), Vec<&Efficiency>> = BTreeMap::new();
    for e in &analysis.facts.bench.efficiencies {
        let (m, _) = words::both(analysis, e);
        by_metric.entry((&m.metric, m.scope.as_deref().filter(|s| *s != "total"))).or_default().push(e);
    }
    by_metric.into_iter().map(|((metric, scope), list)| figure(board, metric, scope, list)).collect()
}

fn figure(board: &Board<'_>, metric: &str, scope: Option<&str>, mut list: Vec<&Efficiency>) -> Result<Figure, Error> {
    let analysis = board.analysis;
    list.sort_by(|a, b| b.efficiency.total_cmp(&a.efficiency).then(a.measurement.cmp(&b.measurement)));
    let name = words::metric_of(metric, None, scope);
    let (best, worst) = (list[0], list[list.len() - 1]);
    let told = |e: &Efficiency| {
        let (m, l) = words::both(analysis, e);
        let measured = words::value(m.value.unwrap_or_default(), m.unit.as_deref().unwrap_or_default());
        let limit = words::limit(l);
        json!({
            "measured": measured, "limit": limit, "source": words::source(analysis, l),
            "share": axis::percent(e.efficiency),
        })
    };
    let shown = &list[..list.len().min(BARS)];
    let limit = |e: &Efficiency| words::both(analysis, e).1.id.as_str();
    let view = json!({
        "name": capital(&name), "best": told(best), "worst": told(worst), "count": list.len(), "drawn": shown.len(),
        "one_limit": shown.iter().all(|e| limit(e) == limit(best)),
        "bars": shown.iter().map(|e| told(e)).collect::<Vec<_>>(),
    });
    let phrases = Phrases::of(board.engine, "efficiency", view)?;
    let height = TOP + ROW * shown.len() as f64 + 46.0;
    let svg = bars(analysis, shown, &phrases, height);
    let rows = list.iter().map(|e| row(analysis, e)).collect();
    Ok(Figure::new(svg, &phrases, ("efficiency", metric), (WIDTH, height), rows))
}

fn bars(analysis: &Analysis, shown: &[&Efficiency], phrases: &Phrases, height: f64) -> Svg {
    let mut svg = Svg::headed(phrases.get("title"), phrases.get("note"), WIDTH);
    let top = shown.iter().map(|e| e.efficiency * 100.0).fold(100.0, f64::max);
    let scale = Scale::from_zero(top, (LEFT, RIGHT));
    let bottom = height - 40.0;
    for tick in scale.ticks() {
        let x = scale.at(tick);
        svg.line((x, TOP - 6.0), (x, bottom), GRID, 1.0, "");
        svg.text((x, bottom + 18.0), Anchor::Middle, SOFT, 11.0, &format!("{} %", axis::number(tick)));
    }
    for (i, e) in shown.iter().enumerate() {
        let (m, _) = words::both(analysis, e);
        let y = TOP + ROW * i as f64;
        let ink = if e.efficiency > 1.0 { FLAGGED } else { MEASURED };
        let end = scale.at(e.efficiency * 100.0);
        svg.rect(LEFT, y + 6.0, (end - LEFT).max(1.5), ROW - 14.0, ink);
        if m.evidence == crate::extract::bench::FigureEvidence::Claimed {
            svg.mark((end, y + 6.0 + (ROW - 14.0) / 2.0), 0, ink, true);
        }
        label(&mut svg, y, &words_of(analysis, m));
        svg.text((RIGHT + 14.0, y + 21.0), Anchor::Start, TEXT, 13.0, &axis::percent(e.efficiency));
        let text = svg::shorten(phrases.nth("value", i), 11.0, WIDTH - RIGHT - 88.0);
        svg.text((RIGHT + 82.0, y + 21.0), Anchor::Start, SOFT, 11.0, &text);
    }
    let x = scale.at(100.0);
    svg.line((x, TOP - 10.0), (x, bottom), LIMIT, 2.0, "6 4");
    svg.text((x, TOP - 14.0), Anchor::Middle, LIMIT, 12.0, &svg::shorten(phrases.get("limit"), 12.0, 420.0));
    svg
}

fn label(svg: &mut Svg, y: f64, text: &str) {
    let lines = svg::wrap(text, 12.0, LEFT - 30.0, 2);
    let start = if lines.len() == 1 { y + 21.0 } else { y + 14.0 };
    for (i, line) in lines.iter().enumerate() {
        svg.text((LEFT - 10.0, start + 13.0 * i as f64), Anchor::End, TEXT, 12.0, line);
    }
}

/// Conditions, phase and message of a measurement.
fn words_of(analysis: &Analysis, m: &Measurement) -> String {
    let mut parts = vec![words::conditions(&m.params)];
    parts.extend(m.statistic.clone());
    parts.extend(m.phase.clone());
    parts.retain(|p| !p.is_empty());
    format!("[msg {}] {}", words::label(analysis, m), parts.join(", ")).trim().to_owned()
}

fn row(analysis: &Analysis, e: &Efficiency) -> FigureRow {
    let (m, l) = words::both(analysis, e);
    let mut msgs = vec![words::label(analysis, m)];
    msgs.extend(l.msg.map(|ix| analysis.session.message(ix).label.to_string()));
    msgs.dedup();
    let mut parts = vec![words::conditions(&m.params)];
    parts.extend(m.statistic.clone());
    parts.extend(m.phase.clone());
    parts.retain(|p| !p.is_empty());
    let cells = vec![
        parts.join(", "),
        words::value(m.value.unwrap_or_default(), m.unit.as_deref().unwrap_or_default()),
        words::limit(l),
        axis::percent(e.efficiency),
        axis::percent(e.gap),
    ];
    FigureRow { cells, msgs }
}

/// With a capital first letter.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}
