//! What the comparison of two item texts needs to know of each.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Words that carry no content of their own.
const STOP: &[&str] = &[
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "for", "from", "has", "have", "if", "in", "into", "is",
    "it", "its", "of", "on", "or", "so", "that", "the", "their", "them", "then", "this", "to", "up", "using", "via",
    "was", "were", "which", "with", "all", "also", "each", "some", "we", "our", "will",
];
const NEGATIONS: &[&str] = &["not", "no", "never", "without", "dont", "don't", "cannot", "can't", "skip", "disable"];

/// A text, taken apart.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Wording {
    /// Stems of the content words, in order; paths, flags and numbers whole.
    pub(super) stems: Vec<String>,
    /// Character trigrams of the normalised text.
    pub(super) trigrams: BTreeSet<[char; 3]>,
    /// Numbers, paths, flags: what tells two like-worded items apart.
    pub(super) parameters: BTreeSet<String>,
    /// It says that something is not to be done.
    pub(super) negated: bool,
    /// Words in order, lower case, without punctuation around them.
    pub(super) words: Vec<String>,
}

impl Wording {
    /// Takes a text apart.
    pub(super) fn of(text: &str) -> Self {
        let words = words(text);
        let negated = words.iter().any(|w| NEGATIONS.contains(&w.as_str()));
        let content = words.iter().filter(|w| !STOP.contains(&w.as_str()));
        let stems = content.flat_map(|w| stems(w)).collect();
        let parameters = words.iter().filter(|w| is_parameter(w)).cloned().collect();
        let plain: Vec<char> = format!(" {} ", words.join(" ")).chars().collect();
        let trigrams = plain.windows(3).map(|w| [w[0], w[1], w[2]]).collect();
        Self { stems, trigrams, parameters, negated, words }
    }
}

/// The text without case, punctuation, list markers and extra white space.
pub(super) fn normalised(text: &str) -> String {
    words(text).join(" ")
}

fn words(text: &str) -> Vec<String> {
    let folded: String = without_marker(text).nfkc().flat_map(char::to_lowercase).collect();
    let pieces = folded.split(|c: char| c.is_whitespace() || "()[]{}\"`,;|→".contains(c));
    pieces.map(bare).filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

/// A word without punctuation around it; a leading `-` of a flag and a leading `.` or `/` of a path stay.
fn bare(word: &str) -> &str {
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric() && !"%+#*/".contains(c));
    let front = word.trim_start_matches(|c: char| !c.is_alphanumeric() && !"-./~<>=$@".contains(c));
    if front.chars().any(char::is_alphanumeric) { front.trim_start_matches("./") } else { "" }
}

/// The text without a marker in front: `3. `, `- [x] `, `Step 2: `.
fn without_marker(text: &str) -> &str {
    let text = text.trim().trim_start_matches(['-', '*', '•', '☐', '☑', '✓', '✔', '✅', '⏳', ' ']);
    let text = ["[ ] ", "[x] ", "[X] "].iter().find_map(|m| text.strip_prefix(m)).unwrap_or(text);
    let lower = text.get(..5).map(str::to_ascii_lowercase);
    let rest = if lower.as_deref() == Some("step ") { &text[5..] } else { text };
    let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let ends = digits.strip_prefix([':', '.', ')']).filter(|r| r.starts_with(' '));
    match ends {
        Some(body) if digits.len() < rest.len() && !body.trim().is_empty() => body.trim_start(),
        _ => text,
    }
}

/// The stems of a word; a compound such as `post-receive` or `src/main.rs` also gives its pieces.
fn stems(word: &str) -> Vec<String> {
    let stem = STEMMER.stem(word).into_owned();
    let pieces: Vec<&str> = word.split(|c: char| !c.is_alphanumeric()).filter(|p| p.len() > 1).collect();
    if pieces.len() < 2 {
        return vec![stem];
    }
    let parts = pieces.into_iter().filter(|p| !STOP.contains(p)).map(|p| STEMMER.stem(p).into_owned());
    std::iter::once(stem).chain(parts).collect()
}

fn is_parameter(word: &str) -> bool {
    word.starts_with('-')
        || word.contains('/')
        || word.chars().any(|c| c.is_ascii_digit())
        || word.split_once('.').is_some_and(|(a, b)| !a.is_empty() && (1..5).contains(&b.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalising_drops_case_markers_and_punctuation_only() {
        assert_eq!(normalised("1. Start the `web-server`!"), "start the web-server");
        assert_eq!(normalised("Step 2: Run tests."), "run tests");
        assert_eq!(normalised("- [x]  Run   tests"), "run tests");
        assert_ne!(normalised("Use port 5000"), normalised("Use port 5001"));
        assert_eq!(normalised("2 files"), "2 files");
    }

    #[test]
    fn parameters_are_numbers_paths_and_flags() {
        let w = Wording::of("Run ./x.sh --fast on /data/in with Numpy 2.0 and main.rs");
        let want: BTreeSet<String> = ["x.sh", "--fast", "/data/in", "2.0", "main.rs"].map(str::to_owned).into();
        assert_eq!(w.parameters, want);
    }
}
