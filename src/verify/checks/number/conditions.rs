//! Figures given under conditions that are not their own, as figures of another metric, or as what they are not.

use std::sync::LazyLock;

use regex::Regex;

use super::super::Scene;
use super::Reading;
use super::known::is_same;
use crate::extract::bench::numbers::Figure;
use crate::extract::bench::{Bench, Measurement, MeasurementRole};
use crate::session::MsgIx;
use crate::verify::article::Block;
use crate::verify::world::Known;
use crate::verify::{Finding, Kind};

static PARAM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(concurrency|batch(?: size)?|C|bs|threads|tp)\s*(?:=|of|level)?\s*(\d+)(?-u:\b)")
        .expect("a constant pattern")
});

/// A figure given under conditions that are not its own, or as what it is not; `None` when nothing speaks against it.
pub(super) fn check(reading: &Reading<'_>, at: &[MsgIx]) -> Option<Finding> {
    let &Reading { scene, text, figure, ref shown, .. } = reading;
    let bench = &scene.world.analysis.facts.bench;
    let alike = |figure: &Figure| -> Vec<&Measurement> {
        let same = |m: &&Measurement| Known::measured(m).is_some_and(|k| is_same(&k, figure));
        bench.measurements.iter().filter(same).collect()
    };
    let mut all = alike(figure);
    if let (true, Some((_, value))) = (all.is_empty(), figure.second) {
        all = alike(&Figure { value, second: None, ..figure.clone() });
    }
    if all.is_empty() {
        return None;
    }
    // `10 tok/s at concurrency 1, 40 tok/s at concurrency 4`: each figure has its own condition.
    let rest = &text[figure.span.end..];
    let own = &rest[..rest.find([',', ';', '|']).unwrap_or(rest.len())];
    let mut stated = match PARAM.is_match(own) {
        true => params(None, own),
        false => params(Some(scene), text),
    };
    if stated.is_empty() && scene.sentence().block == Block::Prose {
        stated.extend(bare_level(bench, own).or_else(|| bare_level(bench, text)));
    }
    for found in stated {
        let (name, value) = found;
        let stated: Vec<&&Measurement> = all.iter().filter(|m| m.params.contains_key(name)).collect();
        if !stated.is_empty() && !stated.iter().any(|m| m.params.get(name) == Some(&value)) {
            let reason = format!("{shown} was measured at {name} {}, not {value}", stated[0].params[name]);
            return Some(Finding::contradicted(Kind::Number, reason).shown_by(at.iter().copied()));
        }
    }
    if let Some(named) = one_metric(scene, text, figure)
        && !all.iter().any(|m| m.metric == named || m.metric.contains(named))
    {
        let reason = format!("{shown} is a figure of {}, not of {named}", all[0].metric);
        return Some(Finding::contradicted(Kind::Number, reason).shown_by(at.iter().copied()));
    }
    let before = &text[..figure.span.start];
    let near = before.get(before.len().saturating_sub(60)..).unwrap_or(before).to_lowercase();
    let near = near.rsplit(['.', ',', ';', '|', '(']).next().unwrap_or("");
    let roles: Vec<MeasurementRole> = all.iter().map(|m| m.role).collect();
    let only = |role: MeasurementRole| roles.iter().all(|r| *r == role);
    let wrong = (near.contains("measured") || near.contains("achieved")) && only(MeasurementRole::Theoretical)
        || (near.contains("theoretical") || near.contains("maximum"))
            && !near.contains("measured")
            && only(MeasurementRole::Measured);
    wrong.then(|| {
        Finding::contradicted(Kind::Number, format!("{shown} is a {} figure", word(roles[0])))
            .shown_by(at.iter().copied())
    })
}

/// The metric that the sentence names before a figure, when it names just one by its short name.
fn one_metric(scene: &Scene<'_>, text: &str, figure: &Figure) -> Option<&'static str> {
    const SHORT: &[&str] = &["ttft", "tpot", "itl"];
    let before = text[..figure.span.start].to_lowercase();
    let named = |text: &str| {
        SHORT
            .iter()
            .copied()
            .filter(|m| text.split(|c: char| !c.is_alphanumeric()).any(|w| w == *m))
            .collect::<Vec<_>>()
    };
    let prose = scene.sentence().block == Block::Prose;
    match named(&text.to_lowercase())[..] {
        [one] if prose && named(&before) == [one] && figure.unit.as_ref().is_some_and(|u| u.dimension.is_time()) => {
            Some(one)
        }
        _ => None,
    }
}

fn word(role: MeasurementRole) -> &'static str {
    match role {
        MeasurementRole::Measured => "measured",
        MeasurementRole::Theoretical => "theoretical",
        _ => "stated",
    }
}

/// `at 512 the first token took …`: a level of concurrency without its name.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)at (\d+)(?:,|;|\.|$| (?:the|it|this|we|and|to|that|there|throughput|latency)(?-u:\b))")
        .expect("a constant pattern")
});

/// The level that a clause names so, when the session measured at it.
fn bare_level(bench: &Bench, text: &str) -> Option<(&'static str, String)> {
    let mut found = BARE.captures_iter(text).map(|c| c[1].to_owned());
    let level = found.next().filter(|_| found.next().is_none())?;
    let known = |m: &Measurement| m.params.get("concurrency") == Some(&level);
    bench.measurements.iter().any(known).then_some(("concurrency", level))
}

/// The one condition of each name that a sentence or row gives; sentences that give several are left alone.
fn params(row: Option<&Scene<'_>>, text: &str) -> Vec<(&'static str, String)> {
    let name = |word: &str| match word.to_ascii_lowercase().split(' ').next().unwrap_or("") {
        "concurrency" | "c" => Some("concurrency"),
        "batch" | "bs" => Some("batch"),
        "threads" => Some("threads"),
        "tp" => Some("tp"),
        _ => None,
    };
    let mut out: Vec<(&'static str, String)> =
        PARAM.captures_iter(text).filter_map(|c| Some((name(&c[1])?, c[2].to_owned()))).collect();
    let cells = row.iter().flat_map(|s| s.sentence().head.iter().zip(s.sentence().cells()));
    for (head, cell) in cells {
        if let (Some(name), true) =
            (name(head), cell.trim().bytes().all(|b| b.is_ascii_digit()) && !cell.trim().is_empty())
        {
            out.push((name, cell.trim().to_owned()));
        }
    }
    let single =
        |n: &str| out.iter().filter(|p| p.0 == n).map(|p| &p.1).collect::<std::collections::BTreeSet<_>>().len() == 1;
    out.iter().filter(|p| single(p.0)).cloned().collect()
}
