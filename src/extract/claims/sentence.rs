//! The claims of one sentence: what each kind reads in it, unless the sentence leaves it open, denies or quotes it.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{KINDS, Matter, Reading, prose, ran, re, shown};

/// Sentences longer than this say too much to be one claim.
const LONGEST: usize = 600;

/// Words after which a sentence speaks of something that need not be so.
pub(super) static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:should|shall|would|could|might|may|if|once|when|whenever|until|unless|whether|let me|let's|lets|let us|i'll|i’ll|we'll|we’ll|i will|we will|will|needs? to|wants? to|wanted to|try(?:ing)? to|tried to|attempt(?:s|ed|ing)? to|to (?:verify|check|ensure|make sure|confirm|see|get|keep)|make sure|making sure|ensure|ensures|ensuring|please|you can|you could|plan to|going to|must|expect(?:ed|s)?|hopefully|probably|likely|seems?|appears?|suggests?|indicat\w+|impl(?:y|ies)|in order to|so that|assum(?:e|es|ing)|suppos(?:e|ed|edly)|verify that|verify|check that|check|waiting for|wait for|previously|earlier|originally|used to|don't know|not sure|unclear|for example|e\.g\.|unlike|instead of|goal|aim|want|step \d+|require[sd]?(?: that)?)\b",
    )
});
static NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?:^|[\s(*])(?:not|never|no|none|cannot|neither|nor|fail(?:s|ed|ing)?|hardly|barely|nothing|without (?:success|running|testing))(?:[\s,.*]|$)|n['’]t\b",
    )
});
/// Exceptions that a claim states itself.
pub(super) static HEDGE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:except|apart from|aside from|besides|other than|but|although|though|however|pre-?existing|unrelated|already failing|known failures?|flaky|skipp?(?:ed|ing)?|remaining|fail(?:s|ed|ures?|ing)?|regardless|still|minus|partial(?:ly)?|most|almost|nearly)\b",
    )
});
/// What takes back what the sentence repeats: “the gain was actually a slower baseline”.
static WITHDRAWN: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:(?:was|were|is|are) (?:actually|really|in fact|only because)|(?:turn(?:s|ed)|turned) out|misleading|mistaken(?:ly)?|incorrect(?:ly)?|false(?:ly)?|wrong(?:ly)?|bogus|not real|overstated|measuring the wrong|retract\w*)\b",
    )
});
/// Where one clause ends and the next begins.
const CUTS: [&str; 8] = [", and ", "; ", ", but ", " - ", " — ", " – ", ": ", " but "];
/// Bytes of a clause that are taken into a claim before its first word.
const LEAD: usize = 120;

/// The claims of one sentence, in order; a heading makes none of the last resort, and states are read where they may
/// have been printed.
pub(super) fn claims_of(sentence: &str, heading: bool, states: bool) -> Vec<Reading> {
    let mut found: Vec<Reading> = Vec::new();
    if sentence.len() > LONGEST || sentence.len() < 6 || sentence.ends_with('?') || WITHDRAWN.is_match(sentence) {
        return found;
    }
    for kind in KINDS.iter().filter(|k| !(heading && k.last_resort)) {
        // What a more exact kind has read is not read again; the sentence's beginning may claim more.
        let rest = if kind.last_resort { beginning(sentence, &found) } else { sentence };
        for (range, matter) in (kind.read)(rest) {
            let before = &sentence[..range.start];
            let negated = kind.positive && NEGATION.is_match(clause(&sentence[..range.end]));
            let clear = !negated && !is_open(before);
            let range = if kind.last_resort { range } else { led(sentence, range) };
            let taken = found.iter().any(|(r, _)| r.start < range.end && range.start < r.end);
            let stands =
                kind.last_resort || !matches!(matter, Matter::Ran { .. }) || ran::has_subject(&sentence[range.clone()]);
            if clear && !taken && stands {
                found.push((range, matter));
            }
        }
    }
    if found.is_empty() && states && !heading && !NEGATION.is_match(sentence) {
        found.extend(shown::read(sentence));
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// A claim with what its clause says before it: its subject.
fn led(sentence: &str, range: Range<usize>) -> Range<usize> {
    let lead =
        clause(&sentence[..range.start]).trim_start_matches(|c: char| !(c.is_alphanumeric() || c == '`' || c == '/'));
    let start = range.start - lead.len();
    if lead.len() > LEAD || quoted(lead) { range } else { start..range.end }
}

/// Whether what follows need not be so: something before it leaves it open, or a quotation is open.
pub(super) fn is_open(before: &str) -> bool {
    OPEN.is_match(before) || quoted(before)
}

/// Whether a quotation is open where a text ends.
fn quoted(before: &str) -> bool {
    let straight = before.matches('"').count() + before.matches('`').count();
    straight % 2 == 1 || before.matches('“').count() > before.matches('”').count()
}

/// Where what is said of a thing after the claim begins: `…, which retries`, `… that retries`, `… (three times)`.
pub(super) fn remark(rest: &str) -> Option<usize> {
    const MARKS: [&str; 15] = [
        " that ",
        " which ",
        " so that ",
        ", so ",
        " because ",
        " due to ",
        " after ",
        " (",
        " — ",
        " – ",
        " - ",
        "; ",
        ", matching ",
        ", ensuring ",
        ", allowing ",
    ];
    MARKS.iter().filter_map(|m| rest.find(m)).min()
}

/// What stands before the first claim of a sentence, without the word that joins them.
fn beginning<'s>(sentence: &'s str, found: &[Reading]) -> &'s str {
    let Some(end) = found.iter().map(|(r, _)| r.start).min() else { return sentence };
    let text = sentence[..end].trim_end();
    let text = text.strip_suffix(" and").or_else(|| text.strip_suffix(" -")).unwrap_or(text);
    text.trim_end_matches([',', ';', ' ', '-', '–', '—'])
}

/// The last clause of a sentence's beginning.
fn clause(before: &str) -> &str {
    let at = CUTS.iter().chain(&[", "]).filter_map(|c| before.rfind(c).map(|i| i + c.len())).max().unwrap_or(0);
    &before[at..]
}

/// The whole sentence without list marks, emphasis and the point at its end.
pub(super) fn whole(sentence: &str) -> Range<usize> {
    let inner = sentence.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '.' | '!' | ':'));
    let start = prose::offset(sentence, inner);
    start..start + inner.len()
}
