//! What linters, test runners and scanners print: one finding per place or failed test, apart from what participants say.
//!
//! A tool's finding printed again is the same finding. It is gone when the same command runs clean later: by the tool's
//! own word, and only for that command, since a run over fewer files proves nothing about the others.

mod cargo;
mod cargo_test;
mod eslint;
mod go_test;
mod jest;
mod npm_audit;
mod pytest;
mod sarif;
mod trivy;
mod tsc;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;

use super::level;
use crate::extract::prose::offset;
use crate::session::{Field, MsgIx, Provenance, Session, Span, TextRef, ThreadIx, ToolCall};

/// A finding that a tool printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Printed {
    /// Message whose call printed it.
    pub msg: MsgIx,
    /// Bytes that it was read from.
    pub span: Span,
    /// The tool, as its readers know it: `rustc`, `pytest` …
    pub tool: &'static str,
    /// Normalised level, `P0` (worst) to `P4`; `None` = the tool gives none.
    pub level: Option<&'static str>,
    /// Level as printed.
    pub level_text: Option<String>,
    /// Rule, code or advisory.
    pub rule: Option<String>,
    /// What is wrong, as printed.
    pub title: String,
    /// Affected file, test file or package.
    pub file: Option<String>,
    /// Line in that file, from 1.
    pub line: Option<u32>,
    /// Earlier finding (position in `Facts::printed`) that this one repeats.
    pub restates: Option<u32>,
    /// Message in which the same command ran clean.
    pub gone_msg: Option<MsgIx>,
}

/// A finding in a tool's own terms; texts are slices of the output where the output holds them as they are.
#[derive(Debug, Default)]
struct Raw<'a> {
    /// What it was read from.
    source: &'a str,
    level: Option<&'a str>,
    rule: Option<&'a str>,
    title: Cow<'a, str>,
    file: Option<Cow<'a, str>>,
    line: Option<u32>,
}

/// A tool whose output is understood.
struct Tool {
    name: &'static str,
    /// One of these stands in every output with a finding.
    marks: &'static [&'static str],
    read: for<'a> fn(&'a str) -> Vec<Raw<'a>>,
    /// Whether an output without findings says that the tool ran to its end and found nothing.
    clean: fn(&str) -> bool,
}

/// The tools; adding one is a file and a line.
const TOOLS: &[&Tool] = &[
    &cargo::TOOL,
    &cargo_test::TOOL,
    &pytest::TOOL,
    &jest::TOOL,
    &tsc::TOOL,
    &eslint::TOOL,
    &go_test::TOOL,
    &npm_audit::TOOL,
    &trivy::TOOL,
    &sarif::TOOL,
];

/// Reads every finding that a tool printed.
pub fn extract(session: &Session) -> Vec<Printed> {
    let mut found = Vec::new();
    let mut known = Known::default();
    for (at, call) in session.calls() {
        let (Some(command), Some(result)) = (call.command(), call.result.as_ref()) else { continue };
        if shows_files(command) {
            continue;
        }
        let (msg, part, field) = (at.msg, at.part, Field::Output);
        let text = TextRef { msg, part, field, text: &result.text, provenance: Provenance::ToolOutput };
        let thread = session.message(msg).thread;
        for (i, tool) in TOOLS.iter().enumerate() {
            let marked = tool.marks.iter().any(|m| memmem::find(text.text.as_bytes(), m.as_bytes()).is_some());
            let raws = if marked { (tool.read)(text.text) } else { Vec::new() };
            let run = (thread, i, plain(command));
            if !raws.is_empty() {
                known.add(&mut found, &text, run, raws, call.failed());
            } else if known.is_clean(&run, call, || (tool.clean)(text.text)) {
                known.close(&mut found, &run, msg);
            }
        }
    }
    found
}

