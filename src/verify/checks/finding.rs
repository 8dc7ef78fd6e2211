//! Findings of the session: their level, state and need, in bullets (`P1: kernel outdated (needs reboot)`) and rows.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::findings::Finding as Found;
use crate::verify::article::Block;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind};

static BULLET: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(P\d): (.+?)(?: \(needs ([\w, -]+)\))?$").expect("a constant pattern"));

/// What a text says of a finding.
struct Told {
    title: String,
    level: Option<String>,
    status: Option<String>,
    needs: Option<String>,
}

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let told = match scene.sentence().block {
        Block::Prose => bullet(scene.text()),
        Block::Row => row(scene),
        _ => None,
    };
    told.and_then(|t| decide(scene, &t)).into_iter().collect()
}

fn bullet(text: &str) -> Option<Told> {
    let found = BULLET.captures(text.trim())?;
    Some(Told {
        level: Some(found[1].to_owned()),
        title: found[2].to_owned(),
        status: None,
        needs: found.get(3).map(|m| m.as_str().to_owned()),
    })
}

fn row(scene: &Scene<'_>) -> Option<Told> {
    let cell = |name: &str| scene.cell(&[name]).filter(|c| !c.is_empty() && *c != "–").map(str::to_owned);
    Some(Told { title: cell("finding")?, level: cell("level"), status: cell("status"), needs: cell("needs") })
}

fn decide(scene: &Scene<'_>, told: &Told) -> Option<Finding> {
    let title = plain(told.title.trim_end_matches('…')).to_lowercase();
    let all = &scene.world.analysis.facts.findings.findings;
    let same = |f: &&Found| {
        let mine = plain(&f.title).to_lowercase();
        mine == title || told.title.ends_with('…') && mine.starts_with(&title)
    };
    let found: Vec<&Found> = all.iter().filter(same).collect();
    let first = found.first()?;
    let at = scene.message_column();
    let fits = |f: &&&Found| {
        let level = told.level.as_ref().is_none_or(|l| f.level.as_ref() == Some(l) || f.level_text.as_ref() == Some(l));
        let status = told.status.as_ref().is_none_or(|s| s == f.status.word());
        let needs = told.needs.as_ref().is_none_or(|n| f.needs.as_ref() == Some(n));
        level && status && needs && (at.is_empty() || at.contains(&f.msg))
    };
    Some(match found.iter().find(fits) {
        Some(f) => Finding::supported(Kind::Outcome, "the finding stands so").shown_by([f.msg]),
        None => {
            let real = [first.level.as_deref(), Some(first.status.word()), first.needs.as_deref()];
            let real: Vec<&str> = real.into_iter().flatten().collect();
            Finding::contradicted(Kind::Outcome, format!("the finding is {}", real.join(", "))).shown_by([first.msg])
        }
    })
}
