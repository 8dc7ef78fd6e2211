//! A folder of ten thousand small files.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use assert_cmd::Command;

use turnpoint::source::{discover, load};

/// Names as people and programs give them: with spaces, line breaks, quotes, and on Unix bytes that are no UTF-8.
fn name(n: usize) -> OsString {
    let plain = match n % 5 {
        0 => format!("{n:05}.jsonl"),
        1 => format!("{n:05} with spaces.jsonl"),
        2 => format!("{n:05}\nline.jsonl"),
        3 => format!("{n:05} \"quoted\" 漢.jsonl"),
        _ => format!("{n:05}-"),
    };
    let mut name = OsString::from(plain);
    #[cfg(unix)]
    if n % 5 == 4 {
        use std::os::unix::ffi::OsStringExt;
        name.push(OsString::from_vec(vec![0xFF, 0xFE, b'x']));
    }
    name
}

fn fill(folder: &Path, files: usize) {
    for n in 0..files {
        let sub = folder.join(format!("{:02}", n / 500));
        if n % 500 == 0 {
            fs::create_dir(&sub).unwrap();
        }
        let line = |uuid: &str, kind: &str, content: &str| {
            format!(
                "{{\"type\":\"{kind}\",\"uuid\":\"{n}-{uuid}\",\"sessionId\":\"s{n}\",\"message\":{{\"role\":\"{kind}\",\"content\":\"{content}\"}}}}\n"
            )
        };
        let text = line("a", "user", &format!("prompt {n}")) + &line("b", "assistant", "done");
        // Every tenth file is no transcript.
        fs::write(sub.join(name(n)), if n % 10 == 9 { "some text".into() } else { text }).unwrap();
    }
}

/// Reads a folder; gives the seconds that took.
fn check(files: usize) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), files);
    let start = Instant::now();
    let found = discover(&[folder.path().to_owned()]);
    assert!(found.errors.is_empty(), "{:?}", found.errors);
    assert_eq!(found.groups.len(), files - files / 10);
    let told = found.warnings.len();
    assert!((1..=20).contains(&told), "the first files that are no transcripts are named, the rest counted: {told}");
    let mut prompts = Vec::new();
    for group in &found.groups {
        let session = load(group, None).unwrap().remove(0);
        assert_eq!(session.messages.len(), 2);
        prompts.push(session.messages[0].text());
    }
    let want: Vec<String> = (0..files).filter(|n| n % 10 != 9).map(|n| format!("prompt {n}")).collect();
    assert!(prompts == want, "sessions come in the order of their paths");
    start.elapsed().as_secs_f64()
}

#[test]
fn ten_thousand_files_are_read_in_order_and_in_linear_time() {
    let (few, many) = (check(1_000), check(10_000));
    // Ten times the files in about ten times the time: a quadratic step would take a hundred times.
    assert!(many < 40.0 * few.max(0.05), "1,000 files took {few:.2} s, 10,000 took {many:.2} s");
}

/// The whole program over such a folder, in a gigabyte of memory and with few open files.
#[test]
#[cfg(unix)]
fn ten_thousand_files_take_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 10_000);
    let line = "ulimit -v 1000000; ulimit -n 128; exec \"$0\" --threads 2 sessions --format ndjson \"$1\"";
    let program = assert_cmd::cargo::cargo_bin("turnpoint");
    let out = Command::new("sh").arg("-c").arg(line).arg(program).arg(folder.path()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(out.stdout.iter().filter(|b| **b == b'\n').count(), 9_000);
}

/// Puts sessions of forty messages into the default place of an agent.
fn store(home: &Path, sessions: usize) {
    let folder = home.join(".claude/projects/-w");
    fs::create_dir_all(&folder).unwrap();
    for n in 0..sessions {
        let line = |m: usize| {
            let kind = if m.is_multiple_of(2) { "user" } else { "assistant" };
            format!(
                "{{\"type\":\"{kind}\",\"uuid\":\"{n}-{m}\",\"sessionId\":\"s{n:05}\",\"cwd\":\"/w\",\"timestamp\":\"2026-01-{:02}T10:{m:02}:00Z\",\"message\":{{\"role\":\"{kind}\",\"content\":\"{}\"}}}}\n",
                n % 28 + 1,
                "words of the session ".repeat(20)
            )
        };
        fs::write(folder.join(format!("s{n:05}.jsonl")), (0..40).map(line).collect::<String>()).unwrap();
    }
}

/// Seconds in which all sessions of a store are listed.
fn listed(sessions: usize) -> f64 {
    let home = tempfile::tempdir().unwrap();
    store(home.path(), sessions);
    let start = Instant::now();
    let mut command = Command::cargo_bin("turnpoint").unwrap();
    command.args(["sessions", "--format", "ndjson"]).env_clear().env("HOME", home.path());
    let out = command.current_dir(home.path()).output().unwrap();
    let took = start.elapsed().as_secs_f64();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(out.stdout.iter().filter(|b| **b == b'\n').count(), sessions);
    took
}

/// `cargo test --release --no-default-features --test it many -- --nocapture` prints the figures of docs/performance.md.
#[test]
fn a_store_of_many_sessions_is_listed_in_linear_time() {
    let (few, many) = (listed(100), listed(1_000));
    let told = format!("sessions of a store: 100 in {few:.2} s, 1,000 in {many:.2} s\n");
    std::io::stdout().write_all(told.as_bytes()).unwrap();
    assert!(many < 40.0 * few.max(0.05), "{told}");
}
