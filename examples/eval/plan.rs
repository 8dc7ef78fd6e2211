//! `eval plan [--as-written] [--errors] [--weights] [--tune | --held-out]`: which item continues which, and what kind of change it is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};
use turnpoint::extract::plan::{Plan, TransitionKind, Weights, extract_with};
use turnpoint::session::build::SessionBuilder;

use crate::gold::{Error, rows, shared};

type Result<T> = std::result::Result<T, Error>;

/// One pair of lists with its labels.
struct Pair {
    row: Value,
    /// Lists of the run before the old one.
    history: Vec<Value>,
}

/// Counts of one way of counting.
#[derive(Default, Clone, Copy)]
struct Score {
    hits: u32,
    wrong: u32,
    missed: u32,
    kinds_right: u32,
    kinds: u32,
}

pub(crate) fn run() -> Result<()> {
    let has = |flag: &str| std::env::args().any(|a| a == flag);
    let half = if has("--tune") { Some(0) } else { has("--held-out").then_some(1) };
    let pairs = read(has("--as-written"))?;
    let pairs: Vec<Pair> = pairs.into_iter().filter(|p| half.is_none_or(|h| side(&p.row) == h)).collect();
    println!("{} pairs of lists", pairs.len());
    if has("--weights") {
        return try_weights(&pairs);
    }
    let names = ["all rows", "all rows, other wording", "without ambiguous", "without ambiguous, other wording"];
    for (name, score) in names.iter().zip(score_all(&pairs, &Weights::default(), has("--errors"))) {
        println!("{name:34} {}", score.show());
    }
    Ok(())
}

/// Which half of the labels a row is in, by its session: one half chooses the weights, the other tells what they are worth.
fn side(row: &Value) -> u32 {
    let run = row["run"].as_str().or_else(|| row["id"].as_str()).unwrap_or_default();
    run.bytes().fold(0_u32, |h, b| h.wrapping_mul(31).wrapping_add(b.into())) % 2
}

impl Score {
    fn precision(&self) -> f64 {
        f64::from(self.hits) / f64::from((self.hits + self.wrong).max(1))
    }

    fn recall(&self) -> f64 {
        f64::from(self.hits) / f64::from((self.hits + self.missed).max(1))
    }

    fn show(&self) -> String {
        format!(
            "precision {:.3} ({}/{})  recall {:.3} ({}/{})  kinds {:.3} ({}/{})",
            self.precision(),
            self.hits,
            self.hits + self.wrong,
            self.recall(),
            self.hits,
            self.hits + self.missed,
            f64::from(self.kinds_right) / f64::from(self.kinds.max(1)),
            self.kinds_right,
            self.kinds
        )
    }
}

/// The labelled pairs. Without `as_written` those are left out that no plan state has: a refused or unanswered list, and
/// two lists under one call id.
fn read(as_written: bool) -> Result<Vec<Pair>> {
    let labelled = shared().join("labelled");
    let mut lists: BTreeMap<String, Vec<(u64, Value, bool)>> = BTreeMap::new();
    let mut out = Vec::new();
    for row in rows("gold_todo_identity.jsonl")? {
        if row.get("new_items").is_none() {
            continue;
        }
        let flag = |side: &str, name: &str| row[side][name].as_bool() == Some(true);
        let odd = ["old", "new"].iter().any(|s| flag(s, "rejected") || flag(s, "unanswered"));
        let same = row["same_call_id"].as_bool() == Some(true);
        if !as_written && (odd || same) {
            continue;
        }
        let run = row["run"].as_str().unwrap_or_default().to_owned();
        let path = labelled.join("todo_runs").join(format!("{run}.jsonl"));
        if !lists.contains_key(&run) && path.exists() {
            lists.insert(run.clone(), lists_of(&fs::read_to_string(path)?));
        }
        let before = row["old"]["line"].as_u64().unwrap_or(0);
        let known = lists.get(&run).into_iter().flatten();
        let history = known.filter(|(at, _, ok)| *at < before && (*ok || as_written)).map(|(_, l, _)| l.clone());
        let history = history.collect();
        out.push(Pair { row, history });
    }
    Ok(out)
}

