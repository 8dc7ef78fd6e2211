//! Databases of 1.x and 2.x, whole and damaged.

use rusqlite::Connection;

use super::*;
use crate::session::{CallStatus, MessageKind, PartBody, Session};

const TABLES: &str = "
    CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, title text, directory text,
        version text, revert text, time_created integer, time_updated integer);
    CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer,
        time_updated integer, data text);
    CREATE TABLE session_message (id text PRIMARY KEY, session_id text, type text, seq integer,
        time_created integer, time_updated integer, data text);
    CREATE TABLE account (id text, access_token text);
    CREATE TABLE todo (session_id text, content text, status text, priority text, position integer);
    INSERT INTO todo VALUES ('ses_a', 'the last list only', 'completed', 'high', 0);
    INSERT INTO account VALUES ('a', 'secret');
    INSERT INTO session VALUES ('ses_a', 'p', NULL, 'first', '/x', '1', NULL, 1, 9);
    INSERT INTO session VALUES ('ses_b', 'p', 'ses_a', 'child', '/x', '1', NULL, 3, 9);";

fn sessions(rows: &str) -> Vec<Session> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    Connection::open(&path).unwrap().execute_batch(&format!("{TABLES}{rows}")).unwrap();
    let input = Input::file("opencode.db", &path);
    let (bytes, whole) = input.head().unwrap();
    assert_eq!(sniff(&Head { name: "opencode.db", path: Some(&path), bytes: &bytes, whole }), 95);
    let sessions: Vec<Session> = load(&[input]).unwrap().into_iter().map(|d| d.finish(None)).collect();
    for source in sessions.iter().flat_map(|s| &s.sources) {
        assert_eq!(source.bytes_read, source.bytes_used + source.bytes_skipped);
        assert_eq!(source.records, source.kept + source.copies + source.skipped);
    }
    sessions
}

const OLD: &str = r#"
    INSERT INTO message VALUES ('msg_2', 'ses_a', 20, 20, '{"role":"assistant","time":{"created":20},"modelID":"m"}');
    INSERT INTO message VALUES ('msg_9', 'ses_a', 10, 10, '{"role":"user","time":{"created":10}}');
    INSERT INTO part VALUES ('prt_9', 'msg_2', 'ses_a', 21, 21, '{"type":"text","text":"first"}');
    INSERT INTO part VALUES ('prt_1', 'msg_2', 'ses_a', 22, 22, '{"type":"tool","tool":"task","callID":"c","state":{"status":"completed","output":"ok","metadata":{"sessionId":"ses_b"}}}');
    INSERT INTO part VALUES ('prt_2', 'msg_9', 'ses_a', 10, 10, '{"type":"text","text":"go"}');
    INSERT INTO message VALUES ('msg_5', 'ses_b', 30, 30, '{"role":"user","time":{"created":30}}');"#;

#[test]
fn rows_are_ordered_by_time_and_take_their_ids_from_columns() {
    let session = &sessions(OLD)[0];
    let labels: Vec<String> = session.messages.iter().map(|m| m.label.to_string()).collect();
    assert_eq!(labels, ["1", "2", "2.s1.1"]);
    assert_eq!(session.messages[0].text(), "go");
    assert_eq!(session.messages[0].native_id.as_deref(), Some("msg_9"));
    assert!(matches!(&session.messages[1].parts[0].body, PartBody::Text(t) if t == "first"));
    assert_eq!(session.messages[1].calls().next().unwrap().status(), CallStatus::Ok);
}

#[test]
fn a_part_whose_message_is_in_another_session_is_kept_in_its_own_and_told() {
    let stray = r#"INSERT INTO part VALUES ('prt_7', 'msg_9', 'ses_c', 11, 11, '{"type":"text","text":"stray"}');"#;
    let sessions = sessions(&format!("{OLD}{stray}"));
    let of_c = sessions.iter().find(|s| s.id == "ses_c").unwrap();
    let of_a = sessions.iter().find(|s| s.id == "ses_a").unwrap();
    assert_eq!((sessions.len(), of_a.messages[0].text().as_str()), (2, "go"));
    assert_eq!(of_c.messages[0].text(), "stray");
    assert!(of_c.warnings[0].message.contains("of session ses_c whose message stands in session ses_a only"));
}

#[test]
fn rows_of_2_x_win_over_stale_ones() {
    let new = r#"
        INSERT INTO session_message VALUES ('msg_a', 'ses_a', 'user', 1, 10, 10, '{"text":"go","time":{"created":10}}');
        INSERT INTO session_message VALUES ('msg_b', 'ses_a', 'assistant', 2, 20, 20, '{"model":{"id":"m"},"content":[{"type":"text","text":"new"}],"time":{"created":20}}');
        INSERT INTO session_message VALUES ('msg_c', 'ses_a', 'model-switched', 3, 21, 21, '{"model":{"id":"n"}}');
        INSERT INTO message VALUES ('msg_z', 'ses_a', 5, 5, '{"role":"user","time":{"created":5}}');
        INSERT INTO message VALUES ('msg_y', 'ses_a', 40, 40, '{"role":"user","time":{"created":40}}');"#;
    let session = &sessions(&format!("{OLD}{new}"))[0];
    let ids: Vec<_> =
        session.messages.iter().filter(|m| m.thread.0 == 0).filter_map(|m| m.native_id.as_deref()).collect();
    assert_eq!(ids, ["msg_z", "msg_a", "msg_b", "msg_y"]);
    assert!(matches!(&session.messages[2].parts[1].body, PartBody::Unknown { kind, .. } if kind == "model-switched"));
    assert_eq!((session.sources[0].copies, session.warnings[0].kind.word()), (5, "older-store"));
}

