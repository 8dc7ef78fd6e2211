//! What the agent takes for granted, and whether it was looked at later.

use serde::Serialize;
use serde_json::Value;

use super::{Material, first_few, some};
use crate::error::Error;
use crate::report::audit::{Assumption, assumptions};

#[derive(Debug, Serialize)]
struct View {
    count: usize,
    checked: usize,
    msgs: Vec<String>,
    rows: Vec<Assumption>,
    left: usize,
}

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    let all = assumptions(material.analysis);
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return Ok(None) };
    let mut msgs = vec![first.msg.clone(), last.msg.clone()];
    msgs.dedup();
    let (count, checked) = (all.len(), all.iter().filter(|a| a.verified_msg.is_some()).count());
    let (rows, left) = first_few(all, material.full);
    some(View { count, checked, msgs, rows, left })
}
