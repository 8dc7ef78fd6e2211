//! What proves a completion: the calls between the item's start and its completion that bear on it.
//!
//! A failed call proves nothing (but for an item that asks to reproduce a failure), a call without result is not known to
//! have worked, and a call of a kind that the item's verbs do not name (a read, for an item that asks for a change) says
//! nothing; a shell can do everything. Strong: its target or command shares a path, flag, identifier or number with the
//! item, or it is of the kind that the item's verb names and shares a content word, three in what it writes, or it does
//! the very action that the item names and says so ("Run the tests": `go test ./...`). Weak: it shares two content words
//! with command or output, or it is of the kind named and was made while the item alone was active.

mod actions;
mod effort;
mod subject;
mod window;
mod words;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

pub use self::effort::{Effort, efforts};
use self::subject::{Subject, Texts};
pub use self::window::{Window, windows};
use self::words::TALK;
use super::sources::writes_plan_file;
use super::wording::Wording;
use super::{Evidence, Plan};
use crate::session::{CallRef, CallStatus, Session, ToolCall, ToolKind};

/// Calls looked at for one completion, the latest first; a window rarely holds more.
const MOST_CALLS: usize = 400;
/// Calls kept for one completion.
const KEPT: usize = 6;

/// Whether an item asks for talk, which leaves no trace in tool calls.
pub fn is_talk(text: &str) -> bool {
    let words = Wording::of(text).words;
    words.first().is_some_and(|w| TALK.contains(&w.as_str()))
}

/// Fills in the evidence of every completion.
pub(super) fn find(session: &Session, plan: &mut Plan) {
    let calls: Vec<(CallRef, &ToolCall)> =
        session.calls().filter(|(at, _)| !session.message(at.msg).abandoned).collect();
    let mut texts = BTreeMap::new();
    for (at, window) in windows(plan) {
        let t = &plan.transitions[at];
        let snapshot = &plan.snapshots[t.snapshot as usize];
        let first = calls.partition_point(|(c, _)| c.msg < window.from);
        let last = calls.partition_point(|(c, _)| c.msg <= t.msg);
        let subject = Subject::of(&t.text);
        let mut found = weigh(&subject, &calls, first..last, snapshot.call, &mut texts);
        if found.is_empty() && window.alone {
            // What stands behind the completing write belongs to the next item.
            let before = |c: &CallRef| snapshot.call.is_none_or(|end| *c < end);
            let own = |c: &CallRef| session.message(c.msg).thread == snapshot.thread && before(c);
            found = by_time(&subject, &calls[first..last], own);
        }
        plan.transitions[at].evidence = found;
    }
}

/// Which of some calls bear on an item of this text, strongest first.
pub fn bearing(text: &str, calls: &[(CallRef, &ToolCall)]) -> Vec<Evidence> {
    weigh(&Subject::of(text), calls, 0..calls.len(), None, &mut BTreeMap::new())
}

fn weigh(
    subject: &Subject,
    calls: &[(CallRef, &ToolCall)],
    window: Range<usize>,
    own: Option<CallRef>,
    texts: &mut BTreeMap<usize, Texts>,
) -> Vec<Evidence> {
    let mut found = Vec::new();
    for n in window.rev().take(MOST_CALLS) {
        let (place, call) = calls[n];
        if Some(place) == own || !can_prove(call, subject) {
            continue;
        }
        let seen = texts.entry(n).or_insert_with(|| Texts::of(call));
        found.extend(subject.evidence(place, call, seen));
    }
    found.sort_by_key(|e: &Evidence| Reverse((e.strong, e.shared.len())));
    found.truncate(KEPT);
    found
}

/// Calls of the kind that the item's verbs name, made in its own thread while no other item was active.
fn by_time(subject: &Subject, calls: &[(CallRef, &ToolCall)], own: impl Fn(&CallRef) -> bool) -> Vec<Evidence> {
    let fits = |call: &ToolCall| Texts::is_of(call, &subject.kinds) && can_prove(call, subject);
    let able = calls.iter().rev().filter(|(at, call)| own(at) && fits(call));
    able.take(KEPT).map(|(at, _)| Evidence { call: *at, strong: false, shared: Vec::new() }).collect()
}

/// A plan write proves nothing about the work, nor does a question. The prompt of a subagent repeats the item, so that it
/// proves only an item that asks for subagents.
fn can_prove(call: &ToolCall, subject: &Subject) -> bool {
    let fits = subject.kinds.contains(&call.kind);
    let about = match call.kind {
        ToolKind::Plan | ToolKind::Ask => false,
        ToolKind::Task => fits || subject.asks_for_agents(),
        // A file that holds the plan repeats its items.
        ToolKind::Shell | ToolKind::Write | ToolKind::Edit if writes_plan_file(call) => false,
        ToolKind::Shell => true,
        _ => fits || subject.kinds.is_empty(),
    };
    about && ended_as_wanted(call, subject)
}

fn ended_as_wanted(call: &ToolCall, subject: &Subject) -> bool {
    if subject.wants_failure && call.kind == ToolKind::Shell {
        return matches!(call.status(), CallStatus::Ok | CallStatus::Error | CallStatus::Unknown);
    }
    call.worked() && (call.exit_code().is_some() || !tells_of_failure(call))
}

