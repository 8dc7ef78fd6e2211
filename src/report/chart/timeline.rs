//! How it moved: a metric over the messages of the session, with the changes of the plan between its measurements.

use std::collections::BTreeMap;

use serde_json::json;

use super::axis::{self, Kind, Scale, extent};
use super::efficiency::capital;
use super::phrases::Phrases;
use super::svg::{self, Anchor, BASELINE, FLAGGED, GRID, LIMIT, SERIES, SOFT, Svg};
use super::{Board, Chart, Figure, FigureRow, words};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::bench::series::{Series, not_valid};
use crate::extract::bench::{FigureEvidence, Limit};
use crate::extract::plan::Transition;
use crate::report::section::value::word;
use crate::session::MsgIx;

/// The chart.
pub(super) const CHART: Chart = Chart { id: "timeline", section: "bench", draw };

const WIDTH: f64 = 900.0;
const PLOT: (f64, f64, f64, f64) = (76.0, 84.0, 680.0, 360.0);
/// Plan changes told in words; the others are only marked.
const TOLD: usize = 8;

fn messages(analysis: &Analysis, s: &Series) -> Vec<MsgIx> {
    let mut msgs: Vec<MsgIx> = s.points.iter().map(|p| analysis.facts.bench.measurements[p.0 as usize].msg).collect();
    msgs.dedup();
    msgs
}

/// Measured in three messages or more, once in each: several values in one message may be several conditions.
pub(super) fn is_followed(analysis: &Analysis, s: &Series) -> bool {
    let msgs = messages(analysis, s);
    msgs.len() >= 3 && msgs.len() == s.points.len()
}

fn draw(board: &Board<'_>) -> Result<Vec<Figure>, Error> {
    let followed =
        |g: &Vec<&Series>| -> Vec<usize> { (0..g.len()).filter(|i| is_followed(board.analysis, g[*i])).collect() };
    let groups = board.quantities.iter().map(|g| (g, followed(g))).filter(|(_, f)| !f.is_empty());
    groups.map(|(g, f)| figure(board, &f.into_iter().map(|i| g[i]).collect::<Vec<_>>())).collect()
}

fn figure(board: &Board<'_>, group: &[&Series]) -> Result<Figure, Error> {
    let analysis = board.analysis;
    let drawn = &group[..group.len().min(SERIES.len())];
    let first = group[0];
    let invalid = group.iter().flat_map(|s| not_valid(&analysis.facts.bench, s));
    let invalid: Vec<MsgIx> = invalid.map(|p| point(analysis, &p)).collect();
    let span = group.iter().flat_map(|s| messages(analysis, s)).chain(invalid.iter().copied());
    let (from, to) = span.fold((MsgIx(u32::MAX), MsgIx(0)), |(a, b), m| (a.min(m), b.max(m)));
    let changes = changes(analysis, from, to);
    let at =
        |p: &(u32, f64)| json!({ "value": words::value(p.1, &first.unit), "msg": cite(analysis, point(analysis, p)) });
    let change = |(msg, list): &(MsgIx, Vec<&Transition>)| {
        let t = list[0];
        json!({
            "msg": cite(analysis, *msg), "from": word(t.from), "to": word(t.to), "text": t.text, "more": list.len() - 1,
        })
    };
    let told = changes.len().min(TOLD);
    let limits = limits(analysis, drawn);
    let crossed: Vec<Vec<(u32, f64)>> = drawn.iter().map(|s| not_valid(&analysis.facts.bench, s)).collect();
    let bounds = limits.iter().flat_map(|(_, at)| at.iter().map(|p| p.1));
    let scale = scale(analysis, drawn, bounds.chain(crossed.iter().flatten().map(|p| p.1)));
    let view = json!({
        "name": capital(&words::metric_of(&first.metric, first.statistic.as_deref(), first.scope.as_deref())),
        "unit": first.unit, "log": scale.is_log(),
        "spread": spreads(analysis, drawn).next().is_some(),
        "first": first.points.first().map(at), "last": first.points.last().map(at), "count": first.points.len(),
        "series": group.len(), "drawn": drawn.len(), "invalid": invalid.len(),
        "limits": limits.iter().map(|(l, _)| json!({
            "value": words::limit(l), "source": words::source(analysis, l),
        })).collect::<Vec<_>>(),
        "changes": changes[..told].iter().map(change).collect::<Vec<_>>(), "further": changes.len() - told,
    });
    let phrases = Phrases::of(board.engine, "timeline", view)?;
    let lines = told + usize::from(changes.len() > told);
    let height = PLOT.3 + 62.0 + if told > 0 { 16.0 * lines as f64 + 10.0 } else { 0.0 };
    let picture = Picture { analysis, phrases: &phrases, y: scale, x: ordinal(from, to) };
    let svg = picture.plot(drawn, &crossed, &limits, &changes);
    let row = |s: &Series, p: &(u32, f64), state: &str| FigureRow {
        cells: vec![words::conditions(&s.params), words::value(p.1, &s.unit), state.to_owned()],
        msgs: vec![analysis.session.message(point(analysis, p)).label.to_string()],
    };
    let rows = group.iter().flat_map(|s| {
        let left = not_valid(&analysis.facts.bench, s);
        let mut rows: Vec<(u32, FigureRow)> =
            s.points.iter().map(|p| (p.0, row(s, p, phrases.get("counts")))).collect();
        rows.extend(left.iter().map(|p| (p.0, row(s, p, phrases.get("crossed")))));
        rows.sort_by_key(|(at, _)| *at);
        rows.into_iter().map(|(_, r)| r).collect::<Vec<_>>()
    });
    Ok(Figure::new(svg, &phrases, ("timeline", &first.metric), (WIDTH, height), rows.collect()))
}