/// Lists that a run wrote: line, todos, whether the tool took them.
fn lists_of(text: &str) -> Vec<(u64, Value, bool)> {
    let mut out = Vec::new();
    let mut refused = BTreeSet::new();
    for (at, line) in (0..).zip(text.lines()) {
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        for block in event.pointer("/message/content").and_then(Value::as_array).into_iter().flatten() {
            if block["name"] == "TodoWrite" && block["input"]["todos"].is_array() {
                out.push((at, block["id"].clone(), block["input"]["todos"].clone()));
            } else if block["is_error"] == true {
                refused.insert(block["tool_use_id"].to_string());
            }
        }
    }
    out.into_iter().map(|(at, id, list)| (at, list, !refused.contains(&id.to_string()))).collect()
}

/// Scores: all rows, those of other wording, and both without ambiguous rows.
fn score_all(pairs: &[Pair], weights: &Weights, errors: bool) -> [Score; 4] {
    let mut scores = [Score::default(); 4];
    for pair in pairs {
        score(pair, weights, errors, &mut scores);
    }
    scores
}

fn score(pair: &Pair, weights: &Weights, errors: bool, scores: &mut [Score; 4]) {
    let new: Vec<&Value> = pair.row["new_items"].as_array().into_iter().flatten().collect();
    let old: Vec<&Value> = pair.row["old"]["items"].as_array().into_iter().flatten().collect();
    let mut session = SessionBuilder::new();
    for list in &pair.history {
        session = session.call("TodoWrite", json!({ "todos": list }), "ok");
    }
    for list in [&old, &new] {
        session = session.call("TodoWrite", json!({ "todos": list }), "ok");
    }
    let plan = extract_with(&session.build(), weights);
    let found = found(&plan);
    let wanted: BTreeSet<(usize, usize)> =
        new.iter().enumerate().flat_map(|(n, i)| olds(i).map(move |o| (o, n))).collect();
    let ambiguous = |n: usize| new[n]["ambiguous"] == true;
    let reworded = |o: usize, n: usize| old[o]["content"] != new[n]["content"];
    for &(o, n) in found.union(&wanted) {
        let (hit, said) = (wanted.contains(&(o, n)), found.contains(&(o, n)));
        if errors && hit != said {
            let mark = if said { "WRONG " } else { "MISSED" };
            let amb = if ambiguous(n) { " (ambiguous)" } else { "" };
            println!("{mark} {}{amb}: {} -> {}", pair.row["id"], old[o]["content"], new[n]["content"]);
        }
        for i in places(ambiguous(n), reworded(o, n)) {
            let s = &mut scores[i];
            *(if hit && said {
                &mut s.hits
            } else if said {
                &mut s.wrong
            } else {
                &mut s.missed
            }) += 1;
        }
    }
    for (n, item) in new.iter().enumerate() {
        let (want, got) = (wanted_kinds(item), kinds(&plan, n));
        let other = olds(item).any(|o| reworded(o, n)) || olds(item).next().is_none();
        if errors && want != got {
            let from: Vec<&Value> = olds(item).map(|o| &old[o]["content"]).collect();
            println!("KIND   {} {from:?} -> {}: {want:?}, found {got:?}", pair.row["id"], item["content"]);
        }
        for i in places(ambiguous(n), other) {
            scores[i].kinds += 1;
            scores[i].kinds_right += u32::from(want == got);
        }
    }
    for item in pair.row["old_unmatched"].as_array().into_iter().flatten() {
        let got = dropped(&plan, item["o"].as_u64().unwrap_or(0) as usize);
        let right = got.map(TransitionKind::word) == item["kind"].as_str();
        if errors && !right {
            println!("KIND   {} dropped {}: {}, found {got:?}", pair.row["id"], item["content"], item["kind"]);
        }
        for i in places(false, true) {
            scores[i].kinds += 1;
            scores[i].kinds_right += u32::from(right);
        }
    }
}

/// Which scores a row counts in.
fn places(ambiguous: bool, reworded: bool) -> impl Iterator<Item = usize> {
    (0..4).filter(move |i| (*i < 2 || !ambiguous) && (i % 2 == 0 || reworded))
}

fn olds(item: &Value) -> impl Iterator<Item = usize> {
    item["old"].as_array().into_iter().flatten().filter_map(|o| Some(o.as_u64()? as usize))
}

