//! Tools that write the whole list each time: TodoWrite, todowrite, update_plan, write_todos, manage_todo_list,
//! task_tracker, update_todo and their kin. Field names differ between vendors; one reader accepts them all.

use serde_json::Value;

use super::{Entry, Scope, Source, Write, base_name, checklist, scalar};
use crate::extract::plan::{PlanList, PlanSource, State};
use crate::session::{CallRef, Field, Span, ToolCall};

pub(super) const SOURCE: Source =
    Source { id: "whole-list", about: "Todo tools that send the whole list with every call.", read };

const TOOLS: &[&str] = &[
    "todowrite",
    "updateplan",
    "writetodos",
    "todolist",
    "managetodolist",
    "tasktracker",
    "updatetodo",
    "updatetodos",
    "updatetodolist",
    "settodolist",
    "settodos",
    "todo",
];
const LISTS: &[&str] = &["todos", "plan", "todoList", "todo_list", "task_list", "taskList", "tasks", "items", "steps"];
const TEXTS: &[&str] = &["content", "step", "title", "description", "subject", "text", "task", "todo", "name"];
const STATES: &[&str] = &["status", "state"];

/// Whether a tool of this base name writes a whole list.
pub(super) fn is_tool(name: &str) -> bool {
    TOOLS.contains(&name)
}

fn read(scope: &Scope<'_>) -> Vec<Write> {
    let mut out: Vec<Write> = Vec::new();
    for (at, call) in scope.calls().filter(|(_, c)| is_tool(&base_name(&c.tool))) {
        if is_read(call) {
            continue;
        }
        let Some(mut entries) = entries(call, at) else { continue };
        let thread = scope.session.message(at.msg).thread;
        let list = PlanList { thread, source: PlanSource::Tool, name: String::new() };
        let mut touched = None;
        if call.input.get("merge").and_then(Value::as_bool) == Some(true) {
            let last = out.iter().rev().find(|w| w.accepted && w.list == list);
            (entries, touched) = merged(last, entries);
        }
        out.push(Write {
            msg: at.msg,
            part: at.part,
            call: Some(at),
            list,
            certainty: scope.tool_certainty(),
            accepted: scope.accepted(call),
            revealed: false,
            entries,
            touched,
            baseline: Vec::new(),
        });
    }
    out
}

fn is_read(call: &ToolCall) -> bool {
    ["command", "operation", "action"]
        .iter()
        .filter_map(|k| call.input.get(k)?.as_str())
        .any(|word| matches!(word, "view" | "read" | "list" | "get" | "show"))
}

/// The items of a call; `None` when it holds no list, which is not the same as an empty list.
fn entries(call: &ToolCall, at: CallRef) -> Option<Vec<Entry>> {
    if let Value::Array(items) = &call.input {
        return Some(of_array(items, "", at));
    }
    LISTS.iter().chain(&["content", "markdown"]).find_map(|key| match call.input.get(key)? {
        Value::Array(items) => Some(of_array(items, &format!("/{key}"), at)),
        Value::String(text) => of_text(text, key, at),
        _ => None,
    })
}

/// A list sent as one string: JSON, or a Markdown checklist.
fn of_text(text: &str, key: &str, at: CallRef) -> Option<Vec<Entry>> {
    if let Ok(Value::Array(items)) = serde_json::from_str(text) {
        let mut entries = of_array(&items, "", at);
        entries.iter_mut().for_each(|e| e.span = None);
        return Some(entries);
    }
    let boxes = checklist::boxes(text);
    let span = |start: usize, len: usize| Span {
        msg: at.msg,
        part: at.part,
        field: Field::Input(format!("/{key}")),
        start: start as u32,
        end: (start + len) as u32,
    };
    let of_box = |b: &checklist::Box<'_>| Entry {
        text: b.text.to_owned(),
        state: b.state(),
        status_text: format!("[{}]", b.mark),
        span: Some(span(b.start, b.text.len())),
        ..Entry::default()
    };
    (!boxes.is_empty() || text.trim().is_empty()).then(|| boxes.iter().map(of_box).collect())
}

fn of_array(items: &[Value], pointer: &str, at: CallRef) -> Vec<Entry> {
    let any_status = items.iter().any(|i| status(i).is_some());
    items.iter().enumerate().filter_map(|(n, item)| of_item(item, any_status, &format!("{pointer}/{n}"), at)).collect()
}

fn of_item(item: &Value, any_status: bool, pointer: &str, at: CallRef) -> Option<Entry> {
    let (text, key) = match item {
        Value::String(text) => (text.as_str(), None),
        _ => TEXTS.iter().find_map(|k| Some((item.get(k)?.as_str()?, Some(*k))))?,
    };
    let status_text = status(item);
    let state = match &status_text {
        Some(word) => State::of_word(word),
        None if any_status => State::Other,
        None => State::Pending,
    };
    let field = Field::Input(key.map_or_else(|| pointer.to_owned(), |k| format!("{pointer}/{k}")));
    Some(Entry {
        key: None,
        native_id: item.get("id").and_then(scalar),
        text: text.to_owned(),
        state,
        status_text: status_text.unwrap_or_default(),
        priority: item.get("priority").and_then(scalar),
        active_form: ["activeForm", "active_form"].iter().find_map(|k| item.get(k)?.as_str().map(str::to_owned)),
        span: Some(Span { msg: at.msg, part: at.part, field, start: 0, end: text.len() as u32 }),
    })
}

fn status(item: &Value) -> Option<String> {
    let word = STATES.iter().find_map(|k| item.get(k)?.as_str().map(str::to_owned));
    word.or_else(|| {
        let done = ["completed", "done", "checked"].iter().find_map(|k| item.get(k)?.as_bool())?;
        Some(if done { "completed" } else { "pending" }.to_owned())
    })
}

/// A call that asks to merge by id: what it does not name stays as it was.
fn merged(last: Option<&Write>, new: Vec<Entry>) -> (Vec<Entry>, Option<Vec<usize>>) {
    let Some(last) = last else { return (new, None) };
    let mut entries: Vec<Entry> = last.entries.clone();
    let mut touched = Vec::new();
    for e in &mut entries {
        e.span = None;
    }
    for entry in new {
        let same = entries.iter().position(|e| e.native_id.is_some() && e.native_id == entry.native_id);
        touched.push(same.unwrap_or(entries.len()));
        match same {
            Some(at) => entries[at] = entry,
            None => entries.push(entry),
        }
    }
    (entries, Some(touched))
}
