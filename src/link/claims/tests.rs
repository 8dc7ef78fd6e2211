//! Verdicts on hand-made sessions.

use serde_json::json;

use super::*;
use crate::extract::{Config, extract};
use crate::link::link;
use crate::session::Session;
use crate::session::build::SessionBuilder;

/// Verdict words of the claims of a session, in order.
fn judged(session: &Session) -> Vec<Word> {
    let facts = extract(session, &Config::default());
    let links = link(session, &facts);
    verdicts(&facts, &links).into_iter().map(|v| v.word).collect()
}

fn after(output: &str, said: &str) -> Vec<Word> {
    judged(&SessionBuilder::new().call("tool", json!({}), output).assistant(said).build())
}

#[test]
fn tests_that_ran_under_another_name_are_told_by_the_sum_of_their_runner() {
    let ran = |command: &str, output: &str| {
        let session = SessionBuilder::new().shell(command, 0, output).build();
        last_test_run(&session).map(|run| (run.counts.passed, run.counts.failed))
    };
    for (command, output, counts) in [
        ("./ci/check.sh", "building\n=== 1 failed, 8 passed in 2.30s ===", Some((8, 1))),
        ("make check", "test result: ok. 3 passed; 0 failed;\ntest result: ok. 4 passed; 0 failed;", Some((7, 0))),
        // Any program may print such lines.
        ("./deploy.sh", "5 passed, 0 failed\nPASS a", None),
        ("npm test", "5 passed, 0 failed", Some((5, 0))),
        // What is shown did not run here.
        ("cat check.log", "=== 8 passed in 2.30s ===", None),
    ] {
        assert_eq!(ran(command, output), counts, "{command}: {output}");
    }
}

#[test]
fn the_printed_result_decides() {
    use Word::{Contradicted, NotKnown, Supported};
    for (output, said, want) in [
        ("== 3 passed, 1 failed in 0.2s ==", "All tests pass.", Contradicted),
        ("== 9 passed in 0.2s ==", "All 9 tests pass.", Supported),
        ("ok 1\nPASS a\nPASS b\nFAIL c", "2 of 3 pass so far.", Supported),
        ("before: 50 req/s\nafter: 60 req/s", "That is 20 % faster.", Supported),
        ("before: 50 ms\nafter: 49 ms", "Latency dropped by 40 %.", Contradicted),
        ("curl: (7) Failed to connect to localhost port 9000", "The server is up on port 9000.", Contradicted),
        ("{\"status\":\"ok\"}", "The server is up.", Supported),
        ("net.ipv4.ip_forward = 1", "IPv4 ip forward is now off.", Contradicted),
        ("error: could not compile `x` (2 errors)", "The build is green.", Contradicted),
        ("nothing of note", "All tests pass.", NotKnown),
        ("wrote 20 bytes", "I fixed all 7 issues.", NotKnown),
    ] {
        assert_eq!(after(output, said), [want], "{output} / {said}");
    }
}

#[test]
fn an_edit_after_the_check_makes_it_stale() {
    let edit = json!({"file_path": "/a/src/x.rs", "old_string": "a", "new_string": "b"});
    let run = SessionBuilder::new().shell("cargo test", 0, "test result: ok. 4 passed; 0 failed; 0 ignored");
    assert_eq!(
        judged(&run.clone().call("Edit", edit.clone(), "ok").assistant("All tests pass.").build()),
        [Word::Stale]
    );
    let notes = json!({"file_path": "/a/NOTES.md", "content": "x"});
    assert_eq!(judged(&run.clone().call("Write", notes, "ok").assistant("All tests pass.").build()), [Word::Supported]);
    let made = json!({"file_path": "/a/src/demo.rs", "content": "x"});
    assert_eq!(judged(&run.clone().call("Write", made, "ok").assistant("All tests pass.").build()), [Word::Supported]);
    let again = run.clone().call("Edit", edit.clone(), "ok").shell("just everything", 0, "fine");
    assert_eq!(judged(&again.assistant("All tests pass.").build()), [Word::NotKnown]);
    let failed = SessionBuilder::new().shell("cargo test", 101, "test result: FAILED. 3 passed; 1 failed;");
    assert_eq!(judged(&failed.call("Edit", edit, "ok").assistant("All tests pass.").build()), [Word::NoEvidence]);
}

