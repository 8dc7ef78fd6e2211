//! Commands of which a part failed: what the parts before it wrote is there.

use std::sync::LazyLock;

use regex::Regex;

use super::name;
use crate::extract::episodes::shell::{self, Command};
use crate::session::ToolCall;

/// Programs that fail only for want of a folder or a permission, which they say.
const PLAIN: &[&str] = &["cd", "mkdir", "echo", "printf", "cat", "export", "set", "touch", "tee"];

static TROUBLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)no such file|permission denied|is a directory|read-only file|cannot create|no space left|not permitted|not a directory")
        .expect("static")
});

/// What makes it unclear whether a part ran: other shells, conditions and loops.
static UNCLEAR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\|\||[(){}`]|\s-\w*c\s|(?:^|[\s;&|])(?:ssh|docker|kubectl|if|while|until|for|case|eval)\s")
        .expect("static")
});

/// The files that the first parts of a failed command wrote, where its output proves that they ran.
pub(super) fn written(call: &ToolCall, command: &str) -> Vec<String> {
    let bare = unquoted(command);
    let (before, behind) = bare.split_once("<<").unwrap_or((&bare, ""));
    let Some(result) = call.result.as_ref().filter(|_| !UNCLEAR.is_match(before)) else { return Vec::new() };
    let parts = shell::commands(command);
    let mut first = parts.iter().take_while(|part| PLAIN.contains(&part.program())).count();
    // What stands behind a here-document is not told from the document.
    if UNCLEAR.is_match(behind) {
        first = first.min(parts.iter().position(|part| part.fed).map_or(0, |at| at + 1));
    }
    // The part that failed is none of them.
    let Some((first, later)) = parts.split_at_checked(first).filter(|(_, later)| !later.is_empty()) else {
        return Vec::new();
    };
    let complaint = |line: &str| TROUBLE.is_match(line) && first.iter().any(|part| concerns(line, part));
    if result.text.lines().any(complaint) {
        return Vec::new();
    }
    let paths = first.iter().filter_map(|part| part.into.clone());
    let ran = |path: &str| {
        result.exit_code.is_some()
            || word(&result.text, name(path))
            || later.iter().any(|p| word(&result.text, p.program()))
    };
    paths.filter(|path| ran(path)).collect()
}

/// Whether a line of trouble is about a part: its program or its file.
fn concerns(line: &str, part: &Command) -> bool {
    let program = part.program();
    line.contains(&format!("{program}:")) || part.into.as_deref().is_some_and(|path| word(line, name(path)))
}

/// Whether a text names something, and not something longer.
fn word(text: &str, name: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let ends = |at: usize| {
        let behind = &text[at + name.len()..];
        let longer = behind.starts_with('.') && inside(behind.chars().nth(1));
        !longer && !inside(behind.chars().next())
    };
    name.len() > 2 && text.match_indices(name).any(|(at, _)| !inside(text[..at].chars().next_back()) && ends(at))
}

/// A command line without what stands in quotes.
fn unquoted(command: &str) -> String {
    let mut out = String::new();
    let mut quote = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (_, '\\') if quote != Some('\'') => drop(chars.next()),
            (None, '\'' | '"') => quote = Some(c),
            (None, c) => out.push(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::extract::artefacts::extract;
    use crate::session::build::SessionBuilder;

    #[test]
    fn what_was_written_before_the_part_that_failed_is_there() {
        let written = |command: &str, exit: i64, output: &str| {
            let session = SessionBuilder::new().shell(command, exit, output).build();
            extract(&session).iter().map(|a| a.path.clone()).collect::<Vec<_>>().join(" ")
        };
        for (command, output, want) in [
            ("cd /w && echo 'int main() { return a || b; }' > t.c && gcc t.c", "t.c:1:5: error: a", "t.c"),
            ("cat > a.sh <<'EOF'\nexit 3\nEOF\nbash a.sh", "", "a.sh"),
            (
                "mkdir -p x\nprintf y > x/one.txt; echo z > x/two.txt\nmake all",
                "make: *** Error",
                "x/one.txt x/two.txt",
            ),
            ("cd /none && echo 1 > t.c && gcc t.c", "bash: cd: /none: No such file or directory", ""),
            ("echo 1 > /root/t.c && gcc t.c", "bash: /root/t.c: Permission denied", ""),
            ("make && echo 1 > done.txt", "make: *** Error", ""),
            ("cd /w || echo 1 > none.txt; make", "make: *** Error", ""),
            ("if test -f a; then echo 1 > b.txt; fi; make", "make: *** Error", ""),
            ("echo 1 > last.txt", "", ""),
        ] {
            assert_eq!(written(command, 2, output), want, "{command}");
        }
    }

    #[test]
    fn a_file_that_a_failed_command_may_have_written_is_not_known() {
        let session = SessionBuilder::new()
            .call("Write", json!({"file_path": "/a/log.txt", "content": "x"}), "ok")
            .shell("make && echo done > /a/log.txt", 2, "make: *** Error")
            .build();
        assert_eq!(extract(&session)[0].state(), "unknown");
    }
}
