//! A line by itself: a record, nothing, or something that needs care.

use super::care;

/// What a line is by itself.
pub(super) enum Line<T> {
    Blank,
    /// A record, and where it starts in the line.
    Record(T, usize),
    /// Not exactly one record.
    Odd,
}

/// Fields of server-sent events that carry nothing, and comments.
const FIELDS: &[&[u8]] = &[b"event:", b"id:", b"retry:", b":"];

/// A line of JSON lines.
pub(super) fn plain<T, P: Fn(&str) -> serde_json::Result<T>>(parse: &P, bytes: &[u8]) -> Line<T> {
    let start = care::blank(bytes);
    if start == bytes.len() {
        return Line::Blank;
    }
    if bytes[start] != b'{' {
        return Line::Odd;
    }
    let Ok(text) = std::str::from_utf8(&bytes[start..]) else { return Line::Odd };
    parse(text).map_or(Line::Odd, |value| Line::Record(value, start))
}

/// A line of JSON lines or of a stream of server-sent events.
pub(super) fn event<T, P: Fn(&str) -> serde_json::Result<T>>(parse: &P, bytes: &[u8]) -> Line<T> {
    if let Some(data) = bytes.strip_prefix(b"data:") {
        return match plain(parse, data) {
            Line::Record(value, at) => Line::Record(value, at + b"data:".len()),
            other => other,
        };
    }
    match FIELDS.iter().any(|field| bytes.starts_with(field)) {
        true => Line::Blank,
        false => plain(parse, bytes),
    }
}

/// The data of the first event in a stream of server-sent events; text of another kind as it stands.
pub(super) fn first_data(text: &str) -> &str {
    let mut rest = text;
    while let Some((line, behind)) = rest.split_once('\n') {
        if let Some(data) = rest.strip_prefix("data:") {
            return data.trim_start_matches(' ');
        }
        let passed = line.trim().is_empty() || FIELDS.iter().any(|f| line.as_bytes().starts_with(f));
        if !passed {
            break;
        }
        rest = behind;
    }
    rest.strip_prefix("data:").unwrap_or(text)
}
