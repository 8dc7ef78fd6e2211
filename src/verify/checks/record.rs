//! What a report says of its own reading: bytes not shown, limits that are not known.

use std::sync::LazyLock;

use regex::Regex;

use super::{Scene, code, inner};
use crate::session::{MsgIx, PartBody};
use crate::verify::article::Block;
use crate::verify::{Finding, Kind};

static CUT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(\d+) bytes? of this text not shown").expect("a constant pattern"));
static NO_LIMIT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)(?:(?-u:\b)no limit is known for |^a limit for )").expect("a constant pattern"));

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block != Block::Prose {
        return Vec::new();
    }
    [cut(scene), no_limit(scene)].into_iter().flatten().collect()
}

/// What is left of a text of the message after the block shown.
fn cut(scene: &Scene<'_>) -> Option<Finding> {
    let stated: usize = CUT.captures(scene.text())?[1].parse().ok()?;
    let [at] = scene.world.expand(&scene.sentence().inherited)[..] else { return None };
    let block = scene.sentences[..scene.at].iter().rev().find(|s| s.block == Block::Code)?;
    let shown = block.text.trim_end_matches('\n');
    let lengths = texts(scene, at).filter(|t| t.starts_with(shown) || shown.len() < t.len()).map(|t| t.len());
    let fits: Vec<usize> =
        lengths.filter(|len| len.abs_diff(shown.len() + stated) <= block.text.len() - shown.len() + 1).collect();
    Some(match fits.is_empty() {
        false => Finding::supported(Kind::Count, "so much is left of the text").shown_by([at]),
        true => {
            Finding::contradicted(Kind::Count, format!("no text of the message has {} bytes", shown.len() + stated))
                .shown_by([at])
        }
    })
}

fn texts<'a>(scene: &Scene<'a>, at: MsgIx) -> impl Iterator<Item = &'a str> {
    scene.world.message(at).parts.iter().filter_map(|p| match &p.body {
        PartBody::Text(t) | PartBody::Injected(t) | PartBody::Reasoning(t) => Some(t.as_str()),
        PartBody::Call(c) => c.result.as_ref().map(|r| r.text.as_str()),
        _ => None,
    })
}

/// `No limit is known for …`.
fn no_limit(scene: &Scene<'_>) -> Option<Finding> {
    let found = NO_LIMIT.find(scene.text())?;
    let rest = &scene.text()[found.end()..];
    let bench = &scene.world.analysis.facts.bench;
    let named: Vec<&str> = code(rest).into_iter().map(|r| inner(&rest[r])).collect();
    let in_heading = scene.metrics_named();
    let metrics = match (named.is_empty(), rest.starts_with("this metric")) {
        (false, _) => named,
        (true, true) => in_heading,
        _ => Vec::new(),
    };
    let limited =
        |metric: &str| bench.efficiencies.iter().find(|e| bench.measurements[e.measurement as usize].metric == metric);
    let any = bench.efficiencies.first().filter(|_| metrics.is_empty());
    let found = metrics.iter().find_map(|m| limited(m)).or(any);
    // A limit of the metric may be one of other conditions.
    let of_a_message = scene.text().starts_with("A limit for ");
    if of_a_message && (found.is_some() || metrics.is_empty()) {
        return None;
    }
    Some(match found {
        None => Finding::supported(Kind::Presence, "no limit matches"),
        Some(e) => {
            let m = &bench.measurements[e.measurement as usize];
            Finding::contradicted(Kind::Presence, format!("{} has a limit", m.metric)).shown_by([m.msg])
        }
    })
}
