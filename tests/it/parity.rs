//! The same session in every format gives the same facts, but for what `docs/formats.md` lists. The list is read from the
//! page: a difference that it does not name fails, and so does one that it names and that nothing shows.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{LazyLock, Mutex};

use rayon::prelude::*;
use regex::Regex;
use turnpoint::analysis::{Analysis, analyse};
use turnpoint::extract::Config;
use turnpoint::session::{Message, PartBody, Session};
use turnpoint::source;
use turnpoint::tables::{TABLES, Table};

use crate::formats::shared;
use crate::promises::{format, load};
use crate::writers::{WRITERS, Writer, told};

/// Tables of facts. The others tell of files and records, which are another matter in each format.
fn tables() -> impl Iterator<Item = &'static Table> {
    const OF_FILES: [&str; 5] = ["sources", "sessions", "messages", "tool_calls", "warnings"];
    TABLES.iter().filter(|t| !OF_FILES.contains(&t.name))
}

/// Whether a column tells where something stands rather than what it is: numbers of messages, ids made from them, times.
fn is_place(column: &str) -> bool {
    let ends = ["_id", "_msg", "msg_label"].iter().any(|end| column.ends_with(end));
    let exact = ["id", "msg", "sub", "thread", "at", "seq", "native_id"].contains(&column);
    let label = column.ends_with("_label") && column != "item_label";
    ends || exact || label
}

/// Numbers of messages in sentences and names, and ids of rows, which carry the session's.
static PLACES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(\[msg |-msg-)[\d.s]+|()[0-9a-f]{8}:").expect("static"));

/// A cell that may differ: format, table, column.
type Cell = (String, String, String);

/// The differences that the page lists.
fn listed() -> BTreeSet<Cell> {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats.md")).unwrap();
    let (_, list) = page.split_once("| format | table | columns | why |").expect("the list of differences");
    let rows = list.lines().skip(2).take_while(|l| l.starts_with('|'));
    let mut out = BTreeSet::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
        for format in names(cells[0]) {
            for table in names(cells[1]) {
                let table_of = turnpoint::tables::find(&table).unwrap_or_else(|| panic!("no table {table}"));
                let all = || table_of.columns().map(|c| c.name.to_owned()).filter(|c| !is_place(c)).collect();
                let columns = if cells[2] == "all" { all() } else { names(cells[2]) };
                for column in columns {
                    assert!(table_of.columns().any(|c| c.name == column), "{table} has no column {column}");
                    out.insert((format.clone(), table.clone(), column));
                }
            }
        }
    }
    assert!(!out.is_empty());
    out
}

/// What the formats can all tell of a session: messages of the main thread.
fn common(session: &Session) -> Session {
    let mut out = session.clone();
    out.messages = told(session).cloned().collect();
    out.threads.truncate(1);
    // What the writers leave out stands in no format.
    let kept = |body: &PartBody| {
        matches!(body, PartBody::Text(_) | PartBody::Injected(_) | PartBody::Reasoning(_) | PartBody::Call(_))
    };
    let keep = |m: &mut Message| m.parts.retain(|p| kept(&p.body));
    out.messages.iter_mut().for_each(keep);
    out
}

fn analysed(session: Session) -> Analysis {
    analyse(session, &Config::default(), true)
}

/// Rows of a table, without the columns of places and those named.
fn rows(table: &Table, analysis: &Analysis, without: &BTreeSet<&str>) -> Vec<String> {
    let names: Vec<&str> = table.columns().map(|c| c.name).collect();
    let mut out = Vec::new();
    table.each_row(analysis, &mut |row| {
        let cells = names.iter().zip(row).filter(|(name, _)| !is_place(name) && !without.contains(*name));
        let cells: Vec<String> = cells.map(|(name, value)| format!("{name}={}", value.to_json())).collect();
        out.push(PLACES.replace_all(&cells.join(" "), "$1$2…").into_owned());
    });
    out
}

/// The first row that differs, with its counterpart.
fn differ(want: &[String], got: &[String]) -> Option<String> {
    let none = String::from("nothing");
    let at = |rows: &[String], n: usize| rows.get(n).unwrap_or(&none).clone();
    let n = (0..want.len().max(got.len())).find(|&n| want.get(n) != got.get(n))?;
    Some(format!("row {n} of {}/{}:\n  want {}\n  got  {}", want.len(), got.len(), at(want, n), at(got, n)))
}

/// Compares the facts of a session with those that each format gives of it. Differences that are listed and shown are
/// added to `seen`.
fn compare(session: &Session, what: &str, listed: &BTreeSet<Cell>, seen: &Mutex<BTreeSet<Cell>>) -> Vec<String> {
    let base = analysed(common(session));
    let mut wrong = Vec::new();
    for by in WRITERS.iter().filter(|w| w.format != session.format) {
        let other = analysed(back(&base.session, by));
        for table in tables() {
            let of = |c: &&Cell| c.0 == by.format && c.1 == table.name;
            let free: BTreeSet<&str> = listed.iter().filter(of).map(|c| c.2.as_str()).collect();
            let pair = |without: &BTreeSet<&str>| (rows(table, &base, without), rows(table, &other, without));
            // Where whole rows may be missing, the list says `all`.
            if table.columns().all(|c| is_place(c.name) || free.contains(c.name)) {
                let (want, got) = pair(&BTreeSet::new());
                if want != got {
                    seen.lock().unwrap().extend(listed.iter().filter(of).cloned());
                }
                continue;
            }
            let (want, got) = pair(&free);
            let message = differ(&want, &got);
            wrong.extend(message.map(|d| format!("{what} as {}: {}: {d}", by.format, table.name)));
            for column in &free {
                let others: BTreeSet<&str> = free.iter().copied().filter(|c| c != column).collect();
                let (want, got) = pair(&others);
                if want != got {
                    let cell = (by.format.to_owned(), table.name.to_owned(), (*column).to_owned());
                    seen.lock().unwrap().insert(cell);
                }
            }
        }
    }
    wrong
}

