//! `turnpoint verify`: a narrative, checked against its transcript.

use std::path::PathBuf;

use super::exit::{Exit, usage};
use super::input::{HIGHEST_NUMBER, InputArgs, Run};
use super::{limits_config, output};
use crate::error::Error;
use crate::session::visible;
use crate::verify::{self, Statement, Verdict, Verification};

/// Check a narrative against its transcript: what is wrong first
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The narrative, in Markdown; - for standard input
    #[arg(value_name = "ARTICLE")]
    article: PathBuf,
    /// Transcript that it is about: a file, or a folder that holds one
    #[arg(long, value_name = "INPUT")]
    session: PathBuf,
    /// Number of the first message, for transcripts that carry no numbers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=HIGHEST_NUMBER))]
    first_number: Option<u64>,
    /// Of several sessions take this one: its id (or the start of it), its position from 1, or `latest`
    #[arg(long, value_name = "ID|N|latest", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pick: Option<String>,
    /// Limits that the narrative measures against
    #[arg(long, value_name = "FILE")]
    limits: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Style,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum Style {
    #[default]
    Table,
    Json,
    Md,
}

/// Characters of a sentence shown in the table.
const SHOWN: usize = 160;

pub(crate) fn run(args: Args, run: &Run) -> anyhow::Result<Exit> {
    let text = read(&args)?;
    let config = limits_config(args.limits.as_deref())?;
    let inputs = InputArgs { inputs: vec![args.session], first_number: args.first_number, pick: args.pick };
    let analysis = run.one(&inputs, &config, false)?;
    let found = verify::verify(&text, &analysis);
    if found.statements.is_empty() {
        run.say("the article holds no statement that can be checked");
    }
    match args.format {
        Style::Json => output::print_json(&found)?,
        // Lines may end in both marks: the first is none that would act on a terminal.
        Style::Md => output::print(&visible(&verify::annotated(&text, &found).replace("\r\n", "\n")))?,
        Style::Table => output::print(&table(&found))?,
    }
    let wrong = found.count(Verdict::Contradicted) > 0 || found.notes.iter().any(|n| n.wrong);
    let open = run.global.strict && (found.count(Verdict::Unverifiable) > 0 || found.in_part() > 0);
    Ok(if wrong || open { Exit::Found } else { Exit::Done })
}

fn read(args: &Args) -> anyhow::Result<String> {
    let (name, bytes) = match args.article.to_str() {
        Some("-") if args.session.as_os_str() == "-" => {
            return Err(usage("only one of ARTICLE and --session can be standard input"));
        }
        Some("-") => {
            let mut bytes = Vec::new();
            let read = std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes);
            ("standard input".to_owned(), read.map(|_| bytes))
        }
        _ => (args.article.display().to_string(), std::fs::read(&args.article)),
    };
    let bytes = bytes.map_err(|source| Error::Read { path: name.clone(), source })?;
    let text =
        String::from_utf8(bytes).map_err(|_| usage(format!("{name} is not UTF-8 text; verify reads Markdown")))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn table(found: &Verification) -> String {
    let mut out = String::new();
    for note in &found.notes {
        out.push_str(&format!("{}\n", output::one_line(&note.text)));
    }
    out.push_str(&format!(
        "{} sentences, {} statements: {} contradicted, {} supported{}, {} unverifiable\n",
        found.sentences,
        found.statements.len(),
        found.count(Verdict::Contradicted),
        found.count(Verdict::Supported),
        match found.in_part() {
            0 => String::new(),
            n => format!(" ({n} in part)"),
        },
        found.count(Verdict::Unverifiable),
    ));
    let in_part = |s: &&Statement| s.only.is_some();
    let parts = [
        (Verdict::Contradicted, false, "contradicted"),
        (Verdict::Unverifiable, false, "unverifiable"),
        (Verdict::Supported, true, "supported in part: nothing of the sentence was checked but the words named"),
        (Verdict::Supported, false, "supported"),
    ];
    for (verdict, part, title) in parts {
        let here = found.statements.iter().filter(|s| s.verdict == verdict && in_part(s) == part);
        let rows: Vec<Vec<String>> = here.map(row).collect();
        if !rows.is_empty() {
            out.push_str(&format!("\n{title}\n"));
            out.push_str(&output::grid_with_lines(&["line", "kind", "messages", "why, and the sentence"], &rows));
        }
    }
    out
}

fn row(statement: &Statement) -> Vec<String> {
    vec![
        statement.line.to_string(),
        statement.kind.word().to_owned(),
        statement.evidence_msgs.iter().take(3).cloned().collect::<Vec<_>>().join(" "),
        statement.reason.clone(),
        crate::report::text::cut(&statement.text, SHOWN),
    ]
}
