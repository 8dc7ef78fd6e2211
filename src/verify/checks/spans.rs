//! Rows of a span of the session, `from | up to` or `prompt | up to`: how much happened in it, subagents included.

use super::Scene;
use crate::extract::artefacts::written_between;
use crate::extract::bench::MeasurementRole;
use crate::extract::episodes::{Episode, Phase};
use crate::session::{MsgIx, Role, ToolCall};
use crate::verify::article::Block;
use crate::verify::refs;
use crate::verify::{Finding, Kind};

/// Headings of what is counted.
const HEADS: &[&str] = &["replies", "tool calls", "failed", "files changed", "figures measured", "plan changes"];

/// The first message of a row's span, and the one behind its last, with what was started there.
pub(super) fn span(scene: &Scene<'_>) -> Option<(MsgIx, MsgIx)> {
    if scene.sentence().block != Block::Row {
        return None;
    }
    let named = |heads: &[&str]| scene.world.find(&refs::find(scene.cell(heads)?).first()?.first);
    let (first, last) = (named(&["from", "prompt"])?, named(&["up to"])?);
    let session = scene.world.session();
    let behind = |ix: &MsgIx| *ix > last && session.on_main(*ix);
    let all = MsgIx(session.messages.len() as u32);
    let end = session.iter().map(|(ix, _)| ix).find(behind).unwrap_or(all);
    (first <= last).then_some((first, end))
}

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let Some((first, end)) = span(scene) else { return Vec::new() };
    let shown = |f: Finding| f.shown_by([first]);
    let counts = HEADS.iter().filter_map(|head| {
        let stated: usize = scene.cell(&[head])?.parse().ok()?;
        let counted = count(scene, head, first, end);
        Some(match counted == stated {
            true => Finding::supported(Kind::Count, format!("counted: {counted} {head}")),
            false => Finding::contradicted(Kind::Count, format!("{stated} {head} stated, {counted} counted")),
        })
    });
    counts.chain(steps(scene, first)).map(shown).collect()
}

fn count(scene: &Scene<'_>, head: &str, first: MsgIx, end: MsgIx) -> usize {
    let analysis = scene.world.analysis;
    let within = |ix: MsgIx| first <= ix && ix < end;
    let messages = || analysis.session.messages[first.at()..end.at()].iter().filter(|m| !m.abandoned);
    let calls = || messages().flat_map(|m| m.calls());
    match head {
        "replies" => messages().filter(|m| m.role == Role::Assistant).count(),
        "tool calls" => calls().count(),
        "failed" => calls().filter(|c| ToolCall::failed(c)).count(),
        "files changed" => written_between(&analysis.facts.artefacts, first, end),
        "figures measured" => {
            let all = analysis.facts.bench.measurements.iter().filter(|m| within(m.msg));
            all.filter(|m| m.role == MeasurementRole::Measured).count()
        }
        _ => analysis.facts.plan.changed_messages().into_iter().filter(|ix| within(*ix)).count(),
    }
}

/// `measure 2, act 1`: the steps of the run, or of the runs drawn together, that begins there.
fn steps(scene: &Scene<'_>, first: MsgIx) -> Option<Finding> {
    let cell = scene.cell(&["its steps"])?;
    let told: Option<Vec<(&str, u32)>> =
        cell.split(", ").map(|s| s.rsplit_once(' ').and_then(|(what, n)| Some((what, n.parse().ok()?)))).collect();
    let told = if cell == "none" { Vec::new() } else { told? };
    let of = |run: &Episode, word: &str| Phase::ALL.iter().zip(run.steps).find(|(p, _)| p.word() == word).map(|s| s.1);
    let fits = |run: &Episode| {
        let sum: u32 = run.steps.iter().sum();
        told.iter().all(|(what, n)| of(run, what) == Some(*n)) && told.iter().map(|t| t.1).sum::<u32>() == sum
    };
    let episodes = &scene.world.analysis.facts.episodes;
    let coarse = episodes.at_most(super::columns::SHOWN);
    let mut runs = episodes.runs.iter().chain(&coarse).filter(|r| r.first == first).peekable();
    runs.peek()?;
    Some(match runs.any(fits) {
        true => Finding::supported(Kind::Count, "the steps are these"),
        false => Finding::contradicted(Kind::Count, "the steps of the run are others"),
    })
}
