//! Places where the record disagrees with itself.

use serde::Serialize;
use serde_json::Value;

use super::{Material, some};
use crate::error::Error;
use crate::report::sentence;

#[derive(Debug, Serialize)]
struct View {
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    rule: &'static str,
    severity: &'static str,
    sentence: String,
}

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    let analysis = material.analysis;
    if analysis.discrepancies.is_empty() {
        return Ok(None);
    }
    let rows = analysis.discrepancies.iter().map(|d| {
        let sentence = sentence::discrepancy(material.engine, &analysis.session, d)?;
        Ok(Row { rule: d.rule, severity: d.severity.word(), sentence })
    });
    some(View { rows: rows.collect::<Result<_, Error>>()? })
}
