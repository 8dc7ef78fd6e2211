//! One test for each trap of the format.

use serde_json::{Value, json};

mod forms;

use super::FORMAT;
use crate::session::{CallStatus, Message, MessageKind, Session, ToolCall};
use crate::source::{Group, Head, Input, load};

pub(super) fn line(kind: &str, payload: Value) -> String {
    json!({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}).to_string()
}

fn meta(id: &str) -> String {
    line("session_meta", json!({"id": id, "cwd": "/w", "cli_version": "0.50.0"}))
}

fn said(role: &str, text: &str) -> String {
    line("response_item", json!({"type": "message", "role": role, "content": [{"type": "output_text", "text": text}]}))
}

fn event(kind: &str, field: &str, value: Value) -> String {
    let mut payload = json!({"type": kind});
    payload[field] = value;
    line("event_msg", payload)
}

pub(super) fn call(id: &str, name: &str, arguments: &str) -> String {
    line("response_item", json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments}))
}

pub(super) fn output(id: &str, text: &str) -> String {
    line("response_item", json!({"type": "function_call_output", "call_id": id, "output": text}))
}

fn sessions(files: &[&[String]]) -> Vec<Session> {
    let inputs = files.iter().enumerate().map(|(i, f)| Input::bytes(format!("{i}.jsonl"), f.join("\n"))).collect();
    load(&Group { format: &FORMAT, inputs }, None).unwrap()
}

fn session(lines: &[String]) -> Session {
    sessions(&[lines]).remove(0)
}

/// The calls of a session of these lines.
pub(super) fn calls(lines: &[String]) -> Vec<ToolCall> {
    let all = [&[meta("s")], lines].concat();
    session(&all).messages.iter().flat_map(Message::calls).cloned().collect()
}

fn texts(session: &Session) -> Vec<String> {
    session.messages.iter().map(Message::text).collect()
}

fn kinds(session: &Session) -> Vec<&str> {
    session.warnings.iter().map(|w| w.kind.word()).collect()
}

#[test]
fn what_events_repeat_counts_once_and_what_only_they_say_is_kept() {
    let session = session(&[
        meta("s"),
        said("user", "go"),
        event("user_message", "message", json!("go")),
        event("agent_message", "message", json!("yes")),
        said("assistant", "yes"),
        event("user_message", "message", json!("only here")),
        event("agent_message", "message", json!("cut short")),
        event("turn_aborted", "reason", json!("interrupted")),
    ]);
    assert_eq!(texts(&session), ["go", "yes", "only here", "cut short", "interrupted"]);
    assert_eq!(session.messages[4].kind, MessageKind::Notice);
}

