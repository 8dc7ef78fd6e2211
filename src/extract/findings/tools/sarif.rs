//! A log in SARIF, printed whole: results of any tool.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Raw, Tool, number};

pub(super) const TOOL: Tool = Tool { name: "sarif", marks: &["\"ruleId\""], read, clean };

#[derive(Deserialize)]
struct Log<'a> {
    #[serde(borrow)]
    runs: Vec<Run<'a>>,
}

#[derive(Deserialize)]
struct Run<'a> {
    #[serde(borrow, default)]
    results: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Names<'a> {
    #[serde(borrow, rename = "ruleId")]
    rule: Option<&'a str>,
    #[serde(borrow)]
    level: Option<&'a str>,
}

fn log(text: &str) -> Option<Log<'_>> {
    serde_json::from_str(text.trim()).ok()
}

fn read(text: &str) -> Vec<Raw<'_>> {
    let runs = log(text).map(|l| l.runs).unwrap_or_default();
    runs.iter().flat_map(|r| &r.results).filter_map(|r| result(r.get())).collect()
}

fn result(source: &str) -> Option<Raw<'_>> {
    let names: Names<'_> = serde_json::from_str(source).ok()?;
    let value: Value = serde_json::from_str(source).ok()?;
    let title = value.pointer("/message/text")?.as_str()?.to_owned().into();
    let place = value.pointer("/locations/0/physicalLocation");
    let file = place.and_then(|p| p.pointer("/artifactLocation/uri")?.as_str()).map(|f| f.to_owned().into());
    let line = place.and_then(|p| p.pointer("/region/startLine")).and_then(|l| number(&l.to_string()));
    // Without a level a result is a warning (SARIF 2.1.0, 3.27.10).
    Some(Raw { source, level: Some(names.level.unwrap_or("warning")), rule: names.rule, title, file, line })
}

fn clean(text: &str) -> bool {
    text.contains("\"runs\"")
        && log(text).is_some_and(|l| !l.runs.is_empty() && l.runs.iter().all(|r| r.results.is_empty()))
}
