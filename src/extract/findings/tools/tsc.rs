//! tsc: `file(line,column): error TS2322: …`, plain or pretty.

use std::sync::LazyLock;

use regex::Regex;

use super::{Raw, Tool, number};

pub(super) const TOOL: Tool = Tool { name: "tsc", marks: &["error TS"], read, clean };

static LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^(?P<file>[^\s(:][^\r\n(:]*)(?:\((?P<a>\d+),\d+\): |:(?P<b>\d+):\d+ - )(?P<level>error) (?P<code>TS\d+): (?P<title>[^\r\n]+)",
    )
    .expect("an error of tsc")
});

fn read(text: &str) -> Vec<Raw<'_>> {
    let read = |c: regex::Captures<'_>| {
        let part = |name: &str| c.name(name).map(|m| &text[m.range()]);
        Some(Raw {
            source: &text[c.get(0)?.range()],
            level: part("level"),
            rule: part("code"),
            title: part("title")?.into(),
            file: part("file").map(Into::into),
            line: part("a").or(part("b")).and_then(number),
        })
    };
    LINE.captures_iter(text).filter_map(read).collect()
}

/// It prints nothing when it finds nothing.
fn clean(text: &str) -> bool {
    text.trim().is_empty() || text.contains("Found 0 errors")
}
