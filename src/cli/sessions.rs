//! `turnpoint sessions`: what there is to read.

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, civil};
use rayon::prelude::*;

use super::exit::{Exit, usage};
use super::input::{Run, progress};
use super::{output, stores};
use crate::diag::Severity;
use crate::error::Error;
use crate::extract::plan::{self, State};
use crate::report::section::value;
use crate::session::{MessageKind, Session};
use crate::source::stored::{self, Stored};
use crate::source::{self, Group};
use crate::tables::csv::CsvWriter;
use crate::tables::ndjson::{JsonWriter, Layout};

/// List the sessions that agents have left on this machine, newest first
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folders to look in [default: where the agents keep their transcripts]
    #[arg(value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Only sessions of this agent, such as claude-code; may be given several times
    #[arg(long, value_name = "AGENT", value_delimiter = ',')]
    agent: Vec<String>,
    /// Only sessions whose working directory holds this text
    #[arg(long, value_name = "TEXT")]
    project: Option<String>,
    /// Only sessions that went on after this: a date (2026-01-31), a time in UTC (2026-01-31T08:00), or an age (12h, 7d, 2w)
    #[arg(long, value_name = "D", value_parser = since)]
    since: Option<Timestamp>,
    /// Only the newest N
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
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

/// One line of the list.
#[derive(Debug, Default)]
struct Row {
    id: String,
    agent: String,
    project: Option<String>,
    title: Option<String>,
    prompt: Option<String>,
    first_at: Option<Timestamp>,
    last_at: Option<Timestamp>,
    messages: u64,
    /// Items done, and all.
    plan: Option<(u64, u64)>,
    format: &'static str,
    file: PathBuf,
    lost: bool,
}

const COLUMNS: &[&str] = &[
    "session_id",
    "agent",
    "project",
    "title",
    "prompt",
    "first_at",
    "last_at",
    "duration_s",
    "messages",
    "plan_done",
    "plan_items",
    "format",
    "file",
];

/// Characters of a title or prompt that a line shows.
const TITLE: usize = 60;

/// Characters of a path that a line shows.
const PROJECT: usize = 40;