/// Messages in their order, gaps kept.
fn ordinal(from: MsgIx, to: MsgIx) -> Scale {
    Scale::between(f64::from(from.0), f64::from(to.0), (PLOT.0, PLOT.2))
}

/// The spreads that are stated for the points of some series.
fn spreads<'a>(analysis: &'a Analysis, group: &'a [&Series]) -> impl Iterator<Item = (f64, f64)> + 'a {
    let points = group.iter().flat_map(|s| &s.points);
    points.filter_map(|p| analysis.facts.bench.measurements[p.0 as usize].spread(p.1))
}

/// Limits of the points, each with the messages at which it holds and its value in the unit of the chart.
fn limits<'a>(analysis: &'a Analysis, group: &[&Series]) -> Vec<(&'a Limit, Vec<(MsgIx, f64)>)> {
    let bench = &analysis.facts.bench;
    let mut out: Vec<(&Limit, Vec<(MsgIx, f64)>)> = Vec::new();
    for p in group.iter().flat_map(|s| &s.points) {
        let Some(e) = bench.efficiency_of(p.0) else { continue };
        let limit = &bench.limits[e.limit as usize];
        let factor = bench.measurements[p.0 as usize].value.filter(|v| *v != 0.0).map_or(1.0, |v| p.1 / v);
        let at = (point(analysis, p), e.limit_in_unit * factor);
        match out.iter_mut().find(|(l, _)| l.id == limit.id) {
            Some((_, list)) => list.push(at),
            None => out.push((limit, vec![at])),
        }
    }
    out.iter_mut().for_each(|(_, list)| list.sort_by_key(|p| p.0));
    out
}

fn scale(analysis: &Analysis, group: &[&Series], more: impl Iterator<Item = f64>) -> Scale {
    let range = (PLOT.3, PLOT.1);
    let values = group.iter().flat_map(|s| s.points.iter().map(|p| p.1)).chain(more);
    let (low, high) = extent(values.chain(spreads(analysis, group).flat_map(|(l, h)| [l, h])));
    if low > 0.0 && high / low > 30.0 {
        Scale::log(Kind::Log10, low, high, range)
    } else {
        Scale::with_zero(low, high, range)
    }
}

fn point(analysis: &Analysis, p: &(u32, f64)) -> MsgIx {
    analysis.facts.bench.measurements[p.0 as usize].msg
}

fn cite(analysis: &Analysis, msg: MsgIx) -> String {
    analysis.session.message(msg).label.cite()
}

/// Messages that changed the plan between two messages, with their changes.
fn changes(analysis: &Analysis, from: MsgIx, to: MsgIx) -> Vec<(MsgIx, Vec<&Transition>)> {
    let mut by_msg: BTreeMap<MsgIx, Vec<&Transition>> = BTreeMap::new();
    let inside = |t: &&Transition| t.is_change() && t.item.is_some() && t.msg >= from && t.msg <= to;
    for t in analysis.facts.plan.transitions.iter().filter(inside) {
        by_msg.entry(t.msg).or_default().push(t);
    }
    by_msg.into_iter().collect()
}

