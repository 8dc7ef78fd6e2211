//! Sessions written in every format and read back; and the same bytes, damaged at random.

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};
use turnpoint::session::build::SessionBuilder;
use turnpoint::session::{CallStatus, MessageKind, Role, Session, ToolResult};
use turnpoint::source;

use crate::promises::{check, format, load, report, warm};
use crate::writers::{WRITERS, Writer, facts};

/// Text that no format takes for something else: it starts with a letter.
fn text() -> impl Strategy<Value = String> {
    "[a-zA-Z][ -~]{0,30}([\\n\\t|*`<>&\"\\\\{}äß漢😀\u{202E}\u{1B}#=-][a-z0-9 ]{1,8}){0,4}x"
}

fn input() -> impl Strategy<Value = Value> {
    prop_oneof![
        text().prop_map(|t| json!({"command": t})),
        (text(), any::<i32>(), any::<bool>())
            .prop_map(|(t, n, b)| json!({"filePath": t, "n": n, "deep": {"list": [b, null, n]}})),
        proptest::collection::vec(text(), 1..3).prop_map(
            |list| json!({"todos": list.iter().map(|t| json!({"content": t, "status": "pending"})).collect::<Vec<_>>()})
        ),
    ]
}

fn result() -> impl Strategy<Value = Option<ToolResult>> {
    let made = |status, exit_code: Option<i64>, text: String| {
        Some(ToolResult { status, exit_code, text, ..ToolResult::default() })
    };
    prop_oneof![
        text().prop_map(move |t| made(CallStatus::Ok, None, t)),
        text().prop_map(move |t| made(CallStatus::Ok, Some(0), t)),
        (text(), 1..256i64).prop_map(move |(t, code)| made(CallStatus::Ok, Some(code), t)),
        text().prop_map(move |t| made(CallStatus::Error, None, t)),
        text().prop_map(move |t| made(CallStatus::Interrupted, None, t)),
        Just(None),
    ]
}

/// A prompt, and replies to it with one call each, or none.
type Turn =
    (String, Vec<(Option<String>, Option<String>, Option<(String, Value, Option<ToolResult>)>)>, Option<String>);

fn turn() -> impl Strategy<Value = Turn> {
    let tool = prop_oneof![Just("Bash".to_owned()), Just("TodoWrite".to_owned()), Just("mcp__a__b".to_owned())];
    let call = proptest::option::weighted(0.8, (tool, input(), result()));
    let reply = (proptest::option::of(text()), proptest::option::of(text()), call);
    (text(), proptest::collection::vec(reply, 0..3), proptest::option::weighted(0.2, text()))
}

fn session() -> impl Strategy<Value = Session> {
    proptest::collection::vec(turn(), 1..5).prop_map(|turns| {
        let (mut made, mut calls) = (SessionBuilder::new(), 0);
        for (prompt, replies, summary) in turns {
            made = made.user(&prompt);
            for (thought, said, call) in replies {
                if let Some(thought) = thought {
                    made = made.assistant(&thought).edit(|m| {
                        m.parts[0].body = turnpoint::session::PartBody::Reasoning(thought.clone());
                    });
                }
                if let Some(said) = said {
                    made = made.assistant(&said);
                }
                if let Some((tool, input, result)) = call {
                    calls += 1;
                    made = made.call_with(&format!("call_{calls}"), &tool, input, result);
                }
            }
            if let Some(summary) = summary {
                made = made.text(Role::User, MessageKind::CompactionSummary, &summary);
            }
        }
        made.build()
    })
}

fn back(session: &Session, by: &Writer) -> Session {
    let mut read = load(format(by.format), &(by.write)(session));
    assert_eq!(read.len(), 1, "{}: sessions", by.format);
    read.remove(0)
}

fn same(session: &Session, by: &Writer, what: &str) {
    let (want, got) = (facts(session, by), facts(&back(session, by), by));
    for (n, (want, got)) in want.iter().zip(&got).enumerate() {
        assert_eq!(got, want, "{what} as {}: fact {n}", by.format);
    }
    assert_eq!(got.len(), want.len(), "{what} as {}", by.format);
}

