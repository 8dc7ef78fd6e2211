//! JSON that a session's own program printed: objects with a statistic or a rate whose key names the unit
//! (`{"case": "fold", "mean_time_us": 12.4, "p99_us": 15.0}`), at any depth.
//!
//! An object counts only where one of its keys names a statistic or a rate: a time alone (`duration_ms` of a log line, an
//! answer of a server) is no benchmark. Words and sizes beside the figures, and the names of objects around them, are conditions.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::columns::{self, Head};
use super::super::lexicon::{self, Kind};
use super::super::units::Unit;
use super::super::{Measurement, MeasurementRole};
use super::json::Json;
use super::lines::{Line, Sink};
use super::own_lines::is_nothing;

pub(super) const ANCHORS: &[&str] = &[
    "\"mean",
    "\"avg",
    "\"average",
    "\"median",
    "\"p50",
    "\"p90",
    "\"p95",
    "\"p99",
    "\"min_",
    "\"max_",
    "_mean",
    "_avg",
    "_median",
    "_p50",
    "_p95",
    "_p99",
    "per_sec",
    "tok_s\"",
    "_tps\"",
    "_rps\"",
    "_qps\"",
    "flops\"",
    "_mb_s\"",
    "_gb_s\"",
    "Mean\"",
    "Avg\"",
    "P99\"",
    "P95\"",
    "P50\"",
];

/// Names of objects that only hold what was measured.
const PLAIN: &[&str] = &[
    "data",
    "benchmarks",
    "benchmark",
    "measurement",
    "measurements",
    "metrics",
    "performance",
    "result",
    "results",
    "runs",
    "samples",
    "statistics",
    "stats",
    "summary",
    "timing",
    "timings",
    "values",
];

/// Keys that say of a whole object how its figures are meant.
const MARKS: &[(&str, MeasurementRole)] = &[
    ("estimated", MeasurementRole::Estimated),
    ("simulated", MeasurementRole::Estimated),
    ("synthetic", MeasurementRole::Estimated),
    ("mock", MeasurementRole::Estimated),
    ("projected", MeasurementRole::Estimated),
    ("theoretical", MeasurementRole::Theoretical),
    ("warmup", MeasurementRole::Invalid),
    ("is_warmup", MeasurementRole::Invalid),
];

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let Some((document, taken)) = Json::begins(lines, sink) else { return 0 };
    let before = sink.len();
    sink.block();
    value(document, &Around::default(), sink);
    sink.in_reading_order(before);
    if sink.len() > before {
        let said = above(&sink.source()[..lines[0].range.start]);
        for m in sink.since(before) {
            for (key, value) in &said {
                m.params.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
    }
    if sink.len() == before { 0 } else { taken }
}

/// What comments between the documents say of those below them: `// Rows: 100, Cols: 8` sizes, another line the group.
fn above(text: &str) -> BTreeMap<String, String> {
    /// A program that prints many records under one comment is followed no further than this.
    const BACK: usize = 80;
    const OF_THE_RUN: &[&str] = &["commit", "date", "generated", "host", "machine", "system", "time", "version"];
    let comment = |line: &'_ str| Some(line.strip_prefix("//").or_else(|| line.strip_prefix('#'))?.trim().to_owned());
    let of_records = |line: &&str| line.is_empty() || line.starts_with(['{', '}', '[', ']', ',', '"']);
    let lines = text.lines().rev().take(BACK).map(str::trim);
    let comments = lines.skip_while(of_records).map_while(comment);
    let mut out = BTreeMap::new();
    let of_the_run = |line: &String| {
        let first = line.split([':', ' ']).next().unwrap_or_default().to_lowercase();
        OF_THE_RUN.contains(&first.as_str())
    };
    for line in comments.take(2).filter(|l| (1..=80).contains(&l.len()) && !of_the_run(l)) {
        let sizes: Option<Vec<(String, String)>> = line.split(',').map(size).collect();
        match sizes {
            Some(sizes) => out.extend(sizes),
            None => {
                out.entry("group".to_owned()).or_insert(line);
            }
        }
    }
    out
}

/// `Rows: 100` as a condition.
fn size(pair: &str) -> Option<(String, String)> {
    let (name, number) = pair.split_once([':', '='])?;
    let name = name.trim().to_lowercase().replace(' ', "_");
    let number = number.trim();
    let whole = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (whole && (1..=24).contains(&name.len())).then(|| (name, number.to_owned()))
}

/// What the objects around say of a figure.
#[derive(Debug, Clone, Default)]
struct Around {
    /// Words of keys that name a metric: `latency_ms` in `{"latency_ms": {"p50": …}}`.
    noun: String,
    unit: Option<Unit>,
    role: Option<MeasurementRole>,
}

fn value<'a>(json: Json<'a>, around: &Around, sink: &mut Sink<'a>) {
    for item in json.items() {
        if item.is_list() {
            value(item, around, sink);
            continue;
        }
        let params = sink.params.clone();
        object(&item.members(), around, sink);
        sink.params = params;
    }
}

