//! rustc and clippy: `error[E0308]: …` above ` --> file:line:column`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Raw, Tool, number};

pub(super) const TOOL: Tool = Tool { name: "rustc", marks: &["--> "], read, clean };

static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^(?P<level>error|warning)(?:\[(?P<code>[A-Za-z0-9_:-]+)\])?: (?P<title>[^\r\n]+)\r?\n *--> (?P<file>[^\r\n]+?):(?P<line>\d+):\d+",
    )
    .expect("a diagnostic")
});
static LINT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"#\[(?:warn|deny|forbid)\(([\w:-]+)\)\]|`-[DWF] ([\w:-]+)`").expect("the name of a lint")
});

fn read(text: &str) -> Vec<Raw<'_>> {
    let heads: Vec<_> = HEAD.captures_iter(text).collect();
    let starts: Vec<usize> = heads.iter().filter_map(|c| Some(c.get(0)?.start())).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let read = |(c, end): (&regex::Captures<'_>, usize)| {
        let part = |name: &str| c.name(name).map(|m| &text[m.range()]);
        let all = c.get(0)?;
        let lint = || LINT.captures(&text[all.end()..end]).and_then(|l| l.get(1).or(l.get(2))).map(|m| m.range());
        let rule = part("code").or_else(|| lint().map(|r| &text[all.end()..end][r]));
        let (title, file) = (part("title")?.into(), part("file").map(Into::into));
        Some(Raw {
            source: &text[all.range()],
            level: part("level"),
            rule,
            title,
            file,
            line: part("line").and_then(number),
        })
    };
    heads.iter().zip(ends).filter_map(read).collect()
}

fn clean(text: &str) -> bool {
    let finished = text.lines().any(|l| l.trim_start().starts_with("Finished "));
    finished && !text.lines().any(|l| l.starts_with("warning: ") || l.starts_with("error"))
}
