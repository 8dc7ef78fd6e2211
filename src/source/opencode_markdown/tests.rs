use super::*;
use crate::session::{CallStatus, PartBody, Session};

const HEAD: &str = "# A title\n\n**Session ID:** ses_a1\n**Created:**\n**Updated:**\n\n---\n\n";

fn session(body: &str) -> Session {
    let text = format!("{HEAD}{body}");
    assert_eq!(sniff(&Head { name: "x", path: None, bytes: text.as_bytes(), whole: true }), 95);
    load(&[Input::bytes("x", text)]).unwrap().remove(0).finish(None)
}

fn said(session: &Session) -> Vec<String> {
    session.messages.iter().map(crate::session::Message::text).collect()
}

#[test]
fn messages_parts_and_places_are_found() {
    let session = session(
        "## User\n\ngo\n\n---\nnot an end\n\n---\n\n## Assistant (Build · m-1 · 2.5s)\n\n_Thinking:_\n\nhm\n\n**Tool: bash**\n\n\
         **Input:**\n```json\n{\n  \"command\": \"ls\"\n}\n```\n\n**Output:**\n```\na\n```\n\ndone\n\n---\n\n",
    );
    assert_eq!(said(&session), ["go\n\n---\nnot an end", "done"]);
    let reply = &session.messages[1];
    assert_eq!((reply.model.as_deref(), reply.at, session.title.as_deref()), (Some("m-1"), None, Some("A title")));
    assert!(matches!(&reply.parts[0].body, PartBody::Reasoning(t) if t == "hm"));
    let call = reply.calls().next().unwrap();
    assert_eq!((call.command(), call.result.as_ref().unwrap().text.as_str()), (Some("ls"), "a"));
    assert_eq!((call.exit_code(), reply.place.line, reply.parts[1].place.line), (None, 18, 24));
}

#[test]
fn dates_without_a_zone_are_told_and_not_taken_for_times() {
    let text = HEAD.replace("**Created:**", "**Created:** 4/6/2026, 9:50:52 AM") + "## User\n\ngo\n\n---\n";
    let read = |text: &str| load(&[Input::bytes("x", text)]).unwrap().remove(0).finish(None);
    let session = read(&text);
    assert_eq!((session.warnings[0].kind.word(), session.first_at()), ("time-zone", None));
    assert!(session.warnings[0].message.starts_with("the export says: created 4/6/2026, 9:50:52 AM; "));
    assert!(read(&text.replace("4/6/2026, 9:50:52 AM", "2026-04-06T09:50:52Z")).warnings.is_empty());
}

#[test]
fn output_may_hold_fences_and_another_export() {
    let inner = "# T\n\n**Session ID:** ses_b\n\n```rust\nx\n```\n\n---\n\n## User\n\nnot typed\n\n---\n\n## Assistant (Build · m · 1s)\n\n- [ ] no plan";
    let body = format!(
        "## Assistant (Build · m)\n\n**Tool: read**\n\n**Output:**\n```\n{inner}\n```\n\nafter\n\n---\n\n## User\n\nnext\n\n---\n"
    );
    let session = session(&body);
    assert_eq!(said(&session), ["after", "next"]);
    assert_eq!(session.messages[0].calls().next().unwrap().result.as_ref().unwrap().text, inner);
    assert!(session.warnings.is_empty(), "{:?}", session.warnings);
}

#[test]
fn what_a_tool_printed_is_not_told_as_said() {
    // Two calls in one message; the first prints blocks whose fences name no language, with blank lines behind them.
    let output =
        "Read it:\n\n```\na\n```\n\nThen:\n\n```\nb\n```\n\n**Tool: of the trade**\n\n```yaml\nc: 1\n```\n\nEnd.";
    let call = |name: &str| {
        format!("**Tool: {name}**\n\n**Input:**\n```json\n{{}}\n```\n\n**Output:**\n```\n{output}\n```\n\n")
    };
    let session = session(&format!("## Assistant (Build · m)\n\nFirst.\n\n{}{}---\n", call("skill"), call("read")));
    assert_eq!(said(&session), ["First."]);
    let printed: Vec<_> = session.messages[0].calls().map(|c| c.result.as_ref().unwrap().text.as_str()).collect();
    assert_eq!(printed, [output, output]);
    assert!(session.warnings.is_empty(), "{:?}", session.warnings);
}

