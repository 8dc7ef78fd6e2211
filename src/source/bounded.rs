//! JSON values within a limit: a value in memory takes ten and more times its text, so that a text of nothing but
//! brackets would fill the memory of a machine.

use memchr::{memchr, memchr2_iter};
use serde::de::Error as _;
use serde_json::Value;

/// Most values, keys not counted, that one record may hold.
pub(super) const VALUES: usize = 1 << 20;

/// Parses a text that is not too full.
pub(super) fn value(text: &str) -> serde_json::Result<Value> {
    check(text)?;
    serde_json::from_str(text)
}

/// Fails when a text holds more than [`VALUES`] values.
pub(super) fn check(text: &str) -> serde_json::Result<()> {
    match holds(text.as_bytes(), VALUES) {
        false => Ok(()),
        true => Err(serde_json::Error::custom(format!("one record with more than {VALUES} values"))),
    }
}

/// Whether there are more than so many values: each begins behind a comma or a bracket outside of strings.
fn holds(text: &[u8], most: usize) -> bool {
    // Each of them takes at least a byte for itself and one for what stands before it.
    if text.len() / 2 <= most {
        return false;
    }
    count(text) > most
}

fn count(text: &[u8]) -> usize {
    let (mut at, mut values) = (0, 0);
    while at < text.len() {
        let string = memchr(b'"', &text[at..]).map_or(text.len(), |n| at + n);
        values += text[at..string].iter().filter(|b| matches!(b, b',' | b'[' | b'{')).count();
        at = end_of_string(text, string + 1);
    }
    values
}

/// The byte behind the string that begins here.
fn end_of_string(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let mut escaped = usize::MAX;
    for at in memchr2_iter(b'"', b'\\', rest) {
        match rest[at] {
            _ if at == escaped => {}
            b'\\' => escaped = at + 1,
            _ => return from + at + 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings() {
        for (text, values) in [("[[],[]]", 4), (r#"{"a,[":"\",[{\\","b":[1,2]}"#, 4), (r#"["open,,,"#, 1), ("", 0)] {
            assert_eq!(count(text.as_bytes()), values, "{text}");
        }
    }

    #[test]
    fn a_text_of_brackets_alone_is_refused() {
        let full = format!("[{}[]]", "[],".repeat(VALUES));
        assert!(value(&full).unwrap_err().to_string().contains("more than 1048576 values"));
        let long = format!("[\"{}\"]", "[],".repeat(VALUES));
        assert!(value(&long).is_ok());
    }
}
