//! Counts: `four items`, `10 tool calls`, `9 at P0`, `no shell call`, and the cells of tables headed by such a noun.

mod calls;
mod counted;
mod items;
mod noun;
mod place;
mod read;
mod tally;

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::prose::re;
use crate::session::MsgIx;
use crate::verify::article::Block;
use crate::verify::{Finding, Kind};
pub(super) use noun::Noun;
use place::Timed;
use read::{Bound, Stated, stated};
use tally::{Tally, tally};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block == Block::Row {
        return row(scene);
    }
    let text = scene.without_quotes();
    let whole = speaks_of_all(&text);
    stated(&text).into_iter().filter_map(|s| decide(scene, &s, whole)).collect()
}

/// Whether a count beside a message is of more than that message.
fn speaks_of_all(text: &str) -> bool {
    static ALL: LazyLock<Regex> = LazyLock::new(|| {
        re(
            r"\b(session|in all|overall|in total|altogether|all told|at the end|in the end|the first in|the last in|throughout|ever)\b",
        )
    });
    ALL.is_match(text)
}

fn decide(scene: &Scene<'_>, stated: &Stated<'_>, whole: bool) -> Option<Finding> {
    let timed = place::time(scene, stated);
    let mut sets = timed.as_ref().map_or_else(|| place::sets(scene, stated), |t| vec![t.set(scene)]);
    if whole {
        sets.push(Vec::new());
    }
    let of_range = scene.sentence().own.iter().any(|r| r.last.is_some());
    let answers: Vec<Vec<MsgIx>> = match stated.noun.is_made_by_the_agent() {
        true if !of_range => sets.iter().filter_map(|set| place::answered(scene, set)).collect(),
        _ => Vec::new(),
    };
    let of_the_user = !answers.is_empty();
    sets.extend(answers);
    let tallies = readings(scene, stated, timed.as_ref(), &sets);
    let holds = |n: u64| match stated.bound {
        Bound::Exact => n == stated.count,
        Bound::AtLeast => n >= stated.count,
        Bound::AtMost => n <= stated.count,
    };
    if let Some((_, shown)) = tallies.iter().find(|t| holds(t.0)) {
        if let Some(wrong) = ends(scene, stated, shown) {
            return Some(wrong);
        }
        let shown = if shown.is_empty() { scene.scope() } else { shown.clone() };
        return Some(
            Finding::supported(Kind::Count, format!("counted: {}", stated.shown)).shown_by(shown.into_iter().take(5)),
        );
    }
    let (n, shown) = tallies.first()?;
    let most = tallies.iter().map(|t| t.0).max().unwrap_or(0);
    let loose = stated.part || timed.as_ref().is_some_and(|t| t.loose);
    // Without a message, and without a word for the session or its plan, what is counted may be something else.
    let placed = sets.iter().any(|s| !s.is_empty()) || whole || stated.noun.is_of_the_session();
    let unread = most == 0 && stated.noun.is_read_from_prose() && place::lists(scene, &sets, stated.count);
    // Files, agents, prompts may be those of an output or a text: that none was counted does not mean that there is none.
    let elsewhere = most == 0 && stated.count > 0 && stated.noun.may_be_told_of(&stated.shown);
    if !placed
        || unread
        || elsewhere
        || is_carried_on(scene)
        || of_the_user && stated.count > 0
        || loose && stated.count <= most
    {
        return None;
    }
    let reason = format!("{} stated, {n} counted", stated.shown);
    Some(Finding::contradicted(Kind::Count, reason).shown_by(shown.iter().copied().take(5)))
}

/// Whether what is counted belongs to messages that an earlier sentence names: `It then made three calls`.
fn is_carried_on(scene: &Scene<'_>) -> bool {
    let begins = scene.text().split(' ').next().unwrap_or("").to_lowercase();
    let pronoun =
        ["it", "they", "he", "she", "this", "that", "these", "then", "there", "afterwards"].contains(&&*begins);
    let named = scene.before().is_some_and(|s| !s.own.is_empty());
    let of_subject = scene.subject.is_some() && scene.speaks_of_subject();
    scene.sentence().own.is_empty() && named && pronoun && !of_subject
}

/// Every number that may be meant, most likely first.
fn readings(scene: &Scene<'_>, stated: &Stated<'_>, timed: Option<&Timed>, sets: &[Vec<MsgIx>]) -> Vec<Tally> {
    let items = stated.noun == Noun::Item;
    if let Some(timed) = timed.filter(|_| items) {
        return items::then(scene, &stated.qualifiers, timed.upto());
    }
    let mut out: Vec<Tally> = sets.iter().flat_map(|set| tally(scene, stated.noun, &stated.qualifiers, set)).collect();
    // `In [msg 9] two items are done`: in the list there, else in the plan as it then stood.
    let one = sets.iter().find(|s| s.len() == 1).and_then(|s| s.first().copied());
    let subject = scene.subject.filter(|_| scene.sentence().own.is_empty());
    let one = one.or(subject);
    if let Some(at) = one.filter(|_| items) {
        out.extend(items::then(scene, &stated.qualifiers, Some(at)));
    }
    // What was named before need not stand in the message named here.
    if stated.part && stated.noun.is_of_the_session() {
        out.extend(tally(scene, stated.noun, &stated.qualifiers, &[]));
    }
    out
}

