//! Builds, type checks and linters: what they print.

use std::sync::LazyLock;

use regex::Regex;

use super::record::{Record, Seen};
use super::{Verdict, dated};
use crate::extract::claims::Claim;
use crate::extract::episodes::command::Class;
use crate::link::deeds::outcome::plainly_worked;

static BROKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)error: could not compile|^error\[E\d+\]|error TS\d+:|BUILD FAILED|^Build failed|^Failed to compile|make(?:\[\d+\])?: \*\*\* .*Error|undefined reference to|✖ \d+ problems? \([1-9]\d* errors?|^Found [1-9]\d* errors?|: fatal error: ").expect("what failing builds print")
});
static SOUND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s*Finished .*(?:profile|dev|release|test)|Build succeeded|[Cc]ompiled successfully|BUILD SUCCESS|^Success: no issues found|^All checks passed|✓ built in|\b0 errors\b|Build completed successfully|^0 issues\.?\s*$").expect("what sound builds print")
});

/// Whether a command builds, or runs what `cargo` or `go` has to build before.
fn is_build(seen: &Seen<'_>) -> bool {
    let compiles = ["cargo ", "go "].iter().any(|p| seen.command.contains(p)) && seen.classes.run();
    seen.classes.has(Class::Build) || compiles
}

/// Whether a build printed that it is sound; `None` = it was no build, or does not say.
fn outcome(seen: &Seen<'_>) -> Option<(bool, bool)> {
    let builds = is_build(seen);
    if seen.quotes || !(builds || seen.command.is_empty()) {
        return None;
    }
    if BROKEN.is_match(seen.printed) {
        return Some((false, true));
    }
    if SOUND.is_match(seen.printed) && !seen.call.undone() {
        return Some((true, true));
    }
    (builds && plainly_worked(seen.call)).then_some((true, false))
}

static LINTS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)lint|clippy|ruff").expect("names of linters"));

static BUILDS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)build|built").expect("words for a build"));
static CHECKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:npm|pnpm|yarn|bun|mise|just|task|turbo|nx|moon|deno)(?: run)? [\w:-]*(?:check|types?|tsc|vet)\b|mypy|pyright|--noEmit").expect("commands that check types")
});

/// Whether a command checks what the claim speaks of: a linter is no type check, and neither is a build.
fn same_sort(claim: &str, command: &str) -> bool {
    // A task that checks types builds nothing.
    let checks = CHECKS.is_match(command) && !command.contains("build");
    if checks && BUILDS.is_match(claim) {
        return false;
    }
    let lints = LINTS.is_match(command) && !command.contains("build") && !command.contains("clippy");
    if LINTS.is_match(claim) {
        return LINTS.is_match(command);
    }
    !lints
}

/// The verdict on a clean build.
pub(super) fn judge(record: &Record<'_>, claim: &Claim, at: usize) -> Verdict {
    let said = record.session.quote(&claim.span).unwrap_or("");
    for (i, seen) in record.newest(claim, at).filter(|(_, s)| s.command.is_empty() || same_sort(said, s.command)) {
        match outcome(seen) {
            Some((true, printed)) => return dated(record, claim, (i, at), printed),
            Some((false, _)) => {
                let untouched = record.since(claim, i, at, |c| c.changes).is_none();
                return if untouched && !claim.hedged { Verdict::contradicted(i) } else { Verdict::NONE };
            }
            None if is_build(seen) => return Verdict::NONE,
            None => {}
        }
    }
    Verdict::NONE
}
