//! `turnpoint extract`: every table, as files.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::exit::{Exit, usage};
use super::input::{InputArgs, Run};
use super::limits_config;
use crate::tables::dataset::{DatasetWriter, Encoding};

/// Write every table to a folder: Parquet, CSV or NDJSON, with a manifest of the sessions in it
///
/// Sessions that the folder already holds are replaced, others stay. `turnpoint query DIR` reads it back.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,
    /// Folder to write to
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Format of the files [default: parquet, or ndjson in a build without polars]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// In CSV, leave text as it is: neither guarded against spreadsheets nor with hidden characters shown
    #[arg(long)]
    raw: bool,
    /// Report discrepancies of experimental rules too
    #[arg(long)]
    experimental: bool,
    /// Limits to measure against, as docs/benchmarks.md describes them
    #[arg(long, value_name = "FILE")]
    limits: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, clap::ValueEnum)]
enum Format {
    Parquet,
    Csv,
    Ndjson,
}

pub(crate) fn run(args: Args, run: &Run) -> anyhow::Result<Exit> {
    let encoding = match args.format {
        Some(Format::Parquet) if cfg!(not(feature = "polars")) => return Err(usage(crate::tables::NO_POLARS)),
        None if cfg!(not(feature = "polars")) => Encoding::Ndjson,
        None | Some(Format::Parquet) => Encoding::Parquet,
        Some(Format::Csv) => Encoding::Csv,
        Some(Format::Ndjson) => Encoding::Ndjson,
    };
    if args.inputs.inputs.iter().any(|input| input.is_file() && same(input, &args.output)) {
        return Err(usage(format!("{} is an input; choose another folder for the output", args.output.display())));
    }
    let config = limits_config(args.limits.as_deref())?;
    let (mut writer, mut seen) = (None, BTreeSet::new());
    run.each(&args.inputs, &config, args.experimental, |analysis| {
        let writer = match &mut writer {
            Some(writer) => writer,
            none => none.insert(DatasetWriter::new(&args.output, encoding, args.raw)?),
        };
        let (agent, id) = (&analysis.session.agent, &analysis.session.id);
        if !seen.insert((agent.clone(), id.clone())) {
            run.say(&format!("of the sessions of {agent} with the id {id} the dataset holds the last"));
        }
        Ok(writer.add(&analysis)?)
    })?;
    let Some(writer) = writer else {
        run.say("no session was found; nothing was written");
        return Ok(Exit::Done);
    };
    let manifest = writer.finish()?;
    for id in manifest.shared_ids() {
        run.say(&format!("sessions of several agents have the id {id}; rows that name it alone may be of any of them"));
    }
    run.say(&format!("{} now holds {} sessions", args.output.display(), manifest.sessions.len()));
    Ok(Exit::Done)
}

/// Whether two paths name one file.
fn same(a: &std::path::Path, b: &std::path::Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