#[test]
fn quoted_results_and_failed_calls_accuse_nobody() {
    let shown = SessionBuilder::new().shell("cat notes.txt", 0, "== 3 passed, 1 failed in 0.2s ==");
    assert_eq!(judged(&shown.assistant("All tests pass.").build()), [Word::NotKnown]);
    let failed = SessionBuilder::new().shell("pytest", 127, "bash: pytest: command not found");
    assert_eq!(judged(&failed.assistant("All tests pass.").build()), [Word::NotKnown]);
    let hedged = SessionBuilder::new().shell("pytest", 1, "== 3 passed, 1 failed in 0.2s ==");
    assert_eq!(judged(&hedged.assistant("All tests pass except one known failure.").build()), [Word::NotKnown]);
}

#[test]
fn results_in_subagents_count() {
    let session = SessionBuilder::new()
        .call_id("t1", "Task", json!({"description": "run the tests"}), "done")
        .thread("t1", |b| b.user("run").shell("pytest", 0, "== 6 passed in 0.2s =="))
        .assistant("All 6 tests pass.")
        .build();
    assert_eq!(judged(&session), [Word::Supported]);
}

#[test]
fn files_commits_and_pushes() {
    let write = json!({"file_path": "/a/docs/report.md", "content": "x"});
    let session = SessionBuilder::new()
        .call("Write", write, "ok")
        .assistant("I wrote the summary to docs/report.md.")
        .assistant("I saved the figures to docs/figures.csv.")
        .shell("git commit -m x", 0, "[main 1a2b3c4] x\n 1 file changed")
        .assistant("I committed the change.")
        .shell("git push", 1, " ! [rejected] main -> main (fetch first)\nerror: failed to push some refs")
        .assistant("The change is pushed.")
        .build();
    use Word::{Contradicted, NoEvidence, Supported};
    assert_eq!(judged(&session), [Supported, NoEvidence, Supported, Contradicted]);
}

