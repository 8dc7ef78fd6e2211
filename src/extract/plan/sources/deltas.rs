//! Tools that change one item at a time: TaskCreate and TaskUpdate. The id of a new item stands only in the result.
//! The changes are folded, thread by thread, into the list as each call leaves it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::{Entry, REVEALED, Scope, Source, Write, base_name, scalar};
use crate::extract::plan::{PlanList, PlanSource, State};
use crate::session::{CallRef, Field, Session, Span, ThreadIx, ToolCall};

pub(super) const SOURCE: Source =
    Source { id: "deltas", about: "Task tools that create or change one item with every call.", read };

static CREATED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)task #?(\S+?):? (?:was )?created").expect("a constant pattern compiles"));

/// A line of the answer to TaskList: `#3 [in_progress] Fix the flag (agent) [blocked by #2]`.
static LISTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^#(\S+) \[(\w+)\] (.+?)(?: \([^()]*\))?(?: \[blocked by [^\]]*\])?\r?$")
        .expect("a constant pattern compiles")
});

/// The task list of one thread.
#[derive(Clone, Default)]
struct Tasks {
    entries: Vec<Entry>,
    /// Lists since the start of the thread: ids begin anew with each.
    generation: u32,
}

/// Whether a tool of this base name changes one item.
pub(super) fn is_tool(name: &str) -> bool {
    matches!(name, "taskcreate" | "taskupdate")
}

fn read(scope: &Scope<'_>) -> Vec<Write> {
    let mut lists: BTreeMap<ThreadIx, Tasks> = BTreeMap::new();
    let mut out = Vec::new();
    for (at, call) in scope.calls() {
        let thread = scope.session.message(at.msg).thread;
        let (owner, change): (_, fn(&mut Tasks, &ToolCall, CallRef) -> usize) = match base_name(&call.tool).as_str() {
            "taskcreate" => (thread, create),
            "taskupdate" => (owner(scope.session, &lists, thread, &updated_id(call)), update),
            "tasklist" | "taskget" if scope.accepted(call) => {
                out.extend(resync(scope, &mut lists, thread, at, call));
                continue;
            }
            _ => continue,
        };
        let accepted = scope.accepted(call) && !is_refused(call);
        let tasks = lists.entry(owner).or_default();
        let kept = (!accepted).then(|| tasks.clone());
        let position = change(tasks, call, at);
        let deleted = tasks.entries[position].state == State::Absent;
        out.push(Write {
            msg: at.msg,
            part: at.part,
            call: Some(at),
            list: PlanList { thread: owner, source: PlanSource::Tool, name: "tasks".into() },
            certainty: if is_no_op(call) { REVEALED } else { scope.tool_certainty() },
            accepted,
            revealed: is_no_op(call),
            entries: tasks.entries.iter().filter(|e| e.state != State::Absent).cloned().collect(),
            touched: Some(if deleted { Vec::new() } else { vec![position] }),
            baseline: Vec::new(),
        });
        match kept {
            Some(kept) => *tasks = kept,
            None => tasks.settle(),
        }
    }
    out
}

impl Tasks {
    fn position(&self, id: &str) -> Option<usize> {
        self.entries.iter().position(|e| e.native_id.as_deref() == Some(id))
    }

    fn key(&self, id: &str) -> String {
        format!("{}:{id}", self.generation)
    }

    /// After a write: deleted items are gone, and the bytes of a text are named by one write only.
    fn settle(&mut self) {
        self.entries.retain(|e| e.state != State::Absent);
        self.entries.iter_mut().for_each(|e| e.span = None);
    }
}

fn create(tasks: &mut Tasks, call: &ToolCall, at: CallRef) -> usize {
    let id = created_id(call).or_else(|| call.result.is_none().then(|| (tasks.entries.len() + 1).to_string()));
    if id.as_deref().is_some_and(|id| tasks.position(id).is_some()) {
        // Ids restart with every list: the number of a known item means that a new list has begun.
        tasks.entries.clear();
        tasks.generation += 1;
    }
    let (text, span) = field(call, at, &["subject", "title", "content"]).unwrap_or_default();
    tasks.entries.push(Entry {
        key: Some(tasks.key(id.as_deref().unwrap_or(&call.id))),
        native_id: id,
        text,
        state: State::Pending,
        status_text: "pending".into(),
        priority: call.input.get("priority").and_then(scalar),
        active_form: call.input.get("activeForm").and_then(Value::as_str).map(str::to_owned),
        span,
    });
    tasks.entries.len() - 1
}

fn update(tasks: &mut Tasks, call: &ToolCall, at: CallRef) -> usize {
    let id = updated_id(call);
    let position = tasks.position(&id).unwrap_or_else(|| {
        // Created before the transcript begins: its text is not known.
        let key = Some(tasks.key(&id));
        tasks.entries.push(Entry {
            key,
            text: format!("#{id}"),
            native_id: Some(id),
            state: State::Absent,
            ..Entry::default()
        });
        tasks.entries.len() - 1
    });
    let entry = &mut tasks.entries[position];
    if let Some((text, span)) = field(call, at, &["subject", "title"]) {
        (entry.text, entry.span) = (text, span);
    }
    if let Some(form) = call.input.get("activeForm").and_then(Value::as_str) {
        entry.active_form = Some(form.to_owned());
    }
    if let Some(word) = call.input.get("status").and_then(Value::as_str) {
        (entry.state, entry.status_text) = (State::of_word(word), word.to_owned());
    } else if entry.status_text.is_empty() {
        (entry.state, entry.status_text) = (State::Pending, "pending".into());
    }
    position
}