/// Pairs of positions that the plan takes for one item, in its last two snapshots.
fn found(plan: &Plan) -> BTreeSet<(usize, usize)> {
    let [.., old, new] = plan.snapshots.as_slice() else { return BTreeSet::new() };
    let last = plan.snapshots.len() as u32 - 1;
    let mut out = BTreeSet::new();
    for (n, item) in new.items.iter().enumerate() {
        let rows = plan.rows_of(last).iter().filter(|t| t.item == item.item);
        let mut before: BTreeSet<_> = rows.flat_map(|t| t.related.iter().copied().map(Some)).collect();
        before.insert(item.item);
        out.extend(old.items.iter().enumerate().filter(|(_, i)| before.contains(&i.item)).map(|(o, _)| (o, n)));
    }
    out
}

/// Words of the labels: `created-*` and `priority-*` are one each.
fn word(kind: &str) -> &str {
    match kind {
        k if k.starts_with("created") => "created",
        k if k.starts_with("priority") => "priority-changed",
        k => k,
    }
}

fn wanted_kinds(item: &Value) -> BTreeSet<&str> {
    item["kinds"].as_array().into_iter().flatten().filter_map(Value::as_str).map(word).collect()
}

fn kinds(plan: &Plan, n: usize) -> BTreeSet<&'static str> {
    let last = plan.snapshots.len() - 1;
    let item = plan.snapshots[last].items[n].item;
    plan.rows_of(last as u32).iter().filter(|t| t.item == item).map(|t| word(t.kind.word())).collect()
}

fn dropped(plan: &Plan, o: usize) -> Option<TransitionKind> {
    let last = plan.snapshots.len() - 1;
    let item = plan.snapshots[last - 1].items[o].item;
    plan.rows_of(last as u32).iter().find(|t| t.item == item).map(|t| t.kind)
}

/// Prints what other weights give, one line each.
fn try_weights(pairs: &[Pair]) -> Result<()> {
    println!(
        "cosine trigrams containment position status activity named accept part | all P R | other wording P R | not ambiguous P R"
    );
    for w in tried() {
        let [all, other, _, clear] = score_all(pairs, &w, false);
        println!(
            "{:.2} {:.2} {:.2} {:.2} {:.2} {:.2} {:.2} {:.2} {:.2} | {:.3} {:.3} | {:.3} {:.3} | {:.3} {:.3}",
            w.cosine,
            w.trigrams,
            w.containment,
            w.position,
            w.status,
            w.activity,
            w.named,
            w.accept,
            w.part,
            all.precision(),
            all.recall(),
            other.precision(),
            other.recall(),
            clear.precision(),
            clear.recall()
        );
    }
    Ok(())
}

/// The weights to try: those in use, and each changed alone.
fn tried() -> Vec<Weights> {
    let base = Weights::default();
    let bounds = [0.30, 0.34, 0.38, 0.40, 0.42, 0.45, 0.50].map(|accept| Weights { accept, ..base });
    let activities = [1.0, 0.8, 0.6, 0.5].map(|activity| Weights { activity, ..base });
    let mixes = [
        [0.40, 0.25, 0.15, 0.10, 0.10],
        [0.60, 0.10, 0.10, 0.10, 0.10],
        [0.20, 0.40, 0.20, 0.10, 0.10],
        [0.30, 0.20, 0.30, 0.10, 0.10],
        [0.45, 0.30, 0.25, 0.00, 0.00],
        [0.35, 0.20, 0.15, 0.20, 0.10],
        [0.30, 0.20, 0.10, 0.30, 0.10],
        [0.30, 0.25, 0.15, 0.20, 0.10],
        [0.30, 0.30, 0.20, 0.10, 0.10],
        [0.40, 0.25, 0.15, 0.20, 0.00],
        [0.40, 0.25, 0.15, 0.15, 0.05],
        [0.35, 0.25, 0.20, 0.15, 0.05],
        [0.35, 0.25, 0.20, 0.20, 0.00],
    ];
    let mixed = mixes.map(|[cosine, trigrams, containment, position, status]| Weights {
        cosine,
        trigrams,
        containment,
        position,
        status,
        ..base
    });
    let named = [0.00, 0.05, 0.15, 0.20].map(|named| Weights { named, ..base });
    let parts = [0.18, 0.26, 0.30, 0.40, 1.0].map(|part| Weights { part, ..base });
    let bounds = bounds.into_iter().chain(activities).chain(mixed);
    bounds.chain(named).chain(parts).collect()
}
