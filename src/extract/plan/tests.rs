//! The way from calls to transitions, on hand-made sessions.

use serde_json::{Value, json};

use super::*;
use crate::session::build::SessionBuilder;
use crate::session::{CallStatus, ToolResult};

fn todos(items: &[(&str, &str)]) -> Value {
    let items: Vec<Value> = items.iter().map(|(t, s)| json!({ "content": t, "status": s })).collect();
    json!({ "todos": items })
}

/// Rows as `message label: kind`.
fn history(session: &Session) -> Vec<String> {
    let plan = extract(session);
    let show = |t: &Transition| {
        let label = t.item.map_or("list", |i| &plan.items[i.at()].label);
        format!("{} {label} {}", session.message(t.msg).label, t.kind)
    };
    plan.transitions.iter().map(show).collect()
}

fn error(text: &str) -> Option<ToolResult> {
    Some(ToolResult { status: CallStatus::Error, text: text.into(), ..ToolResult::default() })
}

#[test]
fn whole_lists_are_compared_with_the_list_before() {
    let session = SessionBuilder::new()
        .call("TodoWrite", todos(&[("Read code", "in_progress"), ("Fix bug", "pending")]), "ok")
        .call("TodoWrite", todos(&[("Read code", "completed"), ("Fix bug", "pending"), ("Test", "pending")]), "ok")
        .call("TodoWrite", todos(&[("Fix bug", "completed")]), "ok")
        .call("TodoWrite", todos(&[]), "ok")
        .call("TodoWrite", todos(&[("Fix bug", "pending")]), "ok")
        .build();
    let want = [
        "1 T1 created-active",
        "1 T2 created-pending",
        "2 T1 completed",
        "2 T2 unchanged",
        "2 T3 created-pending",
        "3 T2 completed-without-start",
        "3 T1 dropped-done",
        "3 T3 dropped-open",
        "4 list list-cleared",
        "4 T2 dropped-done",
        "5 T2 re-added",
    ];
    assert_eq!(history(&session), want);
}

#[test]
fn refused_and_unanswered_writes_change_nothing() {
    let session = SessionBuilder::new()
        .call("TodoWrite", todos(&[("A", "pending")]), "ok")
        .call_with("x", "TodoWrite", todos(&[("A", "completed")]), error("InputValidationError"))
        .call_with("y", "TodoWrite", todos(&[("A", "completed"), ("B", "pending")]), None)
        .call("TodoWrite", todos(&[("A", "in_progress")]), "ok")
        .build();
    assert_eq!(history(&session), ["1 T1 created-pending", "4 T1 started"]);
    let plan = extract(&session);
    let accepted: Vec<bool> = plan.snapshots.iter().map(|s| s.accepted).collect();
    assert_eq!(accepted, [true, false, false, true]);
    assert_eq!(plan.snapshots[2].items[0].item, Some(ItemIx(0)));
    assert_eq!(plan.snapshots[2].items[1].item, None);
}

#[test]
fn unanswered_writes_count_where_the_format_keeps_no_results() {
    let session = SessionBuilder::new().call_with("a", "todo_write", todos(&[("A", "pending")]), None).build();
    let plan = extract(&session);
    assert!(plan.snapshots[0].accepted && plan.snapshots[0].certainty < 1.0);
}

#[test]
fn every_vendor_s_field_names_are_read() {
    let inputs = [
        ("todowrite", json!({"todos": [{"content": "A", "status": "in_progress", "priority": "high"}]})),
        ("update_plan", json!({"plan": [{"step": "A", "status": "in_progress"}]})),
        ("write_todos", json!({"todos": [{"description": "A", "status": "in_progress"}]})),
        ("manage_todo_list", json!({"todoList": [{"id": 1, "title": "A", "status": "in-progress"}]})),
        ("task_tracker", json!({"command": "plan", "task_list": [{"title": "A", "status": "in_progress"}]})),
        ("update_todo", json!({"todos": "- [-] A"})),
        ("todo__todo_write", json!({"content": "- [/] A"})),
        ("TodoWrite", json!({"todos": "[{\"content\": \"A\", \"status\": \"in_progress\"}]"})),
    ];
    for (tool, input) in inputs {
        let session = SessionBuilder::new().call(tool, input, "ok").build();
        assert_eq!(history(&session), ["1 T1 created-active"], "{tool}");
        let plan = extract(&session);
        if let Some(span) = &plan.snapshots[0].items[0].span {
            assert_eq!(session.quote(span), Some("A"), "{tool}");
        }
    }
    let view = SessionBuilder::new().call("task_tracker", json!({"command": "view", "task_list": []}), "none").build();
    assert_eq!(history(&view), [""; 0]);
}

