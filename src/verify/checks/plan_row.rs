//! Rows of tables of plan items: their words, states, and the messages that changed them.

use std::ops::Range;

use super::Scene;
use super::plan::{LABEL, changed, history, labelled, matches_verb, state_of};
use crate::extract::plan::{ItemIx, State, Transition};
use crate::session::Label;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind, Verdict, refs};

/// A row of a table of items or of their changes.
pub(super) fn row(scene: &Scene<'_>) -> Vec<Finding> {
    let sentence = scene.sentence();
    let column = |names: &[&str]| scene.cell(names);
    let Some(item) =
        column(&["item", "plan item", "task", "todo"]).filter(|c| LABEL.find(c).is_some_and(|m| m.start() == 0))
    else {
        return Vec::new();
    };
    let Some(ix) = labelled(scene, item) else {
        return vec![Finding::contradicted(
            Kind::Plan,
            format!("there is no item {}", item.split(' ').next().unwrap_or("")),
        )];
    };
    let mut out = Vec::new();
    for (head, cell) in sentence.head.iter().zip(sentence.cells()) {
        let head = head.to_lowercase();
        if matches!(&*head, "created" | "started" | "active" | "done" | "completed") {
            out.extend(when(scene, ix, &head, cell));
        }
    }
    out.extend(column(&["states"]).into_iter().flat_map(|c| states(scene, ix, c)));
    out.extend(column(&["text"]).and_then(|t| reads(scene, ix, t)));
    out.extend(ends(scene, ix, column(&["at the end"])));
    // A change that completes nothing took nothing.
    let idle = |cell: &&str| *cell == "–" && column(&["from → to"]).is_some();
    out.extend(column(&["took"]).filter(|c| !idle(c)).map(|c| took(scene, ix, c)));
    out.extend(column(&["evidence"]).and_then(|c| shows(scene, ix, c)));
    out.extend(moved(
        scene,
        ix,
        column(&["from → to"]),
        column(&["before"]),
        column(&["after"]),
        column(&["kind", "change"]),
    ));
    out
}

/// A cell that names the message of a change, or says that there was none.
fn when(scene: &Scene<'_>, item: ItemIx, verb: &str, cell: &str) -> Option<Finding> {
    let label = &scene.world.analysis.facts.plan.items[item.at()].label;
    if let Some(r) = refs::find(cell).first() {
        return Some(changed(scene, item, verb, scene.world.find(&r.first)?));
    }
    if !matches!(cell, "–" | "-" | "—" | "never") {
        return None;
    }
    let found = history(scene, item).find(|t| matches_verb(verb, t));
    Some(match found {
        Some(t) => {
            Finding::contradicted(Kind::Plan, format!("{label} is {verb} in [msg {}]", scene.world.label(t.msg)))
                .shown_by([t.msg])
        }
        None => Finding::supported(Kind::Presence, format!("{label} is never {verb}"))
            .shown_by(scene.scope().into_iter().take(1)),
    })
}

/// `active [msg 4] → done [msg 9]`: what it became, and where.
fn states(scene: &Scene<'_>, item: ItemIx, cell: &str) -> Vec<Finding> {
    let step = |part: &str| {
        let r = refs::find(part).into_iter().next()?;
        let (state, at) = (state_of(&part[..r.at.start])?, scene.world.find(&r.first)?);
        let became = history(scene, item).any(|t| t.msg == at && t.to == state);
        let label = &scene.world.analysis.facts.plan.items[item.at()].label;
        let reason =
            format!("{label} {} {state} in [msg {}]", if became { "becomes" } else { "does not become" }, r.first);
        Some(
            Finding::new(Kind::Plan, if became { Verdict::Supported } else { Verdict::Contradicted }, reason)
                .shown_by([at]),
        )
    };
    cell.split(" → ").filter_map(step).collect()
}

/// The words of an item, as some write gave them.
fn reads(scene: &Scene<'_>, item: ItemIx, cell: &str) -> Option<Finding> {
    let words = plain(cell).to_lowercase();
    let plan = &scene.world.analysis.facts.plan;
    let own = plan.items[item.at()].text.as_str();
    let texts = plan.snapshots.iter().flat_map(|s| &s.items).filter(|i| i.item == Some(item)).map(|i| i.text.as_str());
    let begins = |text: &str| {
        let text = plain(text).to_lowercase();
        words.starts_with(&text) || words.split_once('…').is_some_and(|(cut, _)| text.starts_with(cut))
    };
    let label = &plan.items[item.at()].label;
    Some(match texts.chain([own]).any(begins) {
        true => {
            Finding::supported(Kind::Quote, format!("{label} reads so")).shown_by([plan.items[item.at()].first_msg])
        }
        false => Finding::contradicted(Kind::Quote, format!("{label} reads “{own}”"))
            .shown_by([plan.items[item.at()].first_msg]),
    })
}

