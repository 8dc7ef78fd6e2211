//! Lines of console output, cleaned, with their bytes; and where readers put what they find.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::super::units::Unit;
use super::super::{FigureEvidence, Found, Measurement, MeasurementRole};
use crate::session::TextRef;

/// A line without colours, progress that was overwritten, and prefixes of logs.
pub(crate) struct Line<'a> {
    /// The cleaned text.
    pub(crate) text: Cow<'a, str>,
    /// Bytes of the whole line in the source.
    pub(crate) range: Range<usize>,
    /// Where the cleaned text starts; `None` when it was changed inside.
    start: Option<usize>,
}

static ESCAPE: LazyLock<Regex> = LazyLock::new(|| Regex::new("\x1b\\[[0-9;?]*[ -/]*[@-~]").expect("static pattern"));
static PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:> |// |\[rank\d+\]:\s?|\[\d+(?:,\d+)?\]<std(?:out|err)>:|\(\w+ pid=\d+\)\s?|(?:INFO |WARNING )?(?:\d{4}-)?\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*\s)+")
        .expect("static pattern")
});

/// The lines of a text.
pub(crate) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    text.split_inclusive('\n')
        .map(|raw| {
            let range = at..at + raw.len();
            at = range.end;
            let body = raw.trim_end_matches(['\n', '\r']);
            let from = body.rfind('\r').map_or(0, |r| r + 1);
            let from = from + prefix(&body[from..]);
            let body = &body[from..];
            if body.contains('\x1b') {
                let text = ESCAPE.replace_all(body, "").into_owned();
                Line { text: text.into(), range, start: None }
            } else {
                Line { text: body.into(), start: Some(range.start + from), range }
            }
        })
        .collect()
}

/// Length of what a logger put before the line.
fn prefix(line: &str) -> usize {
    match line.bytes().next() {
        Some(b'>' | b'/' | b'[' | b'(' | b'I' | b'W' | b'0'..=b'9' | 0x80..) => {
            PREFIX.find(line).map_or(0, |m| m.end())
        }
        _ => 0,
    }
}

impl Line<'_> {
    /// Bytes of a part of the cleaned text.
    pub(crate) fn part(&self, part: &str) -> Range<usize> {
        let offset = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        match self.start {
            Some(start) if offset <= self.text.len() => start + offset..start + offset + part.len(),
            _ => self.range.clone(),
        }
    }
}

/// Where readers put their figures.
pub(crate) struct Sink<'a> {
    at: &'a TextRef<'a>,
    out: Vec<Found>,
    /// Conditions of the block being read; start as those of the command.
    pub(crate) params: BTreeMap<String, String>,
    command: BTreeMap<String, String>,
    /// The run had failures.
    pub(crate) failed: bool,
    worked: bool,
}

impl<'a> Sink<'a> {
    /// A sink for one text; `worked`: the command that printed it did not fail.
    pub(crate) fn new(at: &'a TextRef<'a>, command: BTreeMap<String, String>, worked: bool) -> Self {
        Self { at, out: Vec::new(), params: command.clone(), command, failed: false, worked }
    }

    /// Starts a new block: conditions are those of the command again.
    pub(crate) fn block(&mut self) {
        self.params = self.command.clone();
        self.failed = false;
    }

    /// Sets a condition of the block.
    pub(crate) fn param(&mut self, key: &str, value: &str) {
        self.params.insert(key.to_owned(), value.trim().to_owned());
    }

