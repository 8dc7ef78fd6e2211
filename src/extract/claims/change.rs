//! A figure changed by so many per cent, or by a factor.

use std::sync::LazyLock;

use regex::Regex;

use super::{Direction, EXACT, Kind, Matter, Reading, re};

pub(super) const KIND: Kind = Kind { read, ..EXACT };

static CHANGE: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?:[\w-]+ ){0,3}?\b(?P<verb>improv\w+|increas\w+|decreas\w+|reduc\w+|dropp?\w*|fell|rose|grew|gain\w*|wins?|won|speeds up|sped up|los[et]s?)(?: (?:[\w-]+ ){0,3}?)?(?:by )?(?:about |around |roughly |~|≈)?(?:(?P<la>\d+(?:\.\d+)?)\s?(?:%|percent|[x×])?\s?(?:-|–|—|to)\s?)?(?P<a>\d+(?:\.\d+)?)\s?(?P<ua>%|percent|[x×])",
        r"|(?:(?P<lb>\d+(?:\.\d+)?)\s?(?:%|percent|[x×])?\s?(?:-|–|—|to)\s?)?(?P<b>\d+(?:\.\d+)?)\s?(?P<ub>%|percent|[x×])-? ?(?P<word>faster|slower|better|worse|higher|lower|smaller|larger|fewer|improvement|increase|reduction|decrease|speed-?up|gain|drop)\b"
    ))
});

/// The predicate of which the change is the subject, unless it confirms it.
static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\s*(?:(?:was|were|is|are)\s+(?P<how>\w+)|came|comes|turn(?:s|ed)|reflect\w*|stem\w*|result(?:s|ed)|would|could|might|should)\b",
    )
});

fn read(sentence: &str) -> Vec<Reading> {
    CHANGE
        .captures_iter(sentence)
        .filter_map(|c| {
            let by: f64 = c.name("a").or(c.name("b"))?.as_str().parse().ok()?;
            let unit = c.name("ua").or(c.name("ub"))?.as_str();
            let factor = !(unit == "%" || unit.eq_ignore_ascii_case("percent"));
            let word = c.name("verb").or(c.name("word"))?.as_str().to_ascii_lowercase();
            let direction = direction(&word)?;
            let from = c.name("la").or(c.name("lb")).and_then(|m| m.as_str().parse().ok()).filter(|low| *low < by);
            let whole = c.get(0)?.range();
            // “The 3x speedup came from …” says where a gain came from, not that there is one.
            let told_of = c.name("word").is_some() && is_subject(&sentence[whole.end..]);
            (by > 0.0 && !told_of).then_some((whole, Matter::Change { by, from, factor, direction }))
        })
        .collect()
}

/// Whether what follows speaks of the change rather than ending with it.
fn is_subject(after: &str) -> bool {
    const CONFIRMED: &[&str] = &["measured", "confirmed", "achieved", "verified", "reproducible", "real", "seen"];
    let how = |c: &regex::Captures<'_>| c.name("how").is_some_and(|h| CONFIRMED.contains(&h.as_str()));
    SUBJECT.captures(after).is_some_and(|c| !how(&c))
}

fn direction(word: &str) -> Option<Direction> {
    let starts = |list: &[&str]| list.iter().any(|p| word.starts_with(p));
    if starts(&["increas", "rose", "grew", "higher", "larger"]) {
        Some(Direction::Up)
    } else if starts(&["decreas", "reduc", "drop", "fell", "lower", "smaller", "fewer"]) {
        Some(Direction::Down)
    } else if starts(&["improv", "gain", "win", "won", "speed", "sped", "faster", "better"]) {
        Some(Direction::Better)
    } else if starts(&["slower", "worse", "los"]) {
        Some(Direction::Worse)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_amount_and_direction() {
        let one = |s: &str| read(s).pop().map(|(_, m)| m);
        let change = |by, factor, direction| Some(Matter::Change { by, from: None, factor, direction });
        assert_eq!(one("That makes it 12 % faster."), change(12.0, false, Direction::Better));
        assert_eq!(one("Latency dropped by 20 %."), change(20.0, false, Direction::Down));
        assert_eq!(one("The candidate wins by 7 %"), change(7.0, false, Direction::Better));
        assert_eq!(one("a 2.5x speedup"), change(2.5, true, Direction::Better));
        assert_eq!(one("CPU use is at 20 %"), None);
        assert_eq!(one("The 9x speedup came from an empty loop."), None);
        assert_eq!(
            one("a 20–25× speedup"),
            Some(Matter::Change { by: 25.0, from: Some(20.0), factor: true, direction: Direction::Better })
        );
    }
}
