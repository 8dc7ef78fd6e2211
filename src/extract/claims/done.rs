//! A deed is told: who did it or what it was done to, and a finished verb. The kind for what no other kind reads.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::prose;
use super::sentence::remark;
use super::{EXACT, Kind, Matter, Reading, re, whole};

pub(super) const KIND: Kind = Kind { read, last_resort: true, ..EXACT };

/// Deeds: the finished form, and the verb by which `link` looks for the call that did it.
const DEEDS: &[(&str, &str)] = &[
    ("added", "add"),
    ("adjusted", "change"),
    ("adopted", "change"),
    ("applied", "change"),
    ("authored", "create"),
    ("booked", "book"),
    ("bumped", "change"),
    ("built", "build"),
    ("cancelled", "cancel"),
    ("canceled", "cancel"),
    ("changed", "change"),
    ("checked", "check"),
    ("cherry-picked", "cherry-pick"),
    ("cleaned up", "change"),
    ("cloned", "clone"),
    ("closed", "close"),
    ("compiled", "build"),
    ("configured", "configure"),
    ("confirmed", "check"),
    ("consolidated", "change"),
    ("converted", "convert"),
    ("copied", "copy"),
    ("corrected", "change"),
    ("created", "create"),
    ("deleted", "remove"),
    ("deployed", "deploy"),
    ("documented", "change"),
    ("downloaded", "download"),
    ("enhanced", "change"),
    ("executed", "run"),
    ("exported", "create"),
    ("extended", "change"),
    ("extracted", "extract"),
    ("fetched", "download"),
    ("fixed", "change"),
    ("formatted", "change"),
    ("generated", "create"),
    ("implemented", "add"),
    ("improved", "change"),
    ("installed", "install"),
    ("integrated", "change"),
    ("introduced", "add"),
    ("launched", "start"),
    ("merged", "merge"),
    ("migrated", "change"),
    ("modified", "change"),
    ("moved", "move"),
    ("opened", "open"),
    ("patched", "change"),
    ("produced", "create"),
    ("pulled", "pull"),
    ("pushed", "push"),
    ("ran", "run"),
    ("re-ran", "run"),
    ("rebased", "rebase"),
    ("rebuilt", "build"),
    ("recovered", "recover"),
    ("refactored", "change"),
    ("refunded", "refund"),
    ("registered", "register"),
    ("removed", "remove"),
    ("renamed", "move"),
    ("reorganized", "change"),
    ("replaced", "change"),
    ("resolved", "resolve"),
    ("restarted", "start"),
    ("restored", "restore"),
    ("reverted", "revert"),
    ("rewrote", "change"),
    ("rewritten", "change"),
    ("sanitized", "change"),
    ("saved", "create"),
    ("scraped", "run"),
    ("sent", "send"),
    ("simplified", "change"),
    ("solved", "solve"),
    ("split", "change"),
    ("started", "start"),
    ("stored", "create"),
    ("submitted", "submit"),
    ("switched", "change"),
    ("synced", "change"),
    ("tested", "check"),
    ("trained", "train"),
    ("trimmed", "change"),
    ("truncated", "change"),
    ("uninstalled", "uninstall"),
    ("updated", "change"),
    ("upgraded", "upgrade"),
    ("validated", "check"),
    ("verified", "check"),
    ("wired", "change"),
    ("wrote", "create"),
    ("written", "create"),
];

/// Words between an auxiliary and its verb.
const ADVERB: &str = "(?:(?:now|also|all|both|already|just|then|been|successfully|fully|correctly|properly|completely|since|have|again) )*";

fn deeds() -> String {
    DEEDS.iter().map(|(past, _)| *past).collect::<Vec<_>>().join("|")
}

/// `I added …`, `the parser has been rewritten`, `both are now fixed`: subject, then the deed.
static FINITE: LazyLock<Regex> = LazyLock::new(|| {
    let deeds = deeds();
    re(&format!(
        r"^(?P<subject>.*?)(?:\b(?P<who>i|we)(?:['’]ve| have)?|\b(?P<passive>(?:has|have) {ADVERB}been|(?:is|are) (?:now|both|all|successfully)|(?:was|were)(?P<then> {ADVERB}successfully)?)) {ADVERB}(?P<deed>{deeds})\b(?P<rest>.*)"
    ))
});
/// `Added the check to …`, at the beginning of a sentence.
static LEADING: LazyLock<Regex> =
    LazyLock::new(|| re(&format!(r"^\W*{ADVERB}(?:and )?(?P<deed>{})(?P<rest>\s.*)", deeds())));
