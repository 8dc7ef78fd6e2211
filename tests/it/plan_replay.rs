//! The plan's history against simple replays that share no code with it: over real sessions and over invented ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};
use turnpoint::extract::plan::{ItemIx, Plan, PlanSource, State, Transition, TransitionKind, extract};
use turnpoint::session::build::SessionBuilder;
use turnpoint::session::{Session, ThreadIx};
use turnpoint::source;

use super::corpus::shared;

/// A list as a replay holds it: state and text of each item.
type List = BTreeMap<ItemIx, (State, String)>;

/// Applies the rows write by write; every accepted write must then be what the rows have made of its list.
fn rebuild(plan: &Plan) -> Vec<List> {
    let mut lists = vec![List::new(); plan.lists.len()];
    for (at, snapshot) in (0..).zip(&plan.snapshots) {
        let rows = plan.rows_of(at);
        assert!(snapshot.accepted || rows.is_empty(), "a write that was not accepted has rows");
        let list = &mut lists[snapshot.list as usize];
        for t in rows {
            let Some(item) = t.item else { continue };
            let before = list.get(&item).map_or(State::Absent, |(state, _)| *state);
            let parts = [TransitionKind::Split, TransitionKind::Merged];
            let first = rows.iter().find(|r| r.item == t.item).is_some_and(|r| std::ptr::eq(r, t));
            let divided = rows.iter().any(|r| r.item == t.item && parts.contains(&r.kind));
            assert!(!first || divided || before == t.from || known_before(plan, item, at), "{t:?} after {before}");
            if t.to == State::Absent {
                list.remove(&item);
            } else {
                list.insert(item, (t.to, t.text.clone()));
            }
        }
        if snapshot.accepted {
            let shown: List = snapshot.items.iter().map(|i| (i.item.unwrap(), (i.state, i.text.clone()))).collect();
            assert_eq!(*list, shown, "write {at}");
        }
    }
    lists
}

/// Whether an item was there before the first write that is seen, as boxes of a file that is edited.
fn known_before(plan: &Plan, item: ItemIx, write: u32) -> bool {
    let first = plan.transitions.iter().find(|t| t.item == Some(item)).map(|t| t.snapshot);
    plan.lists[plan.items[item.at()].list as usize].source == PlanSource::File && first == Some(write)
}

/// Counts how states change from list to list, without looking at any row.
fn count(plan: &Plan) -> BTreeMap<(State, State), u32> {
    let mut lists = vec![BTreeMap::new(); plan.lists.len()];
    let mut out = BTreeMap::new();
    for snapshot in plan.snapshots.iter().filter(|s| s.accepted) {
        let now: BTreeMap<ItemIx, State> = snapshot.items.iter().map(|i| (i.item.unwrap(), i.state)).collect();
        let before = std::mem::replace(&mut lists[snapshot.list as usize], now.clone());
        let items: BTreeSet<&ItemIx> = before.keys().chain(now.keys()).collect();
        for item in items {
            let [from, to] = [&before, &now].map(|l| l.get(item).copied().unwrap_or(State::Absent));
            if from != to {
                *out.entry((from, to)).or_default() += 1;
            }
        }
    }
    out
}

/// The same counts from the rows: each item of a write once. A part of a split item comes out of nothing.
fn counted(plan: &Plan) -> BTreeMap<(State, State), u32> {
    let mut out = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut known = BTreeSet::new();
    for t in &plan.transitions {
        let Some(item) = t.item else { continue };
        let from = if known.insert(item) && !known_before(plan, item, t.snapshot) { State::Absent } else { t.from };
        if seen.insert((t.snapshot, item)) && from != t.to {
            *out.entry((from, t.to)).or_default() += 1;
        }
    }
    out
}

fn sessions() -> Vec<Session> {
    let Some(shared) = shared() else { return Vec::new() };
    let folders: Vec<PathBuf> = ["corpus", "labelled/todo_runs"].iter().map(|f| shared.join(f)).collect();
    let groups = source::discover(&folders).groups;
    groups.iter().flat_map(|g| source::load(g, None).unwrap_or_default()).collect()
}

#[test]
fn a_simple_replay_of_every_real_session_agrees() {
    let mut writes = 0;
    for session in sessions() {
        let plan = extract(&session);
        let lists = rebuild(&plan);
        for (list, last) in lists.iter().zip(plan.lists_at(None)) {
            assert_eq!(list.len(), last.items.len(), "{}", session.id);
        }
        let baseline = plan.items.iter().zip(0..).filter(|(_, i)| {
            let item = ItemIx(*i);
            plan.transitions
                .iter()
                .find(|t| t.item == Some(item))
                .is_some_and(|t| known_before(&plan, item, t.snapshot))
        });
        if baseline.count() == 0 {
            assert_eq!(count(&plan), counted(&plan), "{}", session.id);
        }
        writes += plan.snapshots.len();
    }
    assert!(writes == 0 || writes > 500, "only {writes} plan writes were found");
}

