//! Artefacts: files that the session wrote, read back or deleted, or promised to write.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use crate::session::{CallRef, Provenance, Session, Span, ToolKind};

/// A file that the session wrote, and where it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default)]
pub struct Artefact {
    /// Path, as written by the tool (as promised, when nothing wrote it).
    pub path: String,
    /// Where it was first promised, before it was written.
    pub promised: Option<Span>,
    /// Calls that wrote or edited it, in order.
    pub written: Vec<CallRef>,
    /// Calls that read it, in order.
    pub read: Vec<CallRef>,
    /// Commands that deleted it, in order.
    pub deleted: Vec<CallRef>,
}

impl Artefact {
    /// Its state at the end, as far as calls tell: `written`, `deleted` or `promised`.
    pub fn state(&self) -> &'static str {
        match (self.written.last(), self.deleted.last()) {
            (None, _) => "promised",
            (Some(w), Some(d)) if d > w => "deleted",
            (Some(_), _) => "written",
        }
    }
}

static REDIRECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:^|[^0-9&>])>{1,2}\s*(?:"([^"\n]+)"|'([^'\n]+)'|([\w./~-]+\.\w+))|\btee (?:-a )?([\w./~-]+\.\w+)"#)
        .expect("a redirection")
});
static DELETE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)(?:^|[;&|]\s*|\n\s*)(?:sudo )?rm (?:-\w+ )*([^;&|\n]+)").expect("a deletion"));
static PROMISE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:i(?:'ll|’ll| will| am going to|'m going to)|let me(?: now)?|now i(?:'ll| will)|next,? i(?:'ll| will)) (?:now |also |then |first )?(?:write|create|save|document|put|record|generate|add)\b[^.\n]{0,80}?[`\x22(]?((?:[\w.~-]+/)*[\w-][\w.-]*\.(?:md|txt|json|jsonl|csv|html|py|rs|ts|js|go|sh|toml|yaml|yml|sql|log))\b",
    )
    .expect("a promise to write a file")
});

/// Collects the files that file tools and redirections wrote, and those promised by the agent.
pub fn extract(session: &Session) -> Vec<Artefact> {
    let mut found: Vec<Artefact> = Vec::new();
    let mut by_path: BTreeMap<String, usize> = BTreeMap::new();
    let mut at = |found: &mut Vec<Artefact>, path: &str, make: bool| -> Option<usize> {
        let key = path.trim_start_matches("./");
        if let Some(&i) = by_path.get(key) {
            return Some(i);
        }
        make.then(|| {
            by_path.insert(key.to_owned(), found.len());
            found.push(Artefact { path: path.to_owned(), ..Artefact::default() });
            found.len() - 1
        })
    };
    for (r, call) in session.calls().filter(|(r, c)| !c.failed() && !session.message(r.msg).abandoned) {
        match (call.kind, call.path(), call.command()) {
            (ToolKind::Write | ToolKind::Edit, ..) => {
                for path in call.written_paths() {
                    if let Some(i) = at(&mut found, path, true) {
                        found[i].written.push(r);
                    }
                }
            }
            (ToolKind::Read, Some(path), _) => {
                if let Some(i) = at(&mut found, path, false) {
                    found[i].read.push(r);
                }
            }
            (_, _, Some(command)) => {
                for path in redirected(command) {
                    if let Some(i) = at(&mut found, path, true) {
                        found[i].written.push(r);
                    }
                }
                for path in deleted(command) {
                    if let Some(i) = at(&mut found, path, false) {
                        found[i].deleted.push(r);
                    }
                }
            }
            _ => {}
        }
    }
    promises(session, &mut found);
    found
}

/// Files that a command writes by `>` or `tee`; devices are none.
fn redirected(command: &str) -> impl Iterator<Item = &str> {
    let paths = REDIRECT.captures_iter(command).filter_map(|c| (1..5).find_map(|i| c.get(i)).map(|m| m.as_str()));
    paths.filter(|p| !p.starts_with("/dev/") && !p.contains('$'))
}

fn deleted(command: &str) -> impl Iterator<Item = &str> {
    let lists = DELETE.captures_iter(command).filter_map(|c| c.get(1).map(|m| m.as_str()));
    lists.flat_map(str::split_whitespace).map(|p| p.trim_matches(['"', '\''])).filter(|p| !p.starts_with('-'))
}

/// Ties promises to the files written, and keeps those of which nothing was written.
fn promises(session: &Session, found: &mut Vec<Artefact>) {
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    for (i, artefact) in found.iter().enumerate() {
        by_name.entry(name(&artefact.path).to_owned()).or_insert(i);
    }
    for text in session.texts().filter(|t| t.provenance == Provenance::Assistant && !session.message(t.msg).abandoned) {
        for c in PROMISE.captures_iter(text.text) {
            let Some(path) = c.get(1) else { continue };
            let span = text.span(path.start(), path.end());
            let i = *by_name.entry(name(path.as_str()).to_owned()).or_insert_with(|| {
                found.push(Artefact { path: path.as_str().to_owned(), ..Artefact::default() });
                found.len() - 1
            });
            let before = found[i].written.first().is_none_or(|w| text.msg <= w.msg);
            if found[i].promised.is_none() && before {
                found[i].promised = Some(span);
            }
        }
    }
}

/// The last part of a path.
pub(crate) fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    #[test]
    fn follows_a_file_from_promise_to_deletion() {
        let session = SessionBuilder::new()
            .assistant("I'll write the notes to docs/notes.md and then go on. Next I will create `other.txt`.")
            .call("Write", json!({"file_path": "/a/docs/notes.md", "content": "x"}), "ok")
            .call("Read", json!({"file_path": "/a/docs/notes.md"}), "x")
            .shell("echo 1 > out.log 2>/dev/null; ls > /dev/null", 0, "")
            .shell("cd /a && rm -f /a/docs/notes.md", 0, "")
            .shell("cat > never.txt", 1, "denied")
            .build();
        let found = extract(&session);
        let got: Vec<_> = found
            .iter()
            .map(|a| (a.path.as_str(), a.promised.is_some(), a.written.len(), a.read.len(), a.deleted.len(), a.state()))
            .collect();
        assert_eq!(
            got,
            [
                ("/a/docs/notes.md", true, 1, 1, 1, "deleted"),
                ("out.log", false, 1, 0, 0, "written"),
                ("other.txt", true, 0, 0, 0, "promised")
            ]
        );
    }
}
