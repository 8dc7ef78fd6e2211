//! Files that the session wrote, and where it read them back.

use serde::Serialize;
use serde_json::Value;

use super::value::label;
use super::{Material, first_rows, some};
use crate::error::Error;
use crate::session::CallRef;

#[derive(Debug, Serialize)]
struct View {
    count: usize,
    rows: Vec<Row>,
    left: usize,
}

#[derive(Debug, Serialize)]
struct Row {
    path: String,
    writes: usize,
    first: String,
    last: String,
    read: Option<String>,
}

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    let session = &material.analysis.session;
    let cite = |call: &CallRef| label(session, call.msg);
    let rows: Vec<Row> = material
        .analysis
        .facts
        .artefacts
        .iter()
        .filter_map(|a| {
            let (first, last) = (a.written.first()?, a.written.last()?);
            Some(Row {
                path: a.path.clone(),
                writes: a.written.len(),
                first: cite(first),
                last: cite(last),
                read: a.read.iter().find(|r| *r > last).map(cite),
            })
        })
        .collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let count = rows.len();
    let (rows, left) = first_rows(rows, material.full);
    some(View { count, rows, left })
}
