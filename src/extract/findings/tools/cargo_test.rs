//! `cargo test`: the list of failures, with the place of the panic where it is printed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::{Raw, Tool, number};

pub(super) const TOOL: Tool = Tool { name: "cargo test", marks: &["... FAILED", "panicked at "], read, clean };

static FAILED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^test (?P<name>\S+)(?: - [^\r\n]*?)? \.\.\. FAILED\r?$").expect("a failed test"));
static PANIC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^thread '(?P<name>[^'\r\n]+)'(?: \(\d+\))? panicked at (?P<file>[^\r\n:]+):(?P<line>\d+):\d+")
        .expect("a panic")
});

fn read(text: &str) -> Vec<Raw<'_>> {
    let place = |c: regex::Captures<'_>| {
        let part = |name: &str| c.name(name).map(|m| &text[m.range()]);
        Some((part("name")?, (part("file")?, number(part("line")?))))
    };
    let places: BTreeMap<&str, (&str, Option<u32>)> = PANIC.captures_iter(text).filter_map(place).collect();
    let read = |c: regex::Captures<'_>| {
        let name = &text[c.name("name")?.range()];
        let (file, line) = places.get(name).copied().unzip();
        let source = text[c.get(0)?.range()].trim_end();
        Some(Raw { source, title: name.into(), file: file.map(Into::into), line: line.flatten(), ..Raw::default() })
    };
    FAILED.captures_iter(text).filter_map(read).collect()
}

fn clean(text: &str) -> bool {
    text.contains("test result: ok.") && !text.contains("test result: FAILED") && !text.contains("error: ")
}
