//! `tool_calls`.

use super::{NAMED, Rows, Scope, Table, int, text};
use crate::link::FactId;

pub(super) const TOOL_CALLS: Table = Table {
    name: "tool_calls",
    about: "A call of a tool, with its result.",
    head: NAMED,
    own: &[
        text("tool", "name of the tool, as written"),
        text("kind", "shell, read, write, edit, search, fetch, plan, task, ask or other"),
        text("target", "what it is aimed at: a path, an address, a pattern, a description"),
        text("command", "command line of a shell call"),
        text(
            "status",
            "ok, error, interrupted, unknown (answered, but not how it ended) or missing (no result stands in the transcript)",
        ),
        int("exit_code", "", "exit code of the command; NULL = the transcript does not tell it"),
        int("duration_ms", "ms", "time between call and result"),
        text("output", "text of the result, as the model saw it"),
        text("native_id", "the transcript's own call id"),
        text("input", "arguments, as a JSON object"),
        int("position", "", "which part of its message it is, from 0"),
        text(
            "phase",
            "phase of work that the call is a step of: diagnose, plan, act, verify, measure or report; NULL = none",
        ),
    ],
    rows: tool_calls,
};

fn tool_calls<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let session = &scope.analysis.session;
    for (i, &at) in scope.analysis.facts.calls.iter().enumerate() {
        let Some(call) = session.call(at) else { continue };
        out.named(
            scope.id(FactId::Call(i as u32)),
            Some(at.msg),
            [
                (&call.tool).into(),
                call.kind.word().into(),
                call.target().into(),
                call.command().into(),
                call.status().word().into(),
                call.exit_code().into(),
                call.duration_ms.into(),
                call.result.as_ref().map(|r| &r.text).into(),
                Some(&call.id).filter(|id| !id.is_empty()).into(),
                (!call.input.is_null()).then(|| call.input.to_string()).into(),
                at.part.into(),
                scope.analysis.facts.episodes.phase_of(at).map(|p| p.word()).into(),
            ],
        );
    }
}
