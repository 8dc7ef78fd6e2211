//! What the transcript does not hold: times, models, exit codes, results, reasoning, a plan, questions.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::prose::re;
use crate::session::{CallStatus, Message, MsgIx, PartBody, ToolKind};
use crate::verify::article::Block;
use crate::verify::words::number;
use crate::verify::{Finding, Kind};

static NOT_IN: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:the )?(time|model['’]s reasoning|model|exit code of (\d+) commands?|how (\d+) calls?)\b.*: (?:not in the transcript|no (?:such part|result) stands in the transcript)",
    )
});
static NO_QUESTION: LazyLock<Regex> =
    LazyLock::new(|| re(r"^neither its text nor an item of its list asks a question\b"));
static NO_PLAN: LazyLock<Regex> =
    LazyLock::new(|| re(r"\bplan: none found\b|\bno plan (?:was|is) (?:found|written)\b"));
static OPEN: LazyLock<Regex> = LazyLock::new(|| re(r"^open at the end\b"));
static NOTHING_OPEN: LazyLock<Regex> =
    LazyLock::new(|| re(r"^open at the end\b[^:]*: nothing that the transcript shows\b"));
static REFUSED: LazyLock<Regex> =
    LazyLock::new(|| re(r"\bplan: none in force; the tool refused or never answered (?:the one|those)\b"));
static NO_PLAN_THERE: LazyLock<Regex> = LazyLock::new(|| re(r"\bmissing from the transcript: a plan\b"));

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block != Block::Prose {
        return Vec::new();
    }
    [of_a_message(scene), no_question(scene), no_plan(scene), refused(scene), nothing_open(scene)]
        .into_iter()
        .flatten()
        .collect()
}

/// `The time of [msg 4]: not in the transcript.`
fn of_a_message(scene: &Scene<'_>) -> Option<Finding> {
    let found = NOT_IN.captures(scene.text())?;
    let [at] = scene.world.expand(&scene.sentence().own)[..] else { return None };
    let message = scene.world.message(at);
    let what = found[1].to_lowercase();
    let counted = |n: usize, of: &str| match number(of) {
        Some(stated) if stated as usize == n => Finding::supported(Kind::Count, format!("{n} without one")),
        _ => Finding::contradicted(Kind::Count, format!("{of} stated, {n} counted")),
    };
    let lacks = |there: bool, what: &str| match there {
        false => Finding::supported(Kind::Presence, format!("no {what} stands there")),
        true => Finding::contradicted(Kind::Presence, format!("a {what} stands there")),
    };
    let finding = match (found.get(2), found.get(3)) {
        (Some(n), _) => {
            let shell = message.calls().filter(|c| c.kind == ToolKind::Shell && c.status() == CallStatus::Ok);
            counted(shell.filter(|c| c.exit_code().is_none()).count(), n.as_str())
        }
        (_, Some(n)) => counted(message.calls().filter(|c| c.result.is_none()).count(), n.as_str()),
        _ if what == "time" => lacks(message.at.is_some(), "time"),
        _ if what == "model" => lacks(message.model.is_some(), "model"),
        _ => lacks(message.parts.iter().any(|p| matches!(p.body, PartBody::Reasoning(_))), "reasoning"),
    };
    Some(finding.shown_by([at]))
}

/// `Neither its text nor an item of its list asks a question ([msg 4]).`
fn no_question(scene: &Scene<'_>) -> Option<Finding> {
    NO_QUESTION.find(scene.text())?;
    let [at] = scene.world.expand(&scene.sentence().own)[..] else { return None };
    let asks = |m: &Message| m.text().lines().any(|l| l.trim_end().ends_with('?'));
    let lists = scene.world.analysis.facts.plan.snapshots.iter().filter(|s| s.msg == at).flat_map(|s| &s.items);
    let any = asks(scene.world.message(at)) || lists.into_iter().any(|i| i.text.trim_end().ends_with('?'));
    Some(match any {
        false => Finding::supported(Kind::Presence, "no line of it ends with a question mark"),
        true => Finding::contradicted(Kind::Presence, "a line of it ends with a question mark"),
    })
    .map(|f| f.shown_by([at]))
}

/// `Plan: none found`
fn no_plan(scene: &Scene<'_>) -> Option<Finding> {
    let open = OPEN.is_match(scene.text()) && NO_PLAN_THERE.is_match(scene.text());
    if !open && !NO_PLAN.is_match(scene.text()) {
        return None;
    }
    let plan = &scene.world.analysis.facts.plan;
    Some(match plan.snapshots.iter().find(|s| !s.items.is_empty()) {
        None => Finding::supported(Kind::Presence, "no list and no told plan is found"),
        Some(s) => Finding::contradicted(Kind::Presence, format!("[msg {}] writes a plan", scene.world.label(s.msg)))
            .shown_by([s.msg]),
    })
}

/// `Plan: none in force; the tool refused or never answered those that were written: [msg 4].`
fn refused(scene: &Scene<'_>) -> Option<Finding> {
    REFUSED.find(scene.text())?;
    let snapshots = &scene.world.analysis.facts.plan.snapshots;
    let named = scene.world.expand(&scene.sentence().own);
    let wrote = |ix: &MsgIx| snapshots.iter().any(|s| s.msg == *ix && !s.accepted);
    let accepted = snapshots.iter().find(|s| s.accepted).map(|s| s.msg);
    let other = named.iter().copied().find(|ix| !wrote(ix)).or(accepted);
    Some(match other {
        None => Finding::supported(Kind::Plan, "none was accepted").shown_by(named),
        Some(at) => {
            Finding::contradicted(Kind::Plan, format!("not so of [msg {}]", scene.world.label(at))).shown_by([at])
        }
    })
}

/// `Open at the end, [msg 9]: nothing that the transcript shows.`
fn nothing_open(scene: &Scene<'_>) -> Option<Finding> {
    NOTHING_OPEN.find(scene.text())?;
    let plan = &scene.world.analysis.facts.plan;
    Some(match plan.open_items().next() {
        None => Finding::supported(Kind::Plan, "no item is open"),
        Some((_, item)) => Finding::contradicted(Kind::Plan, format!("{} is {} at the end", item.label, item.last)),
    })
}
