//! One target for every parser: `turnpoint-fuzz NAME` under AFL; `turnpoint-fuzz NAME FILE…` runs files again;
//! `turnpoint-fuzz seeds FOLDER` writes the first inputs, a folder for each name.
//!
//! A name is a format, whose input is one file of it, or one of these: `opencode-storage` takes several files, parted by lines
//! `=== name`; `opencode-rows` a database, whose rows are lines of `table`, tab and JSON; `packed` a file of any
//! format in any wrapper; `text` what an agent said and, behind the first line `---`, what a command printed.

use std::env;
use std::fs;

#[path = "../../tests/it/promises.rs"]
mod promises;
mod seeds;

use promises::{check, format, load, report};
use serde_json::json;
use turnpoint::source;

/// Sessions of more messages than these are not rendered: many small runs find more than few long ones.
const RENDERED: usize = 40;

fn main() {
    let mut args = env::args().skip(1);
    let name = args.next().expect("the name of a format");
    if name == "seeds" {
        return seeds::write(args.next().expect("a folder").as_ref());
    }
    promises::warm();
    let mut again = false;
    for file in args {
        again = true;
        eprintln!("{file}");
        run(&name, &fs::read(&file).expect("the file can be read"));
    }
    if !again {
        afl::fuzz!(|bytes: &[u8]| run(&name, bytes));
    }
}

fn run(name: &str, bytes: &[u8]) {
    let (id, files) = match name {
        "packed" => return packed(bytes),
        "opencode-storage" => (name, tree(bytes)),
        "opencode-rows" => ("opencode-db", vec![("x.db".into(), rows(bytes))]),
        "text" => ("messages", vec![("x".into(), text(bytes))]),
        _ => (name, vec![("x".into(), bytes.to_vec())]),
    };
    for session in load(format(id), &files) {
        if session.messages.len() <= RENDERED && (name == "text" || one_of_eight(bytes)) {
            report(session);
        }
    }
}

/// Whether a page is made of an input too: it takes longer than all else together.
fn one_of_eight(bytes: &[u8]) -> bool {
    bytes.iter().fold(0u8, |sum, &b| sum.wrapping_mul(31).wrapping_add(b)) % 8 == 0
}

/// A file on disk, as the program is given one: archives are opened by path only.
fn packed(bytes: &[u8]) {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder for the file");
    let path = folder.path().join("x");
    fs::write(&path, bytes).expect("the file");
    for group in source::discover(&[path]).groups {
        check(&source::load(&group, None).unwrap_or_default());
    }
}

/// A session in which an agent runs a command and says something.
fn text(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let (said, printed) = text.split_once("\n---\n").unwrap_or((&text, ""));
    let call = json!({"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{\"command\":\"./bench\"}"}});
    let messages = json!([
        {"role": "user", "content": "Measure it."},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": printed},
        {"role": "assistant", "content": said},
    ]);
    messages.to_string().into_bytes()
}

fn tree(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        if line.starts_with(b"=== ") || files.is_empty() {
            files.push((format!("{}.json", files.len()), Vec::new()));
        }
        if let (false, Some((_, file))) = (line.starts_with(b"=== "), files.last_mut()) {
            file.extend(line);
        }
    }
    files
}

/// A database of the rows that the lines name.
fn rows(bytes: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder for the database");
    let path = folder.path().join("x.db");
    let db = rusqlite::Connection::open(&path).expect("a database");
    db.execute_batch(
        "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN;
         CREATE TABLE session (id, project_id, parent_id, title, directory, version, revert, time_created, time_updated);
         CREATE TABLE session_v2 (id, parent_id, title, directory, version, time_created, time_updated);
         CREATE TABLE message (id, session_id, time_created, time_updated, data);
         CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data);
         CREATE TABLE session_message (id, session_id, type, seq, time_created, time_updated, data);",
    )
    .expect("tables");
    for (n, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let mut fields = line.splitn(5, |&b| b == b'\t').map(|f| String::from_utf8_lossy(f).into_owned());
        let mut next = || fields.next().unwrap_or_default();
        let (table, id, owner, kind, data) = (next(), next(), next(), next(), next());
        let at = n as i64;
        let (sql, values): (_, Vec<&dyn rusqlite::ToSql>) = match table.as_str() {
            "s" => ("session (id, parent_id, title, revert, time_created)", vec![&id, &owner, &kind, &data, &at]),
            "s2" => ("session_v2 (id, parent_id, title, version, time_created)", vec![&id, &owner, &kind, &data, &at]),
            "m" => ("message (id, session_id, time_updated, data, time_created)", vec![&id, &owner, &kind, &data, &at]),
            "p" => ("part (id, message_id, session_id, data, time_created)", vec![&id, &owner, &kind, &data, &at]),
            _ => ("session_message (id, session_id, type, data, seq)", vec![&id, &owner, &kind, &data, &at]),
        };
        let sql = format!("INSERT INTO {sql} VALUES (?, ?, ?, ?, ?)");
        db.execute(&sql, values.as_slice()).expect("a row");
    }
    db.execute_batch("COMMIT").expect("the rows");
    drop(db);
    fs::read(&path).expect("the database")
}
