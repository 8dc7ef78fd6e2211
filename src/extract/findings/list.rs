//! Findings in lists, under headings, and as headings of their own.

use std::sync::LazyLock;

use regex::Regex;

use super::item::Item;
use super::level::{self, Level};
use super::wording::{clip, cried, is_count_of_issues, is_deed, is_named_point, is_nothing, is_predicate, pair_below};
use super::{Finding, FindingStatus};
use crate::extract::prose::{Kind, Line, lines, offset, re, unmarked};
use crate::session::TextRef;

/// What a heading, or a line that introduces a list, says about the items below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Nothing: what stands above goes on.
    Neutral,
    /// Problems.
    Issues,
    /// Findings of any kind.
    Found,
    /// Problems that were solved.
    Fixed,
    /// Points in order.
    Fine,
    /// Something other than findings: plans, praise, options, templates.
    Other,
}

/// A heading in force.
#[derive(Debug, Clone, Copy)]
struct Section<'a> {
    depth: u8,
    role: Role,
    level: Option<Level<'a>>,
}

/// Depth of a line that introduces a list: it ends with the list.
const INTRO: u8 = 8;

/// In the plural only: "the problem" and "the root cause" introduce an explanation, whose points are no findings.
static ISSUES: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(issues|problems|bugs|vulnerabilit(y|ies)|concerns|defects|root causes|weaknesses|misconfigurations|violations|needs? (attention|work|fixing|change|to change|to be fixed)|what'?s broken|not working|action (needed|required)|must[- ]fix|should[- ]fix)\b",
    )
});
/// "Findings" are told of good things too: below such a heading an item needs a level, a state or values of its own.
static FOUND: LazyLock<Regex> = LazyLock::new(|| re(r"\b(findings?|audit)\b"));
static P_LEVEL: LazyLock<Regex> = LazyLock::new(|| re(r"\bP[0-4]\b"));
static INTRODUCES: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(found|identified|discovered|main|key|following|several|remaining|here are|uncovered|spotted|detected|noticed)\b",
    )
});
static FIXED: LazyLock<Regex> = LazyLock::new(|| re(r"\b(fixed|resolved|fixes applied|addressed|solved|corrected)\b"));
static FINE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\W*(working (correctly|well|as expected|fine)|ok( items| already| points)?|(already )?(ok|optimal|correct|good|fine|in order|healthy)|correctly configured|(ok,? )?no (action|change)s? (needed|required)|verified ok|what works|passing( checks)?|passed( checks)?|items? (marked )?ok)\W*(\(.*\)|[:—–-].*)?$",
    )
});
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(no (known |open |new |remaining |other |major |critical |blocking )*(issues|problems|findings|bugs|concerns)|next steps?|recommend\w*|suggest\w*|positives?|praise|strengths|solutions?|plans?|phases?|steps|options?|approach(es)?|tests?|coverage|stor(y|ies)|features?|tasks?|to-?dos?|roadmap|milestones?|skills?|files|changes|well|verification|usage|examples?|templates?|workflow|agenda|let me|i'll|i will|going to|to fix|to address|ways? to|might|could|if|possible|potential (causes|reasons)|questions|benefits|improvements|requirements|agents|tools|template|instructions|looking for|look for|check for|finding|characteristics|properties|details|overview)\b",
    )
});
static SPEAKS: LazyLock<Regex> =
    LazyLock::new(|| re(r"\b(findings?|issues?|problems?|vulnerabilit(y|ies)|bugs?|audit|review|concerns?)\b"));
static HEADING_LEVEL: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^[^\w\[(]*[\[(]?(P[0-4]|critical|blockers?|high|major|important|medium|moderate|low|minor|nice[- ]to[- ]have|nits?|trivial)\b[\])]?(?:[ -](?:severity|risk|impact|priority))?\W*(?:(?:findings?|issues?|problems?|bugs?|items?|vulnerabilit(?:y|ies)|concerns?|fixes|points)\b)?\W*([\[(].{0,40}[\])])?\W*(?:$|[:—–-]|\d)",
    )
});
static TITLED: LazyLock<Regex> =
    LazyLock::new(|| re(r"^[^\w\[(]*[\[(]?(?:P[0-4]|critical|high|medium|low)[\])]?(?: ?#?\d+)?\s*[:—–-]\s*\S"));
