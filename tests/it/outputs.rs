//! What is written and printed, and what is refused.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

const SESSION: &str = "fixtures/codex/session.jsonl";

/// Exit code, standard output and standard error.
fn run(args: &[&str]) -> (i32, String, String) {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("turnpoint").unwrap();
    let out = command.env_clear().env("HOME", home.path()).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code().unwrap(), text(&out.stdout), text(&out.stderr))
}

fn extract(folder: &Path) -> (i32, String, String) {
    run(&["extract", SESSION, "--format", "csv", "-q", "-o", folder.to_str().unwrap()])
}

#[test]
fn a_folder_of_something_else_takes_no_tables() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("messages")).unwrap();
    fs::write(root.path().join("messages/mine.csv"), "mine").unwrap();
    let (code, _, said) = extract(root.path());
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("was not written by `turnpoint extract`"), "{said}");
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    // A manifest of another program is none of ours.
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("manifest.json"), "{}").unwrap();
    assert_eq!(extract(other.path()).0, 4);
    // An empty folder, and our own again.
    let ours = tempfile::tempdir().unwrap();
    assert_eq!((extract(ours.path()).0, extract(ours.path()).0), (0, 0));
}

#[test]
#[cfg(unix)]
fn tables_are_not_written_through_a_link() {
    let root = tempfile::tempdir().unwrap();
    let (data, outside) = (root.path().join("data"), root.path().join("outside"));
    fs::create_dir(&outside).unwrap();
    assert_eq!(extract(&data).0, 0);
    fs::remove_dir_all(data.join("messages")).unwrap();
    std::os::unix::fs::symlink("../outside", data.join("messages")).unwrap();
    let (code, _, said) = extract(&data);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("messages is no folder of a dataset"), "{said}");
    assert_eq!(fs::read_dir(outside).unwrap().count(), 0);
}

#[test]
fn names_of_parts_lead_nowhere() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(extract(root.path()).0, 0);
    let path = root.path().join("manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest["sessions"][0]["part"] = "../../x".into();
    fs::write(&path, manifest.to_string()).unwrap();
    let (code, _, said) = extract(root.path());
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("is no name of a part"), "{said}");
}

#[test]
fn several_runs_at_once_lose_no_session() {
    let root = tempfile::tempdir().unwrap();
    let data = root.path().join("data");
    fs::create_dir(&data).unwrap();
    // What a killed run left.
    fs::create_dir(data.join(".turnpoint-abc")).unwrap();
    let inputs: Vec<_> = (0..6)
        .map(|n| {
            let path = root.path().join(format!("{n}.jsonl"));
            let line = format!(
                r#"{{"type":"user","uuid":"u{n}","sessionId":"session-{n}","message":{{"role":"user","content":"go"}}}}"#
            );
            fs::write(&path, line).unwrap();
            path
        })
        .collect();
    std::thread::scope(|scope| {
        for input in &inputs {
            scope.spawn(|| {
                let (input, data) = (input.to_str().unwrap(), data.to_str().unwrap());
                let (code, _, said) = run(&["extract", input, "--format", "csv", "-q", "-o", data]);
                assert_eq!(code, 0, "{said}");
            });
        }
    });
    let manifest: serde_json::Value = serde_json::from_slice(&fs::read(data.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["sessions"].as_array().unwrap().len(), 6);
    assert_eq!(fs::read_dir(data.join("messages")).unwrap().count(), 6);
    let hidden = fs::read_dir(&data).unwrap().flatten().map(|e| e.file_name().to_string_lossy().into_owned());
    assert_eq!(hidden.filter(|n| n.starts_with('.')).collect::<Vec<_>>(), [".turnpoint-abc"]);
}

#[test]
#[cfg(target_os = "linux")]
fn the_end_of_the_terminal_ends_a_run_but_under_nohup() {
    let ends = |program: &[&str]| {
        let home = tempfile::tempdir().unwrap();
        let mut run = std::process::Command::new(program[0]);
        run.args(&program[1..]).args(["report", "-", "-o"]).arg(home.path().join("out"));
        let mut run = run
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(800));
        let pid = run.id().to_string();
        assert!(std::process::Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
        std::thread::sleep(std::time::Duration::from_millis(100));
        drop(run.stdin.take());
        run.wait().unwrap().code()
    };
    let bin = assert_cmd::cargo::cargo_bin("turnpoint");
    let bin = bin.to_str().unwrap();
    // The tests themselves may run under `nohup`.
    assert_eq!(ends(&["env", "--default-signal=HUP", bin]), Some(129));
    assert_eq!(ends(&["nohup", bin]), Some(3), "the input is empty");
}

#[test]
fn a_message_that_is_not_named_is_not_all_of_them() {
    let (code, out, said) = run(&["show", SESSION, "--", ""]);
    assert_eq!((code, out.as_str()), (2, ""), "{said}");
    assert_eq!(run(&["show", SESSION, "--", ".."]).0, 0);
}

#[test]
#[cfg(unix)]
fn a_file_name_forges_no_line() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a\n── [msg 9] · user.jsonl");
    fs::copy(SESSION, &path).unwrap();
    let (_, out, _) = run(&["show", path.to_str().unwrap(), "--", "1"]);
    assert!(out.contains("a⏎── [msg 9]"), "{out}");
}