#[test]
fn text_behind_an_output_is_said() {
    let session = session(
        "## Assistant (Build · m)\n\n**Tool: read**\n\n**Output:**\n```\n```\na\n```\n\nb\n```\n\nSo run\n\n```sh\nc\n```\n\nnow.\n\n---\n",
    );
    assert_eq!(said(&session), ["So run\n\n```sh\nc\n```\n\nnow."]);
    assert_eq!(session.warnings[0].kind, "fence-unclear");
}

#[test]
fn fences_that_do_not_pair_swallow_no_message() {
    let output = "```md\n```\nx\n```sh\n```\n```\ny\n```py";
    let body = format!(
        "## Assistant (Build · m)\n\n**Tool: read**\n\n**Output:**\n```\n{output}\n```\n\n---\n\n## User\n\nnext\n\n---\n"
    );
    let session = session(&body);
    assert_eq!(said(&session), ["", "next"]);
    assert_eq!(session.messages[0].calls().next().unwrap().result.as_ref().unwrap().text, output);
}

#[test]
fn an_error_and_a_call_without_details_are_told_apart() {
    let session = session(
        "## Assistant (Build · m · 1s)\n\n**Tool: read**\n\n**Tool: bash**\n\n**Error:**\n```\nno\n```\n\n---\n",
    );
    let states: Vec<CallStatus> = session.messages[0].calls().map(|c| c.status()).collect();
    assert_eq!(states, [CallStatus::Missing, CallStatus::Error]);
}

#[test]
fn with_details_an_empty_output_is_left_out_and_no_result_is_lost() {
    let session = session(
        "## Assistant (Build · m · 1s)\n\n**Tool: bash**\n\n**Input:**\n```json\n{\"command\": \"mkdir -p a\"}\n```\n\n**Tool: read**\n\n---\n",
    );
    let states: Vec<CallStatus> = session.messages[0].calls().map(|c| c.status()).collect();
    assert_eq!(states, [CallStatus::Unknown, CallStatus::Missing]);
}

#[test]
fn thinking_is_parted_from_text_where_a_sign_is() {
    let session = session(
        "## Assistant (Build · m · 1s)\n\n_Thinking:_\n\na\n\nb\n\n---\n\n## Assistant (Compaction · m · 1s)\n\n_Thinking:_\n\na\n\n# Goal\n\nb\n\n---\n\n## User\n\n---\n",
    );
    assert_eq!(said(&session), ["b", "# Goal\n\nb", ""]);
    let kinds: Vec<MessageKind> = session.messages.iter().map(|m| m.kind).collect();
    assert_eq!(kinds, [MessageKind::Reply, MessageKind::CompactionSummary, MessageKind::InjectedContext]);
    assert_eq!(session.warnings[0].kind, "thinking-undivided");
}

#[test]
fn the_longest_export_of_a_session_is_used() {
    let short = format!("{HEAD}## User\n\na\n\n---\n");
    let long = format!("{short}\n## User\n\nb\n\n---\n");
    let drafts = load(&[Input::bytes("s", short), Input::bytes("l", long)]).unwrap();
    assert_eq!((drafts.len(), drafts[0].threads[0].messages.len()), (1, 2));
    let counts: Vec<_> = drafts[0].head.sources.iter().map(|s| (s.file.as_str(), s.kept, s.copies)).collect();
    assert_eq!(counts, [("l", 4, 0), ("s", 0, 2)]);
}

#[test]
fn exports_of_other_programs_are_left_alone() {
    for text in [
        "# A title\n\n### 1. user (2026-01-01T00:00:00Z)\n\ngo\n",
        "# A title\n_Exported on 1/1/2026 from an editor_\n\n---\n\n**User**\n\ngo\n",
        "**Session ID:** ses_a1\n\n## User\n\ngo\n",
    ] {
        assert_eq!(sniff(&Head { name: "x", path: None, bytes: text.as_bytes(), whole: true }), 0, "{text}");
    }
}

#[test]
fn an_export_may_begin_with_a_reply_and_calls_get_ids_of_their_lines() {
    let call = |output: &str| format!("**Tool: bash**\n\n**Output:**\n```\n{output}\n```\n\n");
    let session = session(&format!("## Assistant (Build · m · 350ms)\n\n{}{}---\n", call("a"), call("b")));
    assert_eq!((session.messages.len(), session.messages[0].native_id.as_deref()), (1, None));
    let ids: Vec<&str> = session.messages[0].calls().map(|c| c.id.as_str()).collect();
    assert_eq!(ids, ["line-11", "line-18"]);
    assert!(session.messages[0].calls().all(|c| c.exit_code().is_none()));
}
