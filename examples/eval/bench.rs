//! Runs the benchmark cases through the extractor and scores them with the cases' own script.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use turnpoint::extract::{self, Config};
use turnpoint::session::build::SessionBuilder;
use turnpoint::session::{MsgIx, Session};

use super::gold::{self, Error};

/// `bench [-v] [ROWS.json]`: writes the rows (default `target/bench-rows.json`) and prints the score.
pub(crate) fn run() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(2).collect();
    let cases = gold::shared().join("cases/bench");
    let verbose = args.iter().any(|a| a == "-v");
    let out = args
        .iter()
        .find(|a| !a.starts_with('-'))
        .map_or_else(|| PathBuf::from("target/bench-rows.json"), PathBuf::from);
    let mut files: Vec<PathBuf> = fs::read_dir(&cases)?.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "md") && f.file_name().is_some_and(|n| n != "README.md"));
    files.sort();
    let mut rows = Vec::new();
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        rows.extend(rows_of(&name, &session_of(&fs::read_to_string(file)?)));
    }
    fs::write(&out, serde_json::to_vec_pretty(&rows)?)?;
    let mut score = Command::new("python3");
    score.arg(cases.join("score.py")).arg(&out).args(verbose.then_some("-v"));
    let done = score.status()?;
    if done.success() { Ok(()) } else { Err(format!("score.py ended with {done}").into()) }
}

/// A case as a session: `<!-- msg N role -->` starts a message, a case without it is one message of the agent.
fn session_of(text: &str) -> Session {
    let mut messages: Vec<(u64, String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let head = line.trim().strip_prefix("<!-- msg ").and_then(|l| l.strip_suffix(" -->"));
        match head.and_then(|h| h.split_once(' ')) {
            Some((number, role)) => messages.push((number.parse().unwrap_or(0), role.to_owned(), String::new())),
            None if messages.is_empty() => messages.push((1, "assistant".to_owned(), line.to_owned())),
            None => messages.iter_mut().last().into_iter().for_each(|m| m.2.push_str(line)),
        }
    }
    let add = |builder: SessionBuilder, (number, role, text): &(u64, String, String)| {
        let next = match role.as_str() {
            "tool" => builder.shell("", 0, text.trim().trim_start_matches("```\n").trim_end_matches("```")),
            "user" => builder.user(text),
            _ => builder.assistant(text),
        };
        next.edit(|m| m.own_number = Some(*number))
    };
    messages.iter().fold(SessionBuilder::new(), add).build()
}

fn rows_of(case: &str, session: &Session) -> Vec<Value> {
    let bench = extract::extract(session, &Config::default()).bench;
    let number = |ix: MsgIx| session.message(ix).label.msg;
    let mut rows: Vec<Value> = bench
        .measurements
        .iter()
        .map(|m| {
            let mut row = serde_json::to_value(m).unwrap_or_default();
            row["case"] = json!(case);
            row["table"] = json!("measurements");
            row["msg"] = json!(number(m.msg));
            row
        })
        .collect();
    rows.extend(bench.limits.iter().map(|l| {
        json!({"case": case, "table": "limits", "metric": l.metric, "value": l.value, "unit": l.unit, "kind": l.kind,
            "applies_when": l.applies_when, "derivation": l.derivation, "msg": l.msg.map(number)})
    }));
    rows.extend(bench.efficiencies.iter().map(|e| {
        let (m, l) = (&bench.measurements[e.measurement as usize], &bench.limits[e.limit as usize]);
        json!({"case": case, "table": "efficiencies", "metric": m.metric, "params": m.params, "value": m.value, "unit": m.unit,
            "limit_value": l.value, "limit_unit": l.unit, "efficiency": e.efficiency, "gap": e.gap, "msg": number(m.msg)})
    }));
    rows
}
