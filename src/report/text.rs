//! Text of the transcript, made safe for Markdown.

mod excerpt;

use crate::session::visible;

/// Text as a Markdown table cell or a piece of a line: on one line, nothing hidden, no mark of Markdown left active.
pub fn cell(text: &str) -> String {
    let flat: Vec<&str> = text.split_whitespace().collect();
    escape(&flat.join(" "))
}

/// Text on one line with nothing hidden, for a terminal.
pub fn plain(text: &str) -> String {
    let flat: Vec<&str> = text.split_whitespace().collect();
    visible(&flat.join(" ")).into_owned()
}

/// A message number as a link to the message.
pub fn cite(label: &str) -> String {
    format!("[msg {label}](#msg-{})", label.replace('.', "-"))
}

/// The start of a longer text as a reader sees it: on one line, marks of Markdown taken off, code left as code, at most
/// `words` words and `max` characters. Where a mark of a list, heading or table stood there are dots, since what stands on
/// its two sides was not written as one.
pub fn excerpt(text: &str, words: usize, max: usize) -> String {
    excerpt::pieces(text, words, max).iter().map(|p| if p.code { code(&p.text) } else { escape(&p.text) }).collect()
}

/// As [`excerpt()`], for a terminal.
pub fn plain_excerpt(text: &str, words: usize, max: usize) -> String {
    visible(&excerpt::pieces(text, words, max).into_iter().map(|p| p.text).collect::<String>()).into_owned()
}

/// Text on one line as [`cell`] does, cut after `max` characters.
pub fn short(text: &str, max: usize) -> String {
    cell(&cut(text, max))
}

/// The first `max` characters, with an ellipsis when something was cut.
pub fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_string(),
    }
}

/// Escapes what Markdown would act on. Every ASCII mark may be escaped by a backslash (CommonMark 2.4); only those that
/// can start something inside a line are, so that the source stays readable.
pub fn escape(text: &str) -> String {
    let shown = visible(text);
    let mut out = String::with_capacity(shown.len() + 8);
    let mut before = ' ';
    for (at, c) in shown.char_indices() {
        let after = shown[at + c.len_utf8()..].chars().next().unwrap_or(' ');
        let active = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' | '$' => true,
            // Inside a word `_` is no mark, and `&` is one only before an entity.
            '_' => !(before.is_alphanumeric() && after.is_alphanumeric()),
            '&' => after == '#' || after.is_ascii_alphabetic(),
            '#' | '+' | '-' | '=' => at == 0,
            // A number with a point or bracket and a blank starts a list.
            '.' | ')' => after == ' ' && before.is_ascii_digit() && shown[..at].bytes().all(|b| b.is_ascii_digit()),
            ':' => after == '/' || after == '-',
            _ => false,
        };
        if active {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    out
}

/// A quotation on one line, cut after `max` characters: code spans and bold phrases that the text closes stay what they
/// are, since a quote full of back slashes is hard to read; all else is escaped as [`cell`] does.
pub fn said(text: &str, max: usize) -> String {
    let flat: Vec<&str> = text.split_whitespace().collect();
    let whole = closed(&cut(&flat.join(" "), max));
    let mut out = String::with_capacity(whole.len() + 8);
    let mut rest = whole.as_str();
    while let Some(at) = rest.find(['`', '*']) {
        let (before, marked) = rest.split_at(at);
        out.push_str(&escape_inside(before));
        let mark = &marked[..marked.len() - marked.trim_start_matches(&marked[..1]).len()];
        let behind = &marked[mark.len()..];
        let inner =
            behind.split_once(mark).filter(|(inner, after)| is_span(inner, after, mark)).map(|(inner, _)| inner);
        match inner {
            Some(inner) if mark == "`" => out.push_str(&code(inner)),
            // Nothing but code spans is left inside.
            Some(inner) => out.push_str(&format!("**{}**", said(inner, usize::MAX))),
            None => out.push_str(&escape(mark)),
        }
        rest = &behind[inner.map_or(0, |i| i.len() + mark.len())..];
    }
    out.push_str(&escape_inside(rest));
    out
}

/// A text that was cut inside a code span, cut before the span.
fn closed(text: &str) -> String {
    match text.strip_suffix('…').filter(|t| t.matches('`').count() % 2 == 1).and_then(|t| t.rfind('`').map(|i| &t[..i]))
    {
        Some(kept) if kept.len() > text.len() / 3 => format!("{}…", kept.trim_end()),
        _ => text.to_owned(),
    }
}

/// Whether what stands between two marks can be shown as it was meant: code without back quotes, or a bold phrase with
/// no other mark than code inside.
fn is_span(inner: &str, after: &str, mark: &str) -> bool {
    let tight = !inner.is_empty() && inner.trim() == inner;
    let ends_word = inner.ends_with(char::is_alphanumeric);
    let parted = after.chars().next().is_none_or(|c| c.is_whitespace() || c.is_ascii_punctuation());
    match mark {
        "`" => tight && !inner.contains(['|', '\\']),
        "**" => tight && !inner.contains('*') && inner.starts_with(char::is_alphanumeric) && (ends_word || parted),
        _ => false,
    }
}

/// Escapes a piece of a line that does not begin the line.
fn escape_inside(text: &str) -> String {
    escape(&format!("x{text}")).split_off(1)
}

/// A code span that holds the text, whatever back quotes are in it.
pub fn code(text: &str) -> String {
    let flat: Vec<&str> = text.split_whitespace().collect();
    let shown = visible(&flat.join(" ")).replace('|', "\\|");
    if shown.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_run(&shown, '`') + 1);
    let pad = if shown.starts_with('`') || shown.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{shown}{pad}{ticks}")
}

