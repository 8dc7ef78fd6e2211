//! What is left and what is gone: rows of open plan items, items with the state they ended in, items that left a list,
//! things taken for granted and their check, points marked as fine.

use std::sync::LazyLock;

use regex::Regex;

use super::plan::{STATES, history, labelled, state_of, texts};
use super::{Scene, inner, quotes};
use crate::extract::findings::FindingStatus;
use crate::extract::plan::{ItemIx, State};
use crate::extract::prose::re;
use crate::session::MsgIx;
use crate::verify::article::Block;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind, refs};

static STATE_BEHIND: LazyLock<Regex> = LazyLock::new(|| re(&format!(r"^ \(({STATES})\)")));
static LEAVES: LazyLock<Regex> = LazyLock::new(|| re(r"^ leaves \d+ of \d+ plan items? open at the end\b"));
static GONE: LazyLock<Regex> = LazyLock::new(|| re(r"^not in the list of \[msg [^\]]*\] any more: "));
static GONE_ITEM: LazyLock<Regex> = LazyLock::new(|| re(r"(T\d{1,5}) “[^”]*” \((\[msg [\d.s]+\])\)"));
static GONE_STATE: LazyLock<Regex> = LazyLock::new(|| re(&format!(r"\), (?:all )?({STATES})\.?$")));
static MARKED: LazyLock<Regex> = LazyLock::new(|| re(r"(?:^marked ok: |; )([^;]+?) \((\[msg [\d.s]+\])\)"));

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    match scene.sentence().block {
        Block::Row => open_item(scene).into_iter().chain(taken_for_granted(scene)).collect(),
        Block::Prose => {
            let mut out = with_state(scene);
            out.extend(leaves(scene));
            out.extend(gone(scene));
            out.extend(marked_ok(scene));
            out
        }
        _ => Vec::new(),
    }
}

fn decided(wrong: Option<String>, right: &str, shown: impl IntoIterator<Item = MsgIx>) -> Finding {
    match wrong {
        None => Finding::supported(Kind::Plan, right),
        Some(reason) => Finding::contradicted(Kind::Plan, reason),
    }
    .shown_by(shown)
}

fn find(scene: &Scene<'_>, cell: &str) -> Option<MsgIx> {
    scene.world.find(&refs::find(cell).first()?.first)
}

/// `| plan item T2 | its words | pending | [msg 4] |`: so it reads, so it ends, and there it changed last.
fn open_item(scene: &Scene<'_>) -> Option<Finding> {
    let item = labelled(scene, scene.cell(&["what"])?.strip_prefix("plan item ")?)?;
    let (words, state, at) = (scene.cell(&["which"])?, state_of(scene.cell(&["state"])?)?, scene.cell(&["message"])?);
    let plan = &scene.world.analysis.facts.plan;
    let known = &plan.items[item.at()];
    let last = plan.last_change(item);
    let words = plain(words);
    let reads = texts(scene, item).any(|t| plain(t).starts_with(words.trim_end_matches('…').trim_end()));
    let wrong = if !reads {
        Some(format!("{} reads “{}”", known.label, known.text))
    } else if known.last != state {
        Some(format!("{} is {} at the end, not {state}", known.label, known.last))
    } else {
        let there = find(scene, at) == Some(last);
        (!there).then(|| format!("{} changed last in [msg {}]", known.label, scene.world.label(last)))
    };
    Some(decided(wrong, "so it is left", [last]))
}

/// The item of which these are the words.
fn item_of(scene: &Scene<'_>, words: &str) -> Option<ItemIx> {
    let words = plain(words).to_lowercase();
    let same = |ix: &ItemIx| texts(scene, *ix).any(|t| plain(t).to_lowercase() == words);
    (0..scene.world.analysis.facts.plan.items.len() as u32).map(ItemIx).find(same)
}

/// `“Write the notes” (pending)`: its state at the end, or after a message named.
fn with_state(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.text();
    let named = scene.world.expand(&scene.sentence().own);
    let one = |range: std::ops::Range<usize>| {
        let state = state_of(&STATE_BEHIND.captures(&text[range.end..])?[1])?;
        let item = item_of(scene, inner(&text[range]))?;
        let known = &scene.world.analysis.facts.plan.items[item.at()];
        let then = |at: &MsgIx| history(scene, item).filter(|t| t.msg <= *at).last().map(|t| t.to);
        let holds = state == known.last || state == known.outcome || named.iter().any(|ix| then(ix) == Some(state));
        let wrong = (!holds).then(|| format!("{} is {} at the end, not {state}", known.label, known.outcome));
        Some(decided(wrong, "so it ended", [known.first_msg]))
    };
    quotes(text).into_iter().filter_map(one).collect()
}

