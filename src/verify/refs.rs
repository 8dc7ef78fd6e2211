//! References to messages: `[msg 352]`, `msg 12`, `messages 3–7`, `[msg 1]–[msg 4]`.

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::session::Label;

/// One message, or a range of messages, named in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    /// The message, or the first of the range.
    pub(super) first: Label,
    /// The last of the range.
    pub(super) last: Option<Label>,
    /// Bytes in the text.
    pub(super) at: Range<usize>,
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        self.last.as_ref().map_or(Ok(()), |last| write!(f, "–{last}"))
    }
}

static ONE: LazyLock<Regex> = LazyLock::new(|| {
    let number = r"\d{1,9}(?:[.-]s\d+[.-]\d+)*";
    let word = r"(?:msg|message|msgs|messages)(?:\.|\s|-|#)\s*#?";
    Regex::new(&format!(
        r"(?i)\[?(?-u:\b)(?:S\d+ )?{word}({number})(?-u:\b)\]?(?:\s*(?:–|—|-|to|through|until)\s*\[?(?:{word})?({number})\]?)?"
    ))
    .expect("a constant pattern")
});

/// `messages 3, 5 and 9`: what follows the first number.
static MORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:,|and|, and|&)\s*(\d{1,9}(?:\.s\d+\.\d+)*)(?-u:\b)").expect("a constant pattern")
});

/// Every message that a text names, in order.
pub(super) fn find(text: &str) -> Vec<Reference> {
    let mut out = Vec::new();
    for found in ONE.captures_iter(text) {
        let (Some(all), Some(first)) = (found.get(0), found.get(1)) else { continue };
        let Ok(label) = first.as_str().parse() else { continue };
        let last = found.get(2).and_then(|m| m.as_str().parse().ok());
        out.push(Reference { first: label, last, at: all.range() });
        let plural = all.as_str().to_ascii_lowercase().starts_with("messages") || all.as_str().starts_with("msgs");
        let mut end = all.end();
        while let Some(more) = MORE.captures(&text[end..]).filter(|_| plural) {
            let Some(number) = more.get(1) else { break };
            // `messages 3, 5 tool calls`: the number counts something else.
            let Ok(label) = number.as_str().parse() else { break };
            out.push(Reference { first: label, last: None, at: end + number.start()..end + number.end() });
            end += number.end();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_way_a_message_is_named() {
        let shown = |text: &str| find(text).iter().map(Reference::to_string).collect::<Vec<_>>();
        assert_eq!(shown("see [msg 352] and message 12"), ["352", "12"]);
        assert_eq!(shown("([msg 1260]–[msg 1271])"), ["1260–1271"]);
        assert_eq!(shown("messages 3, 5 and 340.s1.2"), ["3", "5", "340.s1.2"]);
        assert_eq!(shown("messages 3–7"), ["3–7"]);
        assert_eq!(shown("msg-69-s1-5"), ["69.s1.5"], "the anchor of a subagent's message");
        assert_eq!(shown("7 messages, 12 calls"), Vec::<String>::new());
    }
}
