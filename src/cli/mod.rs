//! Stage 7: from arguments to calls of the other stages. One file per command.
//!
//! Only here the program prints, reads the environment and decides on exit codes.

mod end;
mod exit;
mod input;
mod newest;
#[allow(dead_code)]
mod output;
mod pick;
mod place;
mod places;
mod settings;
mod signals;
mod stores;
mod told;

mod audit;
mod bench;
mod completions;
mod explain;
mod extract;
mod formats;
mod limits;
mod narrator;
mod plan;
mod query;
mod report;
mod rules;
mod schema;
mod sessions;
mod show;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::extract::Config;
use crate::extract::bench::limits::LimitsFile;

pub use exit::Exit;

/// Says what happened in the session of an AI agent, and proves it message by message.
#[derive(Debug, Parser)]
#[command(name = "turnpoint", version, about, after_help = AFTER_HELP)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
INPUT is a transcript file, a folder that holds some, the id of a session that `turnpoint sessions` lists (or the
start of one), or - for standard input.
Exit codes: 0 done; 1 a check found something (audit --fail-on, verify); 2 wrong usage, configuration, message or SQL;
3 an INPUT could not be read (with --strict also when input was skipped); 4 output could not be written;
130 and 143 on an interrupt and a signal to end.";

/// More threads than these are a slip of the keyboard, and may not be had.
const MOST_THREADS: i64 = 256;

/// Options of every command.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Global {
    /// Exit with 3 when a part of the input had to be skipped
    #[arg(long, global = true)]
    pub(crate) strict: bool,
    /// Threads to use [default: all cores]; the output does not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    threads: Option<u16>,
    /// Take secrets, e-mail addresses and user names out of everything that is printed or written
    #[arg(long, global = true)]
    redact: bool,
    /// Take out IP addresses and the hosts of URLs too
    #[arg(long, global = true)]
    redact_hosts: bool,
    /// Print no warnings about the input
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Report(report::Args),
    Explain(explain::Args),
    Plan(plan::Args),
    Bench(bench::Args),
    Audit(audit::Args),
    Show(show::Args),
    Sessions(sessions::Args),
    Verify(verify::Args),
    Query(query::Args),
    Extract(extract::Args),
    Schema(schema::Args),
    Rules(rules::Args),
    Formats(formats::Args),
    Limits(limits::Args),
    Completions(completions::Args),
}

/// Runs the program.
pub fn run() -> ExitCode {
    signals::listen();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::of_clap(&error),
    };
    if let Some(threads) = cli.global.threads {
        // Fails only when the pool exists already, which nothing before this line can cause.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
    }
    let redact = cli.global.redact || cli.global.redact_hosts;
    let redact = redact.then(|| crate::redact::Options { hosts: cli.global.redact_hosts, words: Vec::new() });
    let run = input::Run::new(cli.global, redact);
    let result = match cli.command {
        Command::Report(args) => report::run(args, &run),
        Command::Explain(args) => explain::run(args, &run),
        Command::Plan(args) => plan::run(args, &run),
        Command::Bench(args) => bench::run(args, &run),
        Command::Audit(args) => audit::run(args, &run),
        Command::Rules(args) => rules::run(args),
        Command::Show(args) => show::run(args, &run),
        Command::Sessions(args) => sessions::run(args, &run),
        Command::Verify(args) => verify::run(args, &run),
        Command::Query(args) => query::run(args, &run),
        Command::Extract(args) => extract::run(args, &run),
        Command::Schema(args) => schema::run(args),
        Command::Formats(args) => formats::run(args),
        Command::Limits(args) => limits::run(args),
        Command::Completions(args) => completions::run(args),
    };
    end::of(result, &run)
}

/// The argument parser, for completions and documentation.
pub(crate) fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// The configuration that a limits file gives.
pub(crate) fn limits_config(limits: Option<&std::path::Path>) -> anyhow::Result<Config> {
    let Some(path) = limits else { return Ok(Config::default()) };
    let name = path.display().to_string();
    let absent = |e: std::io::Error| exit::usage(format!("--limits {name}: the file cannot be read: {e}"));
    let text = std::fs::read_to_string(path).map_err(absent)?;
    Ok(Config { limits: LimitsFile::parse(&name, &text)? })
}
