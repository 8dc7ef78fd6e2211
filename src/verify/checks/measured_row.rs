//! Rows of figures with their conditions: `| tpot | concurrency 4 | 101.4 ms | … |`: a figure of the row was measured under
//! just these, and what a change came to follows from the two figures compared.

use std::sync::LazyLock;

use regex::Regex;

use super::number::is_same;
use super::{Scene, inner};
use crate::extract::bench::Measurement;
use crate::extract::bench::comparisons::Comparison;
use crate::extract::bench::numbers::{self, Figure};
use crate::extract::prose::re;
use crate::verify::article::Block;
use crate::verify::world::{Known, plain};
use crate::verify::{Finding, Kind};

static SPEEDUP: LazyLock<Regex> = LazyLock::new(|| re(r"(\d+\.\d+) × as fast"));
static BETWEEN: LazyLock<Regex> = LazyLock::new(|| re(r"(\d+) (plan change|command|edit)s?\b"));

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block != Block::Row {
        return Vec::new();
    }
    let Some(conditions) = scene.cell(&["conditions"]) else { return Vec::new() };
    let metric = scene.cell(&["metric"]).map(|m| inner(m.trim()));
    let figures = numbers::with_units(scene.text());
    let bench = &scene.world.analysis.facts.bench;
    let of_metric = |m: &&Measurement| metric.is_none_or(|metric| m.metric == metric);
    let shown: Vec<&Measurement> =
        bench.measurements.iter().filter(of_metric).filter(|m| stands(m, &figures)).collect();
    if shown.is_empty() {
        return Vec::new();
    }
    // Charts write `input_len` as two words.
    let spoken = |text: &str| plain(text).replace('_', " ");
    let parts = spoken(conditions);
    let fits = |m: &&&Measurement| {
        let own = m.params.iter().chain(m.conditions.iter().flat_map(|(_, params)| params));
        let own: Vec<String> = own.map(|(k, v)| spoken(&format!("{k} {v}"))).collect();
        parts
            .split(", ")
            .all(|p| matches!(p, "" | "-" | "–") || own.iter().any(|o| o == p || o.contains(", ") && o.contains(p)))
    };
    let fitting: Vec<&&Measurement> = shown.iter().filter(fits).collect();
    let mut out = vec![match fitting.first() {
        Some(m) => Finding::supported(Kind::Number, "measured under these conditions").shown_by([m.msg]),
        None => Finding::contradicted(Kind::Number, format!("no figure of the row was measured under {parts}"))
            .shown_by([shown[0].msg]),
    }];
    let pair = |c: &&Comparison| {
        let [a, b] = [c.before, c.after].map(|i| &bench.measurements[i as usize]);
        fitting.iter().any(|m| **m == b) && stands(a, &figures)
    };
    if let Some(found) = scene.world.analysis.facts.comparisons.iter().find(pair) {
        out.extend(compared(scene.text(), found, bench.measurements[found.after as usize].msg));
    }
    out
}

fn stands(m: &Measurement, figures: &[Figure]) -> bool {
    Known::measured(m).is_some_and(|k| figures.iter().any(|f| is_same(&k, f)))
}

/// The speed-up, and what was done between the two.
fn compared(text: &str, c: &Comparison, at: crate::session::MsgIx) -> Vec<Finding> {
    let mut out = Vec::new();
    if let (Some(stated), Some(real)) = (SPEEDUP.captures(text), c.delta.speedup) {
        out.push(same(&stated[1], &format!("{real:.2}"), "times as fast"));
    }
    for stated in BETWEEN.captures_iter(text) {
        let real = match &stated[2] {
            "plan change" => c.between.plan.len(),
            "command" => c.between.commands as usize,
            _ => c.between.edits as usize,
        };
        out.push(same(&stated[1], &real.to_string(), &stated[2]));
    }
    out.into_iter().map(|f| f.shown_by([at])).collect()
}

fn same(stated: &str, real: &str, what: &str) -> Finding {
    match stated == real {
        true => Finding::supported(Kind::Number, format!("counted: {real} {what}")),
        false => Finding::contradicted(Kind::Number, format!("{stated} stated, {real} counted ({what})")),
    }
}
