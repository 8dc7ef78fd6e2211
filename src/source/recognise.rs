//! The format of an input, by its first bytes: as many as hold a whole first record.

use serde::de::IgnoredAny;

use super::{FORMATS, Format, Head, Input, care, lines, peek};
use crate::error::Error;

/// Records of a head that are enough to say that it is of no format.
const PEEKED: usize = 40;

/// How much more is looked at, when it takes more.
const STEP: usize = 16;

/// The first bytes of an input, and what they say.
#[derive(Debug)]
pub struct Recognised {
    /// The first bytes.
    pub bytes: Vec<u8>,
    /// Whether they are all.
    pub whole: bool,
    /// The format, if it is one that is read.
    pub format: Option<&'static Format>,
}

/// Looks at an input until its format is known, or it is known to be of none.
pub fn recognise(input: &Input) -> Result<Recognised, Error> {
    let mut size = Head::SIZE;
    loop {
        let (bytes, whole) = input.first(size)?;
        let head = Head { name: &input.name, path: input.path(), bytes: &bytes, whole };
        let format = surest(&head);
        if whole || size >= lines::LIMIT || !is_short(&head, format) {
            return Ok(Recognised { bytes, whole, format });
        }
        size = (size * STEP).min(lines::LIMIT);
    }
}

impl Recognised {
    /// The first bytes as the head of their input.
    pub fn head<'a>(&'a self, input: &'a Input) -> Head<'a> {
        Head { name: &input.name, path: input.path(), bytes: &self.bytes, whole: self.whole }
    }
}

/// The surest of the formats that are sure enough.
fn surest(head: &Head<'_>) -> Option<&'static Format> {
    let scored = FORMATS.iter().map(|f| ((f.sniff)(head), f)).filter(|(score, _)| *score >= 50);
    // `max_by_key` keeps the last of equals; reversed, the first of the registry wins.
    scored.rev().max_by_key(|(score, _)| *score).map(|(_, f)| f)
}

/// Whether a record goes on where the head ends, and the format or its keys may be seen from the whole of it.
fn is_short(head: &Head<'_>, format: Option<&'static Format>) -> bool {
    let seen = |most| peek::objects::<IgnoredAny>(head, most).len() >= most;
    match format {
        Some(format) => format.lines && !seen(1),
        None => ends_inside(head.bytes) && !seen(PEEKED),
    }
}

/// Whether the bytes begin as JSON, or their last line does.
fn ends_inside(bytes: &[u8]) -> bool {
    let last = memchr::memrchr(b'\n', bytes).map_or(bytes, |at| &bytes[at + 1..]);
    let opens = |text: &[u8]| matches!(text.get(care::blank(text)), Some(b'{' | b'['));
    opens(bytes) || opens(last.strip_prefix(b"data:").unwrap_or(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(text: String) -> Option<&'static str> {
        recognise(&Input::bytes("x.jsonl", text)).unwrap().format.map(|f| f.id)
    }

    #[test]
    fn a_first_record_of_any_length_is_seen_whole() {
        for size in [Head::SIZE, 3 << 20] {
            let long = "word ".repeat(size / 5 + 1);
            for (id, first) in [
                // The members that tell the format stand behind the text.
                ("claude-code", r#"{"type":"user","message":{"content":"LONG"},"uuid":"u","sessionId":"s"}"#),
                (
                    "claude-code",
                    r#"{"parentUuid":null,"sessionId":"s","type":"user","message":{"content":"LONG"},"uuid":"u"}"#,
                ),
                ("claude-code-stream", r#"{"type":"user","message":{"content":"LONG"},"uuid":"u","session_id":"s"}"#),
                (
                    "codex",
                    r#"{"payload":{"id":"i","instructions":"LONG"},"timestamp":"2026-01-05T10:00:00Z","type":"session_meta"}"#,
                ),
                ("codex", r#"{"instructions":"LONG","id":"i","timestamp":"2026-01-05T10:00:00Z","git":{}}"#),
                ("messages", r#"{"content":"LONG","role":"user"}"#),
                ("messages", r#"[{"content":"LONG","role":"user"}]"#),
                ("opencode-export", r#"{"info":{"summary":"LONG","id":"ses_1","projectID":"p"},"messages":[]}"#),
                ("opencode-events", r#"{"type":"text","part":{"type":"text","text":"LONG"},"sessionID":"ses_1"}"#),
            ] {
                let first = first.replace("LONG", &long);
                assert_eq!(format(format!("{first}\n{first}\n")), Some(id), "{size}");
            }
            let other = format!("{{\"text\":\"{long}\"}}\n");
            assert_eq!(format(other.repeat(2)), None);
        }
    }

    #[test]
    fn what_stands_before_a_long_record_does_not_hide_it() {
        let long = "word ".repeat(Head::SIZE);
        let snapshot = r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#;
        let user = format!(r#"{{"type":"user","message":{{"content":"{long}"}},"uuid":"u","sessionId":"s"}}"#);
        assert_eq!(format(format!("{snapshot}\n{user}\n")), Some("claude-code"));
        let recognised = recognise(&Input::bytes("x", format!("{user}\n"))).unwrap();
        let input = Input::bytes("x", "");
        let keys = recognised.format.map(|f| (f.keys)(&recognised.head(&input)));
        assert_eq!(keys, Some(vec!["session:s".into(), "line:u".into()]));
    }
}
