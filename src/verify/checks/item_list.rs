//! Lists of plan items by name: `the list begins with T4`, `priorities in [msg 9]: T1 and T2 high`, items never done,
//! items without a call that bears on them, the messages in which they change again.

use std::sync::LazyLock;

use regex::Regex;

use super::plan::{LABEL, STATES, history, labelled, state_of, texts};
use super::{Scene, inner, quotes};
use crate::extract::plan::{ItemIx, PlanSnapshot, State};
use crate::extract::prose::re;
use crate::session::MsgIx;
use crate::verify::article::Block;
use crate::verify::words::number;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind};

static ENDS: LazyLock<Regex> = LazyLock::new(|| re(r"\bthe list begins with (T\d+) and ends with (T\d+)\b"));
static PRIORITIES: LazyLock<Regex> = LazyLock::new(|| re(r"^priorities in .*?: (.+?)\.?$"));
static CREATES: LazyLock<Regex> = LazyLock::new(|| re(r"\bcreates all (\w+) items\b"));
static NEVER_DONE: LazyLock<Regex> =
    LazyLock::new(|| re(r"^whether (T\d.*) (?:was|were) ever done: no later message says so"));
static UNPROVED: LazyLock<Regex> =
    LazyLock::new(|| re(r"^what shows that (T\d.*) (?:was|were) done: no call was found that bears on"));
static AGAIN: LazyLock<Regex> = LazyLock::new(|| re(r"^its items change again in "));

/// `“Write the notes” was set to done`, `… went from pending to active`.
static MOVED: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"^\s*(?:item |task |todo )?(?:(?:was|is|had been|has been) (?:set|moved|switched|changed|put|marked)|went|goes|moved|moves|changed|changes)(?: back)?(?: from (?:being )?`?({STATES})`?)? (?:to(?: be)?|as) `?({STATES})\b"
    ))
});

/// The words of an item beside the change that it is said to make in the message named.
fn moved(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.text();
    let one = |range: std::ops::Range<usize>| {
        let found = MOVED.captures(&text[range.end..])?;
        let to = state_of(&found[2])?;
        let from = found.get(1).and_then(|m| state_of(m.as_str()));
        let words = plain(inner(&text[range])).to_lowercase();
        let plan = &scene.world.analysis.facts.plan;
        let same = |ix: &ItemIx| texts(scene, *ix).any(|t| plain(t).to_lowercase() == words);
        let item = (0..plan.items.len() as u32).map(ItemIx).find(same)?;
        let at = scene.world.find(&scene.sentence().own.first()?.first)?;
        let mut rows = history(scene, item).filter(|t| t.msg == at).peekable();
        let real = rows.peek().map_or("does not change".to_owned(), |t| format!("goes from {} to {}", t.from, t.to));
        let holds = rows.any(|t| t.to == to && from.is_none_or(|f| t.from == f));
        let label = &plan.items[item.at()].label;
        let wrong = (!holds).then(|| format!("{label} {real} in [msg {}]", scene.world.label(at)));
        Some(decided(wrong, "so it changes there", [at]))
    };
    quotes(text).into_iter().filter_map(one).collect()
}

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block != Block::Prose {
        return Vec::new();
    }
    let mut out = priorities(scene);
    out.extend(moved(scene));
    out.extend([created(scene), ends(scene), never_done(scene), unproved(scene), again(scene)].into_iter().flatten());
    out
}

/// The list of the message named, else of the article's subject.
fn list<'a>(scene: &Scene<'a>) -> Option<&'a PlanSnapshot> {
    let snapshots = &scene.world.analysis.facts.plan.snapshots;
    let of = |ix: MsgIx| snapshots.iter().rfind(|s| s.msg == ix);
    match scene.world.expand(&scene.sentence().own) {
        named if named.is_empty() => scene.subject.and_then(of),
        named => named.into_iter().find_map(of),
    }
}

/// The items that a text names; none when one of them does not exist.
fn items(scene: &Scene<'_>, text: &str) -> Vec<ItemIx> {
    let all: Option<Vec<ItemIx>> = LABEL.find_iter(text).map(|m| labelled(scene, m.as_str())).collect();
    all.unwrap_or_default()
}

fn decided(wrong: Option<String>, right: &str, shown: impl IntoIterator<Item = MsgIx>) -> Finding {
    match wrong {
        None => Finding::supported(Kind::Plan, right).shown_by(shown),
        Some(reason) => Finding::contradicted(Kind::Plan, reason).shown_by(shown),
    }
}

