//! Which sentences of a prompt can hold directives: prose and list items, not code, quotes, tables, logs or options.
//!
//! What a user pastes is no request: where lines of a log or of code follow each other closely, what stands between them was
//! pasted with them.

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

/// Lines of terminals, package managers, compilers and progress bars, beside those of logs.
static TERMINAL: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(hint|note|help|fatal|info|debug|caused by|stderr|stdout|fail|pass|ok)\b ?:|^(×|╰|╭|│|├|└|✔|✖|✗|●|○|▲|⚠|➤|\*{3} )|[━─═█▓░]{4}|^(npm|yarn|pnpm|pip3?|sudo|brew|cargo|git|docker|kubectl|make|curl) (err|warn|error|WARN|ERR)|^\(\S+\) \S+@|^/(usr/|s?bin/|opt/)\S+|^Note: switching to |^HEAD is now at |^(delete|create) mode \d{6} |^rename \S+ .*\(\d+%\)$|^\d+ files? changed|^(remote|From|To) ?(:|https?:|git@)|^[0-9a-f]{40}\b|^(\d+m )?[\d.]+m?s$|^Run (npm|yarn|pnpm|pip|cargo|make|go|git|actions)\b|^\d+ \||^(collecting|downloading|installing collected|successfully installed|requirement already|compiling|finished|running) \S+[ (v]",
    )
});

/// Lines of program text, also behind the marks of a diff.
static PROGRAM: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(//|/\*|\*/|#include|#!|<\?|@\w+\(|(export |pub |async |static |private |public )*(let|const|var|function|fn|def|class|struct|enum|interface|type|impl|import|from|package|using) [\w{*(.@]+.{0,60}([=({;]|from |$)|(if|for|while|switch|catch|else if) ?\(|(try|else|do|finally|loop) ?\{|return\b.*[;)]|\}|(continue|break|pass|return);?$|[\w.$]+\(.*\);?$|[\w.\[\]$]+ (=|\+=|:=) \S+$)|(=> ?[{(]?|[{;]|\)\s*\{|\);?)$",
    )
});

/// Pasted lines that make a paste.
const PASTE: usize = 3;
/// Lines of prose between two pasted ones that were pasted with them.
const GAP: usize = 5;

/// Which lines were pasted.
fn pasted(lines: &[Line<'_>]) -> Vec<bool> {
    let foreign = |l: &Line<'_>| {
        let text = l.text.trim();
        let diff = text.trim_start_matches(['+', '-', '>', ' ']);
        match l.kind {
            Kind::Text => LOG.is_match(text) || TERMINAL.is_match(text) || PROGRAM.is_match(text),
            Kind::Bullet => PROGRAM.is_match(diff),
            _ => false,
        }
    };
    let at: Vec<usize> = (0..lines.len()).filter(|&i| foreign(&lines[i])).collect();
    let mut out = vec![false; lines.len()];
    if at.len() < PASTE {
        return out;
    }
    at.iter().for_each(|&i| out[i] = true);
    for pair in at.windows(2) {
        let between = pair[0] + 1..pair[1];
        // Prose that is indented between pasted lines was pasted, however much of it there is.
        let own = |i: &usize| lines[*i].kind != Kind::Blank && !(lines[*i].kind == Kind::Text && lines[*i].indent >= 2);
        if between.clone().filter(own).count() <= GAP {
            between.for_each(|i| out[i] = true);
        }
    }
    out
}

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
    let pasted = pasted(&lines);
    let mut found = Vec::new();
    let mut at = 0;
    let mut aside = false;
    while at < lines.len() {
        let line = lines[at];
        let mut end = at + 1;
        match line.kind {
            _ if pasted[at] => {}
            Kind::Heading(_) => aside = is_aside(line.text),
            Kind::Text if introduces(&lines, at) && is_aside(line.text) && line.text.len() < 80 => aside = true,
            Kind::Text if LOG.is_match(line.text) => {}
            Kind::Text | Kind::Bullet | Kind::Numbered(_) => {
                if line.kind == Kind::Text && aside && line.indent == 0 && at > 0 && lines[at - 1].kind == Kind::Blank {
                    aside = under_heading(&lines, at);
                }
                while lines.get(end).is_some_and(|l| !pasted[end] && continues(&line, l)) {
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
