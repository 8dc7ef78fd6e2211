//! Something was done, works, or was checked: the kind for what no other kind reads.

use std::sync::LazyLock;

use regex::Regex;

use super::{EXACT, Kind, Matter, Reading, is_open, re, whole};

pub(super) const KIND: Kind = Kind { read, last_resort: true, ..EXACT };

static DONE: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"\bsuccessful(?:ly)?\b|✅|✓|☑",
        r"|\b(?:is|are|was|were|been|has|have|i've|i’ve|we've|we’ve) (?:now |also |all |already |been |fully |correctly |properly )*(?:verified|confirmed|added|created|built|fixed|installed|configured|implemented|tested|trained|replaced|removed|updated|recovered|converted|extracted|compiled|downloaded|sanitized|solved|found|cracked|deployed|written|generated|working|complete|completed|functional|operational|decoded|merged|resolved|refactored|migrated|rewritten)\b",
        r"|^\W*(?:\w+ly )?(?:verified|confirmed|added|created|built|fixed|installed|configured|implemented|tested|trained|ran|replaced|removed|updated|recovered|converted|extracted|compiled|downloaded|produced|started|found|detected|returns?|contains?|shows?|prints?|matches|works|exactly)\b",
        r"|\b(?:now |correctly |properly )(?:works|runs|returns|prints|contains|shows|handles)\b|\b(?:works|working|runs) (?:correctly|properly|perfectly|fine|as expected|as required)\b",
        r"|\b(?:contains|returns|prints|matches|appears|exists|total|accuracy|size|score|length|detected|confirmed|tested|is available|is in place|is present)\b"
    ))
});
/// Sentences that announce or explain rather than state what came out.
static TALK: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\W*(?:step \d+|test|run|fix|see|now|next|let|first|then|i need|i see|i'll|i’ll|great|perfect|good|excellent|ok|okay|the (?:issue|problem|error)|looking|note|to )\b|\b(?:let me|i'll|i’ll|i need to|now i|we need to)\b",
    )
});

/// A deed or a figure, in a message that sums up: `edited`, `built`, `is 12`.
static TOLD: LazyLock<Regex> = LazyLock::new(|| {
    re(r"\b[a-z]{3,}ed\b|\b(?:built|ran|wrote|found|made|set|got|is|are|was|were|has|have|with|uses)\b|\d")
});

fn read(sentence: &str) -> Vec<Reading> {
    let stated = DONE.find_iter(sentence).any(|m| !is_open(&sentence[..m.start()]));
    let marked = sentence.contains('✅');
    if stated && (marked || !TALK.is_match(sentence)) {
        return vec![(whole(sentence), Matter::Done)];
    }
    Vec::new()
}

/// What a summing-up says was done or is so, in words that only there are a claim.
pub(super) fn told(sentence: &str) -> Option<Reading> {
    let stated = TOLD.find(sentence).is_some_and(|m| !is_open(&sentence[..m.start()]));
    let enough = sentence.split_whitespace().nth(2).is_some();
    (stated && enough && !TALK.is_match(sentence)).then(|| (whole(sentence), Matter::Done))
}
