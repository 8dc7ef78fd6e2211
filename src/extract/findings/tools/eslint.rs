//! ESLint, in its usual form: rows of places below the path of a file.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::{Raw, Tool, number};

pub(super) const TOOL: Tool = Tool { name: "eslint", marks: &["  error  ", "  warning  "], read, clean };

static ROW: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^\s+(?P<line>\d+):\d+\s+(?P<level>error|warning)\s+(?P<title>\S.*?)(?:\s{2,}(?P<rule>[@\w][\w@/-]*))?\s*$",
    )
    .expect("a row of eslint")
});

fn read(text: &str) -> Vec<Raw<'_>> {
    let mut file = None;
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(c) = ROW.captures(line) {
            let part = |name: &str| c.name(name).map(|m| &line[m.range()]);
            let (Some(file), Some(title)) = (file, part("title")) else { continue };
            let (level, rule) = (part("level"), part("rule"));
            let (file, at) = (Some(Cow::Borrowed(file)), part("line").and_then(number));
            found.push(Raw { source: line.trim(), level, rule, title: title.into(), file, line: at });
        } else if !line.starts_with(char::is_whitespace) && line.contains('.') && line.contains(['/', '\\']) {
            file = Some(line.trim_end());
        } else if line.trim().is_empty() {
            file = None;
        }
    }
    found
}

/// It prints nothing when it finds nothing.
fn clean(text: &str) -> bool {
    text.trim().is_empty()
}
