//! The vocabulary of deeds: what kinds of files, programs and tools there are, and what verbs mean.

use std::sync::LazyLock;

use regex::Regex;

use crate::extract::artefacts::name;

/// Endings of documents: what stands in them is told, not done.
const DOCUMENTS: &[&str] = &["md", "mdx", "txt", "rst", "adoc", "log", "markdown"];
/// Programs that change the files they name.
pub(super) const CHANGERS: &[&str] =
    &["rm", "mv", "cp", "mkdir", "touch", "truncate", "tee", "install", "ln", "chmod", "rmdir"];
/// Subcommands of git that change the files they name.
pub(super) const GIT_CHANGERS: &[&str] = &["mv", "rm", "restore", "checkout", "revert"];

/// Whether a file is a document.
pub(in crate::link) fn is_document(path: &str) -> bool {
    name(path).rsplit_once('.').is_some_and(|(_, end)| DOCUMENTS.contains(&end.to_ascii_lowercase().as_str()))
}

/// Whether a command line names a document.
pub(super) fn names_document(line: &str) -> bool {
    DOCUMENTS.iter().any(|end| line.contains(&format!(".{end}")))
}

pub(in crate::link) fn multi(pattern: &str) -> Regex {
    Regex::new(&format!("(?m){}", pattern.replace(r"\b", r"(?-u:\b)"))).expect("a constant pattern")
}

/// Commands that write files.
pub(super) static WRITES: LazyLock<Regex> = LazyLock::new(|| {
    multi(
        r#"(?:^|[;&|(]\s*|\s)(?:sed -i|perl -\w*i|tee|patch|apply_patch|cp|mv)\s|(?:^|[^0-9&>=-])>{1,2} ?["'\w./~$]|write_text|\.write\(|open\([^)\n]*['"][wa]"#,
    )
});
/// Words of a text about something written.
pub(in crate::link) static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    multi(
        r"(?i)\b(?:docs?|document\w*|readme|notes?|sections?|guides?|spec\w*|reports?|changelog|status|quickstart|skills?|templates?|tables?|wording|text|chapter|scenarios?|plan|checklist|research|agents|description|summary|list|content|file)\b|\.md\b",
    )
});
/// Verbs that an edit of a file can do.
pub(in crate::link) const EDITS: &[&str] =
    &["add", "change", "configure", "convert", "create", "extract", "move", "remove", "resolve", "restore", "revert"];
/// Words in the names of tools that do what a verb says.
const TOOLS: &[(&str, &[&str])] = &[
    ("add", &["add", "create", "insert"]),
    ("change", &["update", "change", "modify", "edit", "set"]),
    ("create", &["create", "add", "new"]),
    ("remove", &["delete", "remove"]),
    ("upgrade", &["upgrade", "update"]),
    ("open", &["open", "create"]),
];

/// Words in the names of tools that do what a verb says, where they are others than the verb.
pub(super) fn tool_words(verb: &str) -> Option<&'static [&'static str]> {
    TOOLS.iter().find(|(v, _)| *v == verb).map(|(_, words)| *words)
}

/// The verb of a finished deed that a request's verb asks for: `fix` → `change`.
pub(super) fn canonical(verb: &str) -> &str {
    match verb {
        "add" | "implement" | "insert" | "introduce" | "include" | "append" | "put" => "add",
        "create" | "write" | "generate" | "make" => "create",
        "remove" | "delete" | "drop" => "remove",
        "rename" | "move" => "move",
        "fix" | "update" | "refactor" | "change" | "improve" | "replace" | "document" | "clean" | "rewrite"
        | "adjust" | "set" | "apply" | "extend" | "simplify" | "address" | "format" | "edit" | "modify" | "enable"
        | "disable" | "split" | "wire" | "handle" => "change",
        other => other,
    }
}
