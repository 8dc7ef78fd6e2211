//! Did it help: the same quantity under the same conditions, measured twice, before ○ and after ●.

use super::axis::{self, Kind, Scale};
use super::efficiency::capital;
use super::svg::{self, Anchor, BASELINE, FLAGGED, GRID, MEASURED, SOFT, Svg, TEXT};
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
    before: (u32, f64),
    after: (u32, f64),
}

impl<'a> Pair<'a> {
    /// The two points of a series that [`is_pair`].
    fn of(series: &'a Series) -> Self {
        Self { series, before: series.points[0], after: series.points[1] }
    }

    /// After in shares of before: 0.1 is ten percent more.
    fn change(&self) -> Option<f64> {
        (self.before.1 > 0.0).then(|| self.after.1 / self.before.1 - 1.0)
    }

    /// How much better it got; worse is negative.
    fn gain(&self) -> f64 {
        let sign = if self.series.higher_is_better { 1.0 } else { -1.0 };
        sign * self.change().unwrap_or(self.after.1 - self.before.1)
    }
}

/// One value in each of two messages: two values in one message may be two conditions that were not read.
pub(super) fn is_pair(analysis: &Analysis, s: &Series) -> bool {
    let at = |i: usize| analysis.facts.bench.measurements[s.points[i].0 as usize].msg;
    s.points.len() == 2 && at(0) != at(1)
}

fn draw(board: &Board<'_>) -> Result<Vec<Figure>, Error> {
    let analysis = board.analysis;
    let pairs = |group: &Vec<&'_ Series>| -> Vec<usize> {
        (0..group.len()).filter(|i| is_pair(analysis, group[*i]) && !board.has_curve(&group[*i].metric)).collect()
    };
    let groups = board.quantities.iter().map(|g| (g, pairs(g))).filter(|(_, p)| !p.is_empty());
    Ok(groups.map(|(g, p)| figure(analysis, p.into_iter().map(|i| Pair::of(g[i])).collect())).collect())
}

fn figure(analysis: &Analysis, mut pairs: Vec<Pair<'_>>) -> Figure {
    pairs.sort_by(|a, b| b.gain().total_cmp(&a.gain()).then(a.before.0.cmp(&b.before.0)));
    let first = pairs[0].series;
    let name = words::metric_of(&first.metric, first.statistic.as_deref(), first.scope.as_deref());
    let title = format!("{}: before and after", capital(&name));
    let described = |p: &Pair<'_>| {
        format!(
            "{} {} {} {}",
            words::value(p.before.1, &first.unit),
            message(analysis, p.before),
            arrow_to(p),
            message(analysis, p.after)
        )
    };
    let mut description = described(&pairs[0]);
    if pairs.len() > 1 {
        description = format!("{} pairs; most gained: {description}", pairs.len());
    }
    if pairs.len() > ROWS {
        description = format!("{description}; the first {ROWS} are drawn");
    }
    description.push('.');
    let shown = &pairs[..pairs.len().min(ROWS)];
    let height = TOP + ROW * shown.len() as f64 + 56.0;
    let svg = plot(analysis, shown, &title, height);
    let (id, svg) = svg.finish("dumbbell", &first.metric, (WIDTH, height), &title, &description);
    let rows = pairs.iter().map(|p| FigureRow {
        cells: vec![
            words::conditions(&p.series.params),
            words::value(p.before.1, &first.unit),
            words::value(p.after.1, &first.unit),
            change(p),
        ],
        msgs: [p.before, p.after].map(|x| label(analysis, x)).into(),
    });
    let header = ["conditions", "before", "after", "change"].map(str::to_owned).into();
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

fn label(analysis: &Analysis, (i, _): (u32, f64)) -> String {
    words::label(analysis, &analysis.facts.bench.measurements[i as usize])
}

fn message(analysis: &Analysis, point: (u32, f64)) -> String {
    format!("[msg {}]", label(analysis, point))
}

fn arrow_to(p: &Pair<'_>) -> String {
    format!("→ {} ({})", words::value(p.after.1, &p.series.unit), change(p))
}

/// The change with its sign, and whether that is better.
fn change(p: &Pair<'_>) -> String {
    let verdict = match p.gain() {
        g if g > 0.0 => "better",
        g if g < 0.0 => "worse",
        _ => return "no change".to_owned(),
    };
    let Some(change) = p.change() else { return verdict.to_owned() };
    let sign = if change > 0.0 { "+" } else { "−" };
    format!("{sign}{}, {verdict}", axis::percent(change.abs()))
}

fn plot(analysis: &Analysis, pairs: &[Pair<'_>], title: &str, height: f64) -> Svg {
    let unit = &pairs[0].series.unit;
    let mut svg = Svg::default();
    svg.text((16.0, 26.0), Anchor::Start, TEXT, 16.0, &svg::shorten(title, 16.0, WIDTH - 32.0));
    let values = || pairs.iter().flat_map(|p| [p.before.1, p.after.1]);
    let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let log = low > 0.0 && high / low > 10.0;
    let scale = if log {
        Scale::log(Kind::Log10, low, high, (LEFT, RIGHT))
    } else {
        Scale::with_zero(low, high, (LEFT, RIGHT))
    };
    let better = if pairs[0].series.higher_is_better { "more is better" } else { "less is better" };
    let note = if log { ", logarithmic axis" } else { "" };
    svg.text(
        (16.0, 46.0),
        Anchor::Start,
        SOFT,
        12.0,
        &format!("{unit}{note}; {better}; hollow: before, filled: after"),
    );
    let bottom = height - 48.0;
    axis::below(&mut svg, &scale, (TOP - 6.0, bottom), unit);
    for (i, p) in pairs.iter().enumerate() {
        let y = TOP + ROW * i as f64 + ROW / 2.0;
        let ink = match p.gain() {
            g if g > 0.0 => MEASURED,
            g if g < 0.0 => FLAGGED,
            _ => BASELINE,
        };
        let (from, to) = (scale.at(p.before.1), scale.at(p.after.1));
        svg.line((LEFT, y), (RIGHT, y), GRID, 1.0, "");
        svg.line((from, y), (to, y), ink, 3.0, "");
        svg.mark((from, y), 0, ink, true);
        svg.mark((to, y), 0, ink, false);
        let text = words::conditions(&p.series.params);
        let text = if text.is_empty() { "no conditions stated".to_owned() } else { text };
        svg.lines((LEFT - 14.0, y), Anchor::End, TEXT, 12.0, &svg::wrap(&text, 12.0, LEFT - 30.0, 2));
        let x = RIGHT + 18.0;
        let shown = format!("{} → {}", number(p.before.1), words::value(p.after.1, unit));
        let room = WIDTH - x - 8.0;
        svg.text((x, y - 1.0), Anchor::Start, TEXT, 12.0, &svg::shorten(&shown, 12.0, room));
        let msgs = format!("{}; msg {} → {}", change(p), label(analysis, p.before), label(analysis, p.after));
        svg.text((x, y + 13.0), Anchor::Start, SOFT, 11.0, &svg::shorten(&msgs, 11.0, room));
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
}
