//! Counts read from a sentence: the number, its bound, what is counted.

use std::sync::LazyLock;

use regex::{Match, Regex};

use super::noun::Noun;
use crate::verify::words::number;

/// Words between a number and its noun.
const QUALIFIERS: usize = 4;

static WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"`[^`]*`|[A-Za-z][\w'’/-]*|\d[\d,]*(?:\.\d+)?\+?|[^\s\w]").expect("a constant pattern")
});

/// States that items are counted by.
const STATES: &[&str] =
    &["active", "pending", "done", "open", "created", "cancelled", "blocked", "completed", "finished", "in_progress"];

/// Words between what is counted and the state it is said to be in: `items had all been completed`.
const BEING: &[&str] = &[
    "had", "have", "has", "been", "were", "was", "are", "is", "got", "being", "still", "already", "all", "now", "left",
    "marked", "as", "both", "finally", "remain", "remained", "stay", "stayed", "ended", "end", "up", "stand", "then",
];

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
        let known = before.last().is_some_and(|w| OF_A_PART.contains(&&*w.to_ascii_lowercase()));
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

/// What a number counts.
struct Counted<'a> {
    noun: Noun,
    /// Words that say which of them.
    qualifiers: Vec<&'a str>,
    /// Words read.
    used: usize,
}

fn noun_after<'a>(words: &[&'a str], last: Option<Noun>) -> Option<Counted<'a>> {
    let mut qualifiers = Vec::new();
    for (n, word) in words.iter().take(QUALIFIERS + 1).enumerate() {
        let lower = word.to_ascii_lowercase();
        if let Some(noun) = Noun::of(&lower) {
            // `tool call`: the second noun is the one counted.
            let next = words.get(n + 1).and_then(|w| Noun::of(&w.to_ascii_lowercase()));
            if next.is_some() && n < QUALIFIERS {
                qualifiers.push(*word);
                continue;
            }
            return named(words, n, noun, qualifiers);
        }
        if n == 0
            && let Some((noun, qualifiers, used)) = elliptic(words, last)
        {
            return Some(Counted { noun, qualifiers, used });
        }
        let goes_on = word.starts_with('`') || word.starts_with(|c: char| c.is_ascii_alphabetic());
        if !goes_on || number(word).is_some() {
            return None;
        }
        qualifiers.push(*word);
    }
    None
}

/// What is counted by a noun: with the state said after it, the tool, the end of the calls.
fn named<'a>(words: &[&'a str], n: usize, noun: Noun, mut qualifiers: Vec<&'a str>) -> Option<Counted<'a>> {
    let after = words.get(n + 1..).unwrap_or_default();
    let word = |n: usize| after.get(n).map_or(String::new(), |w| w.to_ascii_lowercase());
    let (next, then) = (word(0), word(1));
    // `a single todo list`: the list is counted, not its items.
    if matches!(&*next, "list" | "lists" | "tool" | "block") {
        return None;
    }
    // `two items of future work`, `two items get …`: of which items, this version does not read.
    if noun == Noun::ListLine && next == "of" && then == "lists" {
        return Some(Counted { noun, qualifiers: vec!["lists"], used: n + 3 });
    }
    if next == "of" && !["the", "its", "this"].contains(&&*then) || matches!(&*next, "get" | "gets" | "need") {
        return None;
    }
    let being = after.iter().take(4).take_while(|w| BEING.contains(&&*w.to_ascii_lowercase())).count();
    if noun == Noun::Call {
        let ended = match &*word(being) {
            "failed" | "refused" => Some(Noun::FailedCall),
            "interrupted" => Some(Noun::InterruptedCall),
            _ => None,
        };
        if let Some(noun) = ended {
            return Some(Counted { noun, qualifiers, used: n + 1 });
        }
        // `seven calls to `write``
        qualifiers.extend(after.get(1).filter(|w| matches!(&*next, "to" | "of") && w.starts_with('`')));
    }
    if noun == Noun::Item {
        qualifiers.extend(state_after(after, being));
    }
    qualifiers.extend(after.iter().take(3).find(|w| noun == Noun::Prompt && **w == "assistant"));
    let near = &after[..after.len().min(3)];
    let noun = noun.with(&qualifiers, near);
    Some(Counted { noun, qualifiers, used: n + 1 })
}

/// The state that stands after `being` words.
fn state_after(words: &[&str], being: usize) -> Option<&'static str> {
    let word = words.get(being)?.to_ascii_lowercase();
    Some(match &*word {
        "done" | "completed" | "complete" | "finished" | "closed" => "done",
        "open" | "outstanding" | "unfinished" => "open",
        "pending" => "pending",
        "active" | "in_progress" => "active",
        "in" if words.get(being + 1)?.eq_ignore_ascii_case("progress") => "active",
        "cancelled" if words.get(being + 1).is_some_and(|w| w.eq_ignore_ascii_case("or")) => "gone",
        "cancelled" | "canceled" => "cancelled",
        "blocked" => "blocked",
        "created" | "added" => "created",
        _ => return None,
    })
}

/// `3 pending`, `9 at P0`, `9 P0`, `1 failed`.
fn elliptic<'a>(words: &[&'a str], last: Option<Noun>) -> Option<(Noun, Vec<&'a str>, usize)> {
    let (first, second) = (words.first()?, words.get(1));
    let lower = first.to_ascii_lowercase();
    let level = |w: &str| w.len() == 2 && w.starts_with(['P', 'p']) && w.as_bytes()[1].is_ascii_digit();
    if level(first) {
        return Some((Noun::Finding, vec![*first], 1));
    }
    if let Some(second) = second.filter(|s| lower == "at" && level(s)) {
        return Some((Noun::Finding, vec![*second], 2));
    }
    if matches!(&*lower, "high" | "medium" | "low")
        && !words.get(1).is_some_and(|w| w.eq_ignore_ascii_case("priority"))
        && last.is_none()
    {
        return Some((Noun::Discrepancy, vec![*first], 1));
    }
    if lower == "failed" || lower == "were" && second.is_some_and(|s| s.eq_ignore_ascii_case("interrupted")) {
        let noun = if lower == "failed" { Noun::FailedCall } else { Noun::InterruptedCall };
        return Some((noun, Vec::new(), 1));
    }
    let priority = |w: &str| matches!(w.to_ascii_lowercase().as_str(), "high" | "medium" | "low");
    let spoken: Vec<&&str> = words.iter().take(3).filter(|w| !w.eq_ignore_ascii_case("as")).collect();
    if let [what, word, ..] = spoken[..]
        && priority(what)
        && (word.eq_ignore_ascii_case("priority") || last == Some(Noun::Item))
    {
        return Some((Noun::Item, vec![*what], 2));
    }
    let being = words.iter().take(3).take_while(|w| BEING.contains(&&*w.to_ascii_lowercase())).count();
    let state = state_after(words, being)?;
    // `12 completed requests`: the state of something else.
    let ends = words.get(being + 1).is_none_or(|w| !w.starts_with(|c: char| c.is_alphabetic()) || is_joint(w));
    let of_items = last == Some(Noun::Item) || last.is_none() && ends && being == 0;
    of_items.then(|| (Noun::Item, vec![state], being + 1))
}

/// Words that go on after a state without a noun.
fn is_joint(word: &str) -> bool {
    ["and", "or", "but", "at", "by", "in", "before", "after", "then", "there", "when", "now"]
        .contains(&&*word.to_lowercase())
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
