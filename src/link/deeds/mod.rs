//! What one call that worked did to the things it names: files it changed or read, commands it ran, words it wrote.

pub(in crate::link) mod commands;
pub(in crate::link) mod did;
pub(in crate::link) mod goal;
mod names;
pub(in crate::link) mod object;
pub(in crate::link) mod outcome;
pub(in crate::link) mod words;

use self::words::{CHANGERS, GIT_CHANGERS, is_document};
use super::overlap::Bag;
use crate::extract::episodes::command::{Class, class};
use crate::extract::episodes::shell::{Command, commands};
use crate::session::{ToolCall, ToolKind};

/// Bytes of what a call writes that are read.
const DEPTH: usize = 8_000;
/// The deeds of one call.
#[derive(Debug)]
pub(in crate::link) struct Deeds<'a> {
    call: &'a ToolCall,
    changed: Vec<String>,
    read: Vec<&'a str>,
    url: Option<&'a str>,
    /// Commands that do something, and those that only show.
    ran: Vec<(Class, Command)>,
    /// The whole command line, for commands quoted in a request.
    line: &'a str,
    /// What was taken out of files that are no documents, and what was put in.
    taken: String,
    put: String,
    /// What the agent calls the call, where it says so.
    label: &'a str,
    /// It hands work to a subagent.
    delegated: bool,
}

impl<'a> Deeds<'a> {
    /// The deeds of a call; `None` = it is not known to have worked, or plans or asks only.
    pub(in crate::link) fn of(call: &'a ToolCall) -> Option<Self> {
        if !call.worked() || matches!(call.kind, ToolKind::Plan | ToolKind::Ask) {
            return None;
        }
        let text = |key: &str| call.input.get(key).and_then(|v| v.as_str()).unwrap_or("");
        let mut deeds = Self {
            label: text("description"),
            line: call.command().unwrap_or(""),
            delegated: call.kind == ToolKind::Task,
            call,
            changed: Vec::new(),
            read: Vec::new(),
            url: None,
            ran: Vec::new(),
            taken: String::new(),
            put: String::new(),
        };
        let files = [call.written_paths(), call.deleted_paths()].concat();
        deeds.changed = files.iter().map(|p| (*p).to_owned()).collect();
        match call.kind {
            ToolKind::Read => deeds.read.extend(call.target()),
            ToolKind::Fetch => deeds.url = call.target(),
            _ => {}
        }
        if files.iter().any(|p| !is_document(p)) {
            (deeds.taken, deeds.put) = did::sides(call);
            for side in [&mut deeds.taken, &mut deeds.put] {
                side.truncate(side.floor_char_boundary(DEPTH));
            }
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
    pub(in crate::link) fn changed(&self, file: &str) -> bool {
        self.changed.iter().any(|p| same_file(file, p))
    }

    /// Whether it wrote a file in the folder of this path.
    pub(in crate::link) fn changed_under(&self, folder: &str) -> bool {
        let inside = |p: &String| {
            p.to_lowercase().rsplit_once('/').is_some_and(|(dir, _)| {
                let dir = format!("/{}/", dir.trim_start_matches(['/', '.']));
                dir.contains(&format!("/{folder}/")) || dir.contains(&format!("/.{folder}/"))
            })
        };
        !self.call.written_paths().is_empty() && self.changed.iter().any(inside)
    }

    /// Whether it read the file of this name.
    pub(in crate::link) fn looked_at(&self, file: &str) -> bool {
        let shown = self.ran.iter().filter(|(class, _)| *class == Class::Look);
        self.read.iter().any(|p| same_file(file, p))
            || shown.flat_map(|(_, c)| &c.words[1..]).any(|w| same_file(file, w))
    }

    /// Whether it fetched this address.
    pub(in crate::link) fn fetched(&self, url: &str) -> bool {
        self.url.is_some_and(|u| u.trim_end_matches('/') == url.trim_end_matches('/'))
    }

    /// Commands that do something.
    pub(in crate::link) fn runs(&self) -> impl Iterator<Item = (Class, &Command)> {
        let shows = |class: Class| matches!(class, Class::Idle | Class::Look);
        self.ran.iter().filter(move |(class, _)| !shows(*class)).map(|(class, c)| (*class, c))
    }

    /// Commands of every kind.
    pub(in crate::link) fn commands(&self) -> impl Iterator<Item = (Class, &Command)> {
        self.ran.iter().map(|(class, c)| (*class, c))
    }

    /// Whether it changed a file that is no document.
    pub(in crate::link) fn changes_program(&self) -> bool {
        self.changed.iter().any(|p| !is_document(p))
    }

    /// Whether it ran the file of this name.
    pub(in crate::link) fn ran(&self, file: &str) -> bool {
        self.runs().flat_map(|(_, c)| &c.words).any(|w| same_file(file, w))
    }

    /// Whether its command line holds this one, and does more than show.
    pub(in crate::link) fn runs_line(&self, line: &str) -> bool {
        self.runs().next().is_some() && self.line.contains(line)
    }

    /// Whether it put this name into a file or took it out, or ran a command with it.
    pub(in crate::link) fn sets(&self, name: &str) -> bool {
        count(&self.taken, name) != count(&self.put, name)
            || self.runs().flat_map(|(_, c)| &c.words).any(|w| holds(w, name))
    }

    /// Whether it changed a file or ran something.
    pub(in crate::link) fn acts(&self) -> bool {
        !self.changed.is_empty() || self.runs().next().is_some() || !self.label.is_empty()
    }

    /// Whether it hands work to a subagent.
    pub(in crate::link) fn delegated(&self) -> bool {
        self.delegated
    }

    /// What it wrote, the words of the commands that do something, and the files it changed.
    pub(in crate::link) fn texts(&self) -> impl Iterator<Item = &str> {
        let words = self.runs().flat_map(|(_, c)| &c.words).chain(&self.changed);
        [self.taken.as_str(), &self.put].into_iter().chain(words.map(String::as_str))
    }

    /// What the agent calls it.
    pub(in crate::link) fn label(&self) -> &'a str {
        self.label
    }

    /// The words of what it wrote and ran.
    pub(in crate::link) fn words(&self) -> Bag {
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

/// How often a text holds a name as a whole word.
fn count(text: &str, name: &str) -> usize {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let whole = |at: usize| !text[..at].ends_with(word) && !text[at + name.len()..].starts_with(word);
    text.match_indices(name).filter(|(at, _)| whole(*at)).count()
}

/// Whether a text holds a name as a whole word.
fn holds(text: &str, name: &str) -> bool {
    count(text, name) > 0
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
