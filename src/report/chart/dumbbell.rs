//! Did it help: the same quantity under the same conditions, measured twice, before ○ and after ●.

use serde_json::json;

use super::axis::{self, Kind, Scale, extent};
use super::efficiency::capital;
use super::phrases::Phrases;
use super::svg::{self, Anchor, BASELINE, FLAGGED, GRID, Ink, MEASURED, SOFT, Svg, TEXT};
use super::{Board, Chart, Figure, FigureRow, words};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::bench::comparisons::{self, Comparison, Verdict};
use crate::extract::bench::series::Series;
use crate::report::section::value::number;

/// The chart.
pub(super) const CHART: Chart = Chart { id: "dumbbell", section: "bench", draw };

const WIDTH: f64 = 900.0;
const ROW: f64 = 48.0;
const TOP: f64 = 68.0;
const LEFT: f64 = 300.0;
const RIGHT: f64 = 690.0;
/// Rows in one picture; the table below it has them all.
const ROWS: usize = 16;

struct Pair<'a> {
    series: &'a Series,
    compared: &'a Comparison,
    before: Point,
    after: Point,
}

/// A value in the unit of the series, with the spread that is stated for it.
#[derive(Clone, Copy)]
struct Point {
    measurement: u32,
    value: f64,
    spread: Option<(f64, f64)>,
}

fn ink(verdict: Verdict) -> Ink {
    match verdict {
        Verdict::Better => MEASURED,
        Verdict::Worse => FLAGGED,
        Verdict::Same | Verdict::Noise => BASELINE,
    }
}

impl<'a> Pair<'a> {
    /// A series of two points that follow each other.
    fn of(analysis: &'a Analysis, series: &'a Series) -> Option<Self> {
        let [before, after] = series.points[..] else { return None };
        let compared = comparisons::of(&analysis.facts.comparisons, after.0).filter(|c| c.before == before.0)?;
        let point = |(measurement, value): (u32, f64)| {
            let spread = analysis.facts.bench.measurements[measurement as usize].spread(value);
            Point { measurement, value, spread }
        };
        Some(Self { series, compared, before: point(before), after: point(after) })
    }

    /// How much better it got; worse is negative.
    fn gain(&self) -> f64 {
        let sign = if self.series.higher_is_better { 1.0 } else { -1.0 };
        sign * self.compared.delta.change.unwrap_or(self.after.value - self.before.value)
    }

    fn points(&self) -> [Point; 2] {
        [self.before, self.after]
    }
}

/// Two values that follow each other: two that stand in one message without being called before and after may be two
/// conditions that were not read.
pub(super) fn is_pair(analysis: &Analysis, s: &Series) -> bool {
    Pair::of(analysis, s).is_some()
}

fn draw(board: &Board<'_>) -> Result<Vec<Figure>, Error> {
    let analysis = board.analysis;
    let shown = board.quantities.iter().filter(|g| !board.has_curve(&g[0].metric));
    let pairs = shown.map(|g| g.iter().filter_map(|s| Pair::of(analysis, s)).collect::<Vec<_>>());
    pairs.filter(|p| !p.is_empty()).map(|p| figure(board, p)).collect()
}

fn figure(board: &Board<'_>, mut pairs: Vec<Pair<'_>>) -> Result<Figure, Error> {
    let analysis = board.analysis;
    pairs.sort_by(|a, b| b.gain().total_cmp(&a.gain()).then(a.before.measurement.cmp(&b.before.measurement)));
    let first = pairs[0].series;
    let shown = &pairs[..pairs.len().min(ROWS)];
    let scale = scale(shown);
    let view = json!({
        "name": capital(&words::metric_of(&first.metric, first.statistic.as_deref(), first.scope.as_deref())),
        "unit": first.unit, "log": scale.is_log(), "more_is_better": first.higher_is_better,
        "spread": shown.iter().flat_map(Pair::points).any(|p| p.spread.is_some()),
        "count": pairs.len(), "drawn": shown.len(),
        "pairs": pairs.iter().map(|p| told(analysis, p)).collect::<Vec<_>>(),
    });
    let phrases = Phrases::of(board.engine, "dumbbell", view)?;
    let height = TOP + ROW * shown.len() as f64 + 56.0;
    let svg = plot(shown, &scale, &phrases, height);
    let row = |(i, p): (usize, &Pair<'_>)| FigureRow {
        cells: vec![
            words::conditions(&p.series.params),
            words::value(p.before.value, &first.unit),
            words::value(p.after.value, &first.unit),
            phrases.nth("change", i).to_owned(),
            phrases.nth("between", i).to_owned(),
        ],
        msgs: p.points().map(|x| label(analysis, x)).into(),
    };
    let rows = pairs.iter().enumerate().map(row).collect();
    Ok(Figure::new(svg, &phrases, ("dumbbell", &first.metric), (WIDTH, height), rows))
}

