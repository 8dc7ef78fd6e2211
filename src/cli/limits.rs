//! `turnpoint limits`: what a limit can be made of.

use super::exit::Exit;
use super::output::{self, Style};
use crate::extract::bench::calculators::CALCULATORS;
use crate::extract::bench::hardware::catalogue;

/// List the hardware catalogue and the calculators of limits
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How to print them
    #[arg(long, value_enum, default_value_t)]
    format: Style,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Exit> {
    let rows = catalogue();
    match args.format {
        Style::Table => {
            let hardware: Vec<Vec<String>> = rows
                .iter()
                .map(|r| {
                    vec![
                        r.group.clone(),
                        r.id.clone(),
                        r.quantity.clone(),
                        format!("{} {}", r.value, r.unit),
                        r.source.clone(),
                        r.note.clone(),
                    ]
                })
                .collect();
            let formulas: Vec<Vec<String>> = CALCULATORS
                .iter()
                .map(|c| vec![c.id.into(), c.signature(), c.formula.into(), c.source.into()])
                .collect();
            let mut text = output::grid(&["group", "id", "quantity", "value", "source", "note"], &hardware);
            text.push('\n');
            text.push_str(&output::grid(&["calculator", "inputs", "formula", "source"], &formulas));
            output::print(&text)?;
        }
        Style::Json => {
            let formulas: Vec<serde_json::Value> = CALCULATORS
                .iter()
                .map(|c| serde_json::json!({ "calculator": c.id, "inputs": c.signature(), "unit": c.unit, "formula": c.formula, "source": c.source }))
                .collect();
            output::print_json(&serde_json::json!({ "hardware": rows, "calculators": formulas }))?;
        }
    }
    Ok(Exit::Done)
}