fn back(session: &Session, by: &Writer) -> Session {
    load(format(by.format), &(by.write)(session)).remove(0)
}

fn stored(path: &Path) -> Vec<Session> {
    let found = source::discover(&[path.to_owned()]);
    found.groups.iter().flat_map(|g| source::load(g, None).expect("the file can be read")).collect()
}

/// Sessions that are compared: every fixture of a format that tells how calls ended, and the shared ones. Lists of messages
/// do not: they are written and read, but not the measure.
fn sessions() -> Vec<(String, Session)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let names = [
        "glm-session.json",
        "qwen-session.json",
        "opencode-export/session.json",
        "claude-code/session.jsonl",
        "claude-code-stream/session.jsonl",
        "codex/session.jsonl",
    ];
    let mut paths: Vec<_> = names.iter().map(|n| fixtures.join(n)).collect();
    if let Some(shared) = shared() {
        let streams = std::fs::read_dir(shared.join("labelled/parity")).unwrap().map(|e| e.unwrap().path());
        let mut streams: Vec<_> = streams.filter(|p| p.to_string_lossy().ends_with(".stream.jsonl")).collect();
        assert!(streams.len() >= 30, "the shared pairs");
        streams.sort();
        paths.append(&mut streams);
    }
    let named = |path: &std::path::PathBuf| path.file_name().map(|n| n.to_string_lossy().into_owned());
    paths.iter().flat_map(|p| stored(p).into_iter().map(|s| (named(p).unwrap_or_default(), s))).collect()
}

#[test]
fn every_format_gives_the_same_facts_but_for_what_is_listed() {
    let (listed, seen) = (listed(), Mutex::default());
    let sessions = sessions();
    let wrong: Vec<String> =
        sessions.par_iter().flat_map_iter(|(name, session)| compare(session, name, &listed, &seen)).collect();
    assert!(wrong.is_empty(), "{} differences that are not listed:\n{}", wrong.len(), wrong.join("\n"));
    let seen = seen.into_inner().unwrap();
    let stale: Vec<&Cell> = listed.difference(&seen).collect();
    // What the small fixtures alone do not show, the shared sessions do.
    assert!(stale.is_empty() || shared().is_none(), "listed, but nothing shows it: {stale:?}");
    let rows_of = |name: &str| -> usize {
        let table = turnpoint::tables::find(name).expect("a table");
        sessions.iter().map(|(_, s)| rows(table, &analysed(common(s)), &BTreeSet::new()).len()).sum()
    };
    for table in ["transitions", "plan_items", "measurements", "findings", "claims"] {
        assert!(rows_of(table) > 0, "nothing is compared in {table}");
    }
}

/// The fixture that stands in each store of OpenCode: here nothing may differ, not even a number of a message.
#[test]
fn the_stores_of_opencode_give_the_same_rows() {
    let fixture = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
        analysed(stored(&path).remove(0))
    };
    let all = |analysis: &Analysis| -> Vec<String> {
        let mut out = Vec::new();
        for table in tables().chain(TABLES.iter().filter(|t| ["messages", "tool_calls"].contains(&t.name))) {
            let names: Vec<&str> = table.columns().map(|c| c.name).collect();
            table.each_row(analysis, &mut |row| {
                let cells = names.iter().zip(row).filter(|(n, _)| !["file", "line", "byte"].contains(*n));
                let cells: Vec<String> = cells.map(|(n, v)| format!("{n}={}", v.to_json())).collect();
                out.push(format!("{}: {}", table.name, cells.join(" ")));
            });
        }
        out
    };
    let export = all(&fixture("opencode-export"));
    for store in ["opencode-storage", "opencode-db/session.db", "opencode-events"] {
        assert_eq!(differ(&export, &all(&fixture(store))), None, "{store}");
    }
}

/// The calls that the other side of a shared pair holds: ids with names.
fn other_side(path: &Path) -> BTreeSet<(String, String)> {
    let text = std::fs::read_to_string(path).unwrap();
    let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    let steps = whole["steps"].as_array().unwrap().iter();
    let calls = steps.flat_map(|s| s["tool_calls"].as_array().into_iter().flatten());
    let word = |call: &serde_json::Value, key: &str| call[key].as_str().unwrap_or_default().to_owned();
    calls.map(|c| (word(c, "tool_call_id"), word(c, "function_name"))).collect()
}

/// The stream form against the same run in the format that is not read yet: no call of the other side is missing, and the
/// counts are those of the list of pairs.
#[test]
fn the_stream_form_holds_every_call_of_the_other_side() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("labelled/parity");
    let pairs = std::fs::read_to_string(folder.join("pairs.tsv")).unwrap();
    let head: Vec<&str> = pairs.lines().next().unwrap().split('\t').collect();
    let at = head.iter().position(|h| *h == "stream_tool_ids").unwrap();
    for line in pairs.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let session = stored(&folder.join(format!("{}.stream.jsonl", cells[0]))).remove(0);
        let ours: BTreeSet<(String, String)> = session.calls().map(|(_, c)| (c.id.clone(), c.tool.clone())).collect();
        let ids: BTreeSet<&String> = ours.iter().map(|(id, _)| id).collect();
        assert_eq!(ids.len(), cells[at].parse::<usize>().unwrap(), "{}: calls", cells[0]);
        let missing: Vec<_> =
            other_side(&folder.join(format!("{}.atif.json", cells[0]))).difference(&ours).cloned().collect();
        assert!(missing.is_empty(), "{}: {missing:?}", cells[0]);
    }
}
