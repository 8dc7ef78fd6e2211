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
/// Something that has been done: "The flag has been added", "I've added the flag", "Successfully added the flag".
static HAS_BEEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:ha(?:s|ve) (?:now |already |just )?been|was|were|is|are) (?:now |all |both )?(?:successfully |fully )?(?:\w+ed|done|set up|written|built|made|run|sent|in place)(?-u:\b)|(?-u:\b)(?:i|we)(?:'ve|’ve| have) (?:now |already |just |also )?(?:successfully )?(?:\w+ed|done|set|written|built|made|run|sent)(?-u:\b)|(?-u:\b)successfully \w+ed(?-u:\b)")
        .expect("as above")
});
static START: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:now|starting|beginning|moving on to|proceeding (?:to|with)|on to|working on|let me start|let's start|let's (?:do|move))(?-u:\b)")
        .expect("as above")
});
/// What is begun now: "Now let me add the flag", "First, I'll add the flag".
static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:(?:now|next|first|then|finally|lastly|great|good|perfect|ok(?:ay)?|alright)[,!.:]? )*(?:(?:now|next),? )?(?:let me|let's|let’s|i'll|i’ll|i will|i'm going to|i am going to|time to|moving on to|starting with|proceeding to) (?:now |start by |begin by |first |next |also )*")
        .expect("as above")
});
/// Words that make a statement one about another time, or its opposite.
static UNSURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:not|n't|once|when|after|before|until|if|should|would|could|can|cannot|must|need|needs|to be|partially|almost|nearly|incomplete|remaining|failed|unable|please)(?-u:\b)|\?|n't|n’t")
        .expect("as above")
});
static LATER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)(?-u:\b)will(?-u:\b)|'ll|’ll|let me|let's|let’s").expect("as above"));

/// Longest line that is read as a statement on progress.
const LONGEST: usize = 240;

/// The steps of a plan as they are recognised in what is said later.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    numbers: Vec<Option<u32>>,
    /// Stems of the content words of each.
    stems: Vec<Vec<String>>,
}

impl Steps {
    pub(super) fn new(numbers: Vec<Option<u32>>, texts: &[&str]) -> Self {
        let stems = texts.iter().map(|t| Wording::of(t).stems).collect();
        Self { numbers, stems }
    }

    /// What a text says of the steps, by position.
    pub(super) fn told(&self, text: &str) -> BTreeMap<usize, Told> {
        let mut out = BTreeMap::new();
        for (_, line) in lines(text).filter(|(_, l)| l.len() <= LONGEST) {
            for sentence in line.split_inclusive([';', '!', '?']).flat_map(|s| s.split(". ")) {
                self.numbered(sentence, &mut out);
                self.in_other_words(sentence, &mut out);
            }
            if let Some(body) = ticked(line) {
                let words = line.trim().to_owned();
                let found = self.restated(body);
                out.extend(found.into_iter().map(|n| (n, Told { state: State::Done, words: words.clone() })));
            }
        }
        out
    }

    /// "Step 2 is done. Now step 3."
    fn numbered(&self, sentence: &str, out: &mut BTreeMap<usize, Told>) {
        if !STEP.is_match(sentence) || UNSURE.is_match(sentence) || LATER.is_match(sentence) {
            return;
        }
        let state = match () {
            () if DONE.is_match(sentence) => State::Done,
            () if START.is_match(sentence) => State::Active,
            () => return,
        };
        for found in STEP.captures_iter(sentence) {
            let number = found[1].parse::<u32>().ok();
            if let Some(n) = self.numbers.iter().position(|x| *x == number) {
                out.insert(n, Told { state, words: sentence.trim().to_owned() });
            }
        }
    }

    /// A sentence that says in the words of a step that it is done, or that it is begun.
    fn in_other_words(&self, sentence: &str, out: &mut BTreeMap<usize, Told>) {
        if UNSURE.is_match(sentence) {
            return;
        }
        let (state, body) = if let Some(found) = BEGINS.find(sentence) {
            (State::Active, &sentence[found.end()..])
        } else if HAS_BEEN.is_match(sentence) && !LATER.is_match(sentence) {
            (State::Done, sentence)
        } else {
            return;
        };
        for n in self.restated(body) {
            out.insert(n, Told { state, words: sentence.trim().to_owned() });
        }
    }

    /// The steps whose content words the text repeats: at least two of them, all of up to three, else three quarters.
    fn restated(&self, body: &str) -> Vec<usize> {
        let Wording { stems: mut said, words, .. } = Wording::of(body);
        // The stem of a short verb is cut too far: `added` gives `ad`.
        said.extend(words.iter().filter_map(|w| w.strip_suffix("ed")).map(str::to_owned));
        let shared = |stems: &[String]| stems.iter().filter(|s| said.contains(s)).count();
        let repeats = |stems: &[String]| {
            let wanted = if stems.len() <= 3 { stems.len() } else { (stems.len() * 3).div_ceil(4) };
            shared(stems) >= wanted.max(2)
        };
        (0..).zip(&self.stems).filter(|(_, stems)| repeats(stems)).map(|(n, _)| n).collect()
    }
}

/// The text behind a tick at the start of a line.
fn ticked(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || "-*.)# ".contains(c));
    ["✅", "✓", "✔️", "✔", "[x]", "[X]"].iter().find_map(|m| line.strip_prefix(m)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_heard_and_intentions_are_not() {
        let numbers = [Some(1), Some(2), Some(3)];
        let texts = ["Add the parser flag", "Write unit tests", "Update the docs"];
        let steps = Steps::new(numbers.to_vec(), &texts);
        let states =
            |text: &str| -> Vec<(usize, State)> { steps.told(text).into_iter().map(|(n, t)| (n, t.state)).collect() };
        assert_eq!(states("Step 1 is done. Now step 2."), [(0, State::Done), (1, State::Active)]);
        assert_eq!(states("✅ Added the parser flag\n- [x] Update the docs"), [(0, State::Done), (2, State::Done)]);
        assert_eq!(states("I've added the parser flag."), [(0, State::Done)]);
        assert_eq!(
            states("The docs have been updated, and the parser flag was added."),
            [(0, State::Done), (2, State::Done)]
        );
        assert_eq!(states("Great! Now let me write the unit tests."), [(1, State::Active)]);
        for text in [
            "I will update the docs when you agree",
            "The parser was changed",
            "Now that we've moved the cache, let's update the docs",
            "The docs could not be updated",
            "Shall I update the docs?",
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
