//! `turnpoint schema`: the tables and their columns.

use super::exit::{Exit, usage};
use super::output;
use crate::report;
use crate::report::engine::{Engine, Target};
use crate::tables::queries::QUERIES;
use crate::tables::{self, SCHEMA_VERSION, TABLES, Table};

/// List the tables that `query` and `extract` know, with the type, unit and meaning of each column
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only this table
    table: Option<String>,
    /// The JSON Schema of what `audit --format json` prints
    #[arg(long, conflicts_with_all = ["table", "format"])]
    audit: bool,
    /// How to print them
    #[arg(long, value_enum, default_value_t)]
    format: Style,
}

#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum Style {
    #[default]
    Table,
    Json,
    Md,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Exit> {
    if args.audit {
        output::print_json(&report::audit::schema())?;
        return Ok(Exit::Done);
    }
    let chosen: Vec<&Table> = match &args.table {
        None => TABLES.iter().collect(),
        Some(name) => vec![tables::find(name).ok_or_else(|| {
            let names: Vec<&str> = TABLES.iter().map(|t| t.name).collect();
            usage(format!("no table `{name}`; the tables are {}", names.join(", ")))
        })?],
    };
    match args.format {
        Style::Table => output::print(&plain(&chosen))?,
        Style::Json => output::print_json(&serde_json::json!({
            "schema_version": SCHEMA_VERSION,
            "tables": chosen.iter().map(|t| json(t)).collect::<Vec<_>>(),
        }))?,
        Style::Md => output::print(&manual(&chosen)?)?,
    }
    Ok(Exit::Done)
}

fn plain(tables: &[&Table]) -> String {
    let rows = tables.iter().flat_map(|t| {
        t.columns().map(|c| vec![t.name.into(), c.name.into(), c.kind.word().into(), c.unit.into(), c.meaning.into()])
    });
    let grid = output::grid(&["table", "column", "type", "unit", "meaning"], &rows.collect::<Vec<Vec<String>>>());
    format!("schema version {SCHEMA_VERSION}\n\n{grid}")
}

/// `docs/schema.md`.
fn manual(tables: &[&Table]) -> anyhow::Result<String> {
    let queries: Vec<_> = QUERIES.iter().map(|q| serde_json::json!({ "name": q.name, "about": q.about() })).collect();
    let view = serde_json::json!({
        "version": SCHEMA_VERSION,
        "queries": queries,
        "tables": tables.iter().map(|t| json(t)).collect::<Vec<_>>(),
    });
    let text = Engine::new(Target::Terminal, None)?.render("schema.md", &view)?;
    Ok(format!("{}\n", text.trim_end()))
}

fn json(table: &Table) -> serde_json::Value {
    let columns: Vec<_> = table
        .columns()
        .map(|c| serde_json::json!({ "name": c.name, "type": c.kind.word(), "unit": c.unit, "meaning": c.meaning }))
        .collect();
    serde_json::json!({ "name": table.name, "about": table.about, "columns": columns })
}
