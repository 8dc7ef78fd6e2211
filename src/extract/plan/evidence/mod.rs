//! What proves a completion: the calls between the item's start and its completion that bear on it.
//!
//! A failed call proves nothing (but for an item that asks to reproduce a failure), a call without result is not known to
//! have worked, and a call that does other than the item's verbs ask for (a read, for an item that asks for a change) says
//! nothing. Strong: it does what they ask for and its target or command shares a path, flag, identifier, number or content
//! word with the item, or three in what it writes; or it does the very action that the item names and says so ("Run the
//! tests": `go test ./...`). Weak: it shares two content words with command or output, or a program was run whose command
//! shares a name with an item that asks for something else.

mod actions;
mod effects;
mod effort;
mod subject;
mod talk;
mod window;
mod words;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use self::effects::Effect;
pub use self::effort::{Effort, efforts};
use self::subject::{Rank, Subject, Texts, asks_for_help};
pub use self::talk::is_talk;
pub use self::window::{Window, windows};
use super::sources::{plan_file_named, plan_file_written};
use super::{Evidence, Plan};
use crate::session::{CallRef, CallStatus, MsgIx, PartBody, Session, ToolCall, ToolKind};

/// Calls looked at for one completion, the latest first; a window rarely holds more.
const MOST_CALLS: usize = 400;
/// Calls kept for one completion.
const KEPT: usize = 6;

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
        // What a message does behind the words that tell of the end was done for the next.
        let told = snapshot.call.is_none().then(|| last_text(session, t.msg)).flatten();
        let last = calls.partition_point(|(c, _)| told.map_or(c.msg <= t.msg, |words| *c < words));
        let subject = Subject::of(&t.text);
        let found = weigh(&subject, &calls, first..last, snapshot.call, &unseen, &mut texts);
        let t = &mut plan.transitions[at];
        t.unsure = found.evidence.is_empty() && found.unsure;
        t.evidence = found.evidence;
    }
}

/// The last text of a message.
fn last_text(session: &Session, msg: MsgIx) -> Option<CallRef> {
    let part = session.message(msg).parts.iter().rposition(|p| matches!(p.body, PartBody::Text(_)))?;
    Some(CallRef { msg, part: part as u32 })
}

/// Which of some calls bear on an item of this text, strongest first.
pub fn bearing(text: &str, calls: &[(CallRef, &ToolCall)]) -> Vec<Evidence> {
    weigh(&Subject::of(text), calls, 0..calls.len(), None, &|_| false, &mut BTreeMap::new()).evidence
}

/// What the calls of a window say of an item.
struct Found {
    /// Strongest first.
    evidence: Vec<Evidence>,
    /// A call did, or may have done, what the item asks for, but shares no word with it.
    unsure: bool,
}

fn weigh(
    subject: &Subject,
    calls: &[(CallRef, &ToolCall)],
    window: Range<usize>,
    own: Option<CallRef>,
    unseen: &dyn Fn(CallRef) -> bool,
    texts: &mut BTreeMap<usize, Texts>,
) -> Found {
    let mut found = Vec::new();
    let mut unsure = window.len() > MOST_CALLS;
    for n in window.rev().take(MOST_CALLS) {
        let (place, call) = calls[n];
        if Some(place) == own || matches!(call.kind, ToolKind::Plan | ToolKind::Ask) {
            continue;
        }
        if call.kind == ToolKind::Task && !subject.asks_for_agents() {
            // Where the work of a subagent is not in the transcript, its name is all there is to go by.
            if !call.failed() && unseen(place) {
                unsure = true;
                found.extend(subject.named_by(place, call).filter(|_| call.worked()).map(|e| (e, Rank::default())));
            }
            continue;
        }
        let seen = texts.entry(n).or_insert_with(|| Texts::of(call));
        unsure |= !call.failed() && subject.may_be_met_by(seen);
        if can_prove(call, &seen.effects, subject) {
            found.extend(subject.evidence(place, call, seen));
        }
    }
    found.sort_by_key(|(e, rank)| Reverse((e.strong, *rank, e.shared.len())));
    found.truncate(KEPT);
    Found { evidence: found.into_iter().map(|(e, _)| e).collect(), unsure }
}