/// `Rebase successful`, `Conflicts resolved`: a thing and how it ended, and nothing else.
static SHORT: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"^\W*(?P<subject>[^.:;?]{{3,60}}?)(?: (?:is|are|was|were|has|have))?(?: now)? {ADVERB}(?P<deed>{}|success|successful|succeeded|completed?|finished)(?: (?:successfully|correctly|cleanly))?\W*$",
        deeds()
    ))
});
/// `**Label**: what was done`, `**Label** - …`, `✅ **Label**`.
static LABEL: LazyLock<Regex> =
    LazyLock::new(|| re(r"^(?:[^\w*`]*)(?:\*\*[^*]{1,80}\*\*|[\w /`.-]{1,40}:)(?:\s*\([^)]*\))?\s*[:–—-]?\s+"));
/// Words that begin a sentence which explains rather than tells what came out.
static TALK: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\[|^\W*(?:step \d+|phase \d+|now,? (?:let|i|we)|note|no|since|because|when|if|although|while|this (?:happens|happened|means)|the (?:issue|problem|error|bug))\b",
    )
});
/// What stands before "I" or "we" at the beginning of a clause; `the file we sent` is no report of a deed.
static CLAUSE: LazyLock<Regex> = LazyLock::new(|| re(r"^\W*$|[,;:.!)–—-]\W*$|\b(?:and|but|so|then|also|done|yes)\W*$"));
/// A deed that need not be done.
static MODAL: LazyLock<Regex> = LazyLock::new(|| re(r"\b(?:can|be|need|needs|must|should|not yet|partly|half)\b"));
/// What follows a participle that belongs to a noun: `Updated figures are below`, `Added by a colleague`.
static ADJECTIVE: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^\s*(?:by|in commit|when|at the|yet|as|through|via)\b|^[^,.;:—–(]*\b(?:is|are|will|can|has)\b")
});

fn read(sentence: &str) -> Vec<Reading> {
    if TALK.is_match(sentence) || sentence.trim_end().ends_with(':') {
        return Vec::new();
    }
    // What a label names is told after it; the label alone tells it when nothing else does.
    let label = LABEL.find(sentence).map_or(0, |m| m.end());
    let body = told(&sentence[label..], label > 0).map(|(range, verb)| (range.start + label..range.end + label, verb));
    let found = body.or_else(|| {
        let alone = sentence[..label].trim().trim_end_matches(['-', '–', '—', ' ']);
        let names_value = alone.trim_end_matches('*').ends_with(':');
        let at = prose::offset(sentence, alone);
        let told = told(alone, false).filter(|_| !names_value);
        told.map(|(range, verb)| (range.start + at..range.end + at, verb))
    });
    found.map(|(range, verb)| (range, Matter::Done { verb })).into_iter().collect()
}

/// The deed that a sentence tells, and where; `labelled` = a label before it names what it was done to.
fn told(sentence: &str, labelled: bool) -> Option<(Range<usize>, &'static str)> {
    if let Some(c) = LEADING.captures(sentence) {
        let rest = &c["rest"];
        if (names(rest) || labelled && !rest.trim().is_empty()) && !ADJECTIVE.is_match(rest) {
            return Some((deed_of(sentence, c.name("rest")?, true), verb(&c["deed"])?));
        }
    }
    if let Some(c) = FINITE.captures(sentence) {
        let (subject, rest) = (&c["subject"], &c["rest"]);
        // What was done at some time is told of history as well; "successfully" tells of this work.
        let history = c.name("passive").is_some_and(|p| p.as_str().starts_with(['w', 'W']))
            && c.name("then").is_none()
            && !rest.trim_start().starts_with("successfully");
        let clause = c.name("who").is_none() || CLAUSE.is_match(subject);
        let passive = c.name("passive").is_some();
        let object = if passive { subject } else { rest };
        let stands = names(object) && clause && !history && !super::is_open(subject);
        return stands.then(|| Some((deed_of(sentence, c.name("rest")?, !passive), verb(&c["deed"])?)))?;
    }
    let c = SHORT.captures(sentence)?;
    let subject = &c["subject"];
    let stands =
        names(subject) && !subject.contains([',', '→']) && !super::is_open(subject) && !MODAL.is_match(subject);
    stands.then(|| Some((whole(sentence), short(&c)?)))?
}

