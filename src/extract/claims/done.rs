//! Something was done, works, or was checked: the kind for what no other kind reads.

use std::sync::LazyLock;

use regex::Regex;

use super::{EXACT, Kind, Matter, Reading, re, whole};

pub(super) const KIND: Kind = Kind { read, last_resort: true, ..EXACT };

static DONE: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"\bsuccessful(?:ly)?\b|✅|✓|☑",
        r"|\b(?:is|are|was|were|been|has|have|i've|i’ve|we've|we’ve) (?:now |also |all |already |been |fully |correctly |properly )*(?:verified|confirmed|added|created|built|fixed|installed|configured|implemented|tested|trained|replaced|removed|updated|recovered|converted|extracted|compiled|downloaded|sanitized|solved|found|cracked|deployed|written|generated|working|complete|completed|functional|operational|decoded|merged|resolved|refactored|migrated|rewritten)\b",
        r"|^\W*(?:\w+ly )?(?:verified|confirmed|added|created|built|fixed|installed|configured|implemented|tested|trained|ran|replaced|removed|updated|recovered|converted|extracted|compiled|downloaded|produced|started|found|detected|returns?|contains?|shows?|prints?|matches|works|exactly)\b",
        r"|\b(?:now |correctly |properly )(?:works|runs|returns|prints|contains|shows|handles)\b|\b(?:works|working|runs) (?:correctly|properly|perfectly|fine|as expected|as required)\b",
        r"|\b(?:contains|returns|prints|matches|total|accuracy|size|score|length|detected|confirmed)\b"
    ))
});
/// Sentences that announce or explain rather than state what came out.
static TALK: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\W*(?:now|next|let|first|then|i need|i see|i'll|i’ll|great|perfect|good|excellent|ok|okay|the (?:issue|problem|error)|looking|note|to )\b|\b(?:let me|i'll|i’ll|i need to|now i|we need to)\b|:$",
    )
});

fn read(sentence: &str) -> Vec<Reading> {
    let marked = sentence.starts_with('✅') || sentence.contains("✅");
    if DONE.is_match(sentence) && (marked || !TALK.is_match(sentence)) {
        return vec![(whole(sentence), Matter::Done)];
    }
    Vec::new()
}