static CAUSE: LazyLock<Regex> = LazyLock::new(|| re(r"^\W*(?:the )?root cause(?: was| is)?:?\W+"));
static SOLVED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(fix(es)? applied|solutions? (implemented|applied)|i('ve| have)? (successfully )?(fixed|resolved)|(now|all) (fixed|resolved))\b",
    )
});

/// The findings of one text.
///
/// `beside`: a table of the same text holds findings.
pub(super) fn read(text: &TextRef<'_>, beside: bool) -> Vec<Finding> {
    if !may_hold(text.text) {
        return Vec::new();
    }
    let lines = lines(text.text);
    let mut reader = Reader {
        text,
        lines: &lines,
        sections: Vec::new(),
        details: None,
        found: Vec::new(),
        cried: None,
        fine: Vec::new(),
        speaks: SPEAKS.is_match(text.text),
    };
    let mut at = 0;
    while at < lines.len() {
        at = reader.line(at);
    }
    reader.finish(beside)
}

/// Cheap test: one line alone lists nothing.
fn may_hold(text: &str) -> bool {
    memchr::memchr(b'\n', text.as_bytes()).is_some()
}

struct Reader<'a> {
    text: &'a TextRef<'a>,
    lines: &'a [Line<'a>],
    sections: Vec<Section<'a>>,
    /// Inside the details of a finding that has a heading of its own, of this depth.
    details: Option<u8>,
    found: Vec<Finding>,
    /// Level of a cry ("CRITICAL FINDING!") whose finding stands below it.
    cried: Option<Level<'a>>,
    /// Points in order without a level: kept only beside findings that have one.
    fine: Vec<Finding>,
    speaks: bool,
}

impl<'a> Reader<'a> {
    /// Reads the line at `at` and says which is next.
    fn line(&mut self, at: usize) -> usize {
        let line = self.lines[at];
        match line.kind {
            Kind::Heading(depth) => self.heading(line.text, depth),
            Kind::Text if self.intro(at) => {}
            Kind::Text => {
                if line.indent == 0 {
                    self.sections.retain(|s| s.depth < INTRO);
                }
                self.marked(line);
            }
            kind if kind.is_item() => return self.item(at),
            _ => {}
        }
        at + 1
    }

