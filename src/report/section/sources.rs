//! Where it was read from, and trouble met on the way.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::{Material, some};
use crate::diag::{Severity, Trouble};
use crate::error::Error;
use crate::session::SourceFile;

#[derive(Debug, Serialize)]
struct View<'a> {
    files: &'a [SourceFile],
    warnings: Vec<Warning>,
    more: Vec<More>,
}

#[derive(Debug, Serialize)]
struct Warning {
    place: String,
    byte: u64,
    kind: &'static str,
    skipped: u64,
    message: String,
}

/// Warnings of one kind that are only counted.
#[derive(Debug, Serialize)]
struct More {
    kind: &'static str,
    count: usize,
}

/// Warnings of one kind listed before the rest is only counted; `--full` lists all.
const LISTED: usize = 20;

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    let session = &material.analysis.session;
    let mut counts: BTreeMap<Trouble, usize> = BTreeMap::new();
    let mut warnings = Vec::new();
    let mut more: BTreeMap<Trouble, usize> = BTreeMap::new();
    for diag in session.warnings.iter().filter(|d| material.full || d.severity != Severity::Note) {
        let count = counts.entry(diag.kind).or_default();
        *count += 1;
        if *count > LISTED && !material.full {
            *more.entry(diag.kind).or_default() += 1;
            continue;
        }
        let line = if diag.loc.line > 0 { format!(":{}", diag.loc.line) } else { String::new() };
        warnings.push(Warning {
            place: format!("{}{line}", diag.loc.file),
            byte: diag.loc.byte,
            kind: diag.kind.word(),
            skipped: diag.skipped,
            message: diag.text().into_owned(),
        });
    }
    let more = more.into_iter().map(|(kind, count)| More { kind: kind.word(), count }).collect();
    some(View { files: &session.sources, warnings, more })
}