/// The part of a sentence that tells the deed: what is said of its object afterwards is another matter. `object` = the
/// object stands in the rest, so that something has to be left of it.
fn deed_of(sentence: &str, rest: regex::Match<'_>, object: bool) -> Range<usize> {
    let cut = remark(rest.as_str()).filter(|i| !object || names(&rest.as_str()[..*i]));
    whole(&sentence[..cut.map_or(sentence.len(), |i| rest.start() + i)])
}

/// Verb of a short report: its own participle, else a noun for the deed: `Rebase successful`.
fn short(c: &regex::Captures<'_>) -> Option<&'static str> {
    static NOUNS: &[(&str, &str)] = &[
        ("rebase", "rebase"),
        ("merge", "merge"),
        ("push", "push"),
        ("build", "build"),
        ("compilation", "build"),
        ("installation", "install"),
        ("training", "train"),
        ("deployment", "deploy"),
        ("migration", "run"),
        ("cherry-pick", "cherry-pick"),
    ];
    let noun = || {
        let last = prose::tokens(&c["subject"]).last()?.to_lowercase();
        NOUNS.iter().find(|(n, _)| *n == last).map(|(_, v)| *v)
    };
    verb(&c["deed"])
        .filter(|_| c["subject"].split_whitespace().count() <= 8 && told_of_things(&c["subject"]))
        .or_else(noun)
}

/// Headings of lists say that changes were made or issues fixed, and name none.
fn told_of_things(subject: &str) -> bool {
    static EMPTY: LazyLock<Regex> = LazyLock::new(|| {
        re(
            r"^\W*(?:(?:the|all|key|main|what|recent|critical|important|other|new|final|summary of|files?|code) )*(?:changes?|issues?|problems?|bugs?|features?|files?|work|tasks?|tests?|fix(?:es)?|improvements?|updates?|we|components?|items?)$",
        )
    });
    !EMPTY.is_match(subject.trim())
}

/// Whether a lower-case word is a finished deed.
pub(crate) fn is_deed(word: &str) -> bool {
    DEEDS.iter().any(|(past, _)| *past == word)
}

fn verb(past: &str) -> Option<&'static str> {
    let past = past.to_lowercase();
    DEEDS.iter().find(|(p, _)| *p == past).map(|(_, v)| *v)
}

/// Whether a part of a sentence names something: a word of content that is no pronoun.
fn names(part: &str) -> bool {
    const VAGUE: &[&str] = &[
        "everyth", "someth", "noth", "thing", "which", "everyon", "work", "task", "chang", "yes", "done", "great",
        "perfect", "good",
    ];
    prose::content_words(part).iter().any(|w| w.len() > 1 && !VAGUE.contains(&w.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read as told, and its verb.
    fn one(s: &str) -> Option<(&str, &'static str)> {
        let (range, matter) = read(s).pop()?;
        let Matter::Done { verb } = matter else { return None };
        Some((&s[range], verb))
    }

    #[test]
    fn a_deed_has_a_thing_and_a_finished_verb() {
        for (text, want) in [
            ("I've added a retry to the uploader.", ("I've added a retry to the uploader", "add")),
            ("The uploader has been rewritten.", ("The uploader has been rewritten", "change")),
            ("Removed the old cache.", ("Removed the old cache", "remove")),
            ("**Cache**: Removed the duplicate lookup.", ("Removed the duplicate lookup", "remove")),
            ("✅ **Merge conflict resolved**", ("✅ **Merge conflict resolved", "resolve")),
            ("Rebase successful!", ("Rebase successful", "rebase")),
            ("The uploader was built successfully.", ("The uploader was built successfully", "build")),
            ("**Fixed the uploader** - it now retries", ("Fixed the uploader", "change")),
            ("Both uploaders are now fixed.", ("Both uploaders are now fixed", "change")),
        ] {
            assert_eq!(one(text), Some(want), "{text}");
        }
    }

    #[test]
    fn fillers_labels_and_explanations_tell_no_deed() {
        for text in [
            "✅",
            "✅ **2",
            "Found it!",
            "We successfully",
            "Key Changes Made",
            "Issues Fixed",
            "What We Built",
            "It has been fixed.",
            "Add integration tests for the uploader",
            "Departure: 02:00 PM",
            "The state is updated when the hook runs",
            "Updated figures are below",
            "I can help you with that",
            "Have a great trip!",
            "✅ **Uploader**: `put`, `get`, `list`",
            "Here's what has been added:",
            "**Checked Bags:** 2 free bags",
            "The server sent back the form we submitted",
            "The uploader can be removed",
            "The uploader was added in spring",
            "Since the name is now fixed, I should skip the check",
        ] {
            assert_eq!(one(text), None, "{text}");
        }
    }
}
