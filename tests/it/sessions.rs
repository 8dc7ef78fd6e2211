//! `turnpoint sessions`, and the ids that it prints as INPUT.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json};

const FIRST: &str = "11111111-aaaa-4bbb-8ccc-000000000001";
const SECOND: &str = "11111111-aaaa-4bbb-8ccc-000000000002";
const ROLLOUT: &str = "0199a213-81c0-7800-8aa1-bbab2a035a53";

/// A home with sessions of three agents.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let write = |path: &str, text: String| {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (id, day) in [(FIRST, 5), (SECOND, 7)] {
        write(&format!(".claude/projects/-w-engine/{id}.jsonl"), claude(id, day));
    }
    write(".claude/projects/-w-engine/notes.txt", "no transcript".into());
    write(".claude/.credentials.json", "{\"token\": \"SECRET\"}".into());
    let rollout = [
        json!({"timestamp": "2026-01-06T10:00:00Z", "type": "session_meta", "payload": {"id": ROLLOUT, "cwd": "/w/motor", "cli_version": "1"}}),
        json!({"timestamp": "2026-01-06T10:00:01Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "turn it"}]}}),
    ];
    let lines: String = rollout.iter().map(|l| format!("{l}\n")).collect();
    write(&format!(".codex/archived_sessions/rollout-2026-01-06T10-00-00-{ROLLOUT}.jsonl"), lines);
    let store = ".local/share/opencode";
    write(
        &format!("{store}/storage/session/p/ses_abc.json"),
        json!({"id": "ses_abc", "projectID": "p", "directory": "/w/store", "title": "In the tree", "version": "1", "time": {"created": 1767400000000u64, "updated": 1767400060000u64}}).to_string(),
    );
    write(
        &format!("{store}/storage/message/ses_abc/msg_1.json"),
        json!({"id": "msg_1", "sessionID": "ses_abc", "role": "user", "time": {"created": 1767400000000u64}})
            .to_string(),
    );
    write(
        &format!("{store}/storage/part/msg_1/prt_1.json"),
        json!({"id": "prt_1", "messageID": "msg_1", "sessionID": "ses_abc", "type": "text", "text": "store it"})
            .to_string(),
    );
    write(&format!("{store}/storage/todo/ses_abc.json"), json!([{"content": "x", "status": "completed"}]).to_string());
    write(&format!("{store}/auth.json"), "{\"key\": \"SECRET\"}".into());
    home
}

fn claude(id: &str, day: u32) -> String {
    let head = |n: u32| json!({"uuid": format!("{id}-{n}"), "sessionId": id, "timestamp": format!("2026-01-0{day}T10:0{n}:00Z"), "cwd": "/w/engine", "version": "2.0.0"});
    let line = |n: u32, more: Value| {
        let mut line = head(n);
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{line}\n")
    };
    let todos = json!([
        {"content": "Measure", "status": "completed", "activeForm": "Measuring"},
        {"content": "Tune", "status": "pending", "activeForm": "Tuning"}
    ]);
    line(0, json!({"type": "user", "message": {"role": "user", "content": "Please tune the engine"}}))
        + &line(
            1,
            json!({"type": "assistant", "message": {"id": "m1", "role": "assistant", "model": "x", "content": [{"type": "tool_use", "id": "t1", "name": "TodoWrite", "input": {"todos": todos}}]}}),
        )
        + &line(
            2,
            json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]}}),
        )
}

fn turnpoint(home: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("turnpoint").unwrap();
    for name in
        ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "OPENCODE_DB", "OPENCODE_DATA_DIR"]
    {
        command.env_remove(name);
    }
    let out = command.env("HOME", home).current_dir(home).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code().unwrap(), text(&out.stdout), text(&out.stderr))
}

