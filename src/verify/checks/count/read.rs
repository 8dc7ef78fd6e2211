//! Counts read from a sentence: the number, its bound, what is counted.

use std::sync::LazyLock;

use regex::{Match, Regex};

use super::counted::noun_after;
use super::noun::Noun;
use crate::verify::words::number;

static WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"`[^`]*`|[A-Za-z][\w'’/-]*|\d[\d,]*(?:\.\d+)?\+?|[^\s\w]").expect("a constant pattern")
});

/// States that items are counted by.
const STATES: &[&str] =
    &["active", "pending", "done", "open", "created", "cancelled", "blocked", "completed", "finished", "in_progress"];

/// Words before a number that make it one of a part: what is counted was named before, or is narrowed.
const OF_A_PART: &[&str] = &[
    "the",
    "first",
    "last",
    "next",
    "other",
    "remaining",
    "another",
    "further",
    "these",
    "those",
    "latter",
    "former",
    "its",
    "their",
    "his",
    "our",
    "previous",
    "earlier",
    "same",
    "such",
    "only",
];

/// Words before a noun that narrow it to what this version can not tell.
const NARROWING: &[&str] = &["new", "more", "other", "further", "real", "simple", "clear", "short", "different"];

/// Words after a noun that narrow it: `findings from the reviewer`.
const NARROWED_BY: &[&str] = &[
    "from",
    "that",
    "which",
    "whose",
    "who",
    "about",
    "on",
    "for",
    "with",
    "without",
    "related",
    "concerning",
    "regarding",
    "to",
    "needing",
    "like",
    "such",
    "by",
    "where",
    "against",
    "under",
    "later",
    "earlier",
    "ago",
];

/// Verbs that say what something holds.
const HOLDS: &[&str] = &[
    "contains", "contain", "holds", "hold", "has", "had", "have", "makes", "make", "made", "includes", "with", "is",
    "are", "was", "were", "shows", "performs", "issues", "|",
];

/// How a count is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// A count found in a text.
#[derive(Debug, PartialEq)]
pub(super) struct Stated<'a> {
    pub(super) count: u64,
    pub(super) bound: Bound,
    pub(super) qualifiers: Vec<&'a str>,
    pub(super) noun: Noun,
    /// The words read.
    pub(super) shown: String,
    /// Byte of the number in the sentence.
    pub(super) at: usize,
    /// What is counted was named before, or is narrowed by words that this version does not read: of more than there are
    /// it can not be, of fewer it can.
    pub(super) part: bool,
}

/// Every count in a text, in order.
pub(super) fn stated(text: &str) -> Vec<Stated<'_>> {
    let found: Vec<Match<'_>> = WORD.find_iter(text).collect();
    let words: Vec<&str> = found.iter().map(Match::as_str).collect();
    let mut out: Vec<Stated<'_>> = Vec::new();
    // `4 items: 1 active, 3 pending`: a state alone counts what was counted last.
    let mut last: Option<Noun> = None;
    for (at, word) in words.iter().enumerate() {
        let before = &words[..at];
        let skip = share(&words[at + 1..]);
        let next = words.get(at + 1 + skip).copied();
        let Some(count) = count_of(word, before, next) else { continue };
        let Some(mut counted) = noun_after(&words[at + 1 + skip..], last) else { continue };
        let whole_of_a_share = share_before(before);
        if whole_of_a_share || denied(before) {
            counted.qualifiers.retain(|q| !STATES.contains(&&*q.to_ascii_lowercase()));
        }
        // `47 of 260 calls failed`: of all calls.
        let ended = |q: &&str| ["failed", "failing", "interrupted"].contains(&&*q.to_ascii_lowercase());
        if whole_of_a_share
            && matches!(counted.noun, Noun::FailedCall | Noun::InterruptedCall)
            && !counted.qualifiers.iter().any(ended)
        {
            counted.noun = Noun::Call;
        }
        let used = counted.used + skip;
        if count == 0
            && word.eq_ignore_ascii_case("no")
            && !said_to_lack(&words, at, out.last().is_some_and(|s| s.count == 0))
        {
            continue;
        }
        // `one message stands apart`, `the one thing asked`: a word that tells one from others counts none.
        let one = word.eq_ignore_ascii_case("one") || word.eq_ignore_ascii_case("single");
        let prose = matches!(counted.noun, Noun::Sentence | Noun::Word);
        let of_few = matches!(counted.noun, Noun::Call | Noun::Item | Noun::Agent | Noun::Command);
        let held = of_few && before.iter().rev().take(2).any(|w| HOLDS.contains(&w.to_ascii_lowercase().as_str()));
        if one && !prose && !held {
            continue;
        }
        let Some(bound) = bound(before, word) else { continue };
        last = Some(counted.noun);
        let near = |w: &&str| ["earlier", "previous", "former", "old", "replaced"].contains(&&*w.to_ascii_lowercase());
        let known = before.last().is_some_and(|w| OF_A_PART.contains(&&*w.to_ascii_lowercase()))
            || before.iter().rev().take(5).any(near);
        let narrowed = narrowed_by(&found[at + used..]) || counted.qualifiers.iter().any(|q| NARROWING.contains(q));
        // `sixteen of the 21 findings made it into the file`: what is said of them is not read.
        let unread = skip > 0 && counted.qualifiers.is_empty();
        out.push(Stated {
            count,
            bound,
            part: (known || word.eq_ignore_ascii_case("both") || narrowed || unread) && !whole_of_a_share,
            qualifiers: counted.qualifiers,
            noun: counted.noun,
            shown: words[at..=at + used].join(" "),
            at: found[at].start(),
        });
    }
    out
}