#[test]
fn deltas_take_the_id_from_the_result() {
    let data = json!({"task": {"id": "7", "subject": "B"}});
    let kept = ToolResult { status: CallStatus::Ok, text: "made".into(), data, ..ToolResult::default() };
    let session = SessionBuilder::new()
        .call("TaskCreate", json!({"subject": "A"}), "Task #1 created successfully: A")
        .call_with("k", "TaskCreate", json!({"subject": "B"}), Some(kept))
        .call("TaskUpdate", json!({"taskId": "1", "status": "in_progress"}), "Updated task #1 status")
        .call("TaskUpdate", json!({"taskId": "7", "subject": "B and C"}), "Updated task #7 subject")
        .call("TaskUpdate", json!({"taskId": "1", "owner": "me"}), "Updated task #1")
        .call("TaskUpdate", json!({"taskId": "1", "status": "deleted"}), "Updated task #1 deleted")
        .call("TaskUpdate", json!({"taskId": "99", "status": "completed"}), "Task not found")
        .call("TaskOutput", json!({"task_id": "b1"}), "running")
        .build();
    let want = [
        "1 T1 created-pending",
        "2 T2 created-pending",
        "3 T1 started",
        "4 T2 widened",
        "5 T1 unchanged",
        "6 T1 dropped-open",
    ];
    assert_eq!(history(&session), want);
    assert_eq!(extract(&session).snapshots.len(), 7);
}

#[test]
fn task_ids_that_restart_begin_a_new_list() {
    let session = SessionBuilder::new()
        .call("TaskCreate", json!({"subject": "Old"}), "Task #1 created successfully: Old")
        .call("TaskCreate", json!({"subject": "New"}), "Task #1 created successfully: New")
        .call("TaskUpdate", json!({"taskId": "1", "status": "completed"}), "Updated task #1 status")
        .build();
    let want = ["1 T1 created-pending", "2 T2 created-pending", "2 T1 dropped-open", "3 T2 completed-without-start"];
    assert_eq!(history(&session), want);
}

#[test]
fn a_task_list_that_is_read_shows_what_was_changed_out_of_sight() {
    let session = SessionBuilder::new()
        .call("TaskCreate", json!({"subject": "Dig"}), "Task #1 created successfully: Dig")
        .call("TaskList", json!({}), "#1 [pending] Dig")
        .call("TaskList", json!({}), "#1 [completed] Dig\n#2 [in_progress] Fill the pit (mole) [blocked by #1]")
        .call("TaskUpdate", json!({"taskId": "2", "status": "completed"}), "Updated task #2 status")
        .build();
    assert_eq!(
        history(&session),
        ["1 T1 created-pending", "3 T1 completed-without-start", "3 T2 created-active", "4 T2 completed"]
    );
    let plan = extract(&session);
    assert_eq!(plan.snapshots.iter().map(|s| s.certainty).collect::<Vec<_>>(), [1.0, 0.8, 1.0]);
    assert_eq!(plan.items[1].text, "Fill the pit");
}

#[test]
fn each_thread_has_its_own_plan_and_abandoned_branches_have_none() {
    let session = SessionBuilder::new()
        .call("TodoWrite", todos(&[("A", "pending")]), "ok")
        .call_id("c1", "Task", json!({}), "done")
        .call("TodoWrite", todos(&[("A", "completed")]), "ok")
        .call("TodoWrite", todos(&[("Left", "pending")]), "ok")
        .edit(|m| m.abandoned = true)
        .thread("c1", |t| t.call("TodoWrite", todos(&[("Inner", "pending")]), "ok"))
        .build();
    let want = ["1 T1 created-pending", "2.s1.1 T2 created-pending", "3 T1 completed-without-start"];
    assert_eq!(history(&session), want);
}