/// The help of a program proves nothing about the work.
fn can_prove(call: &ToolCall, effects: &[Effect], subject: &Subject) -> bool {
    let about = match call.kind {
        ToolKind::Shell if call.command().is_some_and(|script| asks_for_help(script, subject)) => false,
        // A file that holds the plan repeats its items; it proves only an item that names the file.
        _ => plan_file(call, effects).is_none_or(|path| subject.names_file(path)),
    };
    about && ended_as_wanted(call, effects, subject)
}

/// The plan file that a call writes, or does nothing but show.
fn plan_file<'a>(call: &'a ToolCall, effects: &[Effect]) -> Option<&'a str> {
    let shown = || plan_file_named(call).filter(|_| effects.iter().all(|e| *e == Effect::Look));
    plan_file_written(call).or_else(shown)
}

fn ended_as_wanted(call: &ToolCall, effects: &[Effect], subject: &Subject) -> bool {
    if subject.wants_failure && call.kind == ToolKind::Shell {
        return matches!(call.status(), CallStatus::Ok | CallStatus::Error | CallStatus::Unknown);
    }
    call.worked() && (call.exit_code().is_some() || !tells_of_failure(call, effects))
}

/// Whether the output of a call whose exit code is not kept says that it failed: at its start, or, where it did more than
/// show files, in a line.
fn tells_of_failure(call: &ToolCall, effects: &[Effect]) -> bool {
    let output = call.result.as_ref().map_or("", |r| r.text.trim_start());
    FAILURES.is_match(output.lines().next().unwrap_or(""))
        || !effects.contains(&Effect::Look) && output.lines().take(LINES).any(|line| FAILURES.is_match(line))
}

/// How a command says that it failed, or that it had nothing to do.
static FAILURES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:(?:\w+ )?error:|fatal:|traceback \(most recent call last\)|nothing (?:staged )?to commit)|^\S+: (?:line \d+: )?\S+: command not found")
        .expect("a constant pattern compiles")
});
/// Lines of an output that are read for it.
const LINES: usize = 200;

#[cfg(test)]
mod tests {
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
        assert_eq!(evidence("Review retry with backoff", read), [(3, false)]);
        assert_eq!(evidence("Review retry with jitter", read), []);
        assert_eq!(evidence("Add retry with backoff", read), []);
        let run = |b: SessionBuilder| b.shell("./bump.sh client", 0, "the retry backoff of the client");
        assert_eq!(evidence("Add retry to bump.sh", run), [(3, false)]);
        assert_eq!(evidence("Add retry with backoff", run), []);
    }

    #[test]
    fn where_a_call_does_what_is_asked_for_in_other_words_it_is_not_known() {
        let last = |item: &str, work: fn(SessionBuilder) -> SessionBuilder| {
            let begun = SessionBuilder::new().call("TodoWrite", list(item, "in_progress"), "ok");
            let session = work(begun).call("TodoWrite", list(item, "completed"), "ok").build();
            extract(&session).transitions.last().unwrap().without_evidence()
        };
        let edit = |b: SessionBuilder| b.call("Edit", json!({"file_path": "main.c"}), "ok");
        assert_eq!(last("Replace valves by pumps", edit), "not known");
        assert_eq!(last("Count the valves", edit), "not known");
        assert_eq!(last("Read about valves", edit), "none found");
        assert_eq!(last("Replace valves by pumps", |b| b.shell("ls", 0, "a b")), "none found");
        assert_eq!(last("Replace valves by pumps", |b| b), "none found");
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
    fn what_a_here_document_holds_is_written_not_said() {
        let note = |b: SessionBuilder| b.shell("cat > notes.md <<'E'\nWhere valves leak, a pump helps\nE", 0, "");
        assert_eq!(evidence("Leaking valves and pumps", note), []);
        assert_eq!(evidence("Write down why valves leak and pumps help", note), [(3, true)]);
        assert_eq!(evidence("Write notes.md", note), [(3, true)]);
    }

    #[test]
    fn a_failure_proves_that_it_was_reproduced() {
        let failed = |b: SessionBuilder| b.shell("./ingest.sh --dry", 1, "Permission denied");
        assert_eq!(evidence("Run ingest.sh to reproduce the error", failed), [(3, true)]);
        assert_eq!(evidence("Run ingest.sh", failed), []);
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
}
