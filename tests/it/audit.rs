//! `turnpoint audit` and `turnpoint rules`.

use assert_cmd::Command;
use serde_json::Value;

fn turnpoint(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("turnpoint").unwrap();
    command.args(args);
    command
}

fn stdout(args: &[&str]) -> String {
    let output = turnpoint(args).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// A session of the Claude Code kind whose plan stays open.
fn open_session(dir: &std::path::Path) -> String {
    let line = serde_json::json!({
        "type": "assistant", "uuid": "u1", "parentUuid": null, "sessionId": "s1", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/w", "version": "2.0.0",
        "message": {"id": "m1", "role": "assistant", "model": "x", "content": [
            {"type": "tool_use", "id": "t1", "name": "TodoWrite", "input": {"todos": [{"content": "Run | the tests", "status": "pending", "activeForm": "x"}]}}
        ]}
    });
    let answer = serde_json::json!({
        "type": "user", "uuid": "u2", "parentUuid": "u1", "sessionId": "s1", "timestamp": "2026-01-01T00:00:01Z", "cwd": "/w", "version": "2.0.0",
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Todos have been modified successfully"}]}
    });
    let path = dir.join("open.jsonl");
    std::fs::write(&path, format!("{line}\n{answer}\n")).unwrap();
    path.display().to_string()
}

#[test]
fn the_manual_is_printed_by_the_binary() {
    let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rules.md")).unwrap();
    assert_eq!(stdout(&["rules", "--format", "md"]), docs, "run `turnpoint rules --format md > docs/rules.md`");
    assert!(stdout(&["rules", "count-mismatch"]).contains("What it finds"));
    turnpoint(&["rules", "no-such-rule"]).assert().code(2);
}

#[test]
fn reports_findings_of_the_fixture() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/glm-session.json");
    let json: Value = serde_json::from_str(&stdout(&["audit", fixture, "--format", "json"])).unwrap();
    let findings = json["sessions"][0]["findings"].as_array().unwrap();
    let of = |level: &str| findings.iter().filter(|f| f["level"] == level && f["status"] == "actionable").count();
    assert_eq!((of("P0"), of("P1"), of("P2")), (9, 7, 5));
    assert_eq!(findings.iter().filter(|f| f["status"] == "ok").count(), 5);
    assert_eq!(findings.iter().filter(|f| f["needs"] == "reboot").count(), 3);
    let asked = json["sessions"][0]["asked"].as_array().unwrap();
    let of_1274: Vec<usize> =
        asked.iter().filter(|a| a["msg"] == "1274").map(|a| a["items"].as_array().unwrap().len()).collect();
    assert_eq!(of_1274, [1, 1, 1, 1]);
}

#[test]
fn fails_on_what_it_is_told_to_and_knows_a_baseline() {
    let dir = tempfile::tempdir().unwrap();
    let input = open_session(dir.path());
    turnpoint(&["audit", &input]).assert().code(0);
    turnpoint(&["audit", &input, "--fail-on", "high"]).assert().code(0);
    turnpoint(&["audit", &input, "--fail-on", "medium"]).assert().code(1);
    let baseline = dir.path().join("base.json");
    std::fs::write(&baseline, stdout(&["audit", &input, "--format", "json"])).unwrap();
    let baseline = baseline.display().to_string();
    turnpoint(&["audit", &input, "--fail-on", "low", "--baseline", &baseline]).assert().code(0);
    turnpoint(&["audit", &input, "--baseline", "/no/such/file"]).assert().code(2);
}

#[test]
fn sarif_names_rule_place_and_message() {
    let dir = tempfile::tempdir().unwrap();
    let input = open_session(dir.path());
    let log: Value = serde_json::from_str(&stdout(&["audit", &input, "--format", "sarif"])).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "session-ends-with-open-items");
    let index = result["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
    assert!(result["message"]["text"].as_str().unwrap().contains("[msg 1]"));
}

#[test]
fn markdown_cites_and_escapes() {
    let dir = tempfile::tempdir().unwrap();
    let text = stdout(&["audit", &open_session(dir.path()), "--format", "md"]);
    assert!(text.contains("## Open at the end") && text.contains("Run \\| the tests"), "{text}");
}

