//! `go test`: `--- FAIL: TestName`, with the first place printed below it.

use std::sync::LazyLock;

use regex::Regex;

use super::{Raw, Tool, number};

pub(super) const TOOL: Tool = Tool { name: "go test", marks: &["--- FAIL: "], read, clean };

static FAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^ *--- FAIL: (?P<test>\S+) \([\d.]+s\)(?:\r?\n +(?P<file>[^\s:]+\.go):(?P<line>\d+): [^\r\n]*)?")
        .expect("a failed test")
});

fn read(text: &str) -> Vec<Raw<'_>> {
    let read = |c: regex::Captures<'_>| {
        let part = |name: &str| c.name(name).map(|m| &text[m.range()]);
        Some(Raw {
            source: text[c.get(0)?.range()].trim(),
            title: part("test")?.into(),
            file: part("file").map(Into::into),
            line: part("line").and_then(number),
            ..Raw::default()
        })
    };
    FAIL.captures_iter(text).filter_map(read).collect()
}

fn clean(text: &str) -> bool {
    text.lines().any(|l| l.starts_with("ok  \t") || l == "PASS") && !text.lines().any(|l| l.starts_with("FAIL"))
}
