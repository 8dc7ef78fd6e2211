//! Claims that nothing before them could show: for their kind it is known which calls could, and none of those was made.
//!
//! A call that might be one counts as one: a script may run tests, a task runner may commit. Where a part of the record
//! is missing (a summary in its place, a subagent's work, messages copied from another session) nothing is bare.

use std::sync::LazyLock;

use regex::Regex;

use super::{Claim, Matter, re};
use crate::extract::artefacts::name;
use crate::extract::episodes::command::{Class, class};
use crate::extract::episodes::shell::commands;
use crate::session::{CallRef, MessageKind, MsgIx, Role, Session, ToolCall, ToolKind};

/// Anything in a command or an output that may be a test.
static TEST: LazyLock<Regex> = LazyLock::new(|| re(r"test|\bspecs?\b|\bcheck|verif|assert|passed|\bpass\b|✓|✅"));

/// What one call might have done.
#[derive(Debug, Default, Clone, Copy)]
struct Might {
    /// Ran something: a program, tests, a build, a probe.
    run: bool,
    /// Ran or reported tests.
    test: bool,
    /// Built, compiled, linted.
    build: bool,
    /// Recorded work in version control.
    commit: bool,
    /// Changed a file.
    change: bool,
}

impl Might {
    const ANYTHING: Self = Self { run: true, test: true, build: true, commit: true, change: true };

    fn of(call: &ToolCall) -> Self {
        match call.kind {
            ToolKind::Shell => Self::of_command(call),
            ToolKind::Write | ToolKind::Edit => Self { change: true, ..Self::default() },
            ToolKind::Read | ToolKind::Search | ToolKind::Plan | ToolKind::Ask => Self::default(),
            ToolKind::Fetch | ToolKind::Task | ToolKind::Other => Self::ANYTHING,
        }
    }

    fn of_command(call: &ToolCall) -> Self {
        let line = call.command().unwrap_or("");
        let output = call.result.as_ref().map_or("", |r| r.text.as_str());
        let commands = commands(line);
        if commands.is_empty() {
            return Self::ANYTHING;
        }
        let mut might = Self { test: TEST.is_match(line) || TEST.is_match(output), ..Self::default() };
        for command in &commands {
            let class = class(command);
            let runs = class.runs();
            might.run |= runs;
            might.test |= runs;
            might.build |= runs || line.contains("build") || line.contains("lint");
            might.commit |= runs && class != Class::Probe || line.contains("commit") || line.contains("push");
            might.commit |= matches!(class, Class::Commit) || line.contains("git ");
            might.change |= runs || !matches!(class, Class::Idle | Class::Look);
        }
        might
    }
}

/// The newest call that might have done each thing, up to a message.
#[derive(Debug, Default)]
struct Newest {
    calls: usize,
    run: Option<usize>,
    test: Option<usize>,
    build: Option<usize>,
    commit: Option<usize>,
    change: Option<usize>,
    /// A call that certainly changed a file and did nothing else.
    edit: Option<usize>,
}

impl Newest {
    fn note(&mut self, call: &ToolCall) {
        let at = self.calls;
        self.calls += 1;
        let might = Might::of(call);
        let set = |slot: &mut Option<usize>, is: bool| {
            if is {
                *slot = Some(at);
            }
        };
        set(&mut self.run, might.run);
        set(&mut self.test, might.test);
        set(&mut self.build, might.build);
        set(&mut self.commit, might.commit);
        set(&mut self.change, might.change);
        set(&mut self.edit, matches!(call.kind, ToolKind::Write | ToolKind::Edit) && call.worked());
    }

    /// Whether no call before could show this. `None` = a named file: every text must be looked through.
    fn leaves_bare(&self, matter: &Matter) -> bool {
        match matter {
            Matter::Tests { .. } => self.calls > 0 && (self.test.is_none() || self.edit > self.test),
            Matter::Build => self.calls > 0 && (self.build.is_none() || self.edit > self.build),
            Matter::Ran { .. } => self.calls > 0 && self.run.is_none(),
            Matter::Commit { .. } => self.calls > 0 && self.commit.is_none(),
            Matter::Done { verb } => self.calls > 0 && self.lacks(verb),
            _ => false,
        }
    }

    fn lacks(&self, verb: &str) -> bool {
        match verb {
            "push" | "merge" | "rebase" | "cherry-pick" => self.commit.is_none(),
            "add" | "change" | "create" | "remove" | "move" | "convert" | "configure" | "install" | "upgrade"
            | "uninstall" | "copy" => self.change.is_none(),
            "build" | "train" => self.run.is_none(),
            _ => false,
        }
    }
}

