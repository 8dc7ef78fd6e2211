//! Directives against `gold_directives.jsonl`: the object's place must overlap; polarity is scored apart.

use serde_json::Value;
use turnpoint::extract::directives::{self, Directive};
use turnpoint::session::build::SessionBuilder;

use crate::gold::{self, Error, Score, text};

pub(crate) fn run() -> Result<(), Error> {
    let verbose = std::env::args().any(|a| a == "-v");
    for ambiguous in [true, false] {
        let [mut all, mut real, mut polarity] = [Score::default(); 3];
        for row in gold::rows("gold_directives.jsonl")? {
            let session = SessionBuilder::new().user(text(&row, "message")).build();
            let mut found = directives::extract(&session);
            let want = row["directives"].as_array().cloned().unwrap_or_default();
            let (want, doubtful): (Vec<_>, Vec<_>) =
                want.into_iter().partition(|g| ambiguous || g["ambiguous"] != true);
            found.retain(|f| !doubtful.iter().any(|g| same(f, g)) || want.iter().any(|g| same(f, g)));
            let mut used = vec![false; found.len()];
            let mut hits = 0;
            for gold in &want {
                let at = (0..found.len()).find(|&i| !used[i] && same(&found[i], gold));
                if let Some(at) = at {
                    used[at] = true;
                    hits += 1;
                    let good = format!("{:?}", found[at].polarity).to_lowercase() == text(gold, "polarity");
                    polarity.hit += usize::from(good);
                    polarity.said += 1;
                    polarity.gold += 1;
                    if verbose && ambiguous && !good {
                        println!("polarity {} {:?} {gold}", text(&row, "id"), found[at]);
                    }
                } else if verbose && ambiguous {
                    println!(
                        "missed {} | {} | {} | {}",
                        text(&row, "id"),
                        text(gold, "polarity"),
                        text(gold, "verb"),
                        text(gold, "object")
                    );
                }
            }
            for (f, _) in found.iter().zip(&used).filter(|(_, u)| verbose && ambiguous && !**u) {
                println!("extra  {} | {:?} | {} | {:?}", text(&row, "id"), f.polarity, f.verb, f.text);
            }
            let scores = if row["synthetic"] == true { vec![&mut all] } else { vec![&mut all, &mut real] };
            for score in scores {
                score.hit += hits;
                score.said += found.len();
                score.gold += want.len();
            }
        }
        println!("{} rows marked ambiguous", if ambiguous { "with" } else { "without" });
        all.print("directives");
        real.print("directives, real messages");
        polarity.print("polarity of those found");
    }
    Ok(())
}

/// Half of the shorter of the two lies in the other.
fn same(found: &Directive, gold: &Value) -> bool {
    let range = |key: &str| gold[key].as_u64().unwrap_or(0) as u32;
    let (start, end) = (range("start"), range("end"));
    let shared = found.span.end.min(end).saturating_sub(found.span.start.max(start));
    shared * 2 >= (end - start).min(found.span.end - found.span.start)
}
