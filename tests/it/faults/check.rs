//! What is checked of every row: exit code, tokens, warnings, accounts, and what may stand in no output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::row::Warn;
use super::run::{Case, Ran, TIME};
use super::{Outcome, files};

/// Words of a report: Markdown and HTML apart, since each must show what is due.
pub(super) struct Report {
    pub(super) markdown: String,
    pub(super) html: String,
}

/// The rows that are run as they say: `report --full`, then the tables.
pub(super) fn plain(case: &Case<'_>) -> Outcome {
    let mut wrong = Vec::new();
    let ran = report(case, &case.subject(), &case.out, &mut wrong);
    code(case, &ran, &mut wrong);
    if ran.code == Some(0) {
        tokens(case, &case.out, &mut wrong);
        accounts(case, &case.subject(), &mut wrong);
        audit(case, &mut wrong);
    }
    warned(case, &ran, &case.out, &mut wrong);
    verdict(wrong)
}

pub(super) fn verdict(wrong: Vec<String>) -> Outcome {
    if wrong.is_empty() { Outcome::Holds(Vec::new()) } else { Outcome::Fails(wrong) }
}

/// Writes the whole report of an input into a folder.
pub(super) fn report(case: &Case<'_>, input: &Path, out: &Path, wrong: &mut Vec<String>) -> Ran {
    let ran = case.run(
        ["report", "--full", "--format", "html,md", "-o"]
            .map(Into::into)
            .iter()
            .chain([&out.as_os_str().to_owned(), &input.as_os_str().to_owned()]),
    );
    sound(&ran, "report", wrong);
    clean(out, case.maker, wrong);
    ran
}

/// What holds for every run: no panic, in time, and nothing on the terminal that steers it.
pub(super) fn sound(ran: &Ran, what: &str, wrong: &mut Vec<String>) {
    if ran.took >= TIME {
        wrong.push(format!("{what}: took {:?}", ran.took));
    }
    if !matches!(ran.code, Some(0..=4 | 130 | 143)) || ran.stderr.contains("panicked at") {
        wrong.push(format!("{what}: exit {:?}; {}", ran.code, last(&ran.stderr)));
    }
    for (name, text) in [("standard output", &ran.stdout[..]), ("standard error", ran.stderr.as_bytes())] {
        if let Some(sign) = steering(text) {
            wrong.push(format!("{what}: {sign} on {name}"));
        }
    }
}

fn last(text: &str) -> String {
    text.lines().last().unwrap_or_default().chars().take(300).collect()
}

/// The first sign of a text that would steer a terminal, hide or turn text.
pub(super) fn steering(bytes: &[u8]) -> Option<String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Some("invalid UTF-8".into()) };
    let bad = |c: char| {
        matches!(c, '\0'..='\u{8}' | '\u{B}'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{202A}'..='\u{202E}'
            | '\u{2066}'..='\u{2069}' | '\u{200B}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
    };
    text.chars().find(|&c| bad(c)).map(|c| format!("a raw {}", c.escape_unicode()))
}

/// What holds for every file that was written.
fn clean(out: &Path, maker: &Path, wrong: &mut Vec<String>) {
    let written = files(out);
    for path in &written {
        if let Some(sign) = steering(&fs::read(path).unwrap()) {
            wrong.push(format!("{sign} in {}", path.display()));
        }
        if path.components().any(|c| c.as_os_str().to_string_lossy().starts_with(".turnpoint-")) {
            wrong.push(format!("a temporary file is left: {}", path.display()));
        }
    }
    let pages: Vec<&PathBuf> = written.iter().filter(|p| p.extension().is_some_and(|e| e == "html")).collect();
    if pages.is_empty() {
        return;
    }
    let line = "import sys, os; sys.path.insert(0, os.path.dirname(sys.argv[1])); import make_faults as m\n\
                for p in sys.argv[2:]:\n    for w in m.gate(p)[:3]: print(p, w)";
    let gate = Command::new("python3").args(["-B", "-c", line]).arg(maker).args(pages).output().unwrap();
    assert!(gate.status.success(), "{}", String::from_utf8_lossy(&gate.stderr));
    wrong.extend(String::from_utf8_lossy(&gate.stdout).lines().take(5).map(|l| format!("gate: {l}")));
}

pub(super) fn code(case: &Case<'_>, ran: &Ran, wrong: &mut Vec<String>) {
    let first = case.row.exit.split(' ').next().unwrap_or_default();
    let want = first.trim_end_matches(['w', ',']).parse().ok();
    if ran.code != want {
        wrong.push(format!("exit {:?} instead of {}; {}", ran.code, case.row.exit, last(&ran.stderr)));
    }
}

/// The words of every report below a folder.
pub(super) fn words(out: &Path) -> Report {
    let all = |end: &str| -> String {
        let found = files(out).into_iter().filter(|p| p.to_string_lossy().ends_with(end));
        found.map(|p| String::from_utf8_lossy(&fs::read(p).unwrap()).into_owned()).collect::<Vec<_>>().join("\n")
    };
    Report { markdown: all(".md").replace('\\', ""), html: plain_text(&all(".html")) }
}

/// The text of a page: tags out, entities back.
fn plain_text(html: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(html.len()), html);
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        // What stands in the next cell or block is another word.
        out.push_str(if ["</t", "</p", "</l", "</h", "</d"].iter().any(|e| rest[at..].starts_with(e)) {
            " "
        } else {
            ""
        });
        rest = rest[at..].find('>').map_or("", |end| &rest[at + end + 1..]);
    }
    out.push_str(rest);
    out.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

/// Whether a token stands in a text and not only as the start of a longer one.
fn shows(text: &str, token: &str) -> bool {
    text.match_indices(token).any(|(at, _)| {
        let next = text[at + token.len()..].chars().next();
        token.ends_with('.') || !next.is_some_and(|c| c.is_alphanumeric())
    })
}

