//! `--redact`: nothing that is planted comes out anywhere.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::{Value, json};

/// Secrets, put together here so that no scanner takes this file for a leak.
fn planted() -> Vec<String> {
    [
        &["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"][..],
        &["AKIA", "Q3EGQ7EXAMPLE7ZZ"],
        &["eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0", ".dozjgNryP4J3jVmNHl0w5N"],
        &["quarterstaff", "bilge"],
        &["q7Hf2LxV9bT4", "mZ0sKd83RwYc"],
        &["jane.roe", "@mail.example.org"],
        &["jr", "oe77"],
        &["MIIEowIBAAKCAQEA", "x4f7"],
    ]
    .iter()
    .map(|parts| parts.concat())
    .collect()
}

/// A session in whose every corner a secret stands.
fn session(root: &Path) -> PathBuf {
    let secrets = planted();
    let [token, aws, jwt, password, random, email, user, key] = &secrets[..] else { unreachable!() };
    let block = format!("-----BEGIN RSA PRIVATE{}-----\n{key}\n", " KEY");
    let path = root.join(format!("-home-{user}-engine")).join(format!("{user}.jsonl"));
    let mut lines = vec![json!({"type": "summary", "summary": format!("Engine of {user}, {email}"), "leafUuid": "u3"})];
    let mut n = 0;
    let mut line = |more: Value| {
        n += 1;
        let mut line = json!({"uuid": format!("u{n}"), "sessionId": "s1", "timestamp": format!("2026-01-05T10:00:{n:02}Z"), "cwd": format!("/home/{user}/engine"), "version": "2.0.0"});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        lines.push(line);
    };
    let user_text = |text: String| json!({"type": "user", "message": {"role": "user", "content": text}});
    let call = |id: &str, name: &str, input: Value| json!({"type": "assistant", "message": {"id": format!("m-{id}"), "role": "assistant", "model": "x", "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]}});
    let result = |id: &str, text: String| json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text.clone()}]}, "toolUseResult": {"stdout": text}});
    let reply = |id: &str, text: String| json!({"type": "assistant", "message": {"id": id, "role": "assistant", "model": "x", "content": [{"type": "text", "text": text}]}});
    line(user_text(format!(
        "1. Deploy with {token}\n2. Mail {email} the password: \"{password}\"\n3. Do not touch /home/{user}/keys"
    )));
    let todos = json!([
        {"content": format!("Deploy with {aws}"), "status": "in_progress", "activeForm": "x"},
        {"content": format!("Mail {email}"), "status": "pending", "activeForm": format!("Mailing {email}")}
    ]);
    line(call("t1", "TodoWrite", json!({"todos": todos})));
    line(result("t1", "Todos have been modified successfully".into()));
    line(call(
        "t2",
        "Bash",
        json!({"command": format!("DB_PASSWORD={password} ./run --token {random}"), "env": {format!("/home/{user}"): jwt}}),
    ));
    line(result("t2", format!("owner {user}\nAuthorization: Bearer {jwt}\n{block}")));
    line(call(
        "t3",
        "Write",
        json!({"file_path": format!("/home/{user}/engine/notes.md"), "content": format!("- [ ] rotate {aws}\n{block}")}),
    ));
    line(result("t3", "File created".into()));
    line(reply(
        "r1",
        format!(
            "I found:\n\n| level | finding | value |\n|---|---|---|\n| P0 | {token} is in the log of {user} | {aws} |\n| P1 | mail to {email} fails | off |\n\n| setting {random} | throughput (tok/s) |\n|---|---|\n| {user} | 10.4 |\n| {jwt} | 12.0 |\n\nOptions:\n1. keep {random}\n2. drop {aws}\n\nI'll write /home/{user}/report.md. All tests pass for {email}."
        ),
    ));
    let mut text: String = lines.iter().map(|l| format!("{l}\n")).collect();
    text.push_str(&format!("{{\"type\":\"user\",\"broken {token} {email} /home/{user}/x\n"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn all_files(folder: &Path) -> Vec<PathBuf> {
    let (mut out, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() { folders.push(path) } else { out.push(path) }
        }
    }
    out
}

/// Where a planted secret stands in a text, also as JSON, HTML or a URL would write it.
fn leaks(text: &str) -> Vec<String> {
    planted().into_iter().filter(|s| text.contains(s.as_str()) || text.contains(&s.replace('@', "%40"))).collect()
}

#[test]
fn no_planted_secret_survives_in_any_output() {
    let root = tempfile::tempdir().unwrap();
    let file = session(root.path());
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = elsewhere.path().join("out");
    let out = |name: &str| folder.join(name).display().to_string();
    let input = file.parent().unwrap().parent().unwrap().display().to_string();
    let (reports, csv, ndjson) = (out("reports"), out("csv"), out("ndjson"));
    let commands: Vec<Vec<&str>> = vec![
        vec!["report", &input, "--full", "-o", &reports],
        vec!["report", &input, "--full", "-o", "-"],
        vec!["extract", &input, "--format", "csv", "-o", &csv],
        vec!["extract", &input, "--format", "ndjson", "-o", &ndjson],
        vec!["explain", &input],
        vec!["explain", &input, "1"],
        vec!["explain", &input, "2", "--format", "json"],
        vec!["explain", &input, "3", "--format", "html"],
        vec!["show", &input, "1.."],
        vec!["show", &input, "1..", "--raw"],
        vec!["plan", &input],
        vec!["plan", &input, "--final"],
        vec!["plan", &input, "--timeline"],
        vec!["plan", &input, "--format", "json"],
        vec!["plan", &input, "--format", "csv"],
        vec!["plan", &input, "--format", "xes"],
        vec!["audit", &input, "--experimental"],
        vec!["audit", &input, "--experimental", "--format", "json"],
        vec!["audit", &input, "--experimental", "--format", "sarif"],
        vec!["audit", &input, "--experimental", "--format", "md"],
        vec!["bench", &input],
        vec!["bench", &input, "--format", "json"],
        vec!["bench", &input, "--format", "csv"],
        vec!["bench", &input, "--format", "svg"],
        vec!["sessions", &input],
        vec!["sessions", &input, "--format", "json"],
        vec!["plan", &input, "--pick", "none"],
        #[cfg(feature = "polars")]
        vec!["query", &input, "SELECT * FROM messages"],
        #[cfg(feature = "polars")]
        vec!["query", &input, "SELECT * FROM tool_calls", "--format", "json"],
    ];
    for args in commands {
        let output = Command::cargo_bin("turnpoint").unwrap().args(&args).arg("--redact").output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((leaks(&stdout), leaks(&stderr)), (vec![], vec![]), "{args:?}");
        assert!(stderr.contains("redacted: "), "{args:?}: {stderr}");
    }
    let files = all_files(&folder);
    assert!(files.len() > 20, "{}", files.len());
    for path in &files {
        let bytes = fs::read(path).unwrap();
        assert_eq!(leaks(&String::from_utf8_lossy(&bytes)), Vec::<String>::new(), "{}", path.display());
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        assert_eq!(leaks(&name), Vec::<String>::new());
    }
    // The test can fail: without the flag they are there.
    let plain = Command::cargo_bin("turnpoint").unwrap().args(["show", &input, "1.."]).output().unwrap();
    assert_eq!(leaks(&String::from_utf8_lossy(&plain.stdout)).len(), planted().len());
}

#[test]
fn quotes_are_cut_from_the_redacted_text_and_threads_change_nothing() {
    let root = tempfile::tempdir().unwrap();
    let first = session(&root.path().join("a")).display().to_string();
    let second = session(&root.path().join("b"));
    let text = fs::read_to_string(&second)
        .unwrap()
        .replace("\"uuid\":\"u", "\"uuid\":\"v")
        .replace("\"s1\"", "\"s2\"")
        .replace("\"leafUuid\":\"u", "\"leafUuid\":\"v");
    fs::write(&second, text).unwrap();
    let second = second.display().to_string();
    let run = |threads: &str| {
        let args = ["audit", &first, &second, "--format", "json", "--redact", "--threads", threads];
        let output = Command::cargo_bin("turnpoint").unwrap().args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let one = run("1");
    assert_eq!(one, run("2"));
    let sessions = serde_json::from_str::<Value>(&one).unwrap();
    let titles: Vec<&str> =
        sessions["sessions"].as_array().unwrap().iter().map(|s| s["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Engine of REDACTED-USER-1, REDACTED-EMAIL-1"; 2]);
}

#[test]
fn a_raw_record_that_cannot_be_parsed_is_not_shown() {
    let root = tempfile::tempdir().unwrap();
    let input = session(root.path()).display().to_string();
    let raw =
        Command::cargo_bin("turnpoint").unwrap().args(["show", &input, "1", "--raw", "--redact"]).output().unwrap();
    let text = String::from_utf8(raw.stdout).unwrap();
    assert!(serde_json::from_str::<Value>(text.trim()).is_ok() && text.contains("REDACTED-TOKEN-"), "{text}");
}
