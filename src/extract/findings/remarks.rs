//! Sentences that say what becomes of a finding: fixed, put off, dropped, or no problem after all.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use crate::extract::prose::{offset, re, sentences};
use crate::session::{MsgIx, Span, TextRef};

/// A sentence that decides on a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Remark {
    /// Message.
    pub msg: MsgIx,
    /// Bytes of the sentence.
    pub span: Span,
    /// The sentence, an exact substring of the source.
    pub text: String,
    /// What it says.
    pub kind: RemarkKind,
}

/// What a sentence says of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemarkKind {
    /// Is solved.
    Fixed,
    /// Is put off.
    Deferred,
    /// Will not be worked on.
    Dropped,
    /// Is no problem.
    Denied,
}

/// Longest sentence that is read.
const LONGEST: usize = 300;

/// Something of each pattern, to leave most texts at once.
static HINTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build([
            "fixed",
            "resolved",
            "addressed",
            "defer",
            "later",
            "follow-up",
            "follow up",
            "postpone",
            "out of scope",
            "not now",
            "won't fix",
            "won’t fix",
            "skip",
            "ignore",
            "leave",
            "acceptable",
            "false positive",
            "not an issue",
            "not a bug",
            "not a problem",
            "non-issue",
            "not a real",
            "by design",
            "no longer",
            "backlog",
        ])
        .expect("literals")
});

static KINDS: LazyLock<Vec<(RemarkKind, Regex)>> = LazyLock::new(|| {
    [
        (
            RemarkKind::Denied,
            r"\b(is|are|was|were|as|a|be|it's|that's) (actually |really |just |probably )?(an? )?(false positives?|non-issues?|by design|not (actually |really )?(an? )?(real )?(issue|bug|problem|concern)s?)\b",
        ),
        (
            RemarkKind::Deferred,
            r"\b(defer(red|ring)?|postpon(e|ed|ing)|out of scope|not now|(in|as|for) (an? |the )?(later|future|separate|follow[- ]?up) \w+|(leave|left|keep|fix|address|do|handle|tackle) [^.]{0,60}\b(for )?later|for later|backlog)\b",
        ),
        (
            RemarkKind::Dropped,
            r"\b(won['’]t (be )?fix(ed)?|(skip|skipping|ignore|ignoring|leave|leaving) (it|this|that|these|them|the|out|as[- ]is|P[0-4]|#?\d)\b|(is|are) acceptable\b|not worth (fixing|it|the)\b|no need to (fix|address))",
        ),
        (
            RemarkKind::Fixed,
            r"(?:\b(?:i(?:'ve| have)?|we(?:'ve| have)?|now|(?:is|are|was|were|has been|have been)(?: now)?(?: all)?) (?:successfully )?(?:fixed|resolved|addressed)\b|^\W*(?:fixed|resolved) (?:the|a|an|P[0-4]|#?\d)\b|\bno longer (?:an issue|a problem|happens|occurs|fails)\b)",
        ),
    ]
    .into_iter()
    .map(|(kind, pattern)| (kind, re(pattern)))
    .collect()
});

/// What is asked, supposed, wanted or denied decides nothing.
static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\?\s*$|\b(if|unless|whether|should|could|would|might|may|need(s|ed)? to be|to be|must|let me|not (yet )?(been )?(fully )?(fixed|resolved|addressed)|once|until|when|don['’]t|do not|never|want|can)\b",
    )
});

/// Reads the remarks of one text.
pub(super) fn read(text: &TextRef<'_>, out: &mut Vec<Remark>) {
    if !HINTS.is_match(text.text) {
        return;
    }
    for line in text.text.lines().filter(|l| HINTS.is_match(l)) {
        for sentence in sentences(line).into_iter().filter(|s| s.len() <= LONGEST && HINTS.is_match(s)) {
            let Some(kind) = kind(sentence) else { continue };
            let start = offset(text.text, sentence);
            let span = text.span(start, start + sentence.len());
            out.push(Remark { msg: text.msg, span, text: sentence.to_owned(), kind });
        }
    }
}

fn kind(sentence: &str) -> Option<RemarkKind> {
    let (kind, _) = KINDS.iter().find(|(_, p)| p.is_match(sentence))?;
    (!OPEN.is_match(sentence)).then_some(*kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_what_becomes_of_a_finding() {
        use RemarkKind::{Deferred, Denied, Dropped, Fixed};
        for (text, want) in [
            ("I've fixed the stale cache key.", Some(Fixed)),
            ("The stale cache key is now fixed.", Some(Fixed)),
            ("Fixed the stale cache key", Some(Fixed)),
            ("The slow start is deferred to the next release.", Some(Deferred)),
            ("We leave the slow start for later.", Some(Deferred)),
            ("The double log line is a false positive.", Some(Denied)),
            ("The double log line is not an issue here.", Some(Denied)),
            ("Skipping the double log line.", Some(Dropped)),
            ("The stale key should be fixed.", None),
            ("Is the stale key fixed?", None),
            ("The stale key is not fixed yet.", None),
            ("Let me check whether the key is fixed.", None),
            ("A fixed number of workers reads the queue.", None),
        ] {
            assert_eq!(kind(text), want, "{text}");
        }
    }
}
