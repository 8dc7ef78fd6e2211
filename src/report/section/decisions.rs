//! Choices that participants state, with the reason as written.

use serde::Serialize;
use serde_json::Value;

use super::{Material, first_few, some};
use crate::error::Error;
use crate::report::audit::{Decision, decisions};

#[derive(Debug, Serialize)]
struct View {
    count: usize,
    by_user: usize,
    reasons: usize,
    reversed: usize,
    msgs: Vec<String>,
    rows: Vec<Decision>,
    left: usize,
}

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    let all = decisions(material.analysis);
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return Ok(None) };
    let mut msgs = vec![first.msg.clone(), last.msg.clone()];
    msgs.dedup();
    let count = |of: fn(&Decision) -> bool| all.iter().filter(|d| of(d)).count();
    let (by_user, reasons) = (count(|d| d.by == "user"), count(|d| d.reason.is_some()));
    let reversed = count(|d| d.reversed_msg.is_some());
    let total = all.len();
    let (rows, left) = first_few(all, material.full);
    some(View { count: total, by_user, reasons, reversed, msgs, rows, left })
}
