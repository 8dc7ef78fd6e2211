//! `turnpoint rules`: the rules of the audit and their manuals.

use super::exit::{Exit, usage};
use super::output;
use crate::audit::{RULES, manual, rule};

/// List the rules of the audit, or print the manual of one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Rule to explain
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// How to print them
    #[arg(long, value_enum, default_value_t)]
    format: Style,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum Style {
    #[default]
    Table,
    Json,
    Md,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Exit> {
    if let Some(id) = &args.id {
        let Some(rule) = rule(id) else {
            let ids: Vec<&str> = RULES.iter().map(|r| r.id).collect();
            return Err(usage(format!("no rule `{id}`; there are {}", ids.join(", "))));
        };
        output::print(&format!("{}\n\n{}\n", rule.id, rule.manual()))?;
        return Ok(Exit::Done);
    }
    match args.format {
        Style::Md => output::print(&manual())?,
        Style::Json => {
            let rows: Vec<_> = RULES
                .iter()
                .map(|r| {
                    serde_json::json!({"rule": r.id, "severity": r.severity.word(), "experimental": r.experimental, "doc": r.manual()})
                })
                .collect();
            output::print_json(&rows)?;
        }
        Style::Table => {
            let on = |experimental| if experimental { "no (--experimental)" } else { "yes" };
            let row = |r: &&crate::audit::Rule| {
                vec![r.id.into(), r.severity.word().into(), on(r.experimental).into(), r.summary().to_owned()]
            };
            let rows: Vec<Vec<String>> = RULES.iter().map(row).collect();
            output::print(&output::grid(&["rule", "severity", "on", "what it finds"], &rows))?;
        }
    }
    Ok(Exit::Done)
}