/// The lists that a stream of Claude Code writes, read without this library: the last form of each call, in the order of
/// the first, where the tool took it.
fn lists_of_stream(text: &str) -> Vec<Vec<(String, String)>> {
    let mut order: Vec<String> = Vec::new();
    let mut lists: BTreeMap<String, Value> = BTreeMap::new();
    let mut taken: BTreeMap<String, bool> = BTreeMap::new();
    for event in text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok()) {
        if !event["parent_tool_use_id"].is_null() {
            continue;
        }
        for block in event.pointer("/message/content").and_then(Value::as_array).into_iter().flatten() {
            let id = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
            if block["type"] == "tool_use" && block["name"] == "TodoWrite" {
                if !lists.contains_key(&id("id")) {
                    order.push(id("id"));
                }
                lists.insert(id("id"), block["input"]["todos"].clone());
            } else if block["type"] == "tool_result" {
                taken.insert(id("tool_use_id"), block["is_error"] != true);
            }
        }
    }
    let items = |list: &Value| -> Vec<(String, String)> {
        let word = |item: &Value, key: &str| item[key].as_str().unwrap_or_default().to_owned();
        list.as_array().into_iter().flatten().map(|i| (word(i, "content"), word(i, "status"))).collect()
    };
    order.iter().filter(|id| taken.get(*id) == Some(&true)).map(|id| items(&lists[id])).collect()
}

#[test]
fn a_reader_of_the_raw_stream_finds_the_same_lists() {
    let Some(shared) = shared() else { return };
    let (mut files, mut differ) = (0, Vec::new());
    for entry in std::fs::read_dir(shared.join("labelled/todo_runs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "jsonl") || path.ends_with("instructions.jsonl") {
            continue;
        }
        let raw = lists_of_stream(&std::fs::read_to_string(&path).unwrap());
        let groups = source::discover(std::slice::from_ref(&path)).groups;
        let Some(session) = groups.iter().flat_map(|g| source::load(g, None).unwrap_or_default()).next() else {
            continue;
        };
        let plan = extract(&session);
        let of_tool = |s: &&turnpoint::extract::plan::PlanSnapshot| {
            s.accepted && s.source == PlanSource::Tool && s.thread == ThreadIx(0)
        };
        let ours = plan
            .snapshots
            .iter()
            .filter(of_tool)
            .map(|s| s.items.iter().map(|i| (i.text.clone(), i.status_text.clone())).collect::<Vec<_>>());
        files += 1;
        if ours.collect::<Vec<_>>() != raw {
            differ.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    assert!(files > 100, "{files}");
    assert!(differ.is_empty(), "{} of {files}: {differ:?}", differ.len());
}

/// Lists of up to six items whose texts are alike enough to be taken for one another.
fn lists() -> impl Strategy<Value = Vec<Vec<(String, &'static str)>>> {
    let texts = prop::sample::select(vec![
        "Build the parser",
        "Build the parser and test it",
        "Test the parser",
        "test the parser.",
        "Serve on port 80",
        "Serve on port 8080",
        "Write docs",
        "Do not write docs",
        "",
    ]);
    let states = prop::sample::select(vec!["pending", "in_progress", "completed", "cancelled", "blocked", "odd"]);
    prop::collection::vec(prop::collection::vec((texts.prop_map(str::to_owned), states), 0..6), 1..12)
}

proptest! {
    #[test]
    fn any_lists_replay_to_the_last_and_rows_rebuild_each(lists in lists()) {
        let mut builder = SessionBuilder::new();
        for list in &lists {
            let items: Vec<Value> = list.iter().map(|(t, s)| json!({"content": t, "status": s})).collect();
            builder = builder.call("TodoWrite", json!({ "todos": items }), "ok");
        }
        let plan = extract(&builder.build());
        let rebuilt = rebuild(&plan);
        let last = lists.last().unwrap();
        prop_assert_eq!(rebuilt.iter().map(List::len).sum::<usize>(), last.len());
        prop_assert_eq!(count(&plan), counted(&plan));
        let shown: Vec<&str> = plan.snapshots.last().unwrap().items.iter().map(|i| i.text.as_str()).collect();
        prop_assert_eq!(shown, last.iter().map(|(t, _)| t.as_str()).collect::<Vec<_>>());
        prop_assert!(plan.transitions.iter().all(|t: &Transition| (0.0..=1.0).contains(&t.confidence)));
    }
}

#[test]
fn a_plan_file_that_a_shell_writes_is_followed() {
    let write = |boxes: &str| format!("mkdir -p d && cat > d/PLAN.md <<'EOF'\n# Plan\n{boxes}EOF\n");
    let session = SessionBuilder::new()
        .shell(&write("- [ ] Mix the paint\n- [ ] Paint the wall\n"), 0, "")
        .shell("mix --paint", 0, "mixed")
        .shell(&write("- [x] Mix the paint\n- [ ] Paint the wall\n"), 0, "")
        .build();
    let plan = extract(&session);
    assert_eq!((plan.lists.len(), plan.lists[0].source), (1, PlanSource::File));
    let changes: Vec<TransitionKind> = plan.transitions.iter().filter(|t| t.is_change()).map(|t| t.kind).collect();
    let pending = TransitionKind::CreatedPending;
    assert_eq!(changes, [pending, pending, TransitionKind::CompletedWithoutStart]);
    let done = plan.transitions.iter().find(|t| t.to == State::Done).unwrap();
    assert_eq!(done.evidence.len(), 1);
}
