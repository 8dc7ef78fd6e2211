//! `turnpoint bench`: the figures of a session at a glance, against their limits.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::exit::{Exit, usage};
use super::input::{self, InputArgs, Run};
use super::{limits_config, output};
use crate::analysis::Analysis;
use crate::extract::bench::limits::matches_metric;
use crate::extract::bench::series::{Series, series};
use crate::extract::bench::{Bench, Efficiency, Limit};
use crate::report::chart;
use crate::report::engine::{Engine, Target};
use crate::report::section::value::{label, number, percent, word};

/// Show the benchmark figures: first, best and last of each, limit, efficiency and gap
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// Limits to measure against, as docs/benchmarks.md describes them
    #[arg(long, value_name = "FILE")]
    limits: Option<PathBuf>,
    /// Show every point of this metric instead, such as output_throughput
    #[arg(long, value_name = "METRIC")]
    series: Option<String>,
    /// How to print it; svg is the first chart (of the metric that --series names)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    #[default]
    Table,
    Json,
    Csv,
    Md,
    Svg,
}

/// One line of the overview.
const OVERVIEW: &[&str] = &["metric", "conditions", "first", "best", "last", "limit", "efficiency", "gap", "messages"];
/// One point of a series.
const POINTS: &[&str] = &["message", "metric", "conditions", "value", "evidence", "limit", "efficiency", "gap"];

/// A limit that was used, or that waits for its inputs.
const LIMITS: &[&str] = &["limit", "metric", "value", "kind", "efficiencies", "derivation", "source"];

/// What a CSV row says of its series.
const CSV_HEAD: &[&str] = &["session_id", "metric", "statistic", "scope", "conditions", "unit", "points"];
/// What it says of a figure: plain numbers in `unit`, shares of 1, nothing where it is not known.
const CSV_FIGURE: &[&str] = &["msg", "value", "evidence", "limit_id", "limit_value", "efficiency", "gap"];

pub(crate) fn run(args: Args, run: &Run) -> anyhow::Result<Exit> {
    let config = limits_config(args.limits.as_deref())?;
    let mut any = false;
    let mut out = Printed::default();
    run.each(&args.input, &config, false, |analysis| {
        any = true;
        out.session(&args, &analysis)
    })?;
    if !any {
        return Ok(run.nothing_found());
    }
    out.finish(&args)?;
    Ok(Exit::Done)
}

/// What is printed at the end, for formats that hold all sessions in one.
#[derive(Default)]
struct Printed {
    text: String,
    rows: Vec<Value>,
    table: Vec<Vec<String>>,
}

impl Printed {
    fn session(&mut self, args: &Args, analysis: &Analysis) -> anyhow::Result<()> {
        let bench = &analysis.facts.bench;
        let wanted = |s: &Series| args.series.as_ref().is_none_or(|m| *m == s.metric);
        let list: Vec<Series> = series(bench).into_iter().filter(wanted).collect();
        let points = args.series.is_some();
        match args.format {
            Format::Svg => self.chart(args, analysis)?,
            Format::Json => self.rows.extend(list.iter().flat_map(|s| json_rows(analysis, s, points))),
            Format::Csv => self.table.extend(list.iter().flat_map(|s| csv_rows(analysis, s, points))),
            Format::Table | Format::Md => self.for_people(args, analysis, &list)?,
        }
        Ok(())
    }

