//! Substitutions that `sed -i` makes in a file: `sed -i 's/- \[ \] dig/- [x] dig/' PLAN.md`.

use std::sync::LazyLock;

use regex::Regex;

/// One substitution. Patterns that are more than literal text are passed over.
#[derive(Debug, PartialEq)]
pub(super) struct Substitution<'a> {
    pub(super) path: &'a str,
    lines: Lines,
    old: String,
    new: String,
    /// Every time in a line.
    all: bool,
}

/// The lines that a substitution looks at.
#[derive(Debug, PartialEq)]
enum Lines {
    All,
    /// This one, from 1.
    At(usize),
    /// Those that hold this.
    With(String),
}

static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m)(?:^|[;&|(]\s*)sed\s+(?:-[Enr]+\s+)*(?:-i|-Ei|-ri)(?:\s+''|\s+""|\.\w+)?((?:\s+(?:-e\s+)?(?:'[^']*'|"[^"]*"))+)\s+["']?([^\s"';&|]+)"#)
        .expect("a constant pattern compiles")
});
static SCRIPT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"'([^']*)'|"([^"]*)""#).expect("a constant pattern compiles"));

/// The substitutions of a shell script, in order.
pub(super) fn substitutions(script: &str) -> Vec<Substitution<'_>> {
    let mut out = Vec::new();
    if !script.contains("sed ") {
        return out;
    }
    for found in COMMAND.captures_iter(script) {
        let (Some(scripts), Some(path)) = (found.get(1), found.get(2)) else { continue };
        for one in SCRIPT.captures_iter(scripts.as_str()) {
            let text = one.get(1).or(one.get(2)).map_or("", |m| m.as_str());
            let mut rest = Some(text);
            while let Some((substitution, after)) = rest.and_then(|r| parse(r, path.as_str())) {
                out.push(substitution);
                rest = after;
            }
        }
    }
    out
}

/// The first substitution of a sed script, and what follows it.
fn parse<'a, 's>(script: &'s str, path: &'a str) -> Option<(Substitution<'a>, Option<&'s str>)> {
    let script = script.trim_start_matches([' ', ';', '\n']);
    let (lines, script) = address(script)?;
    let script = script.strip_prefix('s')?;
    let mark = script.chars().next().filter(|c| !c.is_alphanumeric() && !c.is_whitespace())?;
    let (old, script) = part(&script[mark.len_utf8()..], mark)?;
    let (new, script) = part(script, mark)?;
    let flags = script.split([';', '\n', '}']).next().unwrap_or_default();
    let after = script.get(flags.len() + 1..).filter(|s| !s.trim().is_empty());
    let substitution = Substitution { path, lines, old: literal(old)?, new: plain(new), all: flags.contains('g') };
    Some((substitution, after))
}

fn address(script: &str) -> Option<(Lines, &str)> {
    if let Some(rest) = script.strip_prefix('/') {
        let (with, rest) = part(rest, '/')?;
        return Some((Lines::With(literal(with)?), rest.trim_start()));
    }
    let digits = script.len() - script.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match script[..digits].parse() {
        Ok(n) => Some((Lines::At(n), &script[digits..])),
        Err(_) => Some((Lines::All, script)),
    }
}

/// The text up to the next mark that is not escaped, and what follows the mark.
fn part(text: &str, mark: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == mark && !escaped {
            return Some((&text[..at], &text[at + c.len_utf8()..]));
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

/// A pattern as literal text; a point stands for itself. `None` where it is more than that.
fn literal(pattern: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = pattern.trim_start_matches('^').chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(chars.next().filter(|c| !c.is_alphanumeric())?),
            '*' | '[' | '$' => return None,
            _ => out.push(c),
        }
    }
    (!out.is_empty()).then_some(out)
}

/// A replacement without its escapes.
fn plain(text: &str) -> String {
    let mut chars = text.chars();
    let mut out = String::new();
    while let Some(c) = chars.next() {
        out.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    out
}

impl Substitution<'_> {
    /// The content after the substitution.
    pub(super) fn apply(&self, content: &str) -> String {
        let lines = content.split_inclusive('\n').zip(1..);
        lines.map(|(line, n)| if self.looks_at(line, n) { self.replace(line) } else { line.to_owned() }).collect()
    }

    fn looks_at(&self, line: &str, number: usize) -> bool {
        match &self.lines {
            Lines::All => true,
            Lines::At(n) => *n == number,
            Lines::With(text) => line.contains(text),
        }
    }

    fn replace(&self, line: &str) -> String {
        line.replacen(&self.old, &self.new, if self.all { usize::MAX } else { 1 })
    }

    /// What it looks for and what it puts there.
    pub(super) fn texts(&self) -> (&str, &str) {
        (&self.old, &self.new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_substitutions_are_applied_where_they_look() {
        let file = "- [ ] dig\n- [ ] fill\n- [ ] sow\n";
        for (script, want) in [
            (r"sed -i 's/- \[ \] fill/- [x] fill/' PLAN.md", "- [ ] dig\n- [x] fill\n- [ ] sow\n"),
            (r"cd a && sed -i '' '1s/\[ \]/[x]/;3s|\[ \]|[-]|' PLAN.md", "- [x] dig\n- [ ] fill\n- [-] sow\n"),
            (r#"sed -i -e "/sow/s/\[ \]/[x]/" PLAN.md"#, "- [ ] dig\n- [ ] fill\n- [x] sow\n"),
            (r"sed -i 's/\[ \]/[x]/g' PLAN.md", "- [x] dig\n- [x] fill\n- [x] sow\n"),
        ] {
            let found = substitutions(script);
            assert!(found.iter().all(|s| s.path == "PLAN.md") && !found.is_empty(), "{script}");
            assert_eq!(found.iter().fold(file.to_owned(), |text, s| s.apply(&text)), want, "{script}");
        }
        assert_eq!(substitutions(r"sed -i 's/\[.*\]/[x]/' PLAN.md"), []);
        assert_eq!(substitutions("sed -n 's/a/b/p' PLAN.md"), []);
    }
}