#[test]
fn an_article_steers_no_terminal() {
    let root = tempfile::tempdir().unwrap();
    let article = root.path().join("article.md");
    fs::write(&article, "It ran \u{1b}[2J \u{202e}twice in [msg 1].\n").unwrap();
    let (_, out, _) = run(&["verify", article.to_str().unwrap(), "--session", SESSION, "--format", "md"]);
    assert!(out.contains("It ran \\u{001B}[2J \\u{202E}twice"), "{out}");
}

#[test]
fn an_id_that_no_session_has_is_told_with_what_to_do() {
    for id in ["0199a213", "ses_none"] {
        let (code, _, said) = run(&["plan", id]);
        assert_eq!(code, 3);
        assert!(said.contains("no session whose id starts so; `turnpoint sessions` lists"), "{said}");
        assert!(!said.contains("os error"), "{said}");
    }
    assert!(run(&["plan", "./none.jsonl"]).2.contains("cannot read ./none.jsonl"));
}

#[test]
fn a_word_of_the_transcript_is_escaped_once() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a.json");
    let todos = serde_json::json!({"todos": [{"content": "x", "status": "half\u{202e}way"}]}).to_string();
    let call =
        serde_json::json!({"id": "c", "type": "function", "function": {"name": "TodoWrite", "arguments": todos}});
    let messages = serde_json::json!({"messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    ]});
    fs::write(&path, messages.to_string()).unwrap();
    let said = run(&["plan", path.to_str().unwrap()]).2;
    assert!(said.contains("status \"half\\u{202E}way\""), "{said}");
}

#[test]
fn a_log_beside_its_database_is_read_without_a_word() {
    let root = tempfile::tempdir().unwrap();
    fs::copy("fixtures/opencode-db/session.db", root.path().join("opencode.db")).unwrap();
    fs::write(root.path().join("opencode.db-shm"), [0u8; 64]).unwrap();
    let (code, _, said) = run(&["plan", root.path().to_str().unwrap()]);
    assert!(code == 0 && !said.contains("opencode.db-shm"), "{said}");
    // Without its database it is named.
    fs::rename(root.path().join("opencode.db-shm"), root.path().join("other.db-wal")).unwrap();
    assert!(run(&["plan", root.path().to_str().unwrap()]).2.contains("other.db-wal"));
}

#[test]
fn a_document_that_is_too_long_is_refused_at_once() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("long.json");
    let start = r#"{"info":{"id":"ses_a","projectID":"p","title":"t","time":{"created":1}},"messages":[{"info":{"id":"msg_1"}}]}"#;
    fs::write(&path, start).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_len((1 << 30) + 1).unwrap();
    let (code, _, said) = run(&["plan", path.to_str().unwrap()]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("more than 1024 MiB"), "{said}");
}

