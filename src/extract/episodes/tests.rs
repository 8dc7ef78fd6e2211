use super::*;
use crate::extract::{Config, extract as all};
use crate::session::build::SessionBuilder;
use proptest::prelude::*;
use serde_json::json;

fn episodes(builder: SessionBuilder) -> (Session, Episodes) {
    let session = builder.build();
    let found = all(&session, &Config::default()).episodes;
    (session, found)
}

fn shape(found: &[Episode]) -> String {
    let one = |e: &Episode| format!("{}–{} {}", e.first.0 + 1, e.last.0 + 1, e.phase.map_or("none", Phase::word));
    found.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_small_repair_runs_through_its_phases() {
    let read = |b: SessionBuilder| b.call("Read", json!({"file_path": "a.py"}), "x = 1");
    let edit =
        |b: SessionBuilder| b.call("Edit", json!({"file_path": "a.py", "old_string": "1", "new_string": "2"}), "ok");
    let mut b = SessionBuilder::new().user("Please repair the parser of dates.");
    for _ in 0..4 {
        b = read(b);
    }
    for _ in 0..4 {
        b = edit(b);
    }
    for _ in 0..3 {
        b = b.shell("pytest -q", 0, "3 passed in 0.1s");
    }
    b = b.assistant("The parser reads dates again, and its tests pass.");
    let (_, found) = episodes(b.user("Now measure it.").shell("python3 bench_dates.py", 0, "done"));
    assert_eq!(shape(&found.runs), "1–5 diagnose, 6–9 act, 10–13 verify, 14–15 measure");
    assert!(found.at_most(2).len() <= 2);
}

#[test]
fn a_script_written_to_try_something_out_is_part_of_the_diagnosis() {
    let write = |b: SessionBuilder, path: &str| b.call("Write", json!({"file_path": path, "content": "x"}), "ok");
    let b = write(SessionBuilder::new().user("Find out why it hangs."), "/w/reproduce_hang.py");
    let b = b.shell("python3 /w/reproduce_hang.py", 1, "hangs").shell("rm reproduce_hang.py", 0, "");
    let (_, found) = episodes(write(b, "/w/src/pool.py"));
    let phases: Vec<Phase> = found.steps.iter().map(|s| s.phase).collect();
    assert_eq!(phases, [Phase::Diagnose, Phase::Verify, Phase::Diagnose, Phase::Act]);
}

#[test]
fn nothing_done_is_no_phase() {
    let (_, found) = episodes(SessionBuilder::new().user("Hello").user("Anyone there?"));
    assert_eq!(shape(&found.runs), "1–2 none");
    assert_eq!(episodes(SessionBuilder::new()).1.runs, []);
}

#[test]
fn what_subagents_do_counts_for_the_message_that_started_them() {
    let b = SessionBuilder::new()
        .user("Look around.")
        .call_id("t1", "Task", json!({"description": "Explore", "prompt": "Look"}), "seen")
        .assistant("Seen.")
        .thread("t1", |t| {
            t.user("Look").call("Grep", json!({"pattern": "x"}), "a").call("Grep", json!({"pattern": "y"}), "b")
        });
    let (session, found) = episodes(b);
    assert_eq!(found.runs.len(), 1);
    assert_eq!(found.runs[0].phase, Some(Phase::Diagnose));
    assert_eq!(found.runs[0].end.at(), session.messages.len());
}

#[test]
fn the_documentation_prints_the_weights() {
    let doc = include_str!("../../../docs/episodes.md");
    let table = features::weights_markdown();
    assert!(doc.contains(&table), "docs/episodes.md should hold:\n{table}");
}

#[test]
fn what_the_user_says_after_stopping_the_agent_is_a_turn() {
    let b = SessionBuilder::new().user("Paint the door.").call("Read", json!({"file_path": "door.py"}), "x");
    let b = b.text(Role::User, MessageKind::Notice, "[Request interrupted by user]").user("The other door.");
    let (_, found) = episodes(b.assistant("Yes.").user("Thanks."));
    let has = |n: u32| found.scores.features(MsgIx(n)).iter().any(|(w, _)| w.feature == Feature::Redirection);
    assert_eq!([0, 2, 3, 5].map(has), [false, false, true, false]);
}

fn any_session() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(0u8..9, 0..60)
}

fn made(of: &[u8]) -> SessionBuilder {
    of.iter().fold(SessionBuilder::new(), |b, n| match n {
        0 => b.user("Change the colour of the door."),
        1 => b.assistant("The door is red now."),
        2 => b.call("Read", json!({"file_path": "door.py"}), "x"),
        3 => b.call("Edit", json!({"file_path": "door.py", "old_string": "a", "new_string": "b"}), "ok"),
        4 => b.shell("pytest", 1, "1 failed in 0.1s"),
        5 => b.shell("python3 bench_door.py", 0, "throughput: 12 doors/s"),
        6 => b.call("TodoWrite", json!({"todos": [{"content": "Paint", "status": "pending"}]}), "ok"),
        7 => b.text(Role::User, MessageKind::CompactionSummary, "So far the door is red."),
        _ => b.shell("cd x", 0, ""),
    })
}

proptest! {
    #[test]
    fn episodes_part_the_messages_in_order(of in any_session()) {
        let (session, found) = episodes(made(&of));
        for most in [usize::MAX, 5, 1] {
            let runs = found.at_most(most);
            let mut next = MsgIx(0);
            for run in &runs {
                prop_assert_eq!(run.first, next);
                prop_assert!(run.first <= run.last && run.last < run.end);
                next = run.end;
            }
            prop_assert_eq!(next.at(), session.messages.len());
            prop_assert!(runs.len() <= most);
            let told: u32 = runs.iter().flat_map(|r| r.steps).sum();
            prop_assert_eq!(told as usize, found.steps.len());
        }
        prop_assert!(found.steps.is_sorted_by_key(|s| (s.msg, s.part)));
        let again = all(&session, &Config::default()).episodes;
        prop_assert_eq!(again, found);
    }

    #[test]
    fn any_command_line_has_a_class(line in "[a-z '\"<>|&;()\\\\$\n./=-]{0,80}") {
        shell::commands(&line).iter().for_each(|c| { command::class(c); });
    }
}
