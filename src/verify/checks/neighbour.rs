//! Where a message stands among the others of its thread: first, last, directly before, between, the reply to a prompt.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::prose::re;
use crate::session::{Message, MessageKind, MsgIx, Role};
use crate::verify::article::Block;
use crate::verify::{Finding, Kind};

static END: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^(?:it|this message) is the (first|last) message of (?:the (?:session|transcript)|its thread)")
});
static DIRECTLY: LazyLock<Regex> =
    LazyLock::new(|| re(r"\b(?:directly|immediately) (before|after) (?:it|this message) (?:stands|comes) $"));
static BETWEEN: LazyLock<Regex> = LazyLock::new(|| re(r"\bbetween the two stands? $"));
static ENDS_WITH: LazyLock<Regex> =
    LazyLock::new(|| re(r"^\s*:?\s*(?:the (?:transcript|session) ends with it|is the last)\b"));
static LAST_REPLY: LazyLock<Regex> = LazyLock::new(|| re(r"\bthe last reply (before|after) $"));
static LAST_ANSWER: LazyLock<Regex> = LazyLock::new(|| re(r"\bthe last reply to $"));
static NEXT_PROMPT: LazyLock<Regex> = LazyLock::new(|| re(r"\bthe next prompt (after|before) $"));
static ANSWERED: LazyLock<Regex> = LazyLock::new(|| re(r"^(one|\d+) repl(?:y|ies) answers? it, (?:from )?$"));

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block != Block::Prose {
        return Vec::new();
    }
    let of_subject = scene.subject.and_then(|s| at_the_end(scene, s).or_else(|| answered(scene, s)));
    let all = [of_subject, directly(scene), between(scene), ends_with(scene), last_reply(scene), after_prompt(scene)];
    all.into_iter().flatten().collect()
}

/// The messages of a message's thread, without branches that were left, in order.
fn thread(scene: &Scene<'_>, of: MsgIx) -> Vec<MsgIx> {
    let session = scene.world.session();
    let own = session.message(of).thread;
    session.live().filter(|(_, m)| m.thread == own).map(|(ix, _)| ix).collect()
}

/// What a reference is led in by, and the message.
fn led<'a>(scene: &Scene<'a>, n: usize) -> Option<(&'a str, MsgIx)> {
    let r = scene.sentence().own.get(n)?;
    Some((&scene.text()[..r.at.start], scene.world.find(&r.first)?))
}

fn told(scene: &Scene<'_>, holds: bool, right: Option<MsgIx>, what: &str) -> Finding {
    match (holds, right) {
        (true, at) => Finding::supported(Kind::Order, format!("so it stands: {what}")).shown_by(at),
        (false, Some(at)) => {
            Finding::contradicted(Kind::Order, format!("{what} is [msg {}]", scene.world.label(at))).shown_by([at])
        }
        (false, None) => Finding::contradicted(Kind::Order, format!("there is no message that is {what}")),
    }
}

/// `It is the first message of the session.`
fn at_the_end(scene: &Scene<'_>, subject: MsgIx) -> Option<Finding> {
    let word = END.captures(scene.text())?[1].to_lowercase();
    let all = thread(scene, subject);
    let right = if word == "first" { all.first() } else { all.last() }.copied();
    Some(told(scene, right == Some(subject), right, &format!("the {word} message")))
}

/// `Directly before it stands [msg 4]`
fn directly(scene: &Scene<'_>) -> Option<Finding> {
    let subject = scene.subject?;
    let (before, named) = led(scene, 0)?;
    let word = DIRECTLY.captures(before)?[1].to_lowercase();
    let all = thread(scene, subject);
    let beside = match &*word {
        "before" => all.iter().rfind(|ix| **ix < subject),
        _ => all.iter().find(|ix| **ix > subject),
    };
    Some(told(scene, beside == Some(&named), beside.copied(), &format!("directly {word} it")))
}

/// `It answers [msg 2]. Between the two stand [msg 3]–[msg 5].`
fn between(scene: &Scene<'_>) -> Option<Finding> {
    let subject = scene.subject?;
    let r = scene.sentence().own.first()?;
    BETWEEN.find(&scene.text()[..r.at.start])?;
    let (first, last) = (scene.world.find(&r.first)?, scene.world.find(r.last.as_ref().unwrap_or(&r.first))?);
    let all = thread(scene, subject);
    let until = all.iter().rfind(|ix| **ix < subject).copied();
    let from = all.iter().rfind(|ix| **ix < first).copied()?;
    let other = scene.sentences[..scene.at].iter().rev().take(3).flat_map(|s| &s.own);
    let mut others = other.filter_map(|r| scene.world.find(&r.first)).filter(|ix| *ix != subject).peekable();
    others.peek()?;
    let holds = until == Some(last) && others.any(|ix| ix == from);
    Some(told(scene, holds, until, "the last before it"))
}

