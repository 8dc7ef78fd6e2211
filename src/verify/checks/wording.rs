//! "The user's exact words": whether the words said to be taken over stand in what the user wrote.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::{Scene, inner, quotes};
use crate::session::{MsgIx, Role};
use crate::verify::world::plain;
use crate::verify::{Finding, Kind};

static EXACT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(exact (?:phrasing|words|wording)|verbatim|word for word|(?:mirrors?|repeats?|echo(?:es)?|copies|matches) (?:the user's |the user’s )?(?:\w+ )?exactly|exactly as (?:the user )?(?:written|worded|phrased))")
        .expect("a constant pattern")
});
static NEGATED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)(?-u:\b)(not|never|n't|rather than)(?-u:\b)").expect("a constant pattern"));

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.outside_quotes();
    if !EXACT.is_match(&text) || NEGATED.is_match(&text) || !text.to_lowercase().contains("user") {
        return Vec::new();
    }
    let pieces: Vec<String> = match quotes(scene.text()) {
        found if !found.is_empty() => {
            found.into_iter().map(|r| plain(inner(&scene.text()[r])).to_lowercase()).collect()
        }
        _ => items(scene),
    };
    let Some(asked) = asked(scene).filter(|_| !pieces.is_empty()) else { return Vec::new() };
    let said = scene.world.text(asked);
    let exact = pieces.iter().filter(|p| said.contains(p.trim_end_matches(['.', ',']))).count();
    let shares: Vec<usize> = pieces.iter().map(|p| overlap(p, said)).collect();
    let (lo, hi) = (shares.iter().min().copied().unwrap_or(0), shares.iter().max().copied().unwrap_or(0));
    if exact * 2 > pieces.len() {
        return vec![
            Finding::supported(Kind::Quote, format!("{exact} of {} stand in the user's words", pieces.len()))
                .shown_by([asked]),
        ];
    }
    let reason = format!(
        "{exact} of {} stand in [msg {}] as they are; they share {lo} % to {hi} % of their words with it",
        pieces.len(),
        scene.world.label(asked)
    );
    vec![Finding::contradicted(Kind::Quote, reason).shown_by([asked])]
}

/// The items of the list that the article is about.
fn items(scene: &Scene<'_>) -> Vec<String> {
    let Some(subject) = scene.subject else { return Vec::new() };
    let plan = &scene.world.analysis.facts.plan;
    let list = plan.snapshots.iter().rfind(|s| s.msg == subject);
    list.map(|s| s.items.iter().map(|i| plain(&i.text).to_lowercase()).collect()).unwrap_or_default()
}

/// The user's message that the article's subject answers, or the user's message named.
fn asked(scene: &Scene<'_>) -> Option<MsgIx> {
    let named = scene.world.expand(scene.sentence().references());
    let by_user = |ix: &MsgIx| scene.world.message(*ix).role == Role::User;
    let before = scene.subject.and_then(|s| scene.world.of_role(Role::User).filter(|&ix| ix < s).last());
    named.into_iter().find(by_user).or(before)
}

/// The share of a piece's words that stand in a text, in percent.
fn overlap(piece: &str, said: &str) -> usize {
    let words = |t: &str| -> BTreeSet<String> {
        t.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect()
    };
    let (mine, theirs) = (words(piece), words(said));
    (mine.intersection(&theirs).count() * 200 / mine.len().max(1)).div_ceil(2)
}
