use super::*;
use crate::session::{CallStatus, MessageKind, Session as Read};

fn sessions(lines: &[&str]) -> Vec<Read> {
    let text = lines.join("\n");
    assert_eq!(sniff(&Head { name: "x", path: None, bytes: text.as_bytes(), whole: true }), 90);
    let drafts = load(&[Input::bytes("x", text)]).unwrap();
    let sessions: Vec<Read> = drafts.into_iter().map(|d| d.finish(None)).collect();
    for source in sessions.iter().flat_map(|s| &s.sources) {
        assert_eq!(source.records, source.kept + source.copies + source.skipped);
    }
    sessions
}

const ASKED: &str = r#"{"type":"message.updated","properties":{"info":{"id":"msg_1","sessionID":"ses_a","role":"user","time":{"created":1}}}}"#;
const GO: &str = r#"{"event":{"type":"message.part.updated","properties":{"part":{"id":"p1","sessionID":"ses_a","messageID":"msg_1","type":"text","text":"go"}}}}"#;

#[test]
fn the_last_state_of_a_part_counts() {
    let running = r#"{"type":"message.part.updated","properties":{"part":{"id":"p2","sessionID":"ses_a","messageID":"msg_2","type":"tool","tool":"bash","callID":"c","state":{"status":"running"}}}}"#;
    let done = running.replace(r#""running""#, r#""completed","output":"x","metadata":{"exit":0}"#);
    let answered = ASKED.replace("msg_1", "msg_2").replace("user", "assistant").replace(":1}", ":2}");
    let title = r#"{"type":"session.updated","properties":{"info":{"id":"ses_a","title":"t","time":{"created":1}}}}"#;
    let session = &sessions(&[ASKED, GO, running, &answered, &done, title])[0];
    assert_eq!((session.title.as_deref(), session.messages.len()), (Some("t"), 2));
    assert_eq!(session.messages[0].text(), "go");
    assert_eq!(session.messages[1].calls().next().unwrap().status(), CallStatus::Ok);
    assert_eq!((session.messages[1].parts[0].place.line, session.sources[0].copies), (3, 1));
}

#[test]
fn deltas_stand_where_the_stream_was_cut() {
    let delta = |text: &str| {
        format!(
            r#"{{"type":"message.part.delta","properties":{{"sessionID":"ses_a","messageID":"msg_1","partID":"p1","field":"text","delta":"{text}"}}}}"#
        )
    };
    let session = &sessions(&[ASKED, GO, &delta(" on"), &delta("!")])[0];
    assert_eq!(session.messages[0].text(), "go on!");
    let session = &sessions(&[ASKED, &delta("g"), GO])[0];
    assert_eq!(session.messages[0].text(), "go");
}

#[test]
fn server_sent_events_are_read_without_a_word() {
    let lines = ["event: message", "id: 1", &format!("data: {ASKED}"), "", ": ping", &format!("data:{GO}"), ""];
    let session = &sessions(&lines)[0];
    assert_eq!((session.messages[0].text().as_str(), session.warnings.len()), ("go", 0));
    assert_eq!((session.messages[0].place.line, session.messages[0].place.byte), (3, 27));
    let torn = format!("data: {ASKED}\n\ndata: {{\"type\":\"message.part\n\ndata: {GO}\n");
    let session = &sessions(&[&torn])[0];
    assert_eq!((session.messages[0].text().as_str(), session.warnings.len()), ("go", 1), "{:?}", session.warnings);
}

#[test]
fn events_of_2_x_make_messages() {
    let event = |what: &str, fields: &str| {
        format!(r#"{{"id":"e","type":"session.next.{what}","data":{{"sessionID":"ses_a",{fields}}}}}"#)
    };
    let lines = [
        event("prompted", r#""timestamp":1,"messageID":"msg_1","prompt":{"text":"go"}"#),
        event(
            "step.started",
            r#""timestamp":2,"assistantMessageID":"msg_2","agent":"build","model":{"id":"m","providerID":"p"}"#,
        ),
        event("reasoning.ended", r#""reasoningID":"r","text":"hm""#),
        event("text.delta", r#""textID":"t","delta":"I wi""#),
        event("text.ended", r#""textID":"t","text":"I will""#),
        event("tool.input.started", r#""timestamp":3,"callID":"c","name":"bash""#),
        event("tool.called", r#""timestamp":4,"callID":"c","tool":"bash","input":{"command":"false"}"#),
        event(
            "tool.success",
            r#""timestamp":9,"callID":"c","structured":{"exit":1},"content":[{"type":"text","text":"no"}]"#,
        ),
        event("tool.called", r#""callID":"d","tool":"read","input":{}"#),
        event("step.ended", r#""timestamp":10,"tokens":{"input":3,"output":2}"#),
        event("compaction.ended", r#""timestamp":11,"text":"so far""#),
        event("teleported", r#""timestamp":12,"to":"x""#),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let session = &sessions(&lines)[0];
    let kinds: Vec<_> = session.messages.iter().map(|m| (m.kind, m.text())).collect();
    assert_eq!(
        kinds,
        [
            (MessageKind::Prompt, "go".into()),
            (MessageKind::Reply, "I will".into()),
            (MessageKind::CompactionSummary, "so far".into())
        ]
    );
    let reply = &session.messages[1];
    assert_eq!(
        (reply.native_id.as_deref(), reply.model.as_deref(), reply.usage.output),
        (Some("msg_2"), Some("m"), Some(2))
    );
    let calls: Vec<_> = reply.calls().map(|c| (c.id.as_str(), c.status(), c.exit_code(), c.duration_ms)).collect();
    assert_eq!(calls, [("c", CallStatus::Ok, Some(1), Some(5)), ("d", CallStatus::Missing, None, None)]);
    assert!(session.messages[2].parts.len() == 2, "what is not known is kept");
    // Beside events of 1.x they repeat.
    let both = &sessions(&[&[ASKED, GO], &lines[..]].concat())[0];
    assert_eq!((both.messages.len(), both.sources[0].copies), (1, 12));
}

#[test]
fn a_removed_message_is_abandoned() {
    let removed = r#"{"type":"message.removed","properties":{"sessionID":"ses_a","messageID":"msg_1"}}"#;
    assert!(sessions(&[ASKED, GO, removed])[0].messages[0].abandoned);
}

#[test]
fn printed_lines_make_replies() {
    let line = |kind: &str, at: u64, part: &str| {
        format!(
            r#"{{"type":"{kind}","timestamp":{at},"sessionID":"ses_a","part":{{"sessionID":"ses_a","messageID":"msg_1",{part}}}}}"#
        )
    };
    let session = &sessions(&[
        &line("step_start", 5, r#""id":"p1","type":"step-start""#),
        &line("text", 6, r#""id":"p2","type":"text","text":"done""#),
        &line("step_finish", 7, r#""id":"p3","type":"step-finish","tokens":{"input":3,"output":2}"#),
        r#"{"type":"error","timestamp":9,"sessionID":"ses_a","error":{"name":"APIError","data":{"message":"no"}}}"#,
    ])[0];
    let reply = &session.messages[0];
    assert_eq!((reply.kind, reply.text().as_str(), reply.usage.output), (MessageKind::Reply, "done", Some(2)));
    assert_eq!(reply.at.map(|t| t.as_millisecond()), Some(5));
    assert_eq!((session.messages[1].kind, session.messages[1].text().as_str()), (MessageKind::Notice, "APIError: no"));
}