fn updated_id(call: &ToolCall) -> String {
    call.input.get("taskId").or_else(|| call.input.get("id")).and_then(scalar).unwrap_or_default()
}

/// What the answer to TaskList or TaskGet shows of items: changes that were made out of sight.
fn resync(
    scope: &Scope<'_>,
    lists: &mut BTreeMap<ThreadIx, Tasks>,
    thread: ThreadIx,
    at: CallRef,
    call: &ToolCall,
) -> Option<Write> {
    let shown = shown(call);
    let owner = owner(scope.session, lists, thread, &shown.first()?.0);
    let tasks = lists.entry(owner).or_default();
    let mut touched = Vec::new();
    for (id, word, text) in shown {
        let state = State::of_word(&word);
        let known = tasks.position(&id);
        if known.is_some_and(|n| tasks.entries[n].state == state) || known.is_none() && state == State::Absent {
            continue;
        }
        let position = known.unwrap_or_else(|| {
            let key = Some(tasks.key(&id));
            tasks.entries.push(Entry { key, native_id: Some(id), text, ..Entry::default() });
            tasks.entries.len() - 1
        });
        (tasks.entries[position].state, tasks.entries[position].status_text) = (state, word);
        touched.push(position);
    }
    if touched.is_empty() {
        return None;
    }
    // Positions are those of the list without what was deleted.
    let gone = |n: &usize| tasks.entries[..*n].iter().filter(|e| e.state == State::Absent).count();
    let kept = touched.iter().filter(|n| tasks.entries[**n].state != State::Absent);
    let touched = kept.map(|n| n - gone(n)).collect();
    let write = Write {
        msg: at.msg,
        part: at.part,
        call: Some(at),
        list: PlanList { thread: owner, source: PlanSource::Tool, name: "tasks".into() },
        certainty: REVEALED,
        accepted: true,
        revealed: true,
        entries: tasks.entries.iter().filter(|e| e.state != State::Absent).cloned().collect(),
        touched: Some(touched),
        baseline: Vec::new(),
    };
    tasks.settle();
    Some(write)
}

/// Id, status and text of the items that an answer shows: structured where the program kept it, else in its lines.
fn shown(call: &ToolCall) -> Vec<(String, String, String)> {
    let Some(result) = &call.result else { return Vec::new() };
    let text = |item: &Value, key: &str| item.get(key).and_then(scalar);
    let read = |item: &Value| Some((text(item, "id")?, text(item, "status")?, text(item, "subject")?));
    let listed = result.data.get("tasks").and_then(Value::as_array).into_iter().flatten();
    let found: Vec<_> = listed.chain(result.data.get("task")).filter_map(read).collect();
    if !found.is_empty() {
        return found;
    }
    LISTED.captures_iter(&result.text).map(|c| (c[1].to_owned(), c[2].to_owned(), c[3].to_owned())).collect()
}

fn field(call: &ToolCall, at: CallRef, keys: &[&str]) -> Option<(String, Option<Span>)> {
    let (key, text) = keys.iter().find_map(|k| Some((*k, call.input.get(*k)?.as_str()?)))?;
    let field = Field::Input(format!("/{key}"));
    Some((text.to_owned(), Some(Span { msg: at.msg, part: at.part, field, start: 0, end: text.len() as u32 })))
}

/// The id that the answer gives a new item: structured where the program kept it, else in the words of the answer.
fn created_id(call: &ToolCall) -> Option<String> {
    let result = call.result.as_ref()?;
    let kept = result.data.pointer("/task/id").and_then(scalar);
    kept.or_else(|| Some(CREATED.captures(&result.text)?[1].to_owned()))
}

/// An update that found nothing to update. It changes nothing; what it asked for was so already.
fn is_no_op(call: &ToolCall) -> bool {
    let fields = call.result.as_ref().and_then(|r| r.data.get("updatedFields")).and_then(Value::as_array);
    fields.is_some_and(Vec::is_empty)
}

/// An update that was answered without error but did nothing, because the item is not known.
fn is_refused(call: &ToolCall) -> bool {
    let Some(result) = &call.result else { return false };
    result.data.get("success").and_then(Value::as_bool) == Some(false) || result.text.trim() == "Task not found"
}

/// The thread whose list an update changes: its own, or that of a caller which knows the id.
fn owner(session: &Session, lists: &BTreeMap<ThreadIx, Tasks>, thread: ThreadIx, id: &str) -> ThreadIx {
    let knows = |t: ThreadIx| lists.get(&t).is_some_and(|tasks| tasks.position(id).is_some());
    let mut at = Some(thread);
    for _ in 0..session.threads.len() {
        match at {
            Some(t) if knows(t) => return t,
            Some(t) => at = session.threads.get(t.0 as usize).and_then(|t| t.parent),
            None => break,
        }
    }
    thread
}
