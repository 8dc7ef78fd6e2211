//! The words that say how a figure is meant: its role, a difference, a phase.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::words;
use crate::extract::bench::MeasurementRole;

static ROLES: LazyLock<Vec<(MeasurementRole, Regex)>> = LazyLock::new(|| {
    use MeasurementRole::{Estimated, Invalid, Measured, Quoted, Target, Theoretical};
    let list = [
        (Invalid, r"\b(warm-?up|discard(ed)?|invalid|fake|cold (run|start) figure|bogus|retracted|outlier)\b"),
        (
            Estimated,
            r"\b(estimat\w*|expect\w*|predict\w*|projected|projection|should (be|get|give|reach|yield|see|hit|run)|would|could|might|may (be|reach|get)|realistically|realistic (?:estimate|expectation|goal|range|number|upper)\w*|back[- ]of[- ](the[- ])?envelope|assum\w*|hypothetical\w*|approx\. ideal)\b|^at \d+ ?%",
        ),
        (
            Target,
            r"\b(targets?|goals?|slo|at least|must|needs? (to|at)|want|required?|requirement|acceptance|budget|aim(ing)?|thresholds?|(alarms?|alerts?) (should|must|when|if|at|fires?))\b|≥",
        ),
        (
            Theoretical,
            r"\b(theoretical\w*|theory|ceiling|upper bound|roofline|speed[- ]of[- ]light|sol|line[- ]rate|rated|max(imum)? possible|hardware (limit|peak|max\w*)|(link|bandwidth|bw|physical|pcie|bus|memory) (limit|max(imum)?|peak)|limit (is|of)|peak (memory )?bandwidth|peak ([a-z0-9]+ ){0,3}[kmgtp]?flops?|ideal)\b",
        ),
        (
            Quoted,
            r"\b(reports?|reported by|according to|blog|paper|readme|published|vendor|claims|advertised|data ?sheet|specs?|specification|documentation|https?)\b",
        ),
        (
            Measured,
            r"\b(measured|got|achiev\w*|observed|actual\w*|now|results?|we see|ran|reached|gave|gives|gets|hits?|clocked|benchmarked|delivers?|sustained?)\b",
        ),
    ];
    list.map(|(role, w)| (role, words(w))).into()
});

/// The role that a phrase gives its figure: the cue nearest to its end, or to its start when the phrase stands behind.
pub fn role(phrase: &str, behind: bool) -> Option<MeasurementRole> {
    let found = ROLES.iter().filter_map(|(role, w)| {
        let mut cues = w.find_iter(phrase).filter(|m| is_word(phrase, m.range()));
        let m = if behind { cues.next() } else { cues.last() }?;
        Some((if behind { m.start() } else { phrase.len() - m.end() }, *role))
    });
    found.min_by_key(|(distance, _)| *distance).map(|(_, role)| role)
}

/// Whether a cue stands as a word of the sentence: in an option, path or name (`-C target-cpu=native`) it says nothing.
fn is_word(phrase: &str, cue: Range<usize>) -> bool {
    let before = phrase[..cue.start].chars().next_back();
    let mut after = phrase[cue.end..].chars();
    let (next, then) = (after.next(), after.next());
    let joins = |c: Option<char>| c.is_some_and(|c| "-_/=".contains(c));
    let glued = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !(matches!(before, Some('-' | '_' | '/')) || joins(next) && glued(then))
}

static DERIVED: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(diff|difference|change|gain|speed-?up|relative|improvement|overhead|reduction|savings?|faster|slower|ratio|factor|efficiency|gap|delta|regression|scaling|cost saving|improved|increase|decrease|vs\.?)\b|Δ|^vs\b|% of|×$",
    )
});

/// Whether a header or phrase announces a difference or ratio of other figures.
pub fn is_derived(phrase: &str) -> bool {
    // A hit ratio is a figure of its own.
    let own = |at: usize| phrase[..at].trim_end().to_ascii_lowercase().ends_with("hit");
    DERIVED.find_iter(phrase).any(|m| !own(m.start()))
}

static PHASES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let list = [
        ("baseline", r"\b(baseline|stock|vanilla|unpatched|original(ly)?|without)\b"),
        ("before", r"\b(before|old|previous(ly)?|earlier|initial(ly)?|up from|down from)\b"),
        ("after", r"\b(after|new|tuned|patched|optimi[sz]ed|improved|now|current(ly)?)\b"),
    ];
    list.map(|(id, w)| (id, words(w))).into()
});

/// The phase that a phrase names: the cue nearest to its end.
pub fn phase(phrase: &str) -> Option<&'static str> {
    let last = |w: &Regex| w.find_iter(phrase).last().map(|m| m.end());
    PHASES.iter().filter_map(|(id, w)| Some((last(w)?, *id))).max().map(|(_, id)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_cue_gives_the_role() {
        use MeasurementRole::{Measured, Theoretical};
        assert_eq!(role("the theoretical limit was known, we measured ", false), Some(Measured));
        assert_eq!(role(" theoretical, measured", true), Some(Theoretical));
        assert_eq!(role("and ", false), None);
        assert_eq!(role("built with `-O2 -mtarget-cpu=native` in target/fast: ", false), None);
    }
}