/// Messages under `evidence`: calls there bear on the completion of the item.
fn shows(scene: &Scene<'_>, item: ItemIx, cell: &str) -> Option<Finding> {
    let named = scene.world.expand(&refs::find(cell));
    let calls: Vec<_> = history(scene, item).flat_map(|t| &t.evidence).map(|e| e.call.msg).collect();
    let other = named.iter().copied().find(|ix| !calls.contains(ix));
    let label = &scene.world.analysis.facts.plan.items[item.at()].label;
    (!named.is_empty()).then(|| match other {
        None => Finding::supported(Kind::Plan, format!("calls there bear on {label}")).shown_by(named),
        Some(at) => {
            let reason = format!("no call of [msg {}] bears on {label}", scene.world.label(at));
            Finding::contradicted(Kind::Plan, reason).shown_by([at])
        }
    })
}

/// Bytes of the cell that says what a completion took; counted here and nowhere else.
pub(super) fn took_cell(scene: &Scene<'_>) -> Option<Range<usize>> {
    let sentence = scene.sentence();
    let item = scene.cell(&["item"]).filter(|c| LABEL.find(c).is_some_and(|m| m.start() == 0))?;
    labelled(scene, item)?;
    let at = sentence.head.iter().position(|h| h.eq_ignore_ascii_case("took"))?;
    sentence.cells.get(at).cloned()
}

/// `12 min 3 s, 40 msgs, 2 failed`: what one of the item's completions took.
fn took(scene: &Scene<'_>, item: ItemIx, cell: &str) -> Finding {
    let (real, index) = (scene.world.took(item), &scene.world.analysis.facts.plan.items[item.at()]);
    let holds = real.iter().any(|t| t == cell.trim()) || real.is_empty() && cell.trim() == "–";
    let said =
        if real.is_empty() { "it was never completed".to_owned() } else { format!("it took {}", real.join("; ")) };
    match holds {
        true => Finding::supported(Kind::Plan, said).shown_by([index.first_msg]),
        false => Finding::contradicted(Kind::Plan, said).shown_by([index.first_msg]),
    }
}

fn ends(scene: &Scene<'_>, item: ItemIx, cell: Option<&str>) -> Option<Finding> {
    let state = cell?.split([',', ' ']).next().map(State::of_word).filter(|s| *s != State::Other)?;
    let item = &scene.world.analysis.facts.plan.items[item.at()];
    Some(match state == item.last || state == item.outcome {
        true => Finding::supported(Kind::Plan, format!("{} ends {state}", item.label)).shown_by([item.first_msg]),
        false => Finding::contradicted(Kind::Plan, format!("{} ends {}, not {state}", item.label, item.outcome))
            .shown_by([item.first_msg]),
    })
}

/// Cells that say from which state to which an item went in the message of the row.
fn moved(
    scene: &Scene<'_>,
    item: ItemIx,
    both: Option<&str>,
    before: Option<&str>,
    after: Option<&str>,
    kind: Option<&str>,
) -> Option<Finding> {
    let (from, to) = match both {
        Some(cell) => cell.split_once('→')?,
        None => (before?, after?),
    };
    let (from, to) = (state_of(from)?, state_of(to)?);
    let named = scene.sentence().own.first().and_then(|r| scene.world.find(&r.first));
    let at: Label = scene.world.message(named.or(scene.subject)?).label.clone();
    let rows: Vec<&Transition> = history(scene, item).filter(|t| scene.world.message(t.msg).label == at).collect();
    let label = &scene.world.analysis.facts.plan.items[item.at()].label;
    let ends = rows.first().zip(rows.last()).map(|(a, b)| (a.from, b.to));
    let whole = ends == Some((from, to));
    // A row for each change gives one step; a row for each item gives all of them together.
    let step = whole || both.is_some() && rows.iter().any(|t| (t.from, t.to) == (from, to));
    let kinds: Vec<&str> =
        kind.and_then(|k| k.split('(').next()).map(|k| k.split(',').map(str::trim).collect()).unwrap_or_default();
    let kind_fits = kinds
        .iter()
        .all(|k| *k == "none" || k.is_empty() || rows.iter().any(|t| t.kind.word() == *k) || rows.is_empty());
    // A write that was refused still lists the item in a state.
    let refused = |s: &&crate::extract::plan::PlanSnapshot| !s.accepted && scene.world.message(s.msg).label == at;
    let snapshots = &scene.world.analysis.facts.plan.snapshots;
    let listed = |s: &crate::extract::plan::PlanSnapshot| {
        s.items.iter().any(|i| {
            (i.item == Some(item) || i.text == scene.world.analysis.facts.plan.items[item.at()].text) && i.state == to
        })
    };
    let as_written = rows.is_empty() && kinds == ["none"] && snapshots.iter().filter(refused).any(listed);
    let still = rows.is_empty() && from == to || as_written;
    let shown = rows.iter().map(|t| t.msg).take(1);
    Some(match (step && kind_fits) || still {
        true => Finding::supported(Kind::Plan, format!("{label} goes from {from} to {to}")).shown_by(shown),
        false => {
            let real = rows.first().map_or_else(
                || "does not change".to_owned(),
                |t| format!("goes from {} to {} ({})", t.from, t.to, t.kind.word()),
            );
            Finding::contradicted(Kind::Plan, format!("{label} {real} in [msg {at}]")).shown_by(shown)
        }
    })
}
