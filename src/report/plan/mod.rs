//! The plan on its own: the sentence in front, a Gantt chart in text, an event log for process mining.

pub mod timeline;
pub mod xes;

use serde::Serialize;

use super::engine::Engine;
use super::section::value::label;
use crate::analysis::Analysis;
use crate::error::Error;
use crate::extract::plan::{PlanSource, State};

/// Open items named before the rest is only counted.
const SHOWN: usize = 6;

#[derive(Debug, Serialize)]
struct Headline {
    lists: usize,
    changes: usize,
    first: Option<String>,
    last: Option<String>,
    items: usize,
    done: usize,
    cancelled: usize,
    dropped_open: usize,
    open: Vec<Open>,
    open_left: usize,
    refused: usize,
    /// Words of the sources other than a tool.
    inferred: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct Open {
    label: String,
    text: String,
    state: &'static str,
}

/// The sentence a reader needs first: how many messages changed plan state, and what is still open.
/// `templates/plan.txt` holds it.
pub fn headline(engine: &Engine, analysis: &Analysis) -> Result<String, Error> {
    let (session, plan) = (&analysis.session, &analysis.facts.plan);
    let changed = plan.changed_messages();
    let count = |is: &dyn Fn(&crate::extract::plan::PlanItem) -> bool| plan.items.iter().filter(|i| is(i)).count();
    let open: Vec<Open> = plan
        .open_items()
        .map(|(_, i)| Open { label: i.label.clone(), text: i.text.clone(), state: i.last.word() })
        .collect();
    let mut inferred: Vec<&str> =
        plan.lists.iter().filter(|l| l.source != PlanSource::Tool).map(|l| l.source.word()).collect();
    inferred.sort_unstable();
    inferred.dedup();
    let view = Headline {
        lists: plan.lists.len(),
        changes: changed.len(),
        first: changed.first().map(|m| label(session, *m)),
        last: changed.last().map(|m| label(session, *m)),
        items: plan.items.len(),
        done: count(&|i| i.outcome == State::Done),
        cancelled: count(&|i| i.outcome == State::Cancelled),
        dropped_open: count(&|i| i.last == State::Absent && i.outcome.is_open()),
        open_left: open.len().saturating_sub(SHOWN),
        open: open.into_iter().take(SHOWN).collect(),
        refused: plan.snapshots.iter().filter(|s| !s.accepted).count(),
        inferred,
    };
    Ok(engine.render("plan.txt", &view)?.split_whitespace().collect::<Vec<_>>().join(" "))
}
