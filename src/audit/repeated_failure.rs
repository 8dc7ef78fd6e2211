//! The same command run again and again with the same failure.

use std::collections::BTreeMap;

use super::words::shown;
use super::{Discrepancy, Evidence, Rule, Severity};
use crate::session::{CallRef, MsgIx, ThreadIx, ToolCall, ToolKind};

/// Runs from which it is worth a line.
const RUNS: usize = 3;

pub(super) const RULE: Rule = Rule {
    id: "repeated-failure",
    severity: Severity::Low,
    experimental: true,
    doc: r#"
**What it finds.** One command was run three times or more with the same failing output, and no file was written between the runs.

**Why it matters.** Nothing that the session did could have changed the outcome; the time is lost.

**Example.** `make test` three times, each with "No rule to make target 'test'".

**Exceptions.** Runs between which a file tool or another command succeeded in changing something; waiting for something outside (`sleep`, `curl`,
`ping` and the like).
"#,
    check,
};

/// Runs of one command with one output, in a row.
struct Streak<'a> {
    output: &'a str,
    first: MsgIx,
    last: CallRef,
    runs: usize,
}

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let mut open: BTreeMap<(ThreadIx, &str), Streak<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    for (r, call) in e.session.calls().filter(|(r, _)| !e.session.message(r.msg).abandoned) {
        let thread = e.session.message(r.msg).thread;
        if may_change(call) {
            let done: Vec<_> = open.keys().filter(|(t, _)| *t == thread).copied().collect();
            found.extend(done.into_iter().filter_map(|key| open.remove(&key).and_then(|s| told(key.1, &s))));
        }
        let (Some(command), Some(output)) = (call.command().filter(|c| !waits(c)), failure(call)) else { continue };
        let streak = open.entry((thread, command)).or_insert(Streak { output, first: r.msg, last: r, runs: 0 });
        if streak.output == output {
            streak.runs += 1;
            streak.last = r;
        } else {
            found.extend(told(command, streak));
            *streak = Streak { output, first: r.msg, last: r, runs: 1 };
        }
    }
    found.extend(open.iter().filter_map(|((_, command), streak)| told(command, streak)));
    found
}

fn told(command: &str, streak: &Streak<'_>) -> Option<Discrepancy> {
    let line = streak.output.lines().rev().map(str::trim).find(|l| !l.is_empty()).unwrap_or("");
    (streak.runs >= RUNS).then(|| {
        Discrepancy::of(&RULE, streak.last.msg)
            .against(streak.first)
            .value("command", shown(command))
            .value("runs", streak.runs)
            .value("output", shown(line))
    })
}

/// The output of a call that is known to have failed.
fn failure(call: &ToolCall) -> Option<&str> {
    let text = call.result.as_ref()?.text.trim();
    (call.failed() && !text.is_empty()).then_some(text)
}

/// Whether a call may have changed what a command works on: any file tool, any other command that worked.
fn may_change(call: &ToolCall) -> bool {
    matches!(call.kind, ToolKind::Edit | ToolKind::Write | ToolKind::Task | ToolKind::Other)
        || call.command().is_some() && !call.undone()
}

/// Whether a command waits for something outside of the session.
fn waits(command: &str) -> bool {
    ["sleep", "curl", "ping", "wait", "ssh", "nc ", "gh run", "watch"].iter().any(|w| command.contains(w))
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn finds_a_command_that_fails_alike_three_times() {
        let run = |b: SessionBuilder| b.shell("make test", 2, "No rule to make target");
        let session = run(run(run(SessionBuilder::new()))).build();
        let found = fire(&RULE, &session);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].values["runs"], 3);
    }

    #[test]
    fn a_change_between_the_runs_is_fine() {
        let run = |b: SessionBuilder| b.shell("make test", 2, "No rule to make target");
        let session = run(run(SessionBuilder::new()).call("Edit", serde_json::json!({"file_path": "Makefile"}), "ok"));
        assert_eq!(fire(&RULE, &run(session).build()), []);
    }
}