/// A pair for the template.
fn told(analysis: &Analysis, p: &Pair<'_>) -> serde_json::Value {
    let signed = |c: f64, unit: &str| format!("{}{:.2} {unit}", if c > 0.0 { "+" } else { "−" }, c.abs());
    let (delta, between) = (&p.compared.delta, &p.compared.between);
    let point = |x: Point| {
        json!({
            "number": number(x.value), "value": words::value(x.value, &p.series.unit), "msg": label(analysis, x),
        })
    };
    json!({
        "conditions": words::conditions(&p.series.params), "before": point(p.before), "after": point(p.after),
        "share": delta.change.filter(|_| delta.points.is_none()).map(|c| signed(c * 100.0, "%")),
        "points": delta.points.map(|p| signed(p, "pp")), "verdict": p.compared.verdict,
        "speedup": delta.speedup.filter(|s| *s >= 1.0).map(|s| format!("{s:.2}")),
        "plan": between.plan.len(), "commands": between.commands, "edits": between.edits, "stated": between.stated,
    })
}

fn label(analysis: &Analysis, point: Point) -> String {
    words::label(analysis, &analysis.facts.bench.measurements[point.measurement as usize])
}

fn scale(pairs: &[Pair<'_>]) -> Scale {
    let ends = |p: Point| p.spread.map_or([p.value; 2], |(l, h)| [l, h]);
    let (low, high) = extent(pairs.iter().flat_map(Pair::points).flat_map(ends));
    if low > 0.0 && high / low > 10.0 {
        Scale::log(Kind::Log10, low, high, (LEFT, RIGHT))
    } else {
        Scale::with_zero(low, high, (LEFT, RIGHT))
    }
}

fn plot(pairs: &[Pair<'_>], scale: &Scale, phrases: &Phrases, height: f64) -> Svg {
    let mut svg = Svg::headed(phrases.get("title"), phrases.get("note"), WIDTH);
    axis::below(&mut svg, scale, (TOP - 6.0, height - 48.0), &pairs[0].series.unit);
    for (i, p) in pairs.iter().enumerate() {
        let y = TOP + ROW * i as f64 + ROW / 2.0;
        let ink = ink(p.compared.verdict);
        let (from, to) = (scale.at(p.before.value), scale.at(p.after.value));
        svg.line((LEFT, y), (RIGHT, y), GRID, 1.0, "");
        svg.line((from, y), (to, y), ink, 3.0, "");
        for (x, lift) in p.points().iter().zip([-7.0, 7.0]) {
            if let Some((low, high)) = x.spread {
                svg.whisker((scale.at(low), y + lift), (scale.at(high), y + lift), ink);
            }
        }
        svg.mark((from, y), 0, ink, true);
        svg.mark((to, y), 0, ink, false);
        let text = svg::wrap(phrases.nth("conditions", i), 12.0, LEFT - 30.0, 2);
        svg.lines((LEFT - 14.0, y), Anchor::End, TEXT, 12.0, &text);
        let x = RIGHT + 18.0;
        let room = WIDTH - x - 8.0;
        svg.text((x, y - 8.0), Anchor::Start, TEXT, 12.0, &svg::shorten(phrases.nth("values", i), 12.0, room));
        for (line, lift) in [("told", 6.0), ("since", 19.0)] {
            let text = svg::shorten(phrases.nth(line, i), 11.0, room);
            svg.text((x, y + lift), Anchor::Start, SOFT, 11.0, &text);
        }
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;

    fn figures(said: &[&str]) -> Vec<Figure> {
        let session = said.iter().fold(SessionBuilder::new().user("go"), |s, text| s.assistant(text)).build();
        super::super::figures_of("dumbbell", session)
    }

    #[test]
    fn two_messages_make_a_pair() {
        let table = |v: &str| format!("| concurrency | output tok/s |\n|---|---|\n| 4 | {v} |\n");
        let figures = figures(&[&table("40"), "changed the batcher", &table("50")]);
        assert_eq!(figures.len(), 1, "{figures:?}");
        assert_eq!(figures[0].rows[0].cells[1..], ["40 tok/s", "50 tok/s", "+25.00 %, better", "nothing on record"]);
        assert_eq!(figures[0].rows[0].msgs.len(), 2);
    }

    #[test]
    fn one_message_makes_none() {
        assert_eq!(figures(&["| concurrency | output tok/s |\n|---|---|\n| 4 | 40 |\n| 4 | 50 |\n"]), []);
    }

    #[test]
    fn what_was_done_between_is_told() {
        let run = |s: SessionBuilder, v: &str| {
            s.shell("./serve-bench", 0, &format!("Output token throughput (tok/s):  {v}\n"))
        };
        let s = run(SessionBuilder::new().user("go"), "40.00").shell("systemctl restart engine", 0, "");
        let figures = super::super::figures_of("dumbbell", run(s, "32.00").build());
        assert_eq!(figures[0].rows[0].cells[3..], ["−20.00 %, worse", "1 command"]);
        assert!(figures[0].svg.contains("between: 1 command"), "{}", figures[0].svg);
    }

    #[test]
    fn a_pair_that_one_message_states_is_drawn() {
        let said = "| Metric | Before → after |\n|---|---|\n| Output (tok/s) | 10.4 → 13.0 |\n";
        let rows = &figures(&[said])[0].rows;
        assert_eq!(rows[0].cells[3..], ["+25.00 %, better", "stated together"]);
    }
}
