//! Rows that are run in a way of their own.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use super::Outcome;
use super::check::{self, Report, sound, verdict};
use super::run::{Case, Ran};

/// The outcome of a row that has a way of its own.
pub(super) fn of(case: &Case<'_>) -> Option<Outcome> {
    Some(match case.row.case.split('-').next()? {
        "f18" | "f72" if cfg!(feature = "polars") => query(case),
        "f54" => damaged_databases(case),
        "f55" => locked(case),
        "f56" => logs(case),
        "f59" => growing(case),
        "f60" => interrupted(case),
        "f61" => outputs(case),
        "f62" => closed_pipe(case),
        "f66" => each(case),
        "f68" => terminal(case),
        "f71" => secrets(case),
        "f73" => statements(case),
        _ => return None,
    })
}

fn args<'a>(words: &[&'a str], paths: &[&'a Path]) -> Vec<&'a OsStr> {
    words.iter().map(|w| OsStr::new(*w)).chain(paths.iter().map(|p| p.as_os_str())).collect()
}

/// Adds what does not apply to the outcome of the rest.
fn apart(outcome: Outcome, why: &str) -> Outcome {
    match outcome {
        Outcome::Holds(mut notes) => {
            notes.push(why.into());
            Outcome::Holds(notes)
        }
        other => other,
    }
}

fn query(case: &Case<'_>) -> Outcome {
    let outcome = check::plain(case);
    let mut wrong = Vec::new();
    let input = case.input();
    let sql = "SELECT * FROM messages";
    let ran = case.run(args(&["query", "--format", "csv"], &[&input]).into_iter().chain([OsStr::new(sql)]));
    sound(&ran, "query", &mut wrong);
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let formula = |cell: &str| cell.trim_start_matches('"').starts_with(['=', '+', '-', '@', '\t', '\r', '\u{FF1D}']);
    let mut reader = csv::ReaderBuilder::new().has_headers(true).from_reader(text.as_bytes());
    for record in reader.records().map(Result::unwrap) {
        if let Some(cell) = record.iter().find(|c| formula(c) && c.parse::<f64>().is_err()) {
            wrong.push(format!("a cell that a spreadsheet would run: {cell:.40}"));
        }
    }
    match (outcome, wrong.is_empty()) {
        (outcome, true) => outcome,
        (Outcome::Fails(mut why), false) => {
            why.extend(wrong);
            Outcome::Fails(why)
        }
        (_, false) => Outcome::Fails(wrong),
    }
}

fn damaged_databases(case: &Case<'_>) -> Outcome {
    let mut wrong = Vec::new();
    for warn in &case.row.warn {
        let name = warn.file.as_deref().unwrap();
        let out = case.out.join(name);
        let ran = check::report(case, &case.dir.join(name), &out, &mut wrong);
        let readable = name == "page.db" && ran.code == Some(0) && ran.stderr.contains("warning[");
        if ran.code != Some(3) && !readable {
            wrong.push(format!("{name}: exit {:?} instead of 3", ran.code));
        }
        if !ran.stderr.contains(name) {
            wrong.push(format!("{name} is not named"));
        }
    }
    verdict(wrong)
}

fn locked(case: &Case<'_>) -> Outcome {
    let mut wrong = Vec::new();
    let ran = case.drive(&case.out);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    if !said.contains("exit 3") || !ran.stderr.contains("locked by another program") {
        wrong.push(format!("{said:?}; {}", ran.stderr));
    }
    if ran.took.as_secs() >= 10 {
        wrong.push(format!("waited {:?}", ran.took));
    }
    verdict(wrong)
}

fn logs(case: &Case<'_>) -> Outcome {
    let mut wrong = Vec::new();
    for (name, want, shown) in
        [("hot/in.db", 0, "KEEP-f56-wal"), ("rest/in.db", 0, "KEEP-db-3"), ("alone/in.db-wal", 3, "")]
    {
        let out = case.out.join(name.replace('/', "-"));
        let ran = check::report(case, &case.dir.join(name), &out, &mut wrong);
        if ran.code != Some(want) {
            wrong.push(format!("{name}: exit {:?} instead of {want}; {}", ran.code, ran.stderr));
        }
        let Report { markdown, .. } = check::words(&out);
        if !(shown.is_empty() || markdown.contains(shown) && markdown.contains("KEEP-db-1")) {
            wrong.push(format!("{name}: {shown} is not shown"));
        }
        if want == 3 && !ran.stderr.contains("in.db-wal") {
            wrong.push(format!("{name} is not named"));
        }
    }
    let outcome = verdict(wrong);
    if case.is_root() {
        apart(outcome, "a folder that may not be written needs a user that is not root")
    } else {
        outcome
    }
}

fn growing(case: &Case<'_>) -> Outcome {
    let mut wrong = Vec::new();
    let ran = case.drive(&case.out.join("report"));
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    if !said.contains("exit 0") {
        wrong.push(format!("{said:?}; {}", ran.stderr));
    }
    let input = case.out.join("again");
    check::report(case, &case.input(), &input, &mut wrong);
    check::tokens(case, &input, &mut wrong);
    verdict(wrong)
}

fn interrupted(case: &Case<'_>) -> Outcome {
    let mut wrong = Vec::new();
    for command in ["report", "extract"] {
        let out = case.out.join(command);
        fs::create_dir_all(&out).unwrap();
        fs::write(out.join("older.txt"), "older").unwrap();
        let ran = if command == "report" { case.drive(&out) } else { interrupt_extract(case, &out) };
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        // A run that is done before the signal prints where its report is.
        let drives: Vec<&str> = said.lines().filter(|l| l.starts_with("SIG")).collect();
        for line in &drives {
            let code = line.split("exit ").nth(1).and_then(|r| r.split(' ').next()).unwrap_or_default();
            let want = if line.starts_with("SIGINT") { "130" } else { "143" };
            // A signal that comes before the program has begun to run ends it like any other.
            let early = code == if want == "130" { "-2" } else { "-15" };
            if code != "0" && code != want && !early {
                wrong.push(format!("{command}: {line}"));
            }
            if line.contains(".turnpoint-") {
                wrong.push(format!("{command}: a temporary file is left: {line}"));
            }
        }
        if drives.len() != 8 || !out.join("older.txt").exists() {
            wrong.push(format!("{command}: {said}"));
        }
        let half = super::files(&out)
            .into_iter()
            .find(|p| p.ends_with("index.html") && !fs::read_to_string(p).unwrap().trim_end().ends_with("</html>"));
        wrong.extend(half.map(|p| format!("half a report: {}", p.display())));
    }
    verdict(wrong)
}

/// The driver of the case with another command.
fn interrupt_extract(case: &Case<'_>, out: &Path) -> Ran {
    let text = fs::read_to_string(case.dir.join("drive.py"))
        .unwrap()
        .replace("\"report\"", "\"extract\", \"--format\", \"ndjson\"");
    let folder = case.out.join("driver");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("drive.py"), text).unwrap();
    fs::copy(case.input(), folder.join("in.jsonl")).unwrap();
    let other = Case {
        dir: folder,
        out: case.out.clone(),
        bare: case.bare.clone(),
        row: case.row,
        maker: case.maker,
        lowered: false,
    };
    other.drive(out)
}

