//! Several sessions side by side: the same quantities, the plans, the discrepancies, and where their set-up differs.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::chart::words;
use super::section::change::{in_prose, signed};
use super::section::opening::{Tests, tests};
use super::section::summary::PlanFigures;
use super::section::value::{duration, grouped, label};
use crate::analysis::Analysis;
use crate::extract::bench::MeasurementRole;
use crate::extract::bench::series::series;
use crate::extract::bench::units::Unit;
use crate::session::Usage;

/// Sessions that get a column each; of more, the lowest and the highest are told.
const COLUMNS: usize = 4;
/// Rows of a table.
const ROWS: usize = 60;
/// Values of one condition in one session.
const VALUES: usize = 4;

/// What is kept of a session to compare it with others.
#[derive(Debug, Clone)]
pub struct Side {
    figures: BTreeMap<Quantity, Figure>,
    plan: Option<PlanFigures>,
    work: Work,
    rules: BTreeMap<&'static str, (usize, String)>,
    setup: BTreeMap<String, BTreeSet<String>>,
    first: Option<String>,
    last: Option<String>,
}

/// What a session took, and how its tests ended.
#[derive(Debug, Clone, Serialize)]
struct Work {
    took: Option<String>,
    calls: usize,
    failed: usize,
    files: usize,
    tests: Option<Tests>,
    /// Tokens that came out, and that went in without a cache; not known where no reply tells them.
    output: Option<String>,
    input: Option<String>,
    /// Replies that do not tell them.
    untold: usize,
}

/// Metric, statistic, scope, dimension and conditions: what makes two figures comparable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Quantity {
    metric: String,
    statistic: Option<String>,
    scope: Option<String>,
    dimension: String,
    params: BTreeMap<String, String>,
}

#[derive(Debug, Clone)]
struct Figure {
    value: f64,
    unit: String,
    higher_is_better: bool,
    msg: String,
    /// Told in prose, where conditions are seldom complete.
    prose: bool,
}

/// The comparison as its template takes it.
#[derive(Debug, Serialize)]
pub struct Comparison {
    sessions: usize,
    /// A column for each session.
    columns: bool,
    metrics: Vec<Row>,
    metrics_left: usize,
    /// Quantities measured in one session only.
    alone: usize,
    plans: Vec<PlanRow>,
    work: Vec<Work>,
    rules: Vec<RuleRow>,
    setup: Vec<SetupRow>,
}

#[derive(Debug, Serialize)]
struct Row {
    metric: String,
    params: String,
    more_is_better: bool,
    /// One for each session that has it, or lowest and highest of many.
    cells: Vec<Option<Cell>>,
    known: usize,
}

#[derive(Debug, Serialize)]
struct Cell {
    session: usize,
    value: String,
    msg: String,
    prose: bool,
    /// Against the first session that has it, in per cent with its sign.
    percent: Option<String>,
}

#[derive(Debug, Serialize)]
struct PlanRow {
    session: usize,
    first: Option<String>,
    last: Option<String>,
    plan: Option<PlanFigures>,
}

#[derive(Debug, Serialize)]
struct RuleRow {
    rule: &'static str,
    total: usize,
    cells: Vec<RuleCell>,
}

#[derive(Debug, Serialize)]
struct RuleCell {
    session: usize,
    count: usize,
    msg: String,
}

#[derive(Debug, Serialize)]
struct SetupRow {
    what: String,
    values: Vec<SetupCell>,
}

#[derive(Debug, Serialize)]
struct SetupCell {
    sessions: Vec<usize>,
    values: Vec<String>,
}

impl Side {
    /// What is compared of one session.
    pub fn of(analysis: &Analysis) -> Self {
        let session = &analysis.session;
        let on_main: Vec<_> = session.live().filter(|(ix, _)| session.on_main(*ix)).map(|(ix, _)| ix).collect();
        let mut rules: BTreeMap<&'static str, (usize, String)> = BTreeMap::new();
        for d in &analysis.discrepancies {
            rules.entry(d.rule).or_insert_with(|| (0, label(session, d.msg))).0 += 1;
        }
        Self {
            figures: figures(analysis),
            plan: PlanFigures::of(analysis),
            work: work(analysis),
            rules,
            setup: setup(analysis),
            first: on_main.first().map(|ix| label(session, *ix)),
            last: on_main.last().map(|ix| label(session, *ix)),
        }
    }
}

