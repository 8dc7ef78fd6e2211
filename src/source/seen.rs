//! What a file that is no transcript looks like, in words.

use serde_json::Value;

use super::input::Head;

/// First bytes of common kinds of files.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x89PNG", "a PNG picture"),
    (b"\xFF\xD8\xFF", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1F\x8B", "a gzip file"),
    (b"\x28\xB5\x2F\xFD", "a zstd file"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x7FELF", "a program"),
    (b"PAR1", "a Parquet file"),
];

/// Says what an unknown input looks like, and the nearest format.
pub(super) fn describe(head: &Head<'_>) -> String {
    if head.bytes.is_empty() {
        return "an empty file".to_owned();
    }
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| head.bytes.starts_with(magic)) {
        return format!("looks like {what}, not like a transcript");
    }
    if utf16_without_mark(head.bytes) {
        return "text in UTF-16 without a byte order mark; convert it to UTF-8, or put the mark before it".to_owned();
    }
    if head.bytes.contains(&0) {
        return "a binary file, not a transcript".to_owned();
    }
    let text = String::from_utf8_lossy(head.bytes);
    let text = text.trim_start_matches('\u{FEFF}').trim();
    if text.is_empty() {
        return "a file of white space".to_owned();
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    match values.next() {
        Some(Ok(Value::Object(_))) if is_step_log(text) => STEP_LOG.to_owned(),
        Some(Ok(Value::Object(fields))) => {
            let keys: Vec<&str> = fields.keys().take(8).map(String::as_str).collect();
            let keys = if keys.is_empty() { "no keys".to_owned() } else { format!("keys {}", keys.join(", ")) };
            format!("a JSON object with {keys}; {}", nearest(&fields.keys().map(String::as_str).collect::<Vec<_>>()))
        }
        Some(Ok(Value::Array(items))) => format!("a JSON list of {} values; no known format", items.len()),
        Some(Ok(_)) => "a JSON value that is no object; no known format".to_owned(),
        _ if is_step_log(text) => STEP_LOG.to_owned(),
        _ if text.starts_with('{') && !head.whole => "a JSON object of no known format".to_owned(),
        _ if text.starts_with('{') => "a JSON object that ends too early or is damaged".to_owned(),
        _ => {
            let line: String = text.lines().next().unwrap_or_default().chars().take(60).collect();
            format!("text of no known format, first line {line:?}")
        }
    }
}

/// What is said of such a log.
const STEP_LOG: &str = "a log of steps (SWE-agent); that format is not read";

/// Whether an object tells a run as steps of action and observation, and repeats the messages beside them. Read as lists of
/// messages it would tell one run as many, and what tools printed as prompts.
pub(super) fn is_step_log(text: &str) -> bool {
    text.starts_with('{') && ["\"trajectory\"", "\"action\"", "\"observation\""].iter().all(|key| text.contains(key))
}

/// Whether every other byte is zero, nearly, as in UTF-16 of a text that is mostly ASCII.
fn utf16_without_mark(bytes: &[u8]) -> bool {
    let zeros = |from: usize| bytes.iter().skip(from).step_by(2).filter(|b| **b == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    bytes.len() >= 16 && even.max(odd) * 10 > bytes.len() * 4 && even.min(odd) * 50 < bytes.len()
}

/// The format whose marks the keys come nearest to.
fn nearest(keys: &[&str]) -> String {
    const MARKS: &[(&str, &[&str])] = &[
        ("claude-code", &["type", "uuid", "sessionId", "parentUuid", "message", "timestamp"]),
        ("opencode", &["info", "messages", "parts", "projectID"]),
        ("codex", &["timestamp", "type", "payload", "record_type", "instructions"]),
        ("messages", &["role", "content", "messages", "tool_calls", "model"]),
    ];
    let common = |marks: &[&str]| marks.iter().filter(|m| keys.contains(m)).count();
    match MARKS.iter().map(|(id, marks)| (common(marks), *id)).max_by_key(|(n, _)| *n) {
        Some((n, id)) if n > 0 => format!("the nearest format is {id}"),
        _ => "no known format is near".to_owned(),
    }
}
