//! Tests that are said to pass, and were never run.

use std::sync::LazyLock;

use regex::Regex;

use super::claims::{judged, said};
use super::words::re;
use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::claims::{Claim, Matter};
use crate::link::claims::Word;
use crate::session::{MsgIx, Session, ToolCall, ToolKind};

pub(super) const RULE: Rule = Rule {
    id: "tests-never-run",
    severity: Severity::High,
    experimental: true,
    doc: r#"
**What it finds.** The agent says that tests pass, and no call before that ran or printed any test.

**Why it matters.** The claim rests on nothing that the transcript shows.

**Example.** A session of two edits and an `ls` ends with "All tests pass".

**Exceptions.** Sessions with subagents, after a compaction, and copies of other sessions, where the run may stand elsewhere; sessions without any command; a
command or result that mentions tests in any way; a user who reports results.
"#,
    check,
};

/// Anything in a command or an output that may be a test.
static TEST: LazyLock<Regex> = LazyLock::new(|| re(r"test|spec\b|\bcheck|verif|assert|passed|\bpass\b|✓|✅"));

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let mut bare =
        judged(e).filter(|(c, v)| v.word == Word::NoEvidence && matches!(c.matter, Matter::Tests { .. })).peekable();
    if bare.peek().is_none() {
        return Vec::new();
    }
    let (command, test) = beginnings(e.session);
    let never_ran = |c: &Claim| command.is_some_and(|m| m <= c.msg) && test.is_none_or(|m| m > c.msg);
    let found = bare.filter(|(claim, _)| never_ran(claim));
    found.map(|(claim, _)| Discrepancy::of(&RULE, claim.msg).at(&claim.span).value("said", said(e, claim))).collect()
}

/// The messages of the first command, and of the first call that may have run tests: a claim between the two rests on
/// nothing.
fn beginnings(session: &Session) -> (Option<MsgIx>, Option<MsgIx>) {
    let may_test = |call: &ToolCall| {
        let output = call.result.as_ref().map_or("", |r| r.text.as_str());
        match call.kind {
            ToolKind::Shell => TEST.is_match(&call.input.to_string()) || TEST.is_match(output),
            ToolKind::Other => TEST.is_match(output) || TEST.is_match(&call.tool),
            _ => false,
        }
    };
    let first = |fits: &dyn Fn(&ToolCall) -> bool| session.calls().find(|(_, c)| fits(c)).map(|(r, _)| r.msg);
    (first(&|c| c.kind == ToolKind::Shell), first(&may_test))
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn finds_tests_that_nothing_ran() {
        let session = |command: &str| SessionBuilder::new().shell(command, 0, "a").assistant("All tests pass.").build();
        assert_eq!(fire(&RULE, &session("ls")).len(), 1);
        assert_eq!(fire(&RULE, &session("./run_tests.sh")), []);
    }
}
