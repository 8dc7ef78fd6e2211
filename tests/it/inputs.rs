//! Packed and encoded inputs, from outside.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use flate2::{Compression, write::GzEncoder};
use zip::{ZipWriter, write::SimpleFileOptions};

fn line(n: u32, text: &str) -> String {
    format!(
        "{{\"type\":\"user\",\"uuid\":\"u{n}\",\"sessionId\":\"s1\",\"timestamp\":\"2026-01-05T10:00:0{n}Z\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
    )
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn write(name: &str, bytes: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join(name);
    fs::write(&path, bytes).unwrap();
    (root, path)
}

/// Exit code, standard output and standard error of `show INPUT 1..`.
fn show(path: &Path) -> (i32, String, String) {
    let out = Command::cargo_bin("turnpoint").unwrap().arg("show").arg(path).arg("1..").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code().unwrap(), text(&out.stdout), text(&out.stderr))
}

#[test]
fn gzip_of_two_members_and_zstd_are_read_without_a_word() {
    let two = [gz(line(1, "first").as_bytes()), gz(line(2, "second").as_bytes())].concat();
    let zst = zstd::encode_all((line(1, "first") + &line(2, "second")).as_bytes(), 3).unwrap();
    let skippable = [&b"\x50\x2A\x4D\x18\x03\0\0\0abc"[..], &zst].concat();
    for bytes in [two, zst, skippable] {
        let (_root, path) = write("a.bin", bytes);
        let (code, out, err) = show(&path);
        assert_eq!((code, err.as_str()), (0, ""));
        assert!(out.contains("first") && out.contains("second"), "{out}");
    }
}

#[test]
fn damage_keeps_what_was_unpacked_before_it_and_says_so() {
    let text: String = (1..9).map(|n| line(n, &format!("word{n} {}", blob(n)))).collect();
    let whole = gz(text.as_bytes());
    let zst = zstd::encode_all(text.as_bytes(), 3).unwrap();
    let mut sum = whole.clone();
    let at = sum.len() - 8;
    sum[at] ^= 1;
    let cases = [
        (whole[..whole.len() - 40].to_vec(), "truncated"),
        (zst[..zst.len() - 2].to_vec(), "truncated"),
        (sum, "checksum"),
        ([whole.clone(), b"JUNKJUNK".to_vec()].concat(), "trailing-bytes"),
    ];
    for (bytes, kind) in cases {
        let (_root, path) = write("a.jsonl.gz", bytes);
        let (code, out, err) = show(&path);
        assert_eq!(code, 0, "{err}");
        assert!(err.contains(&format!("a.jsonl.gz: warning[{kind}]")), "{err}");
        assert!(out.contains("word1") || kind == "truncated", "{out}");
    }
}

/// Text that packs badly.
fn blob(n: u32) -> String {
    let mut x = n;
    let mut next = || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (x >> 24) as u8 % 26)
    };
    (0..60_000).map(|_| next()).collect()
}

#[test]
fn a_bomb_stops_at_the_limit_and_what_stood_before_it_is_shown() {
    let (_root, path) = write("bomb.gz", gz((line(1, "before") + &" ".repeat(40 << 20)).as_bytes()));
    let (code, out, err) = show(&path);
    assert_eq!(code, 0);
    assert!(out.contains("before") && err.contains("warning[unpack-limit]"), "{err}");
}

#[test]
fn packing_inside_packing_is_not_unpacked() {
    let (_root, path) = write("a.gz", gz(&gz(line(1, "deep").as_bytes())));
    let (code, _, err) = show(&path);
    assert_eq!(code, 3);
    assert!(err.contains("looks like a gzip file"), "{err}");
}

#[test]
fn entries_of_a_zip_are_inputs_and_their_names_lead_nowhere() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a.zip");
    let mut zip = ZipWriter::new(File::create(&path).unwrap());
    for (name, text) in [("../../escape.jsonl", line(1, "climbs")), ("notes.txt", "nothing".to_owned())] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let (code, out, err) = show(&path);
    assert_eq!(code, 0);
    assert!(err.starts_with("a.zip!notes.txt: note[not-a-transcript]: text of no known format"), "{err}");
    assert!(out.contains("climbs") && out.contains("a.zip!../../escape.jsonl"), "{out}");
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    let mut cut = fs::read(&path).unwrap();
    cut.truncate(cut.len() - 30);
    let (_root, path) = write("cut.zip", cut);
    assert_eq!(show(&path).0, 3);
}

