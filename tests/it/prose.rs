//! The reports as prose: the opening stands alone, sentences do not repeat their frame, every link inside a page leads
//! somewhere under two rules, and no sentence is made in Rust.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::Value;
use turnpoint::analysis::{Analysis, analyse};
use turnpoint::extract::Config;
use turnpoint::report::chart;
use turnpoint::report::document::{Choices, document};
use turnpoint::report::engine::{Engine, Target};
use turnpoint::report::section::{Material, SECTIONS, opening};
use turnpoint::source;

use super::corpus::shared;

/// Transcripts above this many bytes are left out: the rest shows every kind of section.
const LARGEST: u64 = 1 << 20;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn engine() -> Engine {
    Engine::new(Target::Markdown, None).unwrap()
}

/// Sessions of the fixtures, and of the shared corpus where there is one.
fn analyses() -> Vec<Analysis> {
    let mut places: Vec<PathBuf> = vec![root().join("fixtures")];
    places.extend(shared().map(|s| s.join("corpus")));
    let found = source::discover(&places);
    let small = |g: &&source::Group| g.inputs.iter().map(|i| i.path().map_or(0, size)).sum::<u64>() <= LARGEST;
    let groups: Vec<_> = found.groups.iter().filter(small).collect();
    let read = |g: &&source::Group| source::load(g, None).unwrap_or_default();
    let sessions: Vec<_> = groups.par_iter().flat_map(read).collect();
    sessions.into_par_iter().map(|s| analyse(s, &Config::default(), true)).collect()
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |m| m.len())
}

/// Every report by the id of its session.
fn reports() -> Vec<(String, String)> {
    let engine = engine();
    let told = |a: &Analysis| {
        let doc = document(&engine, a, &Choices::default()).unwrap();
        (format!("{} {}", a.session.agent, a.session.id), doc.markdown)
    };
    analyses().par_iter().map(told).collect()
}

/// The opening of a report: what stands between its first heading and the next.
fn opening_of(markdown: &str) -> &str {
    let start = markdown.find("## Summary").expect("a report opens with its summary");
    let rest = &markdown[start..];
    rest.find("\n### ").map_or(rest, |end| &rest[..end])
}

#[test]
fn the_opening_stands_alone_in_few_words_and_every_line_is_cited() {
    let all = reports();
    assert!(all.len() > 10, "{} reports", all.len());
    for (id, markdown) in &all {
        let text = opening_of(markdown);
        let count = opening::words(text);
        assert!(count <= opening::WORDS, "{id}: {count} words\n{text}");
        if text.contains("holds no messages") {
            continue;
        }
        for part in ["**Asked**", "**Done**", "**Open**"] {
            assert!(text.contains(part), "{id}: {part} is missing\n{text}");
        }
        for line in text.lines().filter(|l| l.starts_with("- ")) {
            assert!(line.contains("](#msg-"), "{id}: no message is cited in {line}");
        }
    }
}

/// Sentences and bullets of a report in order; headings, tables, blocks of text from the session and quotes are none.
fn sentences(markdown: &str) -> Vec<String> {
    let quote = regex::Regex::new("“[^”]*”").unwrap();
    let mut out = Vec::new();
    let mut fence: Option<String> = None;
    for line in markdown.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if line == open => fence = None,
            None if ticks.len() >= 3 => fence = Some(ticks),
            _ => {}
        }
        // Two tables with a heading between do not stand in a row.
        if line.starts_with('#') || line.starts_with("![") {
            out.push(format!("{line} {}", out.len()));
        }
        let line = line.trim_start().trim_start_matches("- ");
        if fence.is_some() || line.starts_with(['#', '|', '`', '!']) || line.is_empty() {
            continue;
        }
        let line = quote.replace_all(line, "“”");
        out.extend(line.split(". ").map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()));
    }
    out
}

/// The first four words: figures, names in code and messages do not make a frame another.
fn frame(sentence: &str) -> String {
    let plain = regex::Regex::new(r"\[msg [^\]]*\]\([^)]*\)|`[^`]*`|\d[\d.,]*").unwrap().replace_all(sentence, "N");
    plain.split_whitespace().take(4).collect::<Vec<_>>().join(" ").to_lowercase()
}

#[test]
fn no_three_sentences_in_a_row_begin_alike() {
    for (id, markdown) in reports() {
        let frames: Vec<(String, String)> = sentences(&markdown).into_iter().map(|s| (frame(&s), s)).collect();
        for three in frames.windows(3) {
            let long = three[0].0.split(' ').count() == 4;
            let alike = three.iter().all(|f| f.0 == three[0].0);
            assert!(
                !(long && alike),
                "{id}: three in a row begin alike:\n{}\n{}\n{}",
                three[0].1,
                three[1].1,
                three[2].1
            );
        }
    }
}