/// A change of some bytes; places are shares of the length.
#[derive(Debug, Clone)]
enum Change {
    Cut(f64),
    Flip(f64, u8),
    Splice(f64, f64, usize),
    Repeat(f64, usize),
    Swap(f64, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let place = 0.0..1.0f64;
    prop_oneof![
        place.clone().prop_map(Change::Cut),
        (place.clone(), any::<u8>()).prop_map(|(at, b)| Change::Flip(at, b)),
        (place.clone(), place.clone(), 1..400usize).prop_map(|(to, from, n)| Change::Splice(to, from, n)),
        (place.clone(), 1..400usize).prop_map(|(at, n)| Change::Repeat(at, n)),
        (place, 0..SWAPS.len()).prop_map(|(at, with)| Change::Swap(at, with)),
    ]
}

/// Values of other types.
const SWAPS: [&str; 9] =
    ["1", "-1e400", "null", "[]", "{}", "true", "\"\\ud800\"", "18446744073709551616", "[{\"type\":1}]"];

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    let place = |share: f64, len: usize| ((share * len as f64) as usize).min(len.saturating_sub(1));
    if bytes.is_empty() {
        return;
    }
    let len = bytes.len();
    match *change {
        Change::Cut(at) => bytes.truncate(place(at, len)),
        Change::Flip(at, b) => bytes[place(at, len)] = b,
        Change::Splice(to, from, n) => {
            let from = place(from, len);
            let piece = bytes[from..(from + n).min(len)].to_vec();
            let to = place(to, len);
            bytes.splice(to..to, piece);
        }
        Change::Repeat(at, n) => {
            let at = place(at, len);
            let piece = bytes[at..(at + n).min(len)].to_vec();
            bytes.splice(at..at, piece);
        }
        Change::Swap(at, with) => {
            let values = regex::bytes::Regex::new(r#":("[^"\\\n]*"|\d+|true|false|null)"#).expect("static");
            let spans: Vec<_> = values.captures_iter(bytes).filter_map(|c| c.get(1)).map(|m| m.range()).collect();
            if let Some(span) = spans.get(place(at, spans.len())).cloned() {
                bytes.splice(span, SWAPS[with].bytes());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_session_written_in_any_format_says_the_same(session in session()) {
        for by in WRITERS {
            same(&session, by, "the session");
        }
    }

    #[test]
    fn a_bad_line_costs_itself(session in session(), at in 0.0..1.0f64, half in any::<bool>()) {
        let bad = if half { "{\"type\":\"user\",\"message\":{\"content\":\"x" } else { "%% no record" };
        for by in WRITERS.iter().filter(|w| w.lines) {
            let (name, bytes) = (by.write)(&session).remove(0);
            let text = String::from_utf8(bytes).unwrap();
            let mut lines: Vec<&str> = text.lines().collect();
            // Behind the first line, which names the session.
            let n = 1 + (at * lines.len() as f64) as usize;
            lines.insert(n, bad);
            let read = load(format(by.format), &[(name, (lines.join("\n") + "\n").into_bytes())]).remove(0);
            prop_assert_eq!(facts(&read, by), facts(&session, by), "{}", by.format);
            let named = read.warnings.iter().any(|w| w.loc.line == n as u64 + 1 && w.skipped >= bad.len() as u64);
            prop_assert!(named, "{}: line {} is not named: {:?}", by.format, n + 1, read.warnings);
        }
    }

    #[test]
    fn damage_is_accounted_for(session in session(), changes in proptest::collection::vec(change(), 1..4), which in any::<prop::sample::Index>()) {
        warm();
        for (n, by) in WRITERS.iter().enumerate() {
            let mut files = (by.write)(&session);
            let at = which.index(files.len());
            changes.iter().for_each(|c| apply(&mut files[at].1, c));
            let read = load(format(by.format), &files);
            check(&read);
            // Pages take longer than all else.
            if which.index(WRITERS.len()) == n {
                read.into_iter().take(1).for_each(|s| drop(report(s)));
            }
        }
    }
}

/// Sessions of a path.
fn stored(path: &Path) -> Vec<Session> {
    let found = source::discover(&[path.to_owned()]);
    found.groups.iter().flat_map(|g| source::load(g, None).expect("the file can be read")).collect()
}

#[test]
fn fixtures_say_the_same_in_every_format() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for name in ["glm-session.json", "qwen-session.json", "opencode-export/session.json", "claude-code/session.jsonl"] {
        for session in stored(&fixtures.join(name)) {
            // What the user says in refusing a call is a prompt there, so it would be told twice.
            for by in WRITERS.iter().filter(|w| w.format != session.format) {
                same(&session, by, name);
            }
        }
    }
}

#[test]
fn real_stream_sessions_say_the_same_in_every_format() {
    let Some(shared) = crate::formats::shared() else { return };
    let mut paths: Vec<_> =
        std::fs::read_dir(shared.join("labelled/parity")).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths.retain(|p| p.to_string_lossy().ends_with(".stream.jsonl"));
    assert!(!paths.is_empty());
    for path in paths {
        for session in stored(&path) {
            for by in WRITERS {
                same(&session, by, &path.display().to_string());
            }
        }
    }
}

/// Found by the coverage-guided runs: a control character in the title stood raw in the page.
#[test]
fn a_title_with_control_characters_passes_the_gate() {
    let text =
        json!({"messages": [{"role": "user", "content": "clear\u{1B}[2J \u{7F}this \u{202E}title"}]}).to_string();
    load(format("messages"), &[("x.json".into(), text.into_bytes())]).into_iter().for_each(|s| drop(report(s)));
}

#[test]
fn an_empty_input_of_any_format_gives_no_messages() {
    for by in WRITERS {
        let read = load(format(by.format), &[("x".into(), Vec::new())]);
        assert!(read.iter().all(|s| s.messages.is_empty()), "{}", by.format);
    }
}

#[test]
fn calls_of_subagents_alone_make_a_report() {
    let agent = |made: SessionBuilder| made.user("look").call("Bash", json!({"command": "ls"}), "a");
    report(SessionBuilder::new().user("go").thread_unknown(agent).build());
}

#[test]
fn a_main_conversation_without_a_message_makes_a_report() {
    let agent = |made: SessionBuilder| made.user("look").call("Bash", json!({"command": "ls"}), "a");
    report(SessionBuilder::new().thread_unknown(agent).build());
}
