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
    out.extend(calls_in_range(scene));
    out
}

static CALLS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^The (\d+) `([^`]+)` calls stand in \[msg [^\]]*\]–\[msg [^\]]*\](?:, in (\d+) of these (\d+) messages)?",
    )
    .expect("a constant pattern")
});

/// `The 4 `task` calls stand in [msg 3]–[msg 9], in 4 of these 7 messages`: so many, and from end to end.
fn calls_in_range(scene: &Scene<'_>) -> Option<Finding> {
    let found = CALLS.captures(scene.text())?;
    let range = scene.world.expand(scene.sentence().own.get(..1)?);
    let session = scene.world.session();
    let main: Vec<_> = range.into_iter().filter(|&ix| session.on_main(ix) && !session.message(ix).abandoned).collect();
    let calls = |ix: &crate::session::MsgIx| session.message(*ix).calls().filter(|c| c.tool == found[2]).count();
    let holding: Vec<_> = main.iter().copied().filter(|ix| calls(ix) > 0).collect();
    let same = |n: usize, of: usize| found.get(n).is_none_or(|m| m.as_str().parse() == Ok(of));
    let ends = holding.first() == main.first() && holding.last() == main.last();
    let total: usize = main.iter().map(calls).sum();
    let reason = format!("{total} calls, in {} of {} messages", holding.len(), main.len());
    Some(match ends && same(1, total) && same(3, holding.len()) && same(4, main.len()) {
        true => Finding::supported(Kind::Count, reason),
        false => Finding::contradicted(Kind::Count, reason),
    })
    .map(|f| f.shown_by(holding.into_iter().take(3)))
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
