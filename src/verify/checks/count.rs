//! Counts: `four items`, `10 tool calls`, `9 at P0`, `no shell call`, and the cells of tables headed by such a noun.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use super::tally::{Noun, tally};
use crate::extract::plan::State;
use crate::session::MsgIx;
use crate::verify::article::Block;
use crate::verify::words::number;
use crate::verify::{Finding, Kind};

/// Words between a number and its noun.
const QUALIFIERS: usize = 4;

static WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"`[^`]*`|[A-Za-z][\w'’/-]*|\d[\d,]*(?:\.\d+)?\+?|[^\s\w]").expect("a constant pattern")
});

/// States that items are counted by.
const STATES: &[&str] =
    &["active", "pending", "done", "open", "created", "cancelled", "blocked", "completed", "in_progress"];

/// Verbs that say what something holds.
const HOLDS: &[&str] = &[
    "contains", "contain", "holds", "hold", "has", "had", "have", "makes", "make", "made", "includes", "with", "is",
    "are", "was", "were", "shows", "performs", "issues", "|",
];

/// How a count is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// A count found in a text.
#[derive(Debug, PartialEq)]
struct Stated<'a> {
    count: u64,
    bound: Bound,
    qualifiers: Vec<&'a str>,
    noun: Noun,
    shown: String,
}

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block == Block::Row {
        return row(scene);
    }
    let text = scene.without_quotes();
    let whole = speaks_of_all(&text);
    stated(&text).into_iter().filter_map(|s| decide(scene, &s, whole)).collect()
}

/// Whether a count beside a message is of more than that message.
fn speaks_of_all(text: &str) -> bool {
    static ALL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)(?-u:\b)(session|in all|overall|in total|altogether|at the end|the first in|the last in|throughout)(?-u:\b)")
            .expect("a constant pattern")
    });
    ALL.is_match(text)
}

fn decide(scene: &Scene<'_>, stated: &Stated<'_>, whole: bool) -> Option<Finding> {
    let mut sets = scene.at_a_time(&stated.shown).map_or_else(|| scene.scopes_before(&stated.shown), |set| vec![set]);
    if whole {
        sets.push(Vec::new());
    }
    let then = scene.at_a_time(&stated.shown).filter(|_| stated.noun == Noun::Item);
    let tallies: Vec<(u64, Vec<MsgIx>)> = if then.is_some() {
        vec![open_then(scene, stated)?]
    } else {
        sets.iter().flat_map(|set| tally(scene, stated.noun, &stated.qualifiers, set)).collect()
    };
    let holds = |n: u64| match stated.bound {
        Bound::Exact => n == stated.count,
        Bound::AtLeast => n >= stated.count,
        Bound::AtMost => n <= stated.count,
    };
    if let Some((_, shown)) = tallies.iter().find(|t| holds(t.0)) {
        if let Some(wrong) = ends(scene, stated, shown) {
            return Some(wrong);
        }
        let shown = if shown.is_empty() { scene.scope() } else { shown.clone() };
        return Some(
            Finding::supported(Kind::Count, format!("counted: {}", stated.shown)).shown_by(shown.into_iter().take(5)),
        );
    }
    // Without a message, and without a word for the session or its plan, what is counted may be something else.
    let placed = sets.iter().any(|s| !s.is_empty()) || whole || stated.noun.is_of_the_session();
    let (n, shown) = tallies.first().filter(|_| placed)?;
    let reason = format!("{} stated, {n} counted", stated.shown);
    Some(Finding::contradicted(Kind::Count, reason).shown_by(shown.iter().copied().take(5)))
}

/// Items in a state just before or just after a message.
fn open_then(scene: &Scene<'_>, stated: &Stated<'_>) -> Option<(u64, Vec<MsgIx>)> {
    let r = scene.sentence().own.first()?;
    let at = scene.world.find(&r.first)?;
    let before = scene.text()[..r.at.start].trim_end().to_lowercase().ends_with("before");
    if before && at.0 == 0 {
        return Some((0, vec![at]));
    }
    let upto = if before { MsgIx(at.0 - 1) } else { at };
    let open = stated.qualifiers.iter().any(|q| q.eq_ignore_ascii_case("open"));
    let state = stated.qualifiers.iter().map(|q| State::of_word(q)).find(|s| !matches!(s, State::Other));
    let items = scene.world.analysis.facts.plan.lists_at(Some(upto)).into_iter().flat_map(|s| &s.items);
    let n = items.filter(|i| if open { i.state.is_open() } else { state.is_none_or(|s| s == i.state) }).count() as u64;
    Some((n, vec![at]))
}

