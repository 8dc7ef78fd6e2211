//! Where the session, its work and its calls begin and end: `40 messages, from [msg 1] to [msg 40]`, `the work from [msg 1]
//! to [msg 40]`, `open at the end, [msg 40]`, `12 calls, between [msg 3] and [msg 9]`.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::prose::re;
use crate::session::{CallStatus, MsgIx, ToolCall};
use crate::verify::article::Block;
use crate::verify::{Finding, Kind};

static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^(?:[\w-]+ session `[^`]+`: .*\bfrom |the (?:work|session|transcript) (?:runs |goes )?from )$")
});
static AT_THE_END: LazyLock<Regex> = LazyLock::new(|| re(r"^open at the end(?: of the (?:session|transcript))?, $"));
static CALLS: LazyLock<Regex> = LazyLock::new(|| re(r"^tool calls: (\d+), of which .*\bbetween $"));
static ENDED: LazyLock<Regex> =
    LazyLock::new(|| re(r"\b(\d+) (failed|were refused by the user|were interrupted|have no result)\b"));

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block != Block::Prose {
        return Vec::new();
    }
    let mut out: Vec<Finding> = [whole(scene), at_the_end(scene)].into_iter().flatten().collect();
    out.extend(calls(scene));
    out
}

/// The two messages that a sentence names one behind the other, with the words before them and between them.
fn pair<'a>(scene: &Scene<'a>) -> Option<(&'a str, &'a str, [MsgIx; 2])> {
    let text = scene.text();
    let [a, b, ..] = &scene.sentence().own[..] else { return ends(scene) };
    let (first, last) = (scene.world.find(&a.first)?, scene.world.find(&b.first)?);
    match &a.last {
        Some(_) => ends(scene),
        None => Some((&text[..a.at.start], text.get(a.at.end..b.at.start)?, [first, last])),
    }
}

/// `from [msg 1] to [msg 9]` is read as one reference, a range.
fn ends<'a>(scene: &Scene<'a>) -> Option<(&'a str, &'a str, [MsgIx; 2])> {
    let r = scene.sentence().own.first()?;
    let (first, last) = (scene.world.find(&r.first)?, scene.world.find(r.last.as_ref()?)?);
    Some((&scene.text()[..r.at.start], " to ", [first, last]))
}

fn told(scene: &Scene<'_>, stated: &[MsgIx], right: &[MsgIx], what: &str) -> Finding {
    let label = |ix: &MsgIx| format!("[msg {}]", scene.world.label(*ix));
    let reason = format!("{what}: {}", right.iter().map(label).collect::<Vec<_>>().join(" to "));
    match stated == right {
        true => Finding::supported(Kind::Reference, reason),
        false => Finding::contradicted(Kind::Reference, reason),
    }
    .shown_by(right.iter().copied())
}

/// The first and the last message of the main thread.
fn bounds(scene: &Scene<'_>) -> Option<[MsgIx; 2]> {
    let session = scene.world.session();
    let mut main = session.live().map(|(ix, _)| ix).filter(|&ix| session.on_main(ix));
    let first = main.next()?;
    Some([first, main.last().unwrap_or(first)])
}

fn whole(scene: &Scene<'_>) -> Option<Finding> {
    let (before, _, stated) = pair(scene)?;
    WHOLE.is_match(before).then_some(())?;
    // Branches that were left belong to the session, too.
    let session = scene.world.session();
    let all = |ix: &MsgIx| session.on_main(*ix);
    let every: Vec<MsgIx> = session.iter().map(|(ix, _)| ix).filter(all).collect();
    let wide = [*every.first()?, *every.last()?];
    let right = bounds(scene)?;
    Some(told(scene, &stated, if stated == wide { &wide } else { &right }, "the session goes from"))
}

fn at_the_end(scene: &Scene<'_>) -> Option<Finding> {
    let r = scene.sentence().own.first()?;
    AT_THE_END.is_match(&scene.text()[..r.at.start]).then_some(())?;
    let [_, last] = bounds(scene)?;
    Some(told(scene, &[scene.world.find(&r.first)?], &[last], "the session ends with"))
}

/// `Tool calls: 12, of which 2 failed, between [msg 3] and [msg 9]`: each number, and the ends of the session or its calls.
fn calls(scene: &Scene<'_>) -> Vec<Finding> {
    let Some((before, _, stated)) = pair(scene).filter(|p| p.1.trim() == "and") else { return Vec::new() };
    let (Some(found), Some(right)) = (CALLS.captures(before), bounds(scene)) else { return Vec::new() };
    let session = scene.world.session();
    let live: Vec<(MsgIx, &ToolCall)> =
        session.calls().map(|(at, c)| (at.msg, c)).filter(|c| !session.message(c.0).abandoned).collect();
    let count = |word: &str| {
        let is = |c: &ToolCall| match word {
            "failed" => c.failed(),
            "were refused by the user" => c.refused(),
            "were interrupted" => c.status() == CallStatus::Interrupted,
            "have no result" => c.result.is_none(),
            _ => true,
        };
        live.iter().filter(|c| is(c.1)).count().to_string()
    };
    let whole = [(found[1].to_owned(), "calls".to_owned())];
    let parts = ENDED.captures_iter(before).map(|c| (c[1].to_owned(), c[2].to_lowercase()));
    let mut out: Vec<Finding> = whole
        .into_iter()
        .chain(parts)
        .map(|(n, word)| match count(&word) {
            real if real == n => Finding::supported(Kind::Count, format!("counted: {n} {word}")),
            real => Finding::contradicted(Kind::Count, format!("{n} {word} stated, {real} counted")),
        })
        .collect();
    // Calls of a subagent stand with the message that started it.
    let main = || live.iter().map(|c| c.0).filter(|&ix| session.on_main(ix));
    let own: Vec<MsgIx> = main().min().into_iter().chain(main().max()).collect();
    out.push(told(scene, &stated, if stated == own[..] { &own } else { &right }, "it goes from"));
    out
}
