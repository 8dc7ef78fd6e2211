//! How it moved: a metric over the messages of the session, with the changes of the plan between its measurements.

use std::collections::BTreeMap;

use super::axis::{self, Kind, Scale};
use super::efficiency::capital;
use super::svg::{self, Anchor, BASELINE, GRID, SERIES, SOFT, Svg, TEXT};
use super::{Board, Chart, Figure, FigureRow, words};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::bench::FigureEvidence;
use crate::extract::bench::series::Series;
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
        |g: &Vec<&'_ Series>| -> Vec<usize> { (0..g.len()).filter(|i| is_followed(board.analysis, g[*i])).collect() };
    let groups = board.quantities.iter().map(|g| (g, followed(g))).filter(|(_, f)| !f.is_empty());
    Ok(groups.map(|(g, f)| figure(board.analysis, &f.into_iter().map(|i| g[i]).collect::<Vec<_>>())).collect())
}

fn figure(analysis: &Analysis, group: &[&Series]) -> Figure {
    let drawn = &group[..group.len().min(SERIES.len())];
    let first = group[0];
    let name = words::metric_of(&first.metric, first.statistic.as_deref(), first.scope.as_deref());
    let title = format!("{} over the session", capital(&name));
    let span = group.iter().flat_map(|s| messages(analysis, s));
    let (from, to) = span.fold((MsgIx(u32::MAX), MsgIx(0)), |(a, b), m| (a.min(m), b.max(m)));
    let changes = changes(analysis, from, to);
    let ends = first.points.first().zip(first.points.last());
    let mut description = ends.map_or_else(String::new, |(a, b)| {
        let at = |p: &(u32, f64)| format!("{} {}", words::value(p.1, &first.unit), cite(analysis, point(analysis, p)));
        format!("{} to {} in {} measurements", at(a), at(b), first.points.len())
    });
    if group.len() > drawn.len() {
        description = format!("{description}; {} of {} series are drawn", drawn.len(), group.len());
    }
    description.push('.');
    let told = changes.len().min(TOLD);
    let more = usize::from(changes.len() > told);
    let height = PLOT.3 + 62.0 + if told > 0 { 16.0 * (told + more) as f64 + 10.0 } else { 0.0 };
    let svg = plot(analysis, drawn, &changes, (from, to), &title);
    let (id, svg) = svg.finish("timeline", &first.metric, (WIDTH, height), &title, &description);
    let rows = group.iter().flat_map(|s| {
        s.points.iter().map(|p| FigureRow {
            cells: vec![words::conditions(&s.params), words::value(p.1, &s.unit)],
            msgs: vec![analysis.session.message(point(analysis, p)).label.to_string()],
        })
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

fn plot(
    analysis: &Analysis,
    group: &[&Series],
    changes: &[(MsgIx, Vec<&Transition>)],
    (from, to): (MsgIx, MsgIx),
    title: &str,
) -> Svg {
    let (left, top, right, bottom) = PLOT;
    let unit = &group[0].unit;
    let values = || group.iter().flat_map(|s| s.points.iter().map(|p| p.1));
    let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let log = low > 0.0 && high / low > 30.0;
    let y = if log {
        Scale::log(Kind::Log10, low, high, (bottom, top))
    } else {
        Scale::with_zero(low, high, (bottom, top))
    };
    let x = Scale::between(f64::from(from.0), f64::from(to.0), (left, right));
    let at = |msg: MsgIx| x.at(f64::from(msg.0));
    let mut svg = Svg::default();
    svg.text((16.0, 26.0), Anchor::Start, TEXT, 16.0, &svg::shorten(title, 16.0, WIDTH - 32.0));
    let note = format!(
        "{unit}{}; filled: printed by a tool, hollow: stated; grey rules: the plan changed",
        if log { ", logarithmic" } else { "" }
    );
    svg.text((16.0, 46.0), Anchor::Start, SOFT, 12.0, &note);
    for tick in y.ticks() {
        svg.line((left, y.at(tick)), (right, y.at(tick)), GRID, 1.0, "");
        svg.text((left - 8.0, y.at(tick) + 4.0), Anchor::End, SOFT, 11.0, &axis::number(tick));
    }
    svg.text_up((20.0, (top + bottom) / 2.0), SOFT, 12.0, unit);
    rules(&mut svg, analysis, changes, &at);
    let mut seen = f64::NEG_INFINITY;
    let mut msgs: Vec<MsgIx> = group.iter().flat_map(|s| messages(analysis, s)).collect();
    msgs.sort();
    msgs.dedup();
    for msg in msgs {
        svg.line((at(msg), bottom), (at(msg), bottom + 5.0), SOFT, 1.0, "");
        let text = analysis.session.message(msg).label.to_string();
        let half = svg::width(&text, 11.0) / 2.0;
        if at(msg) - half > seen + 6.0 {
            svg.text((at(msg), bottom + 19.0), Anchor::Middle, SOFT, 11.0, &text);
            seen = at(msg) + half;
        }
    }
    svg.text(((left + right) / 2.0, bottom + 40.0), Anchor::Middle, SOFT, 12.0, "message");
    let mut ends = Vec::new();
    for (i, s) in group.iter().enumerate() {
        let path: Vec<(f64, f64)> = s.points.iter().map(|p| (at(point(analysis, p)), y.at(p.1))).collect();
        svg.path(&steps(&path), SERIES[i], 2.0, super::curve::DASHES[i]);
        for (p, place) in s.points.iter().zip(&path) {
            let claimed = analysis.facts.bench.measurements[p.0 as usize].evidence == FigureEvidence::Claimed;
            svg.mark(*place, i, SERIES[i], claimed);
        }
        let last = s.points.last().map(|p| words::value(p.1, unit)).unwrap_or_default();
        let name = format!("{last} {}", words::conditions(&s.params));
        ends.extend(path.last().map(|p| (p.1, SERIES[i], name)));
    }
    let ends = ends.iter().map(|(y, ink, name)| (*y, *ink, name.as_str())).collect();
    super::curve::end_labels(&mut svg, ends, right + 14.0);
    svg
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

/// Rules where the plan changed; the first ones have a number, told below the picture.
fn rules(svg: &mut Svg, analysis: &Analysis, changes: &[(MsgIx, Vec<&Transition>)], at: &dyn Fn(MsgIx) -> f64) {
    let (_, top, _, bottom) = PLOT;
    let mut seen = f64::NEG_INFINITY;
    for (i, (msg, list)) in changes.iter().enumerate() {
        let x = at(*msg);
        svg.line((x, top - 6.0), (x, bottom), BASELINE, 1.0, "2 3");
        if i >= TOLD {
            continue;
        }
        let mark = (i + 1).to_string();
        if x - seen > 14.0 {
            svg.text((x, top - 10.0), Anchor::Middle, SOFT, 11.0, &mark);
            seen = x;
        }
        let told = |t: &&Transition| format!("{} → {}: {}", word(t.from), word(t.to), t.text);
        let more = if list.len() > 1 { format!(", and {} more", list.len() - 1) } else { String::new() };
        let first = list.first().map(told).unwrap_or_default();
        let text = format!("{mark}  {} ", cite(analysis, *msg));
        let room = WIDTH - 32.0 - svg::width(&text, 11.0) - svg::width(&more, 11.0);
        let text = format!("{text}{}{more}", svg::shorten(&first, 11.0, room));
        svg.text((16.0, bottom + 64.0 + 16.0 * i as f64), Anchor::Start, SOFT, 11.0, &text);
    }
    if changes.len() > TOLD {
        let text = format!("and {} further plan changes", changes.len() - TOLD);
        svg.text((16.0, bottom + 64.0 + 16.0 * TOLD as f64), Anchor::Start, SOFT, 11.0, &text);
    }
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
    fn a_value_holds_until_the_next() {
        assert_eq!(steps(&[(0.0, 1.0), (5.0, 2.0)]), [(0.0, 1.0), (5.0, 1.0), (5.0, 2.0)]);
    }
}
