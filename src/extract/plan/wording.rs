//! What the comparison of two item texts needs to know of each.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Words that carry no content of their own.
const STOP: &[&str] = &[
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "for", "from", "has", "have", "if", "in", "into", "is",
    "it", "its", "of", "on", "or", "so", "that", "the", "their", "them", "then", "this", "to", "up", "using", "via",
    "was", "were", "which", "with", "all", "also", "each", "some", "we", "our", "will",
];
/// Whether a word carries content.
pub(super) fn is_content(word: &str) -> bool {
    !STOP.contains(&word)
}

const NEGATIONS: &[&str] = &["not", "no", "never", "without", "dont", "don't", "cannot", "can't", "skip", "disable"];

/// Whether a word joins one thing to another.
pub(super) fn is_join(word: &str) -> bool {
    matches!(word, "and" | "or" | "also" | "plus" | "then")
}

/// Signs that join one thing to another; commas in parentheses list what is said of one thing.
fn signs_that_join(text: &str) -> usize {
    let mut depth = 0_usize;
    let joins = |c: char| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == '|' || depth == 0 && matches!(c, ',' | ';')
    };
    text.chars().map(joins).filter(|j| *j).count() + text.matches(" + ").count() + text.matches(" & ").count()
}

/// What an item asks to do, by the words that say it. Two items that ask for different activities are seldom one.
const ACTIVITIES: &[&[&str]] = &[
    &[
        "analyze",
        "analyse",
        "assess",
        "check",
        "diagnose",
        "discover",
        "evaluate",
        "examine",
        "explore",
        "find",
        "identify",
        "inspect",
        "investigate",
        "list",
        "locate",
        "look",
        "probe",
        "profile",
        "read",
        "research",
        "review",
        "search",
        "study",
        "test",
        "understand",
        "validate",
        "verify",
        "confirm",
        "ensure",
        "monitor",
    ],
    &[
        "add",
        "build",
        "compile",
        "configure",
        "create",
        "design",
        "develop",
        "generate",
        "implement",
        "make",
        "prepare",
        "produce",
        "set",
        "setup",
        "write",
        "draft",
        "integrate",
        "extend",
        "initialize",
    ],
    &[
        "adjust", "change", "clean", "convert", "correct", "debug", "fix", "improve", "migrate", "modify", "move",
        "optimize", "refactor", "remove", "rename", "repair", "replace", "resolve", "restore", "update", "upgrade",
    ],
    &["download", "fetch", "install", "obtain", "pull", "clone"],
    &["execute", "launch", "run", "start", "restart", "train", "deploy", "benchmark"],
    &["document", "explain", "present", "provide", "report", "summarize", "summarise", "describe", "inform"],
    &["commit", "copy", "push", "save", "store", "submit", "publish", "merge"],
];

/// More words that an item to do begins with; they say too little of what it is to tell activities apart.
const BEGINNINGS: &[&str] = &[
    "apply",
    "ask",
    "book",
    "bump",
    "call",
    "cancel",
    "close",
    "complete",
    "continue",
    "define",
    "delete",
    "disable",
    "drop",
    "enable",
    "expose",
    "finish",
    "handle",
    "introduce",
    "notify",
    "open",
    "order",
    "parse",
    "proceed",
    "process",
    "release",
    "rerun",
    "revert",
    "schedule",
    "send",
    "ship",
    "split",
    "support",
    "switch",
    "tag",
    "transfer",
    "use",
    "wait",
    "wire",
];

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
    /// Its first word that names an activity, and which.
    pub(super) activity: Option<usize>,
    /// What it is called by, whatever it says: `p12`, `phase 4`.
    pub(super) code: Option<String>,
    /// How often it joins one thing to another: "and", "or", commas, signs.
    pub(super) joins: usize,
}

impl Wording {
    /// Takes a text apart.
    pub(super) fn of(text: &str) -> Self {
        let words = words(text);
        let negated = words.iter().any(|w| NEGATIONS.contains(&w.as_str()));
        let content = words.iter().filter(|w| !STOP.contains(&w.as_str()));
        let stems = content.flat_map(|w| stems(w)).collect();
        let signs = ['<', '>', '=', '~', '$', '@'];
        let parameters = words.iter().filter(|w| is_parameter(w)).map(|w| w.trim_start_matches(signs).to_owned());
        let parameters = parameters.collect();
        let trigrams = trigrams(&words.join(" "));
        let activity = words.iter().take(3).find_map(|w| ACTIVITIES.iter().position(|a| a.contains(&w.as_str())));
        let joins = words.iter().filter(|w| is_join(w)).count() + signs_that_join(text);
        Self { stems, trigrams, parameters, negated, words, activity, code: code(text), joins }
    }
}

