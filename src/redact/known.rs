//! Secrets that were found once: what stood around them told them, and they may stand elsewhere without that.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};

use super::{Hit, Kind};

/// Shortest secret that is looked for by itself: a short one may be a word of the language too.
const SHORTEST: usize = 20;

/// Finds them.
#[derive(Debug)]
pub(super) struct Known {
    finder: AhoCorasick,
    kinds: Vec<Kind>,
}

impl Known {
    /// The secrets among those that have a placeholder; `None` when there are none.
    pub(super) fn of(numbers: &BTreeMap<(Kind, String), usize>) -> Option<Self> {
        let long = |(kind, text): &&(Kind, String)| {
            let has = |is: fn(&u8) -> bool| text.bytes().any(|b| is(&b));
            matches!(kind, Kind::Token | Kind::Random)
                && text.len() >= SHORTEST
                && has(u8::is_ascii_digit)
                && has(u8::is_ascii_alphabetic)
                && !text.contains("REDACTED-")
        };
        let (kinds, texts): (Vec<Kind>, Vec<&str>) =
            numbers.keys().filter(long).map(|(kind, text)| (*kind, text.as_str())).unzip();
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&texts).ok()?;
        (!texts.is_empty()).then_some(Self { finder, kinds })
    }

    /// Where they stand in a text.
    pub(super) fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Hit> + 't {
        self.finder.find_iter(text).map(|found| Hit { at: found.range(), kind: self.kinds[found.pattern().as_usize()] })
    }
}
