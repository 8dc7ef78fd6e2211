//! pytest: the lines of its short summary.

use std::sync::LazyLock;

use regex::Regex;

use super::{Raw, Tool};

pub(super) const TOOL: Tool = Tool { name: "pytest", marks: &["FAILED ", "ERROR "], read, clean };

static LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^(?P<state>FAILED|ERROR) (?P<file>[^\s:]+\.py)(?:::(?P<test>[^\r\n]+?))?(?: - [^\r\n]*)?\r?$")
        .expect("a line of the summary")
});
static PASSED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^=* ?\d+ passed(?:, \d+ (?:skipped|deselected|warnings?|xfailed|xpassed|subtests passed))* in \d")
        .expect("a summary without failures")
});

fn read(text: &str) -> Vec<Raw<'_>> {
    let read = |c: regex::Captures<'_>| {
        let part = |name: &str| c.name(name).map(|m| &text[m.range()]);
        let file = part("file")?;
        let title = part("test").unwrap_or(file).into();
        let source = text[c.get(0)?.range()].trim_end();
        Some(Raw { source, title, file: Some(file.into()), ..Raw::default() })
    };
    LINE.captures_iter(text).filter_map(read).collect()
}

fn clean(text: &str) -> bool {
    PASSED.is_match(text)
}