/// `[msg 9] leaves 2 of 4 plan items open at the end`: the last list stands there.
fn leaves(scene: &Scene<'_>) -> Option<Finding> {
    let r = scene.sentence().own.first()?;
    LEAVES.find(&scene.text()[r.at.end..])?;
    let at = scene.world.find(&r.first)?;
    let lists = scene.world.analysis.facts.plan.lists_at(None);
    let holds = lists.iter().any(|s| s.msg == at);
    let last = lists.last().map(|s| s.msg)?;
    let wrong = (!holds).then(|| format!("the last list stands in [msg {}]", scene.world.label(last)));
    Some(decided(wrong, "the last list stands there", [last]))
}

/// `Not in the list of [msg 9] any more: T1 “Write the notes” ([msg 7]), done.`
fn gone(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.text();
    let Some(begin) = GONE.find(text) else { return Vec::new() };
    let Some(at) = find(scene, begin.as_str()) else { return Vec::new() };
    let mut out = Vec::new();
    for group in text[begin.end()..].split("; ") {
        let state = GONE_STATE.captures(group).and_then(|c| state_of(&c[1]));
        for found in GONE_ITEM.captures_iter(group) {
            let (Some(item), Some(seen)) = (labelled(scene, &found[1]), find(scene, &found[2])) else { continue };
            let left = history(scene, item).find(|t| t.msg == at && t.to == State::Absent);
            let wrong = match left {
                None => Some(format!("{} does not leave the list there", &found[1])),
                Some(t) if state.is_some_and(|s| s != t.from) => Some(format!("{} was {}", &found[1], t.from)),
                _ if !history(scene, item).any(|t| t.msg == seen) => {
                    Some(format!("{} is not in a list of [msg {}]", &found[1], scene.world.label(seen)))
                }
                _ => None,
            };
            out.push(decided(wrong, "it left the list there", [at]));
        }
    }
    out
}

/// A row of something taken for granted: where it stands, and where a call checked it.
fn taken_for_granted(scene: &Scene<'_>) -> Option<Finding> {
    let cell = scene.cell(&["assumption"])?;
    let words = plain(inner(cell.split('”').next()?)).to_lowercase();
    let words = words.trim_end_matches('…').trim_end();
    let all = &scene.world.analysis.facts.assumptions;
    let same: Vec<_> = all.iter().filter(|a| plain(&a.text).to_lowercase().starts_with(words)).collect();
    let first = same.first().filter(|_| !words.is_empty())?;
    let place = scene.cell(&["message", "in"]).and_then(|c| find(scene, c));
    let said = find(scene, cell);
    let checked = scene.cell(&["checked", "checked in"])?;
    let outcome = scene.cell(&["outcome", "last line printed"]).unwrap_or("–");
    let printed = plain(outcome.rsplit(": ").next().unwrap_or(outcome)).trim_matches('"').to_lowercase();
    let printed = printed.trim_end_matches('…').trim_end();
    let fits = |a: &&&crate::extract::assumptions::Assumption| {
        place.is_none_or(|p| p == a.msg)
            && said.is_none_or(|s| s == a.span.msg)
            && find(scene, checked) == a.verified_msg
            && (matches!(printed, "" | "-" | "the call failed")
                || a.outcome.as_deref().is_some_and(|o| plain(o).to_lowercase().contains(printed)))
    };
    let label = |ix: Option<MsgIx>| ix.map_or("no message".to_owned(), |ix| format!("[msg {}]", scene.world.label(ix)));
    let wrong = same.iter().find(fits).is_none().then(|| {
        format!("it is taken for granted in {} and checked in {}", label(Some(first.msg)), label(first.verified_msg))
    });
    Some(decided(wrong, "so it is on record", [first.msg]))
}

/// `Marked OK: the cooling ([msg 4]); the disk ([msg 4])`
fn marked_ok(scene: &Scene<'_>) -> Vec<Finding> {
    if !scene.text().starts_with("Marked OK: ") {
        return Vec::new();
    }
    let findings = &scene.world.analysis.facts.findings.findings;
    let one = |c: regex::Captures<'_>| {
        let at = find(scene, &c[2])?;
        let words = plain(&c[1]).to_lowercase();
        let words = words.trim_end_matches('…').trim_end();
        let there = |f: &&crate::extract::findings::Finding| {
            f.status == FindingStatus::Ok && plain(&f.title).to_lowercase().starts_with(words)
        };
        let first = findings.iter().find(there)?;
        let holds = findings.iter().filter(there).any(|f| f.msg == at);
        let wrong = (!holds).then(|| format!("“{words}” is marked so in [msg {}]", scene.world.label(first.msg)));
        Some(decided(wrong, "it is marked so there", [first.msg]))
    };
    MARKED.captures_iter(scene.text()).filter_map(one).collect()
}
