//! How all items together ended: `all of them ended done, the last in [msg 9]`, `all eight were completed`.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use super::plan::{STATES, history, state_of};
use crate::extract::plan::{ItemIx, State};
use crate::extract::prose::re;
use crate::verify::article::Block;
use crate::verify::words::number;
use crate::verify::{Finding, Kind};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if !matches!(scene.sentence().block, Block::Prose | Block::Heading) {
        return Vec::new();
    }
    all_ended(scene).or_else(|| all_of_plan(scene)).into_iter().collect()
}

static ALL_ENDED: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"^(?:all|both)(?:\s+of\s+(?:them|the\s+items))?(?:\s+\w+)?(?:\s+items)?\s+(?:ended|are|were)\s+({STATES})\b"
    ))
});

/// `All of them ended done, the last in [msg 9]`.
fn all_ended(scene: &Scene<'_>) -> Option<Finding> {
    let text = scene.without_quotes();
    let state = state_of(&ALL_ENDED.captures(&text)?[1])?;
    let plan = &scene.world.analysis.facts.plan;
    let list = scene.subject.and_then(|s| plan.snapshots.iter().rfind(|l| l.msg == s))?;
    let items: Vec<ItemIx> = list.items.iter().filter_map(|i| i.item).collect();
    if let Some(other) = items.iter().map(|i| &plan.items[i.at()]).find(|i| i.outcome != state) {
        return Some(
            Finding::contradicted(Kind::Plan, format!("{} ends {}", other.label, other.outcome)).shown_by([list.msg]),
        );
    }
    let last = items
        .iter()
        .filter_map(|&i| history(scene, i).filter(|t| t.to == state && t.from != state).map(|t| t.msg).last())
        .max()?;
    let stated = scene.sentence().own.first().and_then(|r| scene.world.find(&r.first));
    Some(match stated.is_none_or(|s| s == last) {
        true => Finding::supported(Kind::Plan, format!("all end {state}")).shown_by([last]),
        false => Finding::contradicted(Kind::Plan, format!("the last is {state} in [msg {}]", scene.world.label(last)))
            .shown_by([last]),
    })
}

/// `All eight were completed`, where the plan has just so many items.
fn all_of_plan(scene: &Scene<'_>) -> Option<Finding> {
    static ALL: LazyLock<Regex> = LazyLock::new(|| {
        re(&format!(
            r"^all (?:of the )?(\w+)(?: (?:plan |todo )?(?:items|tasks|todos|entries))? (?:ended|ended up|are|were|got)(?: marked| checked off as)? ({STATES}|finished)\b"
        ))
    });
    let text = scene.without_quotes();
    let found = ALL.captures(&text)?;
    let stated = number(&found[1])? as usize;
    let state = if found[2].eq_ignore_ascii_case("finished") { State::Done } else { state_of(&found[2])? };
    let items = &scene.world.analysis.facts.plan.items;
    // At a message named, or of a part of the items, it may be so.
    let whole = items.len() == stated && scene.sentence().own.is_empty() && scene.subject.is_none();
    let other = items.iter().find(|i| i.outcome != state && i.last != state);
    whole.then(|| match other {
        None => Finding::supported(Kind::Plan, format!("all {stated} end {state}")),
        Some(i) => Finding::contradicted(Kind::Plan, format!("{} ends {}", i.label, i.outcome)).shown_by([i.first_msg]),
    })
}