fn ids(home: &Path, args: &[&str]) -> Vec<String> {
    let (code, out, err) = turnpoint(home, &[&["sessions", "--format", "json"], args].concat());
    assert_eq!(code, 0, "{err}");
    let rows: Vec<Value> = serde_json::from_str(&out).unwrap();
    rows.iter().map(|r| r["session_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn lists_what_every_agent_left_newest_first() {
    let home = home();
    assert_eq!(ids(home.path(), &[]), [SECOND, ROLLOUT, FIRST, "ses_abc"]);
    let (code, out, err) = turnpoint(home.path(), &["sessions"]);
    assert!(code == 0 && err.starts_with("turnpoint: plans of OpenCode's stores are the last lists"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    let first: Vec<&str> = out.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(
        first.join(" "),
        format!("claude-code /w/engine Please tune the engine 2026-01-07 10:00 1 min 0 s 2 1/2 {SECOND}")
    );
    assert!(out.lines().last().unwrap().contains("In the tree"), "{out}");
    assert!(!out.contains("SECRET"));
}

#[test]
fn filters_and_other_forms() {
    let home = home();
    assert_eq!(ids(home.path(), &["--agent", "codex,opencode"]), [ROLLOUT, "ses_abc"]);
    assert_eq!(ids(home.path(), &["--project", "ENGINE"]), [SECOND, FIRST]);
    assert_eq!(ids(home.path(), &["--since", "2026-01-06"]), [SECOND, ROLLOUT]);
    assert_eq!(ids(home.path(), &["-n", "1"]), [SECOND]);
    let folder = home.path().join(".claude/projects").display().to_string();
    assert_eq!(ids(home.path(), &[&folder]), [SECOND, FIRST]);
    let (_, csv, _) = turnpoint(home.path(), &["sessions", "--format", "csv"]);
    assert!(csv.starts_with("session_id,agent,project,") && csv.lines().count() == 5, "{csv}");
    let (_, lines, _) = turnpoint(home.path(), &["sessions", "--format", "ndjson"]);
    assert!(lines.lines().all(|l| serde_json::from_str::<Value>(l).is_ok()));
    assert_eq!(turnpoint(home.path(), &["sessions", "--since", "soon"]).0, 2);
    assert_eq!(turnpoint(home.path(), &["sessions", "/no/such/folder"]).0, 3);
}

#[test]
fn variables_move_the_places() {
    let home = home();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::rename(home.path().join(".codex"), elsewhere.path().join("codex")).unwrap();
    let out = Command::cargo_bin("turnpoint")
        .unwrap()
        .env("HOME", home.path())
        .env("CODEX_HOME", elsewhere.path().join("codex"))
        .env("CLAUDE_CONFIG_DIR", elsewhere.path())
        .env_remove("XDG_DATA_HOME")
        .args(["sessions", "--format", "csv"])
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains(ROLLOUT) && text.contains("ses_abc") && !text.contains(FIRST), "{text}");
}

#[test]
fn ids_are_inputs() {
    let home = home();
    for (id, said) in
        [(SECOND, "tune the engine"), (ROLLOUT, "turn it"), ("ses_abc", "store it"), ("0199a213", "turn it")]
    {
        let (code, out, err) = turnpoint(home.path(), &["show", id, "1"]);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains(said), "{id}: {out}");
        assert!(err.contains("session "), "{err}");
    }
    let (code, _, err) = turnpoint(home.path(), &["show", "11111111", "1"]);
    assert_eq!(code, 2);
    assert!(err.contains(FIRST) && err.contains(SECOND), "{err}");
    assert_eq!(turnpoint(home.path(), &["show", "22222222", "1"]).0, 3);
}

#[test]
fn an_id_is_an_input_whatever_the_file_is_called() {
    let home = home();
    let folder = home.path().join(".claude/projects/-w-engine");
    fs::rename(folder.join(format!("{FIRST}.jsonl")), folder.join("kept.jsonl")).unwrap();
    // An id may be anything, and a file may be named like another session.
    for (name, id) in
        [("s1", "s1"), ("a", "with.dot"), ("b", "with blank"), ("c", "übung"), ("wxyz-0", "zzzz-9"), ("d", "wxyz-9")]
    {
        fs::write(folder.join(format!("{name}.jsonl")), claude(id, 8)).unwrap();
    }
    let all = ids(home.path(), &[]);
    assert_eq!(all.len(), 10, "{all:?}");
    for id in all {
        let (code, _, err) = turnpoint(home.path(), &["show", &id, "1"]);
        assert!(code == 0 && err.contains(&format!("session {id}: ")), "{id}: {err}");
    }
    let (_, _, err) = turnpoint(home.path(), &["show", "wxyz", "1"]);
    assert!(err.contains("session wxyz-9: "), "{err}");
}

#[test]
fn a_session_of_a_database_is_one_of_several() {
    let home = home();
    let path = home.path().join(".local/share/opencode/opencode.db");
    let sql = r#"
        CREATE TABLE session (id text, project_id text, parent_id text, title text, directory text, version text, time_created integer, time_updated integer);
        CREATE TABLE message (id text, session_id text, time_created integer, time_updated integer, data text);
        CREATE TABLE part (id text, message_id text, session_id text, time_created integer, time_updated integer, data text);
        CREATE TABLE account (token text);
        INSERT INTO account VALUES ('SECRET');
        INSERT INTO session VALUES ('ses_x1', 'p', NULL, 'One', '/w/x', '1', 1768000000000, 1768000000000),
            ('ses_x2', 'p', NULL, 'Two', '/w/x', '1', 1768000001000, 1768000009000);
        INSERT INTO message VALUES ('msg_1', 'ses_x1', 1768000000000, 0, '{"role":"user","time":{"created":1768000000000}}'),
            ('msg_2', 'ses_x2', 1768000001000, 0, '{"role":"user","time":{"created":1768000001000}}');
        INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_x1', 1, 1, '{"type":"text","text":"the first"}'),
            ('prt_2', 'msg_2', 'ses_x2', 1, 1, '{"type":"text","text":"the second"}');"#;
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    assert_eq!(ids(home.path(), &["--project", "/w/x"]), ["ses_x2", "ses_x1"]);
    let (code, out, _) = turnpoint(home.path(), &["show", "ses_x2", "1"]);
    assert!(code == 0 && out.contains("the second"), "{out}");
    assert_eq!(turnpoint(home.path(), &["show", "ses_x", "1"]).0, 2);
    let path = path.display().to_string();
    let (code, out, _) = turnpoint(home.path(), &["show", &path, "1", "--pick", "ses_x1"]);
    assert!(code == 0 && out.contains("the first"), "{out}");
}

#[test]
fn without_input_the_newest_session_of_the_directory_is_taken() {
    let home = home();
    let here = home.path().join("work");
    fs::create_dir_all(&here).unwrap();
    let real = fs::canonicalize(&here).unwrap();
    let rollout = json!({"timestamp": "2026-01-06T10:00:00Z", "type": "session_meta", "payload": {"id": FIRST, "cwd": real, "cli_version": "1"}});
    let said = json!({"timestamp": "2026-01-06T10:00:01Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "work here"}]}});
    let file = home.path().join(format!(".codex/sessions/2026/01/06/rollout-2026-01-06T10-00-00-{FIRST}.jsonl"));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, format!("{rollout}\n{said}\n")).unwrap();
    let out = Command::cargo_bin("turnpoint")
        .unwrap()
        .env("HOME", home.path())
        .env_remove("CODEX_HOME")
        .env_remove("CLAUDE_CONFIG_DIR")
        .current_dir(&here)
        .arg("plan")
        .output()
        .unwrap();
    let err = String::from_utf8(out.stderr).unwrap();
    assert!(err.contains("taking the newest session") && err.contains(FIRST), "{err}");
    fs::remove_file(&file).unwrap();
    let (code, _, err) = turnpoint(&here, &["plan"]);
    assert!(code == 2 && err.contains("turnpoint sessions"), "{err}");
}

#[test]
fn a_database_that_the_environment_names_must_be_one() {
    let home = home();
    let text = home.path().join("text");
    fs::write(&text, "no database").unwrap();
    for named in [&text, home.path()] {
        let mut command = Command::cargo_bin("turnpoint").unwrap();
        let command = command.env("HOME", home.path()).env("OPENCODE_DB", named).env_remove("CLAUDE_CONFIG_DIR");
        let out = command.arg("sessions").output().unwrap();
        let err = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.code() == Some(3) && err.contains(&*named.to_string_lossy()), "{err}");
        assert!(String::from_utf8(out.stdout).unwrap().contains(SECOND));
    }
}

#[test]
fn what_cannot_be_read_is_told_and_costs_nothing_else() {
    let home = home();
    let folder = home.path().join(".claude/projects/-w-engine");
    fs::write(folder.join("broken.jsonl"), claude(FIRST, 5).replace("\"uuid\"", "\"uuid").repeat(2)).unwrap();
    fs::write(home.path().join(".local/share/opencode/opencode.db"), "no database").unwrap();
    let (code, out, err) = turnpoint(home.path(), &["sessions"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains(SECOND) && err.contains("opencode.db"), "{err}");
    assert_eq!(turnpoint(home.path(), &["sessions", "--strict"]).0, 3);
}
