//! `turnpoint report`: the post-mortem, a folder for each session.

use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::exit::{Exit, usage};
use super::input::{InputArgs, Run};
use super::limits_config;
use super::narrator::NarratorArgs;
use super::{output, place, signals};
use crate::analysis::Analysis;
use crate::diag::Diag;
use crate::error::Error;
use crate::report::chart::{self, Picture};
use crate::report::comparison::{Comparison, Side, compare};
use crate::report::document::{Choices, Document, document, tidy};
use crate::report::engine::{Engine, Target};
use crate::report::html;
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
    /// What the charts beside the report are written as; Markdown shows the first
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Charts::Svg])]
    charts: Vec<Charts>,
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
    #[command(flatten)]
    narrator: NarratorArgs,
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
enum Charts {
    Svg,
    Png,
}

impl From<Charts> for Picture {
    fn from(charts: Charts) -> Self {
        match charts {
            Charts::Svg => Self::Svg,
            Charts::Png => Self::Png,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Excerpt {
    None,
}

#[derive(Serialize)]
struct Entry {
    folder: String,
    title: String,
    s: Summary,
    #[serde(skip)]
    side: Side,
}

pub(crate) fn run(args: Args, run: &Run) -> anyhow::Result<Exit> {
    if args.charts.contains(&Charts::Png) && !chart::PNG {
        return Err(usage("this build draws no PNG files; build it with --features png, or take --charts svg"));
    }
    args.narrator.check()?;
    let config = limits_config(args.limits.as_deref())?;
    let markdown = Engine::new(Target::Markdown, args.templates.as_deref())?;
    let terminal = Engine::new(Target::Terminal, args.templates.as_deref())?;
    let choices = Choices {
        title: args.title.clone(),
        full: args.full,
        no_excerpts: args.excerpt == Some(Excerpt::None),
        picture: args.charts.first().map(|c| Picture::from(*c)).unwrap_or_default(),
    };
    let to_stdout = args.output.as_os_str() == "-";
    if !to_stdout {
        output::refuse_input(&args.output, &args.input.inputs)?;
    }
    let mut entries: Vec<Entry> = Vec::new();
    if !to_stdout {
        signals::written(0);
    }
    run.each(&args.input, &config, args.experimental, |analysis| {
        let mut doc = document(&markdown, &analysis, &choices)?;
        doc.markdown = args.narrator.tell(run, doc.markdown, &analysis);
        let (s, side) = (summary(&analysis), Side::of(&analysis));
        if to_stdout {
            output::print(&doc.markdown)?;
        } else {
            let folder = free(slug(&doc.title, &analysis), &entries);
            write(&args.output.join(&folder), &doc, &markdown, &args)?;
            entries.push(Entry { folder, title: doc.title, s, side });
            signals::written(entries.len());
            return Ok(());
        }
        entries.push(Entry { folder: String::new(), title: doc.title, s, side });
        Ok(())
    })?;
    if entries.is_empty() {
        return Ok(run.nothing_found());
    }
    if entries.len() > 1 && !to_stdout {
        index(&args.output, &entries, &run.passed.borrow(), &markdown, &args.format)?;
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

/// A name that no session before has: two stores may hold a session of one id.
fn free(name: String, taken: &[Entry]) -> String {
    let is_free = |name: &String| taken.iter().all(|e| e.folder != *name);
    let others = (2..).map(|n| format!("{name}-{n}"));
    std::iter::once(name.clone()).chain(others).find(is_free).unwrap_or(name)
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
    if words.is_empty() { format!("session-{hash}") } else { format!("{words}-{hash}") }
}

/// Writes a session's folder. A page holds its charts itself, so their SVG files go with Markdown only.
fn write(folder: &Path, doc: &Document, engine: &Engine, args: &Args) -> Result<(), Error> {
    let mut files = Vec::new();
    let markdown = args.format.contains(&Format::Md);
    if markdown {
        files.push(("report.md".to_owned(), doc.markdown.clone().into_bytes()));
    }
    for figure in &doc.figures {
        if markdown && args.charts.contains(&Charts::Svg) {
            files.push((figure.file(Picture::Svg), figure.svg.clone().into_bytes()));
        }
        if args.charts.contains(&Charts::Png) {
            files.push((figure.file(Picture::Png), chart::png(&figure.svg)?));
        }
    }
    if args.format.contains(&Format::Html) {
        let page = html::page(engine, &doc.title, &doc.markdown, &doc.figures)?;
        files.push(("index.html".to_owned(), page.into_bytes()));
    }
    place::folder(folder, &files)
}

fn index(dir: &Path, entries: &[Entry], passed: &[Diag], engine: &Engine, formats: &[Format]) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct View<'a> {
        entries: &'a [Entry],
        comparison: &'a Comparison,
        passed: Vec<String>,
        page: &'a str,
    }
    let passed: Vec<String> = passed.iter().map(ToString::to_string).collect();
    let sides: Vec<Side> = entries.iter().map(|e| e.side.clone()).collect();
    let comparison = compare(&sides);
    let view = |page| View { entries, comparison: &comparison, passed: passed.clone(), page };
    let mut files = Vec::new();
    if formats.contains(&Format::Md) {
        files.push(("index.md".to_owned(), tidy(&engine.render("index.md", &view("report.md"))?)));
    }
    if formats.contains(&Format::Html) {
        let text = tidy(&engine.render("index.md", &view("index.html"))?);
        files.push(("index.html".to_owned(), html::page(engine, "Sessions", &text, &[])?));
    }
    Ok(place::files(dir, &files)?)
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
