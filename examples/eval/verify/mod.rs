//! How well `verify` checks: on our own reports and articles, as they are and with one thing changed in each.
//!
//! `eval -- verify` takes the fixtures; `eval -- verify corpus` the shared sessions too, `eval -- verify /PATH` those of a
//! path; `unchanged` leaves out the changes, which take most of the time; `-v` lists what is not as it should be.

mod labelled;
mod mutate;

use std::collections::BTreeMap;
use std::path::PathBuf;

use turnpoint::analysis::{Analysis, analyse};
use turnpoint::extract::Config;
use turnpoint::report::document::{self, Choices};
use turnpoint::report::engine::{Engine, Target};
use turnpoint::report::explain;
use turnpoint::session::MsgIx;
use turnpoint::source;
use turnpoint::verify::{Verdict, Verifier};

use crate::gold::{Error, shared};

/// Messages of a session on which an article is written.
const ARTICLES: usize = 12;
/// Mutations tried of each kind and text.
const MUTATIONS: usize = 60;

#[derive(Default)]
struct Faith {
    articles: usize,
    sentences: usize,
    checked: usize,
    contradicted: usize,
    /// Sentences of which nothing but some words was found.
    in_part: usize,
}

/// Kind of mutation → caught, tried.
type Caught = BTreeMap<&'static str, (usize, usize)>;

pub(crate) fn run() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(2).collect();
    let verbose = args.iter().any(|a| a == "-v");
    labelled::seeds(verbose)?;
    labelled::articles(verbose)?;
    let fixtures = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    let mut roots = vec![fixtures.join("glm-session.json"), fixtures.join("qwen-session.json")];
    if args.iter().any(|a| a == "corpus") {
        roots.extend(["corpus", "labelled/todo_runs", "labelled/parity"].iter().map(|d| shared().join(d)));
    }
    if let Some(path) = args.iter().find(|a| a.starts_with('/')) {
        roots = vec![PathBuf::from(path)];
    }
    let engine = Engine::new(Target::Markdown, None)?;
    let (mut faith, mut caught) = (Faith::default(), Caught::new());
    let most = if args.iter().any(|a| a == "unchanged") { 0 } else { MUTATIONS };
    for group in &source::discover(&roots).groups {
        let Ok(sessions) = source::load(group, None) else { continue };
        for session in sessions {
            let analysis = analyse(session, &Config::default(), false);
            let name = group.inputs.first().map_or("", |i| i.name.as_str());
            one(&engine, &analysis, name, (verbose, most), &mut faith, &mut caught)?;
        }
    }
    println!(
        "{} texts of ours: {} sentences, {:.1} % checked ({} only in part), {} statements contradicted",
        faith.articles,
        faith.sentences,
        100.0 * faith.checked as f64 / faith.sentences.max(1) as f64,
        faith.in_part,
        faith.contradicted
    );
    for (kind, (hit, tried)) in caught {
        println!("{kind:10} changed: {hit}/{tried} caught, {:.1} %", 100.0 * hit as f64 / tried.max(1) as f64);
    }
    Ok(())
}

fn one(
    engine: &Engine,
    analysis: &Analysis,
    name: &str,
    (verbose, most): (bool, usize),
    faith: &mut Faith,
    caught: &mut Caught,
) -> Result<(), Error> {
    let verifier = Verifier::new(analysis);
    let mut texts = vec![("report".to_owned(), document::document(engine, analysis, &Choices::default())?.markdown)];
    for label in explain::telling(analysis, ARTICLES).iter().map(|t| &t.msg) {
        let Some(ix) = analysis.session.find(&label.to_string()) else { continue };
        texts.push((label.to_string(), text_on(engine, analysis, ix)?));
    }
    for (what, text) in texts {
        let found = verifier.verify(&text);
        faith.articles += 1;
        faith.sentences += found.stating;
        faith.checked += found.checked();
        let wrong: Vec<_> = found.statements.iter().filter(|s| s.verdict == Verdict::Contradicted).collect();
        faith.contradicted += wrong.len();
        let mut in_part: Vec<usize> = found.statements.iter().filter(|s| s.only.is_some()).map(|s| s.start).collect();
        in_part.dedup();
        faith.in_part += in_part.len();
        if verbose {
            for s in &wrong {
                println!("FALSE  {name} {what}:{} {}: {} | {}", s.line, s.kind.word(), s.reason, s.text);
            }
            for s in found.statements.iter().filter(|s| s.only.is_some()) {
                println!("PART  {name} {what}:{} {}", s.line, s.text);
            }
            for s in found.unchecked() {
                println!("BLANK  {name} {what}:{} {}", s.line, s.text);
            }
        }
        for mutation in mutate::all(&text, analysis, most) {
            let count = caught.entry(mutation.kind).or_default();
            count.1 += 1;
            let after = verifier.verify(&mutation.text);
            let new = after.count(Verdict::Contradicted) > wrong.len() || after.notes.iter().any(|n| n.wrong);
            count.0 += usize::from(new);
            if verbose && !new {
                println!("MISSED {} {name} {what}: {} | {}", mutation.kind, mutation.change, mutation.line);
            }
        }
    }
    Ok(())
}

fn text_on(engine: &Engine, analysis: &Analysis, ix: MsgIx) -> Result<String, Error> {
    let article = explain::article(engine, analysis, ix)?;
    Ok(explain::markdown(engine, analysis, &article)?)
}
