//! Forms of items and events that came and went with versions of the program.

use serde_json::{Value, json};

use super::{call, calls, event, kinds, line, meta, output, said, session, sessions, texts};
use crate::session::{CallStatus, MessageKind};

#[test]
fn ids_are_those_of_the_items_where_they_have_some() {
    let content = json!([{"type": "output_text", "text": "yes"}]);
    let new = json!({"type": "message", "role": "assistant", "id": "msg_7", "content": content});
    let session = session(&[meta("s"), said("user", "go"), line("response_item", new)]);
    let ids: Vec<Option<&str>> = session.messages.iter().map(|m| m.native_id.as_deref()).collect();
    assert_eq!(ids, [None, Some("msg_7")]);
}

#[test]
fn a_resumed_session_that_names_itself_again_is_no_fork() {
    let session = session(&[meta("s"), said("user", "go"), meta("s"), said("user", "on")]);
    assert_eq!((session.id.as_str(), session.forked_from.as_deref()), ("s", None));
    assert_eq!(texts(&session), ["go", "on"]);
}

#[test]
fn local_shells_searches_and_custom_tools_are_calls() {
    let action = json!({"type": "exec", "command": ["bash", "-lc", "make"]});
    let shell = json!({"type": "local_shell_call", "call_id": "1", "status": "completed", "action": action});
    let search = json!({"type": "web_search_call", "action": {"type": "search", "query": "q"}});
    let custom = json!({"type": "custom_tool_call", "call_id": "2", "name": "tidy", "input": "all of it"});
    let done = json!({"type": "custom_tool_call_output", "call_id": "2", "output": "tidied"});
    let lines = [shell, search, custom].map(|item| line("response_item", item));
    let lines = [&lines[..], &[output("1", "Exit code: 2\nOutput:\nno rule"), line("response_item", done)]].concat();
    let got = calls(&lines);
    let told: Vec<_> = got.iter().map(|c| (c.tool.as_str(), c.status(), c.exit_code())).collect();
    assert_eq!(
        told,
        [
            ("local_shell", CallStatus::Ok, Some(2)),
            ("web_search", CallStatus::Missing, None),
            ("tidy", CallStatus::Ok, None)
        ]
    );
    assert_eq!((got[0].command(), got[1].target()), (Some("make"), Some("q")));
    // A search may have neither an id nor an output: nothing is wrong with it.
    assert!(kinds(&session(&[&[meta("s")], &lines[..]].concat())).is_empty());
}

#[test]
fn tools_that_run_beside_the_model_tell_their_end_themselves() {
    let hosted = |kind: &str, status: &str| {
        let item = json!({"type": kind, "id": "h1", "status": status, "revised_prompt": "a pear"});
        calls(&[line("response_item", item)]).remove(0).status()
    };
    assert_eq!(hosted("web_search_call", "completed"), CallStatus::Ok);
    assert_eq!(hosted("web_search_call", "failed"), CallStatus::Error);
    assert_eq!(hosted("web_search_call", "in_progress"), CallStatus::Missing);
    assert_eq!(hosted("image_generation_call", "completed"), CallStatus::Ok);
}

#[test]
fn a_prompt_that_only_an_event_says_is_kept_whatever_equals_it() {
    let event_says = |text: &str| event("user_message", "message", json!(text));
    let [one, two] = ["one", "two"].map(|t| said("assistant", t));
    let said_twice = [meta("s"), event_says("continue"), one.clone(), event_says("continue"), two.clone()];
    assert_eq!(texts(&session(&said_twice)), ["continue", "one", "continue", "two"]);
    // The item that comes later is told by the event beside it, not by the earlier one.
    let item = said("user", "continue");
    let later = [meta("s"), event_says("continue"), one.clone(), item.clone(), event_says("continue"), two.clone()];
    assert_eq!(texts(&session(&later)), ["continue", "one", "continue", "two"]);
    let first = [meta("s"), item, event_says("continue"), one, event_says("continue"), two];
    assert_eq!(texts(&session(&first)), ["continue", "one", "continue", "two"]);
}