/// A fenced block that holds the text, whatever fences are in it.
pub fn fence(text: &str, lang: &str) -> String {
    let shown = visible(text);
    let ticks = "`".repeat(longest_run(&shown, '`').max(2) + 1);
    format!("{ticks}{lang}\n{}\n{ticks}", shown.trim_end_matches('\n'))
}

fn longest_run(text: &str, mark: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == mark { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader sees of a piece of Markdown.
    fn shown(markdown: &str) -> String {
        use pulldown_cmark::{Event, Options, Parser};
        Parser::new_ext(markdown, Options::all() - Options::ENABLE_SMART_PUNCTUATION)
            .filter_map(|event| match event {
                Event::Text(t) | Event::Code(t) => Some(t.to_string()),
                Event::Html(t) | Event::InlineHtml(t) => Some(format!("HTML {t}")),
                Event::SoftBreak | Event::HardBreak => Some(" ".into()),
                Event::TaskListMarker(_) => Some("TASK".into()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn what_is_escaped_is_read_back() {
        for text in [
            "# no heading",
            "- no list",
            "1. no list",
            "a *b* _c_ ~~d~~",
            "<script>alert(1)</script>",
            "[x](y) ![z](w)",
            "a|b",
            "`code`",
            "\\*",
            "&lt;",
            "snake_case_name",
            "+ x",
            "> quote",
            "= y",
            "12) z",
            "$x$",
            "http://a.b/c",
            "--- ",
            "1.5 tok/s",
            "11.621",
            "1.",
            "1)",
            "- [ ] task",
            "a :smile: b",
            "[^1]",
            "**bold**text",
            "a\\",
        ] {
            assert_eq!(shown(&cell(text)), text.trim(), "{text}");
            assert_eq!(shown(&format!("x {}", code(text))).replace("\\|", "|"), format!("x {}", text.trim()), "{text}");
        }
    }

    #[test]
    fn a_quote_keeps_the_marks_that_it_closes() {
        for (text, markdown, seen) in [
            ("run `a_b` now", "run `a_b` now", "run a_b now"),
            ("**Done** *x*", "**Done** \\*x\\*", "Done *x*"),
            ("a `b", "a \\`b", "a `b"),
            ("2 * 3 ** 4", "2 \\* 3 \\*\\* 4", "2 * 3 ** 4"),
            ("**a [b](c)**", "**a \\[b\\](c)**", "a [b](c)"),
            ("**a (b)**c", "\\*\\*a (b)\\*\\*c", "**a (b)**c"),
            ("`a|b` <i>", "\\`a\\|b\\` \\<i\\>", "`a|b` <i>"),
            ("1. `x` - y", "1. `x` - y", "1. x - y"),
            ("**A. `x y` (old)** z", "**A. `x y` (old)** z", "A. x y (old) z"),
            ("**a**b", "**a**b", "ab"),
        ] {
            assert_eq!(said(text, 99), markdown);
            assert_eq!(shown(&format!("“{}”", said(text, 99))), format!("“{seen}”"), "{text}");
        }
        assert_eq!(said("`abc` def", 3), "\\`ab…");
        assert_eq!(said("see the `long name` there", 14), "see the…");
    }

    #[test]
    fn a_fence_is_longer_than_any_run_inside() {
        assert_eq!(fence("a\n````\nb\n", "text"), "`````text\na\n````\nb\n`````");
        assert_eq!(shown(&fence("```\n# x\n```", "text")), "```\n# x\n```\n");
    }
}
