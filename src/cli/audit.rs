//! `turnpoint audit`: what was asked, found, left open, and where the record disagrees with itself.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

use super::exit::{Exit, usage};
use super::input::{InputArgs, Run};
use super::output;
use crate::extract::Config;
use crate::report::audit::{Audit, VERSION, View};
use crate::report::engine::{Engine, Target};
use crate::report::sarif;

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
    let known = args.baseline.as_deref().map(baseline).transpose()?.unwrap_or_default();
    let mut views = Vec::new();
    run.each(&args.input, &Config::default(), args.experimental, |analysis| {
        let mut view = View::of(&engine, &analysis)?;
        view.discrepancies.retain(|d| !known.contains(&d.fingerprint));
        views.push(view);
        Ok(())
    })?;
    if views.is_empty() {
        return Ok(run.nothing_found());
    }
    let audit = Audit { version: VERSION, sessions: views };
    match args.format {
        Style::Json => output::print_json(&audit)?,
        Style::Sarif => output::print_json(&sarif::log(&audit.sessions))?,
        Style::Table | Style::Md => output::print(&text(&audit.sessions, args.format)?)?,
    }
    let floor = |severity: &str| match severity {
        "high" => Floor::High,
        "medium" => Floor::Medium,
        _ => Floor::Low,
    };
    let bad = |f: Floor| audit.sessions.iter().flat_map(|v| &v.discrepancies).any(|d| floor(d.severity) >= f);
    Ok(if args.fail_on.is_some_and(bad) { Exit::Found } else { Exit::Done })
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

fn text(views: &[View], style: Style) -> anyhow::Result<String> {
    let mut out = String::new();
    for view in views {
        section(&mut out, view, style).context("cannot form the text")?;
    }
    Ok(out)
}

type Rows = Vec<Vec<String>>;

fn section(out: &mut String, view: &View, style: Style) -> std::fmt::Result {
    let mark = if style == Style::Md { "# " } else { "" };
    if !out.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "{mark}{}\n", output::one_line(&view.title))?;
    let parts: [(&str, &[&str], Rows); 7] = [
        ("Asked", &["msg", "directive", "planned as", "acted on in"], asked(view)),
        ("Findings", &["msg", "level", "state", "finding", "current → wanted", "needs", "fate"], findings(view)),
        ("Tools found", &["tool", "findings", "levels", "printed again", "gone in a clean run", "msgs"], tools(view)),
        ("Decided", &["msg", "by", "choice", "reason", "instead of", "taken back in"], decided(view)),
        ("Assumed", &["msg", "assumption", "kind", "checked in", "printed"], assumed(view)),
        ("Open at the end", &["msg", "item", "state", "text"], open(view)),
        ("Discrepancies", &["severity", "msg", "what", "rule"], discrepancies(view)),
    ];
    for (title, header, rows) in parts {
        if rows.is_empty() {
            continue;
        }
        match style {
            Style::Md => writeln!(out, "## {title}\n\n{}", output::markdown(header, &rows))?,
            _ => writeln!(out, "{title} ({})\n{}", rows.len(), output::grid(header, &rows))?,
        }
    }
    let none: Vec<&str> = [
        (view.findings.is_empty(), "no finding"),
        (!view.findings.is_empty() && view.open_findings.total == 0, "no open finding"),
        (view.open_items.is_empty(), "no open plan item"),
        (view.discrepancies.is_empty(), "no discrepancy"),
    ]
    .iter()
    .filter(|(empty, _)| *empty)
    .map(|(_, word)| *word)
    .collect();
    let open = &view.open_findings;
    if open.total > 0 {
        let levels = open.by_level.iter().map(|(level, n)| match level.as_str() {
            "" => format!("{n} without level"),
            level => format!("{n} {level}"),
        });
        let levels: Vec<String> = levels.collect();
        writeln!(
            out,
            "Open findings: {} ({}); nothing later is tied to {}.",
            open.total,
            levels.join(", "),
            open.untouched
        )?;
    }
    if none.is_empty() { Ok(()) } else { writeln!(out, "Read: {}.", none.join(", ")) }
}

fn asked(view: &View) -> Rows {
    let or_none = |list: &[String], none: &str| if list.is_empty() { none.to_owned() } else { list.join("; ") };
    let row = |a: &crate::report::audit::Asked| {
        let acted = match (&a.acted[..], &a.perhaps_acted[..], &a.answered) {
            ([], [], Some(reply)) => format!("answered in {reply}"),
            ([], [_, ..], _) => format!("perhaps {}", a.perhaps_acted.join("; ")),
            _ => or_none(&a.acted, "no call tied to it"),
        };
        vec![a.msg.clone(), a.text.clone(), or_none(&a.items, "no item"), acted]
    };
    view.asked.iter().map(row).collect()
}

fn findings(view: &View) -> Rows {
    let row = |f: &crate::report::audit::Finding| {
        let values = match (&f.current, &f.wanted) {
            (Some(a), Some(b)) => format!("{a} → {b}"),
            (Some(a), None) => a.clone(),
            (None, Some(b)) => format!("→ {b}"),
            (None, None) => String::new(),
        };
        let fate = match (f.fate, &f.fate_msg) {
            (Some(word), Some(msg)) => format!("{word} in {msg}"),
            _ => String::new(),
        };
        let level = f.level.clone().unwrap_or_default();
        vec![f.msg.clone(), level, f.status.into(), f.title.clone(), values, f.needs.clone().unwrap_or_default(), fate]
    };
    view.findings.iter().map(row).collect()
}

fn tools(view: &View) -> Rows {
    let row = |t: &crate::report::audit::Tool| {
        let levels: Vec<String> = t.levels.iter().map(|(level, n)| format!("{n} {level}")).collect();
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
    view.discrepancies
        .iter()
        .map(|d| vec![d.severity.into(), d.msg.clone(), d.message.clone(), d.rule.into()])
        .collect()
}
