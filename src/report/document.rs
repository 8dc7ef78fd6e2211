//! The report on one session: Markdown, and the charts that go with it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use super::chart::{self, Figure, Picture};
use super::engine::Engine;
use super::section::{Material, SECTIONS, diff, messages};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::session::Label;

pub use super::section::messages::Amount;

/// What the user chose for the report.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// Title instead of the session's own.
    pub title: Option<String>,
    /// Every message, every row.
    pub full: bool,
    /// No text of messages in the appendix.
    pub no_excerpts: bool,
    /// Which files of the charts the Markdown shows.
    pub picture: Picture,
}

/// A finished report.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Title.
    pub title: String,
    /// The report.
    pub markdown: String,
    /// Its charts, in order.
    pub figures: Vec<Figure>,
}

#[derive(Serialize)]
struct Sections<'a> {
    title: &'a str,
    sections: Vec<String>,
}

#[derive(Serialize)]
struct One<T> {
    s: T,
}

/// Writes the report on one session.
pub fn document(engine: &Engine, analysis: &Analysis, choices: &Choices) -> Result<Document, Error> {
    let mut figures = chart::draw(engine, analysis)?;
    figures.iter_mut().for_each(|f| f.path = f.file(choices.picture));
    let material = Material { analysis, figures: &figures, full: choices.full, engine };
    let mut sections = Vec::new();
    for section in SECTIONS {
        if let Some(view) = (section.view)(&material)? {
            sections.push(engine.render(&format!("sections/{}.md", section.id), &One { s: view })?);
        }
    }
    let amount = match (choices.full, choices.no_excerpts) {
        (_, true) => Amount::Head,
        (true, _) => Amount::Full,
        (false, _) => Amount::Excerpt,
    };
    let mut cited: BTreeSet<Label> = sections.iter().flat_map(|s| cited(s)).collect();
    let changed = analysis.facts.plan.changed_messages();
    cited.extend(changed.iter().map(|ix| analysis.session.message(*ix).label.clone()));
    let view = messages::view(&analysis.session, &cited, amount, &diff::by_message(&analysis.facts.plan));
    // The messages come last but for the sources, which close the page.
    let at = sections.len().saturating_sub(1);
    sections.insert(at, engine.render("sections/messages.md", &One { s: view })?);
    let title = choices.title.clone().unwrap_or_else(|| analysis.session.name());
    let markdown = tidy(&engine.render("report.md", &Sections { title: &title, sections })?);
    Ok(Document { title, markdown, figures })
}

/// Numbers of the messages that a piece of Markdown links to.
pub(crate) fn cited(markdown: &str) -> BTreeSet<Label> {
    static LINK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\]\(#(msg-[0-9s-]+)\)").expect("a constant pattern"));
    LINK.captures_iter(markdown).filter_map(|c| c[1].parse().ok()).collect()
}

/// At most one blank line in a row outside of fenced blocks, none at the end: templates leave more.
pub(crate) fn tidy(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut fence: Option<&str> = None;
    let mut blank = true;
    for line in markdown.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if line == open => fence = None,
            None if ticks.len() >= 3 => fence = Some(ticks),
            _ => {}
        }
        let line = if fence.is_some() { line } else { line.trim_end() };
        if line.is_empty() && fence.is_none() {
            if !blank {
                out.push('\n');
            }
            blank = true;
        } else {
            out.push_str(line);
            out.push('\n');
            blank = false;
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_inside_blocks_stay() {
        assert_eq!(tidy("a\n\n\n\nb  \n```text\n\n\nx  \n```\n\n\n\n"), "a\n\nb\n```text\n\n\nx  \n```\n");
        assert_eq!(tidy("````text\n```\n\n\n````\n\n\nz"), "````text\n```\n\n\n````\n\nz\n");
    }

    #[test]
    fn finds_the_messages_that_are_linked() {
        let found = cited("[msg 1](#msg-1), [msg 340.s1.3](#msg-340-s1-3), `(#msg-9)`");
        assert_eq!(found, [Label::main(1), Label::main(340).child(1, 3)].into());
    }
}
