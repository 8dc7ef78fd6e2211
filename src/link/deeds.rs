//! What one call that worked did to the things it names: files it changed or read, commands it ran, words it wrote.

use super::overlap::Bag;
use crate::extract::artefacts::name;
use crate::extract::episodes::command::{Class, class};
use crate::extract::episodes::shell::{Command, commands};
use crate::session::{ToolCall, ToolKind};

/// Bytes of what a call writes that are read.
const DEPTH: usize = 8_000;
/// Programs that change the files they name.
const CHANGERS: &[&str] = &["rm", "mv", "cp", "mkdir", "touch", "truncate", "tee", "install", "ln", "chmod", "rmdir"];
/// Subcommands of git that change the files they name.
const GIT_CHANGERS: &[&str] = &["mv", "rm", "restore", "checkout", "revert"];
/// Endings of documents: words in them are told, not done.
const DOCUMENTS: &[&str] = &["md", "mdx", "txt", "rst", "adoc", "log", "markdown"];

/// The deeds of one call.
#[derive(Debug, Default)]
pub(super) struct Deeds<'a> {
    changed: Vec<String>,
    read: Vec<&'a str>,
    url: Option<&'a str>,
    /// Commands that do something, and those that only show.
    ran: Vec<(Class, Command)>,
    /// The whole command line, for commands quoted in a request.
    line: &'a str,
    /// What was written into files that are no documents.
    written: String,
    /// What the agent calls the call, where it says so.
    label: &'a str,
    /// It hands work to a subagent.
    delegated: bool,
}

impl<'a> Deeds<'a> {
    /// The deeds of a call; `None` = it is not known to have worked, or plans or asks only.
    pub(super) fn of(call: &'a ToolCall) -> Option<Self> {
        if !call.worked() || matches!(call.kind, ToolKind::Plan | ToolKind::Ask) {
            return None;
        }
        let text = |key: &str| call.input.get(key).and_then(|v| v.as_str()).unwrap_or("");
        let mut deeds = Self {
            label: text("description"),
            line: call.command().unwrap_or(""),
            delegated: call.kind == ToolKind::Task,
            ..Self::default()
        };
        let files = [call.written_paths(), call.deleted_paths()].concat();
        deeds.changed = files.iter().map(|p| (*p).to_owned()).collect();
        match call.kind {
            ToolKind::Read | ToolKind::Search => deeds.read.extend(call.target()),
            ToolKind::Fetch => deeds.url = call.target(),
            _ => {}
        }
        if files.iter().any(|p| !is_document(p)) {
            deeds.written = written(call);
        }
        for command in commands(deeds.line) {
            deeds.note(command);
        }
        Some(deeds)
    }

    fn note(&mut self, command: Command) {
        let class = if asks_the_host(&command) { Class::Commit } else { class(&command) };
        let operand = command.operand().unwrap_or("");
        let changes = class == Class::Edit
            || CHANGERS.contains(&command.program())
            || command.program() == "git" && GIT_CHANGERS.contains(&operand);
        self.changed.extend(command.into.iter().filter(|p| !p.starts_with("/dev/")).cloned());
        if changes {
            let files = command.words[1..].iter().filter(|w| !w.starts_with('-') && w.contains(['.', '/']));
            self.changed.extend(files.cloned());
        }
        self.ran.push((class, command));
    }

    /// Whether it changed the file of this name.
    pub(super) fn changed(&self, file: &str) -> bool {
        self.changed.iter().any(|p| same_file(file, p))
    }

    /// Whether it read the file of this name.
    pub(super) fn looked_at(&self, file: &str) -> bool {
        let shown = self.ran.iter().filter(|(class, _)| *class == Class::Look);
        self.read.iter().any(|p| same_file(file, p))
            || shown.flat_map(|(_, c)| &c.words[1..]).any(|w| same_file(file, w))
    }

    /// Whether it fetched this address.
    pub(super) fn fetched(&self, url: &str) -> bool {
        self.url.is_some_and(|u| u.trim_end_matches('/') == url.trim_end_matches('/'))
    }

    /// Commands that do something.
    pub(super) fn runs(&self) -> impl Iterator<Item = (Class, &Command)> {
        let shows = |class: Class| matches!(class, Class::Idle | Class::Look);
        self.ran.iter().filter(move |(class, _)| !shows(*class)).map(|(class, c)| (*class, c))
    }

    /// Commands of every kind.
    pub(super) fn commands(&self) -> impl Iterator<Item = (Class, &Command)> {
        self.ran.iter().map(|(class, c)| (*class, c))
    }

    /// Whether it changed a file that is no document.
    pub(super) fn changes_program(&self) -> bool {
        self.changed.iter().any(|p| !is_document(p))
    }

    /// Whether it ran the file of this name.
    pub(super) fn ran(&self, file: &str) -> bool {
        self.runs().flat_map(|(_, c)| &c.words).any(|w| same_file(file, w))
    }

    /// Whether its command line holds this one, and does more than show.
    pub(super) fn runs_line(&self, line: &str) -> bool {
        self.runs().next().is_some() && self.line.contains(line)
    }

    /// Whether it wrote this name into a file, or ran a command with it.
    pub(super) fn sets(&self, name: &str) -> bool {
        holds(&self.written, name) || self.runs().flat_map(|(_, c)| &c.words).any(|w| holds(w, name))
    }

