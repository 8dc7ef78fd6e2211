//! Checkbox lists in plan files that the agent writes or edits: each change of the boxes is a write.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::sed::{self, Substitution};
use super::{Entry, Scope, Source, Write, checklist, heredoc};
use crate::extract::plan::{PlanList, PlanSource};
use crate::session::patch::{self, PatchChange};
use crate::session::{CallRef, ThreadIx, ToolCall, ToolKind};

pub(super) const SOURCE: Source =
    Source { id: "files", about: "Checkbox lists in plan files that the agent edits.", read };

/// Paths of files that hold a plan; a checklist in any other document is not taken for one.
static PLAN_FILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:^|[/\\._-])(?:to-?dos?|plans?|planning|tasks?|roadmap|checklist|progress|backlog|milestones?|steps|implementation)(?:[/\\._-][^/\\]*|\d[^/\\]*)?\.(?:md|markdown|mdx|txt)$")
        .expect("a constant pattern compiles")
});
/// A line number that a tool puts before each line it reads.
static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^ *(?:\d+)(?:→|\t|\| ?|: )").expect("a constant pattern compiles"));

/// What a call does to one file.
enum Change<'a> {
    Whole(String),
    Append(&'a str),
    Replace { old: Cow<'a, str>, new: Cow<'a, str>, all: bool },
    Substitute(Substitution<'a>),
}

/// What is known of a file.
struct Known {
    content: String,
    owner: ThreadIx,
    /// Boxes as the last write left them.
    boxes: Vec<Entry>,
}

fn read(scope: &Scope<'_>) -> Vec<Write> {
    let mut files: BTreeMap<&str, Known> = BTreeMap::new();
    let mut out = Vec::new();
    for (at, call) in scope.calls() {
        let written = written(call);
        let reads = call.kind == ToolKind::Read;
        if (!reads && written.is_empty()) || !scope.accepted(call) || call.failed() {
            continue;
        }
        let thread = scope.session.message(at.msg).thread;
        if reads {
            if let Some(path) = call.path().filter(|p| is_plan_file(p))
                && let Some(content) = whole_read(call)
            {
                let boxes = entries(&content);
                let known = files.entry(path).or_insert_with(|| Known { content: String::new(), owner: thread, boxes });
                known.content = content;
            }
            continue;
        }
        for (path, change) in written {
            let known = files.entry(path).or_insert_with(|| Known::before(&change, thread));
            known.apply(&change);
            let boxes = entries(&known.content);
            let same = |a: &Entry, b: &Entry| a.text == b.text && a.state == b.state;
            if boxes.len() == known.boxes.len() && boxes.iter().zip(&known.boxes).all(|(a, b)| same(a, b)) {
                continue;
            }
            let baseline = std::mem::replace(&mut known.boxes, boxes.clone());
            out.push(write(path, known.owner, at, boxes, baseline));
        }
    }
    out
}

fn is_plan_file(path: &str) -> bool {
    PLAN_FILE.is_match(path) && !path.to_ascii_lowercase().contains("template")
}

fn write(path: &str, thread: ThreadIx, at: CallRef, entries: Vec<Entry>, baseline: Vec<Entry>) -> Write {
    Write {
        msg: at.msg,
        part: at.part,
        call: Some(at),
        list: PlanList { thread, source: PlanSource::File, name: path.to_owned() },
        certainty: 0.95,
        accepted: true,
        entries,
        touched: None,
        baseline,
    }
}

fn entries(content: &str) -> Vec<Entry> {
    let entry = |b: checklist::Box<'_>| Entry {
        text: b.text.to_owned(),
        state: b.state(),
        status_text: format!("[{}]", b.mark),
        ..Entry::default()
    };
    checklist::boxes(content).into_iter().map(entry).collect()
}

impl Known {
    /// What must have been there before the first change that is seen.
    fn before(change: &Change<'_>, owner: ThreadIx) -> Self {
        let content = match change {
            Change::Whole(_) | Change::Append(_) => String::new(),
            Change::Replace { old, .. } => old.clone().into_owned(),
            Change::Substitute(s) => s.texts().0.to_owned(),
        };
        Self { boxes: entries(&content), content, owner }
    }