    fn for_people(&mut self, args: &Args, analysis: &Analysis, list: &[Series]) -> anyhow::Result<()> {
        let markdown = args.format == Format::Md;
        let engine = Engine::new(if markdown { Target::Markdown } else { Target::Terminal }, None)?;
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let mark = if markdown { "## " } else { "" };
        let name = output::one_line(&input::named(&analysis.session));
        let head = engine.render("bench.txt", &headline(&analysis.facts.bench, list, args.series.as_deref()))?;
        self.text.push_str(&format!("{mark}{name}\n\n{}\n", head.trim()));
        let (header, rows): (_, Vec<Vec<String>>) = match args.series {
            Some(_) => (POINTS, list.iter().flat_map(|s| point_rows(analysis, s)).collect()),
            None => (OVERVIEW, list.iter().map(|s| overview(analysis, s)).collect()),
        };
        let limits = limit_rows(&analysis.facts.bench, args.series.as_deref());
        for (header, rows) in [(header, rows), (LIMITS, limits)] {
            if !rows.is_empty() {
                self.text.push('\n');
                self.text.push_str(&if markdown {
                    output::markdown(header, &rows)
                } else {
                    output::grid(header, &rows)
                });
            }
        }
        Ok(())
    }

    /// The first chart of the metric; only one picture fits into a file.
    fn chart(&mut self, args: &Args, analysis: &Analysis) -> anyhow::Result<()> {
        if self.text.is_empty() {
            let figures = chart::draw(&Engine::new(Target::Terminal, None)?, analysis)?;
            let fits = |f: &&chart::Figure| f.section == "bench" && args.series.as_ref().is_none_or(|m| *m == f.metric);
            if let Some(figure) = figures.iter().find(fits) {
                self.text.clone_from(&figure.svg);
            }
        }
        Ok(())
    }

    fn finish(self, args: &Args) -> anyhow::Result<()> {
        match args.format {
            Format::Svg if self.text.is_empty() => {
                Err(usage("nothing to draw: no metric was measured often enough, or --series names another metric"))
            }
            Format::Json => output::print_json(&self.rows),
            Format::Csv => {
                let figures: &[&str] = if args.series.is_some() { &[""] } else { &["first_", "best_", "last_"] };
                let mut csv = csv::Writer::from_writer(Vec::new());
                let columns = figures.iter().flat_map(|f| CSV_FIGURE.iter().map(move |c| format!("{f}{c}")));
                csv.write_record(CSV_HEAD.iter().map(|c| (*c).to_owned()).chain(columns))?;
                for row in &self.table {
                    csv.write_record(row)?;
                }
                output::print(&String::from_utf8_lossy(&csv.into_inner()?))
            }
            _ => output::print(&self.text),
        }
    }
}

fn headline(bench: &Bench, list: &[Series], metric: Option<&str>) -> Value {
    let asked = |m: &str| metric.is_none_or(|wanted| wanted == m);
    let of = |e: &Efficiency| bench.measurements[e.measurement as usize].metric.as_str();
    let efficiencies: Vec<&Efficiency> = bench.efficiencies.iter().filter(|e| asked(of(e))).collect();
    // More than the limit says that figure or limit is wrong, not that it is good.
    let possible = efficiencies.iter().filter(|e| e.efficiency <= 1.0);
    let best = possible.max_by(|a, b| a.efficiency.total_cmp(&b.efficiency));
    let metrics = list.iter().map(|s| s.metric.as_str()).collect::<std::collections::BTreeSet<_>>();
    let limited: std::collections::BTreeSet<&str> =
        efficiencies.iter().map(|e| bench.measurements[e.measurement as usize].metric.as_str()).collect();
    json!({
        "metric": metric,
        "figures": list.iter().map(|s| s.points.len()).sum::<usize>(),
        "metrics": metrics.len(),
        "limits": bench.limits.iter().filter(|l| metric.is_none_or(|m| matches_metric(&l.metric, m))).count(),
        "best": best.map(|e| percent(e.efficiency)),
        "unlimited": metrics.difference(&limited).collect::<Vec<_>>(),
    })
}

/// The efficiency of a measurement, with its limit.
fn efficiency(bench: &Bench, measurement: u32) -> Option<(&Efficiency, &Limit)> {
    let found = bench.efficiencies.iter().find(|e| e.measurement == measurement)?;
    Some((found, &bench.limits[found.limit as usize]))
}

