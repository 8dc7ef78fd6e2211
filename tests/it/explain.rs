//! `explain`: our articles against the statements of published ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use regex::Regex;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The article on a message, links as `[msg N]`, cells of tables parted by ` · `.
fn article(session: &str, message: &str) -> String {
    let mut command = Command::cargo_bin("turnpoint").unwrap();
    let run = command.current_dir(root()).args(["explain", &format!("fixtures/{session}"), message]).output().unwrap();
    assert!(run.status.success());
    let links = Regex::new(r"\]\(#[^)]*\)").unwrap();
    links.replace_all(&String::from_utf8(run.stdout).unwrap(), "]").replace(" | ", " · ")
}

/// Phrases of a cell: its code spans.
fn phrases(cell: &str) -> Vec<&str> {
    let spans = Regex::new(r"`` (.+?) ``|`([^`]+)`").unwrap();
    let all = spans.captures_iter(cell).map(|c| c.get(1).or_else(|| c.get(2)).unwrap().as_str());
    all.collect()
}

#[test]
fn every_statement_of_the_published_articles_is_accounted_for() {
    let page = fs::read_to_string(root().join("docs/seed-coverage.md")).unwrap();
    let rows: BTreeMap<usize, Vec<&str>> = page
        .lines()
        .filter_map(|l| {
            let cells: Vec<&str> = l.trim_matches('|').split(" | ").map(str::trim).collect();
            Some((cells.first()?.parse().ok()?, cells)).filter(|(_, cells)| cells.len() == 5)
        })
        .collect();
    let statements = fs::read_to_string(root().join("fixtures/seed-statements.jsonl")).unwrap();
    let articles: BTreeMap<&str, String> =
        [("glm-session.json", "1275"), ("qwen-session.json", "6028")].map(|(s, m)| (s, article(s, m))).into();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, line) in (1..).zip(statements.lines()) {
        let statement: serde_json::Value = serde_json::from_str(line).unwrap();
        let cells = rows.get(&i).unwrap_or_else(|| panic!("statement {i} is missing"));
        assert_eq!(cells[1], statement["text"].as_str().unwrap());
        let made = match cells[3] {
            "makes it" | "makes it more exactly" => true,
            "contradicts it" => false,
            "leaves it out" => {
                *counts.entry(cells[3]).or_default() += 1;
                continue;
            }
            other => panic!("{i}: {other}"),
        };
        *counts.entry(cells[3]).or_default() += 1;
        assert_eq!(made, statement["true"].as_bool().unwrap(), "{i}: {}", cells[1]);
        let found = phrases(cells[4]);
        assert!(!found.is_empty(), "{i}: no phrase");
        for phrase in found {
            assert!(articles[statement["session"].as_str().unwrap()].contains(phrase), "{i}: {phrase}");
        }
    }
    for (verdict, count) in counts {
        assert!(page.contains(&format!("| {verdict} | {count} |")), "{verdict}: {count}");
    }
    assert_eq!(rows.len(), statements.lines().count());
}
