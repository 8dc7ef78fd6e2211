//! What a short reply to an offer says: which of the things offered it takes, by letter, number, place or all of them.

use std::sync::LazyLock;

use regex::Regex;

use crate::extract::prose::re;

/// Longer texts are no mere reply to an offer.
const LONGEST: usize = 400;

/// What a reply takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// "yes", "do it": what was offered, whatever that is.
    Yes,
    /// "all of them".
    All,
    /// "both".
    Both,
    /// Letters in capitals and numbers, as listed.
    Markers(Vec<String>),
    /// "the second one": place in the list, from 0; `None` = the last.
    Place(Option<usize>),
}

/// Words of agreement and choosing before what is chosen.
const LEAD: &str = r"^\W*(?:(?:ok|okay|yes|yeah|yep|sure|great|perfect|please|pls|let'?s|lets|let us|we|you|can|should|go|do|with|for|pick|take|choose|try|start|start with|i|i'?d|i'?ll|would|will|want|like|prefer|choose|think|to|the|just)\b[ ,.!:–-]*)*";

static YES: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\W*(?:(?:ok|okay|great|perfect|cool|please|yes|yep|yeah|sure|absolutely|definitely)\W+)*(?:yes|yep|yeah|sure|ok|okay|please do|do (?:it|that|so)|go ahead|sounds good|proceed|let'?s (?:do it|go)|absolutely|definitely)(?:\W+(?:please|thanks|thank you|go ahead|do it|do that|proceed|sounds good))*\W*$",
    )
});
static ALL: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"{LEAD}(?:all|all (?:of )?(?:them|these|those|it|the above|two|three|four|five|six|\d)|everything|each of them|all (?:the )?(?:options|steps|items))(?: please| in (?:the |that |this )?order.*| one by one)?\W*$"
    ))
});
static BOTH: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(r"{LEAD}both(?: of (?:them|these|those))?(?: please| in (?:the |that |this )?order.*)?\W*$"))
});
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:option|approach|alternative|choice|number|variant|path)s? #?([a-f]|\d{1,2})\b((?:(?:,|,? and|,? &|,? then|\+) ?#?(?:[a-f]|\d{1,2})\b)*)",
    )
});
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"{LEAD}#?([a-f]|\d{{1,2}})\b((?:\s?(?:,|,? and|,? &|&|,? then|\+)\s?#?(?:[a-f]|\d{{1,2}})\b)*)(?:\W*$|[,;!] |\.\s+[a-z]| (?:please|first|then|now|for now|sounds|looks|is fine)\b)"
    ))
});
static MARKER: LazyLock<Regex> = LazyLock::new(|| re(r"\b([a-f]|\d{1,2})\b"));
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"{LEAD}(first|second|third|fourth|fifth|last|1st|2nd|3rd|4th|5th)(?: (?:one|option|approach|choice|alternative|way))?(?: please| first| for now)?\W*$"
    ))
});
static ASIDE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\([^()]*\)").expect("an aside"));
/// What turns a choice round, or leaves it open.
static AGAINST: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:not|don'?t|do not|no|never|without|except|skip|instead of|rather than|neither|nor|but|if|unless|or|why|what|how|which|difference|about)\b|\?",
    )
});

/// Reads a reply; `None` = it takes nothing by such words, or takes it back.
pub(super) fn read(text: &str) -> Option<Reply> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST {
        return None;
    }
    let first = text.lines().next().unwrap_or(text);
    let whole = first.len() == text.len();
    if whole && !AGAINST.is_match(text) {
        for (pattern, reply) in [(&YES, Reply::Yes), (&ALL, Reply::All), (&BOTH, Reply::Both)] {
            if pattern.is_match(text) {
                return Some(reply);
            }
        }
        if let Some(c) = PLACE.captures(text) {
            let word = c[1].to_lowercase();
            let words = [["first", "1st"], ["second", "2nd"], ["third", "3rd"], ["fourth", "4th"], ["fifth", "5th"]];
            return Some(Reply::Place(words.iter().position(|w| w.contains(&word.as_str()))));
        }
    }
    let bare = ASIDE.replace_all(first, "");
    let said = sentence(&bare);
    if AGAINST.is_match(said) {
        return None;
    }
    // "1. yes" answers question 1.
    let answers = first.split_once(['.', ')', ':']).is_some_and(|(n, rest)| {
        n.len() <= 3 && n.trim().chars().all(|c| c.is_ascii_digit()) && !rest.trim().is_empty()
    });
    let found = BARE.captures(said).filter(|_| !answers).or_else(|| NAMED.captures(said))?;
    let rest = found.get(2).map_or("", |m| m.as_str());
    let more = MARKER.find_iter(rest).map(|m| m.as_str().to_uppercase());
    Some(Reply::Markers(std::iter::once(found[1].to_uppercase()).chain(more).collect()))
}

/// The first sentence: what follows is about something else.
fn sentence(line: &str) -> &str {
    crate::extract::prose::sentences(line).first().copied().unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markers(all: &[&str]) -> Option<Reply> {
        Some(Reply::Markers(all.iter().map(|m| (*m).to_owned()).collect()))
    }

    #[test]
    fn reads_short_replies() {
        for (text, want) in [
            ("yes.", Some(Reply::Yes)),
            ("Do it", Some(Reply::Yes)),
            ("ok, go ahead please", Some(Reply::Yes)),
            ("all of them", Some(Reply::All)),
            ("Yes, do all three", Some(Reply::All)),
            ("Both in the order given", Some(Reply::Both)),
            ("1 and 3", markers(&["1", "3"])),
            ("let's do 2, 4 and 5", markers(&["2", "4", "5"])),
            ("option B please", markers(&["B"])),
            ("b", markers(&["B"])),
            ("A. just the first part for now (can you note that?)", markers(&["A"])),
            ("Let's go with A. And tell me when it is done", markers(&["A"])),
            ("I like approach 2, it is simple", markers(&["2"])),
            ("the second one", Some(Reply::Place(Some(1)))),
            ("the last one please", Some(Reply::Place(None))),
        ] {
            assert_eq!(read(text), want, "{text}");
        }
    }

    #[test]
    fn other_words_take_nothing() {
        for text in [
            "A few things are still wrong",
            "1. yes\n2. no",
            "1. rename the port",
            "not option B",
            "option A or B?",
            "do 3 runs of the tests",
            "thanks",
            "yes but only on Sundays",
            "what is option B about",
            "do the migration",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
