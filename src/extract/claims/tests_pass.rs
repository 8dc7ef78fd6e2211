//! Tests pass: all of them, n of them, n of m.

use std::sync::LazyLock;

use regex::Regex;

use super::super::prose;
use super::{EXACT, Kind, Matter, Reading, re};

pub(super) const KIND: Kind = Kind { read, ..EXACT };

static PASS: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"\b(?:(?P<n>\d+)\s?(?:of|/|out of)\s?(?P<of>\d+)(?: (?:of the |the )?(?P<part1>(?:[\w.-]+ ){0,3}?)(?:tests?|checks|specs))?",
        r"|(?P<all>all|every|both|the|our)(?: of)?(?: the| our| my)? (?:(?P<m>\d+|two|three|four|five|six|seven|eight|nine|ten) )?(?P<part2>(?:[\w./-]+ ){0,3}?)(?:tests?|test suites?|suites?|specs|test cases?)",
        r"|(?P<k>\d+) (?P<part3>(?:[\w./-]+ ){0,2}?)(?:tests?|specs)",
        r"|(?P<bare>tests?))",
        r"(?: (?:are|is|have|has|now|all|still|do|does|currently|also|both|continue to))* (?:pass(?:es|ed|ing)?|green|succeed(?:ed|s)?)\b"
    ))
});
/// Words that do not narrow down which tests are meant.
const PLAIN: &[&str] = &["", "full", "whole", "entire", "complete", "existing", "unit", "whole full", "project"];

/// A word that the number after it belongs to.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:\s[A-Z][A-Za-z]+|(?:^|[\s(*`])(?i:bugs?|steps?|phases?|cases?|rules?|issues?|tasks?|prompts?|parts?|scenarios?|options?|versions?|ids?|numbers?)) #?$").expect("a word before its number")
});

fn read(sentence: &str) -> Vec<Reading> {
    PASS.captures_iter(sentence)
        .filter_map(|c| {
            // The number of a thing is no count: `Rule 7 tests`.
            let labelled = c.name("k").is_some() && NUMBERED.is_match(&sentence[..c.get(0)?.start()]);
            if labelled {
                return Some((c.get(0)?.range(), Matter::Tests { passed: None, of: None, whole: false }));
            }
            let number = |name: &str| c.name(name).and_then(|m| prose::number(m.as_str()));
            let part = ["part1", "part2", "part3"].iter().find_map(|p| c.name(p)).map_or("", |m| m.as_str().trim());
            let plain = PLAIN.contains(&part.to_ascii_lowercase().as_str());
            let all = c.name("all").map_or("", |m| m.as_str());
            let total = number("m");
            let (passed, of) = (number("n").or(total).or(number("k")), number("of").or(total));
            let whole = plain && !all.eq_ignore_ascii_case("both") && c.name("k").is_none();
            Some((c.get(0)?.range(), Matter::Tests { passed, of, whole }))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_passes() {
        let one = |s: &str| read(s).into_iter().map(|(_, m)| m).next();
        let tests = |passed, of, whole| Some(Matter::Tests { passed, of, whole });
        assert_eq!(one("3 of 5 pass so far"), tests(Some(3), Some(5), true));
        assert_eq!(one("All 41 tests pass."), tests(Some(41), Some(41), true));
        assert_eq!(one("The full test suite is green."), tests(None, None, true));
        assert_eq!(one("all parser tests now pass"), tests(None, None, false));
        assert_eq!(one("12 tests passed"), tests(Some(12), None, false));
        assert_eq!(one("Rule 7 tests pass"), tests(None, None, false));
        assert_eq!(one("I passed the tests directory"), None);
    }
}