    /// Whether it changed a file or ran something.
    pub(super) fn acts(&self) -> bool {
        !self.changed.is_empty() || self.runs().next().is_some() || !self.label.is_empty()
    }

    /// Whether it hands work to a subagent.
    pub(super) fn delegated(&self) -> bool {
        self.delegated
    }

    /// What it wrote, the words of the commands that do something, and the files it changed.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let words = self.runs().flat_map(|(_, c)| &c.words).chain(&self.changed);
        std::iter::once(self.written.as_str()).chain(words.map(String::as_str))
    }

    /// What the agent calls it.
    pub(super) fn label(&self) -> &'a str {
        self.label
    }

    /// The words of what it wrote and ran.
    pub(super) fn words(&self) -> Bag {
        let mut text = self.label.to_owned();
        for part in self.texts() {
            text.push(' ');
            text.push_str(part);
        }
        Bag::of(&text)
    }
}

/// `gh pr create` and the like change what the host of the repository holds.
fn asks_the_host(command: &Command) -> bool {
    const DEEDS: &[&str] = &["create", "merge", "close", "edit", "comment", "review", "reopen", "delete"];
    matches!(command.program(), "gh" | "glab") && command.words.get(2).is_some_and(|w| DEEDS.contains(&w.as_str()))
}

/// Whether a file is a document: what stands in it is told, not done.
fn is_document(path: &str) -> bool {
    name(path).rsplit_once('.').is_some_and(|(_, end)| DOCUMENTS.contains(&end.to_ascii_lowercase().as_str()))
}

/// Whether a name and a path mean one file: the shorter is the end of the longer.
fn same_file(name: &str, path: &str) -> bool {
    let plain = |p: &str| p.trim_start_matches(['@', '"', '\'']).trim_start_matches("./").to_lowercase();
    let (name, path) = (plain(name), plain(path));
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|head| head.is_empty() || head.ends_with('/')) && !short.is_empty()
    };
    let (name, path) = (name.trim_end_matches('/'), path.trim_end_matches('/'));
    ends(path, name) || ends(name, path)
}

/// Whether a text holds a name as a whole word.
fn holds(text: &str, name: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| !text[..at].ends_with(word) && !text[at + name.len()..].starts_with(word))
}

/// The texts that a file tool or a patch writes or takes out.
fn written(call: &ToolCall) -> String {
    let mut out = String::new();
    if let Some(patch) = call.patch() {
        let lines = patch.lines().filter(|l| l.starts_with(['+', '-']));
        lines.for_each(|l| out.extend([&l[1..], "\n"]));
    } else {
        collect(&call.input, &mut out);
    }
    out.truncate(out.floor_char_boundary(DEPTH));
    out
}

/// The strings of the fields that hold text for a file.
fn collect(input: &serde_json::Value, out: &mut String) {
    const FIELDS: &[&str] = &[
        "content",
        "new_string",
        "old_string",
        "newString",
        "oldString",
        "new_str",
        "old_str",
        "file_text",
        "insert_text",
    ];
    let edits = input.get("edits").and_then(|e| e.as_array()).into_iter().flatten();
    for object in std::iter::once(input).chain(edits) {
        for text in FIELDS.iter().filter_map(|f| object.get(f)?.as_str()) {
            out.push_str(&text[..text.floor_char_boundary(DEPTH)]);
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn of(builder: SessionBuilder, ask: impl Fn(&Deeds<'_>) -> bool) -> Option<bool> {
        let session = builder.build();
        session.calls().next().and_then(|(_, call)| Deeds::of(call).map(|d| ask(&d)))
    }

    fn shell(line: &str, code: i64, ask: impl Fn(&Deeds<'_>) -> bool) -> Option<bool> {
        of(SessionBuilder::new().shell(line, code, ""), ask)
    }

    #[test]
    fn reading_a_file_changes_nothing() {
        assert_eq!(shell("cat src/a.rs | head", 0, |d| d.changed("a.rs")), Some(false));
        assert_eq!(shell("cat src/a.rs | head", 0, |d| d.looked_at("src/a.rs")), Some(true));
        assert_eq!(shell("sed -i 's/x/y/' /w/src/a.rs", 0, |d| d.changed("src/a.rs")), Some(true));
        assert_eq!(shell("echo 1 > out.log", 0, |d| d.changed("out.log")), Some(true));
        assert_eq!(shell("rm -r old/b.rs", 0, |d| d.changed("b.rs")), Some(true));
        assert_eq!(shell("rm b.rs", 1, |d| d.changed("b.rs")), None);
    }

    #[test]
    fn words_of_a_document_are_told_not_done() {
        let write = |file: &str| {
            SessionBuilder::new().call("Write", json!({"file_path": file, "content": "set max_age to 9"}), "ok")
        };
        assert_eq!(of(write("/w/plan.md"), |d| d.sets("max_age")), Some(false));
        assert_eq!(of(write("/w/conf.py"), |d| d.sets("max_age")), Some(true));
        assert_eq!(of(write("/w/conf.py"), |d| d.sets("max")), Some(false));
    }

    #[test]
    fn a_patch_changes_the_files_it_names() {
        let patch = "*** Begin Patch\n*** Update File: AGENTS.md\n@@\n-a\n+b\n*** End Patch";
        let call = SessionBuilder::new().call("apply_patch", json!({"input": patch}), "Done");
        assert_eq!(of(call, |d| d.changed("@AGENTS.md")), Some(true));
    }
}
