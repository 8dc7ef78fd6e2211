//! Commits and pushes, and what a repository says was changed.

use std::sync::LazyLock;

use regex::Regex;

use super::Verdict;
use super::record::Record;
use crate::extract::artefacts::name;
use crate::extract::claims::Claim;

static COMMITTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\[[\w./ ()-]+ [0-9a-f]{7,40}\] |nothing to commit, working tree clean")
        .expect("what git commit prints")
});
static PUSHED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s*[+ ]?\s*[0-9a-f]{7,40}\.\.\.?[0-9a-f]{7,40}\s+\S+ -> \S+|\[new (?:branch|tag)\]\s|^Everything up-to-date|^branch '.*' set up to track|up to date with 'origin").expect("what git push prints")
});
static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^ ! \[(?:remote )?rejected\]|^error: failed to push|^fatal: .*(?:push|remote|repository)")
        .expect("what refused pushes print")
});
static LISTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^ ?[MADRU?]{1,2} +(\S+)$|^ (\S+) +\| +\d+|^\s+(?:modified|new file|deleted|renamed):\s+(\S+)")
        .expect("files that git lists")
});

/// The verdict on changes that are committed, or pushed.
pub(super) fn committed(record: &Record<'_>, claim: &Claim, at: usize, pushed: bool) -> Verdict {
    for (i, seen) in record.newest(claim, at) {
        if seen.printed.is_empty() || !(seen.command.is_empty() || seen.command.contains("git")) {
            continue;
        }
        if pushed && REFUSED.is_match(seen.printed) {
            let later = record.since(claim, i, at, |c| c.command.contains("git")).is_some();
            return if later || claim.hedged { Verdict::NONE } else { Verdict::contradicted(i) };
        }
        let shown = if pushed { &PUSHED } else { &COMMITTED };
        if shown.is_match(seen.printed) {
            // What was committed after a push is not pushed by it.
            let newer = pushed
                && record
                    .newest(claim, at)
                    .take_while(|(j, _)| *j > i)
                    .any(|(_, c)| COMMITTED.is_match(c.printed) && c.command.contains("git commit"));
            if newer {
                return Verdict::NONE;
            }
            return Verdict::supported(i, true);
        }
    }
    Verdict::NONE
}

/// The verdict on "nothing else was changed": git listed the files after the last edit, and each of them was written
/// by a call or is named in the message.
pub(super) fn unchanged(record: &Record<'_>, claim: &Claim, at: usize) -> Verdict {
    let asks = |c: &str| c.contains("git status") || c.contains("git diff");
    let Some((i, seen)) = record.newest(claim, at).find(|(_, s)| asks(s.command)) else { return Verdict::NONE };
    if record.since(claim, i, at, |c| c.edits).is_some() {
        return Verdict::NONE;
    }
    let text = record.session.message(claim.msg).text();
    let written =
        |file: &str| record.calls[..i].iter().any(|c| c.call.written_paths().iter().any(|p| name(p) == name(file)));
    let mut files = LISTED.captures_iter(seen.printed).filter_map(|c| (1..4).find_map(|g| c.get(g)));
    let mut any = false;
    let known = files.all(|f| {
        any = true;
        written(f.as_str()) || text.contains(name(f.as_str()))
    });
    if any && known { Verdict::supported(i, true) } else { Verdict::NONE }
}
