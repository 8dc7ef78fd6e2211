//! `eval bench-precision [--errors]`: are the figures that are found figures, and what they are said to be?
//!
//! The sheet `docs/bench-precision.tsv` holds what a reader said of each figure of the shared sessions.

use std::collections::BTreeMap;

use turnpoint::extract::bench::Measurement;
use turnpoint::extract::{self, Config};
use turnpoint::session::Session;

use crate::gold::Error;
use crate::sheet::{self, each_session};

/// Folders whose sessions are read.
const FOLDERS: &[&str] = &["corpus", "labelled"];

/// Session, message, metric, value and unit of a figure.
type Key = [String; 5];

pub(crate) fn run() -> Result<(), Error> {
    let errors = std::env::args().any(|a| a == "--errors");
    let mut read: BTreeMap<Key, Vec<String>> = BTreeMap::new();
    for row in sheet::rows("bench-precision.tsv")? {
        let [session, msg, metric, value, unit, role] =
            <[String; 6]>::try_from(row).map_err(|r| format!("row {r:?}"))?;
        read.entry([session, msg, metric, value, unit]).or_default().push(role);
    }
    let (mut right, mut wrong, mut unread) = (0u32, 0u32, 0u32);
    let mut sessions = std::collections::BTreeSet::new();
    let mut cited: Vec<(Key, String)> = Vec::new();
    each_session(FOLDERS, |session| {
        for m in extract::extract(&session, &Config::default()).bench.measurements {
            let (key, role) = (key(&session, &m), role(&m));
            for citation in &m.citations {
                let mut key = key.clone();
                key[1] = session.message(citation.msg).label.to_string();
                cited.push((key, role.clone()));
            }
            sessions.insert(session.id.clone());
            let verdict = match read.get_mut(&key).and_then(|roles| (!roles.is_empty()).then(|| roles.remove(0))) {
                Some(wanted) if wanted == role => "right",
                Some(_) => "wrong",
                None => "unread",
            };
            match verdict {
                "right" => right += 1,
                "wrong" => wrong += 1,
                _ => unread += 1,
            }
            if errors && verdict != "right" {
                println!("{verdict}\t{}\t{role}", key.join("\t"));
            }
        }
    });
    // A figure that is read as one stated before is found, where it says so.
    for (key, roles) in &mut read {
        roles.retain(|role| {
            let at = cited.iter().position(|(c, r)| r == role && states(key, c));
            let found = at.filter(|_| role != "–").map(|at| cited.remove(at)).is_some();
            right += u32::from(found);
            !found
        });
    }
    let gone = read.iter().flat_map(|(key, roles)| roles.iter().map(move |r| (key, r))).filter(|(_, r)| *r != "–");
    let gone: Vec<_> = gone.collect();
    if errors {
        gone.iter().for_each(|(key, role)| println!("lost\t{}\t{role}", key.join("\t")));
    }
    println!(
        "{} sessions with figures; {unread} figures that nobody read, {} right ones no longer found",
        sessions.len(),
        gone.len()
    );
    sheet::print("precision", (right, right + wrong));
    Ok(())
}

fn key(session: &Session, m: &Measurement) -> Key {
    let value = m.value.or(m.lo).or(m.hi).unwrap_or(f64::NAN);
    let label = session.message(m.msg).label.to_string();
    [session.id.clone(), label, m.metric.clone(), value.to_string(), m.unit.clone().unwrap_or_default()]
}

/// Whether the figure read by hand is the one that was found, once more or less rounded.
fn states(read: &Key, found: &Key) -> bool {
    let digits = |key: &Key| key[3].split_once('.').map_or(0, |(_, d)| d.len() as i32);
    let decimals = digits(read).min(digits(found));
    let same = [0, 1, 2, 4].iter().all(|&i| read[i] == found[i]);
    let close = |(a, b): (f64, f64)| (a - b).abs() <= 0.5 * 10f64.powi(-decimals) * (1.0 + 1e-9);
    same && read[3].parse().ok().zip(found[3].parse().ok()).is_some_and(close)
}

fn role(m: &Measurement) -> String {
    serde_json::to_value(m.role).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}
