//! `turnpoint report`: the post-mortem, a folder for each session.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::exit::{Exit, usage};
use super::input::{InputArgs, Run};
use super::limits_config;
use super::output;
use crate::analysis::Analysis;
use crate::error::Error;
use crate::report::document::{Choices, Document, document};
use crate::report::engine::{Engine, Target};
use crate::report::html;
use crate::report::section::bench::figure_path;
use crate::report::section::summary::{Summary, summary};

/// Write the post-mortem of each session as Markdown and HTML
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// Folder to write into, or - for Markdown on standard output
    #[arg(short, long, value_name = "DIR", default_value = "reports")]
    output: PathBuf,
    /// What to write
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Format::Html, Format::Md])]
    format: Vec<Format>,
    /// Limits to measure against
    #[arg(long, value_name = "FILE")]
    limits: Option<PathBuf>,
    /// Title instead of the session's own
    #[arg(long, value_name = "T")]
    title: Option<String>,
    /// Every message and every row
    #[arg(long, conflicts_with = "excerpt")]
    full: bool,
    /// How much of the cited messages to show
    #[arg(long, value_enum, value_name = "HOW")]
    excerpt: Option<Excerpt>,
    /// Folder with templates that replace those built in
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
    /// Run the experimental rules of the audit as well
    #[arg(long)]
    experimental: bool,
    /// Open the report when it is written
    #[arg(long)]
    open: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Html,
    Md,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Excerpt {
    None,
}

/// The file that tells a folder of ours from others.
const MARKER: &str = ".turnpoint";

#[derive(Serialize)]
struct Entry {
    folder: String,
    title: String,
    s: Summary,
}

pub(crate) fn run(args: Args, run: &Run) -> anyhow::Result<Exit> {
    let config = limits_config(args.limits.as_deref())?;
    let markdown = Engine::new(Target::Markdown, args.templates.as_deref())?;
    let terminal = Engine::new(Target::Terminal, args.templates.as_deref())?;
    let choices =
        Choices { title: args.title.clone(), full: args.full, no_excerpts: args.excerpt == Some(Excerpt::None) };
    let to_stdout = args.output.as_os_str() == "-";
    let mut entries: Vec<Entry> = Vec::new();
    run.each(&args.input, &config, args.experimental, |analysis| {
        let doc = document(&markdown, &analysis, &choices)?;
        let s = summary(&analysis);
        if to_stdout {
            output::print(&doc.markdown)?;
        } else {
            let folder = slug(&doc.title, &analysis);
            write(&args.output.join(&folder), &doc, &markdown, &args.format)?;
            entries.push(Entry { folder, title: doc.title, s });
            return Ok(());
        }
        entries.push(Entry { folder: String::new(), title: doc.title, s });
        Ok(())
    })?;
    if entries.is_empty() {
        return Ok(run.nothing_found());
    }
    if entries.len() > 1 && !to_stdout {
        index(&args.output, &entries, &markdown, &args.format)?;
    }
    say(run, &terminal, &entries)?;
    if !to_stdout {
        let page = landing(&args, &entries);
        output::print(&format!("{}\n", page.display()))?;
        if args.open {
            open(&page).map_err(|e| usage(format!("cannot open {}: {e}", page.display())))?;
        }
    }
    Ok(Exit::Done)
}

/// The five lines of a session, or one line for each of several.
fn say(run: &Run, terminal: &Engine, entries: &[Entry]) -> anyhow::Result<()> {
    let template = if entries.len() == 1 { "closing.txt" } else { "closing-line.txt" };
    for entry in entries.iter().take(20) {
        terminal.render(template, entry)?.lines().filter(|l| !l.trim().is_empty()).for_each(|l| run.plain(l));
    }
    if entries.len() > 20 {
        run.plain(&format!("… and {} more sessions", entries.len() - 20));
    }
    Ok(())
}

