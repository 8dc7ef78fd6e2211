//! Messages named: that they exist, and that a range holds what it is said to hold.

use std::sync::LazyLock;

use regex::Regex;

use super::{Scene, count};
use crate::verify::words::{NUMBER, number};
use crate::verify::{Finding, Kind};

/// `10 parallel agents ([msg 1260]–[msg 1271])`: the range stands for the things counted.
static COUNTED_RANGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"(?i)(?-u:\b)({NUMBER})\s+((?:[\w-]+\s+){{0,3}}?)([a-z]+)\s*\($")).expect("a constant pattern")
});

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let mut out = Vec::new();
    for r in &scene.sentence().own {
        for label in std::iter::once(&r.first).chain(&r.last).filter(|l| scene.world.find(l).is_none()) {
            out.push(Finding::contradicted(Kind::Reference, format!("there is no message {label}")));
        }
        if r.last.as_ref().is_some_and(|last| *last < r.first) {
            out.push(Finding::contradicted(Kind::Reference, format!("the range {r} runs backwards")));
        }
        out.extend(counted_range(scene, r));
    }
    out
}

fn counted_range(scene: &Scene<'_>, r: &crate::verify::refs::Reference) -> Option<Finding> {
    r.last.as_ref()?;
    let found = COUNTED_RANGE.captures(scene.text().get(..r.at.start)?)?;
    let stated = number(&found[1])?;
    let messages = scene.world.expand(std::slice::from_ref(r));
    let main: Vec<_> = messages.iter().copied().filter(|&ix| scene.world.session().on_main(ix)).collect();
    let holding = count::holders(scene, &found[2], &found[3], &main)?;
    if holding.len() == main.len() || holding.is_empty() {
        return None;
    }
    let without: Vec<String> =
        main.iter().filter(|ix| !holding.contains(ix)).map(|&ix| scene.world.label(ix)).collect();
    let reason = format!(
        "{stated} are named for a range of {} messages, {} of which hold one; none: {}",
        main.len(),
        holding.len(),
        without.join(", ")
    );
    Some(Finding::contradicted(Kind::Reference, reason).shown_by(holding))
}
