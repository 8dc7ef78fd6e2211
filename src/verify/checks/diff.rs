//! Blocks that tell a change of the plan line by line: `+ [pending] T3 Write the notes`, `! [pending → completed] T3 …`.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::plan::{Plan, State, Transition};
use crate::session::MsgIx;
use crate::verify::{Finding, Kind};

static LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^([+!-]) (?:\[((?:\[.\]|[^\[\]])*)\] )?(?:(T\d{1,5}) )?(.*)$").expect("a constant pattern")
});

/// Whether a block tells a change of the plan.
pub(super) fn is_one(block: &str) -> bool {
    block.lines().all(|l| LINE.is_match(l) || l.starts_with('…'))
        && block.lines().any(|l| LINE.captures(l).is_some_and(|c| c.get(3).is_some()))
}

/// Each line against the changes of the message.
pub(super) fn check(scene: &Scene<'_>, message: MsgIx) -> Vec<Finding> {
    scene.text().lines().filter_map(|l| line(scene, message, l)).collect()
}

fn line(scene: &Scene<'_>, message: MsgIx, text: &str) -> Option<Finding> {
    let found = LINE.captures(text)?;
    let plan = &scene.world.analysis.facts.plan;
    let label = found.get(3).map(|m| m.as_str());
    let item = label.map(|l| plan.items.iter().position(|i| i.label == l));
    if let Some(None) = item {
        return Some(Finding::contradicted(Kind::Plan, format!("there is no item {}", label.unwrap_or_default())));
    }
    let rows = plan.transitions.iter().filter(|t| t.msg == message && t.is_change());
    let rows: Vec<&Transition> = rows.filter(|t| t.item.map(|i| i.at()) == item.flatten()).collect();
    let status = found.get(2).map_or("", |m| m.as_str());
    let fits = rows.iter().any(|t| is_told(plan, t, &found[1], status, &found[4]));
    Some(match fits {
        true => Finding::supported(Kind::Plan, "the message changes it so").shown_by([message]),
        false => {
            Finding::contradicted(Kind::Plan, format!("the message does not change it so: {text}")).shown_by([message])
        }
    })
}

/// Whether a line tells a change: its sign, its states, and its words.
fn is_told(plan: &Plan, row: &Transition, sign: &str, status: &str, text: &str) -> bool {
    let text = text.trim_end_matches('…');
    let new = row.text.starts_with(text);
    let old = row.old_text.as_ref().map_or(new, |o| o.starts_with(text));
    // A box stands for a state as the list writes it.
    let written = |words: &str, state: State| {
        plan.snapshots.iter().flat_map(|s| &s.items).any(|i| i.state == state && i.status_text == words)
    };
    let is =
        |words: &str, state: State| state.word() == words || State::of_word(words) == state || written(words, state);
    match sign {
        "+" => new && row.to != State::Absent && is(status, row.to),
        "-" => old && is(status, row.from),
        _ => match status.split_once(" → ") {
            Some((from, to)) => new && is(from, row.from) && is(to, row.to),
            None => [status, text].contains(&row.kind.word()) || new && status == row.kind.word(),
        },
    }
}
