//! Message numbers: `352` on the main thread, `340.s1.3` in a subagent's.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// Number of a message: the main-thread number, then for each level of subagents which one and its message.
///
/// Orders as the messages are read: a subagent's messages after the one that started it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Label {
    /// Number on the main thread; for a subagent's message, that of the message that started it (0 = unknown).
    pub msg: u64,
    /// Per level: which subagent of the message before it (from 1), and which of its messages (from 1).
    pub sub: Vec<(u32, u32)>,
}

impl Label {
    /// A number on the main thread.
    pub fn main(msg: u64) -> Self {
        Self { msg, sub: Vec::new() }
    }

    /// The `n`-th message of the `s`-th subagent started by this message.
    pub fn child(&self, s: u32, n: u32) -> Self {
        let mut sub = self.sub.clone();
        sub.push((s, n));
        Self { msg: self.msg, sub }
    }

    /// Anchor in Markdown and HTML: `msg-340-s1-3`.
    pub fn anchor(&self) -> String {
        format!("msg-{}", self.to_string().replace('.', "-"))
    }

    /// As cited in text: `[msg 340.s1.3]`.
    pub fn cite(&self) -> String {
        format!("[msg {self}]")
    }

    /// The subagent's own number of the message; `None` on the main thread.
    pub fn sub_number(&self) -> Option<u32> {
        self.sub.last().map(|&(_, n)| n)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.msg)?;
        self.sub.iter().try_for_each(|(s, n)| write!(f, ".s{s}.{n}"))
    }
}

impl FromStr for Label {
    type Err = ();

    /// Reads `352`, `340.s1.3`, `msg-340-s1-3`, `#msg-352`, `msg 352` and `[msg 352]`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.trim().trim_start_matches('#').trim_start_matches('[').trim_end_matches(']');
        let text = text.strip_prefix("msg").map_or(text, |t| t.trim_start_matches([' ', '-']));
        let mut fields = text.split(['.', '-']);
        let msg = number(fields.next())?;
        let mut sub = Vec::new();
        while let Some(field) = fields.next() {
            let s = number(field.strip_prefix('s'))?;
            sub.push((s, number(fields.next())?));
        }
        Ok(Self { msg, sub })
    }
}

fn number<T: FromStr>(digits: Option<&str>) -> Result<T, ()> {
    let digits = digits.filter(|d| d.bytes().all(|b| b.is_ascii_digit())).ok_or(())?;
    digits.parse().map_err(drop)
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_way_a_number_is_written() {
        let nested: Label = "340.s1.3.s1.2".parse().unwrap();
        assert_eq!(nested, Label::main(340).child(1, 3).child(1, 2));
        for text in ["340.s1.3", "msg-340-s1-3", "#msg-340-s1-3", "[msg 340.s1.3]"] {
            assert_eq!(text.parse(), Ok(Label::main(340).child(1, 3)), "{text}");
        }
        for text in ["", "msg_01", "12a", "1.3", "-1", "+1", "1.s"] {
            assert_eq!(text.parse::<Label>(), Err(()), "{text}");
        }
    }

    #[test]
    fn orders_as_messages_are_read() {
        let order = ["0.s1.1", "1", "1.s1.1", "1.s1.2", "1.s2.1", "2", "10"].map(|t| t.parse::<Label>().unwrap());
        assert!(order.is_sorted());
    }
}
