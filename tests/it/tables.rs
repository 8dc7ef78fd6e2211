//! Rows: every cell is of its column's type, ids are unique, and ids that name other rows find them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::json;
use turnpoint::analysis::{Analysis, analyse};
use turnpoint::extract::Config;
use turnpoint::session::build::SessionBuilder;
use turnpoint::source;
use turnpoint::tables::{self, TABLES, Table, Value};

/// Columns that name rows of another table.
const FOREIGN: &[(&str, &str, &str, &str)] = &[
    ("transitions", "call_id", "tool_calls", "id"),
    ("transitions", "evidence_id", "tool_calls", "id"),
    ("transitions", "item_id", "plan_items", "item_id"),
    ("plan_items", "call_id", "tool_calls", "id"),
    ("cells", "table_id", "tables", "id"),
    ("measurements", "table_id", "tables", "id"),
    ("findings", "table_id", "tables", "id"),
    ("findings", "restates_id", "findings", "id"),
    ("efficiencies", "limit_id", "limits", "id"),
    ("efficiencies", "measurement_id", "measurements", "id"),
    ("directives", "mirrored_item", "plan_items", "item_id"),
];

type Rows = Vec<Vec<Value<'static>>>;

fn rows(table: &Table, analyses: &[Analysis]) -> Rows {
    let mut rows = Vec::new();
    for analysis in analyses {
        table.each_row(analysis, &mut |cells| rows.push(cells.iter().map(owned).collect()));
    }
    rows
}

fn owned(value: &Value<'_>) -> Value<'static> {
    match value {
        Value::Text(text) => Value::Text(text.to_string().into()),
        Value::Null => Value::Null,
        Value::Bool(b) => Value::Bool(*b),
        Value::Int(n) => Value::Int(*n),
        Value::Float(x) => Value::Float(*x),
    }
}

fn column<'r>(rows: &'r Rows, table: &str, name: &str) -> impl Iterator<Item = &'r str> {
    let table = tables::find(table).expect("a table of this name");
    let at = table.columns().position(|c| c.name == name).unwrap_or_else(|| panic!("{} has no {name}", table.name));
    rows.iter().filter_map(move |row| row[at].as_text())
}

/// Cells are of their column's type, ids are unique, and ids that name other rows find them.
pub(crate) fn check(analyses: &[Analysis]) {
    let all: BTreeMap<&str, Rows> = TABLES.iter().map(|t| (t.name, rows(t, analyses))).collect();
    for table in TABLES {
        for row in &all[table.name] {
            assert_eq!(row.len(), table.columns().count(), "{}: {row:?}", table.name);
            assert_ne!(row[0], Value::Null, "{}: {row:?}", table.name);
            for (cell, column) in row.iter().zip(table.columns()) {
                assert!(cell.kind().is_none_or(|k| k == column.kind), "{}.{}: {cell:?}", table.name, column.name);
            }
        }
    }
    let mut ids = BTreeSet::new();
    for table in TABLES.iter().filter(|t| t.columns().any(|c| c.name == "id")) {
        for id in column(&all[table.name], table.name, "id") {
            assert!(ids.insert(id.to_owned()), "{}: {id} stands twice", table.name);
        }
    }
    ids.extend(column(&all["plan_items"], "plan_items", "item_id").map(str::to_owned));
    for (table, name, to, to_name) in FOREIGN {
        let known: BTreeSet<&str> = column(&all[to], to, to_name).collect();
        for id in column(&all[table], table, name) {
            assert!(known.contains(id), "{table}.{name} = {id} names no row of {to}");
        }
    }
    for end in ["from_id", "to_id"] {
        for id in column(&all["links"], "links", end) {
            assert!(ids.contains(id), "links.{end} = {id} names no row");
        }
    }
}

/// Every quote stands in some text of its session.
fn check_quotes(analyses: &[Analysis]) {
    let all: BTreeMap<&str, Rows> = TABLES.iter().map(|t| (t.name, rows(t, analyses))).collect();
    for table in TABLES.iter().filter(|t| t.columns().any(|c| c.name == "quote")) {
        for quote in column(&all[table.name], table.name, "quote") {
            assert!(analyses.iter().any(|a| holds(a, quote)), "{}: {quote:?} stands in no text", table.name);
        }
    }
}