    /// The text that the lines are of.
    pub(crate) fn source(&self) -> &'a str {
        self.at.text
    }

    /// Adds a figure: `value` is a part of the line's text. `None` when it is no number.
    pub(crate) fn push(&mut self, line: &Line<'_>, value: &str, metric: &str, unit: &str) -> Option<&mut Measurement> {
        self.figure(line.part(value.trim()), value, metric, unit)
    }

    /// Adds a figure: `value` is a part of the source itself.
    pub(crate) fn push_in_source(&mut self, value: &'a str, metric: &str, unit: &str) -> Option<&mut Measurement> {
        let start = (value.as_ptr() as usize).checked_sub(self.source().as_ptr() as usize)?;
        self.figure(start..start + value.len(), value, metric, unit)
    }

    fn figure(&mut self, range: Range<usize>, value: &str, metric: &str, unit: &str) -> Option<&mut Measurement> {
        let plain = value.trim().replace(',', "");
        let number: f64 = plain.parse().ok().filter(|v: &f64| v.is_finite())?;
        let decimals = plain.split_once('.').map_or(0, |(_, d)| d.len().min(12));
        let parsed = Unit::parse(unit);
        let measurement = Measurement {
            metric: metric.to_owned(),
            value: Some(number),
            unit: parsed.as_ref().map(|u| u.name.clone()).or_else(|| (!unit.is_empty()).then(|| unit.to_owned())),
            scope: parsed.as_ref().and_then(|u| u.scope).map(str::to_owned),
            params: self.params.clone(),
            valid: self.worked && !self.failed,
            evidence: FigureEvidence::Tool,
            ..Measurement::at(self.at.span(range.start, range.end))
        };
        self.out.push(Found { measurement, unit: parsed, decimals: decimals as u8, derivation: None });
        self.out.last_mut().map(|f| &mut f.measurement)
    }

    /// Adds a figure with a statistic.
    pub(crate) fn stat(&mut self, line: &Line<'_>, value: &str, metric: &str, unit: &str, statistic: &str) {
        if let Some(m) = self.push(line, value, metric, unit) {
            m.statistic = (!statistic.is_empty()).then(|| statistic.to_owned());
        }
    }

    /// How many figures there are.
    pub(crate) fn len(&self) -> usize {
        self.out.len()
    }

    /// The figures from a position on.
    pub(crate) fn since(&mut self, from: usize) -> impl Iterator<Item = &mut Measurement> {
        self.out[from..].iter_mut().map(|f| &mut f.measurement)
    }

    /// Marks the figures from a position on as results that do not count.
    pub(crate) fn invalidate(&mut self, from: usize) {
        self.since(from).for_each(|m| {
            m.role = MeasurementRole::Invalid;
            m.valid = false;
        });
    }

    /// Sorts the figures from a position on by their place in the text.
    pub(crate) fn in_reading_order(&mut self, from: usize) {
        self.out[from..].sort_by_key(|f| f.measurement.span.start);
    }

    /// All figures.
    pub(crate) fn finish(self) -> Vec<Found> {
        self.out
    }
}

/// A group of a match, empty when it did not take part.
pub(crate) fn group<'t>(found: &Captures<'t>, index: usize) -> &'t str {
    found.get(index).map_or("", |m| m.as_str())
}

/// Compiles a pattern.
pub(crate) fn re(pattern: &str) -> Regex {
    Regex::new(pattern).expect("static pattern")
}

/// Conditions that the options of a command state.
pub(crate) fn command_params(command: &str) -> BTreeMap<String, String> {
    const OPTIONS: &[(&str, &[&str])] = &[
        ("concurrency", &["--max-concurrency", "--concurrency"]),
        ("batch", &["--batch-size", "--batch"]),
        ("input_len", &["--input-len", "--random-input-len", "--random-input", "--isl"]),
        ("output_len", &["--output-len", "--random-output-len", "--random-output", "--osl"]),
        ("request_rate", &["--request-rate"]),
        ("num_prompts", &["--num-prompts", "--num-prompt"]),
        ("tp", &["--tensor-parallel-size", "--tp-size", "--tp"]),
        ("threads", &["--threads"]),
        ("iodepth", &["--iodepth"]),
    ];
    let mut out = BTreeMap::new();
    if !command.contains("--") {
        return out;
    }
    let words: Vec<&str> = command.split_whitespace().collect();
    for (i, word) in words.iter().enumerate() {
        let (name, joined) = word.split_once('=').map_or((*word, None), |(n, v)| (n, Some(v)));
        let Some((key, _)) = OPTIONS.iter().find(|(_, names)| names.contains(&name)) else { continue };
        let value = joined.or_else(|| words.get(i + 1).copied()).unwrap_or_default();
        let value = value.trim_matches(['"', '\'', '`', ';', ',', ')']);
        if value.starts_with(|c: char| c.is_ascii_digit()) {
            out.insert((*key).to_owned(), value.to_owned());
        }
    }
    out
}
