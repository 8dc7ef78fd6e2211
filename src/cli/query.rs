//! `turnpoint query`: SQL over the tables.

/// Run SQL over the tables of sessions or of a dataset
///
/// `turnpoint schema` lists tables and columns. `:NAME` runs a stored query, such as `:tokens`, `:plan`, `:tools`; `turnpoint schema --format md`
/// lists them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Transcripts, folders or datasets written by `extract`; then the SQL, or :NAME of a stored query
    #[arg(value_names = ["INPUT", "SQL"], num_args = 1.., required = true)]
    inputs_and_sql: Vec<std::path::PathBuf>,
    /// How to print the rows [default: by the name of -o, else table]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// File to write to, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<std::path::PathBuf>,
    /// In CSV, leave text as it is: neither guarded against spreadsheets nor with hidden characters shown
    #[arg(long)]
    raw: bool,
    /// Number of the first message, for transcripts that carry no numbers
    #[arg(long, value_name = "N")]
    first_number: Option<u64>,
    /// Of several sessions take this one: its id (or the start of it), its position from 1, or `latest`
    #[arg(long, value_name = "ID|N|latest")]
    pick: Option<String>,
    /// Report discrepancies of experimental rules too
    #[arg(long)]
    experimental: bool,
    /// Limits to measure against, as docs/benchmarks.md describes them
    #[arg(long, value_name = "FILE")]
    limits: Option<std::path::PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, clap::ValueEnum)]
enum Format {
    Table,
    Csv,
    Json,
    Ndjson,
    Parquet,
}

#[cfg(not(feature = "polars"))]
pub(crate) fn run(_: Args, _: &super::input::Run) -> anyhow::Result<super::exit::Exit> {
    Err(super::exit::usage(crate::tables::NO_POLARS))
}

#[cfg(feature = "polars")]
pub(crate) use with_polars::run;

#[cfg(feature = "polars")]
mod with_polars {
    use std::io::{self, IsTerminal, Write};
    use std::path::{Path, PathBuf};

    use super::{Args, Format};
    use crate::cli::exit::{Exit, usage};
    use crate::cli::input::{InputArgs, Run};
    use crate::cli::output;
    use crate::error::Error;
    use crate::tables::csv::CsvWriter;
    use crate::tables::dataset::Manifest;
    use crate::tables::ndjson::{JsonWriter, Layout};
    use crate::tables::queries::{self, QUERIES};
    use crate::tables::sql::{Answer, Query};

    /// Rows that go to standard output.
    const ROWS_SHOWN: usize = 100_000;

    pub(crate) fn run(args: Args, run: &Run) -> anyhow::Result<Exit> {
        let mut query = Query::new(&sql(&args.inputs_and_sql)?)?;
        let inputs = &args.inputs_and_sql[..args.inputs_and_sql.len() - 1];
        let mut transcripts = Vec::new();
        for input in inputs {
            match Manifest::read(input).map_err(anyhow::Error::from)? {
                Some(_) if run.redacts() => {
                    return Err(usage(format!(
                        "{} is a dataset: it is redacted when it is made, with `turnpoint extract --redact`",
                        input.display()
                    )));
                }
                Some(manifest) => query.add_dataset(input, &manifest)?,
                None => transcripts.push(input.clone()),
            }
        }
        if inputs.is_empty() || !transcripts.is_empty() {
            let inputs = InputArgs { inputs: transcripts, first_number: args.first_number, pick: args.pick.clone() };
            let config = crate::cli::limits_config(args.limits.as_deref())?;
            run.each(&inputs, &config, args.experimental, |analysis| {
                query.add(&analysis);
                Ok(())
            })?;
        }
        if let Some(output) = &args.output {
            output::refuse_input(output, inputs)?;
        }
        let mut answer = query.run()?;
        let format = args.format.or_else(|| by_name(args.output.as_deref()?)).unwrap_or(Format::Table);
        match &args.output {
            Some(path) => write_file(path, &mut answer, format, args.raw)?,
            None => print(run, answer, format, args.raw)?,
        }
        Ok(Exit::Done)
    }

    /// The last argument: SQL, or the stored query that it names.
    fn sql(arguments: &[PathBuf]) -> anyhow::Result<String> {
        let stored = || QUERIES.iter().map(|q| format!(":{}", q.name)).collect::<Vec<_>>().join(" ");
        let Some(last) = arguments.last() else { return Err(usage("no SQL is given")) };
        let text = last.to_str().ok_or_else(|| usage("the SQL is not UTF-8"))?;
        if let Some(name) = text.strip_prefix(':') {
            let query = queries::find(name);
            return query
                .map(|q| q.text.to_owned())
                .ok_or_else(|| usage(format!("no stored query `{text}`; there are {}", stored())));
        }
        if text.len() < 4096 && last.exists() {
            return Err(usage(format!("{text} is an input; the SQL goes last: \"SELECT …\", or one of {}", stored())));
        }
        Ok(text.to_owned())
    }

    fn by_name(path: &Path) -> Option<Format> {
        Some(match path.extension()?.to_str()? {
            "csv" => Format::Csv,
            "json" => Format::Json,
            "ndjson" | "jsonl" => Format::Ndjson,
            "parquet" => Format::Parquet,
            _ => return None,
        })
    }

    fn write_file(path: &Path, answer: &mut Answer, format: Format, raw: bool) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        write(&mut bytes, answer, format, raw)?;
        Ok(output::write_file(path, &bytes)?)
    }

    fn print(run: &Run, mut answer: Answer, format: Format, raw: bool) -> anyhow::Result<()> {
        if format == Format::Parquet && io::stdout().is_terminal() {
            return Err(usage("Parquet is not for a terminal; name a file with -o"));
        }
        let rows = answer.len();
        answer.truncate(ROWS_SHOWN);
        let mut out = io::BufWriter::new(io::stdout().lock());
        let written = write(&mut out, &mut answer, format, raw).and_then(|()| out.flush());
        written.map_err(|source| Error::Write { path: "standard output".into(), source })?;
        if rows > ROWS_SHOWN {
            run.say(&format!("the first {ROWS_SHOWN} of {rows} rows were printed; -o FILE writes all of them"));
        }
        Ok(())
    }

    fn write(out: &mut impl Write, answer: &mut Answer, format: Format, raw: bool) -> io::Result<()> {
        let names = answer.names();
        match format {
            Format::Table => out.write_all(grid(answer)?.as_bytes()),
            Format::Parquet => {
                // The writer hides why it failed: a pipe that closed could not be told from other trouble.
                let mut bytes = Vec::new();
                answer.write_parquet(&mut bytes)?;
                out.write_all(&bytes)
            }
            Format::Csv => {
                let mut csv = CsvWriter::new(out, names, raw)?;
                answer.each_row(|cells| csv.row(cells))?;
                csv.finish().map(drop)
            }
            Format::Json | Format::Ndjson => {
                let layout = if format == Format::Json { Layout::Array } else { Layout::Lines };
                let mut json = JsonWriter::new(out, names, layout)?;
                answer.each_row(|cells| json.row(cells))?;
                json.finish().map(drop)
            }
        }
    }

    fn grid(answer: &Answer) -> io::Result<String> {
        let names: Vec<String> = answer.names().into_iter().map(output::one_line).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut rows = Vec::with_capacity(answer.len());
        answer.each_row(|cells| {
            rows.push(cells.iter().map(|cell| cell.to_plain().into_owned()).collect());
            Ok::<_, io::Error>(())
        })?;
        Ok(output::grid(&names, &rows))
    }
}