#[test]
fn utf16_is_decoded_with_a_mark_and_refused_without() {
    let text = line(1, "wide 😀");
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (_root, path) = write("a.jsonl", [&b"\xFF\xFE"[..], &little].concat());
    let (code, out, err) = show(&path);
    assert_eq!(code, 0);
    assert!(out.contains("wide 😀") && err.contains("a.jsonl:1: warning[utf16]"), "{out}{err}");
    let (_root, path) = write("b.jsonl", little);
    let (code, _, err) = show(&path);
    assert_eq!(code, 3);
    assert!(err.contains("UTF-16 without a byte order mark"), "{err}");
}

#[test]
fn pick_takes_a_position_the_newest_or_the_start_of_one_id() {
    let root = tempfile::tempdir().unwrap();
    for (n, id) in [(1, "aa1"), (3, "aa2"), (2, "b")] {
        let text = line(n, &format!("words of {id}")).replace("\"s1\"", &format!("\"{id}\""));
        fs::write(root.path().join(format!("{id}.jsonl")), text).unwrap();
    }
    let show = |pick: &str| {
        let mut command = Command::cargo_bin("turnpoint").unwrap();
        let out = command.arg("show").arg(root.path()).args(["1..", "--pick", pick]).output().unwrap();
        (out.status.code().unwrap(), String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap())
    };
    for (pick, id) in [("1", "aa1"), ("latest", "aa2"), ("b", "b"), ("aa2", "aa2")] {
        let (code, out, err) = show(pick);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains(&format!("words of {id}")), "{pick}: {out}");
    }
    for (pick, said) in [("aa", "2 sessions start with `aa`"), ("c", "no session `c`")] {
        let (code, _, err) = show(pick);
        assert_eq!(code, 2);
        assert!(err.contains(said) && err.contains("  3  b"), "{err}");
    }
}

#[test]
fn two_sessions_of_one_id_are_told_and_not_picked_by_it() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("a.jsonl"), line(1, "words of claude")).unwrap();
    let stream = r#"{"type":"user","session_id":"s1","message":{"role":"user","content":"words of the stream"}}"#;
    fs::write(root.path().join("z.jsonl"), stream.to_owned() + "\n").unwrap();
    let other = r#"{"type":"text","timestamp":5,"sessionID":"s1","part":{"id":"p","sessionID":"s1","messageID":"m","type":"text","text":"words of another"}}"#;
    fs::write(root.path().join("b.jsonl"), other.to_owned() + "\n").unwrap();
    let run = |args: &[&str]| {
        let out = Command::cargo_bin("turnpoint").unwrap().current_dir(root.path()).args(args).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (out.status.code().unwrap(), text(&out.stdout), text(&out.stderr))
    };
    fs::create_dir(root.path().join("in")).unwrap();
    for name in ["a.jsonl", "b.jsonl"] {
        fs::rename(root.path().join(name), root.path().join("in").join(name)).unwrap();
    }
    let (code, _, err) = run(&["show", "in", "1..", "--pick", "s1"]);
    assert!(code == 2 && err.contains("2 sessions have the id `s1`") && err.contains("  2  s1  opencode"), "{err}");
    let (code, out, _) = run(&["show", "in", "1..", "--pick", "2"]);
    assert!(code == 0 && out.contains("words of another"), "{out}");
    let (code, _, err) = run(&["extract", "in", "-o", "data", "--format", "csv"]);
    assert!(code == 0 && err.contains("warning[id-twice]") && err.contains("sessions of several agents"), "{err}");
    let (code, _, err) = run(&["extract", "in/a.jsonl", "z.jsonl", "-o", "again", "--format", "csv"]);
    assert!(
        code == 0 && err.contains("of the sessions of claude-code with the id s1 the dataset holds the last"),
        "{err}"
    );
}

