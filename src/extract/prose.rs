//! Structure of prose: lines by kind, sentences, words. Shared by the extractors that read what was said.

use std::sync::LazyLock;

use regex::Regex;
use rust_stemmers::{Algorithm, Stemmer};

/// What a line of Markdown is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing but white space.
    Blank,
    /// `# …`, or a paragraph of one bold phrase (depth 7).
    Heading(u8),
    /// `- …`, `* …`, `• …`.
    Bullet,
    /// `1. …`, `2) …`.
    Numbered(u64),
    /// Starts with `|`.
    Table,
    /// Starts with `>`.
    Quote,
    /// Inside a code fence, or the fence itself.
    Code,
    /// Anything else.
    Text,
}

impl Kind {
    /// Whether it is an item of a list.
    pub(crate) fn is_item(self) -> bool {
        matches!(self, Self::Bullet | Self::Numbered(_))
    }
}

/// One line of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// What it is.
    pub(crate) kind: Kind,
    /// White space before it.
    pub(crate) indent: usize,
    /// Text without indent, marker and white space at the end.
    pub(crate) text: &'a str,
}

/// Where `slice`, a part of `text`, begins in it.
pub(crate) fn offset(text: &str, slice: &str) -> usize {
    slice.as_ptr() as usize - text.as_ptr() as usize
}

/// The lines of a text, in order.
pub(crate) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut fence: Option<&str> = None;
    let mut out = Vec::new();
    for raw in text.lines() {
        let body = raw.trim();
        let indent = raw.len() - raw.trim_start().len();
        let mark = ["```", "~~~"].into_iter().find(|m| body.starts_with(m));
        let line = match (fence, mark) {
            (Some(open), _) => {
                if mark == Some(open) {
                    fence = None;
                }
                Line { kind: Kind::Code, indent, text: body }
            }
            (None, Some(_)) => {
                fence = mark;
                Line { kind: Kind::Code, indent, text: body }
            }
            (None, None) => classify(body, indent),
        };
        out.push(line);
    }
    out
}

fn classify(body: &str, indent: usize) -> Line<'_> {
    let line = |kind, text: &'_ str| -> (Kind, usize) { (kind, body.len() - text.trim_start().len()) };
    let (kind, skip) = match body.as_bytes().first() {
        None => (Kind::Blank, 0),
        Some(b'|') => (Kind::Table, 0),
        Some(b'>') => line(Kind::Quote, body.trim_start_matches('>')),
        Some(b'#') => {
            let depth = body.bytes().take_while(|&b| b == b'#').count();
            if depth <= 6 && body[depth..].starts_with(' ') {
                line(Kind::Heading(depth as u8), &body[depth..])
            } else {
                (Kind::Text, 0)
            }
        }
        Some(b'-' | b'*' | b'+') if body[1..].starts_with(' ') => line(Kind::Bullet, &body[1..]),
        _ if body.starts_with("• ") => line(Kind::Bullet, &body["•".len()..]),
        Some(b'0'..=b'9') => numbered(body).map_or((Kind::Text, 0), |(n, rest)| line(Kind::Numbered(n), rest)),
        _ if is_bold_heading(body) => (Kind::Heading(7), 0),
        _ => (Kind::Text, 0),
    };
    Line { kind, indent, text: &body[skip..] }
}

fn numbered(body: &str) -> Option<(u64, &str)> {
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let rest = body[digits..].strip_prefix(['.', ')'])?;
    (digits <= 4 && rest.starts_with(' ')).then(|| Some((body[..digits].parse().ok()?, rest)))?
}

/// `**Working correctly**`, also with a remark in brackets or a colon after it.
fn is_bold_heading(body: &str) -> bool {
    let Some((inner, after)) = body.strip_prefix("**").and_then(|b| b.split_once("**")) else { return false };
    let after = after.trim();
    let remark =
        after.is_empty() || after == ":" || (after.starts_with('(') && after.trim_end_matches(':').ends_with(')'));
    !inner.is_empty() && inner.len() < 120 && remark
}

/// The text without white space, emphasis marks and code marks at both ends. A mark is taken off when it encloses the
/// whole text, or when its partner is missing.
pub(crate) fn unmarked(text: &str) -> &str {
    let mut text = text.trim();
    for _ in 0..4 {
        let before = text;
        for mark in ["**", "__", "`", "*", "_"] {
            if let Some(inner) = text.strip_prefix(mark) {
                let whole = inner.strip_suffix(mark).filter(|i| !i.contains(mark));
                let alone = (!inner.contains(mark)).then_some(inner);
                text = whole.or(alone).unwrap_or(text).trim();
            } else if let Some(inner) = text.strip_suffix(mark).filter(|i| !i.contains(mark) && mark != "_") {
                text = inner.trim();
            }
        }
        if text == before {
            break;
        }
    }
    text
}

/// A pattern of words: letters of either case, and `\b` between ASCII letters, since Unicode's makes large patterns slow.
/// For constant patterns only.
pub(crate) fn re(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){}", pattern.replace(r"\b", r"(?-u:\b)"))).expect("a constant pattern")
}

