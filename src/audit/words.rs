//! What several rules share: regular expressions and words of commands.

use regex::Regex;

/// A static regular expression, without regard to case and with ASCII word boundaries.
pub(super) fn re(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){}", pattern.replace(r"\b", r"(?-u:\b)"))).expect("static pattern")
}

/// A command on one line, cut for a sentence.
pub(super) fn shown(command: &str) -> String {
    let line = command.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
