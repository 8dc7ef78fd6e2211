//! Percentages of a limit: efficiencies and gaps, called by their names; and limits themselves.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::Scene;
use super::Reading;
use super::known::{is_same, rounds_to};
use crate::extract::bench::units::Unit;
use crate::extract::bench::{Efficiency, Limit};
use crate::verify::article::Block;
use crate::verify::world::Known;
use crate::verify::{Finding, Kind};

static EFFICIENCY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:\||of)?\s*(?:[\w-]+\s+){0,2}?(gap|efficiency|efficient|of (?:the )?(?:limit|theoretical|maximum|peak)|of \d)").expect("a constant pattern")
});
static CALLED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^.*(?-u:\b)(gap|efficiency)(?-u:\b)[^.;%\d]{0,80}$").expect("a constant pattern")
});

/// A percentage called an efficiency or a gap.
pub(super) fn called(reading: &Reading<'_>) -> Option<Finding> {
    let Reading { scene, text, figure, shown, .. } = reading;
    if reading.unit.name != "%" {
        return None;
    }
    let column = column_head(scene, &figure.span).filter(|head| matches!(&**head, "efficiency" | "gap"));
    let after = EFFICIENCY.captures(&text[figure.span.end..]).map(|c| c[1].to_ascii_lowercase());
    let before = CALLED.captures(&text[..figure.span.start]).map(|c| c[1].to_ascii_lowercase());
    // `3.12 % of 412 tok/s, a gap of 96.88 %`: the word before a figure is nearer than that of another.
    let gap_before = before.clone().filter(|w| w == "gap");
    let word = gap_before.or(column).or(after).or(before)?;
    // `efficiency gap`: the gap is what is named.
    let tail = text[figure.span.end..].trim_start().to_ascii_lowercase();
    let gap = word.contains("gap") || word.starts_with("efficiency") && tail.starts_with("efficiency gap");
    let bench = &scene.world.analysis.facts.bench;
    let scope = scene.scope();
    let of = |e: &&Efficiency| {
        let measured = &bench.measurements[e.measurement as usize];
        let limit = &bench.limits[e.limit as usize];
        scope.is_empty()
            || scope.contains(&measured.msg)
            || limit.msg.is_some_and(|m| scope.contains(&m))
            || measured.citations.iter().any(|c| scope.contains(&c.msg))
    };
    let wanted = figure.value;
    let holds = |v: f64| rounds_to(v * 100.0, wanted, figure.decimals);
    let near: Vec<_> = bench.efficiencies.iter().filter(of).collect();
    let all: Vec<_> = if near.is_empty() { bench.efficiencies.iter().collect() } else { near };
    let value = |e: &Efficiency| if gap { e.gap } else { e.efficiency };
    let name = if gap { "gap" } else { "efficiency" };
    let msg = |e: &Efficiency| bench.measurements[e.measurement as usize].msg;
    if let Some(e) = all.iter().find(|e| holds(value(e))) {
        return Some(
            Finding::supported(Kind::Number, format!("{shown} is the {name} of a measured figure")).shown_by([msg(e)]),
        );
    }
    let Some(other) = all.iter().find(|e| holds(if gap { e.efficiency } else { e.gap })) else {
        let stands = scope.iter().any(|&ix| scene.world.figures(ix).iter().any(|k| is_same(k, figure)));
        // Only a table sets efficiencies beside their figures one by one.
        let wrong = scene.sentence().block == Block::Row && !all.is_empty() && !stands;
        return wrong.then(|| {
            Finding::contradicted(Kind::Number, format!("no figure of the messages named has a {name} of {shown}"))
        });
    };
    let (is, right) = if gap { ("efficiency", other.gap) } else { ("gap", other.efficiency) };
    let reason = format!("{shown} is the {is}; the {name} is {:.2} %", right * 100.0);
    Some(Finding::contradicted(Kind::Number, reason).shown_by([msg(other)]))
}

/// A percentage in a table that is the efficiency or the gap of a figure of the session.
pub(super) fn share(reading: &Reading<'_>) -> Option<Finding> {
    let Reading { scene, figure, shown, .. } = reading;
    let percent = figure.unit.as_ref().is_some_and(|u| u.name == "%") && scene.sentence().block == Block::Row;
    let bench = &scene.world.analysis.facts.bench;
    let holds = |v: f64| rounds_to(v * 100.0, figure.value, figure.decimals);
    let found = bench.efficiencies.iter().filter(|_| percent).find(|e| holds(e.efficiency) || holds(e.gap))?;
    let at = bench.measurements[found.measurement as usize].msg;
    Some(Finding::supported(Kind::Number, format!("{shown} of a limit")).shown_by([at]))
}

/// A limit of the session, where the text or the column says that it is one.
pub(super) fn is_limit(reading: &Reading<'_>) -> Option<Finding> {
    let Reading { scene, text, figure, shown, .. } = reading;
    let head = column_head(scene, &figure.span).unwrap_or_default();
    let before = text[..figure.span.start].trim_end().to_lowercase();
    let said = head == "limit" || ["of", "limit", "limit:", "limit of"].iter().any(|w| before.ends_with(w));
    let limits = scene.world.analysis.facts.bench.limits.iter().filter(|_| said);
    let unit = |l: &Limit| Unit::parse(&l.unit);
    let mut known = limits.filter_map(|l| Some((l, Known { value: l.value, unit: unit(l)? })));
    let (found, _) = known.find(|(_, k)| is_same(k, figure))?;
    Some(Finding::supported(Kind::Number, format!("{shown} is a limit")).shown_by(found.msg))
}

/// The heading of the column in which a figure of a row stands.
fn column_head(scene: &Scene<'_>, span: &Range<usize>) -> Option<String> {
    let sentence = scene.sentence();
    let n = sentence.cells.iter().position(|c| span.start < c.end)?;
    Some(sentence.head.get(n)?.to_ascii_lowercase())
}
