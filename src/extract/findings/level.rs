//! Levels and states of findings, as written and normalised.

use std::sync::LazyLock;

use regex::Regex;

use super::FindingStatus;

/// Words for levels, most specific first.
const WORDS: &[(&str, &str)] = &[
    ("critical", "P0"),
    ("blocker", "P0"),
    ("severe", "P0"),
    ("high", "P1"),
    ("major", "P1"),
    ("serious", "P1"),
    ("error", "P1"),
    ("medium", "P2"),
    ("important", "P2"),
    ("warning", "P2"),
    ("moderate", "P2"),
    ("med", "P2"),
    ("low", "P3"),
    ("minor", "P3"),
    ("nit", "P4"),
    ("trivial", "P4"),
    ("nice to have", "P4"),
    ("cosmetic", "P4"),
    ("suggestion", "P4"),
    ("info", "P4"),
    ("informational", "P4"),
];

const EMOJI: &[(&str, &str)] = &[("🔴", "P0"), ("🟠", "P1"), ("🟡", "P2"), ("🔵", "P3"), ("⚪", "P4")];

static P_LEVEL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u:\b)[Pp]([0-4])(?-u:\b)").expect("a level such as P1"));
static CVSS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:cvss[^0-9]{0,12}(?:[23]\.[01][^0-9.]{1,3})?|^\s*)(10(?:\.0)?|[0-9]\.[0-9])(?:[^0-9.]|$)")
        .expect("a CVSS score")
});

/// A level: normalised, and the bytes it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Level<'a> {
    /// `P0` … `P4`.
    pub(super) norm: &'static str,
    /// As written.
    pub(super) text: &'a str,
}

/// Reads a text that is a level and little else: `P1`, `**High**`, `🔴 Critical (P1)`, `CVSS 9.8`.
pub(super) fn whole(text: &str) -> Option<Level<'_>> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || "*_`[]():".contains(c));
    if text.is_empty() || text.chars().count() > 40 || text.split_whitespace().count() > 5 {
        return None;
    }
    let lower = text.to_lowercase();
    if let Some(c) = P_LEVEL.captures(text) {
        let rest = P_LEVEL.replace(&lower, "");
        let plain = rest.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).all(is_level_talk);
        return plain.then(|| Level { norm: norm_digit(&c[1]), text });
    }
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    if let Some(score) = cvss(text) {
        return Some(Level { norm: score, text });
    }
    if words.iter().all(|w| is_level_talk(w)) {
        let by_word = WORDS.iter().find(|(w, _)| words.contains(w) || lower == *w);
        let by_emoji = EMOJI.iter().find(|(e, _)| text.contains(e));
        return by_word.or(by_emoji).map(|(_, norm)| Level { norm, text });
    }
    None
}

/// Words that may stand beside a level without turning it into something else.
fn is_level_talk(word: &str) -> bool {
    WORDS.iter().any(|(w, _)| *w == word)
        || matches!(
            word,
            "severity"
                | "priority"
                | "level"
                | "risk"
                | "impact"
                | "issue"
                | "issues"
                | "finding"
                | "findings"
                | "items"
                | "fixes"
                | "problems"
                | "bugs"
                | "must"
                | "fix"
                | "should"
                | "nice"
                | "to"
                | "have"
                | "cvss"
        )
        || word.bytes().all(|b| b.is_ascii_digit())
}

fn norm_digit(digit: &str) -> &'static str {
    match digit {
        "0" => "P0",
        "1" => "P1",
        "2" => "P2",
        "3" => "P3",
        _ => "P4",
    }
}

fn cvss(text: &str) -> Option<&'static str> {
    let score: f64 = CVSS.captures(text)?.get(1)?.as_str().parse().ok()?;
    Some(match score {
        s if s >= 9.0 => "P0",
        s if s >= 7.0 => "P1",
        s if s >= 4.0 => "P2",
        _ => "P3",
    })
}