#[test]
fn a_dataset_is_refused_with_what_to_do_instead() {
    let (root, path) = write("a.jsonl", line(1, "words"));
    let data = root.path().join("data");
    let run = |args: &[&Path]| Command::cargo_bin("turnpoint").unwrap().args(args).output().unwrap();
    let csv = [Path::new("--format"), Path::new("csv")];
    assert!(run(&[&[Path::new("extract"), &path, Path::new("-o"), &data][..], &csv].concat()).status.success());
    for command in ["plan", "bench", "audit", "report"] {
        let out = run(&[Path::new(command), &data]);
        assert_eq!(out.status.code(), Some(2));
        assert!(String::from_utf8(out.stderr).unwrap().contains("is a dataset written by `extract`"), "{command}");
    }
    fs::write(root.path().join("manifest.json"), "{}").unwrap();
    assert_eq!(run(&[Path::new("plan"), root.path()]).status.code(), Some(0));
}

#[test]
fn packing_changes_nothing_in_any_format() {
    for name in [
        "codex/session.jsonl",
        "claude-code-stream/session.jsonl",
        "opencode-export/session.json",
        "opencode-events/session.jsonl",
        "opencode-markdown/session.md",
        "opencode-db/session.db",
        "messages/session.json",
    ] {
        let bytes = fs::read(Path::new("fixtures").join(name)).unwrap();
        let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
        zip.start_file("session", SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
        let packed = [
            ("x.gz", gz(&bytes)),
            ("x.zst", zstd::encode_all(&bytes[..], 3).unwrap()),
            ("x.zip", zip.finish().unwrap().into_inner()),
        ];
        // Under each message stands the name of its file.
        let said = |(code, out, err): (i32, String, String)| {
            assert_eq!(code, 0, "{name}: {err}");
            out.lines().filter(|l| !l.starts_with("   ")).map(|l| format!("{l}\n")).collect::<String>()
        };
        let (_root, path) = write("x", &bytes);
        let plain = said(show(&path));
        assert!(plain.len() > 500, "{name}");
        for (file, bytes) in packed {
            let (_root, path) = write(file, bytes);
            assert!(said(show(&path)) == plain, "{name} as {file}");
        }
    }
}

#[test]
fn an_encrypted_entry_is_named_and_the_others_are_read() {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [("locked.jsonl", line(1, "hidden")), ("open.jsonl", line(2, "seen"))] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    let mut bytes = zip.finish().unwrap().into_inner();
    let directory = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    bytes[6] |= 1;
    bytes[directory + 8] |= 1;
    let (_root, path) = write("a.zip", bytes);
    let (code, out, err) = show(&path);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("seen") && !out.contains("hidden"), "{out}");
    assert!(err.contains("a.zip!locked.jsonl: warning[encrypted]"), "{err}");
}

/// A pipe gives its bytes once: what tells the format must not be lost to the reader.
#[test]
#[cfg(unix)]
fn a_pipe_is_read_whole() {
    let record = |n: usize| {
        let text = format!("{n} {}", "word ".repeat(60));
        format!(r#"{{"type":"user","uuid":"u{n}","sessionId":"s","message":{{"role":"user","content":"{text}"}}}}"#)
    };
    let lines: Vec<String> = (0..1000).map(record).collect();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("long.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    let count = |input: &str| {
        let (input, from) = input.split_once(" < ").map_or((input, ""), |(i, from)| (i, from));
        let from = if from.is_empty() { String::new() } else { format!("< {from}") };
        let script = format!("{} show {input} 1.. --raw {from}", env!("CARGO_BIN_EXE_turnpoint"));
        let out = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
        String::from_utf8_lossy(&out.stdout).matches("uuid").count()
    };
    let path = file.display();
    assert_eq!(count(&format!("{path}")), 1000);
    assert_eq!(count(&format!("<(cat {path})")), 1000);
    assert_eq!(count(&format!("- < {path}")), 1000);
}

/// Entries that are stored unpacked stand in the archive as they are, among its own headers.
#[test]
fn entries_of_a_zip_that_packs_nothing_are_inputs_of_their_own() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("plain.zip");
    let mut zip = ZipWriter::new(File::create(&path).unwrap());
    for name in ["one", "two"] {
        let plain = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file(format!("{name}.jsonl"), plain).unwrap();
        let record = format!(
            r#"{{"type":"user","uuid":"{name}","sessionId":"{name}","message":{{"role":"user","content":"Fold {name}"}}}}"#
        );
        zip.write_all(format!("\n{record}\n").as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_turnpoint")).arg("plan").arg(&path).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(text.contains("Fold one") && text.contains("Fold two"), "{text}");
    assert!(!String::from_utf8_lossy(&out.stderr).contains("not-a-record"));
}
