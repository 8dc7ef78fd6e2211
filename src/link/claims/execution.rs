//! Runs: the newest command that ran something.

use std::sync::LazyLock;

use regex::Regex;

use super::done::MEETS;
use super::record::{Record, Seen};
use super::{Verdict, dated};
use crate::extract::claims::Claim;
use crate::link::deeds::object::Object;
use crate::link::deeds::outcome::{is_background, plainly_worked};
use crate::session::ToolKind;

/// Calls before a claim that are looked through for a run.
const WINDOW: usize = 40;
/// Bytes of an output's end that are looked through for a failure.
const END: usize = 600;

static BROKE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\w*(?:Error|Exception): |^Traceback |\bpanicked at|Kernel panic|^[Ff]atal(?: error)?: |[Ss]egmentation fault|core dumped").expect("what failed runs print")
});
/// Whether a call runs something, rather than showing or arranging files.
pub(super) fn runs(seen: &Seen<'_>) -> bool {
    if seen.command.is_empty() {
        return seen.call.kind == ToolKind::Other && !seen.printed.is_empty();
    }
    seen.classes.run()
}

/// The verdict on a run that is said to have worked; `run` = the words speak of one run, not of something that works.
pub(super) fn judge(record: &Record<'_>, claim: &Claim, at: usize, run: bool) -> Verdict {
    let Some((i, seen)) = record.newest(claim, at).take(WINDOW).find(|(_, s)| runs(s)) else { return Verdict::NONE };
    // A call shows that it ran, not that what it made meets what was asked.
    let all = record.session.text_of(&claim.span).unwrap_or("");
    let rest = &all[(claim.span.end as usize).min(all.len())..];
    let rest = &rest[..rest.find(['\n', '.']).unwrap_or(rest.len())];
    if MEETS.is_match(rest) {
        return Verdict::NONE;
    }
    let end = &seen.printed[seen.printed.ceil_char_boundary(seen.printed.len().saturating_sub(END))..];
    let broke = BROKE.is_match(end);
    let object = Object::of(record.session.quote(&claim.span).unwrap_or(""));
    let share = object.share(seen.command).or(object.share(seen.printed));
    // One run that is spoken of may go unnamed; what works has to be what ran.
    let named = if run {
        object.is_empty() || object.is_touched(share) || object.has_word(share)
    } else {
        object.is_named(share)
    };
    if named
        && seen.call.worked()
        && !broke
        && !is_background(seen.call)
        && (!end.trim().is_empty() || plainly_worked(seen.call))
    {
        return dated(record, claim, (i, at), false);
    }
    let untouched = record.since(claim, i, at, |c| c.changes).is_none();
    if run && broke && seen.call.failed() && untouched && !claim.hedged {
        return Verdict::contradicted(i);
    }
    Verdict::NONE
}
