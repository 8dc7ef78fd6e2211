//! Nothing else was changed.

use std::sync::LazyLock;

use regex::Regex;

use super::{EXACT, Kind, Matter, Reading, re, whole};

pub(super) const KIND: Kind = Kind { read, positive: false, ..EXACT };

static UNCHANGED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:no|none of the) other (?:files?|code|tests?|settings?|parts?|changes)(?: \w+){0,3} (?:changed|modified|touched|made|edited|affected)\b|\bnothing else (?:was |has been |is )?(?:changed|modified|touched|edited)\b|\b(?:everything|all) else (?:is|was|stays|remains|remained|has been left|was left) (?:unchanged|untouched|as (?:it was|is))\b|\b(?:did not|didn't|haven't|have not) (?:change|modif(?:y|ied)|touch(?:ed)?|edit(?:ed)?|changed) (?:anything else|any other)\b",
    )
});

fn read(sentence: &str) -> Vec<Reading> {
    if UNCHANGED.is_match(sentence) { vec![(whole(sentence), Matter::Unchanged)] } else { Vec::new() }
}
