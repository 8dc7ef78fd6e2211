//! Charts: each draws the figures it can from an analysis, as deterministic SVG.

mod axis;
mod curve;
mod dumbbell;
mod efficiency;
mod measured;
mod svg;
mod timeline;
mod words;

use crate::analysis::Analysis;
use crate::extract::bench::series::Series;

/// One picture, with the same data as a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Id, unique in the report; also the file name.
    pub id: String,
    /// What the figure shows, in a few words.
    pub title: String,
    /// One sentence with the numbers, for those who do not see the picture.
    pub description: String,
    /// Metric it is about.
    pub metric: String,
    /// The picture: an `<svg>` element without script or style attribute.
    pub svg: String,
    /// Header of the data table.
    pub header: Vec<String>,
    /// Rows of the data table.
    pub rows: Vec<FigureRow>,
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
    /// Draws it, once for each metric that it fits.
    pub draw: fn(&Analysis) -> Vec<Figure>,
}

/// Charts, in the order of the report.
pub const CHARTS: &[Chart] = &[efficiency::CHART, curve::CHART, dumbbell::CHART, timeline::CHART, measured::CHART];

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

/// Draws every chart that fits.
pub fn draw(analysis: &Analysis) -> Vec<Figure> {
    CHARTS.iter().flat_map(|chart| (chart.draw)(analysis)).collect()
}
