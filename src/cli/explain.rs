//! `turnpoint explain`: the article on one message.

use std::path::PathBuf;

use super::exit::Exit;
use super::input::{self, OneInput, Run};
use super::{limits_config, output};
use crate::report::engine::{Engine, Target};
use crate::report::explain::{article, json, markdown, telling};
use crate::report::html;

/// Explain one message: what it answers, what it holds, what came of it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: OneInput,
    /// The message: 352, 340.s1.3 or a native id; without it, the ten most telling messages are listed with reasons
    #[arg(value_name = "MSG")]
    message: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Style,
    /// Limits to measure against
    #[arg(long, value_name = "FILE")]
    limits: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum Style {
    #[default]
    Md,
    Html,
    Json,
}

/// Messages listed when none is named.
const TELLING: usize = 10;

pub(crate) fn run(args: Args, run: &Run) -> anyhow::Result<Exit> {
    let config = limits_config(args.limits.as_deref())?;
    let inputs = args.input.args();
    let analysis = run.one(&inputs, &config, true)?;
    let engine = Engine::new(Target::Markdown, None)?;
    let Some(name) = &args.message else {
        #[derive(serde::Serialize)]
        struct View {
            title: String,
            rows: Vec<crate::report::explain::Telling>,
        }
        let title = analysis.session.name();
        let view = View { title, rows: telling(&analysis, TELLING) };
        if args.format == Style::Json {
            output::print_json(&view.rows)?;
            return Ok(Exit::Done);
        }
        let text = crate::report::document::tidy(&engine.render("telling.md", &view)?);
        return print(&args, &engine, &view.title, &text);
    };
    let ix = input::message(&analysis.session, name)?;
    let article = article(&engine, &analysis, ix)?;
    if args.format == Style::Json {
        output::print_json(&json(&article))?;
        return Ok(Exit::Done);
    }
    let text = markdown(&engine, &analysis, &article)?;
    let title = format!("Message {}", analysis.session.message(ix).label);
    print(&args, &engine, &title, &text)
}

fn print(args: &Args, engine: &Engine, title: &str, text: &str) -> anyhow::Result<Exit> {
    match args.format {
        Style::Html => output::print(&html::page(engine, title, text, &[])?)?,
        _ => output::print(text)?,
    }
    Ok(Exit::Done)
}
