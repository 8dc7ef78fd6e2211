//! `turnpoint audit`: what was asked, found, left open, and where the record disagrees with itself.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

use super::exit::{Exit, usage};
use super::input::{InputArgs, Run};
use super::{output, settings};
use crate::audit::Severity;
use crate::extract::Config;
use crate::report::audit::{Action, Asked, Audit, Finding, Row, Suppressed, Used, VERSION, View};
use crate::report::engine::{Engine, Target};
use crate::report::sarif;
use crate::report::text::cut;

/// Check the record: asked, found, left open, contradicted
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Style,
    /// Exit with 1 when a discrepancy is at least this bad
    #[arg(long, value_enum, value_name = "SEVERITY")]
    fail_on: Option<Floor>,
    /// Run the experimental rules too
    #[arg(long)]
    experimental: bool,
    /// Leave out the discrepancies that this JSON of an earlier run holds
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Settings: severities, suppressions [default: turnpoint.toml in the working directory, else the user's]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the discrepancies that settings or baseline leave out, with the reason
    #[arg(long)]
    show_suppressed: bool,
    /// Print every cell of the table whole; without it the longest are cut
    #[arg(long)]
    full: bool,
}

/// How the text is printed.
#[derive(Debug, Clone, Copy)]
struct Shape {
    markdown: bool,
    /// Discrepancies that are known are printed too.
    known: bool,
    /// Cells are cut to [`CELL`] characters.
    cut: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum Style {
    #[default]
    Table,
    Json,
    Sarif,
    Md,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
enum Floor {
    Low,
    Medium,
    High,
}

pub(crate) fn run(args: Args, run: &Run) -> anyhow::Result<Exit> {
    // In Markdown too the sentences cite without links: no messages follow that they could lead to.
    let engine = Engine::new(Target::Terminal, None)?;
    let found = settings::find(args.config.as_deref())?;
    let settings = &found.settings;
    let known = args.baseline.clone().or_else(|| found.baseline());
    let known = known.as_deref().map(baseline).transpose()?.unwrap_or_default();
    let mut used = Used::default();
    let mut views = Vec::new();
    run.each(&args.input, &Config::default(), args.experimental || settings.experimental, |analysis| {
        let mut view = View::of(&engine, &analysis)?;
        view.judge(&analysis.session, settings, &known, &mut used);
        views.push(view);
        Ok(())
    })?;
    if views.is_empty() {
        return Ok(run.nothing_found());
    }
    found.tell(run, &used);
    let audit = Audit { version: VERSION, sessions: views };
    match args.format {
        Style::Json => output::print_json(&audit)?,
        Style::Sarif => output::print_json(&sarif::log(&audit.sessions))?,
        Style::Table | Style::Md => {
            let markdown = args.format == Style::Md;
            let shape = Shape { markdown, known: args.show_suppressed, cut: !(markdown || args.full) };
            output::print(&text(&audit.sessions, shape)?)?;
        }
    }
    let floor = |severity: &str| match severity {
        "high" => Floor::High,
        "medium" => Floor::Medium,
        _ => Floor::Low,
    };
    let bad = |f: Floor| audit.sessions.iter().flat_map(|v| &v.discrepancies).any(|d| floor(d.severity) >= f);
    let floor_of = |s: Severity| floor(s.word());
    Ok(if args.fail_on.or(settings.fail_on.map(floor_of)).is_some_and(bad) { Exit::Found } else { Exit::Done })
}

/// Fingerprints in the JSON of an earlier run.
fn baseline(path: &Path) -> anyhow::Result<BTreeSet<String>> {
    let text = std::fs::read_to_string(path).map_err(|e| usage(format!("cannot read {}: {e}", path.display())))?;
    let value: Value = serde_json::from_str(&text).map_err(|e| usage(format!("{}: {e}", path.display())))?;
    let sessions = value.get("sessions").and_then(Value::as_array);
    let sessions = sessions.ok_or_else(|| usage(format!("{}: no JSON of turnpoint audit", path.display())))?;
    let rows = sessions.iter().filter_map(|s| s.get("discrepancies")?.as_array()).flatten();
    Ok(rows.filter_map(|r| Some(r.get("fingerprint")?.as_str()?.to_owned())).collect())
}

fn text(views: &[View], shape: Shape) -> anyhow::Result<String> {
    let mut out = String::new();
    let mut cut = false;
    for view in views {
        cut |= section(&mut out, view, shape).context("cannot form the text")?;
    }
    if cut {
        out.push_str(
            "\nCells are cut at 60 characters (…): --full prints them whole, --format md and json do so too.\n",
        );
    }
    Ok(out)
}

type Rows = Vec<Vec<String>>;

/// Writes one session; gives whether a cell was cut.
fn section(out: &mut String, view: &View, shape: Shape) -> Result<bool, std::fmt::Error> {
    let Shape { markdown, known, cut } = shape;
    let mark = if markdown { "# " } else { "" };
    let mut any_cut = false;
    if !out.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "{}\n", output::heading(&view.title, mark))?;
    let hidden = if known { suppressed(view) } else { Vec::new() };
    let parts: [(&str, &[&str], Rows); 9] = [
        (
            "Asked → planned → acted on → checked",
            &["msg", "directive", "reached", "planned as", "acted on in", "checked in"],
            asked(view),
        ),
        (
            "Findings",
            &["msg", "level", "state", "finding", "current → wanted", "needs", "fate", "told again in"],
            findings(view),
        ),
        ("Tools found", &["tool", "findings", "levels", "printed again", "gone in a clean run", "msgs"], tools(view)),
        ("Decided", &["msg", "by", "choice", "reason", "instead of", "taken back in"], decided(view)),
        ("Assumed", &["msg", "assumption", "kind", "checked in", "printed"], assumed(view)),
        ("Open at the end", &["msg", "item", "state", "text"], open(view)),
        ("Open findings", &["msg", "level", "finding", "fate"], open_findings(view)),
        ("Discrepancies", &["severity", "msg", "against", "what", "quote", "place", "rule"], discrepancies(view)),
        ("Suppressed", &["severity", "msg", "what", "rule", "by", "reason"], hidden),
    ];
    for (title, header, rows) in parts {
        if rows.is_empty() {
            continue;
        }
        if markdown {
            writeln!(out, "## {title}\n\n{}", output::markdown(header, &rows))?;
            continue;
        }
        let rows = if cut { rows.into_iter().map(|row| narrow(header, row, &mut any_cut)).collect() } else { rows };
        writeln!(out, "{title} ({})\n{}", rows.len(), output::grid(header, &rows))?;
    }
    closing(out, view, known)?;
    Ok(any_cut)
}

/// Characters of a cell that a table for people shows.
const CELL: usize = 60;

/// A row whose cells are cut, all but the sentence of a discrepancy.
fn narrow(header: &[&str], row: Vec<String>, any: &mut bool) -> Vec<String> {
    let long = |name: &str, cell: &str| name != "what" && cell.chars().nth(CELL).is_some();
    let cells = header.iter().zip(row);
    cells
        .map(|(name, cell)| {
            let long = long(name, &cell);
            *any |= long;
            if long { cut(&cell, CELL) } else { cell }
        })
        .collect()
}

/// What was looked for and is not there, and what is left out.
fn closing(out: &mut String, view: &View, known: bool) -> std::fmt::Result {
    let open = &view.open_findings;
    if open.total > 0 {
        let level = |(level, n): (&String, &usize)| match level.as_str() {
            "" => format!("{n} without level"),
            level => format!("{n} {level}"),
        };
        let levels: Vec<String> = open.by_level.iter().map(level).collect();
        writeln!(
            out,
            "Open findings: {} ({}); nothing later is tied to {} of them.",
            open.total,
            levels.join(", "),
            open.untouched
        )?;
    }
    if !view.suppressed.is_empty() && !known {
        writeln!(out, "Left out as known: {} (--show-suppressed prints them).", view.suppressed.len())?;
    }
    let none: Vec<&str> = [
        (view.findings.is_empty(), "no finding"),
        (!view.findings.is_empty() && open.total == 0, "no open finding"),
        (view.open_items.is_empty(), "no open plan item"),
        (view.discrepancies.is_empty(), "no discrepancy"),
    ]
    .iter()
    .filter(|(empty, _)| *empty)
    .map(|(_, word)| *word)
    .collect();
    if none.is_empty() { Ok(()) } else { writeln!(out, "Recognised: {}.", none.join(", ")) }
}

fn asked(view: &View) -> Rows {
    let row = |a: &Asked| {
        let acted = match (&a.acted[..], &a.replied, a.calls_followed) {
            ([], Some(reply), _) => format!("reply in {reply}"),
            ([], None, 0) => String::new(),
            ([], None, 1) => "1 call followed, not tied".to_owned(),
            ([], None, n) => format!("{n} calls followed, none tied"),
            _ => a.acted.join("; "),
        };
        let checks: Vec<String> = a.evidence.iter().map(evidence).collect();
        let planned = if a.items.is_empty() { "no item".to_owned() } else { a.items.join("; ") };
        vec![a.msg.clone(), a.text.clone(), a.reached.into(), planned, acted, checks.join("; ")]
    };
    view.asked.iter().map(row).collect()
}

/// A check with the start of its command.
fn evidence(action: &Action) -> String {
    let what = action.what.as_deref().unwrap_or(&action.tool);
    let cut = what.char_indices().nth(SHORT).map_or(what.len(), |(i, _)| i);
    let dots = if cut < what.len() { "…" } else { "" };
    format!("{} {}{dots}", action.msg, &what[..cut])
}

/// Characters of a command that are shown beside others.
const SHORT: usize = 40;

fn open_findings(view: &View) -> Rows {
    let fate = |f: &Finding| f.fate.unwrap_or("not known").to_owned();
    let row = |f: &Finding| vec![f.msg.clone(), written(f), f.title.clone(), fate(f)];
    view.findings.iter().filter(|f| f.open).map(row).collect()
}

/// The level as written, with the normalised one where they differ.
fn written(f: &Finding) -> String {
    match (&f.level_text, &f.level) {
        (Some(text), Some(level)) if text != level => format!("{text} ({level})"),
        (_, level) => level.clone().unwrap_or_default(),
    }
}

fn findings(view: &View) -> Rows {
    let row = |f: &Finding| {
        let values = match (&f.current, &f.wanted) {
            (Some(a), Some(b)) => format!("{a} → {b}"),
            (Some(a), None) => a.clone(),
            (None, Some(b)) => format!("→ {b}"),
            (None, None) => String::new(),
        };
        let fate = match (f.fate, &f.fate_msg) {
            (Some(word), Some(msg)) => format!("{word} in {msg}"),
            _ => "not known".to_owned(),
        };
        let level = written(f);
        let again = f.told_again.join("; ");
        let needs = f.needs.clone().unwrap_or_default();
        vec![f.msg.clone(), level, f.status.into(), f.title.clone(), values, needs, fate, again]
    };
    view.findings.iter().map(row).collect()
}

fn tools(view: &View) -> Rows {
    let row = |t: &crate::report::audit::Tool| {
        let levels: Vec<String> = t.printed_levels.iter().map(|(level, n)| format!("{n} {level}")).collect();
        let msgs =
            if t.first_msg == t.last_msg { t.first_msg.clone() } else { format!("{}–{}", t.first_msg, t.last_msg) };
        let [found, repeated, gone] = [t.found, t.repeated, t.gone].map(|n| n.to_string());
        vec![t.tool.into(), found, levels.join(", "), repeated, gone, msgs]
    };
    view.tools.iter().map(row).collect()
}

fn decided(view: &View) -> Rows {
    let row = |d: &crate::report::audit::Decision| {
        let reason = d.reason.clone().unwrap_or_else(|| "not stated".to_owned());
        let back = d.reversed_msg.clone().unwrap_or_default();
        vec![d.msg.clone(), d.by.into(), d.choice.clone(), reason, d.alternatives.join("; "), back]
    };
    view.decisions.iter().map(row).collect()
}

fn assumed(view: &View) -> Rows {
    let row = |a: &crate::report::audit::Assumption| {
        let checked = a.verified_msg.clone().unwrap_or_else(|| "no check found".to_owned());
        vec![a.msg.clone(), a.text.clone(), a.kind.into(), checked, a.outcome.clone().unwrap_or_default()]
    };
    view.assumptions.iter().map(row).collect()
}

fn open(view: &View) -> Rows {
    view.open_items.iter().map(|i| vec![i.msg.clone(), i.item.clone(), i.state.into(), i.text.clone()]).collect()
}

fn discrepancies(view: &View) -> Rows {
    let row = |d: &Row| {
        let place = d.file.as_ref().map(|f| d.line.map_or(f.clone(), |l| format!("{f}:{l}")));
        let [other, quote, place] = [d.other_msg.clone(), d.quote.clone(), place].map(Option::unwrap_or_default);
        vec![d.severity.into(), d.msg.clone(), other, d.message.clone(), quote, place, d.rule.into()]
    };
    view.discrepancies.iter().map(row).collect()
}

fn suppressed(view: &View) -> Rows {
    let row = |s: &Suppressed| {
        let d = &s.discrepancy;
        let reason = s.reason.clone().unwrap_or_default();
        vec![d.severity.into(), d.msg.clone(), d.message.clone(), d.rule.into(), s.by.into(), reason]
    };
    view.suppressed.iter().map(row).collect()
}