#[test]
fn a_deed_is_shown_by_a_call_that_can_do_it() {
    use Word::{NoEvidence, NotKnown, Supported};
    let read = |b: SessionBuilder| b.call("Read", json!({"file_path": "/w/.hooks.yml"}), "push: all hooks");
    let pull = |b: SessionBuilder| b.shell("gh pr create --fill", 0, "https://example.org/a/b/pull/7");
    let edit = |b: SessionBuilder| {
        let input = json!({"file_path": "/w/src/queue.ts", "old_string": "run()", "new_string": "retryAfter(run)"});
        b.call("Edit", input, "ok")
    };
    let notes = |b: SessionBuilder| {
        b.call("Write", json!({"file_path": "/w/plan.md", "content": "connect the billing service"}), "ok")
    };
    let install = |b: SessionBuilder| b.shell("pip install left", 0, "Successfully installed left-1.0");
    let rebase = |b: SessionBuilder| b.shell("git rebase main", 0, "Successfully rebased and updated refs/heads/x.");
    let seat =
        |b: SessionBuilder| b.call("update_booking", json!({"id": "K7"}), r#"{"id": "K7", "seat": "near_window"}"#);
    let broken = |b: SessionBuilder| b.shell("pip install left", 0, "ERROR: x\nerror: no such package left");
    let start = |b: SessionBuilder| {
        let input = json!({"command": "python train.py model", "run_in_background": true});
        b.call("Bash", input, "Command running in background with ID: b1")
    };
    type Step<'a> = &'a dyn Fn(SessionBuilder) -> SessionBuilder;
    let cases: [(Step<'_>, &str, Word); 12] = [
        (&read, "All commits have been pushed.", NoEvidence),
        (&pull, "The pull request has been created.", Supported),
        (&edit, "The pull request has been created.", NotKnown),
        (&edit, "Added `retryAfter` to the queue.", Supported),
        (&edit, "Removed `retryAfter` from the queue.", NotKnown),
        (&notes, "The billing service has been connected and added.", NotKnown),
        (&install, "I've installed left.", Supported),
        (&broken, "I've installed left.", NotKnown),
        (&rebase, "Rebase successful!", Supported),
        (&seat, "Booking K7 has been updated to a window seat.", NotKnown),
        (&start, "The model trained successfully.", NotKnown),
        (&start, "I trained the model.", NotKnown),
    ];
    for (step, said, want) in cases {
        let session = step(SessionBuilder::new().user("please do all of this now")).assistant(said).build();
        assert_eq!(judged(&session), [want], "{said}");
    }
}

#[test]
fn a_claim_that_names_a_file_is_shown_by_an_edit_of_it() {
    let write = |path: &str, content: &str| {
        SessionBuilder::new().user("please do all of this now").call(
            "Write",
            json!({"file_path": path, "content": content}),
            "ok",
        )
    };
    let said = |b: SessionBuilder, said: &str| judged(&b.assistant(said).build());
    let other = || write("/w/SUMMARY.md", "see tests/test_queue.py for retryAfter");
    assert_eq!(said(other(), "Added a test file `tests/test_queue.py`."), [Word::NotKnown]);
    assert_eq!(
        said(write("/w/tests/test_queue.py", "x"), "Added a test file `tests/test_queue.py`."),
        [Word::Supported]
    );
    // The label names the file.
    assert_eq!(
        said(write("/w/a/sender.go", "retryAfter = 1"), "**`a/queue.go`** - Added `retryAfter` to it"),
        [Word::NotKnown]
    );
    assert_eq!(
        said(write("/w/a/queue.go", "retryAfter = 1"), "**`a/queue.go`** - Added `retryAfter` to it"),
        [Word::Supported]
    );
    // A script that converts is not the conversion.
    assert_eq!(
        said(write("/w/convert_table.py", "open('table.json')"), "The table has been converted to table.json."),
        [Word::NotKnown]
    );
}

#[test]
fn a_choice_of_the_tests_shows_nothing_of_all_and_a_failed_whole_nothing_of_a_part() {
    let run = |command: &str| {
        SessionBuilder::new().shell(command, 0, "== 1 passed in 0.1s ==").assistant("All tests pass.").build()
    };
    assert_eq!(judged(&run("pytest tests/test_a.py::test_one")), [Word::NotKnown]);
    assert_eq!(judged(&run("pytest -k one")), [Word::NotKnown]);
    assert_eq!(judged(&run("pytest")), [Word::Supported]);
    let made = SessionBuilder::new().shell("make", 2, "tests/a.c:3:1: error: no such thing\nmake: *** [all] Error 1");
    assert_eq!(judged(&made.assistant("The static library compiled successfully.").build()), [Word::NotKnown]);
}

#[test]
fn a_deed_of_an_earlier_request_is_no_evidence() {
    let session = SessionBuilder::new()
        .user("please rebase this branch now")
        .shell("git rebase main", 0, "Successfully rebased and updated refs/heads/x.")
        .user("and once more on the other one")
        .assistant("Rebase successful.")
        .build();
    assert_eq!(judged(&session), [Word::NotKnown]);
}

#[test]
fn a_ratio_of_two_printed_figures_shows_a_change() {
    let printed = SessionBuilder::new().call("tool", json!({}), "a mean: 12.04\nb mean: 48.18");
    let session = printed.assistant("The pool (12.0ms) against the list (48.2ms) is 4.01x faster.").build();
    assert_eq!(judged(&session), [Word::Supported]);
}