fn object<'a>(members: &BTreeMap<Cow<'a, str>, Json<'a>>, around: &Around, sink: &mut Sink<'a>) {
    if members.is_empty() {
        return;
    }
    let mut around = around.clone();
    let stated = members.get("unit").or(members.get("units")).and_then(|u| Unit::parse(&u.word()));
    around.unit = stated.or(around.unit);
    for (key, json) in members {
        match MARKS.iter().find(|(mark, _)| key.eq_ignore_ascii_case(mark)) {
            Some((_, role)) if json.word() == "true" => around.role = Some(*role),
            _ => condition(key, *json, sink),
        }
    }
    figures(members, &around, sink);
    for (key, child) in members.iter().filter(|(_, json)| json.holds_objects()) {
        let params = sink.params.clone();
        let head = columns::head(&lexicon::spoken(key));
        let mut inner = around.clone();
        if head.metric || head.unit.is_some() || lexicon::metric(&head.text, None).is_some() {
            inner.noun = format!("{} {}", inner.noun, head.text);
            inner.unit = head.unit.or(inner.unit);
        } else if !PLAIN.contains(&head.text.as_str()) {
            let outer = sink.params.get("config").map(|c| format!("{c}/")).unwrap_or_default();
            sink.param("config", &format!("{outer}{key}"));
        }
        inner.role = inner.role.or(said(head.role));
        value(*child, &inner, sink);
        sink.params = params;
    }
}

/// Adds the figures of one object: none where no key names a statistic or a rate.
fn figures<'a>(members: &BTreeMap<Cow<'a, str>, Json<'a>>, around: &Around, sink: &mut Sink<'a>) {
    let found: Vec<(&'a str, Head, Unit)> = members
        .iter()
        .filter_map(|(key, json)| {
            let number = json.number()?;
            let head = columns::head(&format!("{} {}", around.noun, lexicon::spoken(key)));
            let own = columns::head(&lexicon::spoken(key));
            let named =
                own.statistic.is_some() || own.metric || lexicon::metric(&own.text, around.unit.as_ref()).is_some();
            let unit = own.unit.clone().or_else(|| around.unit.clone().filter(|_| named))?;
            (!own.derived && own.param.is_none()).then_some((number, head, unit))
        })
        .collect();
    let counts = |(_, head, unit): &(&str, Head, Unit)| head.statistic.is_some() || Kind::of(unit).is_rate();
    if !found.iter().any(counts) {
        return;
    }
    for (number, head, unit) in found {
        let Some(metric) = metric(&head, &unit) else { continue };
        let role = said(head.role).or(around.role).unwrap_or_default();
        if let Some(m) = sink.push_in_source(number, metric, &unit.name) {
            let spread = head.statistic.as_deref() == Some("stdev");
            let nothing = !spread && m.value.is_some_and(|v| is_nothing(metric, v));
            let valid = m.valid && role != MeasurementRole::Invalid && !nothing;
            let scope = m.scope.take().or_else(|| head.scope.map(str::to_owned));
            let phase = head.phase.map(str::to_owned);
            *m = Measurement { role, valid, scope, phase, statistic: head.statistic, ..m.clone() };
        }
    }
}

/// A role that a key gives; "results" and "spec" name what is in them.
fn said(role: Option<MeasurementRole>) -> Option<MeasurementRole> {
    role.filter(|r| !matches!(r, MeasurementRole::Measured | MeasurementRole::Quoted))
}

/// The metric that the words and the unit give; a share or size without a noun has none.
fn metric(head: &Head, unit: &Unit) -> Option<&'static str> {
    let time = || (Kind::of(unit) == Kind::Time).then_some("time");
    let named = lexicon::metric(&head.text, Some(unit)).map(|(m, _)| m.id);
    named.or_else(|| lexicon::default_metric(unit)).or_else(time)
}

/// Takes a member as a condition where its key names one: a word that says what was run, a size or count that was chosen.
fn condition(key: &str, json: Json<'_>, sink: &mut Sink<'_>) {
    const WORDS: &[&str] = &["dataset", "impl", "label", "strategy", "library", "solver", "optimizer", "codec"];
    const SIZES: &[&str] = &["size", "len", "length", "width", "height", "depth", "dim", "rows", "cols", "clients"];
    const NOT: &[&str] = &["date", "run", "iteration", "version", "commit", "memory", "cores", "machine", "platform"];
    if json.holds_objects() || json.is_list() {
        return;
    }
    let words = lexicon::spoken(key).to_lowercase();
    let known = lexicon::param_header(&words).filter(|_| !NOT.contains(&words.as_str()));
    let text = json.word();
    if json.number().is_some() {
        let last = words.trim_end_matches(|c: char| c.is_ascii_digit()).rsplit(' ').next().unwrap_or("").to_owned();
        let whole = text.parse::<f64>().is_ok_and(|n| n.fract() == 0.0);
        if whole && (known.is_some() || SIZES.contains(&last.as_str())) && !json.is_text() {
            let name = known.filter(|k| *k != "size" && *k != "test" && *k != "config").unwrap_or(key);
            sink.param(name, &text);
        }
    } else if (known.is_some() || WORDS.contains(&words.as_str())) && (1..=60).contains(&text.len()) && json.is_text() {
        sink.param(key, &text);
    }
}
