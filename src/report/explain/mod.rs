//! The article on one message: what it is, what led to it, what it holds, and what came of it.
//!
//! Each section makes a view of plain values; the sentences stand in `templates/explain/<id>.md`. A section with nothing
//! to say is left out.

mod answered;
mod asked;
mod assumptions;
mod became;
mod before;
mod body;
mod carried;
mod claims;
mod decisions;
mod disagreements;
mod findings;
mod known;
mod measured;
mod next;
mod opening;
mod options;
mod plan;
mod record;
mod responds;
mod subject;
mod telling;
#[cfg(test)]
mod tests;
mod unknown;
mod wording;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::document::{Amount, cited, tidy};
use super::engine::Engine;
use super::section::messages;
use crate::analysis::Analysis;
use crate::error::Error;
use crate::session::MsgIx;
use subject::Subject;

pub use telling::{Telling, telling};

/// A section of the article: its id, which names the template, and what makes its view.
type Section = (&'static str, fn(&Subject<'_>) -> Option<Value>);

/// Sections, in the order of the article.
const SECTIONS: &[Section] = &[
    ("opening", opening::view),
    ("before", before::view),
    ("known", known::view),
    ("body", body::view),
    ("carried", carried::view),
    ("responds", responds::view),
    ("asked", asked::view),
    ("options", options::view),
    ("answered", answered::view),
    ("plan", plan::view),
    ("findings", findings::view),
    ("decisions", decisions::view),
    ("assumptions", assumptions::view),
    ("claims", claims::view),
    ("measured", measured::view),
    ("disagreements", disagreements::view),
    ("became", became::view),
    ("next", next::view),
    ("record", record::view),
    ("unknown", unknown::view),
];

/// Everything the article says, as plain values, section by section.
#[derive(Debug)]
pub struct Article {
    msg: String,
    sections: Vec<(&'static str, Value)>,
}

/// Collects what the article on a message says.
pub fn article(engine: &Engine, analysis: &Analysis, ix: MsgIx) -> Result<Article, Error> {
    let subject = Subject::new(engine, analysis, ix)?;
    let sections = SECTIONS.iter().filter_map(|(id, view)| Some((*id, view(&subject)?))).collect();
    Ok(Article { msg: subject.name(ix), sections })
}

/// The article as Markdown, with the messages it cites behind it.
pub fn markdown(engine: &Engine, analysis: &Analysis, article: &Article) -> Result<String, Error> {
    #[derive(Serialize)]
    struct View<'a, T> {
        msg: &'a str,
        s: T,
    }
    let msg = article.msg.as_str();
    let mut body = String::new();
    for (id, s) in &article.sections {
        body.push_str(&engine.render(&format!("explain/{id}.md"), &View { msg, s })?);
        body.push('\n');
    }
    let s = messages::view(&analysis.session, &cited(&body), Amount::Excerpt, &BTreeMap::new());
    let appendix = engine.render("sections/messages.md", &View { msg, s })?;
    Ok(tidy(&format!("{body}\n{appendix}")))
}

/// The article as JSON: the message, and the values of each section under its id.
pub fn json(article: &Article) -> Value {
    let mut all = Map::from_iter([("msg".to_owned(), Value::from(article.msg.as_str()))]);
    all.extend(article.sections.iter().map(|(id, view)| ((*id).to_owned(), view.clone())));
    Value::Object(all)
}

/// A view as a template takes it. Views are plain structures with string keys, which always serialise.
fn some(view: impl Serialize) -> Option<Value> {
    serde_json::to_value(view).ok()
}
