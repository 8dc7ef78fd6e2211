//! `turnpoint sessions`: what there is to read.

mod row;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, civil};
use rayon::prelude::*;

use super::exit::{Exit, usage};
use super::input::{Run, progress};
use super::places::Holds;
use super::{output, stores};
use crate::diag::Severity;
use crate::error::Error;
use crate::source::stored;
use crate::source::{self, FORMATS, Group};
use crate::tables::csv::CsvWriter;
use crate::tables::ndjson::{JsonWriter, Layout};

use row::{COLUMNS, Row, cells, line, of_store, row_of};

/// List the sessions that agents have left on this machine, newest first
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folders to look in [default: where the agents keep their transcripts]
    #[arg(value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Only sessions of this agent, such as claude-code; may be given several times
    #[arg(long, value_name = "AGENT", value_delimiter = ',', value_parser = agent)]
    agent: Vec<String>,
    /// Only sessions whose working directory holds this text
    #[arg(long, value_name = "TEXT")]
    project: Option<String>,
    /// Only sessions that went on after this: a date (2026-01-31), a time in UTC (2026-01-31T08:00), or an age (12h, 7d, 2w)
    #[arg(long, value_name = "D", value_parser = since)]
    since: Option<Timestamp>,
    /// Only the newest N
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<NonZeroUsize>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    #[default]
    Table,
    Json,
    Ndjson,
    Csv,
}

/// An agent whose transcripts are read.
fn agent(text: &str) -> Result<String, String> {
    let known: BTreeSet<&str> = FORMATS.iter().map(|f| f.agent).collect();
    let list = || known.iter().copied().collect::<Vec<_>>().join(", ");
    if known.contains(text) { Ok(text.to_owned()) } else { Err(format!("no agent of this name; there are {}", list())) }
}

/// A date, a time or an age.
fn since(text: &str) -> Result<Timestamp, String> {
    let age = |text: &str| {
        let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let hours = number.parse::<i64>().ok()?.checked_mul(match unit {
            "h" => 1,
            "d" => 24,
            "w" => 7 * 24,
            _ => return None,
        })?;
        Timestamp::now().checked_sub(Span::new().try_hours(hours).ok()?).ok()
    };
    let utc = |at: civil::DateTime| TimeZone::UTC.to_timestamp(at).ok();
    let local = || text.parse::<civil::DateTime>().ok().and_then(utc);
    let found = text.parse().ok().or_else(|| age(text)).or_else(local);
    found.ok_or_else(|| "neither a date (2026-01-31), a time (2026-01-31T08:00) nor an age (12h, 7d, 2w)".to_owned())
}

pub(crate) fn run(args: Args, run: &Run) -> anyhow::Result<Exit> {
    let mut rows = if args.folders.is_empty() { usual(&args, run) } else { below(&args, run)? };
    let lost = rows.iter().filter(|r| r.lost).count();
    if lost > 0 {
        run.say(&format!("{lost} of them could not be read whole; `turnpoint report` says what is missing"));
    }
    if lost > 0 && run.global.strict {
        run.raise(Exit::Unread);
    }
    let empty = rows.iter().filter(|r| r.messages == Some(0)).count();
    rows.retain(|r| r.messages != Some(0));
    let all = rows.len();
    rows.retain(|r| wanted(r, &args));
    rows.sort_by(|a, b| b.last_at.cmp(&a.last_at).then_with(|| a.id.cmp(&b.id)).then_with(|| a.file.cmp(&b.file)));
    let shown = args.limit.map_or(rows.len(), NonZeroUsize::get).min(rows.len());
    rows.truncate(shown);
    if run.redacts() {
        rows.iter_mut().for_each(|r| redact(r, run));
    }
    print(&rows, args.format)?;
    if rows.iter().any(|r| r.stored && r.plan.is_some()) {
        run.say("plans of OpenCode's stores are the last lists of its todo tool; `turnpoint plan` reads files and texts too");
    }
    if empty > 0 {
        let sessions = if empty == 1 { "session" } else { "sessions" };
        run.say(&format!("{empty} {sessions} without messages left out"));
    }
    if rows.is_empty() && all > 0 {
        run.say(&format!("none of {all} sessions is of the agent, project or time asked for"));
    } else if rows.is_empty() && filtered(&args) {
        run.say("no session is of the agent, project or time asked for");
    } else if rows.is_empty() && args.folders.is_empty() {
        run.say("no session found in the agents' default places; name a folder to look in");
    }
    Ok(Exit::Done)
}

