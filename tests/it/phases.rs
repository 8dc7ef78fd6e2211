//! Phases and pivots, as `report`, `explain` and `verify` show them.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

const SESSIONS: [&str; 2] = ["glm-session.json", "qwen-session.json"];

/// Standard output of a run in the folder of the fixtures.
fn run(args: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let output = Command::cargo_bin("turnpoint").unwrap().current_dir(folder).args(args).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The section of a report, with the line it starts at.
fn section(report: &str) -> (usize, String) {
    let from = report.lines().position(|l| l == "## Phases and pivots").unwrap();
    let lines = report.lines().skip(from + 1).take_while(|l| !l.starts_with("## "));
    (from + 1, lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn the_section_reads_so() {
    let both = SESSIONS.map(|s| section(&run(&["report", s, "-o", "-", "--quiet"])).1);
    insta::assert_snapshot!(both.join("\n=====\n"));
}

#[test]
fn the_ten_most_telling_messages_have_features_and_scores() {
    insta::assert_snapshot!(SESSIONS.map(|s| run(&["explain", s])).join("\n=====\n"));
}

#[test]
fn no_sentence_of_the_section_is_contradicted() {
    for session in SESSIONS {
        let report = run(&["report", session, "-o", "-", "--quiet"]);
        let (from, text) = section(&report);
        let to = from + text.lines().count();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.md");
        std::fs::write(&path, &report).unwrap();
        let checked = run(&["verify", path.to_str().unwrap(), "--session", session, "--format", "json"]);
        let checked: Value = serde_json::from_str(&checked).unwrap();
        let lines = |s: &&Value| (from..=to).contains(&(s["line"].as_u64().unwrap() as usize));
        let mine: Vec<&Value> = checked["statements"].as_array().unwrap().iter().filter(lines).collect();
        assert!(mine.len() > 10, "{session}: {}", mine.len());
        let wrong: Vec<&&Value> = mine.iter().filter(|s| s["verdict"] == "contradicted").collect();
        assert!(wrong.is_empty(), "{session}: {wrong:#?}");
    }
}
