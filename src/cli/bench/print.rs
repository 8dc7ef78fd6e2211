//! Rows for people and for programs.

use super::model::{Head, Point, Row};
use crate::extract::bench::Limit;
use crate::report::section::value::{number, pairs, percent};
use serde_json::{Value, json};

/// One line of the overview.
pub(super) const OVERVIEW: &[&str] =
    &["metric", "conditions", "first", "best", "last", "limit", "efficiency", "gap", "messages"];
/// One point of a series.
pub(super) const POINTS: &[&str] =
    &["message", "metric", "conditions", "value", "evidence", "limit", "efficiency", "gap", "change", "between"];

/// What a CSV row says of its series.
pub(super) const CSV_HEAD: &[&str] = &["session_id", "metric", "statistic", "scope", "conditions", "unit", "points"];
/// What it says of a figure: plain numbers in `unit`, shares of 1, nothing where it is not known.
pub(super) const CSV_FIGURE: &[&str] =
    &["msg", "value", "evidence", "limit_id", "limit_value", "efficiency", "gap", "change", "speedup"];

fn name(s: &Head) -> String {
    let extra: Vec<&str> = [&s.statistic, &s.scope].into_iter().filter_map(|o| o.as_deref()).collect();
    if extra.is_empty() { s.metric.clone() } else { format!("{} ({})", s.metric, extra.join(", ")) }
}

pub(super) fn with_unit(value: f64, unit: &str) -> String {
    format!("{} {unit}", number(value))
}

/// Limit, efficiency and gap as shown.
fn against(p: &Point) -> [String; 3] {
    match (&p.limit, p.efficiency, p.gap) {
        (Some((value, unit, origin)), Some(share), Some(gap)) => {
            let limit = format!("{} ({origin})", with_unit(*value, unit));
            [limit, format!("{} %", percent(share)), format!("{} %", percent(gap))]
        }
        _ => ["not known".to_owned(), String::new(), String::new()],
    }
}

pub(super) fn overview(row: &Row) -> Vec<String> {
    let [first, best, last] = row.marked();
    let one = row.points.len() == 1;
    let shown = |p: &Point| if one { String::new() } else { format!("{} [msg {}]", number(p.value), p.msg) };
    let mut msgs: Vec<&str> = row.points.iter().map(|p| p.msg.as_str()).collect();
    msgs.dedup();
    let [limit, share, gap] = against(best);
    let first_cell = format!("{} [msg {}]", with_unit(first.value, &row.head.unit), first.msg);
    let (best, last) = (shown(best), shown(last));
    vec![name(&row.head), pairs(&row.head.params), first_cell, best, last, limit, share, gap, msgs.join(", ")]
}

/// The table without the columns of limits where no row has one; the sentence above it says so.
pub(super) fn without_limits<'h>(header: &[&'h str], mut rows: Vec<Vec<String>>) -> (Vec<&'h str>, Vec<Vec<String>>) {
    const COLUMNS: &[&str] = &["limit", "efficiency", "gap"];
    let shares = header.iter().position(|h| *h == "efficiency");
    if shares.is_none_or(|at| rows.iter().any(|r| !r[at].is_empty())) {
        return (header.to_vec(), rows);
    }
    let kept = |i: usize| !COLUMNS.contains(&header[i]);
    for row in &mut rows {
        let mut at = 0..;
        row.retain(|_| at.next().is_some_and(kept));
    }
    (header.iter().copied().filter(|h| !COLUMNS.contains(h)).collect(), rows)
}

pub(super) fn points(row: &Row) -> Vec<Vec<String>> {
    let one = |p: &Point| {
        let [limit, share, gap] = against(p);
        let shown = with_unit(p.value, &row.head.unit);
        let [change, between] = since(p);
        let (name, conditions) = (name(&row.head), pairs(&row.head.params));
        vec![p.msg.clone(), name, conditions, shown, p.evidence.clone(), limit, share, gap, change, between]
    };
    row.points.iter().map(one).collect()
}

/// The change from the point before, and what was done in between.
fn since(p: &Point) -> [String; 2] {
    let Some(c) = &p.change else { return [String::new(), String::new()] };
    let signed = |v: f64| format!("{}{:.2}", if v < 0.0 { "−" } else { "+" }, v.abs());
    let mut change: Vec<String> = c.points.map(|v| format!("{} pp", signed(v))).into_iter().collect();
    change.extend(c.change.map(|v| format!("{} %", signed(v * 100.0))));
    change.extend(c.speedup.map(|v| format!("{v:.2}×")));
    change.push(c.verdict.clone());
    let counts = [(c.plan_changes as u64, "plan"), (c.commands.into(), "commands"), (c.edits.into(), "edits")];
    let counts = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{what} {n}"));
    let between = if c.stated_together { "stated together".to_owned() } else { counts.collect::<Vec<_>>().join(", ") };
    [change.join(", "), between]
}

/// Rows for programs: one for each point, or one with the first, best and last.
pub(super) fn csv(row: &Row, points: bool) -> Vec<Vec<String>> {
    let s = &row.head;
    let text = |o: &Option<String>| o.clone().unwrap_or_default();
    let float = |o: Option<f64>| o.map(|v| v.to_string()).unwrap_or_default();
    let figure = |p: &Point| {
        let change = p.change.as_ref();
        let shares =
            [p.limit_value, p.efficiency, p.gap, change.and_then(|c| c.change), change.and_then(|c| c.speedup)];
        let place = [p.msg.clone(), p.value.to_string(), p.evidence.clone(), text(&p.limit_id)];
        place.into_iter().chain(shares.map(float))
    };
    let line = |figures: &[&Point]| {
        let head = [&s.session_id, &s.metric, &text(&s.statistic), &text(&s.scope), &pairs(&s.params), &s.unit];
        let head = head.map(String::clone).into_iter().chain([row.points.len().to_string()]);
        head.chain(figures.iter().flat_map(|p| figure(p))).collect()
    };
    if points { row.points.iter().map(|p| line(&[p])).collect() } else { vec![line(&row.marked())] }
}

/// The same as objects.
pub(super) fn json(row: &Row, points: bool) -> Vec<Value> {
    let with = |more: Value| {
        let mut out = serde_json::to_value(row).unwrap_or_default();
        if let (Some(out), Value::Object(more)) = (out.as_object_mut(), more) {
            out.extend(more);
        }
        out
    };
    if points {
        return row.points.iter().map(|p| with(json!(p))).collect();
    }
    let [first, best, last] = row.marked();
    vec![with(json!({ "points": row.points.len(), "first": first, "best": best, "last": last }))]
}

/// A limit with how much of it was reached.
pub(super) fn limit(l: &Limit, origin: String, reached: String) -> Vec<String> {
    let band = l.band.map(|(lo, hi)| format!(" (between {} and {})", number(lo), number(hi))).unwrap_or_default();
    let value = format!("{}{band}", with_unit(l.value, &l.unit));
    let kind = format!("{}, {origin}", l.kind);
    let derivation = l.derivation.clone().unwrap_or_else(|| "not stated".to_owned());
    vec![l.id.clone(), l.metric.clone(), value, kind, reached, derivation, l.source.clone()]
}
