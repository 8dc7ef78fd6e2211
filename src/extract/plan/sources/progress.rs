//! What a reply says of the progress of a told plan: "Step 2 is done", "✅ Add the flag", "Now step 3".

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::steps::lines;
use crate::extract::plan::State;
use crate::extract::plan::wording::Wording;

/// What is said of one step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    pub(super) state: State,
    /// The words that say so.
    pub(super) words: String,
}

static STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:step|phase|task|part|milestone|stage)s?\s+#?(\d{1,2})(?-u:\b)")
        .expect("a constant pattern compiles")
});
static DONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)✅|✓|✔|(?-u:\b)(?:done|completed?|finished|implemented)(?-u:\b)").expect("as above")
});
static START: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:now|starting|beginning|moving on to|proceeding (?:to|with)|on to|working on|let me start|let's start|let's (?:do|move))(?-u:\b)")
        .expect("as above")
});
/// Words that make a statement one about another time, or its opposite.
static UNSURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:not|n't|once|when|after|before|until|if|should|would|could|will|must|need|needs|to be|partially|almost|nearly|incomplete|remaining)(?-u:\b)|\?|n't")
        .expect("as above")
});

/// Longest line that is read as a statement on progress.
const LONGEST: usize = 240;

/// What a text says of the steps with these numbers and texts, by position.
pub(super) fn told(text: &str, numbers: &[Option<u32>], texts: &[&str]) -> BTreeMap<usize, Told> {
    let mut out = BTreeMap::new();
    let marked = text.contains(['✅', '✓', '✔']) || text.contains("[x]");
    if !marked && !STEP.is_match(text) {
        return out;
    }
    for (_, line) in lines(text).filter(|(_, l)| l.len() <= LONGEST) {
        for sentence in line.split_inclusive([';', '!']).flat_map(|s| s.split(". ")) {
            let Some(state) = state_told(sentence) else { continue };
            for found in STEP.captures_iter(sentence) {
                let number = found[1].parse::<u32>().ok();
                if let Some(n) = numbers.iter().position(|x| *x == number) {
                    out.insert(n, Told { state, words: sentence.trim().to_owned() });
                }
            }
        }
        if let Some(body) = ticked(line)
            && let Some(n) = restated(body, texts)
        {
            out.insert(n, Told { state: State::Done, words: line.trim().to_owned() });
        }
    }
    out
}

fn state_told(sentence: &str) -> Option<State> {
    if UNSURE.is_match(sentence) {
        return None;
    }
    if DONE.is_match(sentence) {
        return Some(State::Done);
    }
    START.is_match(sentence).then_some(State::Active)
}

/// The text behind a tick at the start of a line.
fn ticked(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || "-*.)# ".contains(c));
    ["✅", "✓", "✔️", "✔", "[x]", "[X]"].iter().find_map(|m| line.strip_prefix(m)).map(str::trim)
}

/// The one step whose content words the text repeats: at least two, and two thirds of them.
fn restated(body: &str, texts: &[&str]) -> Option<usize> {
    let said = Wording::of(body).stems;
    let mut best: Option<(usize, usize)> = None;
    for (n, text) in texts.iter().enumerate() {
        let stems = Wording::of(text).stems;
        let shared = stems.iter().filter(|s| said.contains(s)).count();
        if shared >= 2 && shared * 3 >= stems.len() * 2 && best.is_none_or(|(_, most)| shared > most) {
            best = Some((n, shared));
        }
    }
    best.map(|(n, _)| n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_heard_and_intentions_are_not() {
        let numbers = [Some(1), Some(2), Some(3)];
        let texts = ["Add the parser flag", "Write unit tests", "Update the docs"];
        let states = |text: &str| -> Vec<(usize, State)> {
            told(text, &numbers, &texts).into_iter().map(|(n, t)| (n, t.state)).collect()
        };
        assert_eq!(states("Step 1 is done. Now step 2."), [(0, State::Done), (1, State::Active)]);
        assert_eq!(states("✅ Added the parser flag\n- [x] Update the docs"), [(0, State::Done), (2, State::Done)]);
        for text in [
            "Once step 1 is done, we go on.",
            "Step 1 is not complete",
            "Step 2 will be done later",
            "Is step 3 done?",
            "```\nStep 1 done\n```",
            "All done.",
            "✅ Tests pass",
        ] {
            assert_eq!(states(text), [], "{text}");
        }
    }
}
