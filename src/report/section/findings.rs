//! Findings of the participants, with level, state and what they need.

use serde::Serialize;
use serde_json::Value;

use super::value::label;
use super::{Material, first_rows, some};
use crate::error::Error;
use crate::extract::findings::FindingStatus;
use crate::link::fate;

#[derive(Debug, Serialize)]
struct View {
    count: usize,
    restated: usize,
    rows: Vec<Row>,
    left: usize,
    ok: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    level: Option<String>,
    title: String,
    status: &'static str,
    current: Option<String>,
    wanted: Option<String>,
    needs: Option<String>,
    msg: String,
    /// What is tied to it later, in reading order.
    history: Vec<Step>,
}

#[derive(Debug, Serialize)]
struct Step {
    word: &'static str,
    msg: String,
}

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    let analysis = material.analysis;
    let all = &analysis.facts.findings.findings;
    if all.is_empty() {
        return Ok(None);
    }
    let mut rows: Vec<(Option<String>, FindingStatus, Row)> = all
        .iter()
        .zip(fate::histories(&analysis.facts, &analysis.links))
        .filter(|(f, _)| f.restates.is_none())
        .map(|(f, steps)| {
            let row = Row {
                level: f.level_text.clone().or_else(|| f.level.clone()),
                title: f.title.clone(),
                status: f.status.word(),
                current: f.current.clone(),
                wanted: f.wanted.clone(),
                needs: f.needs.clone(),
                msg: label(&analysis.session, f.msg),
                history: steps.iter().map(|s| Step { word: s.word, msg: label(&analysis.session, s.msg) }).collect(),
            };
            (f.level.clone(), f.status, row)
        })
        .collect();
    // Worst first, those without level last; within a level in reading order.
    rows.sort_by_key(|(level, ..)| (level.is_none(), level.clone()));
    let (ok, found): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(_, status, _)| *status == FindingStatus::Ok);
    let count = found.len();
    let (rows, left) = first_rows(found.into_iter().map(|(.., row)| row).collect(), material.full);
    some(View {
        count,
        restated: all.iter().filter(|f| f.restates.is_some()).count(),
        rows,
        left,
        ok: ok.into_iter().map(|(.., row)| row).collect(),
    })
}
