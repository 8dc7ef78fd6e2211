//! One test for each trap that the fixture does not hold.

use serde_json::json;

use super::{SESSION, STREAM};
use crate::session::{CallStatus, Message, MessageKind, PartBody, Session};
use crate::source::{Group, Input, load};

fn user(uuid: &str, parent: &str, text: &str) -> String {
    json!({"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": {"content": text}})
        .to_string()
}

fn reply(uuid: &str, parent: &str, id: &str, block: serde_json::Value) -> String {
    let message = json!({"id": id, "content": [block]});
    json!({"type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message}).to_string()
}

fn said(uuid: &str, parent: &str, id: &str, text: &str) -> String {
    reply(uuid, parent, id, json!({"type": "text", "text": text}))
}

fn called(uuid: &str, parent: &str, id: &str, call: &str, command: &str) -> String {
    let input = json!({"command": command});
    reply(uuid, parent, id, json!({"type": "tool_use", "id": call, "name": "Bash", "input": input}))
}

fn answered(uuid: &str, parent: &str, call: &str, text: &str) -> String {
    let content = json!([{"type": "tool_result", "tool_use_id": call, "content": text}]);
    json!({"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": {"content": content}})
        .to_string()
}

fn sessions(files: &[(&str, &[String])]) -> Vec<Session> {
    let inputs = files.iter().map(|(name, lines)| Input::bytes(*name, lines.join("\n"))).collect();
    load(&Group { format: &SESSION, inputs }, None).unwrap()
}

fn session(lines: &[String]) -> Session {
    sessions(&[("s.jsonl", lines)]).remove(0)
}

fn texts(session: &Session) -> Vec<String> {
    session.messages.iter().map(Message::text).collect()
}

fn kinds(session: &Session) -> Vec<&str> {
    session.warnings.iter().map(|w| w.kind.word()).collect()
}

#[test]
fn a_resumed_session_in_two_files_is_one_session() {
    let one = [user("1", "", "first"), said("2", "1", "m1", "yes")];
    let two = [user("1", "", "first"), said("2", "1", "m1", "yes"), user("3", "2", "second")];
    let found = sessions(&[("a/s.jsonl", &one), ("b/s.jsonl", &two)]);
    assert_eq!(found.len(), 1);
    assert_eq!(texts(&found[0]), ["first", "yes", "second"]);
    assert_eq!((found[0].sources[1].kept, found[0].sources[1].copies), (1, 2));
}

#[test]
fn a_fork_is_a_session_of_its_own_with_its_copies_marked() {
    let at =
        |line: String, time: &str| line.replacen('{', &format!("{{\"timestamp\":\"2026-01-01T00:00:0{time}Z\","), 1);
    let origin = [at(user("1", "", "first"), "1"), at(said("2", "1", "m1", "yes"), "2"), at(user("3", "2", "on"), "3")];
    let mut fork = vec![at(user("1", "", "first"), "1"), at(said("2", "1", "m1", "yes"), "2")];
    fork.push(at(user("4", "2", "elsewhere"), "4").replace("\"sessionId\":\"s\"", "\"sessionId\":\"f\""));
    let found = sessions(&[("f.jsonl", &fork), ("s.jsonl", &origin)]);
    assert_eq!(found.iter().map(|s| s.id.as_str()).collect::<Vec<_>>(), ["s", "f"]);
    let copied: Vec<_> = found[1].messages.iter().map(|m| m.copied_from.as_deref()).collect();
    assert_eq!(copied, [Some("s"), Some("s"), None]);
    assert_eq!(found[1].forked_from.as_deref(), Some("s"));
    assert_eq!(texts(&found[1]), ["first", "yes", "elsewhere"]);
    assert!(found[0].messages.iter().all(|m| m.copied_from.is_none()));
}

#[test]
fn one_uuid_on_two_different_lines_keeps_both() {
    let session = session(&[user("1", "", "a"), user("1", "", "b")]);
    assert_eq!(texts(&session), ["a", "b"]);
    assert_eq!(kinds(&session), ["id-reused"]);
}

#[test]
fn a_reply_written_again_under_another_uuid_is_a_copy() {
    let session = session(&[said("1", "", "m1", "lol"), said("2", "1", "m1", "lol"), said("3", "2", "m1", "done")]);
    assert_eq!(texts(&session), ["lol\n\ndone"]);
    assert_eq!(session.sources[0].copies, 1);
}

#[test]
fn replies_without_an_id_stay_apart() {
    let line = |text: &str| {
        json!({"type": "assistant", "sessionId": "s", "message": {"content": [{"type": "text", "text": text}]}})
            .to_string()
    };
    assert_eq!(texts(&session(&[line("a"), line("b")])), ["a", "b"]);
}

#[test]
fn parents_that_lead_round_in_circles_or_nowhere_lose_nothing() {
    let lines = [user("1", "1", "a"), user("2", "3", "b"), user("3", "2", "c"), user("4", "nowhere", "d")];
    let session = session(&lines);
    assert_eq!(texts(&session), ["a", "c", "b", "d"]);
    assert_eq!(kinds(&session), ["dangling-parent", "parent-cycle", "parent-cycle", "parent-cycle"]);
}

#[test]
fn a_long_chain_is_read_without_recursion() {
    let lines: Vec<String> = (0..50_000).map(|i| user(&i.to_string(), &(i - 1).to_string(), "x")).collect();
    assert_eq!(session(&lines).messages.len(), 50_000);
    let backwards: Vec<String> = (0..50_000).map(|i| user(&i.to_string(), &(i + 1).to_string(), "x")).collect();
    assert_eq!(session(&backwards).messages.len(), 50_000);
}

#[test]
fn parallel_calls_and_progress_lines_are_no_branches() {
    let mut lines = vec![user("1", "", "go"), called("2", "1", "m1", "c1", "a"), called("3", "2", "m1", "c2", "b")];
    lines.push(answered("4", "2", "c1", "one"));
    lines.push(answered("5", "3", "c2", "two"));
    lines.push(user("6", "5", "more"));
    assert!(session(&lines).messages.iter().all(|m| !m.abandoned));
}

#[test]
fn of_two_prompts_under_one_parent_the_one_that_ends_last_goes_on() {
    let lines = [
        said("0", "", "m0", "hello"),
        user("1", "0", "first try"),
        said("2", "1", "m1", "one"),
        user("3", "0", "second try"),
        said("4", "3", "m2", "two"),
        user("5", "2", "back to the first"),
    ];
    let left: Vec<_> = session(&lines).messages.iter().map(|m| m.abandoned).collect();
    assert_eq!(left, [false, false, false, true, true, false]);
}

#[test]
fn results_without_a_call_and_calls_with_two_results_are_kept() {
    let session = session(&[
        answered("1", "", "none", "lost"),
        answered("2", "1", "c1", "early"),
        called("3", "2", "m1", "c1", "a"),
        answered("4", "3", "c1", "again"),
    ]);
    let call = session.calls().next().unwrap().1;
    assert_eq!((call.status(), call.result.as_ref().unwrap().text.as_str()), (CallStatus::Ok, "again"));
    let kept = session.messages.iter().flat_map(|m| &m.parts).filter(|p| matches!(p.body, PartBody::Unknown { .. }));
    assert_eq!(kept.count(), 2);
    assert_eq!(kinds(&session), ["orphan-result", "second-result"]);
}

#[test]
fn one_call_id_on_two_calls_keeps_both_in_the_session_form() {
    let session = session(&[
        called("1", "", "m1", "c1", "a"),
        called("2", "1", "m1", "c1", "b"),
        answered("3", "2", "c1", "one"),
        answered("4", "3", "c1", "two"),
    ]);
    let got: Vec<_> =
        session.calls().map(|(_, c)| (c.command().unwrap(), c.result.as_ref().unwrap().text.as_str())).collect();
    assert_eq!(got, [("a", "one"), ("b", "two")]);
    assert_eq!(kinds(&session), ["call-id-reused", "second-result"]);
}

#[test]
fn a_field_of_the_wrong_type_costs_the_field_only() {
    let session = session(&[
        json!({"type": "user", "uuid": 7, "sessionId": ["s"], "timestamp": {}, "message": {"content": "a"}})
            .to_string(),
        json!({"type": "user", "uuid": "2", "message": "bare"}).to_string(),
        json!({"type": "user", "uuid": "3", "message": {"content": 42}}).to_string(),
    ]);
    assert_eq!(texts(&session)[0], "a");
    assert_eq!(session.sources[0].kept, 3);
    assert_eq!(kinds(&session), ["odd-type"; 5]);
}

#[test]
fn an_input_nested_too_deep_is_kept_as_text() {
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let line = called("1", "", "m1", "c1", "x").replace("{\"command\":\"x\"}", &deep);
    let session = session(&[line]);
    assert_eq!(session.calls().next().unwrap().1.input.as_str(), Some(deep.as_str()));
    assert_eq!(kinds(&session), ["depth", "no-result"]);
}

#[test]
fn an_unknown_type_of_line_and_of_block_is_kept() {
    let session = session(&[
        user("1", "", "a"),
        json!({"type": "hologram", "uuid": "2", "sessionId": "s", "text": "b"}).to_string(),
        reply("3", "1", "m1", json!({"type": "smell", "strength": 3})),
    ]);
    assert_eq!(kinds(&session), ["unknown-type", "unknown-block"]);
    assert_eq!(session.messages.iter().map(|m| m.parts.len()).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn inline_side_chains_are_joined_by_their_prompt() {
    let side = |line: String| line.replacen('{', "{\"isSidechain\":true,", 1);
    let task = |uuid: &str, call: &str, prompt: &str| {
        reply(uuid, "1", "m1", json!({"type": "tool_use", "id": call, "name": "Task", "input": {"prompt": prompt}}))
    };
    let found = session(&[
        user("1", "", "go"),
        task("2", "c1", "look left"),
        task("3", "c2", "look right"),
        side(user("4", "", "look right")),
        side(user("5", "", "look left")),
        side(said("6", "4", "m2", "right")),
        side(said("7", "5", "m3", "left")),
        side(user("8", "", "look up")),
    ]);
    let labels: Vec<_> = found.messages.iter().map(|m| format!("{} {}", m.label, m.text())).collect();
    assert_eq!(labels[2..], ["2.s1.1 look left", "2.s1.2 left", "2.s2.1 look right", "2.s2.2 right", "0.s1.1 look up"]);
    assert!(kinds(&found).contains(&"stray-subagent"));
}

#[test]
fn lines_of_a_subagent_that_stand_in_progress_lines_only_make_its_thread() {
    let progress = |uuid: &str, inner: &str, text: &str| {
        let message = json!({"type": "user", "uuid": inner, "message": {"content": text}});
        let data = json!({"type": "agent_progress", "agentId": "b", "message": message});
        json!({"type": "progress", "uuid": uuid, "sessionId": "s", "parentToolUseID": "c1", "data": data}).to_string()
    };
    let lines = [called("1", "", "m1", "c1", "x"), progress("2", "i1", "task"), progress("3", "i1", "task")];
    let found = session(&lines);
    assert_eq!(found.messages[1].label.to_string(), "1.s1.1");
    assert_eq!(found.messages.len(), 2);
    assert_eq!((found.sources[0].kept, found.sources[0].copies), (3, 0));
}

#[test]
fn a_call_sent_again_in_the_stream_form_stands_in_the_first_ones_place() {
    let lines =
        [called("1", "", "m1", "c1", "first"), called("2", "", "m2", "c1", "last"), answered("3", "", "c1", "ok")];
    let inputs = vec![Input::bytes("-", lines.join("\n"))];
    let session = load(&Group { format: &STREAM, inputs }, None).unwrap().remove(0);
    let calls: Vec<_> = session.calls().map(|(_, c)| c.command()).collect();
    assert_eq!(calls, [Some("last")]);
    assert_eq!(session.messages.len(), 1);
    assert_eq!(session.messages[0].parts[0].place.line, 2);
}

/// The same with the reasoning on a line of its own before it, and on the same line.
#[test]
fn a_turn_that_stands_twice_is_one_message() {
    let thinking = |uuid: &str, id: &str| {
        let block = json!({"type": "thinking", "thinking": "look first"});
        json!({"type": "assistant", "uuid": uuid, "session_id": "s", "message": {"id": id, "role": "assistant", "content": [block], "usage": {"input_tokens": 7}}})
    };
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "last"}});
    let (mut again, mut both) = (thinking("2", "m2"), thinking("5", "m4"));
    again["message"]["content"] = json!([call("c1")]);
    both["message"]["content"].as_array_mut().unwrap().push(call("c2"));
    let lines = [
        called("1", "", "m1", "c1", "first"),
        thinking("2", "m2").to_string(),
        again.to_string(),
        answered("3", "", "c1", "one"),
        thinking("4", "m3").to_string(),
        called("4", "", "m3", "c2", "first"),
        both.to_string(),
        answered("6", "", "c2", "two"),
        said("7", "", "m5", "done"),
    ];
    let inputs = vec![Input::bytes("-", lines.join("\n"))];
    let session = load(&Group { format: &STREAM, inputs }, None).unwrap().remove(0);
    assert_eq!(session.messages.len(), 3);
    for (message, result) in session.messages.iter().zip(["one", "two"]) {
        assert!(matches!(&message.parts[0].body, PartBody::Reasoning(t) if t == "look first"));
        let call = message.calls().next().unwrap();
        assert_eq!((call.command(), call.result.as_ref().map(|r| r.text.as_str())), (Some("last"), Some(result)));
        assert_eq!((message.parts.len(), message.usage.input), (2, Some(7)));
    }
}

/// A response that only says a call again is no message of its own, but its tokens were spent.
#[test]
fn tokens_of_a_call_sent_again_are_counted() {
    let with = |line: String, input: u64| {
        let mut record: serde_json::Value = serde_json::from_str(&line).unwrap();
        record["message"]["usage"] = json!({"input_tokens": input, "output_tokens": 1});
        record.to_string()
    };
    let lines = [
        with(called("1", "", "m1", "c1", "first"), 5),
        with(called("2", "", "m2", "c1", "last"), 7),
        with(called("3", "", "m2", "c1", "final"), 8),
        answered("4", "", "c1", "ok"),
        with(called("5", "", "m3", "c1", "again"), 9),
        with(said("6", "", "m3", "done"), 10),
    ];
    let inputs = vec![Input::bytes("-", lines.join("\n"))];
    let session = load(&Group { format: &STREAM, inputs }, None).unwrap().remove(0);
    let inputs: Vec<Option<u64>> = session.messages.iter().map(|m| m.usage.input).collect();
    assert_eq!(inputs, [Some(13), Some(10)]);
}

/// What the last line says of the whole run counts where no reply says its own, and never beside them.
#[test]
fn totals_of_the_stream_stand_in_for_tokens_of_replies() {
    let read = |lines: &[String]| {
        let inputs = vec![Input::bytes("-", lines.join("\n"))];
        load(&Group { format: &STREAM, inputs }, None).unwrap().remove(0).totals
    };
    let result = |told: serde_json::Value| {
        let mut line = json!({"type": "result", "subtype": "success", "session_id": "s"});
        line.as_object_mut().unwrap().extend(told.as_object().unwrap().clone());
        line.to_string()
    };
    let models = result(
        json!({"usage": {"input_tokens": 1}, "modelUsage": {"m": {"inputTokens": 3, "outputTokens": 4}, "odd": 1}}),
    );
    let found = read(&[said("1", "", "m1", "done"), models.clone()]);
    assert_eq!(
        found.iter().map(|(m, u)| (m.as_str(), u.input, u.output)).collect::<Vec<_>>(),
        [("m", Some(3), Some(4))]
    );
    let sum = result(json!({"usage": {"input_tokens": 5}, "modelUsage": null}));
    assert_eq!(read(&[said("1", "", "m1", "done"), sum])[""].input, Some(5));
    assert!(read(&[said("1", "", "m1", "done"), models.clone(), models.clone()]).is_empty());
    let mut own: serde_json::Value = serde_json::from_str(&said("1", "", "m1", "done")).unwrap();
    own["message"]["usage"] = json!({"output_tokens": 2});
    assert!(read(&[own.to_string(), models]).is_empty());
}

#[test]
fn a_queued_text_counts_once() {
    let queued = |text: &str| json!({"type": "queue-operation", "sessionId": "s", "content": text}).to_string();
    let found = session(&[user("0", "", "yes"), queued("yes"), queued("later"), user("1", "0", "later")]);
    assert_eq!(texts(&found), ["yes", "yes", "later"]);
    assert_eq!(found.messages[1].kind, MessageKind::Prompt);
}

/// One file put behind another is told; a session that goes on from another one is not.
#[test]
fn two_sessions_in_one_file_are_told() {
    let line = |uuid: &str, parent: &str, session: &str| {
        json!({"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": session, "message": {"role": "user", "content": uuid}})
            .to_string()
    };
    let told = |lines: &[String]| {
        let inputs = vec![Input::bytes("-", lines.join("\n"))];
        let session = load(&Group { format: &SESSION, inputs }, None).unwrap().remove(0);
        session.warnings.iter().filter(|w| w.kind.word() == "several-sessions").map(|w| w.loc.line).collect::<Vec<_>>()
    };
    assert_eq!(told(&[line("a", "", "one"), line("b", "a", "one"), line("c", "", "two"), line("d", "c", "two")]), [3]);
    assert_eq!(told(&[line("a", "", "one"), line("b", "a", "two")]), [0; 0]);
}
