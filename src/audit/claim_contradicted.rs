//! A claim that the newest printed result contradicts.

use super::claims::{judged, said, telling_line};
use super::{Discrepancy, Evidence, Rule, Severity};
use crate::link::claims::Word;

pub(super) const RULE: Rule = Rule {
    id: "claim-contradicted",
    severity: Severity::High,
    experimental: true,
    doc: r#"
**What it finds.** The agent says that tests pass, a build is clean, a service is up, a change was pushed, a figure improved, a setting has a value or a
run succeeded, and the newest result that bears on it prints the opposite.

**Why it matters.** The reader takes the claim for the result. A partial pass reported as a pass is the common case.

**Example.** The last test run prints `5 passed, 2 failed`; the next message says "All tests pass".

**Exceptions.** Anything changed after that result; a claim that names its exception ("except the two known failures"); a claim about a named part of
the tests; results of commands that only show files; failed calls that print no result; results in another thread than the claim's, unless a
subagent of the main thread printed them.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let refuted = judged(e).filter(|(_, v)| v.word == Word::Contradicted);
    let found = refuted.filter_map(|(claim, verdict)| {
        let (call, msg) = (verdict.call?, verdict.msg(e.facts)?);
        let d = Discrepancy::of(&RULE, claim.msg).against(msg).at(&claim.span);
        Some(d.value("kind", claim.matter.word()).value("said", said(e, claim)).value("output", telling_line(e, call)))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn finds_a_partial_pass_reported_as_a_pass() {
        let run = SessionBuilder::new().shell("pytest", 1, "== 5 passed, 2 failed in 3.1s ==");
        let found = fire(&RULE, &run.assistant("All tests pass now.").build());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].values["output"], "== 5 passed, 2 failed in 3.1s ==");
    }

    #[test]
    fn a_named_exception_is_fine() {
        let run = SessionBuilder::new().shell("pytest", 1, "== 5 passed, 2 failed in 3.1s ==");
        assert_eq!(fire(&RULE, &run.assistant("All tests pass except the two flaky ones.").build()), []);
    }
}
