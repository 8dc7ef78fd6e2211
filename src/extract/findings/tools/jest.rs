//! Jest: `● suite › test` below `FAIL file`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Raw, Tool};

pub(super) const TOOL: Tool = Tool { name: "jest", marks: &["●"], read, clean };

static FILE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*FAIL\s+(?:[\w-]+\s+)?(\S+\.[cm]?[jt]sx?)").expect("a failed file"));
static PASSED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^Tests:\s+(?:\d+ (?:skipped|todo), )*\d+ passed").expect("a summary without failures")
});

fn read(text: &str) -> Vec<Raw<'_>> {
    let mut file = None;
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(c) = FILE.captures(line) {
            file = c.get(1).map(|m| &line[m.range()]);
        } else if let Some(title) = line.trim_start().strip_prefix("● ").filter(|t| named(t))
            && let Some(file) = file
        {
            let source = line.trim();
            found.push(Raw { source, title: title.trim().into(), file: Some(file.into()), ..Raw::default() });
        }
    }
    found
}

/// A test in a suite, or a file that cannot be run; console output is marked in the same way.
fn named(title: &str) -> bool {
    title.contains(" › ") || title.starts_with("Test suite failed to run")
}

fn clean(text: &str) -> bool {
    PASSED.is_match(text)
}
