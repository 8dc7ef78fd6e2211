//! What stands before a request, or looks like one: labels, bold titles, idle words.

use std::sync::LazyLock;

use regex::Regex;

use crate::extract::prose::re;

/// "**Setup**: …", "NOTE ABOUT X: …", "never mind": what stands before is a label, and asks for nothing.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^\W*(?:(?i:never ?mind)\W+|\*\*[^*\n]{1,60}(?::\*\*|\*\*\s*(?::|–|—|-\s))|[A-Z][A-Z\d '&/-]{3,60}:)\s*",
    )
    .expect("a label")
});
static HEADED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\W*\*\*[^*\s]+(?: [^*\s]+)?\*\*\W*$").expect("a bold title"));
/// "don't think so": no request.
static IDLE: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^\W*(?:(?:ok|so|and|but|well|i)\W+)*(?:don'?t|don’t|do not) (?:mind|know|think|understand|believe)\b")
});

/// Where the label of a sentence ends.
pub(super) fn end(sentence: &str) -> Option<usize> {
    LABEL.find(sentence).map(|m| m.end())
}

/// Whether a sentence is but a title, or words that ask for nothing.
pub(super) fn is_idle(sentence: &str) -> bool {
    HEADED.is_match(sentence) || IDLE.is_match(sentence)
}