/// The limits that figures were set against, with their derivations; and those that wait for inputs.
fn limit_rows(bench: &Bench, metric: Option<&str>) -> Vec<Vec<String>> {
    let uses = |i: usize| {
        let all = bench.efficiencies.iter().chain(&bench.other_efficiencies).filter(move |e| e.limit as usize == i);
        let asked = all.filter(|e| metric.is_none_or(|m| bench.measurements[e.measurement as usize].metric == m));
        let shares: Vec<f64> = asked.map(|e| e.efficiency).collect();
        let (lo, hi) = shares.iter().fold((f64::INFINITY, 0.0f64), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
        match shares.len() {
            0 => None,
            1 => Some(format!("{} %", percent(hi))),
            n => Some(format!("{} to {} % ({n})", percent(lo), percent(hi))),
        }
    };
    let row = |(i, l): (usize, &Limit)| {
        let band = l.band.map(|(lo, hi)| format!(" (between {} and {})", number(lo), number(hi))).unwrap_or_default();
        let value = format!("{}{band}", with_unit(l.value, &l.unit));
        let kind = format!("{}, {}", l.kind, word(l.origin));
        let derivation = l.derivation.clone().unwrap_or_else(|| "not stated".to_owned());
        Some(vec![l.id.clone(), l.metric.clone(), value, kind, uses(i)?, derivation, l.source.clone()])
    };
    let waits = |(id, needs): &(String, Vec<String>)| {
        let needs = format!("no figure states {}", needs.join(" and "));
        vec![id.clone(), String::new(), "not known".to_owned(), String::new(), String::new(), needs, String::new()]
    };
    bench.limits.iter().enumerate().filter_map(row).chain(bench.waiting_limits.iter().map(waits)).collect()
}

fn name(s: &Series) -> String {
    let extra: Vec<&str> = [&s.statistic, &s.scope].into_iter().filter_map(|o| o.as_deref()).collect();
    if extra.is_empty() { s.metric.clone() } else { format!("{} ({})", s.metric, extra.join(", ")) }
}

fn conditions(s: &Series) -> String {
    crate::report::section::value::pairs(&s.params)
}

fn with_unit(value: f64, unit: &str) -> String {
    format!("{} {unit}", number(value))
}

/// Limit, efficiency and gap as shown.
fn against(bench: &Bench, measurement: u32) -> [String; 3] {
    match efficiency(bench, measurement) {
        Some((e, l)) => {
            let limit = format!("{} ({})", with_unit(l.value, &l.unit), word(l.origin));
            [limit, format!("{} %", percent(e.efficiency)), format!("{} %", percent(e.gap))]
        }
        None => ["not known".to_owned(), String::new(), String::new()],
    }
}

fn overview(analysis: &Analysis, s: &Series) -> Vec<String> {
    let bench = &analysis.facts.bench;
    let (Some(first), Some(last), Some(best)) = (s.points.first(), s.points.last(), s.best()) else {
        return Vec::new();
    };
    let msg = |p: &(u32, f64)| label(&analysis.session, bench.measurements[p.0 as usize].msg);
    let one = s.points.len() == 1;
    let shown = |p: &(u32, f64)| if one { String::new() } else { format!("{} [msg {}]", number(p.1), msg(p)) };
    let mut msgs: Vec<String> = s.points.iter().map(msg).collect();
    msgs.dedup();
    let [limit, share, gap] = against(bench, best.0);
    let first_cell = format!("{} [msg {}]", with_unit(first.1, &s.unit), msg(first));
    vec![name(s), conditions(s), first_cell, shown(&best), shown(last), limit, share, gap, msgs.join(", ")]
}

fn point_rows(analysis: &Analysis, s: &Series) -> Vec<Vec<String>> {
    let bench = &analysis.facts.bench;
    let row = |&(i, value): &(u32, f64)| {
        let m = &bench.measurements[i as usize];
        let [limit, share, gap] = against(bench, i);
        let shown = with_unit(value, &s.unit);
        vec![label(&analysis.session, m.msg), name(s), conditions(s), shown, word(m.evidence), limit, share, gap]
    };
    s.points.iter().map(row).collect()
}

/// Rows for programs: one for each point, or one with the first, best and last.
fn csv_rows(analysis: &Analysis, s: &Series, points: bool) -> Vec<Vec<String>> {
    let bench = &analysis.facts.bench;
    let text = |o: &Option<String>| o.clone().unwrap_or_default();
    let head = [&analysis.session.id, &s.metric, &text(&s.statistic), &text(&s.scope), &conditions(s), &s.unit]
        .map(String::clone);
    let figure = |(i, value): (u32, f64)| {
        let m = &bench.measurements[i as usize];
        let found = efficiency(bench, i);
        let share = |of: fn(&Efficiency) -> f64| found.map(|(e, _)| of(e).to_string()).unwrap_or_default();
        let limit_id = found.map(|(_, l)| l.id.clone()).unwrap_or_default();
        let label = label(&analysis.session, m.msg);
        let shares = [share(|e| e.limit_in_unit), share(|e| e.efficiency), share(|e| e.gap)];
        [label, value.to_string(), word(m.evidence), limit_id].into_iter().chain(shares)
    };
    let row = |figures: &[(u32, f64)]| {
        let points = std::iter::once(s.points.len().to_string());
        head.iter().cloned().chain(points).chain(figures.iter().flat_map(|p| figure(*p))).collect()
    };
    if points {
        return s.points.iter().map(|p| row(&[*p])).collect();
    }
    match (s.points.first(), s.best(), s.points.last()) {
        (Some(first), Some(best), Some(last)) => vec![row(&[*first, best, *last])],
        _ => Vec::new(),
    }
}

fn json_rows(analysis: &Analysis, s: &Series, points: bool) -> Vec<Value> {
    let bench = &analysis.facts.bench;
    let point = |&(i, value): &(u32, f64)| {
        let m = &bench.measurements[i as usize];
        let found = efficiency(bench, i);
        json!({
            "msg": label(&analysis.session, m.msg), "value": value, "phase": m.phase, "evidence": word(m.evidence),
            "quote": analysis.session.quote(&m.span),
            "stated_again": m.citations.iter().map(|c| label(&analysis.session, c.msg)).collect::<Vec<_>>(),
            "limit_id": found.map(|(_, l)| &l.id), "limit_derivation": found.and_then(|(_, l)| l.derivation.as_ref()),
            "other_limits": bench.other_efficiencies.iter().filter(|e| e.measurement == i).map(|e| {
                let l = &bench.limits[e.limit as usize];
                json!({ "limit_id": l.id, "limit_value": e.limit_in_unit, "efficiency": e.efficiency, "gap": e.gap, "standing": word(e.standing) })
            }).collect::<Vec<_>>(), "limit_value": found.map(|(e, _)| e.limit_in_unit),
            "efficiency": found.map(|(e, _)| e.efficiency), "gap": found.map(|(e, _)| e.gap),
        })
    };
    let head = json!({
        "session_id": analysis.session.id, "metric": s.metric, "statistic": s.statistic, "scope": s.scope,
        "params": s.params, "unit": s.unit, "higher_is_better": s.higher_is_better,
    });
    let with = |more: Value| {
        let mut row = head.clone();
        if let (Some(row), Value::Object(more)) = (row.as_object_mut(), more) {
            row.extend(more);
        }
        row
    };
    if points {
        return s.points.iter().map(|p| with(point(p))).collect();
    }
    let (first, best, last) = (s.points.first().map(point), s.best().map(|p| point(&p)), s.points.last().map(point));
    vec![with(json!({ "points": s.points.len(), "first": first, "best": best, "last": last }))]
}