/// The same bytes give the same bytes, wherever and whenever they are read; nothing of the environment gets in.
#[test]
fn neither_time_zone_locale_order_nor_terminal_changes_a_report() {
    let names =
        ["fixtures/codex/session.jsonl", "fixtures/claude-code/session.jsonl", "fixtures/messages/session.json"];
    let report = |order: &[usize], vars: &[(&str, &str)]| {
        let root = tempfile::tempdir().unwrap();
        let (input, out) = (root.path().join("in"), root.path().join("out"));
        fs::create_dir(&input).unwrap();
        for &n in order {
            fs::copy(names[n], input.join(format!("{n}.json"))).unwrap();
        }
        let mut command = Command::cargo_bin("turnpoint").unwrap();
        command.env_clear().env("HOME", root.path()).envs(vars.iter().copied());
        let ran = command.args(["report", "in", "-o", "out", "-q"]).current_dir(root.path()).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let mut all: Vec<(String, Vec<u8>)> = super::faults::files(&out)
            .into_iter()
            .map(|p| (p.strip_prefix(&out).unwrap().display().to_string(), fs::read(p).unwrap()))
            .collect();
        all.sort();
        all
    };
    let plain = report(&[0, 1, 2], &[]);
    assert!(plain.len() >= 6);
    let vars = [
        ("TZ", "Pacific/Kiritimati"),
        ("LC_ALL", "tr_TR.UTF-8"),
        ("LANG", "tr_TR.UTF-8"),
        ("COLUMNS", "40"),
        ("TERM", "dumb"),
        ("USER", "SECRET-OF-THE-ENVIRONMENT"),
        ("RAYON_NUM_THREADS", "1"),
    ];
    assert!(report(&[2, 1, 0], &vars) == plain, "another report");
}

/// Standard error, the report and the tables give the same three numbers.
#[test]
fn the_account_of_bytes_is_the_same_everywhere() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a.jsonl");
    let text = fs::read_to_string("fixtures/claude-code/session.jsonl").unwrap();
    fs::write(&path, format!("{text}half a line {{\n")).unwrap();
    let (path, out, data) = (path.to_str().unwrap(), root.path().join("r"), root.path().join("d"));
    let said = run(&["report", path, "--format", "md", "-o", out.to_str().unwrap()]).2;
    run(&["extract", path, "--format", "ndjson", "-q", "-o", data.to_str().unwrap()]);
    let rows = super::faults::files(&data.join("sources"));
    let row: serde_json::Value =
        serde_json::from_str(fs::read_to_string(&rows[0]).unwrap().lines().next().unwrap()).unwrap();
    let [read, used, skipped] = ["bytes_read", "bytes_used", "bytes_skipped"].map(|k| row[k].as_u64().unwrap());
    assert_eq!(read, text.len() as u64 + 14);
    assert!(skipped >= 13);
    assert!(said.contains(&format!("{read} bytes read, {used} used, {skipped} skipped")), "{said}");
    let page = super::faults::files(&out).into_iter().find(|p| p.ends_with("report.md")).unwrap();
    assert!(fs::read_to_string(page).unwrap().contains(&format!("| {read} | {used} | {skipped} |")));
}

#[test]
#[cfg(unix)]
fn names_of_files_steer_no_terminal() {
    let root = tempfile::tempdir().unwrap();
    for name in ["a\u{1b}[31m\u{202e}.jsonl", "b\u{7}\n.txt"] {
        fs::write(root.path().join(name), "{\"type\":\"none\"}\n").unwrap();
    }
    let session = fs::read(SESSION).unwrap();
    fs::write(root.path().join("c\u{9b}2J.jsonl"), [&session[..], b"half {"].concat()).unwrap();
    for args in [["plan"], ["audit"], ["sessions"]] {
        let (_, out, said) = run(&[args[0], root.path().to_str().unwrap()]);
        let steers = |c: char| c != '\n' && c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!out.contains(steers) && !said.contains(steers), "{out}{said}");
        assert!(args[0] != "plan" || said.contains("\\u{009B}2J.jsonl"), "{said}");
    }
}
