//! Charts: each draws the figures it can from an analysis, as deterministic SVG.

mod axis;
mod curve;
mod dumbbell;
mod efficiency;
mod fit;
mod gantt;
mod measured;
mod panel;
mod phrases;
mod png;
mod roofline;
mod svg;
mod timeline;
pub(crate) mod words;

use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::bench::series::{Series, series};
use crate::report::engine::Engine;
use phrases::Phrases;
use svg::Svg;

pub use png::{PNG, png};

/// One picture, with the same data as a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    /// Section of the report that shows it.
    pub section: &'static str,
    /// Id, unique in the report; also the file name.
    pub id: String,
    /// File that the report shows, seen from its folder; empty until the report names it.
    pub path: String,
    /// What the figure shows, in a few words.
    pub title: String,
    /// One sentence with the numbers, for those who do not see the picture.
    pub description: String,
    /// Metric it is about; empty for a figure that is about none.
    pub metric: String,
    /// The picture: an `<svg>` element without script or style attribute.
    pub svg: String,
    /// Header of the data table; empty where the section has a table of its own.
    pub header: Vec<String>,
    /// Rows of the data table.
    pub rows: Vec<FigureRow>,
}

/// What a picture is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Picture {
    /// SVG.
    #[default]
    Svg,
    /// PNG.
    Png,
}

impl Figure {
    /// Where the report puts the figure, seen from its folder.
    pub fn file(&self, picture: Picture) -> String {
        let kind = match picture {
            Picture::Svg => "svg",
            Picture::Png => "png",
        };
        format!("charts/{}.{kind}", self.id)
    }

    /// A picture of `metric` with its words, and the rows of its table.
    fn new(svg: Svg, phrases: &Phrases, about: (&str, &str), size: (f64, f64), rows: Vec<FigureRow>) -> Self {
        let (kind, metric) = about;
        let (title, description) = (phrases.get("title").to_owned(), phrases.get("description").to_owned());
        let (id, svg) = svg.finish(kind, metric, size, &title, &description);
        let (metric, header) = (metric.to_owned(), phrases.cells("columns"));
        Self { id, title, description, metric, svg, header, rows, ..Self::default() }
    }
}

/// A row of a figure's data.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct FigureRow {
    /// Cells, one for each column of the header.
    pub cells: Vec<String>,
    /// Numbers of the messages that the row was read from, as labels.
    pub msgs: Vec<String>,
}

/// A kind of chart.
#[derive(Debug)]
pub struct Chart {
    /// Kebab-case id.
    pub id: &'static str,
    /// Section of the report that shows it.
    pub section: &'static str,
    draw: fn(&Board<'_>) -> Result<Vec<Figure>, Error>,
}

/// Charts, in the order of the report.
pub const CHARTS: &[Chart] = &[
    gantt::CHART,
    efficiency::CHART,
    curve::CHART,
    roofline::CHART,
    dumbbell::CHART,
    timeline::CHART,
    measured::CHART,
];

/// Series of one quantity side by side: the same metric, statistic, scope and unit under several conditions. Groups come
/// in order of their first series.
fn by_quantity<'a>(all: impl Iterator<Item = &'a Series>) -> Vec<Vec<&'a Series>> {
    let mut groups: Vec<Vec<&Series>> = Vec::new();
    for s in all {
        let same = |g: &&mut Vec<&Series>| {
            g[0].metric == s.metric && g[0].statistic == s.statistic && g[0].scope == s.scope && g[0].unit == s.unit
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(s),
            None => groups.push(vec![s]),
        }
    }
    groups
}

/// What charts are drawn from: computed once for all of them.
struct Board<'a> {
    engine: &'a Engine,
    analysis: &'a Analysis,
    /// Series of each quantity, in order of first appearance.
    quantities: Vec<Vec<&'a Series>>,
    /// Curves, drawn first: a metric that has one needs no lesser picture.
    curves: Vec<Figure>,
}

impl Board<'_> {
    fn has_curve(&self, metric: &str) -> bool {
        self.curves.iter().any(|f| f.metric == metric)
    }
}

/// Draws every chart that fits.
pub fn draw(engine: &Engine, analysis: &Analysis) -> Result<Vec<Figure>, Error> {
    let all = series(&analysis.facts.bench);
    let mut board = Board { engine, analysis, quantities: by_quantity(all.iter()), curves: Vec::new() };
    board.curves = curve::figures(&board)?;
    let mut out = Vec::new();
    for chart in CHARTS {
        out.extend((chart.draw)(&board)?.into_iter().map(|f| Figure { section: chart.section, ..f }));
    }
    Ok(out)
}

#[cfg(test)]
fn figures_of(chart: &str, session: crate::session::Session) -> Vec<Figure> {
    use crate::report::engine::Target;
    let engine = Engine::new(Target::Terminal, None).expect("the built-in templates parse");
    let analysis = crate::analysis::analyse(session, &crate::extract::Config::default(), false);
    let figures = draw(&engine, &analysis).expect("the built-in templates fit");
    figures.into_iter().filter(|f| f.id.starts_with(chart)).collect()
}

#[cfg(test)]
mod tests {
    use crate::session::build::SessionBuilder;

    fn table(rows: &[(u32, f64)]) -> String {
        let rows: String = rows.iter().map(|(c, v)| format!("| {c} | {v} |\n")).collect();
        format!("| concurrency | output tok/s |\n|---|---|\n{rows}")
    }

    #[test]
    fn every_kind_of_chart_is_drawn_as_it_was() {
        let said =
            |texts: &[String]| texts.iter().fold(SessionBuilder::new().user("go"), |s, t| s.assistant(t)).build();
        let sweep = said(&[table(&[(1, 40.0), (4, 130.5), (16, 300.25)])]);
        let pair = said(&[table(&[(4, 40.0)]), table(&[(4, 50.0)])]);
        let three = said(&[table(&[(4, 40.0)]), table(&[(4, 44.0)]), table(&[(4, 61.5)])]);
        let two = said(&[table(&[(1, 40.0), (4, 130.5)])]);
        let bound = said(&["The theoretical maximum at concurrency 4 is 160 tok/s.".to_owned(), table(&[(4, 40.0)])]);
        let kinds =
            [("curve", sweep), ("dumbbell", pair), ("timeline", three), ("measured", two), ("efficiency", bound)];
        for (chart, session) in kinds {
            let figures = super::figures_of(chart, session);
            assert_eq!(figures.len(), 1, "{chart}");
            insta::assert_snapshot!(chart, figures[0].svg);
        }
    }
}
