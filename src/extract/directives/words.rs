//! The words of a sentence with their places.

use crate::extract::prose::offset;

/// A word with its place, and whether a comma, semicolon or the like stands before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) after_comma: bool,
    /// Inside quotes, code or brackets.
    pub(super) inside: bool,
}

/// Words with their places. Quoted and bracketed ones are marked.
pub(super) fn words(sentence: &str) -> Vec<Word<'_>> {
    let mut out: Vec<Word<'_>> = Vec::new();
    let (mut quote, mut depth, mut after_comma) = (None, 0_i32, false);
    for raw in sentence.split_whitespace() {
        let inside = quote.is_some() || depth > 0;
        for c in raw.chars() {
            match c {
                '`' | '"' if quote == Some(c) => quote = None,
                '`' | '"' if quote.is_none() => quote = Some(c),
                '(' if quote.is_none() => depth += 1,
                ')' if quote.is_none() => depth -= 1,
                _ => {}
            }
        }
        let text = raw.trim_start_matches(['*', '(', '_']).trim_end_matches(|c: char| ",;:.!?)*_".contains(c));
        if text.is_empty() || matches!(text, "—" | "–" | "-") {
            after_comma = true;
            continue;
        }
        let start = offset(sentence, text);
        out.push(Word { text, start, end: start + text.len(), after_comma, inside });
        after_comma = raw.ends_with([',', ';', ':']);
    }
    out
}