    fn apply(&mut self, change: &Change<'_>) {
        match change {
            Change::Whole(content) => content.clone_into(&mut self.content),
            Change::Append(more) => self.content.push_str(more),
            Change::Substitute(s) => self.content = s.apply(&self.content),
            Change::Replace { old, new, all } if !old.is_empty() && self.content.contains(&**old) => {
                let times = if *all { usize::MAX } else { 1 };
                self.content = self.content.replacen(&**old, new, times);
            }
            // A part of the file that was never seen: its boxes are added to those known.
            Change::Replace { old, new, .. } => {
                let known: Vec<Entry> = entries(old);
                self.boxes.extend(known);
                self.content.push('\n');
                self.content.push_str(new);
            }
        }
    }
}

/// Whether a call changes a file that holds a plan.
pub(in crate::extract::plan) fn writes_plan_file(call: &ToolCall) -> bool {
    !written(call).is_empty()
}

/// The plan files that a call changes, with each change.
fn written(call: &ToolCall) -> Vec<(&str, Change<'_>)> {
    if let Some(patch) = call.patch() {
        return patched(patch);
    }
    if let Some(script) = call.command() {
        return by_script(script);
    }
    let path = call.path().filter(|p| call.kind != ToolKind::Read && is_plan_file(p));
    path.map_or_else(Vec::new, |path| changes(call).into_iter().map(|c| (path, c)).collect())
}

fn patched(patch: &str) -> Vec<(&str, Change<'_>)> {
    let mut out = Vec::new();
    for file in patch::files(patch).into_iter().filter(|f| is_plan_file(f.path)) {
        match file.change {
            PatchChange::Whole(text) => out.push((file.path, Change::Whole(text))),
            PatchChange::Replace(hunks) => out.extend(
                hunks
                    .into_iter()
                    .map(|(old, new)| (file.path, Change::Replace { old: old.into(), new: new.into(), all: false })),
            ),
        }
    }
    out
}

fn by_script(script: &str) -> Vec<(&str, Change<'_>)> {
    let whole = heredoc::heredocs(script).into_iter().filter(|h| is_plan_file(h.path));
    let written =
        whole.map(|h| (h.path, if h.append { Change::Append(h.body) } else { Change::Whole(h.body.to_owned()) }));
    let changed = sed::substitutions(script).into_iter().filter(|s| is_plan_file(s.path));
    written.chain(changed.map(|s| (s.path, Change::Substitute(s)))).collect()
}

/// The changes that a call makes, as far as its input tells them.
fn changes(call: &ToolCall) -> Vec<Change<'_>> {
    let text = |value: &'_ Value, keys: &[&str]| -> Option<String> {
        keys.iter().find_map(|k| value.get(*k)?.as_str().map(str::to_owned))
    };
    if let Some(edits) = call.input.get("edits").and_then(Value::as_array) {
        return edits.iter().filter_map(replace).collect();
    }
    if let Some(change) = replace(&call.input) {
        return vec![change];
    }
    text(&call.input, &["content", "file_text", "contents"]).map(Change::Whole).into_iter().collect()
}

fn replace(input: &Value) -> Option<Change<'_>> {
    let field = |keys: [&str; 3]| keys.iter().find_map(|k| input.get(*k)?.as_str());
    let old = field(["old_string", "oldString", "old_str"])?;
    let new = field(["new_string", "newString", "new_str"])?;
    let all = ["replace_all", "replaceAll"].iter().any(|k| input.get(*k).and_then(Value::as_bool) == Some(true));
    Some(Change::Replace { old: old.into(), new: new.into(), all })
}

/// The content that a read of the whole file printed, without the line numbers before each line.
fn whole_read(call: &ToolCall) -> Option<String> {
    let part = ["offset", "limit", "view_range"].iter().any(|k| call.input.get(*k).is_some_and(|v| !v.is_null()));
    let text = &call.result.as_ref()?.text;
    (!part).then(|| NUMBERED.replace_all(text, "").into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plan_files_are_read() {
        for path in ["TODO.md", "docs/PLAN.md", "specs/003-x/tasks.md", "/a/.plans/plan-2.md", "IMPLEMENTATION_PLAN.md"]
        {
            assert!(is_plan_file(path), "{path}");
        }
        for path in ["README.md", "explanation.md", "src/plan.rs", "templates/plan.md", "docs/multitasking.md"] {
            assert!(!is_plan_file(path), "{path}");
        }
    }
}
