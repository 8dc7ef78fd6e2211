//! `turnpoint plan`: which messages changed the plan, from what to what, and what proves it.

use std::ops::RangeInclusive;

use clap::ValueEnum;

use super::exit::{Exit, usage};
use super::input::{self, InputArgs, Run};
use super::output;
use crate::analysis::Analysis;
use crate::extract::plan::evidence::{Effort, efforts};
use crate::extract::plan::{
    Evidence, Plan, PlanList, PlanSnapshot, PlanSource, SnapshotItem, Transition, TransitionKind,
};
use crate::extract::{Config, artefacts};
use crate::report::engine::{Engine, Target};
use crate::report::plan::{completion, headline, headline_at, order, timeline, xes};
use crate::report::section::value::{label, time};
use crate::report::text::escape;
use crate::session::{MsgIx, Session, ThreadIx};
use crate::tables::csv::CsvWriter;
use crate::tables::ndjson::{JsonWriter, Layout};
use crate::tables::{Table, find};

/// Show which messages changed the plan, from what to what, and what proves it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// Only changes in these messages, both ends included: 12..40, 12.., ..40, 12
    #[arg(long, value_name = "A..B")]
    msg: Option<String>,
    /// Only items whose label is this (T3), or whose text holds this
    #[arg(long, value_name = "TEXT")]
    item: Option<String>,
    /// Only changes of this kind, such as completed; may be given several times
    #[arg(long, value_name = "K", value_delimiter = ',', value_parser = kind)]
    kind: Vec<TransitionKind>,
    /// Show the list as it stood after this message
    #[arg(long, value_name = "MSG", conflicts_with_all = ["final_list", "kind", "msg"])]
    at: Option<String>,
    /// Show the list as it stands at the end
    #[arg(long = "final", conflicts_with_all = ["kind", "msg"])]
    final_list: bool,
    /// Show each item's states over the session as a chart in text
    #[arg(long, conflicts_with_all = ["at", "final_list", "kind", "msg"])]
    timeline: bool,
    /// How to print it; xes is the event log that process mining tools read
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    #[default]
    Table,
    Json,
    Ndjson,
    Csv,
    Md,
    Xes,
}

fn kind(word: &str) -> Result<TransitionKind, String> {
    word.parse().map_err(|()| {
        let words: Vec<&str> = TransitionKind::ALL.iter().map(|k| k.word()).collect();
        format!("not a kind of change; the kinds are {}", words.join(", "))
    })
}

pub(crate) fn run(args: Args, run: &Run) -> anyhow::Result<Exit> {
    let list = args.at.is_some() || args.final_list;
    if (list || args.timeline) && args.format == Format::Xes {
        return Err(usage("an event log holds changes: xes goes with neither --at, --final nor --timeline"));
    }
    if args.timeline && !matches!(args.format, Format::Table | Format::Md) {
        return Err(usage("--timeline is a chart in text: it goes with --format table only"));
    }
    match args.format {
        Format::Table | Format::Md => for_people(&args, run),
        Format::Xes => event_log(&args, run),
        Format::Json | Format::Ndjson | Format::Csv => rows(&args, run),
    }
}

/// Hands over every session; `--at` names a message of one.
fn each(args: &Args, run: &Run, mut take: impl FnMut(&Analysis) -> anyhow::Result<()>) -> anyhow::Result<Exit> {
    if args.at.is_some() {
        take(&run.one(&args.input, &Config::default(), false)?)?;
        return Ok(Exit::Done);
    }
    let (mut any, mut met) = (false, false);
    run.each(&args.input, &Config::default(), false, |analysis| {
        any = true;
        met |= args.item.as_ref().is_none_or(|item| mentions(&analysis.facts.plan, &item.to_lowercase()));
        take(&analysis)
    })?;
    if any && !met {
        run.say(&format!("no item of a plan is or holds `{}`", args.item.as_deref().unwrap_or_default()));
    }
    Ok(if any { Exit::Done } else { run.nothing_found() })
}

/// Whether an item of the plan bears this label, or held this text at any time.
fn mentions(plan: &Plan, wanted: &str) -> bool {
    plan.items.iter().any(|i| names(wanted, Some(&i.label), []))
        || plan.transitions.iter().any(|t| names(wanted, None, [Some(&t.text), t.old_text.as_ref()]))
}