/// `3 of 4 items open`, `3 of the 4 items`: both numbers count the same thing; the words to pass over.
fn share(words: &[&str]) -> usize {
    match words {
        [of, n, ..] if of.eq_ignore_ascii_case("of") && number(n).is_some() => 2,
        [of, the, n, ..] if of.eq_ignore_ascii_case("of") && the.eq_ignore_ascii_case("the") && number(n).is_some() => {
            3
        }
        _ => 0,
    }
}

/// Whether the words before a number make it the whole of a share: `3 of the`, `none of the`, `all`.
fn share_before(words: &[&str]) -> bool {
    let lower: Vec<String> = words.iter().rev().take(3).map(|w| w.to_ascii_lowercase()).collect();
    let counts = |w: &String| number(w).is_some() || matches!(&**w, "none" | "all" | "half" | "most" | "some" | "each");
    match &lower[..] {
        [of, n, ..] if of == "of" => counts(n),
        [the, of, n] if the == "the" && of == "of" => counts(n),
        _ => false,
    }
}

/// Whether what is said of the things counted is denied: `none of the 7 items were left open`.
fn denied(words: &[&str]) -> bool {
    words.iter().rev().take(4).any(|w| ["none", "not", "neither", "never"].contains(&&*w.to_ascii_lowercase()))
}

