//! What is said on standard error, and when nothing else would be.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

/// Exit code and standard error.
fn run(folder: &Path, args: &[&str]) -> (i32, String) {
    let mut command = Command::cargo_bin("turnpoint").unwrap();
    let out = command.current_dir(folder).env("HOME", folder).args(args).output().unwrap();
    (out.status.code().unwrap(), String::from_utf8_lossy(&out.stderr).into_owned())
}

fn line(n: u32, text: &str) -> String {
    let message = format!(r#"{{"role":"user","content":"{text}"}}"#);
    let at = format!("2026-01-05T10:00:0{n}Z");
    format!(r#"{{"type":"user","message":{message},"uuid":"u{n}","timestamp":"{at}","sessionId":"s1"}}"#) + "\n"
}

/// A folder with a session `a.jsonl` of two messages.
fn folder() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("a.jsonl"), line(1, "first") + &line(2, "second")).unwrap();
    root
}

#[test]
fn a_first_record_of_megabytes_is_read_and_keeps_its_session_together() {
    let root = folder();
    let long = "word ".repeat(300_000);
    fs::write(root.path().join("b.jsonl"), line(3, &long) + &line(4, "fourth")).unwrap();
    let (code, err) = run(root.path(), &["--strict", "show", ".", "4"]);
    assert_eq!((code, err.as_str()), (0, ""));
}

#[test]
fn lines_of_no_known_format_are_lost_and_not_in_silence() {
    let root = folder();
    fs::write(root.path().join("b.jsonl"), "{\"speaker\":\"me\"}\n").unwrap();
    fs::write(root.path().join("c.json"), "{\"speaker\":\"me\"}\n").unwrap();
    fs::write(root.path().join("d.jsonl"), "").unwrap();
    let (code, err) = run(root.path(), &["plan", "."]);
    assert_eq!(code, 0);
    assert!(err.contains("b.jsonl: warning[not-a-transcript]: a JSON object with keys speaker"), "{err}");
    assert!(err.contains("c.json: note[not-a-transcript]") && err.contains("d.jsonl: note[empty]"), "{err}");
    let (code, err) = run(root.path(), &["plan", ".", "--strict", "-q"]);
    let want = "turnpoint: a part of the input was passed over: 1 × not-a-transcript; without --quiet it is named\n";
    assert_eq!((code, err.as_str()), (3, want));
    fs::remove_file(root.path().join("b.jsonl")).unwrap();
    assert_eq!(run(root.path(), &["plan", ".", "--strict", "-q"]), (0, String::new()));
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let root = folder();
    for (args, said) in [
        (&["plan", "a.jsonl", "--threads", "3000"][..], "3000 is not in 1..=256"),
        (&["plan", "a.jsonl", "--threads", "0"], "0 is not in 1..=256"),
        (&["plan", "a.jsonl", "--first-number", "18446744073709551615"], "18446744073709551615 is not in"),
        (&["plan", "a.jsonl", "--pick", ""], "a value is required for '--pick"),
        (&["plan", "a.jsonl", "--msg", "50..3"], "`50..3` ends before it begins; write `3..50`"),
        (&["report", "a.jsonl", "--limits", "none.toml"], "--limits none.toml: the file cannot be read: No such file"),
        (&["sessions", "--agent", "bogus"], "no agent of this name; there are"),
        (&["sessions", "-n", "0"], "invalid value '0'"),
    ] {
        let (code, err) = run(root.path(), args);
        assert!(code == 2 && err.contains(said), "{args:?}: {code} {err}");
    }
    fs::write(root.path().join("taken"), "mine").unwrap();
    let (code, err) = run(root.path(), &["report", "a.jsonl", "-o", "taken"]);
    assert!(code == 4 && err.contains("taken is a file, and a folder is needed there"), "{err}");
    assert_eq!(fs::read_to_string(root.path().join("taken")).unwrap(), "mine");
}

#[test]
fn nothing_found_is_said() {
    let root = folder();
    fs::write(root.path().join("none.md"), "").unwrap();
    for (args, said) in [
        (&["plan", "a.jsonl", "--item", "garden"][..], "no item of a plan is or holds `garden`"),
        (&["sessions", ".", "--agent", "codex"], "none of 1 sessions is of the agent, project or time asked for"),
        (&["verify", "--session", "a.jsonl", "none.md"], "the article holds no statement that can be checked"),
    ] {
        let (code, err) = run(root.path(), args);
        assert!(code == 0 && err.contains(said), "{args:?}: {code} {err}");
    }
}

#[test]
fn a_session_without_a_title_has_the_same_name_everywhere() {
    let root = folder();
    for command in ["plan", "bench"] {
        let out =
            Command::cargo_bin("turnpoint").unwrap().arg(command).arg(root.path().join("a.jsonl")).output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(text.lines().next().unwrap().ends_with("2 messages first"), "{text}");
    }
}

#[test]
fn what_hides_in_a_title_is_shown_once() {
    let root = tempfile::tempdir().unwrap();
    let title = r#"{"type":"ai-title","aiTitle":"red \u001b[31m alert","sessionId":"s1"}"#;
    fs::write(root.path().join("a.jsonl"), line(1, "first") + title + "\n").unwrap();
    let out = Command::cargo_bin("turnpoint").unwrap().arg("sessions").arg(root.path()).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(text.contains(r"red \u{001B}[31m alert"), "{text}");
}

#[test]
fn copies_make_one_line() {
    let root = folder();
    let path = root.path().join("a.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.repeat(4)).unwrap();
    let (_, err) = run(root.path(), &["plan", "a.jsonl"]);
    assert_eq!(err.matches("note[duplicate]").count(), 1, "{err}");
    assert!(err.contains("and 5 more like this") && err.contains("6 × duplicate"), "{err}");
}
