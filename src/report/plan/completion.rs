//! What is told of a completion: the calls that bear on it with their outcome, and what it took.

use crate::extract::plan::evidence::Effort;
use crate::extract::plan::{Evidence, Transition};
use crate::link::claims::{Unit, tests_of};
use crate::report::section::value::span;
use crate::session::{Session, ToolCall};

/// The first call of each message that bears on a completion, strongest first.
pub(crate) fn proofs(t: &Transition, most: usize) -> Vec<&Evidence> {
    let mut shown: Vec<&Evidence> = Vec::new();
    for e in &t.evidence {
        if shown.len() < most && shown.iter().all(|s| s.call.msg != e.call.msg) {
            shown.push(e);
        }
    }
    shown
}

/// What a call that bears on a completion came to: whether it bears weakly, its exit code, tests passed and failed.
pub(crate) fn outcome(session: &Session, e: &Evidence) -> String {
    let mut words: Vec<String> = Vec::new();
    if !e.strong {
        words.push("weak".into());
    }
    if let Some(call) = session.call(e.call) {
        words.extend(call.exit_code().map(|code| format!("exit {code}")));
        words.extend(tests(call));
    }
    words.join(", ")
}

fn tests(call: &ToolCall) -> Option<String> {
    let told = tests_of(call)?;
    let (one, many) = told.unit.words();
    let passed = match told.unit {
        Unit::Tests => told.passed.to_string(),
        _ => format!("{} {}", told.passed, if told.passed == 1 { one } else { many }),
    };
    Some(match told.failed {
        0 => format!("{passed} passed"),
        failed => format!("{passed} passed, {failed} failed"),
    })
}

/// What a completion took, in a few words: `12 min 3 s, 40 msgs, 2 failed`.
pub(crate) fn took(effort: &Effort) -> String {
    let time = match (effort.was_active, effort.seconds) {
        (false, _) => Some("never active".to_owned()),
        (true, seconds) => seconds.map(span),
    };
    let count = |n: u32, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let failed = (effort.failures > 0).then(|| format!("{} failed", effort.failures));
    let parts = [time, Some(count(effort.messages, "msg", "msgs")), failed];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::plan::evidence::efforts;
    use crate::extract::plan::extract;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    #[test]
    fn a_completion_tells_its_outcome_and_what_it_took() {
        let list = |status: &str| json!({"todos": [{"content": "Run the tests", "status": status}]});
        let session = SessionBuilder::new()
            .call("TodoWrite", list("in_progress"), "ok")
            .shell("pytest -x", 1, "== 2 passed, 1 failed in 0.1s ==")
            .shell("pytest", 0, "== 3 passed in 0.1s ==")
            .call("TodoWrite", list("completed"), "ok")
            .build();
        let plan = extract(&session);
        let done = plan.transitions.last().unwrap();
        let told: Vec<String> = proofs(done, 3).into_iter().map(|e| outcome(&session, e)).collect();
        assert_eq!(told, ["exit 0, 3 passed"]);
        assert_eq!(took(efforts(&session, &plan).values().next().unwrap()), "4 msgs, 1 failed");
    }
}
