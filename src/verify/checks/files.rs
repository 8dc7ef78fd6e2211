//! Files: `a.rs`: written in [msg 4], read later in [msg 9], deleted in [msg 12].

use std::sync::LazyLock;

use regex::Regex;

use super::{Scene, code, inner};
use crate::extract::artefacts::Artefact;
use crate::extract::prose::re;
use crate::session::{CallRef, MsgIx};
use crate::verify::article::Block;
use crate::verify::{Finding, Kind};

/// What was done to the file, up to the message: `written again in`, `read later in`.
static DONE: LazyLock<Regex> = LazyLock::new(|| {
    re(r"\b(written|read|deleted)(?: (?:again|before|later|back))? in (?:\[[^\]]*\](?:\([^)]*\))?(?:, | and |–)?)*\s*$")
});

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.text();
    let first = code(text).into_iter().next().filter(|r| text[..r.start].trim_matches([' ', '-', '*']).is_empty());
    let Some(path) = first.filter(|_| scene.sentence().block == Block::Prose).map(|r| inner(&text[r])) else {
        return Vec::new();
    };
    let Some(file) = scene.world.analysis.facts.artefacts.iter().find(|a| a.path == path) else { return Vec::new() };
    let one = |r: &crate::verify::refs::Reference| {
        let done = DONE.captures(&text[..r.at.start])?.get(1)?.as_str().to_lowercase();
        let at = scene.world.find(&r.first)?;
        Some(match calls(file, &done).iter().any(|c| c.msg == at) {
            true => Finding::supported(Kind::Presence, format!("{done} there")).shown_by([at]),
            false => Finding::contradicted(Kind::Presence, format!("not {done} there")).shown_by(nearest(file, &done)),
        })
    };
    scene.sentence().own.iter().filter_map(one).collect()
}

fn calls<'a>(file: &'a Artefact, done: &str) -> &'a [CallRef] {
    match done {
        "read" => &file.read,
        "deleted" => &file.deleted,
        _ => &file.written,
    }
}

fn nearest(file: &Artefact, done: &str) -> Vec<MsgIx> {
    calls(file, done).iter().map(|c| c.msg).take(3).collect()
}