#[test]
fn writes_of_one_message_are_numbered() {
    let session = SessionBuilder::new()
        .call("TodoWrite", todos(&[("A", "pending")]), "ok")
        .call("TodoWrite", todos(&[("A", "in_progress")]), "ok")
        .merge()
        .build();
    let plan = extract(&session);
    assert_eq!(plan.snapshots.iter().map(|s| s.seq).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(plan.changed_messages().len(), 1);
}

#[test]
fn reworded_items_keep_their_identity() {
    let session = SessionBuilder::new()
        .call("TodoWrite", todos(&[("Write the parser module", "pending"), ("Serve on port 80", "pending")]), "ok")
        .call("TodoWrite", todos(&[("Write parser module.", "pending"), ("Serve on port 8080", "pending")]), "ok")
        .build();
    let rows = history(&session);
    assert_eq!(rows[2..], ["2 list list-replaced", "2 T1 renamed", "2 T2 parameter-changed"]);
}

#[test]
fn a_code_in_front_and_a_script_without_spaces_keep_an_item() {
    let session = SessionBuilder::new()
        .call(
            "TodoWrite",
            todos(&[("P4: Tidy the shed over 3 days", "pending"), ("整理花园里的工具", "pending")]),
            "ok",
        )
        .call("TodoWrite", todos(&[("P4: Ready for 20 guests", "pending"), ("整理花园的工具", "in_progress")]), "ok")
        .build();
    assert_eq!(extract(&session).items.len(), 2, "{:?}", history(&session));
}

#[test]
fn unknown_words_are_other_and_warned_of_once() {
    let session = SessionBuilder::new()
        .call("TodoWrite", todos(&[("A", "reviewing"), ("B", "reviewing")]), "ok")
        .call("TodoWrite", todos(&[("A", "completed"), ("B", "reviewing")]), "ok")
        .build();
    let plan = extract(&session);
    assert_eq!(plan.warnings.len(), 1);
    assert_eq!(history(&session)[2..], ["2 T1 completed", "2 T2 unchanged"]);
}

#[test]
fn a_split_item_goes_on_in_its_first_part_and_a_merged_one_ends() {
    let session = SessionBuilder::new()
        .call("TodoWrite", todos(&[("Build the parser and test the parser", "active"), ("Ship", "pending")]), "ok")
        .call(
            "TodoWrite",
            todos(&[("Build the parser", "active"), ("Test the parser", "pending"), ("Ship", "pending")]),
            "ok",
        )
        .call("TodoWrite", todos(&[("Build and test the parser", "active"), ("Ship", "pending")]), "ok")
        .build();
    let want =
        ["2 T1 split", "2 T3 paused", "2 T3 split", "2 T2 unchanged", "3 T1 merged", "3 T2 unchanged", "3 T3 merged"];
    assert_eq!(history(&session)[2..], want);
    let plan = extract(&session);
    assert_eq!(plan.transitions[3].related, [ItemIx(0)]);
    assert_eq!(plan.items[2].last, State::Absent);
}

#[test]
fn a_finished_list_is_not_continued_by_the_next_plan() {
    let session = SessionBuilder::new()
        .call("TodoWrite", todos(&[("Run tests and lint", "completed")]), "ok")
        .call("TodoWrite", todos(&[("Run tests and check the commit", "pending")]), "ok")
        .build();
    let want = ["1 T1 created-done", "2 list list-replaced", "2 T2 created-pending", "2 T1 dropped-done"];
    assert_eq!(history(&session), want);
}

#[test]
fn an_update_that_finds_its_change_made_reveals_it_with_less_certainty() {
    let data = json!({"success": true, "taskId": "1", "updatedFields": []});
    let no_op = || Some(ToolResult { status: CallStatus::Ok, data: data.clone(), ..ToolResult::default() });
    let session = SessionBuilder::new()
        .call("TaskCreate", json!({"subject": "A"}), "Task #1 created successfully: A")
        .call_with("x", "TaskUpdate", json!({"taskId": "1", "status": "completed"}), no_op())
        .call_with("y", "TaskUpdate", json!({"taskId": "1", "status": "completed"}), no_op())
        .build();
    assert_eq!(history(&session), ["1 T1 created-pending", "2 T1 completed-without-start", "3 T1 unchanged"]);
    assert!(extract(&session).snapshots[1].certainty < 1.0);
}

#[test]
fn a_plan_mode_text_is_a_list_and_its_progress_is_heard() {
    let plan = "# Plan\n\n1. **Add the flag**\n2. **Write tests**\n";
    let session = SessionBuilder::new()
        .call_with("r", "ExitPlanMode", json!({ "plan": plan }), error("The user doesn't want to proceed"))
        .call("ExitPlanMode", json!({ "plan": plan }), "User has approved your plan")
        .assistant("Step 1 is done.")
        .build();
    assert_eq!(history(&session), ["2 T1 created-pending", "2 T2 created-pending", "3 T1 completed-without-start"]);
    let plan = extract(&session);
    assert!(!plan.snapshots[0].accepted);
    assert_eq!(plan.open_items().count(), 1);
    let span = plan.snapshots[1].items[0].span.clone().unwrap();
    assert_eq!(session.quote(&span), Some("Add the flag"));
}

#[test]
fn a_plan_in_prose_counts_only_when_its_progress_is_told() {
    let said = "Here is my plan:\n\n1. Add the flag\n2. Write unit tests\n3. Update the docs\n";
    let quiet = SessionBuilder::new().assistant(said).assistant("Done, all works.").build();
    assert!(extract(&quiet).snapshots.is_empty());
    let told = SessionBuilder::new().assistant(said).assistant("Step 1 is done. Now step 2.").build();
    let rows = history(&told);
    assert_eq!(rows[3..], ["2 T1 completed-without-start", "2 T2 started"]);
    let findings = "Here is what I found:\n\n1. Add is slow\n2. Write is slow\n3. Read is slow\n";
    let other = SessionBuilder::new().assistant(findings).assistant("Step 1 is done.").build();
    assert!(extract(&other).snapshots.is_empty());
    let with_tool = SessionBuilder::new()
        .assistant(said)
        .call("TodoWrite", todos(&[("Add the flag", "pending")]), "ok")
        .assistant("Step 1 is done.")
        .build();
    assert_eq!(history(&with_tool), ["2 T1 created-pending"]);
}

#[test]
fn progress_of_a_plan_in_prose_is_heard_in_the_words_of_its_steps() {
    let lead = "That can be done. Here are the steps involved:";
    let said = format!("{lead}\n1. **Move booking QX12 to deck B**:\n   - Needs a card.\n2. **Cancel booking ZR90**\n");
    let session = SessionBuilder::new()
        .assistant(&said)
        .assistant("Now let me cancel booking ZR90.")
        .assistant("Booking QX12 was moved to deck B, and booking ZR90 has been cancelled.")
        .build();
    let want = [
        "1 T1 created-pending",
        "1 T2 created-pending",
        "2 T2 started",
        "3 T1 completed-without-start",
        "3 T2 completed",
    ];
    assert_eq!(history(&session), want);
    let next = "## Next steps\n- Wire the cache to the router\n- Update the handbook\n";
    let session = SessionBuilder::new().assistant(next).assistant("I've updated the handbook.").build();
    assert_eq!(history(&session)[2..], ["2 T2 completed-without-start"]);
    let for_others = "Please do the following:\n1. Restart the router\n2. Update the handbook\n";
    let session = SessionBuilder::new().assistant(for_others).assistant("I've updated the handbook.").build();
    assert!(extract(&session).snapshots.is_empty());
}

#[test]
fn a_proposed_plan_and_one_that_stands_in_the_answer_are_plan_mode_texts() {
    let plan = "# Cache\n\n1. Add the flag\n2. Write tests\n";
    let codex = SessionBuilder::new().assistant(&format!("Fine.\n<proposed_plan>\n{plan}</proposed_plan>")).build();
    let approved = format!("User has approved your plan.\n\n## Approved Plan:\n{plan}");
    let claude = SessionBuilder::new().call("ExitPlanMode", json!({}), &approved).build();
    for session in [codex, claude] {
        let plan = extract(&session);
        assert_eq!(plan.lists[0].source, PlanSource::PlanMode);
        let quotes: Vec<_> = plan.snapshots[0].items.iter().map(|i| session.quote(i.span.as_ref().unwrap())).collect();
        assert_eq!(quotes, [Some("Add the flag"), Some("Write tests")]);
    }
}

#[test]
fn patches_and_shell_commands_edit_checkbox_lists_too() {
    let patch = "*** Begin Patch\n*** Update File: TODO.md\n@@\n-- [ ] dig\n+- [x] dig\n - [ ] fill\n*** End Patch";
    let session = SessionBuilder::new()
        .shell("tee TODO.md <<'EOF'\n- [ ] dig\n- [ ] fill\nEOF", 0, "")
        .call("apply_patch", json!({ "patchText": patch }), "Done")
        .shell(r"sed -i 's/- \[ \] fill/- [x] fill/' TODO.md", 0, "")
        .build();
    let want = [
        "1 T1 created-pending",
        "1 T2 created-pending",
        "2 T1 completed-without-start",
        "2 T2 unchanged",
        "3 T1 unchanged",
        "3 T2 completed-without-start",
    ];
    assert_eq!(history(&session), want);
}

#[test]
fn checkbox_lists_in_plan_files_follow_each_edit() {
    let session = SessionBuilder::new()
        .call("Write", json!({"file_path": "TODO.md", "content": "# T\n- [ ] A\n- [ ] B\n"}), "ok")
        .call("Edit", json!({"file_path": "TODO.md", "old_string": "- [ ] A", "new_string": "- [x] A"}), "ok")
        .call("Edit", json!({"file_path": "TODO.md", "old_string": "# T", "new_string": "# Todo"}), "ok")
        .call("Edit", json!({"file_path": "README.md", "old_string": "- [ ] A", "new_string": "- [x] A"}), "ok")
        .build();
    let want = ["1 T1 created-pending", "1 T2 created-pending", "2 T1 completed-without-start", "2 T2 unchanged"];
    assert_eq!(history(&session), want);
    assert_eq!(extract(&session).lists[0].name, "TODO.md");
}

#[test]
fn an_edit_of_a_file_never_seen_creates_nothing_that_was_there() {
    let session = SessionBuilder::new()
        .call("Edit", json!({"file_path": "PLAN.md", "old_string": "- [ ] A", "new_string": "- [x] A\n- [ ] B"}), "ok")
        .call("Edit", json!({"file_path": "PLAN.md", "old_string": "- [ ] Z", "new_string": "- [x] Z"}), "ok")
        .build();
    let want = [
        "1 T1 completed-without-start",
        "1 T2 created-pending",
        "2 T1 unchanged",
        "2 T2 unchanged",
        "2 T3 completed-without-start",
    ];
    assert_eq!(history(&session), want);
}

#[test]
fn an_item_that_keeps_its_code_is_the_same_in_other_words() {
    let session = SessionBuilder::new()
        .call("TodoWrite", todos(&[("Dig", "pending"), ("PHASE 4: Lay the roof — slats, then tiles", "pending")]), "ok")
        .call(
            "TodoWrite",
            todos(&[("Dig", "pending"), ("PHASE 4: Roof — crews 2-6 (not before approval)", "active")]),
            "ok",
        )
        .build();
    assert_eq!(history(&session)[2..], ["2 T1 unchanged", "2 T2 started", "2 T2 narrowed"]);
    let plan = extract(&session);
    assert!(plan.transitions.last().unwrap().confidence >= Transition::UNCERTAIN);
}

#[test]
fn what_was_done_is_not_opened_again_by_words_that_are_only_alike() {
    let lists = |second: &str| {
        SessionBuilder::new()
            .call("TodoWrite", todos(&[("Mend the hinge of the gate", "completed"), ("Paint", "pending")]), "ok")
            .call("TodoWrite", todos(&[(second, "pending"), ("Paint", "pending")]), "ok")
            .build()
    };
    let new = ["2 T3 created-pending", "2 T2 unchanged", "2 T1 dropped-done"];
    assert_eq!(history(&lists("Mend the posts beside the gate"))[2..], new);
    assert_eq!(history(&lists("Mend the hinge of the gate again"))[2..][0], "2 T1 reopened");
}

#[test]
fn an_item_whose_words_another_gained_went_into_it() {
    let session = SessionBuilder::new()
        .call(
            "TodoWrite",
            todos(&[
                ("Sweep the yard ✅", "completed"),
                ("Dig", "pending"),
                ("Repair rusty buckets (2 leak)", "active"),
            ]),
            "ok",
        )
        .call("TodoWrite", todos(&[("Sweep the yard ✅ + rusty buckets ✅", "completed"), ("Dig", "pending")]), "ok")
        .build();
    assert_eq!(history(&session)[3..], ["2 T1 merged", "2 T2 unchanged", "2 T3 merged"]);
}
