//! `tool_findings`.

use super::{NAMED, Rows, Scope, Table, flag, int, text};
use crate::link::FactId;

pub(super) const TOOL_FINDINGS: Table = Table {
    name: "tool_findings",
    about: "Something that a linter, test runner or scanner printed.",
    head: NAMED,
    own: &[
        text("tool", "rustc (clippy too), cargo test, pytest, jest, tsc, eslint, go test, npm audit, trivy or sarif"),
        text("level", "normalised level, P0 (worst) to P4; NULL = the tool gives none"),
        text("level_text", "level, as printed"),
        text("rule", "rule, code or advisory"),
        text("title", "what is wrong, or the failed test, as printed"),
        text("file", "affected file, test file or package"),
        int("line", "", "line of that file, from 1"),
        flag("repeated", "whether an earlier row is the same finding, printed before"),
        int("gone_msg", "", "message in which the same command ran clean later; NULL = none did"),
        text("gone_label", "number of that message, unique in the session"),
        text("quote", "the bytes it was read from"),
    ],
    rows: tool_findings,
};

fn tool_findings<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    for (i, f) in scope.analysis.facts.printed.iter().enumerate() {
        out.named(
            scope.id(FactId::Printed(i as u32)),
            Some(f.msg),
            [
                f.tool.into(),
                f.level.into(),
                (&f.level_text).into(),
                (&f.rule).into(),
                (&f.title).into(),
                (&f.file).into(),
                f.line.into(),
                f.restates.is_some().into(),
                f.gone_msg.map(|m| scope.msg(m)).into(),
                f.gone_msg.map(|m| scope.label(m)).into(),
                scope.quote(&f.span).into(),
            ],
        );
    }
}
