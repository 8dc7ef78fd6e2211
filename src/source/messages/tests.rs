//! Lists of messages in every shape, whole and damaged.

use super::*;

fn sessions(text: &str) -> Vec<Session> {
    let sessions: Vec<Session> =
        load(&[Input::bytes("x", text)]).unwrap().into_iter().map(|d| d.finish(None)).collect();
    let bytes: u64 = sessions.iter().flat_map(|s| &s.sources).map(|s| s.bytes_read).sum();
    assert_eq!(bytes, text.len() as u64);
    for session in &sessions {
        let source = &session.sources[0];
        assert_eq!(source.bytes_read, source.bytes_used + source.bytes_skipped);
        assert_eq!(source.bytes_skipped, session.warnings.iter().map(|w| w.skipped).sum::<u64>());
        assert_eq!(source.records, source.kept + source.copies + source.skipped);
    }
    sessions
}

fn score(text: &str) -> u8 {
    sniff(&Head { name: "x", path: None, bytes: text.as_bytes(), whole: true })
}

const PAIR: &str = r#"{"role":"user","content":"go"},
{"role":"assistant","content":"done"}"#;

#[test]
fn every_shape_is_found() {
    let lines = PAIR.replace("},", "}");
    for (text, count) in [
        (format!("[{PAIR}]"), 1),
        (format!("{{\"id\":\"c7\",\"messages\":[{PAIR}]}}"), 1),
        (lines, 1),
        (format!("[{{\"task_id\":0,\"traj\":[{PAIR}]}},{{\"task_id\":1,\"traj\":[{PAIR}]}}]"), 2),
        (format!("{{\"messages\":[{0}]}}\n{{\"messages\":[{0}]}}\n", PAIR.replace('\n', "")), 2),
    ] {
        assert!(score(&text) >= 50, "{text}");
        let sessions = sessions(&text);
        assert_eq!(sessions.len(), count, "{text}");
        for session in &sessions {
            let texts: Vec<String> = session.messages.iter().map(crate::session::Message::text).collect();
            assert_eq!(texts, ["go", "done"], "{text}");
            let place = session.messages[1].place;
            assert!(text[place.byte as usize..].starts_with(r#"{"role":"assistant""#), "{text}");
        }
    }
    assert_eq!(sessions(&format!("{{\"id\":\"c7\",\"messages\":[{PAIR}]}}"))[0].id, "c7");
}

#[test]
fn other_json_is_left_alone() {
    for text in [r#"{"type":"message","message":{"role":"user","content":"x"}}"#, r#"{"role":"admin"}"#, "[1]", "{}"] {
        assert_eq!(score(text), 0, "{text}");
    }
}

#[test]
fn a_log_that_repeats_the_conversation_at_each_step_is_one_session() {
    let said = |n: usize| format!(r#"{{"role":"user","content":"{n}"}}"#);
    let list = |n: usize| (0..n).map(said).collect::<Vec<_>>().join(",");
    let steps: Vec<String> = (1..4).map(|n| format!(r#"{{"messages":[{}]}}"#, list(n))).collect();
    let text = format!(r#"{{"trajectory":[{}],"history":[{}]}}"#, steps.join(","), list(4));
    let read = sessions(&text);
    assert_eq!(read.len(), 1);
    assert_eq!((read[0].messages.len(), read[0].sources[0].copies), (4, 6));
    // Two conversations of a list that begin alike are two.
    assert_eq!(sessions(&format!(r#"[{{"messages":[{}]}},{{"messages":[{}]}}]"#, list(1), list(2))).len(), 2);
}

#[test]
fn a_log_of_steps_is_refused() {
    let text =
        format!(r#"{{"trajectory":[{{"action":"ls","observation":"a","messages":[{PAIR}]}}],"history":[{PAIR}]}}"#);
    assert_eq!(score(&text), 0);
    let head = Head { name: "x", path: None, bytes: text.as_bytes(), whole: true };
    assert!(crate::source::seen::describe(&head).contains("SWE-agent"));
}

#[test]
fn damage_is_named() {
    let read = sessions(&format!(
        "{}\n{{\"role\": bad}}\n{}",
        r#"{"role":"user","content":"a"}"#, r#"{"role":"user","content":"b"}"#
    ));
    assert_eq!((read[0].messages.len(), read[0].warnings[0].kind.word()), (2, "bad-json"));
    let cut = sessions(&format!("[{PAIR}, {{\"role\":\"user\",\"cont"));
    assert_eq!((cut[0].messages.len(), cut[0].warnings[0].kind.word()), (2, "cut"));
}

#[test]
fn a_message_of_too_many_values_costs_itself_alone() {
    let full = "[],".repeat(crate::source::bounded::VALUES);
    let text = format!(
        r#"[{{"role":"user","content":"go"}},{{"role":"assistant","content":[{full}1]}},{{"role":"user","content":"on"}}]"#
    );
    let session = &sessions(&text)[0];
    assert_eq!(session.messages.iter().map(|m| m.text()).collect::<Vec<_>>(), ["go", "on"]);
    assert_eq!(session.warnings[0].kind.word(), "not-a-record");
}
