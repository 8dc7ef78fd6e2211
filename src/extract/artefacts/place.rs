//! Where a path leads: one file may be named by an absolute and by a relative path.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::session::{ThreadIx, ToolCall};

/// A change of folder at the start of a command; anywhere in it.
static ENTER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^\s*cd (?:"([^"$`\n]+)"|'([^'\n]+)'|([^\s"'$`;&|()<>*]+))\s*&&"#).expect("static"));
static MOVE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)(?:^|[;&|({]\s*)(?:cd|pushd|popd)(?:\s|;|$)").expect("static"));

/// Whether a path begins at the top.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '~', '\\']) || path.as_bytes().get(1) == Some(&b':')
}

/// A path as it is compared: without `.` and `..`, from the top where it is known where it begins.
pub(super) fn key(path: &str, from: Option<&str>) -> String {
    let whole = match from {
        Some(from) if !is_absolute(path) => format!("{}/{path}", from.trim_end_matches('/')),
        _ => path.to_owned(),
    };
    let top = if whole.starts_with('/') { "/" } else { "" };
    let mut steps: Vec<&str> = Vec::new();
    for step in whole.split('/').filter(|s| !matches!(*s, "" | ".")) {
        match step {
            ".." if steps.last().is_some_and(|last| *last != "..") => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    format!("{top}{}", steps.join("/"))
}

/// Where the shells of each thread stand, as far as their commands tell.
pub(super) struct Shells<'a> {
    folder: Option<&'a str>,
    /// Threads whose shell has changed its folder, so that where it stands is not known.
    moved: BTreeSet<ThreadIx>,
}

impl<'a> Shells<'a> {
    pub(super) fn new(folder: Option<&'a str>) -> Self {
        Self { folder: folder.filter(|f| is_absolute(f)), moved: BTreeSet::new() }
    }

    /// Where relative paths of a command begin; `None` where that is not known.
    pub(super) fn folder(&mut self, thread: ThreadIx, call: &ToolCall, command: &str) -> Option<String> {
        let given = ["workdir", "cwd"].iter().find_map(|k| call.input.get(k)?.as_str());
        let start = match given {
            Some(given) => Some(key(given, self.folder)).filter(|f| is_absolute(f)),
            None if self.moved.contains(&thread) => None,
            None => self.folder.map(str::to_owned),
        };
        let moves = MOVE.find_iter(command).count();
        if moves == 0 {
            return start;
        }
        self.moved.insert(thread);
        let entered = ENTER.captures(command).filter(|_| moves == 1)?;
        let folder = (1..4).find_map(|i| entered.get(i))?.as_str();
        Some(key(folder, start.as_deref())).filter(|f| is_absolute(f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_from_the_top() {
        for (path, from, want) in [
            ("a/./b/../c.md", Some("/w/"), "/w/a/c.md"),
            ("/w/a/c.md", Some("/x"), "/w/a/c.md"),
            ("./c.md", None, "c.md"),
            ("../c.md", None, "../c.md"),
            ("../c.md", Some("/w/a"), "/w/c.md"),
            ("~/c.md", Some("/w"), "~/c.md"),
            ("C:\\a\\c.md", Some("/w"), "C:\\a\\c.md"),
        ] {
            assert_eq!(key(path, from), want, "{path}");
        }
    }
}
