//! Where the things counted are sought: the messages named, those up to or after one, the whole session.

use std::sync::LazyLock;

use regex::Regex;

use super::super::Scene;
use super::noun::Noun;
use super::read::Stated;
use crate::extract::prose::re;
use crate::session::{MsgIx, Role};
use crate::verify::article::Block;
use crate::verify::refs::Reference;

/// A time told by a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    Before,
    UpTo,
    After,
    From,
    At,
}

/// A count beside a time told by a message: `no call after [msg 9]`, `by [msg 9] four items were done`.
pub(super) struct Timed {
    pub(super) time: Time,
    pub(super) at: MsgIx,
    /// `after [msg 3] it makes two calls`: what is told begins there and may end anywhere.
    pub(super) loose: bool,
}

static TIME: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(before|prior to|by|until|till|up to|as of|after|following|since|at)\s+(?:the\s+)?(?:(?:end|time|start|point|moment)\s+of\s+)?(?:message\s+)?\(?$",
    )
});

/// The time that governs a count: of the message named next behind it, else of the one before it.
pub(super) fn time(scene: &Scene<'_>, stated: &Stated<'_>) -> Option<Timed> {
    let text = scene.text();
    let own = &scene.sentence().own;
    let clause = text[stated.at..].find(';').map_or(text.len(), |n| stated.at + n);
    let behind = own.iter().find(|r| r.at.start > stated.at).filter(|r| r.at.start < clause);
    let ahead = own.iter().rev().find(|r| r.at.end <= stated.at).filter(|r| !text[r.at.end..stated.at].contains(';'));
    let told = |r: &Reference| {
        let word = TIME.captures(&text[..r.at.start])?[1].to_lowercase();
        let at = scene.world.find(&r.first).filter(|_| r.last.is_none())?;
        let time = match &*word {
            "before" | "prior to" => Time::Before,
            "after" | "following" => Time::After,
            "since" => Time::From,
            "at" => Time::At,
            _ => Time::UpTo,
        };
        // Only a plan has a state at a message; calls at a message are its own.
        (time != Time::At || stated.noun == Noun::Item).then_some((time, at))
    };
    if let Some((time, at)) = behind.and_then(told) {
        return Some(Timed { time, at, loose: false });
    }
    let (time, at) = ahead.and_then(told)?;
    let loose = matches!(time, Time::Before | Time::After | Time::From) && stated.count > 0;
    Some(Timed { time, at, loose })
}

impl Timed {
    /// The messages of that time; `None` for a plan's state, which is no set.
    pub(super) fn set(&self, scene: &Scene<'_>) -> Vec<MsgIx> {
        let all = scene.world.session().live().map(|(ix, _)| ix);
        let at = self.at;
        match self.time {
            Time::Before => all.filter(|&ix| ix < at).collect(),
            Time::UpTo | Time::At => all.filter(|&ix| ix <= at).collect(),
            Time::After => all.filter(|&ix| ix > at).collect(),
            Time::From => all.filter(|&ix| ix >= at).collect(),
        }
    }

    /// The last message whose changes of the plan count; `None` where the plan had not begun or goes on to the end.
    pub(super) fn upto(&self) -> Option<MsgIx> {
        match self.time {
            Time::Before => self.at.0.checked_sub(1).map(MsgIx),
            Time::UpTo | Time::At | Time::After | Time::From => Some(self.at),
        }
    }
}

/// The sets that a count may be of, most likely first; the empty set is the whole session.
pub(super) fn sets(scene: &Scene<'_>, stated: &Stated<'_>) -> Vec<Vec<MsgIx>> {
    let own = &scene.sentence().own;
    let each = |r: &Reference| scene.world.expand(std::slice::from_ref(r));
    // `[msg 3]–[msg 9] hold 4 calls, from …`: where messages are named before the words, those alone.
    let ahead: Vec<Reference> = own.iter().filter(|r| r.at.end <= stated.at).cloned().collect();
    if !ahead.is_empty() {
        return std::iter::once(scene.world.expand(&ahead)).chain(ahead.iter().map(each)).collect();
    }
    let mut out = vec![scene.scope()];
    out.extend(own.iter().map(each));
    out.extend(between(scene));
    let in_prose = scene.sentence().block == Block::Prose;
    if own.is_empty() && in_prose && !(scene.subject.is_some() && scene.speaks_of_subject()) {
        out.push(Vec::new());
    }
    out.dedup();
    out
}

/// `between [msg 3] and [msg 9]`, and the first and last message of a row: what lies between them.
fn between(scene: &Scene<'_>) -> Option<Vec<MsgIx>> {
    let own = &scene.sentence().own;
    let (first, last) = (own.first()?, own.last()?);
    let ahead = scene.text()[..first.at.start].to_lowercase();
    let middle = scene.text().get(first.at.end..last.at.start).unwrap_or("").to_lowercase();
    let said = ahead.trim_end().ends_with("between") || middle.contains("the last") && ahead.contains("the first");
    if !said && scene.sentence().block != Block::Row || own.len() < 2 {
        return None;
    }
    let range =
        Reference { first: first.first.clone(), last: Some(last.last.clone().unwrap_or(last.first.clone())), at: 0..0 };
    Some(scene.world.expand(&[range]))
}

/// What followed a prompt, up to the next one: `when the user asked ([msg 3]), the assistant made two calls`. `None` when
/// the set is not of the user's messages alone.
pub(super) fn answered(scene: &Scene<'_>, set: &[MsgIx]) -> Option<Vec<MsgIx>> {
    let session = scene.world.session();
    let &last = set.last()?;
    let by_user = |ix: &MsgIx| session.message(*ix).role == Role::User && session.on_main(*ix);
    if !set.iter().all(by_user) {
        return None;
    }
    let later = session.live().map(|(ix, _)| ix).filter(|&ix| ix > last);
    Some(later.take_while(|ix| !by_user(ix)).collect())
}

/// Whether the messages list so many lines of anything: what this version does not read as findings may stand there.
pub(super) fn lists(scene: &Scene<'_>, sets: &[Vec<MsgIx>], count: u64) -> bool {
    let is_row = |line: &str| {
        let line = line.trim_start();
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        line.starts_with(['-', '*', '|', '•']) || number.len() < line.len() && number.starts_with(['.', ')'])
    };
    let rows = |ix: &MsgIx| {
        let texts = scene.world.message(*ix).texts();
        texts.flat_map(str::lines).filter(|l| is_row(l)).count() as u64
    };
    let is_by_user = |ix: &MsgIx| scene.world.message(*ix).role == Role::User;
    sets.iter().flatten().any(|ix| is_by_user(ix) || rows(ix) >= count)
}