fn for_people(args: &Args, run: &Run) -> anyhow::Result<Exit> {
    let markdown = args.format == Format::Md;
    // In Markdown too the sentences cite without links: no messages follow that they could lead to.
    let engine = Engine::new(Target::Terminal, None)?;
    let mut sessions = 0;
    each(args, run, |analysis| {
        let (session, plan) = (&analysis.session, &analysis.facts.plan);
        let mut out = String::new();
        if sessions > 0 {
            out.push('\n');
        }
        sessions += 1;
        out.push_str(&output::heading(&input::named(session), if markdown { "## " } else { "" }));
        out.push_str("\n\n");
        let head = match args.at.as_deref() {
            Some(name) => headline_at(&engine, analysis, input::message(session, name)?)?,
            None => headline(&engine, analysis)?,
        };
        out.push_str(&if markdown { head.lines().map(escape).collect::<Vec<_>>().join("\n") } else { head });
        out.push('\n');
        if args.at.is_none() && !args.final_list {
            let order = order(&engine, analysis)?;
            out.push_str(&if order.is_empty() {
                order
            } else {
                format!("{}{order}\n", if markdown { "\n" } else { "" })
            });
        }
        let (header, rows) = if args.timeline {
            if !plan.items.is_empty() {
                let width = output::terminal_width().map(usize::from);
                let chart = timeline::timeline(session, plan, width);
                out.push_str(&if markdown { format!("\n```text\n{chart}```\n") } else { format!("\n{chart}") });
            }
            (LIST, Vec::new())
        } else if args.final_list || args.at.is_some() {
            (LIST, list_rows(args, session, plan)?)
        } else {
            (CHANGES, change_rows(args, session, plan)?)
        };
        if !rows.is_empty() {
            out.push('\n');
            out.push_str(&if markdown { output::markdown(header, &rows) } else { output::grid(header, &rows) });
        }
        output::print(&out)
    })
}

const CHANGES: &[&str] = &["message", "time (UTC)", "item", "from → to", "kind", "evidence", "took"];
const LIST: &[&str] = &["item", "state", "text", "priority", "last written", "list"];

fn change_rows(args: &Args, session: &Session, plan: &Plan) -> anyhow::Result<Vec<Vec<String>>> {
    let wanted = Wanted::new(args, session)?;
    let efforts = efforts(session, plan);
    let shown = plan.transitions.iter().enumerate().filter(|(_, t)| wanted.has(plan, t));
    Ok(shown.map(|(at, t)| change_row(session, plan, t, efforts.get(&at))).collect())
}

fn change_row(session: &Session, plan: &Plan, t: &Transition, effort: Option<&Effort>) -> Vec<String> {
    let name = t.item.map_or("the list", |i| &plan.items[i.at()].label);
    let mut item = format!("{name} {}", t.text);
    if let Some(old) = &t.old_text {
        item.push_str(&format!(" (before: {old})"));
    }
    let mut kind = t.kind.word().to_owned();
    if t.confidence < Transition::UNCERTAIN {
        kind.push_str(" (uncertain)");
    }
    let source = plan.snapshots[t.snapshot as usize].source;
    if source != PlanSource::Tool {
        kind.push_str(&format!(" ({})", source.word()));
    }
    let states = if t.item.is_none() { "–".into() } else { format!("{} → {}", t.from, t.to) };
    vec![
        session.message(t.msg).label.cite(),
        session.message(t.msg).at.map(time).unwrap_or_else(|| "not known".into()),
        item,
        states,
        kind,
        evidence(session, t),
        effort.map_or_else(|| "–".into(), completion::took),
    ]
}

/// The messages whose calls bear on a completion, strongest first, with what those calls came to.
fn evidence(session: &Session, t: &Transition) -> String {
    let told = |e: &Evidence| {
        let (cite, outcome) = (session.message(e.call.msg).label.cite(), completion::outcome(session, e));
        if outcome.is_empty() { cite } else { format!("{cite} ({outcome})") }
    };
    let shown: Vec<String> = completion::proofs(t, 3).into_iter().map(told).collect();
    if shown.is_empty() { t.without_evidence().into() } else { shown.join(", ") }
}

/// Which rows are asked for.
struct Wanted<'a> {
    range: Option<RangeInclusive<MsgIx>>,
    item: Option<String>,
    kinds: &'a [TransitionKind],
}

impl<'a> Wanted<'a> {
    fn new(args: &'a Args, session: &Session) -> anyhow::Result<Self> {
        let range = args.msg.as_deref().map(|text| input::range(session, text)).transpose()?;
        Ok(Self { range, item: args.item.as_ref().map(|i| i.to_lowercase()), kinds: &args.kind })
    }

    fn has(&self, plan: &Plan, t: &Transition) -> bool {
        let kind = if self.kinds.is_empty() { t.is_change() } else { self.kinds.contains(&t.kind) };
        let label = t.item.and_then(|i| plan.items.get(i.at())).map(|i| i.label.as_str());
        kind && self.range.as_ref().is_none_or(|r| r.contains(&t.msg))
            && self.item.as_deref().is_none_or(|i| names(i, label, [Some(&t.text), t.old_text.as_ref()]))
    }
}

/// Whether the label is the one asked for, or a text holds what is asked for.
fn names<'t>(wanted: &str, label: Option<&str>, texts: impl IntoIterator<Item = Option<&'t String>>) -> bool {
    label.is_some_and(|l| l.eq_ignore_ascii_case(wanted))
        || !is_label(wanted) && texts.into_iter().flatten().any(|t| t.to_lowercase().contains(wanted))
}

fn is_label(text: &str) -> bool {
    text.strip_prefix('t').is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
}

