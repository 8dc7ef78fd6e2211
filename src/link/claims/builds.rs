//! Builds, type checks and linters: what they print.

use std::sync::LazyLock;

use regex::Regex;

use super::record::{Record, Seen, quotes};
use super::runs::plainly_worked;
use super::{Verdict, dated};
use crate::extract::claims::Claim;

static BUILDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)(?:^|[;&|(]\s*|\s)(?:cargo (?:\+\S+ )?(?:build|check|clippy|run|test)|make|cmake --build|ninja|tsc|npx tsc|npm run (?:build|lint|typecheck|type-check|check)|yarn (?:run )?(?:build|lint)|pnpm (?:run )?(?:build|lint|typecheck)|go (?:build|vet)|gcc|g\+\+|clang|clang\+\+|rustc|javac|eslint|npx eslint|ruff|mypy|pyright|golangci-lint|mvn|gradle|\./gradlew|next build|vite build|dotnet build|python3? -m (?:py_compile|compileall)|swift build|bun run build|(?:mise|just|task|npm|pnpm|yarn|bun|turbo|nx|moon|rake|poe|hatch)(?: run)? [\w:-]*(?:lint|check|build|compile|types?|tsc|vet)[\w:-]*)(?:\s|$)").expect("commands that build")
});
static BROKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)error: could not compile|^error\[E\d+\]|error TS\d+:|BUILD FAILED|^Build failed|^Failed to compile|make(?:\[\d+\])?: \*\*\* .*Error|undefined reference to|✖ \d+ problems? \([1-9]\d* errors?|^Found [1-9]\d* errors?|: fatal error: ").expect("what failing builds print")
});
static SOUND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s*Finished .*(?:profile|dev|release|test)|Build succeeded|[Cc]ompiled successfully|BUILD SUCCESS|^Success: no issues found|^All checks passed|✓ built in|\b0 errors\b|Build completed successfully|^0 issues\.?\s*$").expect("what sound builds print")
});

/// Whether a build printed that it is sound; `None` = it was no build, or does not say.
fn outcome(seen: &Seen<'_>) -> Option<(bool, bool)> {
    let builds = BUILDER.is_match(seen.command);
    if quotes(seen.command) || !(builds || seen.command.is_empty()) {
        return None;
    }
    if BROKEN.is_match(seen.printed) {
        return Some((false, true));
    }
    if SOUND.is_match(seen.printed) && !seen.call.undone() {
        return Some((true, true));
    }
    (builds && plainly_worked(seen.call, seen.command)).then_some((true, false))
}

static LINTS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)lint|clippy|ruff").expect("names of linters"));

/// Whether a command checks what the claim speaks of: a linter is no type check, and neither is a build.
fn same_sort(claim: &str, command: &str) -> bool {
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
            None if BUILDER.is_match(seen.command) && !quotes(seen.command) => return Verdict::NONE,
            None => {}
        }
    }
    Verdict::NONE
}
