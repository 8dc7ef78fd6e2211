//! What the user asked for, wanted and chose, and in which message: `the user asked for a draft ([msg 4])`.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::decisions::By;
use crate::extract::prose::{content_words, re};
use crate::session::{MsgIx, Role};
use crate::verify::article::Block;
use crate::verify::{Finding, Kind};

static ASKED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\buser\s+(?:then|also|first|next|later|now|explicitly)?\s*(?:asked|asks|wanted|wants|requested|requests|ordered|orders|instructed|instructs|told|tells|demanded|said|says|corrected|corrects|insisted|insists|reminded|reminds|pointed out|points out|added|adds|suggested|suggests|(chose|chooses|picked|picks|selected|selects|decided|decides|opted|went with|settled on))(?:\s+(?:the\s+)?(?:assistant|agent|model|it))?(?:\s+(?:for|to|that|if|whether|about|on|how|why|what|by))?\s+([^;]+)",
    )
});
static NEGATED: LazyLock<Regex> = LazyLock::new(|| re(r"\b(never|not|n't|nor|neither|nothing|no longer)\b"));

/// Words of a paraphrase that stand in the message, of those that could: fewer say nothing.
const SHARE: (usize, usize) = (1, 2);
/// Words that stand in another message, and none of them in the one named: the wrong message is named.
const ELSEWHERE: usize = 3;

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block != Block::Prose {
        return Vec::new();
    }
    let text = scene.outside_quotes();
    let Some(found) = ASKED.captures(&text) else { return Vec::new() };
    let Some(rest) = found.get(2).filter(|m| !NEGATED.is_match(m.as_str()) && !NEGATED.is_match(&found[0])) else {
        return Vec::new();
    };
    let words = content_words(rest.as_str());
    if words.is_empty() {
        return Vec::new();
    }
    asked(scene, &words, found.get(1).is_some()).into_iter().collect()
}

fn asked(scene: &Scene<'_>, words: &[String], chosen: bool) -> Option<Finding> {
    let session = scene.world.session();
    let by_user = |ix: &MsgIx| session.message(*ix).role == Role::User;
    let own = scene.world.expand(&scene.sentence().own);
    let named: Vec<MsgIx> = own.iter().copied().filter(by_user).collect();
    let label = |ix: MsgIx| scene.world.label(ix);
    let fits = |ix: &MsgIx| shared(scene, *ix, words, chosen) * SHARE.1 > words.len() * SHARE.0;
    if let Some(&at) = named.iter().find(|ix| fits(ix)) {
        return Some(Finding::supported(Kind::Actor, format!("[msg {}] speaks of it", label(at))).shown_by([at]));
    }
    let all = scene.world.of_role(Role::User).filter(|ix| session.on_main(*ix));
    let whole = |ix: &MsgIx| words.len() >= ELSEWHERE && shared(scene, *ix, words, false) == words.len();
    let mut elsewhere = all.filter(whole);
    if named.is_empty() {
        // `The user asked for a draft.` needs a message that speaks of just that.
        let at = elsewhere.next().filter(|_| own.is_empty())?;
        return Some(Finding::supported(Kind::Actor, format!("[msg {}] speaks of it", label(at))).shown_by([at]));
    }
    let nothing_here = named.iter().all(|&ix| shared(scene, ix, words, chosen) == 0);
    let at = elsewhere.next().filter(|_| nothing_here)?;
    let reason = format!("that stands in [msg {}], not in [msg {}]", label(at), label(named[0]));
    Some(Finding::contradicted(Kind::Actor, reason).shown_by([at, named[0]]))
}

/// How many of the words stand in what the user wrote there, or in what he chose by it: a choice is often a letter, and its
/// words stand with the options.
fn shared(scene: &Scene<'_>, at: MsgIx, words: &[String], chosen: bool) -> usize {
    let mut there = content_words(&scene.world.message(at).text());
    let facts = &scene.world.analysis.facts;
    let choices = facts.decisions.iter().filter(|d| d.msg == at && d.by == By::User);
    there.extend(choices.flat_map(|d| content_words(&d.choice)));
    if chosen {
        let before = facts.options.iter().rev().find(|l| l.msg < at);
        there.extend(before.iter().flat_map(|l| &l.options).flat_map(|o| content_words(&o.text)));
    }
    words.iter().filter(|w| there.contains(w)).count()
}
