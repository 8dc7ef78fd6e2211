//! Which sentences of a prompt can hold directives: prose and list items, not code, quotes, tables, logs or options.

use std::sync::LazyLock;

use regex::Regex;

use crate::extract::prose::{Kind, Line, lines, offset, sentences as split};

/// Prompts longer than this hold pasted text: only their two ends are read.
const LONG: usize = 12_000;
const END: usize = 3_000;

fn re(pattern: &str) -> Regex {
    Regex::new(pattern).expect("static pattern")
}

static LOG: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"^(\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\[\d|\[?(INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b|at \S+\(|File "|Traceback|\$ |% |❯|➜|npm |error(\[|:)|warning(\[|:)|[{}\[\]"<]|[\w./-]+:\d+(:\d+)?:|\S+@\S+[:~]|[+-]{3} |@@ )|[{;]$"#,
    )
});
static ASIDE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(next steps?|options?|alternatives?|examples?|background|context|history|state|status|accomplished|done so far|summary|files|discoveries|key findings|schema|structure|location)\b",
    )
});

/// Sentences with their places in the text.
pub(super) fn sentences(text: &str) -> Vec<(usize, &str)> {
    if text.len() <= LONG {
        return read(text, 0);
    }
    let head = &text[..text.floor_char_boundary(END)];
    let head = &head[..head.rfind('\n').unwrap_or(head.len())];
    let tail_at = text.ceil_char_boundary(text.len() - END);
    let tail_at = text[tail_at..].find('\n').map_or(tail_at, |n| tail_at + n + 1);
    let mut found = read(head, 0);
    found.extend(read(&text[tail_at..], tail_at));
    found
}

fn read(text: &str, base: usize) -> Vec<(usize, &str)> {
    let lines = lines(text);
    let mut found = Vec::new();
    let mut at = 0;
    let mut aside = false;
    while at < lines.len() {
        let line = lines[at];
        let mut end = at + 1;
        match line.kind {
            Kind::Heading(_) => aside = is_aside(line.text),
            Kind::Text if introduces(&lines, at) && is_aside(line.text) && line.text.len() < 80 => aside = true,
            Kind::Text if LOG.is_match(line.text) => {}
            Kind::Text | Kind::Bullet | Kind::Numbered(_) => {
                if line.kind == Kind::Text && aside && line.indent == 0 && at > 0 && lines[at - 1].kind == Kind::Blank {
                    aside = under_heading(&lines, at);
                }
                while lines.get(end).is_some_and(|l| continues(&line, l)) {
                    end += 1;
                }
                if !aside {
                    let from = offset(text, line.text);
                    let to = offset(text, lines[end - 1].text) + lines[end - 1].text.len();
                    found.extend(split(&text[from..to]).into_iter().map(|s| (base + offset(text, s), s)));
                }
            }
            _ => {}
        }
        at = end;
    }
    found
}

/// Whether a heading or introduction is about something that is not asked for.
fn is_aside(text: &str) -> bool {
    ASIDE.is_match(text) && !text.to_lowercase().contains("instructions")
}

/// A line with a colon before a list.
fn introduces(lines: &[Line<'_>], at: usize) -> bool {
    let next = lines[at + 1..].iter().find(|l| l.kind != Kind::Blank);
    lines[at].text.ends_with(':') && next.is_some_and(|l| l.kind.is_item())
}

/// Whether the section that holds `at` is one that a heading set aside: prose under it stays aside.
fn under_heading(lines: &[Line<'_>], at: usize) -> bool {
    lines[..at].iter().rev().find(|l| matches!(l.kind, Kind::Heading(_))).is_some_and(|l| is_aside(l.text))
}

/// Whether `next` goes on with the paragraph or item that `first` starts: a wrapped line, not a new item or log line.
fn continues(first: &Line<'_>, next: &Line<'_>) -> bool {
    let wrapped = next.kind == Kind::Text && !LOG.is_match(next.text);
    wrapped && (first.kind == Kind::Text || next.indent > first.indent)
}
