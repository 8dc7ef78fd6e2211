//! Lines that a session's own program printed: `Time per iteration: 4.7 µs`, `p99 = 12 ms (target: 20 ms)`, and under the
//! heading of a benchmark also cases with a time (`Size 64... 4.7 µs`).
//!
//! They count only where command or output speak of a benchmark. Headings and the lines of sizes over a figure are conditions.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::columns::{self, Head};
use super::super::lexicon::{self, Kind};
use super::super::numbers::{self, Figure};
use super::super::{FigureEvidence, Found, Measurement, MeasurementRole, table};
use super::lines::{Line, lines, re};
use crate::session::TextRef;

/// What says that figures are results of a measurement.
static BENCHMARK: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)bench|\b(?:throughput|latenc(?:y|ies)|perf(?:ormance)?[-_ ]?(?:test|results?|numbers)|load[-_ ]?test|profil(?:e|er|ing)|timings?|speed[-_ ]?test|ns/iter|tok/s|per iteration|p9[059])\b",
    )
});
/// What is set, waited for or taken up, and no result.
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:time-?outs?|warm-?up|interval|ttl|sleep\w*|wait\w*|retr(?:y|ies)|back-?off|expir\w*|refresh|delay|limit|eta|remaining|uptime|downloaded|finished|done|built|installed|date|resolution)\b",
    )
});
static RULE: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*[=\-─━_*#~]{3,}\s*$"));
static DECORATED: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*[=\-─━#*]{2,}\s*(\S.*?)\s*[=\-─━#*:]*\s*$"));
/// Between the name and the value of a line.
static SEPARATOR: LazyLock<Regex> = LazyLock::new(|| re(r"\s*(?::|=|\.{2,}|…|->|→)\s*"));
/// A statistic before its value, without a sign between.
static STATISTIC: LazyLock<Regex> = LazyLock::new(|| {
    re(r"(?i)^((?:[^:]{1,30}:\s*)?(?:mean|avg|average|median|min|max|std(?:dev)?|p\d{1,2}(?:\.\d+)?))\s+[~≈]?\d")
});
static CASE: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)^([a-z][a-z _-]{0,20}?)\s*[=:]?\s*(\d[\d,]*(?:\s*[x×]\s*\d+)*k?)$"));
static CONDITION: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)([a-z][a-z0-9_ -]{0,24}?)\s*[:=]\s*(\d[\d,]*)(?:\s*$|\s*[,;)])"));

/// A heading, with what was set under it.
struct Section {
    depth: usize,
    title: String,
    params: BTreeMap<String, String>,
}

/// A value of a line, with the words that name it.
struct Value {
    key: String,
    figure: Figure,
    /// Bytes in the source.
    range: Range<usize>,
}

/// Reads the lines inside `within` that no other reader `taken`; `context` is the command or heading over them.
pub(super) fn read(
    at: &TextRef<'_>,
    within: Range<usize>,
    taken: &[Range<usize>],
    context: &str,
    params: &BTreeMap<String, String>,
) -> Vec<Found> {
    if !BENCHMARK.is_match(&at.text[within.clone()]) && !BENCHMARK.is_match(context) {
        return Vec::new();
    }
    let free = |l: &Line<'_>| !taken.iter().any(|t| t.start < l.range.end && l.range.start < t.end);
    let inside = |l: &Line<'_>| within.start <= l.range.start && l.range.end <= within.end;
    let all: Vec<Line<'_>> = lines(at.text).into_iter().filter(|l| inside(l) && free(l)).collect();
    let mut reader = Reader { at, params, sections: Vec::new(), out: Vec::new() };
    let mut unnamed: Vec<Value> = Vec::new();
    for (i, line) in all.iter().enumerate() {
        let values = values(line);
        let alone = values.len() == 1 && reader.metric(&values[0]).is_none();
        if alone {
            unnamed.extend(values);
            continue;
        }
        reader.cases(&mut unnamed);
        if values.is_empty() {
            let ruled = all.get(i + 1).is_some_and(|next| RULE.is_match(&next.text));
            reader.heading(&line.text, ruled);
        }
        reader.named(values);
    }
    reader.cases(&mut unnamed);
    reader.out
}