fn landing(args: &Args, entries: &[Entry]) -> PathBuf {
    let html = args.format.contains(&Format::Html);
    match entries {
        [one] => args.output.join(&one.folder).join(if html { "index.html" } else { "report.md" }),
        _ => args.output.join(if html { "index.html" } else { "index.md" }),
    }
}

/// Name of a session's folder: the title's words and a hash of its id.
fn slug(title: &str, analysis: &Analysis) -> String {
    let mut words = String::new();
    for c in title.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' => words.push(c),
            _ if !words.is_empty() && !words.ends_with('-') => words.push('-'),
            _ => {}
        }
        if words.len() >= 40 {
            break;
        }
    }
    let digest = Sha256::digest(format!("{}\n{}", analysis.session.agent, analysis.session.id));
    let hash: String = digest.iter().take(4).map(|b| format!("{b:02x}")).collect();
    let words = words.trim_matches('-');
    if words.is_empty() { hash } else { format!("{words}-{hash}") }
}

/// Writes a session's folder beside its place and swaps it in whole.
fn write(folder: &Path, doc: &Document, engine: &Engine, formats: &[Format]) -> Result<(), Error> {
    let error = |source: io::Error| Error::Write { path: folder.into(), source };
    if folder.exists() && !folder.join(MARKER).exists() {
        let reason = "it exists and was not written by turnpoint; choose another folder with -o";
        return Err(error(io::Error::new(io::ErrorKind::AlreadyExists, reason)));
    }
    let parent = folder.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(error)?;
    let staged = tempfile::Builder::new().prefix(".turnpoint-").tempdir_in(parent).map_err(error)?;
    let place = |name: &str, text: &str| output::write_file(&staged.path().join(name), text.as_bytes());
    place(MARKER, "This folder was written by turnpoint, which may replace it.\n")?;
    if formats.contains(&Format::Md) {
        place("report.md", &doc.markdown)?;
        doc.figures.iter().try_for_each(|f| place(&figure_path(&f.id), &f.svg))?;
    }
    if formats.contains(&Format::Html) {
        place("index.html", &html::page(engine, &doc.title, &doc.markdown, &doc.figures)?)?;
    }
    open_folder(staged.path()).map_err(error)?;
    swap(staged, folder).map_err(error)
}

/// Temporary folders are private; what is put in place gets the usual mode.
#[cfg(unix)]
fn open_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn open_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn swap(staged: tempfile::TempDir, folder: &Path) -> io::Result<()> {
    if !folder.exists() {
        fs::rename(staged.path(), folder)?;
        let _ = staged.keep();
        return Ok(());
    }
    // The old report moves into the staging folder's place, so that it goes away with it.
    let old = tempfile::Builder::new().prefix(".turnpoint-").tempdir_in(folder.parent().unwrap_or(Path::new(".")))?;
    let parked = old.path().join("old");
    fs::rename(folder, &parked)?;
    match fs::rename(staged.path(), folder) {
        Ok(()) => {
            let _ = staged.keep();
            Ok(())
        }
        Err(e) => {
            fs::rename(&parked, folder)?;
            Err(e)
        }
    }
}

fn index(dir: &Path, entries: &[Entry], engine: &Engine, formats: &[Format]) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct View<'a> {
        entries: &'a [Entry],
        page: &'a str,
    }
    let title = "Sessions";
    if formats.contains(&Format::Md) {
        let text = engine.render("index.md", &View { entries, page: "report.md" })?;
        output::write_file(&dir.join("index.md"), text.as_bytes())?;
    }
    if formats.contains(&Format::Html) {
        let text = engine.render("index.md", &View { entries, page: "index.html" })?;
        output::write_file(&dir.join("index.html"), html::page(engine, title, &text, &[])?.as_bytes())?;
    }
    Ok(())
}

/// Opens a page with the desktop's own program.
fn open(page: &Path) -> io::Result<()> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    std::process::Command::new(program).arg(page).spawn().map(drop)
}
