//! `turnpoint plan`, and the matrix in its documentation.

use assert_cmd::Command;

fn plan(args: &[&str]) -> (String, String, i32) {
    let root = env!("CARGO_MANIFEST_DIR");
    let run = Command::cargo_bin("turnpoint").unwrap().current_dir(root).arg("plan").args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(run.stdout), text(run.stderr), run.status.code().unwrap())
}

const FIXTURE: &str = "fixtures/glm-session.json";

#[test]
fn the_documentation_prints_the_matrix() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/plan.md")).unwrap();
    let matrix = turnpoint::extract::plan::matrix_markdown();
    assert!(page.contains(&matrix), "docs/plan.md does not hold:\n{matrix}");
}

#[test]
fn a_call_behind_the_words_that_tell_of_the_end_is_no_evidence() {
    let (out, _, _) = plan(&["fixtures/opencode-plan.json", "--item", "T1", "--kind", "completed"]);
    let row = out.lines().last().unwrap();
    // [msg 10] says that the first step is done, and then writes a file for the second.
    assert!(row.starts_with("[msg 10]") && row.contains("[msg 9]  ") && !row.contains("[msg 9], "), "{row}");
}

#[test]
fn the_sentence_comes_before_the_table() {
    let (out, _, code) = plan(&[FIXTURE]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(code, 0);
    assert!(lines[2].contains("messages changed plan state (") && lines[2].contains("at the end"), "{out}");
    assert!(lines[3].starts_with("Begun before their turn, of 7 items begun: T7 in [msg 1279]"), "{out}");
    assert!(lines[5].starts_with("message"), "{out}");
    assert!(lines[5].ends_with("took") && out.contains("[msg 1281] (exit 0)"), "{out}");
    assert!(out.contains("27 s, 4 msgs, 1 failed"), "{out}");
    let (filtered, ..) = plan(&[FIXTURE, "--kind", "completed", "--item", "T1"]);
    let rows: Vec<&str> = filtered.lines().skip(6).collect();
    assert!(!rows.is_empty() && rows.iter().all(|r| r.contains("T1 ") && r.contains("→ done")), "{filtered}");
}

#[test]
fn programs_get_rows_and_wrong_usage_says_what_exists() {
    let (json, ..) = plan(&[FIXTURE, "--format", "json"]);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert!(rows.len() > 5 && rows.iter().all(|r| r["kind"] != "unchanged"));
    let (csv, ..) = plan(&[FIXTURE, "--format", "csv"]);
    assert_eq!(csv::Reader::from_reader(csv.as_bytes()).records().count(), rows.len());
    let (xes, ..) = plan(&[FIXTURE, "--format", "xes"]);
    assert_eq!(xes.matches("<event>").count(), rows.iter().filter(|r| !r["item_id"].is_null()).count());
    let (_, said, code) = plan(&[FIXTURE, "--at", "99999"]);
    assert!(code == 2 && said.contains("go from"), "{said}");
    let (_, said, code) = plan(&[FIXTURE, "--kind", "finished"]);
    assert!(code == 2 && said.contains("completed-without-start"), "{said}");
}

#[test]
fn a_list_as_it_stood_has_the_items_of_that_message() {
    let (first, ..) = plan(&[FIXTURE, "--at", "1259", "--format", "ndjson"]);
    let (last, ..) = plan(&[FIXTURE, "--final", "--format", "ndjson"]);
    assert!(!first.is_empty() && first != last);
    assert!(first.lines().all(|l| l.contains("\"msg\":1259")), "{first}");
}

#[test]
fn opencode_s_plan_agent_is_a_source_once_the_user_approves() {
    let (out, ..) = plan(&["fixtures/opencode-plan.json"]);
    assert!(out.contains("5 messages changed plan state ([msg 7] to [msg 12])"), "{out}");
    assert!(out.contains("1 plan write was refused or never answered"), "{out}");
    assert!(!out.contains("[msg 3]") && out.contains("[msg 11] (exit 0, 1 passed)"), "{out}");
}
