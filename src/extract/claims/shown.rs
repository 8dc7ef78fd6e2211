//! A state that a command can print: a size, a value, a text that a file holds. Read only where a turn ends.

use std::sync::LazyLock;

use regex::Regex;

use super::sentence::remark;
use super::{Matter, Reading, re, whole};

/// A thing, a verb of state, and a value: a figure, a quotation, a name in code marks.
static STATE: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"^(?P<subject>[^;?]*?)\b(?:contains?|exactly|runs in|returns?|returned|prints?|printed|match(?:es|ed)|appears?|shows?|is|are|was|takes|took)\b[^;?]{0,60}?",
        r#"(?P<value>\d+(?:\.\d+)?\s?(?:%|bytes|[kmg]i?b|ms|s|seconds|minutes|characters|lines|rows)\b|\d+\.\d+|\d{3,}|"[^"]{2,}"|`[^`]{2,}`)"#
    ))
});
/// `**Size**: 39 MB`.
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\W*(?P<subject>[\w -]{2,40})\W+(?P<value>\d+(?:\.\d+)?\s?(?:%|bytes|[kmg]i?b|ms|s|seconds|characters|rows))(?:\W|$)",
    )
});
/// Words by which a sentence explains how things are made, or talks to the reader.
static EXPLAINS: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:i can|i['’]ll|because|since|means|when|all|every|each|any|default|function|method|class|typically|usually|only if|cause|reason|issue|problem|bug)\b|→|->",
    )
});

/// The state that a sentence tells, if any.
pub(super) fn read(sentence: &str) -> Option<Reading> {
    let c = STATE.captures(sentence).or_else(|| LABELLED.captures(sentence))?;
    let open = super::sentence::OPEN.is_match(&sentence[..c.name("value")?.start()]);
    let says = super::super::prose::content_words(sentence).len() > 2;
    let end = end_of(sentence, c.name("value")?.end());
    (says && !open && !EXPLAINS.is_match(sentence)).then(|| (whole(&sentence[..end]), Matter::Shown))
}

/// Where the clause of the value ends: what is said of it after a comma is a remark.
fn end_of(sentence: &str, value: usize) -> usize {
    let rest = &sentence[value..];
    rest.find(", ").into_iter().chain(remark(rest)).min().map_or(sentence.len(), |i| value + i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_has_a_value() {
        for (text, want) in [
            ("The archive is 3.1 MB in size.", true),
            ("The result file contains \"marmalade\".", true),
            ("The endpoint returns 404.", true),
            ("**Size**: 39 MB, well below the limit", true),
            ("Contains the word \"marmalade\"", true),
            ("The archive is ready.", false),
            ("The price is higher because the tax is 12%.", false),
            ("Each row takes 12 bytes.", false),
            ("All rows hold `none`.", false),
        ] {
            assert_eq!(read(text).is_some(), want, "{text}");
        }
    }
}