/// What the parts of the picture are drawn with.
struct Picture<'a> {
    analysis: &'a Analysis,
    phrases: &'a Phrases,
    x: Scale,
    y: Scale,
}

impl Picture<'_> {
    fn at(&self, msg: MsgIx) -> f64 {
        self.x.at(f64::from(msg.0))
    }

    fn plot(
        &self,
        group: &[&Series],
        crossed: &[Vec<(u32, f64)>],
        limits: &[(&Limit, Vec<(MsgIx, f64)>)],
        changes: &[(MsgIx, Vec<&Transition>)],
    ) -> Svg {
        let (left, top, right, bottom) = PLOT;
        let unit = &group[0].unit;
        let mut svg = Svg::headed(self.phrases.get("title"), self.phrases.get("note"), WIDTH);
        for tick in self.y.ticks() {
            let y = self.y.at(tick);
            svg.line((left, y), (right, y), GRID, 1.0, "");
            svg.text((left - 8.0, y + 4.0), Anchor::End, SOFT, 11.0, &axis::number(tick));
        }
        svg.text_up((20.0, (top + bottom) / 2.0), SOFT, 12.0, unit);
        self.rules(&mut svg, changes);
        self.ticks(&mut svg, group, crossed);
        for (i, (_, at)) in limits.iter().enumerate() {
            self.limit(&mut svg, at, self.phrases.nth("limit", i));
        }
        for p in crossed.iter().flatten() {
            svg.cross((self.at(point(self.analysis, p)), self.y.at(p.1)), FLAGGED);
        }
        let mut ends = Vec::new();
        for (i, s) in group.iter().enumerate() {
            let path: Vec<(f64, f64)> =
                s.points.iter().map(|p| (self.at(point(self.analysis, p)), self.y.at(p.1))).collect();
            svg.path(&steps(&path), SERIES[i], 2.0, super::curve::DASHES[i]);
            for (p, place) in s.points.iter().zip(&path) {
                let m = &self.analysis.facts.bench.measurements[p.0 as usize];
                if let Some((low, high)) = m.spread(p.1) {
                    svg.whisker((place.0, self.y.at(low)), (place.0, self.y.at(high)), SERIES[i]);
                }
                svg.mark(*place, i, SERIES[i], m.evidence == FigureEvidence::Claimed);
            }
            let last = s.points.last().map(|p| words::value(p.1, unit)).unwrap_or_default();
            let name = format!("{last} {}", words::conditions(&s.params));
            ends.extend(path.last().map(|p| (p.1, SERIES[i], name)));
        }
        let ends = ends.iter().map(|(y, ink, name)| (*y, *ink, name.as_str())).collect();
        super::curve::end_labels(&mut svg, ends, right + 14.0);
        svg
    }

    /// A limit from the first to the last message at which it holds, its label on the line.
    fn limit(&self, svg: &mut Svg, at: &[(MsgIx, f64)], text: &str) {
        let path: Vec<(f64, f64)> = at.iter().map(|(msg, v)| (self.at(*msg), self.y.at(*v))).collect();
        let (Some(&first), Some(&last)) = (path.first(), path.last()) else { return };
        let path = if path.len() > 1 { steps(&path) } else { vec![(first.0 - 14.0, first.1), (last.0 + 14.0, last.1)] };
        svg.path(&path, LIMIT, 2.0, "6 4");
        let text = svg::shorten(text, 12.0, PLOT.2 - PLOT.0 - 16.0);
        let x = first.0.min(PLOT.2 - svg::width(&text, 12.0)).max(PLOT.0 + 8.0);
        let far = PLOT.2 - svg::width(&text, 12.0);
        let places = [(x, first.1 - 6.0), (x, first.1 + 15.0), (far, first.1 - 6.0), (far, first.1 + 15.0)];
        svg.label(&places, Anchor::Start, LIMIT, 12.0, &text);
    }

    /// A tick for each message with a measurement; its number where there is room.
    fn ticks(&self, svg: &mut Svg, group: &[&Series], crossed: &[Vec<(u32, f64)>]) {
        let (left, _, right, bottom) = PLOT;
        let mut msgs: Vec<MsgIx> = group.iter().flat_map(|s| messages(self.analysis, s)).collect();
        msgs.extend(crossed.iter().flatten().map(|p| point(self.analysis, p)));
        msgs.sort();
        msgs.dedup();
        let mut seen = f64::NEG_INFINITY;
        for msg in msgs {
            let x = self.at(msg);
            svg.line((x, bottom), (x, bottom + 5.0), SOFT, 1.0, "");
            let text = self.analysis.session.message(msg).label.to_string();
            let half = svg::width(&text, 11.0) / 2.0;
            if x - half > seen + 6.0 {
                svg.text((x, bottom + 19.0), Anchor::Middle, SOFT, 11.0, &text);
                seen = x + half;
            }
        }
        svg.text(((left + right) / 2.0, bottom + 40.0), Anchor::Middle, SOFT, 12.0, self.phrases.get("x"));
    }

    /// Rules where the plan changed; the first ones have a number, told below the picture.
    fn rules(&self, svg: &mut Svg, changes: &[(MsgIx, Vec<&Transition>)]) {
        let (_, top, _, bottom) = PLOT;
        let mut seen = f64::NEG_INFINITY;
        for (i, (msg, _)) in changes.iter().enumerate() {
            let x = self.at(*msg);
            svg.line((x, top - 6.0), (x, bottom), BASELINE, 1.0, "2 3");
            if i >= TOLD {
                continue;
            }
            let mark = (i + 1).to_string();
            if x - seen > 14.0 {
                svg.text((x, top - 10.0), Anchor::Middle, SOFT, 11.0, &mark);
                seen = x;
            }
            let text = format!("{mark}  {} ", cite(self.analysis, *msg));
            let more = self.phrases.nth("more", i);
            let room = WIDTH - 32.0 - svg::width(&text, 11.0) - svg::width(more, 11.0);
            let text = format!("{text}{}{more}", svg::shorten(self.phrases.nth("change", i), 11.0, room));
            svg.text((16.0, bottom + 64.0 + 16.0 * i as f64), Anchor::Start, SOFT, 11.0, &text);
        }
        if changes.len() > TOLD {
            let at = (16.0, bottom + 64.0 + 16.0 * TOLD as f64);
            svg.text(at, Anchor::Start, SOFT, 11.0, self.phrases.get("further"));
        }
    }
}

