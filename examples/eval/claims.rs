//! Claims against `gold_claims.jsonl`: how many are found, and the verdicts on them; the half of the labels that was looked
//! at while writing, the half that was not, and the hand-made rows, each apart.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use turnpoint::analysis::{Analysis, analyse};
use turnpoint::extract::Config;
use turnpoint::link::claims::{Word, verdicts};
use turnpoint::session::Session;
use turnpoint::session::build::SessionBuilder;
use turnpoint::source;

use crate::gold::{self, Error, Score, shared, text};

/// Scores of one group of rows, by label.
#[derive(Debug, Default)]
struct Group {
    rows: usize,
    found: usize,
    scores: BTreeMap<&'static str, Score>,
}

const LABELS: [&str; 3] = ["supported", "contradicted", "unsupported"];

pub(crate) fn run() -> Result<(), Error> {
    let verbose = std::env::args().any(|a| a == "-v" || a == "-vv");
    let mut runs: BTreeMap<String, Analysis> = BTreeMap::new();
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    for row in gold::rows("gold_claims.jsonl")? {
        let made = row["synthetic"] == true;
        let analysis = if made {
            &analyse(by_hand(&row), &Config::default(), false)
        } else {
            let name = text(&row, "run").to_owned();
            if !runs.contains_key(&name) {
                runs.insert(name.clone(), read(&name)?);
            }
            &runs[&name]
        };
        let said = verdict(analysis, &row);
        let seen = crc32(text(&row, "id")).is_multiple_of(2);
        let half = if made {
            "rows made by hand"
        } else if seen {
            "half looked at"
        } else {
            "half held out"
        };
        let label = text(&row, "label");
        if verbose && (made || seen) && said != Some(label) {
            println!("{label} | {} | {} | {}", said.unwrap_or("not found"), text(&row, "id"), text(&row, "claim"));
        }
        let sure = (row["ambiguous"] != true).then_some("all without ambiguous rows");
        for name in [Some("all"), Some(half), sure].into_iter().flatten() {
            groups.entry(name).or_default().count(label, said);
        }
    }
    for (name, group) in groups {
        println!("{name}: {} rows, {} found", group.rows, group.found);
        for label in LABELS {
            group.scores.get(label).copied().unwrap_or_default().print(&format!("  {label}"));
        }
    }
    Ok(())
}

impl Group {
    fn count(&mut self, label: &str, said: Option<&str>) {
        self.rows += 1;
        self.found += usize::from(said.is_some());
        for l in LABELS {
            let score = self.scores.entry(l).or_default();
            score.gold += usize::from(label == l);
            score.said += usize::from(said == Some(l));
            score.hit += usize::from(label == l && said == Some(l));
        }
    }
}

/// A run of the labelled sessions.
fn read(name: &str) -> Result<Analysis, Error> {
    let path = shared().join("labelled/todo_runs").join(format!("{name}.jsonl"));
    let found = source::discover(&[path]);
    let group = found.groups.first().ok_or("no such run")?;
    let session = source::load(group, None)?.into_iter().next().ok_or("no session")?;
    Ok(analyse(session, &Config::default(), false))
}

/// A session of the few messages that a row made by hand holds.
fn by_hand(row: &Value) -> Session {
    let messages = row["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let build = |b: SessionBuilder, m: &Value| match text(m, "role") {
        "tool" => b.call("tool", json!({}), text(m, "text")),
        "user" => b.user(text(m, "text")),
        _ => b.assistant(text(m, "text")),
    };
    messages.iter().fold(SessionBuilder::new(), build).build()
}

/// The verdict on the claim that shares most with the labelled quote, in the labels' words.
fn verdict(analysis: &Analysis, row: &Value) -> Option<&'static str> {
    let quote = text(row, "claim");
    let id = text(row, "message_id");
    let session = &analysis.session;
    let all = verdicts(&analysis.facts, &analysis.links);
    let mut best: Option<(f64, Word)> = None;
    let verbose = std::env::args().any(|a| a == "-vv");
    for (claim, verdict) in analysis.facts.claims.iter().zip(all) {
        let message = session.message(claim.msg);
        if row["synthetic"] != true && message.native_id.as_deref() != Some(id) {
            continue;
        }
        let Some(full) = session.text_of(&claim.span) else { continue };
        let Some(start) = full.rfind(quote) else { continue };
        let (from, to) = (claim.span.start as usize, claim.span.end as usize);
        let shared = to.min(start + quote.len()).saturating_sub(from.max(start));
        if verbose && shared * 2 > quote.len().min(to - from) {
            println!("  {} | {} | {:?}", verdict.word.word(), session.quote(&claim.span).unwrap_or(""), claim.matter);
        }
        let likeness = shared as f64 / ((to - from) + quote.len() - shared) as f64;
        if shared * 2 > quote.len().min(to - from) && best.is_none_or(|(b, _)| likeness > b) {
            best = Some((likeness, verdict.word));
        }
    }
    best.map(|(_, word)| match word {
        Word::Supported => "supported",
        Word::Contradicted => "contradicted",
        Word::Stale | Word::NoEvidence => "unsupported",
        Word::NotKnown => "not known",
    })
}

/// CRC-32 (IEEE) of a text: halves the labels.
fn crc32(text: &str) -> u32 {
    !text.bytes().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |c, _| if c & 1 == 1 { (c >> 1) ^ 0xEDB8_8320 } else { c >> 1 })
    })
}
