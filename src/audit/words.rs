//! What several rules share: regular expressions and words of commands.

pub(super) use crate::extract::prose::re;

/// A command on one line, cut for a sentence.
pub(super) fn shown(command: &str) -> String {
    let line = command.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