/// `12 calls, from [msg 3] to [msg 9]`, `4 figures, the first in [msg 3]`: the ends are the first and last counted.
fn ends(scene: &Scene<'_>, stated: &Stated<'_>, counted: &[MsgIx]) -> Option<Finding> {
    if !matches!(stated.noun, Noun::Call | Noun::Command | Noun::Agent | Noun::Figure | Noun::PlanChange) {
        return None;
    }
    let text = scene.text();
    let at = stated.at;
    let (first, last) = (*counted.first()?, *counted.last()?);
    let rest = &text[at..];
    let clause = at + rest.find([';', ':']).unwrap_or(rest.len());
    let r = scene.sentence().own.iter().find(|r| r.at.start > at && r.at.start < clause)?;
    let before = text[..r.at.start].trim_end().to_lowercase();
    let label = |ix: MsgIx| scene.world.label(ix);
    let wrong = if before.ends_with("the first in") || before.ends_with(" from") && r.last.is_some() {
        label(first) != r.first.to_string() || r.last.as_ref().is_some_and(|l| l.to_string() != label(last))
    } else {
        // `1 call, in [msg 3]`
        stated.count == 1 && before.ends_with(", in") && label(first) != r.first.to_string()
    };
    wrong.then(|| {
        let reason =
            format!("{}: the first is in [msg {}], the last in [msg {}]", stated.shown, label(first), label(last));
        Finding::contradicted(Kind::Count, reason).shown_by([first, last])
    })
}

/// Cells under a heading that names what is counted.
fn row(scene: &Scene<'_>) -> Vec<Finding> {
    // Counted over the span of the row, and nothing else.
    if super::spans::span(scene).is_some() {
        return Vec::new();
    }
    let sentence = scene.sentence();
    let cells: Vec<&str> = sentence.cells().collect();
    let code: Vec<&str> = cells.iter().copied().filter(|c| c.starts_with('`') && c.ends_with('`')).collect();
    let mut out = Vec::new();
    for (head, cell) in sentence.head.iter().zip(&cells) {
        let Some(count) = cell.parse::<u64>().ok() else { continue };
        let head = head.to_lowercase();
        // What tools printed is no finding of the participants.
        if head == "findings" && scene.cell(&["tool"]).is_some() {
            continue;
        }
        let words: Vec<&str> = head.split_whitespace().collect();
        let Some(noun) = words.last().and_then(|w| Noun::of(w)).or_else(|| Noun::of_head(&head)) else { continue };
        let mut qualifiers: Vec<&str> = words[..words.len().saturating_sub(1)].to_vec();
        if matches!(noun, Noun::Call | Noun::FailedCall | Noun::InterruptedCall | Noun::UnansweredCall | Noun::Write) {
            qualifiers.extend(code.first());
        }
        let shown = format!("{count} {head}");
        let stated = Stated { count, bound: Bound::Exact, qualifiers, noun, shown, at: 0, part: false };
        out.extend(decide(scene, &stated, false));
    }
    // `1 `write` call and 6 `bash` calls; 1 failed` beside the messages that made them.
    let text = scene.without_quotes();
    let calls = sentence.head.iter().zip(&sentence.cells).find(|(h, _)| h.eq_ignore_ascii_case("calls")).map(|c| c.1);
    if let Some(cell) = calls.filter(|c| text[(*c).clone()].contains('`') || text[(*c).clone()].contains("call")) {
        out.extend(stated(&text).into_iter().filter(|s| cell.contains(&s.at)).filter_map(|s| decide(scene, &s, false)));
    }
    out
}

/// The messages of a set that hold at least one of what is named; `None` when the words are not understood.
pub(super) fn holders(scene: &Scene<'_>, qualifiers: &str, noun: &str, set: &[MsgIx]) -> Option<Vec<MsgIx>> {
    let noun = Noun::of(&noun.to_ascii_lowercase())?;
    let qualifiers: Vec<&str> = qualifiers.split_whitespace().collect();
    let holds = |ix: MsgIx| tally(scene, noun, &qualifiers, &[ix]).first().map(|t| t.0 > 0);
    let told: Vec<(MsgIx, bool)> = set.iter().filter_map(|&ix| Some((ix, holds(ix)?))).collect();
    (!told.is_empty()).then(|| told.into_iter().filter(|t| t.1).map(|t| t.0).collect())
}

/// Calls of a tool in a set of messages; `None` when the session knows no tool of that name and no such kind.
pub(super) fn calls_of(scene: &Scene<'_>, tool: &str, set: &[MsgIx]) -> Option<Tally> {
    if set.is_empty() {
        return Some((0, Vec::new()));
    }
    tally(scene, Noun::Call, &[tool], set).into_iter().next()
}
