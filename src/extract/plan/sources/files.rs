//! Checkbox lists in plan files that the agent writes or edits: each change of the boxes is a write.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::python::{self, Replacement};
use super::sed::{self, Substitution};
use super::{Entry, REVEALED, Scope, Source, Write, checklist, heredoc};
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
pub(super) enum Change<'a> {
    Whole(String),
    Append(&'a str),
    Replace {
        old: Cow<'a, str>,
        new: Cow<'a, str>,
        all: bool,
    },
    Substitute(Substitution<'a>),
    /// A replacement that does nothing where the old text is missing.
    Swap(Replacement<'a>),
}

/// What is known of a file.
#[derive(Default)]
pub(super) struct Known {
    pub(super) content: String,
    owner: ThreadIx,
    /// Boxes as the last write left them, or the last read showed them.
    boxes: Vec<Entry>,
    /// The agent has changed them.
    written: bool,
}

fn read(scope: &Scope<'_>) -> Vec<Write> {
    let mut files: BTreeMap<&str, Known> = BTreeMap::new();
    let mut out = Vec::new();
    for (at, call) in scope.calls() {
        let written = written(call);
        let reads = call.kind == ToolKind::Read;
        if (!reads && written.is_empty()) || !scope.accepted(call) || call.undone() {
            continue;
        }
        let thread = scope.session.message(at.msg).thread;
        if reads {
            if let Some(path) = call.path().filter(|p| is_plan_file(p))
                && let Some(content) = whole_read(call)
            {
                let boxes = entries(&content);
                let known = files.entry(path).or_insert_with(|| Known { owner: thread, ..Known::default() });
                known.content = content;
                let before = std::mem::replace(&mut known.boxes, boxes.clone());
                if known.written && !same_boxes(&before, &boxes) {
                    out.push(Write {
                        revealed: true,
                        certainty: REVEALED,
                        ..write(path, known.owner, at, boxes, before)
                    });
                }
            }
            continue;
        }
        for (path, change) in written {
            let known = files.entry(path).or_insert_with(|| Known::before(&change, thread));
            known.apply(&change);
            let boxes = entries(&known.content);
            if same_boxes(&boxes, &known.boxes) {
                continue;
            }
            known.written = true;
            let baseline = std::mem::replace(&mut known.boxes, boxes.clone());
            out.push(write(path, known.owner, at, boxes, baseline));
        }
    }
    out
}

fn same_boxes(a: &[Entry], b: &[Entry]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.text == b.text && a.state == b.state)
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
        revealed: false,
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
    pub(super) fn before(change: &Change<'_>, owner: ThreadIx) -> Self {
        let content = match change {
            Change::Whole(_) | Change::Append(_) => String::new(),
            Change::Replace { old, .. } => old.clone().into_owned(),
            Change::Substitute(s) => s.texts().0.to_owned(),
            Change::Swap(r) => r.old.clone(),
        };
        Self { boxes: entries(&content), content, owner, written: false }
    }

    pub(super) fn apply(&mut self, change: &Change<'_>) {
        match change {
            Change::Whole(content) => content.clone_into(&mut self.content),
            Change::Append(more) => self.content.push_str(more),
            Change::Substitute(s) => self.content = s.apply(&self.content),
            Change::Swap(r) => self.content = self.content.replace(&r.old, &r.new),
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

/// The first plan file that a call changes.
pub(in crate::extract::plan) fn plan_file_written(call: &ToolCall) -> Option<&str> {
    written(call).first().map(|(path, _)| *path)
}

/// The first plan file that a call names.
pub(in crate::extract::plan) fn plan_file_named(call: &ToolCall) -> Option<&str> {
    let words = call.command().into_iter().flat_map(str::split_whitespace);
    words.chain(call.path()).find(|w| is_plan_file(w))
}

/// The plan files that a call changes, with each change.
pub(super) fn written(call: &ToolCall) -> Vec<(&str, Change<'_>)> {
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
    let swapped = python::replacements(script).into_iter().filter(|r| is_plan_file(r.path));
    let changed = changed.map(|s| (s.path, Change::Substitute(s)));
    written.chain(changed).chain(swapped.map(|r| (r.path, Change::Swap(r)))).collect()
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
    use crate::extract::plan::{State, extract};
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn changes_of(work: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Vec<(u32, String, State, bool)> {
        let plan = extract(&work(SessionBuilder::new()).build());
        let rows = plan.transitions.iter().filter(|t| t.is_change());
        rows.map(|t| (t.msg.0 + 1, t.text.clone(), t.to, t.revealed)).collect()
    }

    #[test]
    fn what_a_read_shows_changed_was_not_done_by_the_next_edit() {
        let read = |text: &str| (json!({"file_path": "TODO.md"}), text.to_owned());
        let edit = |old: &str, new: &str| json!({"file_path": "TODO.md", "old_string": old, "new_string": new});
        let (path, first) = read("- [ ] dig\n- [ ] fill\n");
        let seen = "- [x] dig\n- [ ] fill\n- [ ] rake\n";
        // Never written before the second read: the plan is what the edit makes of it.
        let found = changes_of(|b| {
            b.call("Read", path.clone(), &first).call("Read", path.clone(), seen).call(
                "Edit",
                edit("- [ ] fill", "- [x] fill"),
                "ok",
            )
        });
        assert_eq!(found, [(3, "fill".to_owned(), State::Done, false)]);
        // Written before: the read shows what was done out of sight.
        let found = changes_of(|b| {
            b.call("Write", json!({"file_path": "TODO.md", "content": first}), "ok").call("Read", path.clone(), seen)
        });
        assert_eq!(
            found[2..],
            [(2, "dig".to_owned(), State::Done, true), (2, "rake".to_owned(), State::Pending, true)]
        );
    }

    #[test]
    fn a_python_script_ticks_boxes() {
        let script = "python - <<'PY'\nfrom pathlib import Path\np = Path('tasks.md')\n\
            p.write_text(p.read_text().replace('- [ ] dig', '- [x] dig').replace('- [ ] sow', '- [x] sow'))\nPY";
        let found = changes_of(|b| {
            b.call("Write", json!({"file_path": "tasks.md", "content": "- [ ] dig\n- [ ] fill\n"}), "ok")
                .shell(script, 0, "")
        });
        assert_eq!(found[2..], [(2, "dig".to_owned(), State::Done, false)]);
    }

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
