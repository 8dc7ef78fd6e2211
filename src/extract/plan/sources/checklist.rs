//! Markdown checkbox lists: `- [ ] text`, `1. [x] text`, `* [-] text`.

use crate::extract::plan::State;

/// One line of a checkbox list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Box<'a> {
    /// Text behind the box.
    pub(super) text: &'a str,
    /// The mark in the box.
    pub(super) mark: &'a str,
    /// First byte of the text.
    pub(super) start: usize,
}

impl Box<'_> {
    /// The state the mark stands for.
    pub(super) fn state(&self) -> State {
        match self.mark {
            " " | "" => State::Pending,
            "x" | "X" | "✓" | "✔" | "✅" => State::Done,
            "-" | "/" | "~" | ">" | "." | "*" => State::Active,
            "!" | "?" => State::Blocked,
            _ => State::Other,
        }
    }
}

/// The checkbox lines of a text, in order. Lines inside code fences are passed over.
pub(super) fn boxes(text: &str) -> Vec<Box<'_>> {
    let mut out = Vec::new();
    if !text.contains('[') {
        return out;
    }
    let (mut at, mut fence) = (0, false);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fence = !fence;
        } else if !fence && let Some((mark, body)) = split_box(trimmed) {
            let text = body.trim();
            let start = at + (body.as_ptr() as usize - line.as_ptr() as usize) + (body.len() - body.trim_start().len());
            if !text.is_empty() {
                out.push(Box { text, mark, start });
            }
        }
        at += line.len();
    }
    out
}

/// Mark and text of `- [x] text`.
fn split_box(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix(['-', '*', '+']).or_else(|| {
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        (digits.len() < line.len()).then(|| digits.strip_prefix(['.', ')']))?
    })?;
    let inside = rest.strip_prefix(' ')?.trim_start().strip_prefix('[')?;
    let (mark, body) = inside.split_once(']')?;
    let body = body.strip_prefix([' ', '\t'])?;
    (mark.chars().count() <= 1).then_some((mark, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_boxes_and_where_their_text_stands() {
        let text = "# Plan\n- [ ] write\n  * [x] read it\n1. [-] run\n- [link](x)\n```\n- [ ] quoted\n```\n- [] bare\n";
        let found = boxes(text);
        let read: Vec<_> = found.iter().map(|b| (b.text, b.state())).collect();
        let want =
            [("write", State::Pending), ("read it", State::Done), ("run", State::Active), ("bare", State::Pending)];
        assert_eq!(read, want);
        for b in found {
            assert!(text[b.start..].starts_with(b.text));
        }
    }
}
