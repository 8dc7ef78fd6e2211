//! `turnpoint bench`: the figures of a session at a glance, against their limits.

mod brief;
mod model;
mod print;

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::analysis::Analysis;
use crate::cli::exit::{Exit, usage};
use crate::cli::input::{self, InputArgs, Run};
use crate::cli::{limits_config, output};
use crate::extract::bench::limits::matches_metric;
use crate::extract::bench::{Bench, Efficiency, Limit, LimitOrigin, Measurement, MeasurementRole};
use crate::report::chart;
use crate::report::engine::{Engine, Target};
use crate::report::section::value::{label, percent, word};
use crate::tables::csv::guarded;
use brief::Brief;
use model::Row;

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
    /// Show every series in tables, also minima and maxima beside a mean, and more than forty
    #[arg(long)]
    full: bool,
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

/// Targets that the sentence names.
const TARGETS: usize = 5;

/// A limit that was used, or that waits for its inputs.
const LIMITS: &[&str] = &["limit", "metric", "value", "kind", "efficiencies", "derivation", "source"];

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
        let rows = Row::all(analysis, args.series.as_deref());
        let points = args.series.is_some();
        match args.format {
            Format::Svg => self.chart(args, analysis)?,
            Format::Json => self.rows.extend(rows.iter().flat_map(|r| print::json(r, points))),
            Format::Csv => self.table.extend(rows.iter().flat_map(|r| print::csv(r, points))),
            Format::Table | Format::Md => self.for_people(args, analysis, &rows)?,
        }
        Ok(())
    }

    fn for_people(&mut self, args: &Args, analysis: &Analysis, list: &[Row]) -> anyhow::Result<()> {
        let markdown = args.format == Format::Md;
        let engine = Engine::new(if markdown { Target::Markdown } else { Target::Terminal }, None)?;
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let name = output::heading(&input::named(&analysis.session), if markdown { "## " } else { "" });
        let head = engine.render("bench.txt", &headline(analysis, list, args.series.as_deref()))?;
        self.text.push_str(&format!("{name}\n\n{}\n", head.trim()));
        let brief = if args.full { Brief::whole(list) } else { Brief::of(list) };
        let (header, rows): (_, Vec<Vec<String>>) = match args.series {
            Some(_) => (print::POINTS, list.iter().flat_map(print::points).collect()),
            None => (print::OVERVIEW, brief.rows.iter().map(|r| print::overview(r)).collect()),
        };
        let limits = limit_rows(&analysis.facts.bench, args.series.as_deref());
        let (header, rows) = print::without_limits(header, rows);
        let header = header.as_slice();
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
        if args.series.is_none() {
            self.text.push_str(&brief.left_out());
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
                let columns = figures.iter().flat_map(|f| print::CSV_FIGURE.iter().map(move |c| format!("{f}{c}")));
                csv.write_record(print::CSV_HEAD.iter().map(|c| (*c).to_owned()).chain(columns))?;
                let shown = |cell: &String| match cell.parse::<f64>() {
                    Ok(_) => cell.clone(),
                    Err(_) => guarded(cell).into_owned(),
                };
                for row in &self.table {
                    csv.write_record(row.iter().map(shown))?;
                }
                output::print(&String::from_utf8_lossy(&csv.into_inner()?))
            }
            _ => output::print(&self.text),
        }
    }
}

fn headline(analysis: &Analysis, list: &[Row], metric: Option<&str>) -> Value {
    let bench = &analysis.facts.bench;
    let asked = |m: &str| metric.is_none_or(|wanted| wanted == m);
    let of = |e: &Efficiency| bench.measurements[e.measurement as usize].metric.as_str();
    let efficiencies: Vec<&Efficiency> = bench.efficiencies.iter().filter(|e| asked(of(e))).collect();
    // More than the limit says that figure or limit is wrong, not that it is good.
    let possible = efficiencies.iter().filter(|e| e.efficiency <= 1.0);
    let best = possible.max_by(|a, b| a.efficiency.total_cmp(&b.efficiency));
    let metrics = list.iter().map(|s| s.head.metric.as_str()).collect::<std::collections::BTreeSet<_>>();
    let limited: std::collections::BTreeSet<&str> =
        efficiencies.iter().map(|e| bench.measurements[e.measurement as usize].metric.as_str()).collect();
    let measured = |m: &&Measurement| m.role == MeasurementRole::Measured && asked(&m.metric);
    let of_metric = |l: &&Limit| metric.is_none_or(|m| matches_metric(&l.metric, m));
    let (wanted, limits): (Vec<&Limit>, Vec<&Limit>) =
        bench.limits.iter().filter(of_metric).partition(|l| l.kind == "target" && l.origin != LimitOrigin::File);
    let target = |l: &&Limit| {
        let place = l.msg.map(|m| format!(" [msg {}]", label(&analysis.session, m))).unwrap_or_default();
        format!("{} {}{place}", l.metric, print::with_unit(l.value, &l.unit))
    };
    json!({
        "metric": metric,
        "apart": in_no_series(bench.measurements.iter().filter(measured)),
        "figures": list.iter().map(|s| s.points.len()).sum::<usize>(),
        "metrics": metrics.len(),
        "limits": limits.len(),
        "targets": wanted.iter().take(TARGETS).map(target).collect::<Vec<_>>(),
        "more_targets": wanted.len().saturating_sub(TARGETS),
        "best": best.map(|e| percent(e.efficiency)),
        "unlimited": metrics.difference(&limited).collect::<Vec<_>>(),
    })
}

/// What the series do not hold, so that the sum is that of the report.
fn in_no_series<'a>(measured: impl Iterator<Item = &'a Measurement>) -> Vec<String> {
    let (valid, not_valid): (Vec<&Measurement>, Vec<&Measurement>) = measured.partition(|m| m.valid);
    let (spreads, others): (Vec<&Measurement>, Vec<&Measurement>) =
        valid.into_iter().partition(|m| m.statistic.as_deref() == Some("stdev"));
    let ranges = others.iter().filter(|m| m.value.is_none() || m.unit.is_none()).count();
    let apart = [
        (ranges, "range or bound", "ranges or bounds"),
        (spreads.len(), "standard deviation", "standard deviations"),
        (not_valid.len(), "that does not count", "that do not count"),
    ];
    let apart = apart.iter().filter(|(n, ..)| *n > 0);
    apart.map(|(n, one, many)| format!("{n} {}", if *n == 1 { one } else { many })).collect()
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
    let row = |(i, l): (usize, &Limit)| Some(print::limit(l, word(l.origin), uses(i)?));
    let waits = |(id, needs): &(String, Vec<String>)| {
        let needs = format!("no figure states {}", needs.join(" and "));
        vec![id.clone(), String::new(), "not known".to_owned(), String::new(), String::new(), needs, String::new()]
    };
    bench.limits.iter().enumerate().filter_map(row).chain(bench.waiting_limits.iter().map(waits)).collect()
}
