//! One item of a list, taken apart: level, state, title, values.

use std::sync::LazyLock;

use regex::Regex;

use super::FindingStatus;
use super::level::{self, Level};
use crate::extract::prose::unmarked;

/// An item taken apart. Every text is a slice of the source.
#[derive(Debug, Clone, Default)]
pub(super) struct Item<'a> {
    pub(super) level: Option<Level<'a>>,
    pub(super) status: Option<FindingStatus>,
    pub(super) title: &'a str,
    /// Whether the title is set off in bold.
    pub(super) bold: bool,
    pub(super) current: Option<&'a str>,
    pub(super) wanted: Option<&'a str>,
    pub(super) needs: Option<&'static str>,
}

static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?i)([\[(])?(P[0-4]|critical|blocker|high|major|important|medium|moderate|low|minor|nit)(?-u:\b)(?: severity| priority)?([\])])?(\*\*)?( ?#\d+)?(\*\*)?\s*([:—–-])?\s*(\*\*)?").expect("a leading level")
});
static INNER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)[\[(](P[0-4]|critical|high|medium|low)[\])]").expect("a level in brackets"));
static PAIR: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"(?i)^\W{0,3}current(?:ly)?:?\s+(.+?)[,;]\s*(?:want(?:ed)?|should be|expected|recommended|target)(?::| be)?\s+(.+)$",
        r"(?i)^\W{0,3}(.+?)\s*[(,;]\s*(?:should be|want(?:ed)?|expected|recommended):?\s+(.+?)\)?$",
        r"^\W{0,3}?((?:[^.;]|\.\S){1,60}?)\s*(?:→|->|=>|⇒)\s*((?:[^.;]|\.\S){1,60})$",
    ]
    .iter()
    .map(|p| Regex::new(p).expect("a pair of values"))
    .collect()
});
static PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:lines?|file|location|at line) [\d`(]").expect("a place"));
static FILE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^`?[\w./-]+\.[A-Za-z]{1,5}`?$").expect("a file and nothing else"));
static NEEDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(runtime|reboot|rebuild|recompile|restart|credentials?|root|sudo|bios|firmware|hardware|driver reload|downtime)(?-u:\b)").expect("needs")
});

/// What a change needs, by the word that stands for it.
pub(super) fn needs(text: &str) -> Option<&'static str> {
    let found = NEEDS.find(text)?.as_str().to_lowercase();
    Some(match found.as_str() {
        "runtime" => "runtime",
        "reboot" => "reboot",
        "rebuild" | "recompile" => "rebuild",
        "restart" | "driver reload" => "restart",
        "root" | "sudo" => "root",
        "bios" | "firmware" => "firmware",
        "hardware" => "hardware",
        "downtime" => "downtime",
        _ => "credentials",
    })
}

impl<'a> Item<'a> {
    /// Takes the text of an item apart.
    pub(super) fn read(text: &'a str) -> Self {
        let mut item = Self::default();
        let mut rest = text.trim();
        loop {
            if let Some((status, after)) = level::mark(rest) {
                item.status = item.status.or(Some(status));
                rest = after;
            } else if let Some((level, after)) = level::emoji(rest) {
                item.level = Some(level);
                rest = after;
            } else {
                break;
            }
        }
        let mut after = item.title_of(rest);
        if PLACE.is_match(item.title) || FILE.is_match(item.title) {
            // "**Lines 10-20**: the lock is never freed" names a place; what was found stands behind it.
            let told = after.trim_start_matches(|c: char| c.is_whitespace() || "*:—–-".contains(c));
            if told.split_whitespace().count() >= 2 {
                after = item.title_of(told);
            }
        }
        item.rest(after);
        item
    }

    /// Finds the title and returns what follows it.
    fn title_of(&mut self, text: &'a str) -> &'a str {
        let mut bold = text.starts_with("**");
        let mut body = text.trim_start_matches("**");
        if let Some(tag) = TAG.captures(body).filter(is_tag) {
            let word = tag.get(2).map_or("", |m| m.as_str());
            self.level = level::whole(word)
                .map(|l| Level { text: &body[tag.get(2).map_or(0..0, |m| m.range())], ..l })
                .or(self.level);
            let closed = tag.get(4).or(tag.get(6)).is_some();
            bold = (bold && !closed) || tag.get(8).is_some();
            body = &body[tag.get(0).map_or(0, |m| m.end())..];
        }
        let end = if bold { body.find("**").unwrap_or(body.len()) } else { title_end(body) };
        self.bold = bold;
        self.title = unmarked(body[..end].trim_end_matches([':', ' ', '.', ',']));
        if let Some(m) = INNER.find(self.title) {
            let outer = self.title;
            self.level = self.level.or_else(|| level::whole(&outer[m.range()]));
            let keep = if m.start() == 0 { &outer[m.end()..] } else { &outer[..m.start()] };
            self.title = unmarked(keep.trim_matches([':', ' ', '-']));
        }
        &body[end..]
    }

    /// Reads level, state, needs and values out of what follows the title.
    fn rest(&mut self, rest: &'a str) {
        let mut rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "*:—–-".contains(c)).trim_end();
        self.needs = needs(rest);
        let found = INNER.find(rest).map(|m| m.range());
        if let Some(range) = found {
            self.level = self.level.or_else(|| level::whole(&rest[range.clone()]));
            let (before, after) = (rest[..range.start].trim(), rest[range.end..].trim());
            if let Some(status) = level::status(after) {
                self.status = self.status.or(Some(status));
                rest = before;
            } else {
                rest = if before.is_empty() { after } else { before };
            }
        }
        for (at, skip) in [(rest.rfind(") "), 1), (rest.rfind(". "), 1), (rest.rfind(" ("), 0)] {
            let Some(at) = at else { continue };
            if let Some(status) = level::status(&rest[at + skip..]) {
                self.status = self.status.or(Some(status));
                rest = rest[..at + skip].trim_end().trim_end_matches('.');
                break;
            }
        }
        let short =
            |m: regex::Match<'a>| Some(unmarked(m.as_str())).filter(|v| !v.is_empty() && v.chars().count() <= 80);
        for pair in PAIR.iter() {
            let Some(c) = pair.captures(rest) else { continue };
            if let (Some(current), Some(wanted)) = (c.get(1).and_then(short), c.get(2).and_then(short)) {
                (self.current, self.wanted) = (Some(current), Some(wanted));
                return;
            }
        }
        if let Some(value) = rest.strip_prefix("= ") {
            self.current = Some(unmarked(value)).filter(|v| !v.is_empty() && v.chars().count() <= 80);
        }
    }
}

/// A level in front counts when it is set off: in brackets, by a mark behind it, or numbered (`P1 #2`).
fn is_tag(tag: &regex::Captures<'_>) -> bool {
    let bracketed = tag.get(1).is_some() && tag.get(3).is_some();
    bracketed || tag.get(7).is_some() || tag.get(4).is_some() || tag.get(5).is_some()
}

/// Where a title that is not bold ends.
fn title_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut ticks = false;
    for (i, _) in text.char_indices() {
        if bytes[i] == b'`' {
            ticks = !ticks;
        }
        let rest = &text[i..];
        let cut = [" — ", " – ", " - ", ": ", " = ", " → "].iter().any(|s| rest.starts_with(s))
            || rest.starts_with(" (") && INNER.find(rest).is_some_and(|m| m.start() == 1)
            || rest.starts_with(" [") && INNER.find(rest).is_some_and(|m| m.start() == 1)
            || rest.starts_with(" (should be")
            || rest.starts_with(". ");
        if !ticks && cut {
            return i;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_items_apart() {
        use FindingStatus::{Actionable, Info, Ok};
        type Row = (
            &'static str,
            Option<&'static str>,
            &'static str,
            Option<&'static str>,
            Option<&'static str>,
            Option<FindingStatus>,
        );
        let rows: &[Row] = &[
            (
                "**[P0] Fan too slow** — currently 512 rpm, want 4096 rpm. needs change",
                Some("P0"),
                "Fan too slow",
                Some("512 rpm"),
                Some("4096 rpm"),
                Some(Actionable),
            ),
            ("Cache off: off (should be on) ok", None, "Cache off", Some("off"), Some("on"), Some(Ok)),
            ("Swap used: 3, should be 0 [P2] (info only)", Some("P2"), "Swap used", Some("3"), Some("0"), Some(Info)),
            ("Link speed = Gen5 [P2]", Some("P2"), "Link speed", Some("Gen5"), None, None),
            ("❌ Pins loose (P1) all → one", Some("P1"), "Pins loose", Some("all"), Some("one"), Some(Actionable)),
            ("**P1 #2: Hash too short**", Some("P1"), "Hash too short", None, None, None),
            ("HIGH: token in log", Some("P1"), "token in log", None, None, None),
            ("High load on the disk", None, "High load on the disk", None, None, None),
            (
                "**`walk()` follows links** - a link may point anywhere",
                None,
                "`walk()` follows links",
                None,
                None,
                None,
            ),
        ];
        for (text, level, title, current, wanted, status) in rows {
            let item = Item::read(text);
            let got = (item.level.map(|l| l.norm), item.title, item.current, item.wanted, item.status);
            let title = unmarked(title);
            assert_eq!(got, (*level, title, *current, *wanted, *status), "{text}");
        }
    }
}