/// The snapshots that show each list as it stood.
fn lists<'p>(args: &Args, session: &Session, plan: &'p Plan) -> anyhow::Result<Vec<&'p PlanSnapshot>> {
    let at = args.at.as_deref().map(|name| input::message(session, name)).transpose()?;
    Ok(plan.lists_at(at))
}

fn list_rows(args: &Args, session: &Session, plan: &Plan) -> anyhow::Result<Vec<Vec<String>>> {
    let mut rows = Vec::new();
    for snapshot in lists(args, session, plan)? {
        for item in snapshot.items.iter().filter(|i| shown(args, plan, i)) {
            let name = item.item.map_or("", |i| &plan.items[i.at()].label);
            rows.push(vec![
                name.to_owned(),
                item.state.word().to_owned(),
                item.text.clone(),
                item.priority.clone().unwrap_or_else(|| "–".into()),
                format!("[msg {}]", label(session, snapshot.msg)),
                list_name(session, &plan.lists[snapshot.list as usize]),
            ]);
        }
    }
    Ok(rows)
}

/// What a list comes from, the file it stands in, and the thread it is of where that is a subagent's.
fn list_name(session: &Session, list: &PlanList) -> String {
    let mut name = list.source.word().to_owned();
    if list.source == PlanSource::File {
        name.push_str(&format!(" {}", artefacts::name(&list.name)));
    }
    if list.thread != ThreadIx(0) {
        name.push_str(&format!(" ({})", session.threads[list.thread.0 as usize].label));
    }
    name
}

fn shown(args: &Args, plan: &Plan, item: &SnapshotItem) -> bool {
    let label = item.item.and_then(|i| plan.items.get(i.at())).map(|i| i.label.as_str());
    args.item.as_ref().is_none_or(|i| names(&i.to_lowercase(), label, [Some(&item.text)]))
}

fn event_log(args: &Args, run: &Run) -> anyhow::Result<Exit> {
    let mut out = String::new();
    xes::open(&mut out);
    let exit = each(args, run, |analysis| {
        let wanted = Wanted::new(args, &analysis.session)?;
        xes::traces(&mut out, analysis, |t| wanted.has(&analysis.facts.plan, t));
        Ok(())
    })?;
    xes::close(&mut out);
    output::print(&out)?;
    Ok(exit)
}

/// Rows for programs: those of the table `transitions`, or of `plan_items` for a list.
fn rows(args: &Args, run: &Run) -> anyhow::Result<Exit> {
    let list = args.at.is_some() || args.final_list;
    let name = if list { "plan_items" } else { "transitions" };
    let table = find(name).ok_or_else(|| usage(format!("no table {name}")))?;
    let names: Vec<&str> = table.columns().map(|c| c.name).collect();
    let engine = Engine::new(Target::Terminal, None)?;
    let layout = if args.format == Format::Json { Layout::Array } else { Layout::Lines };
    let mut csv =
        (args.format == Format::Csv).then(|| CsvWriter::new(Vec::new(), names.iter().copied(), false)).transpose()?;
    let mut json = JsonWriter::new(Vec::new(), names.iter().copied(), layout)?;
    let exit = each(args, run, |analysis| {
        if analysis.facts.plan.snapshots.is_empty() {
            run.say(&format!("{}: {}", analysis.session.id, headline(&engine, analysis)?));
        }
        let mask = if list { list_mask(args, analysis)? } else { change_mask(args, analysis)? };
        each_row(table, analysis, &mask, |row| match &mut csv {
            Some(csv) => csv.row(row),
            None => json.row(row),
        })
    })?;
    let bytes = match csv {
        Some(csv) => csv.finish()?,
        None => json.finish()?,
    };
    output::print(&String::from_utf8_lossy(&bytes))?;
    Ok(exit)
}

/// Hands over the rows of a table that the mask keeps.
fn each_row(
    table: &Table,
    analysis: &Analysis,
    mask: &[bool],
    mut take: impl FnMut(&[crate::tables::Value<'_>]) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    let (mut at, mut result) = (0, Ok(()));
    table.each_row(analysis, &mut |row| {
        if result.is_ok() && mask.get(at) == Some(&true) {
            result = take(row);
        }
        at += 1;
    });
    Ok(result?)
}

fn change_mask(args: &Args, analysis: &Analysis) -> anyhow::Result<Vec<bool>> {
    let plan = &analysis.facts.plan;
    let wanted = Wanted::new(args, &analysis.session)?;
    Ok(plan.transitions.iter().map(|t| wanted.has(plan, t)).collect())
}

fn list_mask(args: &Args, analysis: &Analysis) -> anyhow::Result<Vec<bool>> {
    let plan = &analysis.facts.plan;
    let kept = lists(args, &analysis.session, plan)?;
    let is_kept = |s: &PlanSnapshot| kept.iter().any(|k| std::ptr::eq(*k, s));
    let rows = |s| {
        let keep = is_kept(s);
        s.items.iter().map(move |i| keep && shown(args, plan, i)).collect::<Vec<_>>()
    };
    Ok(plan.snapshots.iter().flat_map(rows).collect())
}