/// Whether a command prints what stands in files: what a log holds is not found now.
fn shows_files(command: &str) -> bool {
    let own = command.rsplit("&&").next().unwrap_or(command);
    let word = own.split_whitespace().next().unwrap_or_default();
    matches!(
        word.rsplit('/').next().unwrap_or(word),
        "cat"
            | "head"
            | "tail"
            | "grep"
            | "rg"
            | "sed"
            | "awk"
            | "less"
            | "git"
            | "ls"
            | "find"
            | "echo"
            | "diff"
            | "jq"
    )
}

/// A command without what does not change what it checks: its folder stays, the cut of its output goes.
fn plain(command: &str) -> String {
    let parts = command.split('|').enumerate();
    let kept =
        parts.filter(|(i, p)| *i == 0 || !matches!(p.split_whitespace().next(), Some("tail" | "head" | "tee" | "cat")));
    let kept: Vec<&str> = kept.map(|(_, p)| p).collect();
    kept.join("|").replace("2>&1", " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A command with one tool in one thread.
type RunOf = (ThreadIx, usize, String);
/// What makes two printed findings the same: tool, file, rule, title, and which of them in its output.
type Key = (&'static str, Option<String>, Option<String>, String, u32);

/// Findings met so far that no clean run has closed.
#[derive(Default)]
struct Known {
    by_key: BTreeMap<Key, u32>,
    open: BTreeMap<RunOf, Open>,
}

/// What a command printed and no clean run of it has closed.
#[derive(Default)]
struct Open {
    keys: Vec<Key>,
    /// The run that printed them failed: a finding makes this command fail.
    failed: bool,
}

impl Known {
    /// Whether a run without findings shows that those of the same command are gone: its output says so, or it worked where
    /// the run with findings failed.
    fn is_clean(&self, run: &RunOf, call: &ToolCall, says: impl Fn() -> bool) -> bool {
        self.open.get(run).is_some_and(|open| !call.undone() && (says() || open.failed && call.worked()))
    }

    fn add(&mut self, found: &mut Vec<Printed>, text: &TextRef<'_>, run: RunOf, raws: Vec<Raw<'_>>, failed: bool) {
        let tool = TOOLS[run.1].name;
        let mut seen: BTreeSet<(Option<String>, Option<u32>, String)> = BTreeSet::new();
        let mut nth: BTreeMap<(Option<String>, Option<String>, String), u32> = BTreeMap::new();
        let open = self.open.entry(run).or_default();
        open.failed = failed;
        for raw in raws {
            let (file, title) = (raw.file.map(|f| f.into_owned()), raw.title.trim().to_owned());
            if title.is_empty() || !seen.insert((file.clone(), raw.line, title.clone())) {
                continue;
            }
            let rule = raw.rule.map(str::to_owned);
            let count = nth.entry((file.clone(), rule.clone(), title.clone())).or_default();
            let key = (tool, file.clone(), rule.clone(), title.clone(), *count);
            *count += 1;
            let restates = self.by_key.get(&key).copied();
            if restates.is_none() {
                self.by_key.insert(key.clone(), found.len() as u32);
            }
            open.keys.push(key);
            let start = offset(text.text, raw.source);
            found.push(Printed {
                msg: text.msg,
                span: text.span(start, start + raw.source.len()),
                tool,
                level: raw.level.and_then(normal),
                level_text: raw.level.map(str::to_owned),
                rule,
                title,
                file,
                line: raw.line,
                restates,
                gone_msg: None,
            });
        }
    }

    fn close(&mut self, found: &mut [Printed], run: &RunOf, msg: MsgIx) {
        for key in self.open.remove(run).unwrap_or_default().keys {
            if let Some(at) = self.by_key.remove(&key) {
                found[at as usize].gone_msg = Some(msg);
            }
        }
    }
}

fn normal(level: &str) -> Option<&'static str> {
    if level.eq_ignore_ascii_case("note") { Some("P4") } else { level::whole(level).map(|l| l.norm) }
}

/// A line number.
fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|n| *n > 0)
}

#[cfg(test)]
mod tests;