/// Whether the word directly behind the first narrows it.
fn narrowed_by(words: &[Match<'_>]) -> bool {
    let [noun, next, rest @ ..] = words else { return false };
    // Nothing stands between but a space: a message named there was blanked out.
    let beside = |a: &Match<'_>, b: &Match<'_>| b.start() <= a.end() + 1;
    let lower = next.as_str().to_ascii_lowercase();
    beside(noun, next)
        && NARROWED_BY.contains(&&*lower)
        && rest.first().is_some_and(|w| beside(next, w) && w.as_str().starts_with(|c: char| c.is_alphabetic()))
}

/// `holds no …`, `No … stands in …`; not `that no item was found to name`.
fn said_to_lack(words: &[&str], at: usize, goes_on: bool) -> bool {
    const STANDS: &[&str] = &["stands", "stand", "was", "is", "were", "are", "appears", "appear", "exists", "changed"];
    let before = at.checked_sub(1).map(|n| words[n].to_ascii_lowercase());
    match before.as_deref() {
        None => words[at + 1..].iter().any(|w| STANDS.contains(&w.to_ascii_lowercase().as_str())),
        Some(",") | Some("and") | Some("or") => goes_on,
        // `Done in [msg 4]: no tool call.`
        Some(":") if words[at + 1..].iter().any(|w| w.eq_ignore_ascii_case("found")) => false,
        Some(":") => {
            words.len() - at <= 4 || words[at + 1..].iter().any(|w| STANDS.contains(&&*w.to_ascii_lowercase()))
        }
        Some(word) => HOLDS.contains(&word) || !words[at].eq_ignore_ascii_case("no"),
    }
}

/// The number that a word gives, unless it is a name (`item 3`, `P0`, `step 2`) or a figure.
fn count_of(word: &str, before: &[&str], next: Option<&str>) -> Option<u64> {
    const NAMES: &[&str] = &[
        "item", "items", "step", "row", "rows", "line", "lines", "decision", "version", "port", "code", "phase",
        "segment", "part", "option", "number", "no", "t", "p", "c", "#", "=", "×", "$", "at", "level", "gen", "and",
        "–", "-", "/", ".",
    ];
    let count = number(word.trim_end_matches('+'))?;
    let spelled = !word.starts_with(|c: char| c.is_ascii_digit());
    // `items 3 and 4`, but `3 edits and 4 commands`.
    let joined = before.last().is_some_and(|b| b.eq_ignore_ascii_case("and"));
    let before = match before {
        [.., other, _] if joined && number(other).is_none() => &[],
        _ => before,
    };
    let named = before.last().is_some_and(|b| NAMES.contains(&b.to_ascii_lowercase().as_str()));
    // `No, …`, `one of them`, `one's`.
    let no_count = matches!(next, Some("," | "." | "'" | "’") | None) || spelled && next == Some("of");
    (!(named && !spelled || no_count)).then_some(count)
}

fn bound(before: &[&str], word: &str) -> Option<Bound> {
    let lower: Vec<String> = before.iter().rev().take(2).map(|w| w.to_ascii_lowercase()).collect();
    let last = lower.first().map_or("", String::as_str);
    let two = format!("{} {last}", lower.get(1).map_or("", String::as_str));
    match (&*two, last) {
        ("at least" | "more than" | "no fewer" | "no less", _) | (_, "over") => Some(Bound::AtLeast),
        ("at most" | "up to" | "fewer than" | "less than" | "no more", _) | (_, "under") => Some(Bound::AtMost),
        (_, "about" | "around" | "roughly" | "approximately" | "nearly" | "almost" | "some" | "~" | "≈") => None,
        _ if word.ends_with('+') => Some(Bound::AtLeast),
        _ => Some(Bound::Exact),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(u64, Noun)> {
        stated(text).into_iter().map(|s| (s.count, s.noun)).collect()
    }

    #[test]
    fn reads_counts_with_their_nouns() {
        assert_eq!(read("It makes one tool call."), [(1, Noun::Call)]);
        assert_eq!(read("4 items: 1 active, 3 pending"), [(4, Noun::Item), (1, Noun::Item), (3, Noun::Item)]);
        assert_eq!(
            read("lists 21 findings: 9 at P0, 7 P1"),
            [(21, Noun::Finding), (9, Noun::Finding), (7, Noun::Finding)]
        );
        assert_eq!(read("8 messages changed plan state"), [(8, Noun::PlanChange)]);
        assert_eq!(read("ten `task` calls"), [(10, Noun::Call)]);
        assert_eq!(read("It contains no tool calls, no bash commands."), [(0, Noun::Call), (0, Noun::Command)]);
        assert_eq!(read("what no item of it was found to name"), []);
        assert_eq!(read("the plan had 7 items and all 7 were done"), [(7, Noun::Item), (7, Noun::Item)]);
        assert_eq!(read("the remaining three are pending"), []);
    }

    #[test]
    fn a_state_belongs_to_what_is_counted_unless_it_is_denied() {
        let states = |text| stated(text).into_iter().map(|s| s.qualifiers).collect::<Vec<_>>();
        assert_eq!(states("five items had been completed"), [["done"]]);
        assert_eq!(states("3 tasks were still in progress"), [["active"]]);
        assert_eq!(states("none of the 7 items were left open"), [[""; 0]]);
        assert_eq!(states("five of the seven tasks were finished")[1], [""; 0]);
        assert_eq!(states("seven calls to `write`"), [["`write`"]]);
    }

    #[test]
    fn a_part_is_told_from_the_whole() {
        let part = |text| stated(text).first().map(|s| s.part);
        assert_eq!(part("both tasks"), Some(true));
        assert_eq!(part("the first two tasks"), Some(true));
        assert_eq!(part("two findings from reviewers"), Some(true));
        assert_eq!(part("21 findings, from one message"), Some(false));
        assert_eq!(part("5 of the 7 items"), Some(true), "what is said of the five is not read");
        assert_eq!(part("5 of the 7 items are done"), Some(false));
    }

    #[test]
    fn names_and_figures_are_no_counts() {
        assert_eq!(read("item 3 items"), []);
        assert_eq!(read("one of the items"), []);
        assert_eq!(read("10.5 items"), []);
        assert_eq!(read("about 30 messages"), []);
    }
}