fn filtered(args: &Args) -> bool {
    !args.agent.is_empty() || args.project.is_some() || args.since.is_some()
}

fn redact(row: &mut Row, run: &Run) {
    for text in [&mut row.project, &mut row.title, &mut row.prompt].into_iter().flatten() {
        *text = run.clean(text).into_owned();
    }
    row.file = run.clean(&row.file.to_string_lossy()).into_owned().into();
}

fn wanted(row: &Row, args: &Args) -> bool {
    let project = || row.project.as_deref().unwrap_or_default().to_lowercase();
    (args.agent.is_empty() || args.agent.contains(&row.agent))
        && args.project.as_ref().is_none_or(|p| project().contains(&p.to_lowercase()))
        && args.since.is_none_or(|since| row.last_at.is_some_and(|at| at >= since))
}

/// Sessions in the agents' default places. What cannot be read there is said; the exit code tells it where the
/// environment names the file, or everything must be read.
fn usual(args: &Args, run: &Run) -> Vec<Row> {
    let tell = |named: bool, e: &Error| if named || run.global.strict { run.fail(e) } else { run.say(&e.to_string()) };
    let (mut out, mut inputs) = (Vec::new(), Vec::new());
    let places = stores::here();
    for place in places.iter().filter(|p| args.agent.is_empty() || args.agent.iter().any(|a| a == p.agent)) {
        if !stores::is_store(place) {
            inputs.extend(stores::inputs(place));
            continue;
        }
        let (sessions, errors) = stores::stored(place);
        let format = if place.holds == Holds::Tree { "opencode-storage" } else { "opencode-db" };
        out.extend(sessions.into_iter().map(|s| of_store(s, place.agent, format)));
        errors.iter().for_each(|e| tell(place.holds == Holds::File, e));
    }
    let mut found = source::discover(&inputs);
    // The agents keep other files beside their sessions, and nobody named them.
    found.warnings.retain(|w| w.severity != Severity::Note);
    run.warn(&found.warnings);
    found.errors.iter().for_each(|e| tell(false, e));
    out.extend(read(found.groups, args, |e| tell(false, e)));
    let mut seen = BTreeSet::new();
    out.retain(|r| seen.insert((r.agent.clone(), r.id.clone())));
    out
}

/// Sessions in folders or files that the user names.
fn below(args: &Args, run: &Run) -> anyhow::Result<Vec<Row>> {
    if let Some(missing) = args.folders.iter().find(|f| f.as_os_str() == "-") {
        return Err(usage(format!("`{}`: standard input holds no folder", missing.display())));
    }
    let found = source::discover(&args.folders);
    run.warn(&found.warnings);
    found.errors.iter().for_each(|e| run.fail(e));
    Ok(read(found.groups, args, |e| run.fail(e)))
}

/// Reads groups, newest first, as far as the filters need it. As many are held in memory as there are threads.
fn read(groups: Vec<Group>, args: &Args, fail: impl Fn(&Error)) -> Vec<Row> {
    let mut dated: Vec<(Timestamp, Group)> = groups.into_iter().map(|g| (changed(&g), g)).collect();
    dated.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    // A file that was last written before the day in question holds nothing younger.
    let since = args.since.and_then(|at| at.checked_sub(Span::new().hours(24)).ok());
    dated.retain(|(at, _)| since.is_none_or(|since| *at >= since));
    let bar = progress(dated.len());
    let mut out: Vec<Row> = Vec::new();
    for window in dated.chunks(rayon::current_num_threads().max(1) * 4) {
        if args.limit.is_some_and(|n| enough(&out, n.get(), window[0].0, args)) {
            break;
        }
        let loaded: Vec<Result<Vec<Row>, Error>> = window.par_iter().map(|(_, group)| rows_of(group)).collect();
        for result in loaded {
            bar.inc(1);
            match result {
                Ok(rows) => out.extend(rows),
                Err(error) => fail(&error),
            }
        }
    }
    bar.finish_and_clear();
    out
}

