//! What a number counts: the noun behind it, with the words that say which of them.

use super::noun::Noun;
use crate::verify::words::number;

/// Words between a number and its noun.
const QUALIFIERS: usize = 4;

/// Words between what is counted and the state it is said to be in: `items had all been completed`.
const BEING: &[&str] = &[
    "had", "have", "has", "been", "were", "was", "are", "is", "got", "being", "still", "already", "all", "now", "left",
    "marked", "as", "both", "finally", "remain", "remained", "stay", "stayed", "ended", "end", "up", "stand", "then",
];

/// What a number counts.
pub(super) struct Counted<'a> {
    pub(super) noun: Noun,
    /// Words that say which of them.
    pub(super) qualifiers: Vec<&'a str>,
    /// Words read.
    pub(super) used: usize,
}

pub(super) fn noun_after<'a>(words: &[&'a str], last: Option<Noun>) -> Option<Counted<'a>> {
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
    // `two messages before [msg 9]`: a distance.
    if noun == Noun::Message && matches!(&*next, "before" | "after" | "later" | "earlier" | "ago" | "apart" | "back") {
        return None;
    }
    // `three messages touched the file`: which did, this version does not read.
    let does = next.ends_with("ed")
        || matches!(&*next, "touch" | "mention" | "write" | "wrote" | "edit" | "update" | "that" | "which");
    let of_plan = after.iter().take(6).any(|w| matches!(&*w.to_ascii_lowercase(), "plan" | "todo" | "list"));
    if noun == Noun::Message && does && !next.starts_with("chang") {
        return of_plan.then(|| Counted { noun: Noun::PlanChange, qualifiers: Vec::new(), used: n + 1 });
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
    // `1024 added 89 MB`: a verb with its object.
    let ends = words
        .get(being + 1)
        .is_none_or(|w| !w.starts_with(|c: char| c.is_alphanumeric()) && number(w).is_none() || is_joint(w));
    let of_items = last == Some(Noun::Item) || last.is_none() && ends && being == 0;
    of_items.then(|| (Noun::Item, vec![state], being + 1))
}

/// Words that go on after a state without a noun.
fn is_joint(word: &str) -> bool {
    ["and", "or", "but", "at", "by", "in", "before", "after", "then", "there", "when", "now"]
        .contains(&&*word.to_lowercase())
}