pub(super) fn tokens(case: &Case<'_>, out: &Path, wrong: &mut Vec<String>) {
    let report = words(out);
    for token in &case.row.must_show {
        for (kind, text) in [("Markdown", &report.markdown), ("HTML", &report.html)] {
            if !shows(text, token) {
                wrong.push(format!("{token} does not stand in the {kind}"));
            }
        }
    }
}

/// Warnings stand on standard error; what is folded there stands in the report.
pub(super) fn warned(case: &Case<'_>, ran: &Ran, out: &Path, wrong: &mut Vec<String>) {
    let told = |line: &str| line.contains(": warning[") || line.contains(": note[");
    if case.row.warns() && !ran.stderr.lines().any(told) {
        wrong.push("nothing is said on standard error".into());
    }
    let markdown = words(out).markdown;
    for warn in &case.row.warn {
        let lines = ran.stderr.lines().chain(markdown.lines().filter(|l| is_warning(l)));
        let count = lines.into_iter().filter(|line| names(case, line, warn)).count() as u64;
        if count < warn.count.unwrap_or(1) && !ran.stderr.lines().any(|l| adds_up(l, warn)) {
            wrong.push(format!("no warning names `{}`", warn.text));
        }
    }
    if let Some(line) = ran.stderr.lines().find(|l| told(l) && l.chars().count() > 800) {
        wrong.push(format!("a warning is too long: {line:.80}…"));
    }
}

/// Whether a line of the report is one of the table of warnings.
fn is_warning(line: &str) -> bool {
    let byte = line.strip_prefix("| `").and_then(|rest| rest.split_once("` | ")?.1.split(' ').next());
    byte.is_some_and(|byte| byte.parse::<u64>().is_ok())
}

/// Whether the last line on standard error says how often.
fn adds_up(line: &str, warn: &Warn) -> bool {
    warn.count.is_some_and(|n| line.contains(&format!("{n} × ")))
}

fn names(case: &Case<'_>, line: &str, warn: &Warn) -> bool {
    // Names are relative to what was given to read.
    let inside = |f: &str| {
        f.strip_prefix(case.row.run.rsplit_once("{dir}/").map_or("", |r| r.1))
            .map(|f| f.trim_start_matches('/').to_owned())
    };
    let file =
        warn.file.as_ref().is_none_or(|f| line.contains(f.as_str()) || inside(f).is_some_and(|f| line.contains(&f)));
    // A file that is refused as a whole has no place in it.
    let refused = line.starts_with("turnpoint: ") && case.row.exit == "3";
    let at = |n: u64| line.contains(&format!(":{n}")) && has_number(line, n);
    let place = refused || (warn.line.is_none_or(at) && warn.byte.is_none_or(|n| has_number(line, n)));
    // What is deep or unknown may be kept instead.
    let kept = line.contains("kept as") || line.contains("[depth]");
    let skipped = match warn.skipped.as_deref() {
        None | Some("all") => true,
        Some("0") => !line.contains("bytes skipped"),
        Some(n) => kept || has_number(line, n.parse().unwrap_or(u64::MAX)),
    };
    file && place && skipped && warn.inside.iter().all(|w| line.contains(w.as_str()))
}

fn has_number(line: &str, n: u64) -> bool {
    line.split(|c: char| !c.is_ascii_digit()).any(|word| word.parse() == Ok(n))
}

/// Rows of a table of the dataset that `extract --strict` writes.
pub(super) fn table(folder: &Path, name: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    for path in files(&folder.join(name)) {
        let text = fs::read_to_string(path).unwrap();
        rows.extend(text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()));
    }
    rows
}

/// Bytes and records are accounted for, and `--strict` ends with 3 when anything was lost.
fn accounts(case: &Case<'_>, input: &Path, wrong: &mut Vec<String>) {
    let folder = case.out.with_extension("tables");
    let ran = case.run(
        ["--strict", "extract", "--format", "ndjson", "-o"]
            .map(Into::into)
            .iter()
            .chain([&folder.as_os_str().to_owned(), &input.as_os_str().to_owned()]),
    );
    sound(&ran, "extract", wrong);
    let warnings = table(&folder, "warnings");
    let lost = warnings.iter().any(|w| w["severity"] == "lost") || ran.stderr.contains("bytes skipped at");
    if lost != (ran.code == Some(3)) && !ran.stderr.contains("[unreadable]") {
        wrong.push(format!("--strict: exit {:?} where input was{} lost", ran.code, if lost { "" } else { " not" }));
    }
    let markdown = words(&case.out).markdown;
    for source in table(&folder, "sources") {
        let n = |key: &str| source[key].as_u64().unwrap_or(u64::MAX);
        let file = source["file"].as_str().unwrap_or_default();
        if n("bytes_read") != n("bytes_used") + n("bytes_skipped") {
            wrong.push(format!("{file}: bytes read are not bytes used and skipped"));
        }
        if n("records") != n("kept") + n("copies") + n("skipped") {
            wrong.push(format!("{file}: records are not kept, copies and skipped"));
        }
        let same = format!("| {} | {} | {} |", n("bytes_read"), n("bytes_used"), n("bytes_skipped"));
        if !markdown.contains(&same) {
            wrong.push(format!("{file}: the report and the tables give other numbers"));
        }
    }
    super::limits::facts(case, &folder, wrong);
}

/// The audit runs over anything that a report can be made of.
fn audit(case: &Case<'_>, wrong: &mut Vec<String>) {
    let ran = case.run([std::ffi::OsStr::new("audit"), case.subject().as_os_str()]);
    sound(&ran, "audit", wrong);
}
