//! `turnpoint formats`: the transcript formats it reads.

use super::exit::Exit;
use super::output::{self, Style};
use crate::source::FORMATS;

/// List the transcript formats that can be read
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How to print them
    #[arg(long, value_enum, default_value_t)]
    format: Style,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Exit> {
    match args.format {
        Style::Table => {
            let rows: Vec<Vec<String>> =
                FORMATS.iter().map(|f| vec![f.id.into(), f.agent.into(), f.about.into()]).collect();
            output::print(&output::grid(&["format", "agent", "what it is"], &rows))?;
        }
        Style::Json => {
            let rows: Vec<serde_json::Value> = FORMATS
                .iter()
                .map(|f| serde_json::json!({ "format": f.id, "agent": f.agent, "about": f.about }))
                .collect();
            output::print_json(&rows)?;
        }
    }
    Ok(Exit::Done)
}
