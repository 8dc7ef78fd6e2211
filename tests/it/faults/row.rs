//! The table of expectations.

use std::path::Path;

/// A row of `expected.tsv`.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) case: String,
    pub(super) format: String,
    pub(super) run: String,
    need: String,
    pub(super) exit: String,
    pub(super) must_show: Vec<String>,
    pub(super) warn: Vec<Warn>,
}

/// What a warning must name.
#[derive(Debug, Default, Clone)]
pub(super) struct Warn {
    pub(super) file: Option<String>,
    pub(super) line: Option<u64>,
    pub(super) byte: Option<u64>,
    pub(super) skipped: Option<String>,
    /// A JSON pointer, an entry of an archive, or table and id of a row.
    pub(super) inside: Vec<String>,
    pub(super) count: Option<u64>,
    pub(super) text: String,
}

impl Row {
    pub(super) fn needs(&self, what: &str) -> bool {
        self.need.split(',').any(|n| n == what)
    }

    /// Whether a warning is due beside exit code 0.
    pub(super) fn warns(&self) -> bool {
        self.exit == "0w"
    }
}

pub(super) fn read(path: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(path).unwrap();
    let list = |cell: &str| match cell {
        "-" => Vec::new(),
        _ => cell.split(';').map(unescape).collect::<Vec<_>>(),
    };
    let mut rows = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [case, format, _fault, run, need, exit, show, warn, _never, _note] = cells[..] else { panic!("{line}") };
        rows.push(Row {
            case: case.into(),
            format: format.into(),
            run: run.into(),
            need: need.into(),
            exit: exit.into(),
            must_show: list(show),
            warn: list(warn).iter().map(|w| warning(w)).collect(),
        });
    }
    rows
}

fn unescape(cell: &str) -> String {
    cell.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
}

fn warning(text: &str) -> Warn {
    let mut out = Warn { text: text.into(), ..Warn::default() };
    for word in text.split(' ') {
        match word.split_once('=') {
            Some(("line", n)) => out.line = n.parse().ok(),
            Some(("byte", n)) => out.byte = n.parse().ok(),
            Some(("skipped", n)) => out.skipped = Some(n.into()),
            Some(("path" | "entry" | "table" | "id", what)) => out.inside.push(what.into()),
            Some(("count", n)) => out.count = n.parse().ok(),
            Some(_) => {}
            None if out.file.is_none() && !text.starts_with("kind=") => out.file = Some(word.into()),
            // "(one.jsonl and three.jsonl)": each must be named.
            None => out.inside.extend(Some(word.trim_matches(['(', ')'])).filter(|w| w.contains('.')).map(Into::into)),
        }
    }
    out
}

#[test]
fn what_a_warning_must_name() {
    let found = warning("in.jsonl line=3 byte=869 skipped=507 kind=truncated");
    assert_eq!((found.file.as_deref(), found.line, found.byte), (Some("in.jsonl"), Some(3), Some(869)));
    assert_eq!(found.skipped.as_deref(), Some("507"));
    let twins = warning("kind=duplicate-file (one.jsonl and three.jsonl)");
    assert_eq!((twins.file, twins.inside), (None, vec!["one.jsonl".to_owned(), "three.jsonl".to_owned()]));
}