/// `What came after [msg 9]: the transcript ends with it.`
fn ends_with(scene: &Scene<'_>) -> Option<Finding> {
    let (before, named) = led(scene, 0)?;
    ENDS_WITH.find(&scene.text()[scene.sentence().own[0].at.end..])?;
    if before.to_lowercase().ends_with("what came before ") {
        return Some(Finding::contradicted(Kind::Order, "the last message has others before it").shown_by([named]));
    }
    let last = thread(scene, named).last().copied();
    Some(told(scene, last == Some(named), last, "the last message"))
}

/// `The last reply before [msg 9] is [msg 7], without text.`
fn last_reply(scene: &Scene<'_>) -> Option<Finding> {
    let ((before, from), (_, named)) = (led(scene, 0)?, led(scene, 1)?);
    let word = LAST_REPLY.captures(before)?[1].to_lowercase();
    if (named < from) != (word == "before") {
        return Some(Finding::contradicted(Kind::Order, format!("it does not come {word} it")).shown_by([named, from]));
    }
    let is_reply = |ix: &MsgIx| scene.world.message(*ix).role == Role::Assistant && *ix < from;
    let right = thread(scene, from).into_iter().rfind(is_reply);
    if right == Some(named)
        && scene.text().contains("without text")
        && !scene.world.message(named).text().trim().is_empty()
    {
        return Some(Finding::contradicted(Kind::Presence, "it has text").shown_by([named]));
    }
    // Notices in the agent's name are no replies.
    let is_said = |ix: &MsgIx| scene.world.message(*ix).kind == MessageKind::Reply && *ix < from;
    let said = thread(scene, from).into_iter().rfind(is_said);
    Some(told(scene, right == Some(named) || said == Some(named), right, "the last reply before"))
}

/// `The last reply to [msg 2] is [msg 9]`, `the next prompt after [msg 2] is [msg 10]`.
fn after_prompt(scene: &Scene<'_>) -> Option<Finding> {
    let ((before, from), (_, named)) = (led(scene, 0)?, led(scene, 1)?);
    let session = scene.world.session();
    let later = thread(scene, from).into_iter().filter(|ix| *ix > from);
    if LAST_ANSWER.is_match(before) {
        if session.message(from).role != Role::User {
            let reason = format!("[msg {}] is no prompt", scene.world.label(from));
            return Some(Finding::contradicted(Kind::Order, reason).shown_by([from]));
        }
        let replies = later
            .take_while(|ix| !asks(session.message(*ix)))
            .filter(|ix| session.message(*ix).kind == MessageKind::Reply);
        let right = replies.last();
        return Some(told(scene, right == Some(named), right, "the last reply"));
    }
    let word = NEXT_PROMPT.captures(before)?[1].to_lowercase();
    if (named > from) != (word == "after") {
        return Some(Finding::contradicted(Kind::Order, format!("it does not come {word} it")).shown_by([named, from]));
    }
    // A command that the agent answers asks as well.
    let later: Vec<MsgIx> = later.collect();
    let right = later.iter().copied().find(|ix| session.asked(*ix).is_some() || asks(session.message(*ix)));
    // What the program sends in the user's name may be passed over.
    let typed = later.iter().copied().find(|ix| session.asked(*ix).is_some());
    let sent = later.iter().copied().find(|ix| asks(session.message(*ix)));
    Some(told(scene, [right, typed, sent].contains(&Some(named)), right, "the next prompt"))
}

/// Whether a message asks the agent for something: typed, or sent in the user's name.
fn asks(message: &Message) -> bool {
    message.role == Role::User && matches!(message.kind, MessageKind::Prompt | MessageKind::SyntheticContinuation)
}

/// `One reply answers it, [msg 9]`; `3 replies answer it, from [msg 9] to [msg 12]`.
fn answered(scene: &Scene<'_>, subject: MsgIx) -> Option<Finding> {
    let (before, first) = led(scene, 0)?;
    let stated = crate::verify::words::number(&ANSWERED.captures(before)?[1])?;
    let session = scene.world.session();
    let later = thread(scene, subject).into_iter().filter(|ix| *ix > subject);
    let turn = later.take_while(|ix| !asks(session.message(*ix)));
    let replies: Vec<MsgIx> = turn.filter(|ix| scene.world.message(*ix).kind == MessageKind::Reply).collect();
    let last = scene.sentence().own[0].last.as_ref().and_then(|l| scene.world.find(l));
    let last = last.or_else(|| led(scene, 1).map(|l| l.1)).unwrap_or(first);
    if replies.len() as u64 != stated {
        return Some(Finding::contradicted(Kind::Count, format!("{stated} stated, {} replies counted", replies.len())));
    }
    let holds = replies.first() == Some(&first) && replies.last() == Some(&last);
    Some(told(scene, holds, replies.first().copied(), "the first reply"))
}
