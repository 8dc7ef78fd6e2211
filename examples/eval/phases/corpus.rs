//! Ten sessions labelled by hand, by ranges of messages: `docs/phases.tsv`.

use std::collections::BTreeMap;

use turnpoint::extract::episodes::Phase;
use turnpoint::extract::{Config, extract};
use turnpoint::session::Session;

use super::{Pairs, line, matrix};
use crate::gold::Error;
use crate::sheet;

struct Row {
    first: u64,
    last: u64,
    phase: Phase,
}

pub(super) fn run() -> Result<(), Error> {
    let mut sheets: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for row in sheet::rows("phases.tsv")? {
        let phase = Phase::ALL.into_iter().find(|p| p.word() == row[3]).ok_or_else(|| format!("phase {}", row[3]))?;
        sheets.entry(row[0].clone()).or_default().push(Row { first: row[1].parse()?, last: row[2].parse()?, phase });
    }
    let (mut messages, mut runs) = (Pairs::new(), Pairs::new());
    let mut found = 0;
    sheet::each_session(&["corpus"], |session| {
        let Some(rows) = sheets.remove(&session.id) else { return };
        found += 1;
        score(&session, &rows, &mut messages, &mut runs);
    });
    println!();
    line(&format!("{found} sessions by hand, steps"), &messages);
    matrix(&messages);
    line(&format!("{found} sessions by hand, runs"), &runs);
    matrix(&runs);
    for id in sheets.keys() {
        println!("not found: {id}");
    }
    Ok(())
}

/// Each labelled message that takes a step, against the label of its range: by its own steps, and by its run.
fn score(session: &Session, rows: &[Row], messages: &mut Pairs, runs: &mut Pairs) {
    let episodes = extract(session, &Config::default()).episodes;
    let (from, to) = (messages.len(), runs.len());
    for run in &episodes.runs {
        for step in episodes.steps_of(run) {
            let number = session.message(step.msg).label.msg;
            let Some(row) = rows.iter().find(|r| (r.first..=r.last).contains(&number)) else { continue };
            messages.push((Some(row.phase), Some(step.phase)));
            runs.push((Some(row.phase), run.phase));
        }
    }
    line(&format!("  {} steps", &session.id[..session.id.len().min(20)]), &messages[from..].to_vec());
    line(&format!("  {} runs", &session.id[..session.id.len().min(20)]), &runs[to..].to_vec());
}
