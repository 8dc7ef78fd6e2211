//! States, counts and failures: what a result prints.

use super::Verdict;
use super::done::MEETS;
use super::record::{Record, Seen};
use crate::extract::claims::Claim;
use crate::extract::episodes::command::{Class, class};
use crate::extract::episodes::shell::commands;
use crate::link::deeds::object::Object;
use crate::link::deeds::outcome::{printed, tells_failure};
use crate::session::ToolKind;

/// The verdict on a state with a value: a command since the request prints all of it.
pub(super) fn judge(record: &Record<'_>, claim: &Claim, at: usize) -> Verdict {
    let text = record.session.quote(&claim.span).unwrap_or("");
    if MEETS.is_match(text) {
        return Verdict::NONE;
    }
    let object = Object::of(text);
    // A text that a file is said to hold may have been read there.
    let quoted = text.contains('"');
    let prints = |s: &Seen<'_>| {
        let said = seen_says(s);
        let read = quoted && s.call.kind == ToolKind::Read;
        (s.call.kind == ToolKind::Shell || read)
            && s.call.worked()
            && !said
            // Something of it has to be printed, not only given.
            && object.share(printed(s.call)).has_name()
            && object.is_printed(object.share(printed(s.call)).or(object.given(object.share(&s.call.input.to_string()))))
    };
    record.turn(claim, at).find(|(_, s)| prints(s)).map_or(Verdict::NONE, |(i, _)| Verdict::supported(i, true))
}

/// Whether a command prints only what it was told to print.
fn seen_says(seen: &Seen<'_>) -> bool {
    commands(seen.command).iter().all(|c| class(c) == Class::Idle)
}

/// The verdict on a count: a line that a command prints holds the number and what is counted.
pub(super) fn counted(record: &Record<'_>, claim: &Claim, at: usize, number: u64, noun: &str) -> Verdict {
    let stem = crate::extract::prose::stem(noun);
    let number = number.to_string();
    let holds = |line: &str| {
        let line = line.to_lowercase();
        line.contains(&stem) && crate::extract::prose::tokens(&line).any(|t| t == number)
    };
    let prints = |s: &Seen<'_>| s.call.worked() && !s.quotes && s.printed.lines().any(holds);
    record.turn(claim, at).find(|(_, s)| prints(s)).map_or(Verdict::NONE, |(i, _)| Verdict::supported(i, true))
}

/// The verdict on what could not be done: a call that names it and failed.
pub(super) fn failed(record: &Record<'_>, claim: &Claim, at: usize) -> Verdict {
    let object = Object::of(record.session.quote(&claim.span).unwrap_or(""));
    let fails = |s: &Seen<'_>| {
        let output = printed(s.call);
        let ran = matches!(s.call.kind, ToolKind::Shell | ToolKind::Fetch | ToolKind::Other);
        let share = object.share(&s.call.input.to_string()).or(object.share(output));
        ran && (s.call.failed() || tells_failure(output)) && object.is_whole(share)
    };
    record.turn(claim, at).find(|(_, s)| fails(s)).map_or(Verdict::NONE, |(i, _)| Verdict::supported(i, true))
}