/// The id that GitHub gives a heading: lower case, marks dropped, blanks to `-`, repeats numbered.
fn github(headings: &[&str]) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let slug = |h: &str| -> String {
        let text = h.replace('\\', "").to_lowercase();
        let keep = |c: char| {
            (c.is_alphanumeric() || c == '_' || c == '-' || c == ' ').then_some(if c == ' ' { '-' } else { c })
        };
        text.chars().filter_map(keep).collect()
    };
    let mut number = |slug: String| {
        let n = seen.entry(slug.clone()).or_default();
        *n += 1;
        if *n == 1 { slug } else { format!("{slug}-{}", *n - 1) }
    };
    headings.iter().map(|h| number(slug(h))).collect()
}

/// Headings of a document, outside of blocks, and the targets of its links into itself.
fn headings_and_links(markdown: &str) -> (Vec<&str>, BTreeSet<&str>) {
    let link = regex::Regex::new(r"\]\(#([^)]+)\)").unwrap();
    let (mut headings, mut links, mut fence) = (Vec::new(), BTreeSet::new(), None);
    for line in markdown.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if line == open => fence = None,
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => {
                if let Some(text) = line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')) {
                    headings.push(text);
                }
                links.extend(link.captures_iter(line).map(|c| c.get(1).unwrap().as_str()));
            }
            _ => {}
        }
    }
    (headings, links)
}

#[test]
fn every_link_leads_to_a_heading_on_github_and_in_obsidian() {
    let mut checked = 0;
    for (id, markdown) in reports() {
        let (headings, links) = headings_and_links(&markdown);
        let (slugs, texts) = (github(&headings), headings.iter().copied().collect::<BTreeSet<_>>());
        for link in links {
            assert!(slugs.contains(link), "{id}: #{link} leads nowhere on GitHub");
            assert!(texts.contains(link), "{id}: #{link} is the text of no heading");
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} links");
}

/// Fields that are made by a template: sentences of discrepancies and of the plan's order, and what charts say of themselves.
const FROM_TEMPLATES: &[&str] = &["sentence", "order", "title", "description", "figures"];

/// Strings of a view that read as a finished sentence, with the field they stand in.
fn finished<'v>(view: &'v Value, field: &'v str, out: &mut Vec<(&'v str, &'v str)>) {
    match view {
        Value::String(text) => {
            let words = text.split_whitespace().count();
            if words >= 4 && text.ends_with(['.', '!', '?']) && text.starts_with(char::is_uppercase) {
                out.push((field, text));
            }
        }
        Value::Array(all) => all.iter().for_each(|v| finished(v, field, out)),
        Value::Object(all) => {
            all.iter().filter(|(k, _)| !FROM_TEMPLATES.contains(&k.as_str())).for_each(|(k, v)| finished(v, k, out))
        }
        _ => {}
    }
}

#[test]
fn views_hold_no_finished_sentence_of_ours() {
    let engine = engine();
    for analysis in analyses() {
        let figures = chart::draw(&engine, &analysis).unwrap();
        let material = Material { analysis: &analysis, figures: &figures, full: true, engine: &engine };
        let flat = |t: &str| t.split_whitespace().collect::<Vec<_>>().join(" ");
        let said: String = analysis
            .session
            .messages
            .iter()
            .map(|m| flat(&(format!("{m:?}").replace("\\n", " ").replace("\\t", " ") + &m.text())))
            .collect();
        for section in SECTIONS {
            let Some(view) = (section.view)(&material).unwrap() else { continue };
            let mut found = Vec::new();
            finished(&view, "", &mut found);
            for (field, text) in found {
                let quoted = format!("{:?}", flat(text));
                let start: String = quoted.trim_matches('"').chars().take(60).collect();
                let from_input = said.contains(start.trim_end()) || field == "message";
                assert!(from_input, "{}, field {field}: {text}", section.id);
            }
        }
    }
}

/// String literals of the report's own code that read as a finished sentence.
#[test]
fn the_code_of_the_report_holds_no_finished_sentence() {
    let literal = regex::Regex::new(r#""([A-Z][a-z]+(?: [^" ]+){3,}\.)""#).unwrap();
    let mut folders = vec![root().join("src/report")];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.ends_with("tests.rs") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            let found = literal.captures(code).map(|c| c[1].to_owned());
            assert_eq!(found, None, "{}: sentences stand in templates/", path.display());
            read += 1;
        }
    }
    assert!(read > 20);
}
