//! Exports, whole and damaged.

use super::*;
use crate::session::{MessageKind, PartBody};

fn export(messages: &str) -> String {
    format!("{{\"info\": {{\"id\": \"ses_a\", \"title\": \"t\"}},\n \"messages\": [\n{messages}\n]}}\n")
}

fn message(id: u32, parts: &str) -> String {
    format!(r#"{{"info": {{"id": "msg_{id}", "role": "user", "time": {{"created": {id}}}}}, "parts": [{parts}]}}"#)
}

fn text(text: &str) -> String {
    format!(r#"{{"type": "text", "text": "{text}"}}"#)
}

/// Reads, checks that nothing is lost silently, and gives the texts with the kinds of the warnings.
fn texts(bytes: &[u8]) -> (Vec<String>, Vec<&'static str>) {
    let loaded = read("x.json", bytes.to_vec());
    let read_bytes: u64 = loaded.iter().map(|l| l.sources[0].bytes_read).sum();
    assert_eq!(read_bytes, bytes.len() as u64);
    for one in &loaded {
        let (source, warnings) = (&one.sources[0], &one.warnings);
        assert_eq!(source.bytes_read, source.bytes_used + source.bytes_skipped);
        assert_eq!(source.records, source.kept + source.copies + source.skipped);
        assert_eq!(source.bytes_skipped, warnings.iter().map(|w| w.skipped).sum::<u64>(), "{warnings:?}");
        assert_eq!(source.skipped, warnings.iter().map(|w| w.records).sum::<u64>(), "{warnings:?}");
        assert_eq!(source.kept, one.entries.iter().map(|e| e.records.len() as u64).sum::<u64>());
    }
    let texts = loaded.iter().flat_map(|l| &l.entries).map(|e| e.message.text()).collect();
    (texts, loaded.iter().flat_map(|l| &l.warnings).map(|w| w.kind.word()).collect())
}

#[test]
fn every_message_and_part_has_a_place() {
    let first = message(1, &text("one"));
    let bytes = export(&format!("{first},\n{}", message(2, &format!("\n{}", text("two")))));
    let loaded = read("x.json", bytes.clone().into_bytes());
    assert_eq!(loaded[0].id, "ses_a");
    let second = &loaded[0].entries[1].message;
    assert_eq!((second.place.line, second.parts[0].place.line), (4, 5));
    assert!(bytes[second.place.byte as usize..].starts_with(r#"{"info": {"id": "msg_2""#));
    assert!(bytes[second.parts[0].place.byte as usize..].starts_with(r#"{"type": "text", "text": "two""#));
    let source = &loaded[0].sources[0];
    assert_eq!((source.records, source.kept, source.bytes_skipped), (4, 4, 0));
}

#[test]
fn text_around_is_named() {
    let body = export(&message(1, &text("one")));
    let bytes = format!("\u{FEFF}Exporting session: ses_a\n{body}done\n");
    assert_eq!(texts(bytes.as_bytes()), (vec!["one".into()], vec!["text-before", "text-after"]));
    assert_eq!(texts(format!("\u{FEFF}{body}").as_bytes()).1, Vec::<&str>::new());
}

#[test]
fn a_cut_file_gives_every_whole_record() {
    let body = export(&format!("{},\n{}", message(1, &text("one")), message(2, &text("two"))));
    for cut in 0..body.len() {
        let (texts, warnings) = texts(&body.as_bytes()[..cut]);
        let whole = |n: &str| body.find(&format!("\"text\": \"{n}\"")).is_some_and(|at| at + 15 < cut);
        assert_eq!(texts.iter().any(|t| t == "one"), whole("one"), "cut at {cut}");
        assert_eq!(texts.iter().any(|t| t == "two"), whole("two"), "cut at {cut}");
        assert!(!warnings.is_empty() || cut == 0 || body[cut..].trim().is_empty(), "cut at {cut} passed in silence");
    }
}

#[test]
fn damage_costs_one_record() {
    let good = [message(1, &text("one")), message(3, &text("three"))];
    for bad in [
        r#"{"info": {"id": "msg_2" "role": "user"}, "parts": []}"#,
        r#"{"info": {"id": "msg_2", "role": "user"}, "parts": [{"type": "text", "text": "a"b"}]}"#,
        r#"{"parts": []}"#,
        r#"{"info": 5, "parts": []}"#,
        "17",
        "\0\0\0",
    ] {
        let (texts, warnings) = texts(export(&format!("{},\n{bad},\n{}", good[0], good[1])).as_bytes());
        assert!(texts.contains(&"one".into()) && texts.contains(&"three".into()), "{bad}: {texts:?}");
        let lost: Vec<_> = warnings.into_iter().filter(|w| *w != "unknown-member").collect();
        assert!(matches!(lost[..], ["bad-json"] | ["wrong-type"] | ["wrong-type", "bad-json"]), "{bad}: {lost:?}");
    }
    let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
    let parts = format!(r#"{{"type": "x", "y": {deep}}}, {}"#, text("kept"));
    assert_eq!(texts(export(&message(1, &parts)).as_bytes()), (vec!["kept".into()], vec!["part-unreadable"]));
}

#[test]
fn bad_unicode_is_replaced_and_named() {
    let mut bytes = export(&message(1, &text("x\\ud83d y"))).into_bytes();
    let at = bytes.windows(2).position(|w| w == b" y").unwrap();
    bytes[at] = 0xFF;
    let expected = "x\u{FFFD}\u{FFFD}y".to_owned();
    assert_eq!(texts(&bytes), (vec![expected], vec!["surrogate", "invalid-utf8"]));
}

#[test]
fn several_exports_in_one_file_are_several_sessions() {
    let one = export(&message(1, &text("one")));
    let two = one.replace("ses_a", "ses_b").replace("one", "two");
    let loaded = read("x.json", format!("{one}\n{two}").into_bytes());
    let ids: Vec<&str> = loaded.iter().map(|l| l.id.as_str()).collect();
    assert_eq!(ids, ["ses_a", "ses_b"]);
    assert_eq!(texts(format!("[{one},{two}]").as_bytes()), (vec!["one".into(), "two".into()], vec![]));
}

#[test]
fn unknown_parts_are_kept() {
    let loaded = read("x.json", export(&message(1, r#"{"type": "hologram", "x": 1}, {"x": 2}"#)).into_bytes());
    let message = &loaded[0].entries[0].message;
    let kinds: Vec<_> = message
        .parts
        .iter()
        .map(|p| matches!(&p.body, PartBody::Unknown { kind, raw } if !kind.is_empty() && raw.is_object()))
        .collect();
    assert_eq!((kinds, message.kind), (vec![true, true], MessageKind::Prompt));
}