struct Reader<'a> {
    at: &'a TextRef<'a>,
    params: &'a BTreeMap<String, String>,
    sections: Vec<Section>,
    out: Vec<Found>,
}

impl Reader<'_> {
    /// Takes a line without figures as a heading or as the conditions of the lines below.
    fn heading(&mut self, text: &str, ruled: bool) {
        let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric() && !"=-#*".contains(c));
        if RULE.is_match(text) || bare.is_empty() || text.len() > 120 {
            return;
        }
        let indent = text.len() - text.trim_start().len();
        let conditions: Vec<_> =
            CONDITION.captures_iter(bare).map(|c| (c[1].trim().to_owned(), c[2].to_owned())).collect();
        let decorated = DECORATED.captures(text).map(|c| c[1].to_owned());
        let title = decorated.clone().or_else(|| bare.trim_end().strip_suffix(':').map(str::to_owned));
        match title.or_else(|| ruled.then(|| bare.trim().to_owned())).filter(|_| conditions.is_empty()) {
            Some(title) => {
                let depth = 2 * indent + usize::from(decorated.is_none() && !ruled);
                self.sections.retain(|s| s.depth < depth);
                self.sections.push(Section { depth, title, params: BTreeMap::new() });
            }
            None => {
                let known = |k: &str| lexicon::param_header(k.trim_end_matches(|c: char| c.is_ascii_digit())).is_some();
                let Some(section) = self.sections.last_mut() else { return };
                let kept = conditions.into_iter().filter(|(k, _)| known(&lexicon::spoken(k).to_lowercase()));
                section.params.extend(kept.map(|(k, v)| (k.to_lowercase().replace(' ', "_"), v)));
            }
        }
    }

    /// The metric that a value's own words name.
    fn metric(&self, value: &Value) -> Option<&'static str> {
        let unit = value.figure.unit.as_ref()?;
        let named = lexicon::metric(&value.key.to_lowercase(), Some(unit)).map(|(m, _)| m.id);
        named.or_else(|| if Kind::of(unit).is_rate() { lexicon::default_metric(unit) } else { None })
    }

    /// Adds the values of a line whose words name a metric.
    fn named(&mut self, values: Vec<Value>) {
        for value in values {
            let Some(metric) = self.metric(&value) else { continue };
            let head = columns::head(&value.key);
            let bytes = value.figure.unit.as_ref().is_some_and(|u| matches!(Kind::of(u), Kind::Bytes | Kind::Other));
            if !head.derived && !bytes {
                let params = self.conditions(&value.key);
                self.push(metric, &head, params, &value);
            }
        }
    }

    /// Adds lines that name a case each and give it a time: two or more in a row, under a heading.
    fn cases(&mut self, found: &mut Vec<Value>) {
        let values = std::mem::take(found);
        let time = |v: &Value| {
            v.figure.unit.as_ref().is_some_and(|u| Kind::of(u) == Kind::Time && u.name != "min" && u.name != "h")
        };
        let told = self.sections.iter().any(|s| BENCHMARK.is_match(&s.title));
        if values.len() < 2 || !told || !values.iter().all(time) {
            return;
        }
        for value in values {
            let mut params = self.conditions("");
            match CASE.captures(&value.key).and_then(|c| Some((lexicon::param_header(&c[1])?, c[2].to_owned()))) {
                Some((name, number)) => params.insert(name.to_owned(), number),
                None => params.insert("case".to_owned(), value.key.clone()),
            };
            let head = columns::head(&self.sections.last().map_or(String::new(), |s| s.title.clone()));
            let named = lexicon::metric(&head.text, value.figure.unit.as_ref()).map(|(m, _)| m.id);
            self.push(named.unwrap_or("time"), &head, params, &value);
        }
    }

    /// What headings, and the words of the value itself, say that it holds for.
    fn conditions(&self, key: &str) -> BTreeMap<String, String> {
        let mut out = self.params.clone();
        for (name, section) in ["group", "test"].iter().zip(self.sections.iter().rev().take(2).rev()) {
            out.insert((*name).to_owned(), section.title.trim_matches(|c: char| !c.is_alphanumeric()).to_owned());
        }
        for section in &self.sections {
            out.extend(lexicon::params(&section.title));
            out.extend(section.params.clone());
        }
        out.extend(lexicon::params(key));
        out
    }

    fn push(&mut self, metric: &str, head: &Head, params: BTreeMap<String, String>, value: &Value) {
        let over = self.sections.iter().rev().find_map(|s| lexicon::role(&s.title.to_lowercase(), false));
        let role = head.role.or(over).unwrap_or_default();
        let unit = value.figure.unit.clone();
        let measurement = Measurement {
            metric: metric.to_owned(),
            unit: unit.as_ref().map(|u| u.name.clone()),
            role,
            phase: head.phase.map(str::to_owned),
            statistic: head.statistic.clone(),
            scope: head.scope.or(unit.as_ref().and_then(|u| u.scope)).map(str::to_owned),
            params,
            valid: role != MeasurementRole::Invalid && !is_nothing(metric, value.figure.value),
            evidence: FigureEvidence::Tool,
            ..Measurement::at(self.at.span(value.range.start, value.range.end))
        };
        self.out.extend(table::spread(measurement, &value.figure, unit));
    }
}

