//! `report`, `explain` and `show` as a user runs them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn turnpoint(dir: &Path) -> Command {
    let mut command = Command::cargo_bin("turnpoint").unwrap();
    command.current_dir(dir).env("HOME", dir).env_remove("CLAUDE_CONFIG_DIR").env("NO_COLOR", "1");
    command
}

fn fixture(name: &str) -> PathBuf {
    root().join("fixtures").join(name)
}

/// Every file below a folder, with its bytes, by relative path.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push((path.strip_prefix(dir).unwrap().to_path_buf(), fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_committed_reports_are_what_the_fixtures_give() {
    let dir = tempfile::tempdir().unwrap();
    for session in ["glm-session.json", "qwen-session.json"] {
        turnpoint(root()).arg("report").arg(format!("fixtures/{session}")).arg("-o").arg(dir.path()).assert().success();
    }
    let (fresh, committed) = (files(dir.path()), files(&root().join("reports")));
    let names = |files: &[(PathBuf, Vec<u8>)]| files.iter().map(|f| f.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&fresh), names(&committed), "run .ci/update");
    for (new, old) in fresh.iter().zip(&committed) {
        assert!(new.1 == old.1, "{} differs from reports/; run .ci/update and look at the change", new.0.display());
    }
}

#[test]
fn the_same_bytes_with_one_and_with_sixteen_threads() {
    let dir = tempfile::tempdir().unwrap();
    for threads in ["1", "16"] {
        let out = dir.path().join(threads);
        let command = &mut turnpoint(root());
        command.args(["report", "fixtures", "--full", "--threads", threads, "-o"]).arg(&out).assert().success();
    }
    assert!(files(&dir.path().join("1")) == files(&dir.path().join("16")));
    assert!(dir.path().join("1/index.html").exists(), "several sessions get an index");
}

