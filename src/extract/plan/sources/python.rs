//! Replacements that a Python script given to a shell makes in one file: `text.replace("- [ ] dig", "- [x] dig")`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::heredoc;

/// One replacement of literal text, everywhere it stands.
#[derive(Debug, PartialEq)]
pub(super) struct Replacement<'a> {
    pub(super) path: &'a str,
    pub(super) old: String,
    pub(super) new: String,
}

/// A string that looks like the path of a text file.
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"["']([^"'\s\\{}]+\.(?:md|markdown|mdx|txt))["']"#).expect("a constant pattern compiles")
});
static ASSIGNED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*(\w+)\s*=\s*").expect("a constant pattern compiles"));
static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\w+").expect("a constant pattern compiles"));

/// The replacements of the Python scripts in a shell script, in order. A script that names no file or several, that
/// writes nothing, or whose texts are made at run time is passed over.
pub(super) fn replacements(script: &str) -> Vec<Replacement<'_>> {
    if !script.contains(".replace(") {
        return Vec::new();
    }
    heredoc::python(script).into_iter().flat_map(of_script).collect()
}

fn of_script(script: &str) -> Vec<Replacement<'_>> {
    let mut paths = PATH.captures_iter(script).filter_map(|c| Some(c.get(1)?.as_str()));
    let Some(path) = paths.next().filter(|first| paths.all(|p| p == *first)) else { return Vec::new() };
    if !script.contains("write_text(") && !script.contains(".write(") {
        return Vec::new();
    }
    let assigned = ASSIGNED.captures_iter(script).filter_map(|c| {
        let (whole, name) = (c.get(0)?, c.get(1)?);
        Some((name.as_str(), literal(&script[whole.end()..])?.0))
    });
    let names: BTreeMap<&str, String> = assigned.collect();
    let calls = script.match_indices(".replace(").filter_map(|(at, word)| {
        let (old, rest) = argument(&script[at + word.len()..], &names)?;
        let (new, _) = argument(rest.trim_start().strip_prefix(',')?, &names)?;
        (!old.is_empty()).then_some(Replacement { path, old, new })
    });
    calls.collect()
}

/// An argument that is a literal, or the name of one, and what follows it.
fn argument<'s>(text: &'s str, names: &BTreeMap<&str, String>) -> Option<(String, &'s str)> {
    let text = text.trim_start();
    literal(text).or_else(|| {
        let name = NAME.find(text)?;
        Some((names.get(name.as_str())?.clone(), &text[name.end()..]))
    })
}

/// The text of a string literal at the start, and what follows it.
fn literal(text: &str) -> Option<(String, &str)> {
    let (raw, text) = text.strip_prefix('r').map_or((false, text), |rest| (true, rest));
    let mark = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|m| text.starts_with(m))?;
    let mut rest = &text[mark.len()..];
    let mut out = String::new();
    loop {
        if let Some(after) = rest.strip_prefix(mark) {
            return Some((out, after));
        }
        let mut chars = rest.chars();
        match chars.next()? {
            '\\' if !raw => match chars.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                '\n' => {}
                c @ ('\\' | '\'' | '"') => out.push(c),
                // Other escapes are not worth a table: what cannot be read is passed over.
                _ => return None,
            },
            c => out.push(c),
        }
        rest = chars.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_replacements_of_one_file_are_read() {
        let script = "cd a && python3 - <<'PY'\nfrom pathlib import Path\np = Path('PLAN.md')\nold = \"- [ ] it's\\n\"\n\
            text = p.read_text().replace(old, '- [x] it\\'s\\n')\np.write_text(text.replace('''- [ ] sow''', r\"- [-] sow\", 1))\nPY\n";
        let read: Vec<_> = replacements(script).into_iter().map(|r| (r.path, r.old, r.new)).collect();
        let own = |a: &str, b: &str| ("PLAN.md", a.to_owned(), b.to_owned());
        assert_eq!(read, [own("- [ ] it's\n", "- [x] it's\n"), own("- [ ] sow", "- [-] sow")]);
    }

    #[test]
    fn what_is_not_sure_is_passed_over() {
        let script = |body: &str| format!("python - <<'PY'\n{body}\nPY\n");
        for body in [
            "t = open('PLAN.md').read().replace('a', 'b')",
            "p('PLAN.md'); q('TODO.md'); p.write_text(t.replace('a', 'b'))",
            "p('PLAN.md').write_text(t.replace(line, f'{mark} b'))",
            "p('PLAN.md').write_text(t.replace('a' + x, 'b'))",
        ] {
            assert_eq!(replacements(&script(body)), [], "{body}");
        }
    }
}