#[test]
fn a_reply_ends_at_an_output() {
    let session = session(&[
        meta("s"),
        said("user", "go"),
        said("assistant", "first"),
        call("1", "shell", r#"{"command":["bash","-lc","ls"]}"#),
        call("2", "shell", r#"{"command":["false"]}"#),
        output("1", r#"{"output":"a","metadata":{"exit_code":0}}"#),
        output("2", r#"{"output":"","metadata":{"exit_code":1}}"#),
        said("assistant", "second"),
    ]);
    assert_eq!(texts(&session), ["go", "first", "second"]);
    let codes: Vec<_> = session.calls().map(|(_, c)| (c.status(), c.exit_code(), c.command())).collect();
    assert_eq!(codes, [(CallStatus::Ok, Some(0), Some("ls")), (CallStatus::Ok, Some(1), Some("false"))]);
}

#[test]
fn texts_of_the_program_are_no_prompts() {
    let session = session(&[
        meta("s"),
        said("developer", "rules"),
        said("user", "<environment_context>\n</environment_context>"),
        said("user", "# AGENTS.md instructions for /w"),
        said("user", "fix it"),
    ]);
    let prompts = session.messages.iter().filter(|m| m.kind == MessageKind::Prompt);
    assert_eq!(prompts.map(Message::text).collect::<Vec<_>>(), ["fix it"]);
}

#[test]
fn the_first_meta_is_the_session() {
    let session = session(&[meta("new"), meta("old"), said("user", "go")]);
    assert_eq!((session.id.as_str(), session.forked_from.as_deref()), ("new", Some("old")));
}

#[test]
fn of_forks_of_each_other_one_is_the_original() {
    let fork = |id: &str, of: &str| line("session_meta", json!({"id": id, "forked_from_id": of}));
    let talk = [said("user", "go"), said("assistant", "gone")];
    let file = |id: &str, of: &str| [&[fork(id, of)], &talk[..]].concat();
    let both = sessions(&[&file("a", "b"), &file("b", "a")]);
    let copies: Vec<bool> = both.iter().map(|s| s.messages.iter().all(|m| m.copied_from.is_some())).collect();
    assert_eq!((copies, kinds(&both[0])), (vec![false, true], vec!["parent-cycle"]));
}

#[test]
fn a_fork_marks_what_it_copied() {
    let old = [
        meta("old"),
        said("user", "<environment_context>\n</environment_context>"),
        said("user", "go"),
        call("1", "shell", r#"{"command":"ls"}"#),
        output("1", "a"),
        said("assistant", "done"),
    ];
    let mut new = vec![meta("new")];
    new.extend_from_slice(&old[..5]);
    new.push(said("user", "go elsewhere"));
    let both = sessions(&[&old, &new]);
    assert_eq!(
        both.iter().map(|s| (s.id.as_str(), s.forked_from.as_deref())).collect::<Vec<_>>(),
        [("new", Some("old")), ("old", None)]
    );
    let copies: Vec<bool> = both[0].messages.iter().map(|m| m.copied_from.as_deref() == Some("old")).collect();
    assert_eq!(copies, [true, true, true, false]);
    assert!(both[1].messages.iter().all(|m| m.copied_from.is_none()));
    // The context that every session begins with is no copy.
    let other =
        [line("session_meta", json!({"id": "new", "forked_from_id": "old"})), new[2].clone(), said("user", "else")];
    assert!(sessions(&[&old, &other])[0].messages.iter().all(|m| m.copied_from.is_none()));
    let alone = session(&new);
    assert!(kinds(&alone).contains(&"fork-without-original"), "{:?}", alone.warnings);
}

#[test]
fn old_files_without_envelopes_are_read() {
    let old = [
        r#"{"id":"s","timestamp":"2025-08-01T00:00:00Z","instructions":null,"git":{}}"#.to_owned(),
        r#"{"record_type":"state"}"#.to_owned(),
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}"#.to_owned(),
        r#"{"type":"reasoning","summary":[{"type":"summary_text","text":"think"}]}"#.to_owned(),
    ];
    let oldest = r#"{"session":{"id":"s"},"items":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}]}"#;
    for lines in [&old[..], &[oldest.to_owned()]] {
        let text = lines.join("\n");
        let head = Head { name: "x", path: None, bytes: text.as_bytes(), whole: true };
        assert!((FORMAT.sniff)(&head) >= 50);
        let session = session(lines);
        assert_eq!((session.id.as_str(), session.messages[0].text().as_str()), ("s", "go"));
        assert_eq!(session.sources[0].kept, lines.len() as u64);
    }
}

#[test]
fn a_plan_inside_a_script_is_a_call_of_its_own() {
    let script = "const p = await tools.update_plan({plan:[{step:'a', status:'completed'}]}); text(p);";
    let exec = json!({"type": "custom_tool_call", "call_id": "1", "name": "exec", "input": script});
    let done = json!({"type": "custom_tool_call_output", "call_id": "1", "output": [{"type": "input_text", "text": "Plan updated"}]});
    let session = session(&[meta("s"), line("response_item", exec), line("response_item", done)]);
    let plan = session.calls().nth(1).unwrap().1;
    assert_eq!((plan.tool.as_str(), plan.id.as_str(), plan.status()), ("update_plan", "1#1", CallStatus::Ok));
    assert_eq!(plan.input, json!({"plan": [{"step": "a", "status": "completed"}]}));
}

#[test]
fn arguments_that_are_no_json_are_kept_as_text() {
    let session = session(&[meta("s"), call("1", "shell", "{"), output("1", "plain")]);
    assert_eq!(session.calls().next().unwrap().1.input, json!("{"));
    assert_eq!(kinds(&session), ["arguments", "exit-unknown"]);
}

#[test]
fn tokens_that_are_told_again_count_once() {
    let tokens = |total: u64| {
        let last = json!({"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 3});
        event("token_count", "info", json!({"total_token_usage": {"total_tokens": total}, "last_token_usage": last}))
    };
    let session = session(&[
        meta("s"),
        said("assistant", "a"),
        tokens(13),
        tokens(13),
        event("token_count", "info", json!(null)),
    ]);
    let usage = session.messages[0].usage;
    assert_eq!((usage.input, usage.output, usage.cache_read), (Some(6), Some(3), Some(4)));
}

/// Some versions tell the tokens of a response before its items, behind the event that shows its reasoning.
#[test]
fn tokens_told_before_a_response_are_its_own() {
    let tokens = |total: u64, input: u64| {
        let last = json!({"input_tokens": input, "output_tokens": 1});
        event("token_count", "info", json!({"total_token_usage": {"total_tokens": total}, "last_token_usage": last}))
    };
    let thought = |text: &str| event("agent_reasoning", "text", json!(text));
    let reasoned = |text: &str| {
        let summary = json!([{"type": "summary_text", "text": text}]);
        line("response_item", json!({"type": "reasoning", "summary": summary}))
    };
    let early = session(&[
        meta("s"),
        said("user", "go"),
        thought("first"),
        tokens(6, 5),
        reasoned("first"),
        call("1", "shell", "{}"),
        output("1", "x"),
        tokens(6, 5),
        thought("then"),
        tokens(14, 7),
        reasoned("then"),
        call("2", "shell", "{}"),
        output("2", "y"),
        tokens(23, 8),
        said("assistant", "done"),
    ]);
    let late = session(&[
        meta("s"),
        said("user", "go"),
        call("1", "shell", "{}"),
        output("1", "x"),
        tokens(6, 5),
        call("2", "shell", "{}"),
        tokens(14, 7),
        output("2", "y"),
        said("assistant", "done"),
        tokens(23, 8),
    ]);
    for session in [early, late] {
        let inputs: Vec<Option<u64>> = session.messages.iter().filter_map(|m| m.usage.input.map(Some)).collect();
        assert_eq!(inputs, [Some(5), Some(7), Some(8)]);
    }
}

#[test]
fn a_compaction_repeats_old_messages_that_do_not_count() {
    let history = json!([{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}]);
    let session = session(&[
        meta("s"),
        said("user", "go"),
        line("compacted", json!({"message": "so far", "replacement_history": history})),
    ]);
    assert_eq!(texts(&session), ["go", "so far"]);
    assert_eq!(session.messages[1].kind, MessageKind::CompactionSummary);
}

#[test]
fn turns_that_were_rolled_back_are_abandoned() {
    let lines = [
        meta("s"),
        said("user", "a"),
        said("user", "b"),
        event("thread_rolled_back", "num_turns", json!(1)),
        said("user", "c"),
    ];
    let left: Vec<_> = session(&lines).messages.iter().map(|m| m.abandoned).collect();
    assert_eq!(left, [false, true, false]);
}

#[test]
fn a_spawned_agent_is_a_thread_of_the_call() {
    let parent = [meta("p"), call("1", "spawn_agent", "{}"), output("1", r#"{"agent_id":"c"}"#)];
    let source = json!({"subagent": {"thread_spawn": {"parent_thread_id": "p", "depth": 1}}});
    let child = [line("session_meta", json!({"id": "c", "source": source})), said("user", "task")];
    let found = sessions(&[&child, &parent]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].messages[1].label.to_string(), "1.s1.1");
}

#[test]
fn a_patch_names_its_files_and_unknown_lines_are_kept() {
    let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n*** Add File: b.rs\n*** End Patch";
    let apply = json!({"type": "custom_tool_call", "call_id": "1", "name": "apply_patch", "input": patch});
    let session = session(&[meta("s"), line("response_item", apply), line("telepathy", json!({"v": 2}))]);
    assert_eq!(session.messages[0].parts.len(), 3);
    assert!(format!("{:?}", session.messages[0].parts[1].body).contains(r#"["a.rs", "b.rs"]"#));
    assert_eq!(kinds(&session), ["unknown-type", "no-result"]);
}
