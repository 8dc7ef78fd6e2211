//! Findings against `gold_findings.jsonl`: rows by title; then level, state and values of the rows found.

use serde_json::Value;
use turnpoint::extract::findings::{self, Finding};
use turnpoint::extract::tables;
use turnpoint::session::build::SessionBuilder;

use crate::gold::{self, Error, Score, text};

pub(crate) fn run() -> Result<(), Error> {
    let verbose = std::env::args().any(|a| a == "-v");
    let [mut rows, mut level, mut status, mut values, mut real] = [Score::default(); 5];
    for row in gold::rows("gold_findings.jsonl")? {
        let session = SessionBuilder::new().assistant(text(&row, "message")).build();
        let found = findings::extract(&session, &tables::extract(&session)).findings;
        let want = row["rows"].as_array().cloned().unwrap_or_default();
        let mut used = vec![false; found.len()];
        for gold in &want {
            let at = (0..found.len()).find(|&i| !used[i] && same(&found[i], gold));
            let Some(at) = at else {
                if verbose {
                    println!("missed {} {}", text(&row, "id"), text(gold, "title"));
                }
                continue;
            };
            used[at] = true;
            let f = &found[at];
            rows.hit += 1;
            real.hit += usize::from(row["synthetic"] != true);
            let checks = [
                (&mut level, f.level.as_deref() == gold["severity"].as_str()),
                (&mut status, f.status.word() == text(gold, "status")),
                (
                    &mut values,
                    f.current.as_deref() == gold["current"].as_str()
                        && f.wanted.as_deref() == gold["expected"].as_str(),
                ),
            ];
            for (score, good) in checks {
                score.hit += usize::from(good);
                score.said += 1;
                score.gold += 1;
            }
            if verbose
                && (f.status.word() != text(gold, "status")
                    || f.level.as_deref() != gold["severity"].as_str()
                    || f.current.as_deref() != gold["current"].as_str())
            {
                println!("differs {} {f:?}\n        {gold}", text(&row, "id"));
            }
        }
        for (f, _) in found.iter().zip(&used).filter(|(_, u)| verbose && !**u) {
            println!("extra {} {:?}", text(&row, "id"), f.title);
        }
        rows.said += found.len();
        rows.gold += want.len();
        if row["synthetic"] != true {
            real.said += found.len();
            real.gold += want.len();
        }
    }
    rows.print("rows");
    real.print("rows, real messages only");
    level.print("level of rows found");
    status.print("state of rows found");
    values.print("current and wanted of those");
    Ok(())
}

/// The same title, or one that holds most of the other.
fn same(found: &Finding, gold: &Value) -> bool {
    let range = |key: &str| gold[key].as_u64().unwrap_or(0) as u32;
    let (start, end) = (range("title_start"), range("title_end"));
    let shared = found.span.end.min(end).saturating_sub(found.span.start.max(start));
    shared * 2 > (end - start).max(found.span.end - found.span.start)
}