/// What a page may hold: our tags, no style attribute, no handler, links inside the page.
fn check_page(html: &str) {
    let tag = regex::Regex::new(r#"</?([a-zA-Z][a-zA-Z0-9-]*)((?:\s+[a-zA-Z:_-]+(?:="[^"]*")?)*)\s*/?>"#).unwrap();
    let allowed: BTreeSet<&str> =
        "html head meta title style body nav ul ol li a main h1 h2 h3 h4 p strong em del code pre \
         table thead tbody tr th td div details summary figure svg g rect line path circle text tspan polyline polygon \
         desc defs pattern span marker clipPath br hr blockquote"
            .split_whitespace()
            .collect();
    for found in tag.captures_iter(html) {
        assert!(allowed.contains(&found[1]), "tag {}", &found[0]);
        let attributes = found[2].to_ascii_lowercase();
        assert!(!attributes.contains(" style=") && !attributes.contains(" on"), "attribute in {}", &found[0]);
    }
    let ids: BTreeSet<&str> = regex::Regex::new(r#" id="([^"]+)""#)
        .unwrap()
        .captures_iter(html)
        .map(|c| c.get(1).unwrap().as_str())
        .collect();
    for link in regex::Regex::new(r##"href="#([^"]+)""##).unwrap().captures_iter(html) {
        assert!(ids.contains(&link[1]), "link to #{} leads nowhere", &link[1]);
    }
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn pages_hold_only_what_we_put_in_and_every_link_resolves() {
    let dir = tempfile::tempdir().unwrap();
    for full in [false, true] {
        let out = dir.path().join(full.to_string());
        let mut command = turnpoint(root());
        command.args(["report", "fixtures", "-o"]).arg(&out).args(full.then_some("--full")).assert().success();
        for (name, bytes) in files(&out) {
            let text = String::from_utf8(bytes).unwrap();
            if name.extension().is_some_and(|e| e == "html") {
                check_page(&text);
            } else if name.extension().is_some_and(|e| e == "md") {
                check_anchors(&text);
            }
        }
    }
}

/// Each message that a Markdown document links to has a heading whose text is the anchor.
fn check_anchors(markdown: &str) {
    let headings: BTreeSet<&str> = markdown.lines().filter_map(|l| l.strip_prefix("#### ")).collect();
    for link in regex::Regex::new(r"\]\(#(msg-[^)]+)\)").unwrap().captures_iter(markdown) {
        assert!(headings.contains(&link[1]), "no heading for #{}", &link[1]);
    }
}

#[test]
fn hostile_text_stays_text() {
    let dir = tempfile::tempdir().unwrap();
    let text = "<script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1)) ![p](http://e.example/p.png)\n\n\
                #### msg-1\n\n# Forged\n\n``` \u{1b}[2J \u{202e}evil |pipe|";
    let line = |kind: &str, role: &str, uuid: &str, parent: &str, content: serde_json::Value| {
        serde_json::json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "5c0e1e4a-0000-4000-8000-000000000001",
            "timestamp": "2026-01-01T00:00:00.000Z", "version": "2.0.0", "cwd": "/w", "message": {"role": role, "id": format!("m{uuid}"), "content": content}})
        .to_string()
    };
    let content = serde_json::json!([{"type": "text", "text": text}]);
    let lines =
        [line("user", "user", "u1", "", serde_json::json!(text)), line("assistant", "assistant", "a1", "u1", content)];
    fs::write(dir.path().join("s.jsonl"), lines.join("\n")).unwrap();
    let out = dir.path().join("out");
    let assert = turnpoint(dir.path()).args(["report", "s.jsonl", "--full", "-o"]).arg(&out).assert().success();
    let stderr = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(!stderr.contains('\u{1b}') && !stderr.contains('\u{202e}'), "{stderr}");
    for (name, bytes) in files(&out) {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{}", name.display());
        if name.ends_with("index.html") {
            check_page(&text);
            assert!(!text.contains("<h1 id=\"forged\""), "a heading was forged");
        }
    }
}

#[test]
fn bad_input_is_named_with_its_exit_code_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("empty.jsonl"), "").unwrap();
    fs::write(dir.path().join("picture.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    fs::write(dir.path().join("notes.txt"), "just some notes\n").unwrap();
    fs::create_dir(dir.path().join("folder")).unwrap();
    for (input, says) in [
        ("nowhere.jsonl", "nowhere.jsonl"),
        ("empty.jsonl", "empty"),
        ("picture.png", "PNG"),
        ("notes.txt", "notes.txt"),
        ("folder", "folder"),
    ] {
        turnpoint(dir.path()).args(["report", input]).assert().code(3).stderr(contains(input)).stderr(contains(says));
        assert!(!dir.path().join("reports").exists(), "{input} left something behind");
    }
}

#[test]
fn a_good_input_beside_a_bad_one_is_still_reported() {
    let dir = tempfile::tempdir().unwrap();
    let glm = fixture("glm-session.json");
    turnpoint(dir.path()).arg("report").arg("nowhere.json").arg(&glm).assert().code(3).stdout(contains("index.html"));
    assert_eq!(fs::read_dir(dir.path().join("reports")).unwrap().count(), 1);
}

#[test]
fn a_cut_export_gives_what_stands_before_the_cut_and_strict_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let whole = fs::read(fixture("glm-session.json")).unwrap();
    fs::write(dir.path().join("cut.json"), &whole[..whole.len() / 2]).unwrap();
    turnpoint(dir.path()).args(["report", "cut.json"]).assert().code(0).stderr(contains("cut.json"));
    turnpoint(dir.path()).args(["report", "cut.json", "--strict"]).assert().code(3);
}

#[test]
fn output_that_cannot_be_written_is_code_4_and_the_old_stays() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "in the way").unwrap();
    let glm = fixture("glm-session.json");
    turnpoint(dir.path()).arg("report").arg(&glm).args(["-o", "file"]).assert().code(4).stderr(contains("file"));
    assert_eq!(fs::read_to_string(dir.path().join("file")).unwrap(), "in the way");

    turnpoint(dir.path()).arg("report").arg(&glm).assert().success();
    let folder = fs::read_dir(dir.path().join("reports")).unwrap().next().unwrap().unwrap().path();
    fs::remove_file(folder.join(".turnpoint")).unwrap();
    fs::write(folder.join("mine.txt"), "mine").unwrap();
    turnpoint(dir.path()).arg("report").arg(&glm).assert().code(4).stderr(contains("not written by turnpoint"));
    assert_eq!(fs::read_to_string(folder.join("mine.txt")).unwrap(), "mine");
}

#[test]
fn a_report_is_replaced_whole() {
    let dir = tempfile::tempdir().unwrap();
    let glm = fixture("glm-session.json");
    for _ in 0..2 {
        turnpoint(dir.path()).arg("report").arg(&glm).assert().success();
        let folder = fs::read_dir(dir.path().join("reports")).unwrap().next().unwrap().unwrap().path();
        assert!(!folder.join("stale.md").exists());
        fs::write(folder.join("stale.md"), "x").unwrap();
        let marker = fs::read_to_string(folder.join(".turnpoint")).unwrap();
        fs::write(folder.join(".turnpoint"), marker + "stale.md\n").unwrap();
    }
    assert_eq!(fs::read_dir(dir.path().join("reports")).unwrap().count(), 1, "no temporary folder stays");
}

