//! What a message did to the plan: `updates four items`, `creates four items`, `completes two items`.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::plan::{State, Transition, TransitionKind};
use crate::session::MsgIx;
use crate::verify::words::number;
use crate::verify::{Finding, Kind};

static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(creat|add|updat|chang|complet|finish|start|open|drop|remov|clos)(?:e|es|s|ed|ing|ting|p(?:s|ed|ping))?\s+(?:the\s+)?(?:status(?:es)? of\s+)?([a-z]+|\d+)\s+(?:new\s+|todo\s+|plan\s+|existing\s+|further\s+)*(?:task|item|todo)s?(?:\s+(?:items?|status(?:es)?))?(?-u:\b)")
        .expect("a constant pattern")
});

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.outside_quotes();
    let mut out = Vec::new();
    for found in CHANGES.captures_iter(&text) {
        let Some(stated) = number(&found[2]) else { continue };
        let Some(at) = scope(scene) else { continue };
        let rows: Vec<&Transition> = scene
            .world
            .analysis
            .facts
            .plan
            .transitions
            .iter()
            .filter(|t| t.msg == at && t.item.is_some() && t.is_change())
            .collect();
        let counted = rows.iter().filter(|t| is_meant(&found[1].to_ascii_lowercase(), t)).count() as u64;
        let what = found[0].trim().to_owned();
        if counted == stated {
            out.push(Finding::supported(Kind::Plan, format!("“{what}”: so it is")).shown_by([at]));
            continue;
        }
        let created = rows.iter().filter(|t| t.from == State::Absent && t.to != State::Absent).count();
        let creates = ["creat", "add", "open"].contains(&&*found[1].to_ascii_lowercase());
        let reason = match created {
            n if n == 0 || creates => format!("“{what}”: {counted} counted"),
            n => format!("“{what}”: {counted} counted; {n} were created here and had no state before"),
        };
        out.push(Finding::contradicted(Kind::Plan, reason).shown_by([at]));
    }
    out
}

/// The one message whose list is spoken of.
fn scope(scene: &Scene<'_>) -> Option<MsgIx> {
    match scene.scope()[..] {
        [one] => Some(one),
        [] => scene.subject,
        _ => None,
    }
}

fn is_meant(verb: &str, row: &Transition) -> bool {
    let new = row.from == State::Absent && row.to != State::Absent;
    match verb {
        "creat" | "add" | "open" => new,
        "complet" | "finish" | "clos" => row.to == State::Done && row.from != State::Done,
        "start" => row.to == State::Active && row.from != State::Active,
        "drop" | "remov" => row.to == State::Absent && row.from != State::Absent,
        _ => !new && row.to != State::Absent && row.kind != TransitionKind::Unchanged,
    }
}
