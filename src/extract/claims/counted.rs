//! A number of things done or found.

use std::sync::LazyLock;

use regex::Regex;

use super::{EXACT, Kind, Matter, Reading, re};

pub(super) const KIND: Kind = Kind { read, ..EXACT };

static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"\b(?:documented|fixed|added|created|wrote|removed|updated|found|replaced|migrated|converted|processed|scraped|imported|deleted|renamed|identified|resolved|implemented|recovered|extracted|downloaded|loaded|generated)",
        r" (?:all |exactly |a total of )*(?:of )?(?:the )?(?P<n>\d{1,6}(?:,\d{3})*) (?:[\w-]+ ){0,2}?(?P<noun>[a-z-]{3,}s)\b"
    ))
});
/// Units: a measured amount, not a number of things.
const UNITS: &[&str] = &["seconds", "minutes", "hours", "days", "bytes", "tokens", "times", "ms", "lines"];

fn read(sentence: &str) -> Vec<Reading> {
    COUNTED
        .captures_iter(sentence)
        .filter_map(|c| {
            let number = c.name("n")?.as_str().replace(',', "").parse().ok()?;
            let noun = c.name("noun")?.as_str().to_lowercase();
            let counts = !UNITS.contains(&noun.as_str());
            counts.then(|| Some((c.get(0)?.range(), Matter::Count { number, noun })))?
        })
        .collect()
}