/// A value holds until the next one is measured.
fn steps(path: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut out: Vec<(f64, f64)> = Vec::with_capacity(path.len() * 2);
    for &(x, y) in path {
        out.extend(out.last().map(|last| (x, last.1)));
        out.push((x, y));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn three_messages_are_followed() {
        let table = |v: u32| format!("| concurrency | output tok/s |\n|---|---|\n| 4 | {v} |\n");
        let session =
            [40, 44, 61].iter().fold(SessionBuilder::new().user("go"), |s, v| s.assistant(&table(*v))).build();
        let figures = super::super::figures_of("timeline", session);
        assert_eq!(figures.len(), 1);
        assert_eq!(
            figures[0].rows.iter().map(|r| r.cells[1].as_str()).collect::<Vec<_>>(),
            ["40 tok/s", "44 tok/s", "61 tok/s"]
        );
        assert!(figures[0].svg.contains(">61 tok/s concurrency 4</text>"), "{}", figures[0].svg);
    }

    #[test]
    fn limits_and_withdrawn_figures_are_drawn() {
        let run = |v: &str| format!("| concurrency | output tok/s |\n|---|---|\n| 1 | {v} |\n");
        let s = SessionBuilder::new().user("go").assistant("The theoretical maximum at concurrency 1 is 90 tok/s.");
        let s = s.assistant(&run("99")).assistant("Ignore that one, it was a cold run.");
        let s = s.assistant(&run("40")).assistant(&run("44")).assistant(&run("61"));
        let figures = super::super::figures_of("timeline", s.build());
        assert_eq!(figures.len(), 1, "{figures:?}");
        let states: Vec<&str> = figures[0].rows.iter().map(|r| r.cells[2].as_str()).collect();
        assert_eq!(states, ["does not count", "counts", "counts", "counts"]);
        assert!(figures[0].svg.contains(">limit 90 tok/s"), "{}", figures[0].svg);
        insta::assert_snapshot!("timeline_with_limit", figures[0].svg);
    }

    #[test]
    fn a_value_holds_until_the_next() {
        assert_eq!(steps(&[(0.0, 1.0), (5.0, 2.0)]), [(0.0, 1.0), (5.0, 1.0), (5.0, 2.0)]);
    }
}