#[test]
fn only_the_tables_of_sessions_are_read() {
    // The table of 2.x stands there and is empty: rows of 1.x count.
    let read = sessions(OLD);
    assert_eq!(read[0].messages.len(), 3);
    assert!(!format!("{read:?}").contains("secret"));
    // The todo table holds the last list; what was planned when stands in the calls.
    assert!(!format!("{read:?}").contains("the last list only"));
}

#[test]
fn the_parts_of_a_message_whose_record_is_damaged_are_kept() {
    let damaged = OLD.replace(r#"'{"role":"assistant","time":{"created":20},"modelID":"m"}'"#, "'{'");
    let session = &sessions(&damaged)[0];
    let texts: Vec<String> = session.messages.iter().map(|m| m.text()).filter(|t| !t.is_empty()).collect();
    assert_eq!(texts, ["go", "first"]);
    let kinds: Vec<&str> = session.warnings.iter().map(|w| w.kind.word()).collect();
    assert!(kinds.contains(&"bad-json") && kinds.contains(&"orphan"), "{kinds:?}");
}

#[test]
fn a_bad_row_and_an_orphan_are_named() {
    let rows = r#"
        INSERT INTO message VALUES ('msg_1', 'ses_a', 1, 1, '{"role":');
        INSERT INTO message VALUES ('msg_2', 'ses_x', 1, 1, '{"role":"user","summary":{}}');
        INSERT INTO part VALUES ('prt_1', 'msg_gone', 'ses_a', 1, 1, '{"type":"text","text":"lost"}');"#;
    let all = sessions(rows);
    let kinds: Vec<_> = all[1].warnings.iter().chain(&all[0].warnings).map(|w| w.kind.word()).collect();
    assert_eq!(all.len(), 2);
    assert!(kinds.contains(&"bad-json") && kinds.contains(&"orphan"), "{kinds:?}");
    let alone = all.iter().find(|s| s.id == "ses_x").unwrap();
    assert_eq!((alone.messages[0].kind, alone.messages[0].at.is_some()), (MessageKind::Prompt, true));
}

fn damaged(rows: &str, change: impl Fn(&mut Vec<u8>)) -> Result<Vec<Session>, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    Connection::open(&path).unwrap().execute_batch(&format!("{TABLES}{rows}")).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    change(&mut bytes);
    std::fs::write(&path, bytes).unwrap();
    Ok(load(&[Input::file("opencode.db", &path)])?.into_iter().map(|d| d.finish(None)).collect())
}

/// Messages of a few hundred bytes each, over many pages.
fn many() -> String {
    let row = |n: u32| {
        let text = "x".repeat(300);
        format!(r#"INSERT INTO message VALUES ('msg_{n:03}', 'ses_a', {n}, {n}, '{{"role":"user","x":"{text}"}}');"#)
    };
    let part = r#"INSERT INTO part VALUES ('prt_1', 'msg_001', 'ses_a', 1, 1, '{"type":"text","text":"go"}');"#;
    part.to_owned() + &(0..300).map(row).collect::<String>()
}

#[test]
fn of_a_file_that_is_cut_the_rest_is_read_and_it_says_so() {
    let all = damaged(&many(), |bytes| bytes.truncate(bytes.len() / 2)).unwrap();
    assert_eq!(all.len(), 1, "half a page makes no rows");
    let kinds: Vec<_> = all[0].warnings.iter().map(|w| w.kind.word()).collect();
    assert!(kinds.contains(&"bad-database"), "{kinds:?}");
    assert!((50..300).contains(&all[0].messages.len()), "{:?}", all[0].warnings);
}

#[test]
fn rows_behind_a_damaged_page_are_read_from_the_end() {
    let all = damaged(&many(), |bytes| {
        let at = memchr::memmem::find(bytes, b"msg_150ses_a").unwrap() / 4096 * 4096;
        bytes[at..at + 4096].fill(0xAA);
    })
    .unwrap();
    let ids: Vec<&str> = all[0].messages.iter().filter_map(|m| m.native_id.as_deref()).collect();
    assert!(ids.first() == Some(&"msg_000") && ids.last() == Some(&"msg_299"), "{ids:?}");
    assert!((250..300).contains(&ids.len()) && ids.is_sorted(), "{}", ids.len());
    assert_eq!(all[0].warnings[0].kind.word(), "bad-database");
}

#[test]
fn a_view_in_the_place_of_a_table_is_told() {
    let rows = "ALTER TABLE message RENAME TO kept; CREATE VIEW message AS SELECT * FROM kept;";
    let error = damaged(rows, |_| ()).unwrap_err().to_string();
    assert!(error.contains("`message` is a view"), "{error}");
    // With messages in the other table it is a warning.
    let new = r#"INSERT INTO session_message VALUES ('m', 'ses_a', 'user', 1, 1, 1, '{"text":"go"}');"#;
    let all = damaged(&format!("{rows}{new}"), |_| ()).unwrap();
    assert!(all[0].warnings.iter().any(|w| w.message.contains("`message` is a view")), "{:?}", all[0].warnings);
}

#[test]
fn what_is_passed_over_is_counted_and_a_long_cell_not_read() {
    let rows = "INSERT INTO message VALUES ('msg_1', 'ses_a', 1, 1, x'7b7d7b7d7b');
        INSERT INTO message VALUES ('msg_2', 'ses_a', 2, 2, CAST(zeroblob(134217729) AS text));";
    let read = &sessions(rows)[0];
    let source = &read.sources[0];
    assert_eq!((source.bytes_read, source.bytes_skipped, source.skipped), (134_217_734, 134_217_734, 2));
    let kinds: Vec<_> = read.warnings.iter().map(|w| (w.kind.word(), w.skipped)).collect();
    assert_eq!(kinds, [("bad-json", 5), ("line-too-long", 134_217_729)]);
}
