//! What linters, test runners and scanners printed: how many findings of each tool, and rows that give one of them.

use super::{Scene, inner};
use crate::extract::findings::tools::Printed;
use crate::session::MsgIx;
use crate::verify::article::Block;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block != Block::Row {
        return Vec::new();
    }
    let Some(tool) = scene.cell(&["tool"]) else { return Vec::new() };
    let all: Vec<&Printed> = scene.world.analysis.facts.printed.iter().filter(|f| f.tool == tool).collect();
    if all.is_empty() {
        return Vec::new();
    }
    counted(scene, &all).or_else(|| one(scene, &all)).into_iter().collect()
}

/// `tool | findings | by level | gone in a later clean run | printed again | first | last`
fn counted(scene: &Scene<'_>, all: &[&Printed]) -> Option<Finding> {
    scene.cell(&["findings"])?;
    let own = || all.iter().filter(|f| f.restates.is_none());
    let numbers = [
        ("findings", own().count()),
        ("gone in a later clean run", all.iter().filter(|f| f.gone_msg.is_some()).count()),
        ("printed again", all.iter().filter(|f| f.restates.is_some()).count()),
    ];
    let said = |name: &str| scene.cell(&[name]).and_then(|c| c.parse::<usize>().ok());
    if let Some((name, n)) = numbers.iter().find(|(name, n)| said(name).is_some_and(|s| s != *n)) {
        return Some(Finding::contradicted(Kind::Count, format!("{name}: {n} counted")));
    }
    // `2 error, 1 warning`, or normalised: `2 P1, 1 P3`
    let levels = scene.cell(&["by level"]).unwrap_or("").split(", ").filter_map(|l| l.split_once(' '));
    for (n, level) in levels {
        let real = own().filter(|f| f.level == Some(level) || f.level_text.as_deref() == Some(level)).count();
        if n.parse() != Ok(real) {
            return Some(Finding::contradicted(Kind::Count, format!("{real} of the findings are {level}")));
        }
    }
    let ends = [("first", all.first()), ("last", all.last())];
    let wrong = ends.into_iter().find_map(|(name, f)| {
        let at = named(scene, scene.cell(&[name])?)?;
        f.filter(|f| f.msg != at).map(|f| format!("the {name} is printed in [msg {}]", scene.world.label(f.msg)))
    });
    let shown = all.iter().map(|f| f.msg).take(3);
    Some(match wrong {
        Some(reason) => Finding::contradicted(Kind::Reference, reason).shown_by(shown),
        None => Finding::supported(Kind::Count, "printed so often").shown_by(shown),
    })
}

/// `level | finding | place | tool | message`
fn one(scene: &Scene<'_>, all: &[&Printed]) -> Option<Finding> {
    let title = plain(scene.cell(&["finding"])?);
    let told = |name: &str| scene.cell(&[name]).filter(|c| *c != "–");
    let at = told("message").and_then(|c| named(scene, c));
    let begins = |f: &Printed| match title.strip_suffix('…') {
        Some(cut) => plain(&f.title).starts_with(cut),
        None => plain(&f.title) == title,
    };
    let like: Vec<&&Printed> = all.iter().filter(|f| begins(f)).collect();
    let fits = |f: &Printed| {
        told("level").is_none_or(|l| f.level == Some(l) || f.level_text.as_deref() == Some(l))
            && told("place").is_none_or(|p| is_at(f, inner(p)))
            && at.is_none_or(|at| f.msg == at)
    };
    Some(match (like.iter().find(|f| fits(f)), like.first()) {
        (Some(f), _) => Finding::supported(Kind::Outcome, "it was printed so").shown_by([f.msg]),
        (None, Some(f)) => {
            Finding::contradicted(Kind::Outcome, format!("it was printed in [msg {}]", scene.world.label(f.msg)))
                .shown_by([f.msg])
        }
        (None, None) => Finding::contradicted(Kind::Quote, "the tool printed no such finding"),
    })
}

/// Whether a finding is about a place: `file:line`, or a file.
pub(super) fn is_at(finding: &Printed, place: &str) -> bool {
    finding.file.as_deref().is_some_and(|file| match finding.line {
        Some(line) => place == format!("{file}:{line}"),
        None => place == file,
    })
}

fn named(scene: &Scene<'_>, cell: &str) -> Option<MsgIx> {
    scene.world.find(&crate::verify::refs::find(cell).first()?.first)
}
