//! Items that ask for talk, which leaves no trace in tool calls.

use std::sync::LazyLock;

use regex::Regex;

use crate::extract::plan::wording::Wording;

/// Verbs that ask for talk.
const TALK: &[&str] = &[
    "answer",
    "ask",
    "await",
    "brief",
    "communicate",
    "conclude",
    "decide",
    "deliver",
    "discuss",
    "explain",
    "inform",
    "outline",
    "present",
    "propose",
    "recommend",
    "reply",
    "respond",
    "share",
    "suggest",
    "summarise",
    "summarize",
    "tell",
    "think",
    "wait",
];
/// What only a person can give, asked for in any words.
static ASKED_OF_A_PERSON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|\W)(?:(?:get|gets|await|awaiting|obtain|request|receive|seek|secure|gain|wait(?:ing)? for|ask for) (?:\S+ ){0,3}(?:approval|confirmation|feedback|sign-?off|consent|go-ahead)(?:$|[.,;:)]| [—–-]| (?:from|on|before|for|of|to|by|and|or|about|first))|(?:^|[:,;—–] ?)(?:the )?users? (?:to )?(?:reviews?|approves?|confirms?|decides?|answers|chooses|decisions?|approval|confirmation|feedback|sign-?off)|(?:ask|wait for|await|present to|report to|confirm with|check with) (?:the )?(?:user|customer|client|owner|human))(?:\W|$)")
        .expect("a constant pattern compiles")
});
/// A label before what is to be done: `CHECKPOINT: …`, `Step 3 - …`.
static LABEL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\W*[\p{L}\d_. -]{1,24}(?::| —| –| -) ").expect("a constant pattern compiles"));

/// Whether an item asks for talk.
pub fn is_talk(text: &str) -> bool {
    let unlabelled = LABEL.find(text).map_or(text, |m| &text[m.end()..]);
    let begins = |text: &str| Wording::of(text).words.first().is_some_and(|w| TALK.contains(&w.as_str()));
    begins(text) || begins(unlabelled) || ASKED_OF_A_PERSON.is_match(&text.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_is_told_by_its_verb_or_by_whom_it_asks() {
        for text in [
            "Summarise the findings",
            "Explain the trade-offs to the user",
            "CHECKPOINT: Present the drawing",
            "Gate 2: User reviews the drawing — get approval before building",
            "Get the mayor's approval",
            "Wait for the paint to dry",
            "User decisions received and recorded",
        ] {
            assert!(is_talk(text), "{text}");
        }
        for text in [
            "Write the summary to out.md",
            "Get feedback form to render",
            "Add a user review page",
            "Fix: the share button",
            "Add an approval step",
        ] {
            assert!(!is_talk(text), "{text}");
        }
    }
}
