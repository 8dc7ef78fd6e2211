//! Words that decide how a sentence is read: numbers spelled out, hedges, praise, motives.

use std::sync::LazyLock;

use crate::extract::prose::re;
use regex::Regex;

/// Pattern of a number in digits or spelled out.
pub(super) const NUMBER: &str = r"\d[\d,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty";

/// A number spelled out or written in digits.
pub(super) fn number(word: &str) -> Option<u64> {
    const WORDS: &[&str] = &[
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    let lower = word.to_ascii_lowercase();
    match lower.as_str() {
        "single" => return Some(1),
        "no" => return Some(0),
        "both" => return Some(2),
        _ => {}
    }
    let small = |word: &str| WORDS.iter().position(|w| *w == word).map(|n| n as u64);
    if let Some(n) = small(&lower).or_else(|| tens(&lower, small)) {
        return Some(n);
    }
    let digits: String = lower.chars().filter(|c| *c != ',').collect();
    digits.parse().ok().filter(|_| lower.starts_with(|c: char| c.is_ascii_digit()))
}

/// `thirty`, `thirty-eight`.
fn tens(word: &str, small: impl Fn(&str) -> Option<u64>) -> Option<u64> {
    const TENS: &[&str] = &["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let (ten, one) = word.split_once('-').map_or((word, None), |(ten, one)| (ten, Some(one)));
    let ten = TENS.iter().position(|t| *t == ten)? as u64 * 10 + 20;
    one.map_or(Some(ten), |one| small(one).filter(|n| (1..10).contains(n)).map(|n| ten + n))
}

static HEDGE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(presumably|perhaps|maybe|probably|likely|unlikely|possibly|apparently|seems?|seemed|appears? to|appeared to|might|could|would|may|suggest(s|ing|ed)?|impl(y|ies|ying|ied)|if any|what if|what happens if|arguably|potentially|should have|can be|effectively|essentially|whether|unclear|must have|if)\b",
    )
});
static OPINION: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(reveals?|revealing|crisp|staggering|textbook|critical|elegant|impressive|clever|brilliant|careful(ly)?|reasonable|rational|sound|notabl[ey]|remarkabl[ey]|deceptively|trivial|suboptimal|optimistic|conservatism|aggressive|confidence|confident|competence|initiative|trust|wanted|wants to|intends?|intended|decided because|because|in order to|so that|demonstrat(es?|ing|ed)|reflects?|signals?|signaling|motivation|represents?|importance|significan(t|ce)|well-grounded|builds trust|accountability|knowledge|poor(ly)?|excellent|good|bad|wise|unwise|best practice|prefer(s|ence)?)\b",
    )
});

/// Whether the sentence asks.
pub(super) fn is_question(text: &str) -> bool {
    text.trim_end().ends_with('?')
}

/// Whether the sentence says that it is not sure, or speaks of what might be.
pub(super) fn is_hedged(text: &str) -> bool {
    HEDGE.is_match(text) || is_question(text)
}

/// The text with every clause blanked out, byte for byte, that says it is not sure.
pub(super) fn without_guesses(text: &str) -> String {
    if !HEDGE.is_match(text) {
        return text.to_owned();
    }
    let mut bytes = text.as_bytes().to_vec();
    let ends: Vec<usize> = CLAUSE.find_iter(text).map(|m| m.end()).chain([text.len()]).collect();
    let mut start = 0;
    for end in ends {
        if HEDGE.is_match(&text[start..end]) {
            bytes[start..end].fill(b' ');
        }
        start = end;
    }
    String::from_utf8(bytes).unwrap_or_default()
}

static CLAUSE: LazyLock<Regex> = LazyLock::new(|| re(r", |; |: | — | – | \(|\) "));

/// Whether the sentence praises, blames, or tells motives and causes.
pub(super) fn is_opinion(text: &str) -> bool {
    OPINION.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_words() {
        assert_eq!(["thirty", "thirty-eight", "Ten", "2,048"].map(number), [Some(30), Some(38), Some(10), Some(2048)]);
        assert_eq!(["thirty-twelve", "state-of", "tent"].map(number), [None; 3]);
    }

    #[test]
    fn only_the_clause_that_guesses_is_left_out() {
        assert_eq!(without_guesses("It ran 3 calls, perhaps 4."), "It ran 3 calls,           ");
        assert_eq!(without_guesses("It ran."), "It ran.");
    }
}