/// Whether the output of a call whose exit code is not kept begins by saying that it failed.
fn tells_of_failure(call: &ToolCall) -> bool {
    let output = call.result.as_ref().map_or("", |r| r.text.trim_start());
    ["ERROR", "Error:", "error:", "fatal:", "Traceback (most recent call last)"].iter().any(|w| output.starts_with(w))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::plan::extract;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn list(a: &str, status: &str) -> serde_json::Value {
        json!({"todos": [{"content": a, "status": status}]})
    }

    fn evidence(item: &str, work: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Vec<(u32, bool)> {
        let begun =
            SessionBuilder::new().shell("go vet ./cache", 0, "").call("TodoWrite", list(item, "in_progress"), "ok");
        let session = work(begun).call("TodoWrite", list(item, "completed"), "ok").build();
        let plan = extract(&session);
        let last = plan.transitions.last().unwrap();
        last.evidence.iter().map(|e| (e.call.msg.0 + 1, e.strong)).collect()
    }

    #[test]
    fn strong_by_a_shared_name_or_by_the_verb_s_kind_and_a_word() {
        let edit = |b: SessionBuilder| b.call("Edit", json!({"file_path": "src/cache/lru.go"}), "ok");
        assert_eq!(evidence("Fix eviction in lru.go", edit), [(3, true)]);
        assert_eq!(evidence("Fix the cache eviction", edit), [(3, true)]);
        assert_eq!(evidence("Run the cache benchmark", edit), []);
        let body = |b: SessionBuilder| {
            b.call("Edit", json!({"file_path": "m.go", "old_string": "x", "new_string": "evictOldest(n)"}), "ok")
        };
        assert_eq!(evidence("Update evictOldest to take a count", body), [(3, true)]);
        assert_eq!(evidence("Read evictOldest first", body), []);
        let shell = |b: SessionBuilder| b.shell("go test ./cache -bench .", 0, "ok");
        assert_eq!(evidence("Run the cache benchmark", shell), [(3, true)]);
    }

    #[test]
    fn weak_by_two_words_of_the_output_and_nothing_by_one() {
        let read = |b: SessionBuilder| b.shell("cat a", 0, "the retry backoff of the client");
        assert_eq!(evidence("Add retry with backoff", read), [(3, false)]);
        assert_eq!(evidence("Add retry with jitter", read), []);
    }

    #[test]
    fn a_failed_call_and_one_before_the_start_prove_nothing() {
        let failed = |b: SessionBuilder| b.shell("go test ./cache", 1, "FAIL");
        assert_eq!(evidence("Test the cache", failed), []);
        assert_eq!(evidence("Vet the cache", |b| b), []);
    }

    #[test]
    fn a_command_of_the_kind_named_proves_without_a_shared_word() {
        let tested = |b: SessionBuilder| b.shell("cd srv && go test ./...", 0, "ok  srv/auth 0.2s");
        assert_eq!(evidence("Run tests to verify fixes", tested), [(3, true)]);
        assert_eq!(evidence("Run the tests of the parser", tested), [(3, false)]);
        let agents = |b: SessionBuilder| b.call("Task", json!({"description": "Security", "prompt": "Look"}), "fine");
        assert_eq!(evidence("Launch parallel review agents", agents), [(3, true)]);
    }

    #[test]
    fn a_failure_proves_that_it_was_reproduced() {
        let failed = |b: SessionBuilder| b.shell("./ingest.sh --dry", 1, "Permission denied");
        assert_eq!(evidence("Run ingest.sh to reproduce the error", failed), [(3, true)]);
        assert_eq!(evidence("Run ingest.sh", failed), []);
    }

    #[test]
    fn calls_of_the_kind_named_count_weakly_while_the_item_alone_is_active() {
        let edit = |b: SessionBuilder| b.call("Edit", json!({"file_path": "main.c"}), "ok");
        assert_eq!(evidence("Implement the inference", edit), [(3, false)]);
        assert_eq!(evidence("Explore the structure", edit), []);
        let other = |b: SessionBuilder| {
            let both = json!({"todos": [{"content": "Implement the inference", "status": "in_progress"},
                {"content": "Draw a picture", "status": "in_progress"}]});
            edit(b.call("TodoWrite", both, "ok"))
        };
        assert_eq!(evidence("Implement the inference", other), []);
    }

    #[test]
    fn words_inside_identifiers_and_patches_given_to_a_shell_count_as_written() {
        let edit = |b: SessionBuilder| {
            b.call(
                "Edit",
                json!({"file_path": "a.go", "old_string": "x", "new_string": "shadowHashLength - hashRest"}),
                "ok",
            )
        };
        let found = evidence("Fix hash length of the shadow", edit);
        assert_eq!(found, [(3, true)]);
        let patch = |b: SessionBuilder| {
            b.shell(
                "apply_patch <<'E'\n*** Begin Patch\n*** Update File: src/doctor.py\n+a\n*** End Patch\nE",
                0,
                "Done",
            )
        };
        assert_eq!(evidence("Fix the doctor", patch), [(3, true)]);
    }

    #[test]
    fn talk_needs_no_evidence() {
        assert!(is_talk("Summarise the findings") && is_talk("Explain the trade-offs to the user"));
        assert!(!is_talk("Write the summary to out.md"));
    }
}