/// What an item is called by: letters with a number (`P12 …`, `AB-3 …`), or a word with a number and a mark behind them
/// (`Phase 4: …`). A step is not called by its place.
fn code(text: &str) -> Option<String> {
    static CODE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^[^\p{L}\d]*(?:(?<one>[A-Za-z]{1,6}[-._]?\d+(?:\.\d+)*)(?:[^\w/.]|[.][^\w]|$)|(?<word>\p{L}{3,14}) (?<number>\d+(?:\.\d+)*[a-z]?)\s*(?:[:.)\]|–—-]|$))")
            .expect("a constant pattern compiles")
    });
    let found = CODE.captures(text)?;
    let code = match found.name("one") {
        Some(one) => one.as_str().to_lowercase(),
        None => format!("{} {}", &found["word"], &found["number"]).to_lowercase(),
    };
    (!code.starts_with("step")).then_some(code)
}

/// Runs of three characters, with a space before and after the text.
pub(super) fn trigrams(text: &str) -> BTreeSet<[char; 3]> {
    let padded: Vec<char> = format!(" {text} ").chars().collect();
    padded.windows(3).map(|w| [w[0], w[1], w[2]]).collect()
}

/// Whether a text begins with something to do: `Add the flag`, `Adding the flag`, not `Added the flag`.
pub(super) fn begins_with_activity(text: &str) -> bool {
    let words = words(text);
    let Some(first) = words.first().filter(|w| !w.ends_with("ed")) else { return false };
    let stem = STEMMER.stem(first);
    ACTIVITIES.iter().flat_map(|a| a.iter()).chain(BEGINNINGS).any(|verb| STEMMER.stem(verb) == stem)
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

/// Whether a character is of a script that is written without spaces.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{0e00}'..='\u{0e7f}')
}

/// Pairs of neighbours: the words of a script without spaces, as near as can be told without a dictionary.
fn pairs(word: &str) -> Vec<String> {
    let characters: Vec<char> = word.chars().filter(|c| c.is_alphanumeric()).collect();
    characters.windows(2).map(|w| w.iter().collect()).collect()
}

/// The stems of a word; a compound such as `post-receive` or `src/main.rs` also gives its pieces.
fn stems(word: &str) -> Vec<String> {
    if word.chars().any(is_unspaced) && word.chars().count() > 2 {
        return pairs(word);
    }
    let stem = STEMMER.stem(word).into_owned();
    let pieces: Vec<&str> = word.split(|c: char| !c.is_alphanumeric()).filter(|p| p.len() > 1).collect();
    if pieces.len() < 2 && pieces.first().is_none_or(|p| *p == word) {
        return vec![stem];
    }
    let parts = pieces.into_iter().filter(|p| !STOP.contains(p)).map(|p| STEMMER.stem(p).into_owned());
    std::iter::once(stem).chain(parts).collect()
}

/// Whether a word is a number, path or flag.
pub(super) fn is_parameter(word: &str) -> bool {
    let slashes = word.matches('/').count();
    word.starts_with(['-', '/', '~'])
        || slashes > 1
        || slashes == 1 && word.contains(['.', '_'])
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
    fn codes_are_letters_and_a_number() {
        for (text, code) in [
            ("**P39: Ship it**", "p39"),
            ("AB-12 fix the gate", "ab-12"),
            ("T3. Paint", "t3"),
            ("PHASE 4 — Pour the concrete", "phase 4"),
            ("Wave 2.1: more", "wave 2.1"),
        ] {
            assert_eq!(super::code(text).as_deref(), Some(code), "{text}");
        }
        for text in [
            "39 walls",
            "utf8mb4 columns",
            "Fix 3 walls",
            "v",
            "x86_64x",
            "错误1",
            "Step 2: Paint",
            "Wall 3 is to paint",
        ] {
            assert_eq!(super::code(text), None, "{text}");
        }
    }

    #[test]
    fn scripts_without_spaces_are_taken_apart_too() {
        let (a, b) = (Wording::of("修复登录页面的错误"), Wording::of("修复登录页错误并测试"));
        assert!(a.stems.iter().filter(|s| b.stems.contains(s)).count() >= 4, "{a:?}");
    }

    #[test]
    fn parameters_are_numbers_paths_and_flags() {
        let w = Wording::of("Run ./x.sh --fast on /data/in with Numpy 2.0 and main.rs");
        let want: BTreeSet<String> = ["x.sh", "--fast", "/data/in", "2.0", "main.rs"].map(str::to_owned).into();
        assert_eq!(w.parameters, want);
    }
}