/// `12 calls, from [msg 3] to [msg 9]`, `4 figures, the first in [msg 3]`: the ends are the first and last counted.
fn ends(scene: &Scene<'_>, stated: &Stated<'_>, counted: &[MsgIx]) -> Option<Finding> {
    if !matches!(stated.noun, Noun::Call | Noun::Command | Noun::Agent | Noun::Figure | Noun::PlanChange) {
        return None;
    }
    let text = scene.text();
    let at = text.find(&stated.shown)?;
    let (first, last) = (*counted.first()?, *counted.last()?);
    let rest = &text[at..];
    let clause = at + rest.find([';', ':']).unwrap_or(rest.len());
    let r = scene.sentence().own.iter().find(|r| r.at.start > at && r.at.start < clause)?;
    let before = text[..r.at.start].trim_end().to_lowercase();
    let label = |ix: MsgIx| scene.world.label(ix);
    let wrong = if before.ends_with("the first in") || before.ends_with(" from") && r.last.is_some() {
        label(first) != r.first.to_string() || r.last.as_ref().is_some_and(|l| l.to_string() != label(last))
    } else {
        // `1 call, in [msg 3]`
        stated.count == 1 && before.ends_with(", in") && label(first) != r.first.to_string()
    };
    wrong.then(|| {
        let reason =
            format!("{}: the first is in [msg {}], the last in [msg {}]", stated.shown, label(first), label(last));
        Finding::contradicted(Kind::Count, reason).shown_by([first, last])
    })
}

/// Cells under a heading that names what is counted.
fn row(scene: &Scene<'_>) -> Vec<Finding> {
    let sentence = scene.sentence();
    let cells: Vec<&str> = sentence.text.split(" | ").map(str::trim).collect();
    let code: Vec<&str> = cells.iter().copied().filter(|c| c.starts_with('`') && c.ends_with('`')).collect();
    let mut out = Vec::new();
    for (head, cell) in sentence.head.iter().zip(&cells) {
        let Some(count) = cell.parse::<u64>().ok() else { continue };
        let head = head.to_lowercase();
        let words: Vec<&str> = head.split_whitespace().collect();
        let Some(noun) = words.last().and_then(|w| Noun::of(w)).or_else(|| Noun::of_head(&head)) else { continue };
        let mut qualifiers: Vec<&str> = words[..words.len().saturating_sub(1)].to_vec();
        if matches!(noun, Noun::Call | Noun::FailedCall | Noun::InterruptedCall | Noun::UnansweredCall | Noun::Write) {
            qualifiers.extend(code.first());
        }
        let stated = Stated { count, bound: Bound::Exact, qualifiers, noun, shown: format!("{count} {head}") };
        out.extend(decide(scene, &stated, false));
    }
    out
}

/// Every count in a text, in order.
fn stated(text: &str) -> Vec<Stated<'_>> {
    let words: Vec<&str> = WORD.find_iter(text).map(|m| m.as_str()).collect();
    let mut out: Vec<Stated<'_>> = Vec::new();
    // `4 items: 1 active, 3 pending`: a state alone counts what was counted last.
    let mut last: Option<Noun> = None;
    for (at, word) in words.iter().enumerate() {
        let Some(count) = count_of(word, &words[..at], words.get(at + 1).copied()) else { continue };
        // `3 of 4 items open`: both numbers count the same thing.
        let skip = match words.get(at + 1..at + 3) {
            Some([of, n]) if of.eq_ignore_ascii_case("of") && number(n).is_some() => 2,
            _ => 0,
        };
        let Some((noun, mut qualifiers, used)) = noun_after(&words[at + 1 + skip..], last) else { continue };
        let used = used + skip;
        if at > 1 && words[at - 1].eq_ignore_ascii_case("of") && number(words[at - 2]).is_some() {
            qualifiers.retain(|q| !STATES.contains(&&*q.to_ascii_lowercase()));
        }
        if skip > 0 {
            let state = words.get(at + used + 1).filter(|w| STATES.contains(&&*w.to_ascii_lowercase()));
            qualifiers.extend(state);
        }
        if count == 0
            && word.eq_ignore_ascii_case("no")
            && !said_to_lack(&words, at, out.last().is_some_and(|s| s.count == 0))
        {
            continue;
        }
        // `one message stands apart`, `the one thing asked`: a word that tells one from others counts none.
        let one = word.eq_ignore_ascii_case("one") || word.eq_ignore_ascii_case("single");
        let prose = matches!(noun, Noun::Sentence | Noun::Word);
        let of_few = matches!(noun, Noun::Call | Noun::Item | Noun::Agent | Noun::Command);
        let held = of_few && words[..at].iter().rev().take(2).any(|w| HOLDS.contains(&w.to_ascii_lowercase().as_str()));
        if one && !prose && !held {
            continue;
        }
        let shown = words[at..=at + used].join(" ");
        let bound = bound(&words[..at], word);
        let Some(bound) = bound else { continue };
        last = Some(noun);
        out.push(Stated { count, bound, qualifiers, noun, shown });
    }
    out
}