fn work(analysis: &Analysis) -> Work {
    let session = &analysis.session;
    let calls = || session.calls().filter(|(at, _)| !session.message(at.msg).abandoned);
    let mut usage = Usage::default();
    let replies = session.messages.iter().filter(|m| m.copied_from.is_none() && m.model.is_some());
    replies.clone().for_each(|m| usage.add(m.usage));
    session.totals.values().for_each(|total| usage.add(*total));
    Work {
        took: session.first_at().zip(session.last_at()).map(|(a, b)| duration(a, b)),
        calls: calls().count(),
        failed: calls().filter(|(_, c)| c.failed()).count(),
        files: analysis.facts.artefacts.iter().filter(|a| !a.written.is_empty()).count(),
        tests: tests(session),
        output: usage.output.map(grouped),
        input: usage.input.map(grouped),
        untold: if session.totals.is_empty() { replies.filter(|m| m.usage.output.is_none()).count() } else { 0 },
    }
}

/// The last valid figure of each quantity.
fn figures(analysis: &Analysis) -> BTreeMap<Quantity, Figure> {
    let bench = &analysis.facts.bench;
    let each = series(bench).into_iter().filter_map(|s| {
        let &(at, value) = s.points.last()?;
        let dimension = Unit::parse(&s.unit).map_or_else(|| s.unit.clone(), |u| format!("{:?}", u.dimension));
        let m = &bench.measurements[at as usize];
        let (msg, prose) = (label(&analysis.session, m.msg), in_prose(m));
        let figure = Figure { value, unit: s.unit, higher_is_better: s.higher_is_better, msg, prose };
        Some((
            Quantity { metric: s.metric, statistic: s.statistic, scope: s.scope, dimension, params: s.params },
            figure,
        ))
    });
    each.collect()
}

/// Program, models and folder; and the conditions under which was measured.
fn setup(analysis: &Analysis) -> BTreeMap<String, BTreeSet<String>> {
    let session = &analysis.session;
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |what: &str, value: &str| {
        out.entry(what.to_owned()).or_default().insert(value.to_owned());
    };
    add("agent", &session.agent);
    session.version.iter().for_each(|v| add("agent version", v));
    session.models().into_iter().for_each(|m| add("model", m));
    session.cwd.iter().for_each(|c| add("directory", c));
    let measured = analysis.facts.bench.measurements.iter().filter(|m| m.role == MeasurementRole::Measured);
    measured.flat_map(|m| &m.params).for_each(|(k, v)| add(&format!("measured with {}", k.replace('_', " ")), v));
    out
}

/// Compares sessions, in their order.
pub fn compare(sides: &[Side]) -> Comparison {
    let columns = sides.len() <= COLUMNS;
    let mut shared: BTreeMap<&Quantity, Vec<(usize, &Figure)>> = BTreeMap::new();
    for (i, side) in sides.iter().enumerate() {
        side.figures.iter().for_each(|(q, f)| shared.entry(q).or_default().push((i, f)));
    }
    let alone = shared.values().filter(|v| v.len() == 1).count();
    let mut metrics: Vec<Row> =
        shared.into_iter().filter(|(_, v)| v.len() > 1).map(|(q, v)| row(q, &v, sides.len(), columns)).collect();
    metrics.sort_by_cached_key(|r| (r.metric.clone(), natural(&r.params)));
    let metrics_left = metrics.len().saturating_sub(ROWS);
    metrics.truncate(ROWS);
    let plans = sides.iter().enumerate().map(|(i, s)| PlanRow {
        session: i + 1,
        first: s.first.clone(),
        last: s.last.clone(),
        plan: s.plan.clone(),
    });
    Comparison {
        sessions: sides.len(),
        columns,
        metrics,
        metrics_left,
        alone,
        plans: plans.take(ROWS).collect(),
        work: sides.iter().map(|s| s.work.clone()).take(ROWS).collect(),
        rules: rules(sides),
        setup: differences(sides),
    }
}

fn row(q: &Quantity, figures: &[(usize, &Figure)], sessions: usize, columns: bool) -> Row {
    let (_, first) = figures[0];
    let in_unit = |f: &Figure| match (Unit::parse(&f.unit), Unit::parse(&first.unit)) {
        (Some(from), Some(to)) => from.convert(f.value, &to).unwrap_or(f.value),
        _ => f.value,
    };
    let cell = |(i, f): &(usize, &Figure)| Cell {
        session: i + 1,
        value: words::value(in_unit(f), &first.unit),
        msg: f.msg.clone(),
        prose: f.prose,
        percent: (*i != figures[0].0 && first.value > 0.0).then(|| signed(in_unit(f) / first.value - 1.0)),
    };
    let cells = if columns {
        (0..sessions).map(|n| figures.iter().find(|(i, _)| *i == n).map(cell)).collect()
    } else {
        let by =
            |a: &&(usize, &Figure), b: &&(usize, &Figure)| in_unit(a.1).total_cmp(&in_unit(b.1)).then(a.0.cmp(&b.0));
        vec![figures.iter().min_by(by).map(cell), figures.iter().max_by(by).map(cell)]
    };
    Row {
        metric: words::metric_of(&q.metric, q.statistic.as_deref(), q.scope.as_deref()),
        params: words::conditions(&q.params),
        more_is_better: first.higher_is_better,
        known: figures.len(),
        cells,
    }
}

