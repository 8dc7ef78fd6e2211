//! What a report says of the reading of its input: a row for each warning, how many more there are, that there are none.

use std::sync::LazyLock;

use regex::Regex;

use super::{Scene, inner};
use crate::diag::{Diag, Severity};
use crate::extract::prose::re;
use crate::verify::article::Block;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind};

static MORE: LazyLock<Regex> = LazyLock::new(|| re(r"^and (\d+) more of ([\w-]+);"));

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    match scene.sentence().block {
        Block::Row => row(scene).into_iter().collect(),
        Block::Prose => more(scene).or_else(|| none(scene)).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Whether the sentence is a row about a warning.
pub(super) fn is_row(scene: &Scene<'_>) -> bool {
    scene.cell(&["warning"]).is_some() && scene.cell(&["place"]).is_some()
}

/// `file:line | byte | kind | bytes skipped | what`
fn row(scene: &Scene<'_>) -> Option<Finding> {
    let kind = scene.cell(&["warning"])?;
    let place = inner(scene.cell(&["place"])?);
    let whole = |name| scene.cell(&[name]).and_then(|c| c.parse::<u64>().ok());
    let words = scene.cell(&["what"]).map(plain);
    let placed = |w: &Diag| match w.loc.line {
        0 => w.loc.file == place,
        line => place == format!("{}:{line}", w.loc.file),
    };
    let mut all = scene.world.session().warnings.iter().filter(|w| placed(w)).peekable();
    if all.peek().is_none() {
        return Some(Finding::contradicted(Kind::Reference, format!("no warning is about `{place}`")));
    }
    let fits = |w: &Diag| {
        w.kind == kind
            && whole("byte").is_none_or(|n| n == w.loc.byte)
            && whole("bytes skipped").is_none_or(|n| n == w.skipped)
            && words.as_ref().is_none_or(|t| plain(&w.text()) == *t)
    };
    Some(match all.any(fits) {
        true => Finding::supported(Kind::Presence, "reading met this"),
        false => Finding::contradicted(Kind::Presence, format!("no such warning is about `{place}`")),
    })
}

/// `and 7 more of no-result`: so many of that kind are not in the rows above.
fn more(scene: &Scene<'_>) -> Option<Finding> {
    let found = MORE.captures(scene.text())?;
    let kind = &found[2];
    let stated: usize = found[1].parse().ok()?;
    let under = |s: &&crate::verify::article::Sentence| s.headings == scene.sentence().headings;
    let rows = scene.sentences[..scene.at].iter().rev().take_while(under).filter(|s| s.block == Block::Row);
    let shown = rows.filter(|s| s.cells().any(|c| c == kind)).count();
    let all = scene.world.session().warnings.iter().filter(|w| w.kind == kind && w.severity != Severity::Note).count();
    Some(match all == shown + stated {
        true => Finding::supported(Kind::Count, format!("{all} in all")),
        false => Finding::contradicted(Kind::Count, format!("{stated} more stated; {all} in all, {shown} listed")),
    })
}

/// `No warnings: every record was read.` Notes are no warnings.
fn none(scene: &Scene<'_>) -> Option<Finding> {
    if !scene.text().starts_with("No warnings:") {
        return None;
    }
    let warnings = &scene.world.session().warnings;
    Some(match warnings.iter().filter(|w| w.severity != Severity::Note).count() {
        0 => Finding::supported(Kind::Presence, "no warnings"),
        n => Finding::contradicted(Kind::Presence, format!("there are {n} warnings")),
    })
}
