//! How text of the transcript is shown: one invertible function for Markdown, HTML and terminal.

use std::borrow::Cow;
use std::ops::Range;

/// Makes control, bidirectional, zero-width and escape characters visible.
///
/// Each becomes `\u{XXXX}`; a backslash that already stands before `u{` is doubled, so the text can be read back.
/// Line feed and tab stay. CSV, JSON and Parquet hold the raw text instead.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u{") && !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        if c == '\\' && text[at..].starts_with("\\u{") {
            out.push_str("\\\\");
        } else if is_hidden(c) {
            out.push_str(&format!("\\u{{{:04X}}}", c as u32));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The first character that [`visible`] made visible in a text: its place there, and what it was.
pub fn hidden(text: &str) -> Option<(Range<usize>, char)> {
    let mut from = 0;
    while let Some(at) = text[from..].find("\\u{").map(|n| from + n) {
        from = at + 3;
        if text[..at].ends_with('\\') {
            continue;
        }
        let Some(end) = text[from..].find('}').map(|n| from + n) else { break };
        let code = &text[from..end];
        let c = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        if let Some(c) = c.filter(|c| is_hidden(*c) && code.len() >= 4) {
            return Some((at..end + 1, c));
        }
    }
    None
}

/// JSON with what hides or steers written as `\uXXXX`: the same value, safe to print.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    // Line feeds of the layout stand; control characters below them JSON escapes by itself.
    let steers = |c: char| c > '~' && is_hidden(c);
    if !json.contains(steers) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    let mut units = [0; 2];
    for c in json.chars() {
        match steers(c) {
            true => c.encode_utf16(&mut units).iter().for_each(|u| out.push_str(&format!("\\u{u:04x}"))),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{B}'..='\u{1F}' | '\u{7F}'..='\u{9F}'
        | '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_its_value() {
        let text = "a\u{9b}31m\u{202e}\u{e0001}é\n";
        let json = serde_json::to_string(text).unwrap();
        let shown = visible_json(&json);
        assert_eq!(shown, r#""a\u009b31m\u202e\udb40\udc01é\n""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }

    #[test]
    fn what_was_shown_is_read_back() {
        let text = "ab\u{1b}[31m";
        assert_eq!(hidden(&visible(text)), Some((2..10, '\u{1b}')));
        assert_eq!(hidden(&visible("\\u{001B}")), None, "the text itself said so");
        assert_eq!(hidden("\\u{41}, \\u{0041}, \\u{"), None, "no hidden characters");
    }

    #[test]
    fn shows_what_would_hide() {
        assert_eq!(visible("a\u{1b}[31mb\u{202e}c\n\t"), "a\\u{001B}[31mb\\u{202E}c\n\t");
        assert_eq!(visible("\\u{001B}"), "\\\\u{001B}");
        assert!(matches!(visible("plain → text"), Cow::Borrowed(_)));
    }
}