/// `holds no …`, `No … stands in …`; not `that no item was found to name`.
fn said_to_lack(words: &[&str], at: usize, goes_on: bool) -> bool {
    const STANDS: &[&str] = &["stands", "stand", "was", "is", "were", "are", "appears", "appear", "exists", "changed"];
    let before = at.checked_sub(1).map(|n| words[n].to_ascii_lowercase());
    match before.as_deref() {
        None => words[at + 1..].iter().any(|w| STANDS.contains(&w.to_ascii_lowercase().as_str())),
        Some(",") | Some("and") | Some("or") => goes_on,
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

/// What is counted: the noun, the words before it, and the number of words read.
fn noun_after<'a>(words: &[&'a str], last: Option<Noun>) -> Option<(Noun, Vec<&'a str>, usize)> {
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
            // `a single todo list`: the list is counted, not its items.
            let compound = words
                .get(n + 1)
                .is_some_and(|w| ["list", "lists", "tool", "block"].contains(&&*w.to_ascii_lowercase()));
            if compound {
                return None;
            }
            let after = words.get(n + 1..(n + 4).min(words.len())).unwrap_or_default();
            // `two items of future work`, `two items get …`: of which items, this version does not read.
            let next = words.get(n + 1).map_or(String::new(), |w| w.to_ascii_lowercase());
            let then = words.get(n + 2).map_or(String::new(), |w| w.to_ascii_lowercase());
            if next == "of" && !["the", "its", "this"].contains(&&*then)
                || matches!(&*next, "get" | "gets" | "got" | "remain" | "need")
            {
                return None;
            }
            let ended = [&next, &then].into_iter().find_map(|w| match &**w {
                "failed" | "refused" => Some(Noun::FailedCall),
                "interrupted" => Some(Noun::InterruptedCall),
                _ => None,
            });
            if let Some(ended) = ended.filter(|_| noun == Noun::Call) {
                return Some((ended, qualifiers, n + 1));
            }
            // `No item was open`.
            qualifiers.extend(after.iter().find(|w| noun == Noun::Item && w.eq_ignore_ascii_case("open")));
            qualifiers.extend(after.iter().find(|w| noun == Noun::Prompt && **w == "assistant"));
            return Some((noun.with(&qualifiers, after), qualifiers, n + 1));
        }
        if n == 0
            && let Some(found) = elliptic(words, last)
        {
            return Some(found);
        }
        let goes_on = word.starts_with('`') || word.starts_with(|c: char| c.is_ascii_alphabetic());
        if !goes_on || number(word).is_some() {
            return None;
        }
        qualifiers.push(*word);
    }
    None
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
    let of_items = matches!(last, None | Some(Noun::Item));
    (of_items && STATES.contains(&&*lower)).then(|| (Noun::Item, vec![*first], 1))
}

/// The messages of a set that hold at least one of what is named; `None` when the words are not understood.
pub(super) fn holders(scene: &Scene<'_>, qualifiers: &str, noun: &str, set: &[MsgIx]) -> Option<Vec<MsgIx>> {
    let noun = Noun::of(&noun.to_ascii_lowercase())?;
    let qualifiers: Vec<&str> = qualifiers.split_whitespace().collect();
    let holds = |ix: MsgIx| tally(scene, noun, &qualifiers, &[ix]).first().map(|t| t.0 > 0);
    let told: Vec<(MsgIx, bool)> = set.iter().filter_map(|&ix| Some((ix, holds(ix)?))).collect();
    (!told.is_empty()).then(|| told.into_iter().filter(|t| t.1).map(|t| t.0).collect())
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
    }

    #[test]
    fn names_and_figures_are_no_counts() {
        assert_eq!(read("item 3 items"), []);
        assert_eq!(read("one of the items"), []);
        assert_eq!(read("10.5 items"), []);
        assert_eq!(read("about 30 messages"), []);
    }
}
