//! `The last table of figures stands in [msg 9]: concurrency 1, 4 and 16, with “TTFT (ms)”`: the message holds a table
//! whose first column has these keys.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::prose::re;
use crate::extract::tables::Table;
use crate::verify::article::Block;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind};

static STANDS: LazyLock<Regex> = LazyLock::new(|| re(r"\btable of (?:figures|measurements) stands in $"));
static KEYS: LazyLock<Regex> = LazyLock::new(|| re(r"^: (.+?) ((?:\d+(?:, | and )?)+)(?:, with\b|[.;]|$)"));

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    match scene.sentence().block {
        Block::Prose => stands(scene).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn stands(scene: &Scene<'_>) -> Option<Finding> {
    let r = scene.sentence().own.first()?;
    STANDS.find(&scene.text()[..r.at.start])?;
    let at = scene.world.find(&r.first)?;
    let found = KEYS.captures(&scene.text()[r.at.end..])?;
    let key = plain(&found[1]).to_lowercase();
    if key.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let stated: Vec<&str> = found[2].split(", ").flat_map(|part| part.split(" and ")).map(str::trim).collect();
    let tables = scene.world.analysis.facts.tables.iter().filter(|t| t.span.msg == at);
    let column = |t: &Table| {
        let n = t.header.iter().position(|h| plain(&h.text).to_lowercase() == key)?;
        Some(t.rows.iter().filter_map(|r| r.get(n)).map(|c| plain(&c.text)).collect::<Vec<_>>())
    };
    let all: Vec<Vec<String>> = tables.filter_map(column).collect();
    let label = &r.first;
    Some(match (all.iter().any(|keys| keys == &stated), all.first()) {
        (true, _) => Finding::supported(Kind::Number, format!("the table of [msg {label}] has these keys")),
        (false, Some(keys)) => Finding::contradicted(Kind::Number, format!("the table has {key} {}", keys.join(", "))),
        (false, None) => Finding::contradicted(Kind::Reference, format!("[msg {label}] has no table over {key}")),
    })
    .map(|f| f.shown_by([at]))
}
