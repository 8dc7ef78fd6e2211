//! The steps of a plan written as Markdown: numbered headings, a numbered list, or a checkbox list.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::checklist;
use crate::extract::plan::State;
use crate::extract::plan::wording::begins_with_activity;

/// One step, with the number a reader would call it by.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    pub(super) number: Option<u32>,
    pub(super) text: String,
    /// First byte of the text, and the byte after the last.
    pub(super) at: (usize, usize),
    pub(super) state: State,
}

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^#{1,5}\s+\**(?:(?:step|phase|task|part|milestone|stage)\s+)?(\d{1,2})(?:[.:)]|\s*[-–—])\s*(.+?)\**\s*#*$")
        .expect("a constant pattern compiles")
});
/// A heading that calls itself a step.
static STEP_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?im)^#{1,5}\s+\**(?:step|phase|task|part|milestone|stage)\s+\d").expect("a constant pattern compiles")
});
static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(\d{1,2})[.)]\s+(\S.*)$").expect("a constant pattern compiles"));

/// The steps of a text that is known to be a plan.
pub(super) fn of_plan(text: &str) -> Vec<Step> {
    let boxes = of_boxes(text);
    if boxes.len() >= 2 {
        return boxes;
    }
    let headings = of_lines(text, &HEADING);
    if rising(&headings) && (STEP_HEADING.is_match(text) || are_to_do(&headings)) {
        return headings;
    }
    longest_list(text)
}

/// The steps of a plan that is a part of a text.
pub(super) fn of_part(text: &str, part: Range<usize>) -> Vec<Step> {
    let start = part.start;
    let moved = |s: Step| Step { at: (s.at.0 + start, s.at.1 + start), ..s };
    of_plan(&text[part]).into_iter().map(moved).collect()
}

/// Whether at least half of the steps begin with something to do. Numbered headings and lists of a plan also name files,
/// parts or reasons.
fn are_to_do(steps: &[Step]) -> bool {
    steps.iter().filter(|s| begins_with_activity(&s.text)).count() * 2 >= steps.len()
}

/// The checkbox lines of a text.
pub(super) fn of_boxes(text: &str) -> Vec<Step> {
    let step = |b: checklist::Box<'_>| Step {
        number: None,
        text: b.text.to_owned(),
        at: (b.start, b.start + b.text.len()),
        state: b.state(),
    };
    checklist::boxes(text).into_iter().map(step).collect()
}

/// Lines outside code fences, with the place of their first byte.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut at, mut fence) = (0, false);
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        fence ^= is_fence;
        (!fence && !is_fence).then_some((start, line.trim_end()))
    })
}

fn of_lines(text: &str, pattern: &Regex) -> Vec<Step> {
    lines(text).filter_map(|(at, line)| step(line, at, pattern)).collect()
}

fn step(line: &str, at: usize, pattern: &Regex) -> Option<Step> {
    let found = pattern.captures(line)?;
    let (body, first) = (found.get(2)?, found.get(2)?.start());
    let text = title(body.as_str());
    let start = at + first + (text.as_ptr() as usize - body.as_str().as_ptr() as usize);
    let number = found[1].parse().ok();
    Some(Step { number, text: text.to_owned(), at: (start, start + text.len()), state: State::Pending })
}

/// The title of a step: its bold lead where it has one, else the whole line.
fn title(text: &str) -> &str {
    let text = text.trim();
    let bold = text.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let title = bold.filter(|(lead, _)| lead.contains(' ')).map_or(text, |(lead, _)| lead);
    title.trim_matches(|c: char| c == '*' || c == ':' || c.is_whitespace())
}

/// Whether steps count 1, 2, 3 (or 0, 1, 2), at least two of them.
fn rising(steps: &[Step]) -> bool {
    let first = steps.first().and_then(|s| s.number);
    steps.len() >= 2
        && first.is_some_and(|n| n <= 1)
        && steps.windows(2).all(|w| w[1].number == w[0].number.map(|n| n + 1))
}

/// Top-level lists of a text, numbered from 1 or with bullets; nested lines and blank lines between items do not end a list.
pub(super) fn lists(text: &str) -> Vec<Vec<Step>> {
    let mut lists: Vec<Vec<Step>> = Vec::new();
    let mut open = false;
    for (at, line) in lines(text) {
        let in_numbered = open && lists.last().is_some_and(|l| l[0].number.is_some());
        match step(line, at, &NUMBERED).or_else(|| bullet(line, at)) {
            // A point under a numbered item says more of it.
            Some(found) if in_numbered && found.number.is_none() => {}
            Some(found) if open && lists.last().is_some_and(|l| follows(l, &found)) => {
                lists.iter_mut().last().into_iter().for_each(|l| l.push(found.clone()));
            }
            Some(found) => {
                open = found.number.is_none_or(|n| n == 1);
                lists.extend(open.then(|| vec![found]));
            }
            None if line.is_empty() || line.starts_with([' ', '\t']) => {}
            None => open = false,
        }
    }
    lists
}

/// Top-level numbered lists of a text.
fn numbered_lists(text: &str) -> impl DoubleEndedIterator<Item = Vec<Step>> {
    lists(text).into_iter().filter(|l| l[0].number.is_some())
}

fn bullet(line: &str, at: usize) -> Option<Step> {
    let body = ["- ", "* ", "• "].iter().find_map(|m| line.strip_prefix(m)).filter(|b| !b.trim().is_empty())?;
    let text = title(body);
    let start = at + (text.as_ptr() as usize - line.as_ptr() as usize);
    Some(Step { number: None, text: text.to_owned(), at: (start, start + text.len()), state: State::Pending })
}

fn follows(list: &[Step], next: &Step) -> bool {
    list.last().is_some_and(|s| s.number.map(|n| n + 1) == next.number)
}

fn longest_list(text: &str) -> Vec<Step> {
    let lists = numbered_lists(text).filter(|l| l.len() >= 2 && are_to_do(l));
    // Of equally long lists the first counts: `max_by_key` would keep the last.
    lists.rev().max_by_key(Vec::len).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(steps: &[Step]) -> Vec<&str> {
        steps.iter().map(|s| s.text.as_str()).collect()
    }

    #[test]
    fn a_plan_s_steps_are_its_boxes_else_its_numbered_headings_else_its_longest_list() {
        let boxes = "# Plan\n1. one\n2. two\n- [ ] first\n- [x] second\n";
        assert_eq!(texts(&of_plan(boxes)), ["first", "second"]);
        let headings = "# Plan\n## Context\n1. a\n2. b\n3. c\n### Step 1: Read it\n### Step 2: **Fix it**\n";
        assert_eq!(texts(&of_plan(headings)), ["Read it", "Fix it"]);
        let files = "# Plan\n### 1. `src/cache.rs` (lines 3-8)\n### 2. `src/lru.rs`\n### 3. Notes\n";
        assert!(of_plan(files).is_empty());
        let list = "1. x\n2. y\n\nThen:\n\n1. **Add** the flag\n   - detail\n\n2. **Test it**: with care\n3. Run it\n";
        let steps = of_plan(list);
        assert_eq!(texts(&steps), ["Add** the flag", "Test it", "Run it"]);
        assert!(steps.iter().all(|s| list[s.at.0..s.at.1] == s.text));
        assert!(of_plan("No steps here.\n- a\n- b\n").is_empty());
    }
}
