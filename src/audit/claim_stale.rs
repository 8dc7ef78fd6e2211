//! A claim whose last check predates the last edit.

use super::claims::{is_checked, judged, said};
use super::words::shown;
use super::{Discrepancy, Evidence, Rule, Severity};
use crate::link::claims::Word;

pub(super) const RULE: Rule = Rule {
    id: "claim-stale",
    severity: Severity::Medium,
    experimental: true,
    doc: r#"
**What it finds.** The agent says that tests pass or a build is clean; the last run that shows it stands before the last edit of a source file.

**Why it matters.** What was tested is not what is there now.

**Example.** `cargo test` passes, `src/parser.rs` is edited, and the next message says "All tests pass" without another run.

**Exceptions.** Edits of documents, of data and of files under `/tmp`; edits that failed; new files; an edit after which any program ran or a subagent worked; claims of other kinds
than tests and builds.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let stale = judged(e).filter(|(claim, v)| v.word == Word::Stale && is_checked(claim));
    let found = stale.filter_map(|(claim, verdict)| {
        let edit = *e.facts.calls.get(verdict.edit? as usize)?;
        let call = e.session.call(edit)?;
        let what = call.written_paths().first().copied().or(call.command()).unwrap_or(&call.tool);
        let d = Discrepancy::of(&RULE, claim.msg).against(verdict.msg(e.facts)?).at(&claim.span);
        let label = e.session.message(edit.msg).label.to_string();
        Some(d.value("said", said(e, claim)).value("edit", label).value("edited", shown(what)))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn session(file: &str) -> crate::session::Session {
        SessionBuilder::new()
            .shell("pytest", 0, "== 5 passed in 3.1s ==")
            .call("Edit", json!({"file_path": file}), "ok")
            .assistant("All tests pass.")
            .build()
    }

    #[test]
    fn finds_an_edit_after_the_last_run() {
        let found = fire(&RULE, &session("/a/src/x.py"));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].values["edited"], "/a/src/x.py");
    }

    #[test]
    fn an_edit_of_a_document_is_fine() {
        assert_eq!(fire(&RULE, &session("/a/README.md")), []);
    }
}