/// States by words and marks.
const STATUS: &[(FindingStatus, &[&str])] = &[
    (
        FindingStatus::Info,
        &["ℹ️", "ℹ", "[i]", "info", "info only", "informational", "for information", "fyi", "note", "n/a"],
    ),
    (FindingStatus::Fixed, &["fixed", "resolved", "applied", "done", "closed", "patched", "mitigated"]),
    (
        FindingStatus::Actionable,
        &[
            "❌",
            "✗",
            "✘",
            "⚠️",
            "⚠",
            "[ ]",
            "fail",
            "failed",
            "fix",
            "actionable",
            "needs change",
            "needs fix",
            "open",
            "todo",
            "to do",
            "not ok",
            "bad",
            "action needed",
            "needs attention",
            "change",
            "missing",
            "wrong",
            "not fixed",
            "pending",
            "needs action",
        ],
    ),
    (
        FindingStatus::Ok,
        &[
            "✅",
            "✔️",
            "✔",
            "✓",
            "[x]",
            "[X]",
            "ok",
            "pass",
            "passed",
            "fine",
            "good",
            "correct",
            "in order",
            "optimal",
            "no action",
            "no action needed",
            "no change needed",
            "already set",
            "healthy",
            "already ok",
        ],
    ),
];

/// Reads a text that is a state and little else.
pub(super) fn status(text: &str) -> Option<FindingStatus> {
    let text = text.trim().trim_matches(|c: char| c.is_whitespace() || "*_`().,:".contains(c));
    let lower = text.to_lowercase();
    let words = lower.trim_start_matches(|c: char| !c.is_ascii_alphanumeric() && c != '[').trim();
    STATUS.iter().find(|(_, all)| all.iter().any(|w| lower == *w || words == *w)).map(|(s, _)| *s).or_else(|| {
        (text.chars().count() <= 60)
            .then(|| mark(text).filter(|_| words.split_whitespace().count() <= 6).map(|(s, _)| s))?
    })
}

/// A mark at the start of a text, and what follows it.
pub(super) fn mark(text: &str) -> Option<(FindingStatus, &str)> {
    STATUS.iter().find_map(|(s, all)| {
        let signs = all.iter().filter(|w| !w.starts_with(|c: char| c.is_ascii_alphabetic()));
        signs.filter_map(|w| text.strip_prefix(w)).map(|rest| (*s, rest.trim_start())).next()
    })
}

/// An emoji for a level at the start of a text, and what follows it.
pub(super) fn emoji(text: &str) -> Option<(Level<'_>, &str)> {
    EMOJI.iter().find_map(|(e, norm)| {
        text.strip_prefix(e).map(|rest| (Level { norm, text: &text[..e.len()] }, rest.trim_start()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_levels_of_every_fashion() {
        for (text, norm) in [
            ("P0", "P0"),
            ("**High**", "P1"),
            ("🔴 Critical", "P0"),
            ("🟡 Medium", "P2"),
            ("CRITICAL (P1)", "P1"),
            ("Critical Issues", "P0"),
            ("CVSS 9.8", "P0"),
            ("7.5", "P1"),
            ("low", "P3"),
        ] {
            assert_eq!(whole(text).map(|l| l.norm), Some(norm), "{text}");
        }
        for text in ["", "P1 skills", "highlights", "12", "high throughput", "P5", "Priority"] {
            assert_eq!(whole(text), None, "{text}");
        }
    }

    #[test]
    fn reads_states() {
        use FindingStatus::{Actionable, Fixed, Info, Ok};
        for (text, want) in [
            ("[x]", Ok),
            ("[ ]", Actionable),
            ("✅", Ok),
            ("❌ FAIL", Actionable),
            ("ℹ️", Info),
            ("needs change", Actionable),
            ("(info only)", Info),
            ("Fixed", Fixed),
            ("fine", Ok),
        ] {
            assert_eq!(status(text), Some(want), "{text}");
        }
        assert_eq!(status("the server answers slowly"), None);
    }
}
