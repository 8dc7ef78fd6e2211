//! What never happened: a tool never used, a plan never touched again, a thing the user never spoke of.

use std::sync::LazyLock;

use regex::Regex;

use super::{Scene, count};
use crate::extract::prose::{content_words, re};
use crate::session::{MsgIx, Role};
use crate::verify::article::Block;
use crate::verify::{Finding, Kind};

static UNUSED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:never|did not|didn't|does not|without)\s+(?:once\s+)?(?:used?|calls?|called|using|calling|touch(?:ed)?|invoked?)\s+(?:the\s+)?`?([\w.-]+)`?\s+tool\b",
    )
});
static PLAN_STILL: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?:plan|(?:todo|to-do|task)(?: list|s)?|items?)\s+(?:was|were|is|did|has|had|have|list)\s+(?:list\s+)?(?:never|not|no longer|n't)\s+(?:been\s+)?(?:again\s+)?(touched|updated|changed?|written|rewritten|revised|edited)\b|\bno (?:further |more )?(?:plan|todo list|to-do list|todo|plan item|item|task) (?:was |is |were )?(?:state )?(written|changed|updated|touched)\b",
    )
});
static UNSAID: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(user|assistant|agent|nobody|no one)\s+(?:(?:never|did not|didn't|does not|doesn't)\s+)?(?:ever\s+|once\s+|again\s+)*(mentions?|mentioned|asks? about|asked about|asks? for|asked for|speaks? of|spoke of|talks? about|talked about|names?|named)\s+(?:again\s+)?(?:the\s+|a\s+|an\s+|any\s+)?([\w.-]+(?:\s+[\w.-]+){0,3}?)\s*(?:again\b|at all\b|anywhere\b|in\b|after\b|before\b|[.,;]|$)",
    )
});
static AFTER: LazyLock<Regex> = LazyLock::new(|| re(r"\b(after|since|before|until)\s+(?:the\s+end\s+of\s+)?$"));

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block != Block::Prose {
        return Vec::new();
    }
    let text = scene.without_quotes();
    [unused(scene, &text), untouched(scene, &text), unsaid(scene, &text)].into_iter().flatten().collect()
}

/// The messages that an absence is of: those after or before the one named, those named, else all.
fn scope(scene: &Scene<'_>) -> Option<Vec<MsgIx>> {
    let own = &scene.sentence().own;
    let all = || scene.world.session().live().map(|(ix, _)| ix);
    let Some(first) = own.first() else { return Some(all().collect()) };
    let [only] = &own[..] else { return None };
    let at = scene.world.find(&first.first)?;
    let word = AFTER.captures(&scene.text()[..only.at.start]).map(|c| c[1].to_lowercase());
    Some(match word.as_deref() {
        Some("after" | "since") => all().filter(|&ix| ix > at).collect(),
        Some(_) => all().filter(|&ix| ix < at).collect(),
        None => scene.world.expand(own),
    })
}

/// `It never used the `edit` tool`.
fn unused(scene: &Scene<'_>, text: &str) -> Option<Finding> {
    let found = UNUSED.captures(text)?;
    let scope = scope(scene)?;
    let (n, shown) = count::calls_of(scene, &found[1], &scope)?;
    Some(match n {
        0 => Finding::supported(Kind::Presence, format!("no call of {}", &found[1])),
        n => Finding::contradicted(Kind::Presence, format!("{n} calls of {}", &found[1]))
            .shown_by(shown.into_iter().take(3)),
    })
}

/// `After [msg 9] the plan was never touched again`.
fn untouched(scene: &Scene<'_>, text: &str) -> Option<Finding> {
    let found = PLAN_STILL.captures(text)?;
    // Of one item among several, this version does not read it.
    if found[0].to_lowercase().starts_with("item") {
        return None;
    }
    let scope = scope(scene)?;
    let plan = &scene.world.analysis.facts.plan;
    let written = found.get(1).or(found.get(2))?.as_str().contains("writ");
    let changes = plan.transitions.iter().filter(|t| t.is_change()).map(|t| t.msg);
    let lists = plan.snapshots.iter().map(|s| s.msg).filter(|_| written);
    let first = changes.chain(lists).filter(|ix| scope.binary_search(ix).is_ok()).min();
    Some(match first {
        None => {
            Finding::supported(Kind::Presence, "the plan does not change there").shown_by(scope.into_iter().take(1))
        }
        Some(at) => {
            Finding::contradicted(Kind::Presence, format!("the plan changes in [msg {}]", scene.world.label(at)))
                .shown_by([at])
        }
    })
}

/// `The user never asked about the kernel`: none of its words stands in any of his messages.
fn unsaid(scene: &Scene<'_>, text: &str) -> Option<Finding> {
    let found = UNSAID.captures(text)?;
    let who = found[1].to_lowercase();
    let denied = ["never", "not ", "n't "].iter().any(|w| found[0].to_lowercase().contains(w));
    if !denied && !who.starts_with("no") {
        return None;
    }
    let what = found[3].to_lowercase();
    let words = content_words(&what);
    let role = match &*who {
        "user" => Some(Role::User),
        "assistant" | "agent" => Some(Role::Assistant),
        _ => None,
    };
    let scope = scope(scene)?;
    let session = scene.world.session();
    let said: Vec<MsgIx> = scope.into_iter().filter(|&ix| role.is_none_or(|r| session.message(ix).role == r)).collect();
    let there = |ix: &MsgIx| {
        let mine = content_words(scene.world.text(*ix));
        words.iter().any(|w| mine.contains(w))
    };
    if words.is_empty() {
        return None;
    }
    if !said.iter().any(there) {
        return Some(Finding::supported(Kind::Presence, format!("“{what}” stands in none of the messages")));
    }
    // Only the very word, where it is one, speaks against it.
    let at = said.iter().copied().find(there).filter(|_| words.len() == 1 && !what.contains(' '))?;
    Some(
        Finding::contradicted(Kind::Presence, format!("“{what}” stands in [msg {}]", scene.world.label(at)))
            .shown_by([at]),
    )
}