/// A text to sort by, with its numbers by size: 4 before 16.
fn natural(text: &str) -> Vec<(String, u64)> {
    let words = text.split([' ', ',', 'x']);
    words.map(|w| w.parse().map_or_else(|_| (w.to_owned(), 0), |n| (String::new(), n))).collect()
}

fn rules(sides: &[Side]) -> Vec<RuleRow> {
    let mut rules: BTreeMap<&'static str, Vec<RuleCell>> = BTreeMap::new();
    for (i, side) in sides.iter().enumerate() {
        for (rule, (count, msg)) in &side.rules {
            rules.entry(rule).or_default().push(RuleCell { session: i + 1, count: *count, msg: msg.clone() });
        }
    }
    let row = |(rule, cells): (&'static str, Vec<RuleCell>)| {
        let total = cells.iter().map(|c| c.count).sum();
        RuleRow { rule, total, cells }
    };
    let mut rows: Vec<RuleRow> = rules.into_iter().map(row).collect();
    rows.sort_by_key(|r| (std::cmp::Reverse(r.total), r.rule));
    rows
}

/// What is known of at least two sessions and not the same in all that know it; sessions with equal values stand together.
fn differences(sides: &[Side]) -> Vec<SetupRow> {
    let names: BTreeSet<&String> = sides.iter().flat_map(|s| s.setup.keys()).collect();
    let of = |name: &String| {
        let mut groups: Vec<(&BTreeSet<String>, Vec<usize>)> = Vec::new();
        for (i, side) in sides.iter().enumerate() {
            let Some(values) = side.setup.get(name) else { continue };
            // A condition with many values was varied on purpose.
            if values.len() > VALUES {
                return None;
            }
            match groups.iter_mut().find(|(v, _)| *v == values) {
                Some((_, sessions)) => sessions.push(i + 1),
                None => groups.push((values, vec![i + 1])),
            }
        }
        let cell = |(values, sessions): (&BTreeSet<String>, Vec<usize>)| SetupCell {
            sessions,
            values: values.iter().cloned().collect(),
        };
        (groups.len() > 1).then(|| SetupRow { what: name.clone(), values: groups.into_iter().map(cell).collect() })
    };
    names.into_iter().filter_map(of).take(ROWS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::analyse;
    use crate::extract::Config;
    use crate::session::build::SessionBuilder;

    fn side(table: &str) -> Side {
        let text = format!("Benchmark results\n\n| concurrency | output tok/s |\n|--:|--:|\n{table}");
        Side::of(&analyse(SessionBuilder::new().user("measure").assistant(&text).build(), &Config::default(), false))
    }

    #[test]
    fn only_figures_under_the_same_conditions_are_compared() {
        let told = compare(&[side("| 1 | 40 |\n| 8 | 200 |"), side("| 1 | 50 |\n| 16 | 300 |")]);
        assert_eq!((told.metrics.len(), told.alone), (1, 2));
        let cells: Vec<_> =
            told.metrics[0].cells.iter().flatten().map(|c| (c.session, &*c.value, c.percent.as_deref())).collect();
        assert_eq!(cells, [(1, "40 tok/s", None), (2, "50 tok/s", Some("+25"))]);
    }

    #[test]
    fn what_each_session_took_is_told() {
        let session = SessionBuilder::new().user("go").shell("pytest", 1, "=== 2 failed, 5 passed in 0.1s ===").build();
        let side = Side::of(&analyse(session, &Config::default(), false));
        let work = &compare(&[side.clone(), side]).work;
        let tests = work[1].tests.as_ref().map(|t| (t.failed, t.of));
        assert_eq!((work.len(), work[1].calls, work[1].failed, tests), (2, 1, 1, Some((2, 7))));
        assert_eq!((&work[1].output, &work[1].input), (&None, &None));
    }

    #[test]
    fn of_many_sessions_the_lowest_and_the_highest_are_told() {
        let sides: Vec<Side> = (1..=6).map(|n| side(&format!("| 1 | {} |", 10 * n))).collect();
        let row = &compare(&sides).metrics[0];
        let ends: Vec<_> = row.cells.iter().flatten().map(|c| c.session).collect();
        assert_eq!((row.known, ends), (6, vec![1, 6]));
    }
}