    fn heading(&mut self, text: &'a str, depth: u8) {
        self.sections.retain(|s| s.depth < depth);
        if self.details.is_some_and(|d| depth <= d) {
            self.details = None;
        }
        let bare = unmarked(text);
        if self.cry(bare) {
            self.sections.push(Section { depth, role: Role::Other, level: None });
            return;
        }
        let own = bare.trim_start_matches('#');
        let numbered =
            own.split_once(['.', ')']).filter(|(n, _)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        if let Some((_, title)) = numbered
            && self.level().is_some()
            && self.role() != Role::Other
        {
            let item = Item { title: unmarked(title), ..Item::default() };
            return self.as_heading(item, depth);
        }
        if TITLED.is_match(own) && (self.speaks || self.role() == Role::Fixed) && !OTHER.is_match(own) {
            let item = Item::read(own);
            if item.level.is_some() && item.title.contains(' ') {
                return self.as_heading(item, depth);
            }
        }
        self.sections.push(self.section(bare, depth));
    }

    fn as_heading(&mut self, item: Item<'a>, depth: u8) {
        self.details = Some(depth);
        self.push(&item);
    }

    fn section(&self, text: &'a str, depth: u8) -> Section<'a> {
        let within = || P_LEVEL.find(text).filter(|_| depth == INTRO).and_then(|m| level::whole(m.as_str()));
        let level = HEADING_LEVEL.captures(text).and_then(|c| {
            let inner = c.get(2).and_then(|m| level::whole(&text[m.range()]));
            let word = c.get(1).and_then(|m| level::whole(text[m.range()].trim_end_matches('s')));
            inner.filter(|l| l.text.starts_with(['P', 'p'])).or(word)
        });
        let level = level.or_else(within);
        let role = if FINE.is_match(text) {
            Role::Fine
        } else if level.is_some() && depth == INTRO && FIXED.is_match(text) {
            Role::Fixed
        } else if level.is_some() {
            if self.speaks || self.role() == Role::Issues { self.inherited(Role::Issues) } else { Role::Neutral }
        } else if OTHER.is_match(text) && !is_count_of_issues(text) {
            Role::Other
        } else if ISSUES.is_match(text) {
            if FIXED.is_match(text) { Role::Fixed } else { Role::Issues }
        } else if FIXED.is_match(text) {
            // "All feedback resolved:" introduces deeds, not what was wrong.
            if depth == INTRO { Role::Other } else { Role::Fixed }
        } else if FOUND.is_match(text) {
            Role::Found
        } else if depth < 7 && self.speaks && is_named_point(text) {
            Role::Other
        } else {
            Role::Neutral
        };
        Section { depth, role, level }
    }

    /// A level heading under "Fixes applied" holds solved problems, one under "Next steps" none.
    fn inherited(&self, role: Role) -> Role {
        match self.role() {
            Role::Fixed => Role::Fixed,
            Role::Other => Role::Other,
            _ => role,
        }
    }

    fn role(&self) -> Role {
        self.sections.iter().rev().map(|s| s.role).find(|r| *r != Role::Neutral).unwrap_or(Role::Neutral)
    }

    fn level(&self) -> Option<Level<'a>> {
        self.sections.iter().rev().find_map(|s| s.level)
    }

    /// A line that introduces the list after it.
    fn intro(&mut self, at: usize) -> bool {
        let text = unmarked(self.lines[at].text).trim_end_matches('*').trim_end();
        let next = self.lines[at + 1..].iter().find(|l| l.kind != Kind::Blank);
        if !text.ends_with(':') || !next.is_some_and(|l| l.kind.is_item()) {
            return false;
        }
        let last = text.rfind(". ").map_or(text, |i| &text[i + 2..]);
        self.sections.retain(|s| s.depth < INTRO);
        let short = last.split_whitespace().count() <= 5;
        let mut section = self.section(last, INTRO);
        if matches!(section.role, Role::Issues | Role::Fixed)
            && section.level.is_none()
            && !short
            && !INTRODUCES.is_match(last)
        {
            section.role = Role::Neutral;
        }
        self.sections.push(section);
        true
    }

    /// A line of prose that starts with a mark, or names a root cause.
    fn marked(&mut self, line: Line<'a>) {
        if self.details.is_some() {
            return;
        }
        if level::mark(line.text).is_some() || level::emoji(line.text).is_some() {
            let item = Item::read(line.text);
            if item.level.is_some()
                && (item.current.is_some() || self.speaks)
                && self.role() != Role::Other
                && !line.text.ends_with(':')
            {
                self.push(&item);
            }
        } else if !self.cry(unmarked(line.text)) {
            self.cause(line.text);
        }
    }

    /// "CRITICAL FINDING: …", "The Problem: …": a finding told by a heading or a line of its own. What stands below it tells
    /// of it.
    fn cry(&mut self, text: &'a str) -> bool {
        let Some((level, title)) = cried(text) else { return false };
        self.cried = level.or(self.cried);
        let told = title.split_whitespace().count() >= 3 && !title.ends_with([':', '?']) && !OTHER.is_match(title);
        if told {
            let level = self.cried.take();
            self.push(&Item { title, level, ..Item::default() });
        }
        told
    }

    fn cause(&mut self, text: &'a str) {
        let Some(m) = CAUSE.find(text).filter(|m| m.as_str().contains(':')) else { return };
        let rest = &text[m.end()..];
        let end = [" (", ". ", " — ", "; "].iter().filter_map(|s| rest.find(s)).min().unwrap_or(rest.len());
        let title = unmarked(rest[..end].trim_end_matches('.'));
        if title.split_whitespace().count() >= 3 {
            self.push(&Item { title, ..Item::default() });
        }
    }

    /// Reads an item with the deeper lines below it, and says which line is next.
    fn item(&mut self, at: usize) -> usize {
        let line = self.lines[at];
        let below = self.lines[at + 1..]
            .iter()
            .take_while(|l| l.kind == Kind::Blank || l.kind == Kind::Code || l.indent > line.indent)
            .count();
        let next = at + 1 + below;
        if self.details.is_some() {
            return next;
        }
        if CAUSE.is_match(line.text) && self.role() != Role::Other {
            self.cause(line.text);
            return next;
        }
        let mut item = Item::read(line.text);
        for sub in &self.lines[at + 1..next] {
            pair_below(&mut item, sub.text);
        }
        if self.is_finding(&item, line.text) {
            self.push(&item);
            return next;
        }
        // A point that groups others: they are read as items of their own.
        let groups = self.lines[at + 1..next].iter().any(|l| l.kind.is_item());
        if groups && unmarked(line.text).ends_with(':') { at + 1 } else { next }
    }

    fn is_finding(&self, item: &Item<'_>, text: &str) -> bool {
        let words = item.title.split_whitespace().count();
        if words == 0
            || is_predicate(item.title)
            || text.ends_with(':') && item.level.is_none() && !item.bold
            || is_nothing(item.title)
        {
            return false;
        }
        let told = item.status.is_some() || item.current.is_some() || item.wanted.is_some();
        match self.role() {
            Role::Other => item.level.is_some() && item.current.is_some() && item.wanted.is_some(),
            Role::Issues => !text.ends_with('?') && !is_deed(item.title),
            Role::Fixed => item.level.is_some() || self.level().is_some() || self.section_of_issues(),
            Role::Found => told || item.level.is_some() || self.level().is_some(),
            Role::Fine => words <= 16,
            Role::Neutral => {
                (item.level.is_some() || self.level().is_some()) && told
                    || item.level.is_some() && self.speaks && words >= 2
            }
        }
    }

    fn section_of_issues(&self) -> bool {
        self.sections
            .iter()
            .rev()
            .find(|s| s.role != Role::Neutral)
            .is_some_and(|s| s.role == Role::Fixed && s.depth == INTRO)
    }

    fn push(&mut self, item: &Item<'a>) {
        let title = clip(item.title);
        if title.is_empty() || super::is_test_name(title) {
            return;
        }
        let level = item.level.or_else(|| self.level());
        let role = self.role();
        let told =
            item.status.map(|s| if role == Role::Fixed && s == FindingStatus::Ok { FindingStatus::Fixed } else { s });
        let status = told.unwrap_or(match role {
            Role::Fine => FindingStatus::Ok,
            Role::Fixed => FindingStatus::Fixed,
            _ if item.current.is_some() && item.current == item.wanted => FindingStatus::Ok,
            _ => FindingStatus::Actionable,
        });
        let start = offset(self.text.text, title);
        let finding = Finding {
            msg: self.text.msg,
            span: self.text.span(start, start + title.len()),
            level: level.map(|l| l.norm.to_owned()),
            level_text: level.map(|l| l.text.to_owned()),
            title: title.to_owned(),
            status,
            current: item.current.map(str::to_owned),
            wanted: item.wanted.map(str::to_owned),
            needs: item.needs.map(str::to_owned),
            row: None,
            restates: None,
        };
        let aside = role == Role::Fine && finding.level.is_none();
        if aside { self.fine.push(finding) } else { self.found.push(finding) }
    }

    fn finish(mut self, beside: bool) -> Vec<Finding> {
        let solved = SOLVED.is_match(self.text.text);
        for finding in self.found.iter_mut().filter(|f| solved && f.level.is_none() && f.current.is_none()) {
            if finding.status == FindingStatus::Actionable {
                finding.status = FindingStatus::Fixed;
            }
        }
        if beside || self.found.iter().any(|f| f.level.is_some()) {
            self.found.append(&mut self.fine);
            self.found.sort_by_key(|f| f.span.start);
        }
        self.found
    }
}
