//! Labelled trajectories of three agents, as sessions: each step is a reply with its thought and its call.

use std::path::Path;

use regex::Regex;
use serde_json::{Value, json};
use turnpoint::extract::episodes::Phase;
use turnpoint::session::build::SessionBuilder;
use turnpoint::session::{CallStatus, Session, ToolResult};

use crate::gold::{Error, text};

/// One trajectory with the labels of its steps.
pub(super) struct Trajectory {
    pub(super) agent: String,
    pub(super) name: String,
    pub(super) held_out: bool,
    pub(super) session: Session,
    pub(super) labels: Vec<Vec<Phase>>,
}

/// Reads every trajectory in the folder, in order of path.
pub(super) fn read(folder: &Path) -> Result<Vec<Trajectory>, Error> {
    let mut found = Vec::new();
    for agent in ["autocoderover", "openhands", "repairagent"] {
        let mut files: Vec<_> = std::fs::read_dir(folder.join(agent))?.collect::<Result<_, _>>()?;
        files.sort_by_key(std::fs::DirEntry::file_name);
        for file in files {
            let name = file.file_name().to_string_lossy().trim_end_matches(".jsonl").to_owned();
            let steps: Vec<Value> =
                std::fs::read_to_string(file.path())?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
            let session = steps.iter().fold(SessionBuilder::new(), |b, s| step(b, agent, s)).build();
            let labels = steps.iter().map(labels).collect();
            found.push(Trajectory { agent: agent.into(), held_out: crc32(&name) % 2 == 1, name, session, labels });
        }
    }
    Ok(found)
}

/// The phases of a step's labels.
fn labels(step: &Value) -> Vec<Phase> {
    let labels = step["labels"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let phase = |label| match label {
        "Explore" | "Locate" | "Search" | "Reproduce" => Some(Phase::Diagnose),
        "Generate Fix" | "Refactor" => Some(Phase::Act),
        "Run tests" => Some(Phase::Verify),
        "Explain" => Some(Phase::Report),
        _ => None,
    };
    labels.filter_map(phase).collect()
}

/// The label that counts: the one told if it is among them, else the first.
pub(super) fn best(labels: &[Phase], told: Phase) -> Phase {
    if labels.contains(&told) { told } else { labels.first().copied().unwrap_or(told) }
}

fn step(builder: SessionBuilder, agent: &str, step: &Value) -> SessionBuilder {
    let (action, result) = (text(step, "action"), text(step, "result"));
    let builder = builder.assistant(text(step, "thought"));
    let (tool, input) = match agent {
        "openhands" => openhands(action),
        "repairagent" => repairagent(action, result),
        _ => (action.split('(').next().unwrap_or("").trim().to_owned(), json!({ "action": action })),
    };
    if tool.is_empty() {
        return builder;
    }
    let result = ToolResult { status: CallStatus::Ok, text: result.into(), ..ToolResult::default() };
    builder.call_with("call", &tool, input, Some(result)).merge()
}

/// `{'arguments': '{"command": …}', 'name': 'execute_bash'}`
fn openhands(action: &str) -> (String, Value) {
    let arguments = action.split_once("'arguments': '").map_or("", |(_, rest)| rest);
    let (arguments, name) = arguments.rsplit_once("', 'name': '").unwrap_or((arguments, ""));
    let json = unescaped(arguments);
    let input = serde_json::from_str(&json).unwrap_or_else(|_| json!({ "command": json }));
    (name.trim_end_matches(['\'', '}']).to_owned(), input)
}

/// The text of a Python string literal.
fn unescaped(literal: &str) -> String {
    let mut out = String::new();
    let mut chars = literal.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some(c @ ('\\' | '\'' | '"')) => out.push(c),
                Some(c) => out.extend(['\\', c]),
                None => {}
            },
            _ => out.push(c),
        }
    }
    out
}

/// `{'name': 'read_range', 'args': {…}}`; where the action is lost, the answer names the command.
fn repairagent(action: &str, result: &str) -> (String, Value) {
    let first = |pattern: &str, text: &str| {
        Regex::new(pattern).ok().and_then(|r| Some(r.captures(text)?.get(1)?.as_str().to_owned()))
    };
    let name = first(r"'name': '([^']+)'", action).or_else(|| first(r"(?i)\bcommand ([\w ]+?) return", result));
    (name.unwrap_or_default(), json!({ "action": action }))
}

/// CRC-32 (IEEE) of a name: parts the trajectories into two halves.
fn crc32(name: &str) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
    !name.bytes().fold(!0, |crc, b| (0..8).fold(crc ^ u32::from(b), step))
}
