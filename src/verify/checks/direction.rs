//! `rose from 12 ms to 9 ms`: that the second figure is the larger one, and that it is the later one.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use super::number::is_same;
use crate::extract::bench::Measurement;
use crate::extract::bench::numbers::{self, Between, Figure};
use crate::extract::prose::re;
use crate::session::MsgIx;
use crate::verify::article::Block;
use crate::verify::world::Known;
use crate::verify::{Finding, Kind};

static MOVES: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:(rose|rises|increased|increases|grew|grows|climbed|jumped|went up|goes up|risen|grown|raised)|(fell|falls|dropped|drops|decreased|decreases|declined|shrank|went down|goes down|fallen|sank|lowered|reduced|cut)|went|goes|moved|improved|changed)\b[^.;]{0,40}?\bfrom\s+(?:about\s+)?$",
    )
});

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block != Block::Prose {
        return Vec::new();
    }
    let text = scene.without_quotes();
    if !text.to_ascii_lowercase().contains("from") {
        return Vec::new();
    }
    let figures = numbers::with_units(&text);
    let ranges = figures.iter().filter_map(|f| {
        let (Between::To | Between::Arrow, value) = f.second? else { return None };
        Some((Figure { second: None, ..f.clone() }, Figure { value, second: None, ..f.clone() }))
    });
    let beside = figures.windows(2).filter_map(|pair| {
        let between = text.get(pair[0].span.end..pair[1].span.start)?;
        (between.trim_matches([' ', '(', ')', ',']) == "to").then(|| (pair[0].clone(), pair[1].clone()))
    });
    ranges.chain(beside).filter_map(|(from, to)| moved(scene, &text, &from, &to)).collect()
}

fn moved(scene: &Scene<'_>, text: &str, from: &Figure, to: &Figure) -> Option<Finding> {
    let found = MOVES.captures(&text[..from.span.start])?;
    let unit = to.unit.as_ref()?;
    let first = from.unit.as_ref().map_or(Some(from.value), |u| u.convert(from.value, unit))?;
    let (up, down) = (found.get(1).is_some(), found.get(2).is_some());
    if up && first > to.value || down && first < to.value {
        let reason = format!("{} is not {} than {first}", to.value, if up { "more" } else { "less" });
        return Some(Finding::contradicted(Kind::Number, reason));
    }
    let from = Figure { unit: Some(unit.clone()), value: first, ..from.clone() };
    let measured = &scene.world.analysis.facts.bench.measurements;
    let alike = |figure: &Figure| -> Vec<&Measurement> {
        measured.iter().filter(|m| Known::measured(m).is_some_and(|k| is_same(&k, figure))).collect()
    };
    let (before, after) = (alike(&from), alike(to));
    let metrics: Vec<&str> =
        before.iter().map(|m| &*m.metric).filter(|n| after.iter().any(|m| m.metric == *n)).collect();
    let earliest = |all: &[&Measurement]| -> Option<MsgIx> {
        all.iter().filter(|m| metrics.contains(&&*m.metric)).map(|m| m.msg).min()
    };
    let (a, b) = (earliest(&before)?, earliest(&after)?);
    let label = |ix: MsgIx| scene.world.label(ix);
    (a > b).then(|| {
        let reason = format!("{} is first given in [msg {}], {} in [msg {}]", to.value, label(b), first, label(a));
        Finding::contradicted(Kind::Order, reason).shown_by([b, a])
    })
}
