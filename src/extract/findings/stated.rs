//! Counts of findings that a text states, set against those the same text lists.

use std::sync::LazyLock;

use regex::Regex;

use super::level;
use super::{Finding, FindingStatus, StatedCount};
use crate::extract::prose;
use crate::session::{Span, TextRef};

static COUNT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:^|[\s(*\[:])(\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?:\*\*)? (?:(P[0-4]|critical|high|important|medium|moderate|low|minor)(?: severity|-severity| priority|-priority)? )?(findings?|issues?|problems?|vulnerabilities|bugs|concerns)(?: (?:at|of|with) (?:level |severity )?(P[0-4]))?(?-u:\b)",
    )
    .expect("a stated count")
});

/// A list that is said to be a part, or counts of something else.
static PARTIAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(of which|out of|other|more|additional|remaining|top|at least|over|about|around|up to|fixed|resolved|new|e\.g|such as|including|previous|earlier)\b").expect("words of part")
});

/// Reads the stated counts of a text that lists findings.
pub(super) fn read(text: &TextRef<'_>, findings: &[Finding]) -> Vec<StatedCount> {
    if findings.len() < 2 {
        return Vec::new();
    }
    COUNT.captures_iter(text.text).filter_map(|c| stated(text, findings, &c)).collect()
}

fn stated(text: &TextRef<'_>, findings: &[Finding], c: &regex::Captures<'_>) -> Option<StatedCount> {
    let (number, noun) = (c.get(1)?, c.get(3)?);
    let end = c.get(0)?.end();
    if inside(findings, number.start()) || PARTIAL.is_match(sentence(text.text, number.start(), end)) {
        return None;
    }
    let count = prose::number(number.as_str())?;
    let word = c.get(4).or(c.get(2)).map(|m| m.as_str());
    let level = word.and_then(level::whole).map(|l| l.norm.to_owned());
    let open = findings.iter().filter(|f| f.status != FindingStatus::Ok);
    let listed = open.filter(|f| level.is_none() || f.level == level).count() as u64;
    Some(StatedCount {
        span: text.span(number.start(), end),
        count,
        what: text.text[c.get(2).map_or(noun.start(), |m| m.start())..end].to_owned(),
        level,
        listed,
    })
}

/// The sentence around a place: up to the line's ends or full stops.
fn sentence(text: &str, start: usize, end: usize) -> &str {
    let from = text[..start].rfind(['\n', '.', '|']).map_or(0, |i| i + 1);
    let to = text[end..].find(['\n', '.', '|']).map_or(text.len(), |i| end + i);
    &text[from..to]
}

fn inside(findings: &[Finding], at: usize) -> bool {
    let within = |s: &Span| (s.start as usize..s.end as usize).contains(&at);
    findings.iter().any(|f| within(&f.span))
}