fn outputs(case: &Case<'_>) -> Outcome {
    let mut wrong = Vec::new();
    let input = case.input();
    let mut targets: Vec<(PathBuf, i32)> = vec![("/dev/full".into(), 4), (input.join("x"), 4), (input.clone(), 2)];
    if !case.is_root() {
        targets.push((case.dir.join("ro"), 4));
    }
    for (target, want) in &targets {
        let ran = case.run(args(&["report", "-o"], &[target, &input]));
        sound(&ran, "report", &mut wrong);
        if ran.code != Some(*want) {
            wrong.push(format!("-o {}: exit {:?} instead of {want}; {}", target.display(), ran.code, ran.stderr));
        }
    }
    // The older report is copied: the cases themselves are not written to.
    let old = case.out.join("old");
    fs::create_dir_all(&old).unwrap();
    for file in super::files(&case.dir.join("old")) {
        fs::copy(&file, old.join(file.file_name().unwrap())).unwrap();
    }
    let before = super::files(&old);
    let ran = case.run(args(&["report", "-o"], &[&old, &input]));
    if ran.code != Some(0) || before.iter().any(|p| !p.exists()) {
        wrong.push(format!("into old/: exit {:?}; {}", ran.code, ran.stderr));
    }
    #[cfg(unix)]
    {
        let full = case.out.join("limited");
        let ran = case.shell("ulimit -f 40; exec \"$0\" \"$@\"", args(&["report", "--full", "-o"], &[&full, &input]));
        let left = super::files(&full);
        if ran.code != Some(4) || !left.is_empty() {
            wrong.push(format!("a full disk: exit {:?}, left {left:?}; {}", ran.code, ran.stderr));
        }
    }
    let outcome = apart(verdict(wrong), "a 64 KB tmpfs cannot be made here; a limit of file size stands for it");
    if case.is_root() {
        apart(outcome, "a folder that may not be written needs a user that is not root")
    } else {
        outcome
    }
}

#[cfg(unix)]
fn closed_pipe(case: &Case<'_>) -> Outcome {
    let mut wrong = Vec::new();
    let input = case.input();
    for line in [
        "\"$0\" report --full -o - \"$1\" | head -1; exit 0",
        "\"$0\" report --full -o - - < \"$1\" | cat",
        "\"$0\" report --full -o - \"$1\" < /dev/null | cat",
        "\"$0\" report --full -o - \"$1\" <&- | cat",
    ] {
        let ran = case.shell(line, [&input]);
        sound(&ran, line, &mut wrong);
        if ran.stderr.contains("roken pipe") || ran.code != Some(0) {
            wrong.push(format!("{line}: exit {:?}; {}", ran.code, ran.stderr));
        }
        if line.ends_with("cat") && !String::from_utf8_lossy(&ran.stdout).contains("f62-1.") {
            wrong.push(format!("{line}: the report does not come out"));
        }
    }
    verdict(wrong)
}