/// Marks the claims that nothing before them could show.
pub(super) fn mark(session: &Session, claims: &mut [Claim]) {
    if claims.is_empty() || session.forked_from.is_some() {
        return;
    }
    let partial = first_gap(session);
    let mut newest = Newest::default();
    let mut calls = session.calls().peekable();
    for claim in claims.iter_mut() {
        let before = |r: &CallRef| (r.msg, r.part) < (claim.msg, claim.span.part);
        while let Some((_, call)) = calls.next_if(|(r, _)| before(r)) {
            newest.note(call);
        }
        claim.bare = claim.msg < partial && newest.leaves_bare(&claim.matter);
    }
    // The user may have run the tests that a message of theirs speaks of.
    let mut bare_tests = claims.iter_mut().filter(|c| c.bare && matches!(c.matter, Matter::Tests { .. })).peekable();
    if bare_tests.peek().is_some() {
        let told = session.iter().find(|(_, m)| m.role == Role::User && TEST.is_match(&m.text())).map(|(ix, _)| ix);
        bare_tests.for_each(|c| c.bare = told.is_none_or(|ix| ix >= c.msg));
    }
    mark_files(session, claims, partial);
}

/// The first message after which a part of the work may stand elsewhere.
fn first_gap(session: &Session) -> MsgIx {
    let summary = |k| matches!(k, MessageKind::CompactionSummary | MessageKind::SyntheticContinuation);
    let gap = |m: &crate::session::Message| {
        summary(m.kind) || m.copied_from.is_some() || m.calls().any(|c| c.kind == ToolKind::Task)
    };
    let at = session.messages.iter().position(gap).unwrap_or(session.messages.len());
    MsgIx(at as u32)
}

/// A file that is said to be written is bare when no call, and no text that is not the agent's, names it.
fn mark_files(session: &Session, claims: &mut [Claim], partial: MsgIx) {
    use crate::session::Provenance;
    let mut files: Vec<(&str, &mut bool)> = claims
        .iter_mut()
        .filter(|c| c.msg < partial)
        .filter_map(|c| match &c.matter {
            Matter::File { path } => Some((name(path), &mut c.bare)),
            _ => None,
        })
        .collect();
    let Ok(names) = aho_corasick::AhoCorasick::new(files.iter().map(|(n, _)| *n)) else { return };
    if files.is_empty() || session.calls().next().is_none() {
        return;
    }
    let mut seen = vec![false; files.len()];
    let mut look = |text: &str| {
        for hit in names.find_overlapping_iter(text) {
            seen[hit.pattern().as_usize()] = true;
        }
    };
    for (_, call) in session.calls() {
        look(&call.input.to_string());
        look(call.result.as_ref().map_or("", |r| r.text.as_str()));
    }
    session.texts().filter(|t| t.provenance != Provenance::Assistant).for_each(|t| look(t.text));
    files.iter_mut().zip(seen).for_each(|((_, bare), seen)| **bare = !seen);
}

#[cfg(test)]
mod tests {
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn bare(builder: SessionBuilder, said: &str) -> Vec<bool> {
        super::super::extract(&builder.assistant(said).build()).iter().map(|c| c.bare).collect()
    }

    #[test]
    fn a_claim_is_bare_when_no_call_could_show_it() {
        let edit = json!({"file_path": "/w/a.rs", "old_string": "x", "new_string": "y"});
        let edited =
            SessionBuilder::new().user("please go").call("Edit", edit.clone(), "ok").shell("ls src", 0, "a.rs");
        assert_eq!(bare(edited.clone(), "All tests pass."), [true]);
        assert_eq!(bare(edited.clone(), "The build is clean."), [true]);
        assert_eq!(bare(edited.clone(), "I committed the change."), [true]);
        assert_eq!(bare(edited.clone(), "I saved the table to out/table.csv."), [true]);
        assert_eq!(bare(edited.clone(), "Removed the retry from a.rs."), [false]);
        let ran = edited.clone().shell("./all.sh", 0, "fine");
        assert_eq!(bare(ran.clone(), "All tests pass."), [false]);
        assert_eq!(bare(ran.call("Edit", edit, "ok"), "All tests pass."), [true]);
    }

    #[test]
    fn what_may_have_been_done_elsewhere_is_not_bare() {
        let task = SessionBuilder::new().call("Task", json!({"description": "x", "prompt": "y"}), "done");
        assert_eq!(bare(task.shell("ls", 0, "a"), "All tests pass."), [false]);
        let told = SessionBuilder::new().user("the tests pass here").shell("ls", 0, "a");
        assert_eq!(bare(told, "All tests pass."), [false]);
        assert_eq!(bare(SessionBuilder::new().user("hello"), "All tests pass."), [false]);
    }
}