/// Whether `n` wanted sessions are younger than every file that was not read yet.
fn enough(rows: &[Row], n: usize, next: Timestamp, args: &Args) -> bool {
    let young = |r: &&Row| r.messages != Some(0) && wanted(r, args) && r.last_at.is_some_and(|at| at > next);
    rows.iter().filter(young).count() >= n
}

/// When a group was last changed; what is no file counts as new.
fn changed(group: &Group) -> Timestamp {
    let times = group.inputs.iter().map(|i| i.place().map(stores::changed));
    let known: Option<Vec<_>> = times.map(|t| t.flatten()).collect();
    known.and_then(|t| t.into_iter().max()).unwrap_or_else(Timestamp::now)
}

fn rows_of(group: &Group) -> Result<Vec<Row>, Error> {
    let file = group.inputs.first().and_then(|i| i.place()).map(Path::to_owned).unwrap_or_default();
    if group.format.id == "opencode-db"
        && let [input] = &group.inputs[..]
        && let Some(path) = input.path()
    {
        return Ok(stored::database(path)?.into_iter().map(|s| of_store(s, "opencode", group.format.id)).collect());
    }
    let sessions = source::load(group, None)?;
    Ok(sessions.iter().map(|session| row_of(session, &file)).collect())
}

fn print(rows: &[Row], format: Format) -> anyhow::Result<()> {
    let bytes = match format {
        Format::Table => return output::print(&table(rows)),
        Format::Csv => {
            let mut csv = CsvWriter::new(Vec::new(), COLUMNS.iter().copied(), false)?;
            rows.iter().try_for_each(|r| csv.row(&cells(r)))?;
            csv.finish()?
        }
        Format::Json | Format::Ndjson => {
            let layout = if format == Format::Json { Layout::Array } else { Layout::Lines };
            let mut json = JsonWriter::new(Vec::new(), COLUMNS.iter().copied(), layout)?;
            rows.iter().try_for_each(|r| json.row(&cells(r)))?;
            json.finish()?
        }
    };
    output::print(&String::from_utf8_lossy(&bytes))
}

fn table(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let home = etcetera::home_dir().ok();
    let lines: Vec<Vec<String>> = rows.iter().map(|r| line(r, home.as_deref())).collect();
    output::grid(&["agent", "project", "title", "start", "length", "messages", "plan", "id"], &lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_dates_times_and_ages() {
        assert_eq!(since("2026-01-31").unwrap().to_string(), "2026-01-31T00:00:00Z");
        assert_eq!(since("2026-01-31T08:00").unwrap().to_string(), "2026-01-31T08:00:00Z");
        assert_eq!(since("2026-01-31T08:00:00+02:00").unwrap().to_string(), "2026-01-31T06:00:00Z");
        let week = Timestamp::now().as_second() - since("7d").unwrap().as_second();
        assert!((604_799..=604_801).contains(&week), "{week}");
        for bad in ["", "d", "7x", "yesterday", "99999999999999999999d", "ü"] {
            assert!(since(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn filters_by_agent_project_and_time() {
        let args = |text: &[&str]| {
            #[derive(clap::Parser)]
            struct Line {
                #[command(flatten)]
                args: Args,
            }
            <Line as clap::Parser>::parse_from([&["x"], text].concat()).args
        };
        let row = Row {
            agent: "codex".into(),
            project: Some("/home/u/Engine".into()),
            last_at: Some("2026-02-01T00:00:00Z".parse().unwrap()),
            ..Row::default()
        };
        for (flags, kept) in [
            (&["--agent", "claude-code,codex"][..], true),
            (&["--agent", "opencode"], false),
            (&["--project", "engine"], true),
            (&["--project", "motor"], false),
            (&["--since", "2026-02-01"], true),
            (&["--since", "2026-02-02"], false),
        ] {
            assert_eq!(wanted(&row, &args(flags)), kept, "{flags:?}");
        }
    }
}
