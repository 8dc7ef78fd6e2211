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
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub use self::effort::{Effort, efforts};
use self::subject::{Subject, Texts, asks_for_help};
pub use self::window::{Window, windows};
use self::words::TALK;
use super::sources::plan_file_written;
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
    let started: BTreeSet<CallRef> = session.threads.iter().filter_map(|t| t.started_by).collect();
    let unseen = |at: CallRef| !started.contains(&at);
    let mut texts = BTreeMap::new();
    for (at, window) in windows(session, plan) {
        let t = &plan.transitions[at];
        if t.revealed {
            continue;
        }
        let snapshot = &plan.snapshots[t.snapshot as usize];
        // What stands before the write that began the item was done for another.
        let began = window.write.and_then(|s| plan.snapshots[s as usize].call);
        let first = calls.partition_point(|(c, _)| began.map_or(c.msg < window.from, |w| *c < w));
        let last = calls.partition_point(|(c, _)| c.msg <= t.msg);
        let subject = Subject::of(&t.text);
        let mut found = weigh(&subject, &calls, first..last, snapshot.call, &unseen, &mut texts);
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
    weigh(&Subject::of(text), calls, 0..calls.len(), None, &|_| false, &mut BTreeMap::new())
}

fn weigh(
    subject: &Subject,
    calls: &[(CallRef, &ToolCall)],
    window: Range<usize>,
    own: Option<CallRef>,
    unseen: &dyn Fn(CallRef) -> bool,
    texts: &mut BTreeMap<usize, Texts>,
) -> Vec<Evidence> {
    let mut found = Vec::new();
    for n in window.rev().take(MOST_CALLS) {
        let (place, call) = calls[n];
        if Some(place) == own {
            continue;
        }
        if !can_prove(call, subject) {
            // Where the work of a subagent is not in the transcript, its name is all there is to go by.
            if call.kind == ToolKind::Task && call.worked() && unseen(place) {
                found.extend(subject.named_by(place, call));
            }
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

/// A plan write proves nothing about the work, nor does a question or the help of a program. The prompt of a subagent
/// repeats the item, so that it proves only an item that asks for subagents.
fn can_prove(call: &ToolCall, subject: &Subject) -> bool {
    let fits = subject.kinds.contains(&call.kind);
    let about = match call.kind {
        ToolKind::Plan | ToolKind::Ask => false,
        ToolKind::Task => fits || subject.asks_for_agents(),
        // A file that holds the plan repeats its items; it proves only an item that names the file.
        ToolKind::Shell | ToolKind::Write | ToolKind::Edit if plan_file_written(call).is_some() => {
            plan_file_written(call).is_some_and(|path| subject.names_file(path))
        }
        ToolKind::Shell => !call.command().is_some_and(asks_for_help),
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
    fn what_stands_before_the_start_in_its_message_was_done_for_another() {
        let both = |a: &str, b: &str| {
            json!({"todos": [{"content": "Write notes.md", "status": a},
            {"content": "Check the valves and pumps", "status": b}]})
        };
        let session = SessionBuilder::new()
            .call("TodoWrite", both("in_progress", "pending"), "ok")
            .call("Write", json!({"file_path": "notes.md", "content": "valves, pumps"}), "ok")
            .merge()
            .shell("cat notes.md", 0, "valves and pumps")
            .merge()
            .call("TodoWrite", both("completed", "in_progress"), "ok")
            .merge()
            .assistant("Looking.")
            .call("TodoWrite", both("completed", "completed"), "ok")
            .build();
        let plan = extract(&session);
        let last = plan.transitions.iter().rfind(|t| t.kind.is_completion()).unwrap();
        assert!(last.text.starts_with("Check") && last.evidence.is_empty(), "{last:?}");
    }

    #[test]
    fn a_plan_file_proves_only_the_item_that_names_it_and_help_proves_nothing() {
        let edit = |b: SessionBuilder| {
            b.call(
                "Edit",
                json!({"file_path": "/w/TODO.md", "old_string": "pump one", "new_string": "valve one"}),
                "ok",
            )
        };
        assert_eq!(evidence("Update the valve terms in TODO.md", edit), [(3, true)]);
        assert_eq!(evidence("Replace pump by valve", edit), []);
        let help = |b: SessionBuilder| b.shell("cd /w && python report.py --help | head", 0, "usage: valve report");
        assert_eq!(evidence("Run the valve report", help), []);
        let run = |b: SessionBuilder| b.shell("python report.py --help; python report.py valve", 0, "");
        assert_eq!(evidence("Run the valve report", run), [(3, true)]);
    }

    #[test]
    fn a_subagent_whose_work_is_not_there_proves_weakly_by_its_name() {
        let task = |b: SessionBuilder| {
            b.call(
                "Task",
                json!({"description": "Delete the valve tables", "prompt": "Open the pump house"}),
                "Deleted",
            )
        };
        assert_eq!(evidence("Delete the old valve tables", task), [(3, false)]);
        assert_eq!(evidence("Open the pump house", task), []);
    }

    #[test]
    fn a_box_ticked_without_a_start_is_proved_by_calls_of_its_own_prompt() {
        let edit =
            json!({"file_path": "PLAN.md", "old_string": "- [ ] Paint the shed", "new_string": "- [x] Paint the shed"});
        let write = json!({"file_path": "shed.md", "content": "Paint the shed red"});
        let earlier = SessionBuilder::new().user("One").call("Write", write.clone(), "ok").user("Two");
        let proofs =
            |b: SessionBuilder| extract(&b.call("Edit", edit.clone(), "ok").build()).transitions[0].evidence.len();
        assert_eq!(proofs(earlier.clone()), 0);
        assert_eq!(proofs(earlier.call("Write", write, "ok")), 1);
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