/// `[msg 9] creates all 3 items`: the message named writes that many new ones.
fn created(scene: &Scene<'_>) -> Option<Finding> {
    let stated = number(&CREATES.captures(scene.text())?[1])? as usize;
    let at = *scene.world.expand(&scene.sentence().own).first()?;
    let rows = scene.world.analysis.facts.plan.transitions.iter().filter(|t| t.msg == at);
    let counted = rows.filter(|t| t.from == State::Absent && t.to != State::Absent).count();
    Some(decided((counted != stated).then(|| format!("it creates {counted}")), "so many are created there", [at]))
}

fn ends(scene: &Scene<'_>) -> Option<Finding> {
    let found = ENDS.captures(scene.text())?;
    let list = list(scene)?;
    let label = |ix: Option<ItemIx>| ix.map_or("", |ix| &scene.world.analysis.facts.plan.items[ix.at()].label);
    let (first, last) = (list.items.first().map(|i| label(i.item))?, list.items.last().map(|i| label(i.item))?);
    let wrong = (&found[1] != first || &found[2] != last).then(|| format!("the list runs from {first} to {last}"));
    Some(decided(wrong, "so the list runs", [list.msg]))
}

/// `T1 and T2 high; T3 medium`
fn priorities(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(found) = PRIORITIES.captures(scene.text()) else { return Vec::new() };
    let Some(list) = list(scene) else {
        let named = scene.world.expand(&scene.sentence().own);
        return named
            .first()
            .map(|ix| decided(Some("no plan is written there".to_owned()), "", [*ix]))
            .into_iter()
            .collect();
    };
    let one = |group: &str| {
        let stated = group.rsplit(' ').next()?.to_lowercase();
        let differs = |ix: &ItemIx| {
            let item = list.items.iter().find(|i| i.item == Some(*ix));
            !item.is_some_and(|i| i.priority.as_deref().is_some_and(|p| p.eq_ignore_ascii_case(&stated)))
        };
        let named = items(scene, group);
        let wrong = named.iter().find(|ix| differs(ix));
        let label = |ix: &ItemIx| &scene.world.analysis.facts.plan.items[ix.at()].label;
        let reason = wrong.map(|ix| format!("{} is not {stated} there", label(ix)));
        (!named.is_empty()).then(|| decided(reason, "so the list gives them", [list.msg]))
    };
    found[1].split("; ").filter_map(one).collect()
}

fn never_done(scene: &Scene<'_>) -> Option<Finding> {
    let found = NEVER_DONE.captures(scene.text())?;
    let named = items(scene, &found[1]);
    let done = named.iter().find_map(|ix| history(scene, *ix).find(|t| t.to == State::Done));
    let wrong = done.map(|t| format!("it is done in [msg {}]", scene.world.label(t.msg)));
    (!named.is_empty()).then(|| decided(wrong, "never done", done.map(|t| t.msg)))
}

fn unproved(scene: &Scene<'_>) -> Option<Finding> {
    let found = UNPROVED.captures(scene.text())?;
    let named = items(scene, &found[1]);
    let mut proofs = named.iter().flat_map(|ix| history(scene, *ix)).filter(|t| t.to == State::Done);
    let call = proofs.find_map(|t| t.evidence.first()).map(|e| e.call.msg);
    let wrong = call.map(|at| format!("a call in [msg {}] bears on it", scene.world.label(at)));
    (!named.is_empty()).then(|| decided(wrong, "no call bears on them", call))
}

/// `Its items change again in [msg 5] and [msg 9].`: just there, after the article's subject.
fn again(scene: &Scene<'_>) -> Option<Finding> {
    AGAIN.find(scene.text())?;
    let subject = scene.subject?;
    let plan = &scene.world.analysis.facts.plan;
    let lists = plan.snapshots.iter().filter(|s| s.msg == subject).flat_map(|s| &s.items);
    let own: Vec<ItemIx> = lists.filter_map(|i| i.item).collect();
    let changes = plan.transitions.iter().filter(|t| t.msg > subject && t.is_change());
    let at: std::collections::BTreeSet<MsgIx> =
        changes.filter(|t| t.item.is_some_and(|i| own.contains(&i))).map(|t| t.msg).collect();
    let named = scene.world.expand(&scene.sentence().own);
    let other = named.iter().find(|ix| !at.contains(ix)).copied();
    let wrong = other.map(|ix| format!("none of them changes in [msg {}]", scene.world.label(ix)));
    (!own.is_empty() && !named.is_empty()).then(|| decided(wrong, "they change there", named.into_iter().take(3)))
}
