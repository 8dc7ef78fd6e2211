//! Changes were committed, or pushed.

use std::sync::LazyLock;

use regex::Regex;

use super::{EXACT, Kind, Matter, Reading, is_open, re, whole};

pub(super) const KIND: Kind = Kind { read, ..EXACT };

static PUSHED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?:\b(?:is|are|was|were|been|i|i've|i’ve|we|we've|and|now|successfully)|^\W*) (?:now |also |already |all )?pushed\b|^\W*pushed\b",
    )
});
static COMMITTED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:is|are|was|were|been|i|i've|i’ve|we|we've|and|now|successfully) (?:now |also |already |all )?committed\b|^\W*committed\b|\b(?:created|made|added) (?:a |the )?(?:new |final |single )?commit\b|\bnew commit(?: on \S+)?:",
    )
});
/// Things other than work in a repository that one pushes or commits.
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    re(r"\b(?:transaction|offset|rows?|database|memory|notification|image|docker|stack|button|is committed to)\b")
});

/// Whoever else made the commit that is spoken of.
static THEIRS: LazyLock<Regex> = LazyLock::new(|| re(r"\b(?:you|user|they|he|she|someone|author)\b"));

fn read(sentence: &str) -> Vec<Reading> {
    if OTHER.is_match(sentence) {
        return Vec::new();
    }
    let stated = |r: &Regex| {
        let before = r.find(sentence).map(|m| &sentence[..m.start()]);
        before.is_some_and(|b| !is_open(b) && !THEIRS.is_match(b))
    };
    let pushed = stated(&PUSHED);
    if pushed || stated(&COMMITTED) {
        return vec![(whole(sentence), Matter::Commit { pushed })];
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_commits_from_pushes() {
        let word = |s: &str| read(s).first().map(|(_, m)| m.word());
        assert_eq!(word("I committed the fix as abc1234."), Some("committed"));
        assert_eq!(word("Committed and pushed."), Some("pushed"));
        assert_eq!(word("The changes have been pushed to origin/main."), Some("pushed"));
        assert_eq!(word("This created a new commit (0ecc2c6) on the branch"), Some("committed"));
        assert_eq!(word("The transaction was committed."), None);
        assert_eq!(word("I see that you made a commit on the other branch"), None);
    }
}