pub(crate) fn run(args: Args, run: &Run) -> anyhow::Result<Exit> {
    let mut rows = if args.folders.is_empty() { usual(&args, run) } else { below(&args, run)? };
    if rows.iter().any(|r| r.lost) && run.global.strict {
        run.raise(Exit::Unread);
    }
    let empty = rows.iter().filter(|r| r.messages == 0).count();
    rows.retain(|r| r.messages > 0 && wanted(r, &args));
    rows.sort_by(|a, b| b.last_at.cmp(&a.last_at).then_with(|| a.id.cmp(&b.id)).then_with(|| a.file.cmp(&b.file)));
    let shown = args.limit.unwrap_or(rows.len()).min(rows.len());
    rows.truncate(shown);
    if run.redacts() {
        rows.iter_mut().for_each(|r| redact(r, run));
    }
    print(&rows, args.format)?;
    if empty > 0 {
        let sessions = if empty == 1 { "session" } else { "sessions" };
        run.say(&format!("{empty} {sessions} without messages left out"));
    }
    if rows.is_empty() && args.folders.is_empty() {
        run.say("no session found in the agents' default places; name a folder to look in");
    }
    Ok(Exit::Done)
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

/// Sessions in the agents' default places. What cannot be read there is said; the user did not name it.
fn usual(args: &Args, run: &Run) -> Vec<Row> {
    let (mut out, mut inputs) = (Vec::new(), Vec::new());
    let places = stores::here();
    for place in places.iter().filter(|p| args.agent.is_empty() || args.agent.iter().any(|a| a == p.agent)) {
        if !stores::is_store(place) {
            inputs.extend(stores::inputs(place));
            continue;
        }
        let (sessions, errors) = stores::stored(place);
        let format = if place.holds == super::places::Holds::Tree { "opencode-storage" } else { "opencode-db" };
        out.extend(sessions.into_iter().map(|s| of_store(s, place.agent, format)));
        errors.iter().for_each(|e| run.say(&e.to_string()));
    }
    let mut found = source::discover(&inputs);
    // The agents keep other files beside their sessions, and nobody named them.
    found.warnings.retain(|w| w.severity != Severity::Note);
    run.warn(&found.warnings);
    found.errors.iter().for_each(|e| run.say(&e.to_string()));
    out.extend(read(found.groups, args, run, |e| run.say(&e.to_string())));
    let mut seen = std::collections::BTreeSet::new();
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
    Ok(read(found.groups, args, run, |e| run.say(&e.to_string())))
}

/// Reads groups, newest first, as far as the filters need it. As many are held in memory as there are threads.
fn read(groups: Vec<Group>, args: &Args, run: &Run, fail: impl Fn(&Error)) -> Vec<Row> {
    let mut dated: Vec<(Timestamp, Group)> = groups.into_iter().map(|g| (changed(&g), g)).collect();
    dated.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    // A file that was last written before the day in question holds nothing younger.
    let since = args.since.and_then(|at| at.checked_sub(Span::new().hours(24)).ok());
    dated.retain(|(at, _)| since.is_none_or(|since| *at >= since));
    let bar = progress(dated.len());
    let mut out: Vec<Row> = Vec::new();
    for window in dated.chunks(rayon::current_num_threads().max(1) * 4) {
        if args.limit.is_some_and(|n| enough(&out, n, window[0].0, args)) {
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
    let lost = out.iter().filter(|r| r.lost).count();
    if lost > 0 {
        run.say(&format!("{lost} of them could not be read whole; `turnpoint report` says what is missing"));
    }
    out
}

/// Whether `n` wanted sessions are younger than every file that was not read yet.
fn enough(rows: &[Row], n: usize, next: Timestamp, args: &Args) -> bool {
    let young = |r: &&Row| r.messages > 0 && wanted(r, args) && r.last_at.is_some_and(|at| at > next);
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

fn row_of(session: &Session, file: &Path) -> Row {
    let plan = plan::extract(session);
    let done = plan.items.iter().filter(|i| i.outcome == State::Done).count() as u64;
    let prompt = session.messages.iter().find(|m| m.kind == MessageKind::Prompt && m.thread.0 == 0);
    let prompt = prompt.map(|m| output::one_line(&m.text())).filter(|t| !t.is_empty());
    Row {
        id: session.id.clone(),
        agent: session.agent.clone(),
        project: session.cwd.clone(),
        title: session.title.clone(),
        prompt: prompt.map(|p| cut(&p, 200)),
        first_at: session.first_at(),
        last_at: session.last_at(),
        messages: session.messages.len() as u64,
        plan: (!plan.items.is_empty()).then_some((done, plan.items.len() as u64)),
        format: session.format,
        file: file.to_owned(),
        lost: session.warnings.iter().any(|w| w.severity == Severity::Lost),
    }
}

fn of_store(s: Stored, agent: &str, format: &'static str) -> Row {
    Row {
        id: s.id,
        agent: agent.to_owned(),
        project: s.directory,
        title: s.title,
        first_at: s.created,
        last_at: s.updated,
        messages: s.messages,
        plan: s.plan,
        format,
        file: s.file,
        ..Row::default()
    }
}

fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

/// The last characters of a path, where most tell one from another.
fn end_of(path: &str) -> String {
    match path.char_indices().nth_back(PROJECT - 1) {
        Some((at, _)) if at > 0 => {
            let at = path[at..].find(['/', '\\']).map_or(at, |slash| at + slash);
            format!("…{}", &path[at..])
        }
        _ => path.to_owned(),
    }
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

fn cells(row: &Row) -> Vec<crate::tables::Value<'_>> {
    let seconds = row.first_at.zip(row.last_at).map(|(a, b)| b.as_second() - a.as_second());
    vec![
        row.id.as_str().into(),
        row.agent.as_str().into(),
        (&row.project).into(),
        (&row.title).into(),
        (&row.prompt).into(),
        row.first_at.into(),
        row.last_at.into(),
        seconds.into(),
        row.messages.into(),
        row.plan.map(|p| p.0).into(),
        row.plan.map(|p| p.1).into(),
        row.format.into(),
        row.file.to_string_lossy().into_owned().into(),
    ]
}

fn table(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let home = etcetera::home_dir().ok();
    let lines: Vec<Vec<String>> = rows.iter().map(|r| line(r, home.as_deref())).collect();
    output::grid(&["agent", "project", "title", "start", "length", "messages", "plan", "id"], &lines)
}

fn line(row: &Row, home: Option<&Path>) -> Vec<String> {
    let project = row.project.as_deref().unwrap_or_default();
    let short = home.and_then(|h| Path::new(project).strip_prefix(h).ok());
    let title = row.title.as_ref().or(row.prompt.as_ref()).map(|t| cut(&output::one_line(t), TITLE));
    vec![
        row.agent.clone(),
        end_of(&short.map_or_else(|| project.to_owned(), |s| Path::new("~").join(s).display().to_string())),
        title.unwrap_or_default(),
        row.first_at.map(|t| t.strftime("%Y-%m-%d %H:%M").to_string()).unwrap_or_default(),
        row.first_at.zip(row.last_at).map(|(a, b)| value::duration(a, b)).unwrap_or_default(),
        row.messages.to_string(),
        row.plan.map(|(done, all)| format!("{done}/{all}")).unwrap_or_default(),
        row.id.clone(),
    ]
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
    fn long_paths_show_their_end() {
        assert_eq!(end_of("/w/engine"), "/w/engine");
        let long = "/Users/somebody/Documents/projects/engine/.worktrees/streaming";
        assert_eq!(end_of(long), "…/projects/engine/.worktrees/streaming");
        assert_eq!(end_of(&"ü".repeat(50)).chars().count(), 41);
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
