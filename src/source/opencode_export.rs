//! OpenCode's export: one JSON object `{info, messages: [{info, parts}]}` per session, as `opencode export ID` writes it.
//!
//! What is read from it, and how damage is met, says `docs/formats.md`.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::opencode::{START, drafts, read};
use super::{Format, Head, Input};
use crate::error::Error;
use crate::session::Draft;

/// The format.
pub(super) const FORMAT: Format = Format {
    id: "opencode-export",
    agent: "opencode",
    about: "OpenCode export: one JSON object with `info` and `messages`, written by `opencode export ID`",
    lines: false,
    sniff,
    keys,
    companions: |_: &Path| Vec::<PathBuf>::new(),
    load,
};

static SESSION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""id"\s*:\s*"(ses_[0-9A-Za-z_]+)""#).expect("static"));
static PARENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#""parentID"\s*:\s*"(ses_[0-9A-Za-z_]+)""#).expect("static"));
static FIELD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#""(?:projectID|directory|slug|messages|parts)"\s*:"#).expect("static"));
static FIRST_TIME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?s)"messages"\s*:\s*\[.*?"created"\s*:\s*(\d+)"#).expect("static"));
static MESSAGE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"\{\s*"info"\s*:\s*\{"#).expect("static"));

fn sniff(head: &Head<'_>) -> u8 {
    let text = String::from_utf8_lossy(head.bytes);
    let Some(start) = first_document(&text, 0) else { return 0 };
    let text = &text[start..];
    let session = SESSION.is_match(text) || text.contains("\"ses_");
    match (session, FIELD.is_match(text)) {
        (true, true) => 95,
        (true, false) => 60,
        (false, true) if text.contains("\"msg_") || MESSAGE.is_match(&text[1..]) => 60,
        _ => 20,
    }
}

/// The session's id, that of its parent, and the time of its first message, which a fork has in common.
fn keys(head: &Head<'_>) -> Vec<String> {
    let text = String::from_utf8_lossy(head.bytes);
    let Some(start) = first_document(&text, 0) else { return Vec::new() };
    let text = &text[start..];
    let info = &text[..text.find("\"messages\"").unwrap_or(text.len())];
    let find = |re: &Regex, within: &str| re.captures(within).map(|c| c[1].to_owned());
    let ids = [find(&SESSION, info), find(&PARENT, info)].into_iter().flatten().map(|id| format!("opencode:{id}"));
    ids.chain(find(&FIRST_TIME, text).map(|t| format!("opencode-first:{t}"))).collect()
}

/// Where the export begins: text may stand before it, but no line that opens another JSON value.
fn first_document(text: &str, from: usize) -> Option<usize> {
    let found = START.find_at(text, from)?.start();
    let opens = |line: &str| line.starts_with('{') || (line.starts_with('[') && line != "[");
    let other = text[from..found].lines().any(|l| opens(l.trim_start_matches('\u{FEFF}').trim()));
    (!other).then_some(found)
}

fn load(inputs: &[Input]) -> Result<Vec<Draft>, Error> {
    let mut loaded = Vec::new();
    for input in inputs {
        loaded.extend(read(&input.name, input.read()?));
    }
    Ok(drafts(loaded, FORMAT.id))
}