#[test]
fn events_tell_of_the_ends_of_calls() {
    let end = |kind: &str, fields: Value| {
        let mut payload = json!({"type": kind, "call_id": "1"});
        payload.as_object_mut().unwrap().extend(fields.as_object().cloned().unwrap_or_default());
        line("event_msg", payload)
    };
    let told = |name: &str, event: String| {
        let got = calls(&[call("1", name, "{}"), output("1", "done"), event]);
        (got[0].status(), got[0].exit_code())
    };
    assert_eq!(told("shell", end("exec_command_end", json!({"exit_code": 3}))), (CallStatus::Ok, Some(3)));
    assert_eq!(told("shell", end("exec_command_end", json!({"exit_code": -1}))), (CallStatus::Ok, None));
    assert_eq!(told("apply_patch", end("patch_apply_end", json!({"success": false}))), (CallStatus::Error, None));
    assert_eq!(told("apply_patch", end("patch_apply_end", json!({"success": true}))), (CallStatus::Ok, None));
    let session = session(&[meta("s"), event("error", "message", json!("no more tokens"))]);
    assert_eq!((texts(&session), session.messages[0].kind), (vec!["no more tokens".to_owned()], MessageKind::Notice));
}

#[test]
fn a_review_is_said_by_the_agent() {
    let finding = json!({"title": "Lock held", "body": "The lock is held too long.", "priority": 1});
    let review = json!({"overall_explanation": "One point.", "findings": [finding], "overall_correctness": "no"});
    let session = session(&[
        meta("s"),
        event("entered_review_mode", "target", json!({})),
        event("exited_review_mode", "review_output", review),
    ]);
    assert_eq!(session.messages.len(), 1);
    assert_eq!(session.messages[0].text(), "One point.\n\nLock held\n\nThe lock is held too long.");
    assert_eq!(session.messages[0].kind, MessageKind::Reply);
}

#[test]
fn a_compaction_without_a_text_and_hidden_reasoning_say_nothing() {
    let hidden = json!({"type": "reasoning", "summary": [], "encrypted_content": "gAAAA"});
    let history = json!([{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}]);
    let session = session(&[
        meta("s"),
        said("user", "go"),
        line("response_item", hidden),
        line("compacted", json!({"message": "", "replacement_history": history, "window_number": 2})),
        event("context_compacted", "x", json!(1)),
        said("assistant", "on"),
    ]);
    assert_eq!(texts(&session), ["go", "", "on"]);
    assert_eq!(session.messages[1].kind, MessageKind::CompactionSummary);
    assert!(session.messages[1].parts.is_empty() && kinds(&session).is_empty(), "{:?}", kinds(&session));
}

#[test]
fn texts_that_stand_in_the_user_s_place_are_told_from_prompts() {
    let injected = [
        "<environment_context>a</environment_context>",
        "<user_instructions>a</user_instructions>",
        "# AGENTS.md instructions for /w\n\nBe brief.",
        "<permissions instructions>a</permissions instructions>",
        "<turn_aborted>a</turn_aborted>",
    ];
    let mut lines = vec![meta("s")];
    lines.extend(injected.map(|text| said("user", text)));
    lines.extend([said("user", "what I want"), event("user_message", "message", json!("what I want"))]);
    let session = session(&lines);
    let prompts = session.messages.iter().filter(|m| m.kind == MessageKind::Prompt);
    assert_eq!(prompts.map(crate::session::Message::text).collect::<Vec<_>>(), ["what I want"]);
    assert_eq!(session.messages.len(), injected.len() + 1);
}

#[test]
fn an_event_names_the_session_of_an_agent() {
    let spawned = json!({"type": "collab_agent_spawn_end", "call_id": "1", "new_thread_id": "c"});
    let parent = [meta("p"), call("1", "spawn_agent", "{}"), output("1", "started"), line("event_msg", spawned)];
    let source = json!({"subagent": {"thread_spawn": {"parent_thread_id": "p", "depth": 1, "agent_role": "worker"}}});
    let child = [line("session_meta", json!({"id": "c", "source": source})), said("user", "task")];
    let found = sessions(&[&child, &parent]);
    assert_eq!((found.len(), found[0].messages[1].label.to_string().as_str()), (1, "1.s1.1"));
}

#[test]
fn several_calls_of_a_script_share_its_output_but_not_its_exit_code() {
    let script = "const [a, b] = await Promise.all([tools.exec_command({cmd: `make ${x}`}), tools.exec_command({cmd: 'ls', yield_time_ms: 5})]); text(a, b)";
    let exec = json!({"type": "custom_tool_call", "call_id": "1", "name": "exec", "input": script});
    let pieces = json!([{"type": "input_text", "text": "Script completed"}, {"type": "input_text", "text": "{\"exit_code\": 1}"}]);
    let done = json!({"type": "custom_tool_call_output", "call_id": "1", "output": pieces});
    let got = calls(&[line("response_item", exec), line("response_item", done)]);
    let told: Vec<_> = got.iter().map(|c| (c.id.as_str(), c.exit_code(), c.command())).collect();
    assert_eq!(told, [("1", Some(1), None), ("1#1", None, None), ("1#2", None, Some("ls"))]);
}
