//! Sentences that several outputs share, made from templates.

use serde::Serialize;
use serde_json::{Map, Value};

use super::engine::Engine;
use super::section::value::label;
use crate::audit::Discrepancy;
use crate::error::Error;
use crate::session::Session;

#[derive(Serialize)]
struct View<'a> {
    msg: String,
    other_msg: Option<String>,
    values: &'a Map<String, Value>,
}

/// The sentence of a discrepancy: `templates/rules/<rule>.md`.
pub fn discrepancy(engine: &Engine, session: &Session, d: &Discrepancy) -> Result<String, Error> {
    let other_msg = d.other_msg.map(|ix| label(session, ix));
    let view = View { msg: label(session, d.msg), other_msg, values: &d.values };
    Ok(engine.render(&format!("rules/{}.md", d.rule), &view)?.split_whitespace().collect::<Vec<_>>().join(" "))
}