#[cfg(not(unix))]
fn closed_pipe(_: &Case<'_>) -> Outcome {
    Outcome::Apart("needs POSIX".into())
}

fn each(case: &Case<'_>) -> Outcome {
    let mut wrong = Vec::new();
    let mut inputs: Vec<PathBuf> = fs::read_dir(&case.dir).unwrap().map(|e| e.unwrap().path()).collect();
    inputs.sort();
    for input in inputs {
        let out = case.out.join(input.file_name().unwrap());
        let ran = check::report(case, &input, &out, &mut wrong);
        check::code(case, &ran, &mut wrong);
        check::tokens(case, &out, &mut wrong);
        sound(&case.run(args(&["audit"], &[&input])), "audit", &mut wrong);
    }
    verdict(wrong)
}

fn terminal(case: &Case<'_>) -> Outcome {
    let input = case.input();
    let outcome = check::plain(case);
    let mut wrong = Vec::new();
    for words in [&["show", "--", "1.."][..], &["plan"], &["audit"], &["bench"], &["report", "-o", "-"]] {
        let mut words: Vec<OsString> = words.iter().map(OsString::from).collect();
        words.insert(1, input.clone().into());
        words.retain(|w| w != "--");
        sound(&case.run(&words), &format!("{words:?}"), &mut wrong);
    }
    #[cfg(feature = "polars")]
    for format in ["table", "csv", "json", "ndjson"] {
        let sql = OsStr::new("SELECT * FROM messages");
        let ran = case.run(args(&["query", "--format", format], &[&input]).into_iter().chain([sql]));
        sound(&ran, format, &mut wrong);
    }
    let outcome = if wrong.is_empty() { outcome } else { Outcome::Fails(wrong) };
    if cfg!(feature = "polars") { outcome } else { apart(outcome, "query needs polars") }
}

fn secrets(case: &Case<'_>) -> Outcome {
    let input = case.input();
    let mut wrong = Vec::new();
    let ran = case.run(args(&["report", "--full", "--redact", "-o"], &[&case.out, &input]));
    sound(&ran, "report", &mut wrong);
    check::tokens(case, &case.out, &mut wrong);
    check::warned(case, &ran, &case.out, &mut wrong);
    let mut all = super::files(&case.out).into_iter().map(|p| fs::read_to_string(p).unwrap()).collect::<String>();
    all += &ran.stderr;
    let tables = case.out.with_extension("tables");
    let extract = ["extract", "--redact", "--format", "ndjson", "-o"];
    let mut runs = vec![case.run(args(&extract, &[&tables, &input]))];
    all.extend(super::files(&tables).into_iter().map(|p| fs::read_to_string(p).unwrap()));
    for words in [["plan", "md"], ["audit", "json"], ["bench", "csv"], ["explain", "html"]] {
        runs.push(case.run(args(&[words[0], "--redact", "--format", words[1]], &[&input])));
    }
    #[cfg(feature = "polars")]
    runs.push(
        case.run(args(&["query", "--redact"], &[&input]).into_iter().chain([OsStr::new("SELECT * FROM messages")])),
    );
    for ran in &runs {
        sound(ran, "--redact", &mut wrong);
        all += &(String::from_utf8_lossy(&ran.stdout).into_owned() + &ran.stderr);
    }
    for secret in fs::read_to_string(case.dir.join("secrets.txt")).unwrap().lines() {
        let first = secret.split("\\n").nth(1).unwrap_or(secret);
        if all.contains(first) {
            wrong.push(format!("a secret of {} characters is shown", first.len()));
        }
    }
    verdict(wrong)
}

#[cfg(feature = "polars")]
fn statements(case: &Case<'_>) -> Outcome {
    let mut wrong = Vec::new();
    let input = case.input();
    for line in fs::read_to_string(case.dir.join("queries.tsv")).unwrap().lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let query: String = serde_json::from_str(cells[0]).unwrap();
        if query.contains('\0') {
            continue; // No argument of a program can hold it.
        }
        let ran = case.run(args(&["query"], &[&input]).into_iter().chain([OsStr::new(&query)]));
        sound(&ran, &format!("{query:.60}"), &mut wrong);
        // The engine differs from the one the statements were written for: what reads nothing outside may run or be refused.
        let free = ["0 or 2", "0"].contains(&cells[1]);
        let fits = match cells[1] {
            "2" => ran.code == Some(2),
            _ => free && matches!(ran.code, Some(0 | 2)),
        };
        if !fits {
            wrong.push(format!("{query:.60}: exit {:?} instead of {}", ran.code, cells[1]));
        }
        let all = String::from_utf8_lossy(&ran.stdout).into_owned() + &ran.stderr;
        if all.contains("CANARY") || all.contains("root:") {
            wrong.push(format!("{query:.60}: a file was read"));
        }
    }
    verdict(wrong)
}

#[cfg(not(feature = "polars"))]
fn statements(_: &Case<'_>) -> Outcome {
    Outcome::Apart("query needs polars".into())
}