/// Whether some text of the session holds the quote.
fn holds(analysis: &Analysis, quote: &str) -> bool {
    let session = &analysis.session;
    session.texts().chain(session.outputs()).any(|t| t.text.contains(quote))
        || session.calls().any(|(_, call)| strings(&call.input).any(|s| s.contains(quote)))
}

fn strings(value: &serde_json::Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        serde_json::Value::String(s) => Box::new(std::iter::once(s.as_str())),
        serde_json::Value::Array(all) => Box::new(all.iter().flat_map(strings)),
        serde_json::Value::Object(map) => Box::new(map.values().flat_map(strings)),
        _ => Box::new(std::iter::empty()),
    }
}

fn made() -> Analysis {
    let todo = |content: &str, status: &str| json!({ "content": content, "status": status, "activeForm": content });
    let report = "## Results\n\n| case | throughput (tok/s) | theoretical max |\n|---|---|---|\n| A | 12.5 | 100 |\n| B | 25 | 100 |\n\n\
                  | Level | Finding | Status |\n|---|---|---|\n| P0 | Port open | ❌ |\n| P2 | Old kernel | ✅ OK |\n\n\
                  ## Next steps\n\n1. Close the port\n2. Update the kernel\n";
    let session = SessionBuilder::new()
        .user("Measure the throughput and close the port. Do not touch the kernel.")
        .call(
            "TodoWrite",
            json!({ "todos": [todo("Measure the throughput", "in_progress"), todo("Close the port", "pending")] }),
            "ok",
        )
        .shell("./bench --case A", 0, "A: 12.5 tok/s\n")
        .assistant(report)
        .user("Do 1")
        .call(
            "TodoWrite",
            json!({ "todos": [todo("Measure the throughput", "completed"), todo("Close the port", "completed")] }),
            "ok",
        )
        .call_id("task1", "Task", json!({ "description": "look", "prompt": "look into it" }), "done")
        .call("Write", json!({ "file_path": "report.md", "content": "x" }), "ok")
        .thread("task1", |t| t.user("look into it").assistant("done"))
        .build();
    analyse(session, &Config::default(), true)
}

#[test]
fn rows_of_a_made_session_keep_the_schema() {
    check(&[made()]);
    check_quotes(&[made()]);
}

#[test]
fn rows_of_every_fixture_keep_the_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let found = source::discover(&[folder]);
    let mut analyses = Vec::new();
    for group in &found.groups {
        let sessions = source::load(group, None).unwrap();
        analyses.extend(sessions.into_iter().map(|s| analyse(s, &Config::default(), true)));
    }
    analyses.sort_by(|a, b| (&a.session.agent, &a.session.id).cmp(&(&b.session.agent, &b.session.id)));
    // Several fixtures show one and the same session on purpose.
    analyses.dedup_by(|a, b| (&a.session.agent, &a.session.id) == (&b.session.agent, &b.session.id));
    check(&analyses);
    check_quotes(&analyses);
}

#[test]
fn a_subagents_row_is_placed_at_the_message_that_started_it() {
    let analysis = made();
    let rows = rows(tables::find("messages").unwrap(), &[analysis]);
    let last = rows.iter().find(|r| r[4].as_text() == Some("7.s1.2")).expect("the subagent's reply is a row");
    assert_eq!(last[2..6], [Value::Int(7), Value::Int(2), "7.s1.2".into(), "7.s1".into()]);
    assert!(last[1].as_text().unwrap().ends_with(":msg-7-s1-2"));
    let first = &rows[0];
    assert_eq!(first[2..6], [Value::Int(1), Value::Null, "1".into(), "main".into()]);
}

#[test]
fn names_are_unique_and_explained() {
    let mut names = BTreeSet::new();
    for table in TABLES {
        assert!(names.insert(table.name), "{} stands twice", table.name);
        let mut columns = BTreeSet::new();
        for column in table.columns() {
            assert!(columns.insert(column.name), "{}.{} stands twice", table.name, column.name);
            assert!(!column.meaning.is_empty());
        }
    }
}

#[test]
fn the_schema_manual_is_what_the_program_prints() {
    let printed =
        assert_cmd::Command::cargo_bin("turnpoint").unwrap().args(["schema", "--format", "md"]).output().unwrap();
    let manual = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema.md")).unwrap();
    let hint = "renew it: turnpoint schema --format md > docs/schema.md";
    assert!(String::from_utf8(printed.stdout).unwrap() == manual, "docs/schema.md is out of date; {hint}");
}