/// What a JSON Schema finds wrong.
fn faults(schema: &str, value: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

/// Sessions with discrepancies of several rules, with places and without.
fn inputs(dir: &std::path::Path) -> [String; 3] {
    let fixture = |name: &str| format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    [open_session(dir), fixture("glm-session.json"), fixture("qwen-session.json")]
}

#[test]
fn sarif_obeys_the_official_schema() {
    // The schema's pattern of languages has a lone `]`, which this checker wants escaped.
    let schema = &include_str!("../data/sarif-schema-2.1.0.json").replace("{2}]?$", r"{2}\\]?$");
    let dir = tempfile::tempdir().unwrap();
    for input in inputs(dir.path()) {
        let printed = stdout(&["audit", &input, "--experimental", "--format", "sarif"]);
        let mut log: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(faults(schema, &log), [""; 0], "{input}");
        log["runs"][0]["results"][0]["level"] = "fatal".into();
        assert_ne!(faults(schema, &log), [""; 0], "the schema refuses what SARIF does not know");
    }
}

#[test]
fn json_obeys_its_published_schema() {
    let schema = include_str!("../../docs/audit.schema.json");
    assert_eq!(stdout(&["schema", "--audit"]), schema, "run `turnpoint schema --audit > docs/audit.schema.json`");
    let dir = tempfile::tempdir().unwrap();
    for input in inputs(dir.path()) {
        let printed = stdout(&["audit", &input, "--experimental", "--format", "json"]);
        let mut audit: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(faults(schema, &audit), [""; 0], "{input}");
        audit["sessions"][0]["asked"] = "nothing".into();
        assert_ne!(faults(schema, &audit), [""; 0], "the schema refuses another form");
    }
}

/// Runs in a folder of its own that holds the session and a `turnpoint.toml`.
fn with_settings(toml: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let dir = tempfile::tempdir().unwrap();
    open_session(dir.path());
    std::fs::write(dir.path().join("turnpoint.toml"), toml).unwrap();
    let mut command = turnpoint(&["audit", "open.jsonl"]);
    let output = command.args(args).current_dir(dir.path()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const OPEN_ITEMS: &str = "[[audit.suppress]]\nrule = \"session-ends-with-open-items\"\n";

#[test]
fn settings_fail_rate_and_suppress() {
    let (code, ..) = with_settings("[audit]\nfail-on = \"medium\"\n", &[]);
    assert_eq!(code, Some(1));
    let (code, ..) = with_settings("[audit]\nfail-on = \"medium\"\n", &["--fail-on", "high"]);
    assert_eq!(code, Some(0), "flags win");
    let (_, out, _) =
        with_settings("[audit.severity]\nsession-ends-with-open-items = \"high\"\n", &["--format", "json"]);
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["sessions"][0]["discrepancies"][0]["severity"], "high");
    let known = format!("[audit]\nfail-on = \"low\"\n{OPEN_ITEMS}reason = \"cut off on purpose\"\n");
    let (code, out, err) = with_settings(&known, &[]);
    assert_eq!((code, err.contains("turnpoint.toml")), (Some(0), false), "{err}");
    assert!(out.contains("Left out as known: 1") && !out.contains("cut off on purpose"), "{out}");
    let (_, out, _) = with_settings(&known, &["--show-suppressed"]);
    assert!(out.contains("cut off on purpose"), "{out}");
    let (_, out, _) = with_settings(&known, &["--format", "sarif"]);
    let log: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(log["runs"][0]["results"][0]["suppressions"][0]["justification"], "cut off on purpose");
}

#[test]
fn a_suppression_ends_by_the_time_of_the_session() {
    let until = |day: &str| format!("[audit]\nfail-on = \"low\"\n{OPEN_ITEMS}reason = \"x\"\nuntil = {day}\n");
    assert_eq!(with_settings(&until("2026-01-01"), &[]).0, Some(0));
    let (code, _, err) = with_settings(&until("2025-12-31"), &[]);
    assert_eq!(code, Some(1));
    assert!(err.contains("turnpoint.toml:3: the suppression held until 2025-12-31"), "{err}");
    let (_, _, err) = with_settings("[[audit.suppress]]\nfingerprint = \"0\"\nreason = \"x\"\n", &[]);
    assert!(err.contains("names no discrepancy"), "{err}");
}

#[test]
fn wrong_settings_are_refused() {
    let (code, _, err) = with_settings("[audit]\nfail_on = \"high\"\n", &[]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("turnpoint.toml:2"), "{err}");
    let dir = tempfile::tempdir().unwrap();
    turnpoint(&["audit", &open_session(dir.path()), "--config", "/no/such/file.toml"]).assert().code(2);
}