/// A program that prints a time of 0 measured nothing, or prints too few digits to say what.
pub(super) fn is_nothing(metric: &str, value: f64) -> bool {
    value == 0.0 && (metric == "time" || metric.ends_with("latency"))
}

/// The values of a line with a unit each, with what names them; none where the line says anything else.
fn values(line: &Line<'_>) -> Vec<Value> {
    let text = &*line.text;
    let mut out: Vec<Value> = Vec::new();
    if text.len() > 240 || !text.bytes().any(|b| b.is_ascii_digit()) {
        return out;
    }
    let mut noun = String::new();
    for part in parts(text) {
        let Some((key, rest)) = named_part(part) else { return if out.is_empty() { Vec::new() } else { out } };
        let Some(figure) = numbers::of_cell(rest).filter(|f| f.span.start <= 1) else { return out };
        let words = lexicon::spoken(key.trim());
        let behind = rest[figure.span.end..].trim();
        let unit = figure.unit.clone().or_else(|| columns::head(&words).unit);
        let closed = behind.is_empty() || behind.starts_with(['(', '[', '±', '✓', '✅']);
        let Some(unit) = unit.filter(|_| closed && !SETTING.is_match(&words)) else { return out };
        let own = columns::head(&words);
        // "p99 12 ms" behind "Latency: mean 4 ms" is of the latency, too.
        let bare = own.statistic.is_some() || own.role.is_some();
        let key = if bare && !noun.is_empty() { format!("{noun} {words}") } else { words.clone() };
        if noun.is_empty() {
            noun = words.split(':').next().unwrap_or("").to_owned();
        }
        let value = &rest[figure.span.clone()];
        out.push(Value { key, range: line.part(value), figure: Figure { unit: Some(unit), ..figure } });
    }
    out
}

/// The parts of a line between commas, bars and brackets.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    static SPLIT: LazyLock<Regex> = LazyLock::new(|| re(r"[,;|]\s+|\s+[(\[]|[)\]]"));
    SPLIT.split(text).map(str::trim).filter(|p| p.chars().any(char::is_alphanumeric))
}

/// A part as name and value.
fn named_part(part: &str) -> Option<(&str, &str)> {
    let part = part.trim_start_matches(|c: char| !c.is_alphanumeric());
    let number = |t: &str| {
        t.trim_start_matches(['~', '≈', '<', '>', '≤', '≥', '+', '-', ' ']).starts_with(|c: char| c.is_ascii_digit())
    };
    let split = SEPARATOR.find_iter(part).find(|m| m.start() > 0 && number(&part[m.end()..]));
    let (key, value) = match split {
        Some(m) => (&part[..m.start()], &part[m.end()..]),
        None => {
            let word = STATISTIC.captures(part)?.get(1)?;
            (&part[..word.end()], part[word.end()..].trim_start())
        }
    };
    let plain = key.starts_with(char::is_alphabetic) && !key.contains(['/', '\\', '"', '`', '{', '<', '$', '@']);
    (plain && key.len() <= 48 && key.split_whitespace().count() <= 6).then_some((key, value))
}
