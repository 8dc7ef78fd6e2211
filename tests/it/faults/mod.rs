//! The promise of `docs/damaged-input.md`, row by row: the shared cases are generated, and every row of their table of
//! expectations is checked. Rows that do not apply here are counted and named.

mod check;
mod limits;
mod row;
mod run;
mod special;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use row::Row;
use run::Case;

/// What became of a row.
pub(super) enum Outcome {
    /// It holds; with the parts of it that do not apply here.
    Holds(Vec<String>),
    /// It does not apply, and why.
    Apart(String),
    Fails(Vec<String>),
}

/// Rows that are known not to hold, with the reason. A row that comes to hold must leave this list.
const OPEN: &[(&str, &str)] = &[];

#[test]
fn every_row_of_the_faults_holds() {
    let Some(shared) = super::formats::shared() else { return };
    let maker = shared.join("cases/faults/make_faults.py");
    let root = tempfile::tempdir().unwrap();
    let cases = root.path().join("cases");
    let made = Command::new("python3").arg("-B").arg(&maker).arg(&cases).output();
    let made = made.expect("python3 makes the cases; install it, or set TURNPOINT_SHARED=none");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let rows = row::read(&shared.join("cases/faults/expected.tsv"));
    assert!(rows.len() >= 70, "the table is read");
    let outcomes = in_parallel(&rows, |row| {
        let case = Case::new(&cases, &root.path().join("work"), row, &maker);
        judge(&case)
    });
    run::open_up(&cases);
    tell(&rows, &outcomes);
}

fn judge(case: &Case<'_>) -> Outcome {
    if let Some(why) = apart(case) {
        return Outcome::Apart(why);
    }
    let before = case.snapshot();
    let outcome = match special::of(case) {
        Some(outcome) => outcome,
        None => check::plain(case),
    };
    match (outcome, case.changed(&before)) {
        (Outcome::Holds(_), Some(change)) => Outcome::Fails(vec![change]),
        (Outcome::Fails(mut why), Some(change)) => {
            why.push(change);
            Outcome::Fails(why)
        }
        (outcome, _) => outcome,
    }
}

/// Why a row does not apply at all.
fn apart(case: &Case<'_>) -> Option<String> {
    let row = case.row;
    let formats = ["inspect-eval", "gemini + atif", "aider"];
    if formats.iter().any(|f| row.format.starts_with(f)) {
        return Some(format!("format {} is not read", row.format));
    }
    if !cfg!(unix) && row.needs("posix") {
        return Some("needs POSIX".into());
    }
    // What a row shows with a file that may not be read, root can read.
    (row.case.starts_with("f47") && case.is_root()).then(|| "needs a user that is not root".into())
}

fn in_parallel(rows: &[Row], judge: impl Fn(&Row) -> Outcome + Sync) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Outcome>>> = Mutex::new(rows.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let at = rows.iter().position(|r| r.case == row.case).unwrap();
                    let outcome = judge(row);
                    done.lock().unwrap()[at] = Some(outcome);
                }
            });
        }
    });
    done.into_inner().unwrap().into_iter().map(Option::unwrap).collect()
}

fn tell(rows: &[Row], outcomes: &[Outcome]) {
    let (mut holds, mut apart, mut wrong) = (0, Vec::new(), Vec::new());
    for (row, outcome) in rows.iter().zip(outcomes) {
        let open = OPEN.iter().find(|(case, _)| row.case.starts_with(case));
        match outcome {
            Outcome::Holds(notes) => {
                holds += 1;
                apart.extend(notes.iter().map(|n| format!("part of {}: {n}", row.case)));
                if let Some((_, why)) = open {
                    wrong.push(format!("{}: holds now; take it out of the list of open rows ({why})", row.case));
                }
            }
            Outcome::Apart(why) => apart.push(format!("{}: {why}", row.case)),
            Outcome::Fails(why) => match open {
                Some((_, reason)) => apart.push(format!("OPEN {}: {reason}", row.case)),
                None => wrong.push(format!("{}:\n    {}", row.case, why.join("\n    "))),
            },
        }
    }
    let told = format!("{holds} of {} rows hold; not applicable:\n  {}\n", rows.len(), apart.join("\n  "));
    std::io::Write::write_all(&mut std::io::stdout(), told.as_bytes()).unwrap();
    assert!(wrong.is_empty(), "{} rows fail:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every file below a folder, in order.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut out, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() { folders.push(entry.path()) } else { out.push(entry.path()) }
        }
    }
    out.sort();
    out
}