#[test]
fn without_input_the_newest_session_of_the_directory_is_taken_and_named() {
    let dir = tempfile::tempdir().unwrap();
    turnpoint(dir.path()).arg("report").assert().code(2).stderr(contains("no INPUT given"));
    fs::copy(fixture("glm-session.json"), dir.path().join("session.json")).unwrap();
    turnpoint(dir.path()).arg("report").assert().success().stderr(contains("session.json"));
}

#[test]
fn the_report_ends_with_the_path_and_five_lines() {
    let dir = tempfile::tempdir().unwrap();
    let assert = turnpoint(dir.path()).arg("report").arg(fixture("glm-session.json")).assert().success();
    let stderr = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    let words: Vec<&str> = stderr.lines().skip(1).filter_map(|l| l.split_whitespace().next()).collect();
    assert_eq!(words, ["asked", "plan", "efficiency", "findings", "discrepancies"], "{stderr}");
    let stdout = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(dir.path().join(stdout.trim()).exists(), "{stdout}");
}

#[test]
fn markdown_goes_to_standard_output_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = turnpoint(dir.path());
    command
        .arg("report")
        .arg(fixture("glm-session.json"))
        .args(["-o", "-"])
        .assert()
        .success()
        .stdout(contains("## Summary"));
    assert!(!dir.path().join("reports").exists());
}

#[test]
fn templates_can_be_replaced_and_a_wrong_one_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("t/sections")).unwrap();
    fs::write(dir.path().join("t/sections/summary.md"), "## In our words\n").unwrap();
    let run = |dir: &Path| {
        let mut command = turnpoint(dir);
        command.arg("report").arg(fixture("glm-session.json")).args(["-o", "-", "--templates", "t"]).assert()
    };
    run(dir.path()).success().stdout(contains("## In our words"));
    fs::write(dir.path().join("t/sections/summary.md"), "{{ s.nothing.here }").unwrap();
    run(dir.path()).code(2).stderr(contains("sections/summary.md"));
}

#[test]
fn explain_tells_what_a_message_answers_and_what_came_of_it() {
    let mut command = turnpoint(root());
    let assert = command.args(["explain", "fixtures/glm-session.json", "1275"]).assert().success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    for says in [
        "writes a plan of 4 items",
        "It holds no prose",
        "1 active, 3 pending, 0 done; 4 created here",
        "“write down in system-improve.md”",
        "“runtime only for now”",
        "was started in [msg 1279](#msg-1279), before",
        "neither by its words nor by its level (12)",
        "| P1 | kernel outdated | 6.8.12 | 6.14 | reboot |",
    ] {
        assert!(text.contains(says), "missing: {says}\n{text}");
    }
    check_anchors(&text);
}

#[test]
fn explain_tells_which_options_were_taken() {
    let assert = turnpoint(root()).args(["explain", "fixtures/qwen-session.json", "6028"]).assert().success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let rows = |fate: &str| text.lines().filter(|l| l.contains(&format!("| {fate}"))).count();
    assert_eq!((rows("selected here"), rows("not mentioned")), (4, 3), "{text}");
}

#[test]
fn explain_lists_the_most_telling_messages() {
    let mut command = turnpoint(root());
    command.args(["explain", "fixtures/glm-session.json"]).assert().success().stdout(contains("[msg 1275]"));
}

#[test]
fn show_prints_messages_and_the_records_behind_them() {
    let show = |args: &[&str]| turnpoint(root()).args(["show", "fixtures/glm-session.json"]).args(args).assert();
    show(&["1274"]).success().stdout(contains("[msg 1274]").and(contains("check that p2p works")));
    show(&["1274..1276"]).success().stdout(contains("[msg 1276]").and(contains("todowrite")));
    show(&["1274", "--raw"]).success().stdout(contains("\"role\": \"user\""));
    show(&["9999"]).code(2).stderr(contains("from 1256 to 1283"));
    show(&["1276..1274"]).code(2).stderr(contains("ends before it begins"));
}

#[test]
fn several_sessions_are_listed_when_one_is_needed() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["glm-session.json", "qwen-session.json"] {
        fs::copy(fixture(name), dir.path().join(name)).unwrap();
    }
    turnpoint(dir.path()).args(["explain", "."]).assert().code(2).stderr(contains("--pick"));
    turnpoint(dir.path()).args(["show", ".", "6028", "--pick", "2"]).assert().success().stdout(contains("[msg 6028]"));
    turnpoint(dir.path())
        .args(["show", ".", "1275", "--pick", "9"])
        .assert()
        .code(2)
        .stderr(contains("no session `9`"));
}
