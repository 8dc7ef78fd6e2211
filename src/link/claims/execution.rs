//! Runs: the newest command that ran something.

use std::sync::LazyLock;

use regex::Regex;

use super::object::Object;
use super::record::{Record, Seen, programs, quotes};
use super::runs::plainly_worked;
use super::{Verdict, dated};
use crate::extract::claims::Claim;
use crate::session::ToolKind;

/// Calls before a claim that are looked through for a run.
const WINDOW: usize = 40;
/// Bytes of an output's end that are looked through for a failure.
const END: usize = 600;

static BROKE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\w*(?:Error|Exception): |^Traceback |\bpanicked at|Kernel panic|^[Ff]atal(?: error)?: |[Ss]egmentation fault|core dumped").expect("what failed runs print")
});
/// Programs that arrange things rather than run what is being built.
const ARRANGING: &[&str] = &[
    "rm", "mkdir", "cp", "mv", "chmod", "chown", "touch", "kill", "pkill", "killall", "sleep", "which", "ps", "tar",
    "unzip", "ln", "apt", "apt-get", "pip", "pip3", "test", "[", "set", "for", "done", "if", "fi", "EOF", "exit",
    "nohup", "file", "stat", "type", "command",
];

/// Whether a call runs something, rather than showing or arranging files.
pub(super) fn runs(seen: &Seen<'_>) -> bool {
    if seen.command.is_empty() {
        return seen.call.kind == ToolKind::Other && !seen.printed.is_empty();
    }
    !quotes(seen.command) && programs(seen.command).any(|p| !ARRANGING.contains(&p) && !super::record::shows(p))
}

/// A start in the background says nothing of how it ends.
pub(super) fn is_background(seen: &Seen<'_>) -> bool {
    seen.call.input.get("run_in_background").is_some_and(|b| b == true)
        || seen.printed.starts_with("Command running in background")
}

/// The verdict on a run that is said to have worked; `run` = the words speak of one run, not of something that works.
pub(super) fn judge(record: &Record<'_>, claim: &Claim, at: usize, run: bool) -> Verdict {
    let Some((i, seen)) = record.newest(claim, at).take(WINDOW).find(|(_, s)| runs(s)) else { return Verdict::NONE };
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
        && !is_background(seen)
        && (!end.trim().is_empty() || plainly_worked(seen.call, seen.command))
    {
        return dated(record, claim, (i, at), false);
    }
    let untouched = record.since(claim, i, at, |c| c.changes).is_none();
    if run && broke && seen.call.failed() && untouched && !claim.hedged {
        return Verdict::contradicted(i);
    }
    Verdict::NONE
}