/// A number in figures, or one up to twelve as a word.
pub(crate) fn number(word: &str) -> Option<u64> {
    const WORDS: &[&str] =
        &["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    word.parse().ok().or_else(|| WORDS.iter().position(|w| w.eq_ignore_ascii_case(word)).map(|i| i as u64))
}

/// Splits a paragraph into sentences. Points inside words, numbers, paths and brackets do not end one.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut start, mut out, mut ticks) = (0, Vec::new(), false);
    for (i, &b) in bytes.iter().enumerate() {
        if b == b'`' {
            ticks = !ticks;
        }
        let next = bytes.get(i + 1).copied();
        let after_space = next.is_none_or(|n| n.is_ascii_whitespace() || matches!(n, b'"' | b'\'' | b')' | b'*'));
        let end = match b {
            b'.' => !ticks && after_space && !abbreviation(&text[start..i]),
            b'!' | b'?' | b';' => !ticks && after_space,
            b'\n' => next == Some(b'\n'),
            _ => false,
        };
        if end {
            push_trimmed(&mut out, &text[start..=i]);
            start = i + 1;
        }
    }
    push_trimmed(&mut out, &text[start..]);
    out
}

fn push_trimmed<'a>(out: &mut Vec<&'a str>, piece: &'a str) {
    let piece = piece.trim();
    if !piece.is_empty() {
        out.push(piece);
    }
}

fn abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
    matches!(word.to_ascii_lowercase().as_str(), "e.g" | "i.e" | "etc" | "vs" | "cf" | "approx" | "no" | "resp")
        || is_list_number(before)
}

/// `2` of `**2. Second part**`: a number that begins a text, with nothing but marks before it.
fn is_list_number(before: &str) -> bool {
    let number = before.trim_start_matches(|c: char| !c.is_alphanumeric());
    (1..=2).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit())
}

/// Words of no content.
const STOP: &[&str] = &[
    "a", "an", "the", "and", "or", "of", "to", "in", "on", "for", "with", "by", "at", "from", "as", "is", "are", "was",
    "be", "been", "it", "its", "this", "that", "these", "those", "we", "you", "i", "they", "he", "she", "my", "your",
    "our", "their", "me", "us", "them", "not", "no", "do", "does", "did", "done", "has", "have", "had", "will",
    "would", "can", "could", "should", "may", "might", "must", "if", "then", "than", "so", "but", "all", "any", "some",
    "into", "out", "up", "down", "also", "just", "only", "now", "there", "here", "which", "what", "when", "where",
    "how", "why", "who", "please", "let", "s", "t", "ll", "ve", "re", "using", "use", "via", "per", "after", "before",
];

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Whether a lower-case word says nothing about the matter.
pub(crate) fn is_stop(word: &str) -> bool {
    STOP.contains(&word)
}

/// The stem of a lower-case English word.
pub(crate) fn stem(word: &str) -> String {
    STEMMER.stem(word).into_owned()
}

/// Content words: lower case, paths and identifiers whole, plain words stemmed, stop words left out. Sorted, each once.
pub(crate) fn content_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = tokens(text)
        .map(str::to_lowercase)
        .filter(|w| !is_stop(w))
        .map(|w| if w.bytes().all(|b| b.is_ascii_alphabetic()) { stem(&w) } else { w })
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Words, numbers, paths, flags and identifiers of a text, as written.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | '@' | ':' | '+')))
        .map(|t| t.trim_matches(|c: char| matches!(c, '.' | ':' | '-' | '+')).trim_end_matches('/'))
        .filter(|t| t.chars().any(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_lines_apart() {
        let text =
            "## Top\n\n**Needs work** (by impact)\n1. one\n  - sub\n```\n- code\n```\n> said\n**bold** text\n10.5 s";
        let kinds: Vec<Kind> = lines(text).iter().map(|l| l.kind).collect();
        use Kind::{Blank, Bullet, Code, Heading, Numbered, Quote, Text};
        assert_eq!(kinds, [Heading(2), Blank, Heading(7), Numbered(1), Bullet, Code, Code, Code, Quote, Text, Text]);
        assert_eq!(lines("- [ ] x")[0].text, "[ ] x");
    }

    #[test]
    fn takes_marks_off_the_ends() {
        for (text, want) in [
            ("**a `b`**", "a `b`"),
            ("`a` b", "`a` b"),
            ("`a`", "a"),
            ("**a** b **c**", "**a** b **c**"),
            ("a**", "a"),
            ("a_", "a_"),
        ] {
            assert_eq!(unmarked(text), want);
        }
    }

    #[test]
    fn keeps_points_inside_words() {
        let got = sentences("Run v1.2 of a.py, e.g. now. Then stop! `a. b` ends");
        assert_eq!(got, ["Run v1.2 of a.py, e.g. now.", "Then stop!", "`a. b` ends"]);
    }

    #[test]
    fn content_words_are_stems_and_whole_paths() {
        assert_eq!(content_words("Running the tests in src/a.rs"), ["run", "src/a.rs", "test"]);
    }
}
