//! What the words of headings, items and titles say: nothing found, a deed, a count, the rest of a sentence.

use std::sync::LazyLock;

use regex::Regex;

use super::item::Item;
use super::level;
use crate::extract::prose::{re, unmarked};

/// A cry ends with a mark; of the words without a level only "the problem" and "the issue" make one.
static CRY: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\W*(?:(critical|major|serious|severe|important|blocker|high|medium|low)(?:[- ]severity)? (?:finding|discovery|issue|problem|bug|flaw|error)(?: found| discovered| identified| detected)?|the (?:problem|issue|bug)(?: is| was| found)?)\W*[:!–—](?:\W*$|\W*(\S.{6,240})$)",
    )
});
/// The level and the finding of a cry; an empty finding stands below it.
pub(super) fn cried(text: &str) -> Option<(Option<level::Level<'_>>, &str)> {
    let c = CRY.captures(text)?;
    let part = |i: usize| c.get(i).map(|m| &text[m.range()]);
    let title = part(2).map_or("", |t| unmarked(t.trim_end_matches(['!', '.', '*', ' '])));
    Some((part(1).and_then(level::whole), title))
}

/// `severity: P1` and the like, one level below the item.
pub(super) fn pair_below<'a>(item: &mut Item<'a>, text: &'a str) {
    let Some((key, value)) = text.split_once(':') else { return };
    let value = unmarked(value);
    if value.is_empty() {
        return;
    }
    let short = value.chars().count() <= 80;
    match unmarked(key).to_lowercase().as_str() {
        "severity" | "level" | "priority" | "risk" => item.level = level::whole(value).or(item.level),
        "status" | "state" => item.status = level::status(value).or(item.status),
        "current" | "actual" | "current value" | "found" | "now" if short => item.current = Some(value),
        "expected" | "wanted" | "recommended" | "target" | "should be" if short => item.wanted = Some(value),
        "needs" | "requires" | "apply" => item.needs = super::item::needs(value),
        _ => {}
    }
}

/// "3 issues found in the tests" counts issues even though it names something else.
pub(super) fn is_count_of_issues(text: &str) -> bool {
    static COUNT: LazyLock<Regex> = LazyLock::new(|| {
        re(
            r"^\W*((the|\d+|two|three|four|five|six|several|main|key|critical|remaining|all) )*(issues?|problems?|findings|bugs|vulnerabilities|concerns) (found|identified|discovered|remaining|detected|that)\b",
        )
    });
    COUNT.is_match(text)
}

/// Headings of reports that start something new, such as "Conclusion".
pub(super) fn is_named_point(text: &str) -> bool {
    let word = text.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    [
        "conclusion",
        "summary",
        "overview",
        "implementation",
        "architecture",
        "background",
        "context",
        "assessment",
        "metrics",
        "verdict",
    ]
    .iter()
    .any(|w| word.starts_with(w))
}

/// "… is definitely a bug": the rest of a sentence whose subject was taken for a level.
pub(super) fn is_predicate(title: &str) -> bool {
    let first = title.split_whitespace().next().unwrap_or("");
    matches!(
        first,
        "is" | "are"
            | "was"
            | "were"
            | "has"
            | "have"
            | "can"
            | "could"
            | "should"
            | "will"
            | "and"
            | "or"
            | "items"
            | "bugs"
    )
}

/// "None" and the like name no finding.
pub(super) fn is_nothing(title: &str) -> bool {
    let title = title.to_lowercase();
    ["none", "n/a", "nothing", "-", "no issues", "no findings", "no problems"]
        .iter()
        .any(|w| title == *w || title.starts_with(&format!("{w} ")))
}

/// An item that tells a deed ("Added a check") is no finding.
pub(super) fn is_deed(title: &str) -> bool {
    const DEEDS: &[&str] = &[
        "added",
        "fixed",
        "created",
        "implemented",
        "updated",
        "removed",
        "changed",
        "installed",
        "used",
        "ran",
        "set",
        "replaced",
        "moved",
        "renamed",
        "add",
        "fix",
        "create",
        "implement",
        "update",
        "remove",
        "change",
        "install",
        "use",
        "run",
        "replace",
        "move",
        "rename",
        "check",
        "verify",
        "consider",
    ];
    let first = title.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("").to_lowercase();
    DEEDS.contains(&first.as_str())
}

/// A title of bearable length: the first sentence of a long one.
pub(super) fn clip(title: &str) -> &str {
    if title.len() <= 160 {
        return title;
    }
    let end = title.find(". ").filter(|e| *e <= 240).unwrap_or_else(|| {
        let cut = title.floor_char_boundary(160);
        title[..cut].rfind(' ').unwrap_or(cut)
    });
    &title[..end]
}
