//! Did it help: the same quantity under the same conditions, measured twice, before ○ and after ●.

use serde::Serialize;
use serde_json::json;

use super::axis::{self, Kind, Scale, extent};
use super::efficiency::capital;
use super::phrases::Phrases;
use super::svg::{self, Anchor, BASELINE, FLAGGED, GRID, Ink, MEASURED, SOFT, Svg, TEXT};
use super::{Board, Chart, Figure, FigureRow, words};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::bench::series::Series;
use crate::report::section::value::number;

/// The chart.
pub(super) const CHART: Chart = Chart { id: "dumbbell", section: "bench", draw };

const WIDTH: f64 = 900.0;
const ROW: f64 = 40.0;
const TOP: f64 = 68.0;
const LEFT: f64 = 300.0;
const RIGHT: f64 = 690.0;
/// Rows in one picture; the table below it has them all.
const ROWS: usize = 16;

struct Pair<'a> {
    series: &'a Series,
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

/// What became of a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    Better,
    Worse,
    Same,
    /// The spreads that are stated overlap.
    Noise,
}

impl Verdict {
    fn ink(self) -> Ink {
        match self {
            Self::Better => MEASURED,
            Self::Worse => FLAGGED,
            Self::Same | Self::Noise => BASELINE,
        }
    }
}

impl<'a> Pair<'a> {
    /// The two points of a series that [`is_pair`].
    fn of(analysis: &Analysis, series: &'a Series) -> Self {
        let point = |(measurement, value): (u32, f64)| {
            let spread = analysis.facts.bench.measurements[measurement as usize].spread(value);
            Point { measurement, value, spread }
        };
        Self { series, before: point(series.points[0]), after: point(series.points[1]) }
    }

    /// After in shares of before: 0.1 is ten percent more.
    fn change(&self) -> Option<f64> {
        (self.before.value > 0.0).then(|| self.after.value / self.before.value - 1.0)
    }

    /// How much better it got; worse is negative.
    fn gain(&self) -> f64 {
        let sign = if self.series.higher_is_better { 1.0 } else { -1.0 };
        sign * self.change().unwrap_or(self.after.value - self.before.value)
    }

    fn verdict(&self) -> Verdict {
        let ends = |p: Point| p.spread.unwrap_or((p.value, p.value));
        let (before, after) = (ends(self.before), ends(self.after));
        let stated = self.before.spread.is_some() || self.after.spread.is_some();
        match self.gain() {
            0.0 => Verdict::Same,
            _ if stated && before.0 <= after.1 && after.0 <= before.1 => Verdict::Noise,
            gain if gain > 0.0 => Verdict::Better,
            _ => Verdict::Worse,
        }
    }

    fn points(&self) -> [Point; 2] {
        [self.before, self.after]
    }
}

/// One value in each of two messages: two values in one message may be two conditions that were not read.
pub(super) fn is_pair(analysis: &Analysis, s: &Series) -> bool {
    let at = |i: usize| analysis.facts.bench.measurements[s.points[i].0 as usize].msg;
    s.points.len() == 2 && at(0) != at(1)
}

fn draw(board: &Board<'_>) -> Result<Vec<Figure>, Error> {
    let analysis = board.analysis;
    let pairs = |group: &Vec<&Series>| -> Vec<usize> {
        (0..group.len()).filter(|i| is_pair(analysis, group[*i]) && !board.has_curve(&group[*i].metric)).collect()
    };
    let groups = board.quantities.iter().map(|g| (g, pairs(g))).filter(|(_, p)| !p.is_empty());
    groups.map(|(g, p)| figure(board, p.into_iter().map(|i| Pair::of(analysis, g[i])).collect())).collect()
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
        ],
        msgs: p.points().map(|x| label(analysis, x)).into(),
    };
    let rows = pairs.iter().enumerate().map(row).collect();
    Ok(Figure::new(svg, &phrases, ("dumbbell", &first.metric), (WIDTH, height), rows))
}

/// A pair for the template.
fn told(analysis: &Analysis, p: &Pair<'_>) -> serde_json::Value {
    let signed = |c: f64| format!("{}{}", if c > 0.0 { "+" } else { "−" }, axis::percent(c.abs()));
    let point = |x: Point| {
        json!({
            "number": number(x.value), "value": words::value(x.value, &p.series.unit), "msg": label(analysis, x),
        })
    };
    json!({
        "conditions": words::conditions(&p.series.params), "before": point(p.before), "after": point(p.after),
        "share": p.change().map(signed), "verdict": p.verdict(),
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
        let ink = p.verdict().ink();
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
        svg.text((x, y - 1.0), Anchor::Start, TEXT, 12.0, &svg::shorten(phrases.nth("values", i), 12.0, room));
        svg.text((x, y + 13.0), Anchor::Start, SOFT, 11.0, &svg::shorten(phrases.nth("told", i), 11.0, room));
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
        assert_eq!(figures[0].rows[0].cells[1..], ["40 tok/s", "50 tok/s", "+25.00 %, better"]);
        assert_eq!(figures[0].rows[0].msgs.len(), 2);
    }

    #[test]
    fn one_message_makes_none() {
        assert_eq!(figures(&["| concurrency | output tok/s |\n|---|---|\n| 4 | 40 |\n| 4 | 50 |\n"]), []);
    }

    #[test]
    fn what_lies_within_the_stated_spread_is_noise() {
        let table = |v: &str| format!("| concurrency | output tok/s |\n|---|---|\n| 4 | {v} |\n");
        let change = |a: &str, b: &str| figures(&[&table(a), &table(b)])[0].rows[0].cells[3].clone();
        assert_eq!(change("40 ± 3", "44 ± 2"), "+10.00 %, within the spread stated");
        assert_eq!(change("40 ± 1", "44 ± 2"), "+10.00 %, better");
        assert_eq!(change("44", "40"), "−9.09 %, worse");
    }
}
