//! The calls of a session as the verdicts see them: what each ran, printed and changed.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::extract::claims::Claim;
use crate::extract::episodes::command::Classes;
use crate::link::Scene;
use crate::link::deeds::outcome::tail;
use crate::session::{CallRef, MsgIx, Session, ThreadIx, ToolCall, ToolKind};

use super::runs::{self, Counts};

/// Words of a prompt up to which it asks for nothing new: "yes", "go on".
const SHORT: usize = 3;

/// One call.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    /// The call.
    pub(super) call: &'a ToolCall,
    /// Thread it belongs to.
    pub(super) thread: ThreadIx,
    /// Where it stands.
    pub(super) at: CallRef,
    /// It lies on a branch that the user left.
    abandoned: bool,
    /// Command line, for calls that have one.
    pub(super) command: &'a str,
    /// What its commands do.
    pub(super) classes: Classes,
    /// It only shows what stands elsewhere.
    pub(super) quotes: bool,
    /// The end of what it printed; empty for file tools, plans and searches.
    pub(super) printed: &'a str,
    /// Tests it ran, as printed.
    pub(super) tests: Option<Counts>,
    /// It may have changed something.
    pub(super) changes: bool,
    /// It changed source files, for sure.
    pub(super) edits: bool,
}

/// Every call of a session, in reading order.
#[derive(Debug)]
pub(super) struct Record<'a> {
    pub(super) session: &'a Session,
    pub(super) calls: Vec<Seen<'a>>,
    /// Messages in which the user asks for something: those that only say yes go on with what was asked before.
    asks: Vec<MsgIx>,
}

static CHANGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)(?:^|[;&|(]|\s)(?:sed -i|perl -\w*i|tee|mv|cp|rm|mkdir|touch|chmod|chown|ln|kill|pkill|killall|systemctl (?:re)?(?:start|stop|load)|service \S+ \w*start|docker|nohup|patch|git (?:checkout|apply|stash|reset|merge|rebase|pull|revert|cherry-pick|commit|restore|switch|clone)|(?:pip3?|npm|apt|apt-get|yarn|pnpm|cargo|conda|brew|uv) (?:\w+ )?(?:install|add|remove|update|i|ci)|sysctl -w|sysctl -p|make|cmake|python3?|node|bash|sh|nginx|echo \S+ ?>)(?:\s|$)|[^0-9&>=-]>{1,2} ?[^&\s]").expect("commands that change something")
});
static EDIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)(?:^|[;&|(]\s*|\s)(?:sed -i|perl -\w*i|git (?:checkout|apply|stash|reset|merge|rebase|pull|revert|cherry-pick|restore)|patch -p)\s").expect("commands that edit")
});
/// Endings of files that a test or a build covers.
const SOURCE: &[&str] = &[
    "rs", "py", "js", "ts", "tsx", "jsx", "mjs", "cjs", "go", "c", "cc", "cpp", "cxx", "h", "hpp", "java", "kt", "rb",
    "php", "cs", "swift", "scala", "vue", "svelte", "ex", "exs", "erl", "hs", "ml", "lua", "zig", "cu", "pl", "r",
    "jl", "dart",
];

impl<'a> Record<'a> {
    /// The calls of a session.
    pub(super) fn of(scene: &Scene<'a>) -> Self {
        let session = scene.session;
        let mut known: BTreeSet<&str> = BTreeSet::new();
        let mut calls = Vec::with_capacity(scene.facts.calls.len());
        for (at, call) in session.calls() {
            let mut seen = see(session, at, call);
            // A new file changes nothing that was checked before.
            seen.edits &= call.kind != ToolKind::Write || call.written_paths().iter().any(|p| known.contains(p));
            known.extend(call.path());
            calls.push(seen);
        }
        let asks = session.asks().filter(|(_, text)| text.split_whitespace().nth(SHORT).is_some());
        Self { session, calls, asks: asks.map(|(ix, _)| ix).collect() }
    }

    /// The calls since the request that a claim answers, newest first.
    pub(super) fn turn(&self, claim: &Claim, at: usize) -> impl Iterator<Item = (usize, &Seen<'a>)> {
        let asked = self.asks.iter().rfind(|ix| **ix <= claim.msg).copied();
        self.newest(claim, at).take_while(move |(_, c)| asked.is_none_or(|ask| c.at.msg >= ask))
    }

    /// How many calls stand before a claim.
    pub(super) fn before(&self, claim: &Claim) -> usize {
        self.calls.partition_point(|c| (c.at.msg, c.at.part) < (claim.msg, claim.span.part))
    }

    /// The calls that bear on a claim, newest first: on the main thread all before it, subagents' included; in a
    /// subagent its own.
    pub(super) fn newest(&self, claim: &Claim, at: usize) -> impl Iterator<Item = (usize, &Seen<'a>)> {
        let thread = self.session.message(claim.msg).thread;
        let mine = move |c: &Seen<'a>| !c.abandoned && (thread == ThreadIx(0) || c.thread == thread);
        self.calls[..at].iter().enumerate().rev().filter(move |(_, c)| mine(c))
    }

    /// The newest call after `from` and before `at` that has a property.
    pub(super) fn since(&self, claim: &Claim, from: usize, at: usize, has: fn(&Seen<'_>) -> bool) -> Option<usize> {
        self.newest(claim, at).take_while(|(i, _)| *i > from).find(|(_, c)| has(c)).map(|(i, _)| i)
    }
}

fn see<'a>(session: &Session, at: CallRef, call: &'a ToolCall) -> Seen<'a> {
    let message = session.message(at.msg);
    let command = call.command().unwrap_or("");
    let output = call.result.as_ref().map_or("", |r| r.text.as_str());
    let shown = match call.kind {
        ToolKind::Shell | ToolKind::Other | ToolKind::Fetch => tail(output),
        _ => "",
    };
    let classes = Classes::of(command);
    let quotes = quotes(command, classes);
    let tests = if quotes { None } else { runs::counts(shown) };
    let edits = edits(call, command);
    let changes = edits || matches!(call.kind, ToolKind::Write | ToolKind::Edit) || CHANGE.is_match(command);
    Seen {
        call,
        thread: message.thread,
        at,
        abandoned: message.abandoned,
        command,
        classes,
        quotes,
        printed: shown,
        tests,
        changes,
        edits,
    }
}

/// Whether a command only shows what stands elsewhere: files, history, its own words. Log files count as results.
fn quotes(command: &str, classes: Classes) -> bool {
    let logs = [".log", ".out", ".output"].iter().any(|end| command.contains(end));
    !command.is_empty() && !logs && classes.only_show()
}

/// Whether a call changed source files for sure: a file tool or `sed -i` and the like that worked.
fn edits(call: &ToolCall, command: &str) -> bool {
    let source = |path: &str| {
        let ending = path.rsplit('.').next().unwrap_or("");
        SOURCE.contains(&ending) && !path.starts_with("/tmp/")
    };
    call.worked()
        && (call.written_paths().into_iter().any(source) || EDIT.is_match(command) && !command.contains("/tmp/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_shows_a_file_is_a_quotation() {
        for shows in ["cat tests/a.txt", "cd /x && grep -rn passed src | head", "git log -3", "echo '5 passed'"] {
            assert!(quotes(shows, Classes::of(shows)), "{shows}");
        }
        for runs in ["cargo test | tail -5", "cd /x && pytest", "cat run.log", "FOO=1 make test"] {
            assert!(!quotes(runs, Classes::of(runs)), "{runs}");
        }
    }
}
