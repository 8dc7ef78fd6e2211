//! Figures in running text.
//!
//! A sentence is cut at its figures; what stands between two of them belongs to the one it is joined to. Rates say by
//! themselves that they are results; a time, a size or a share counts only with the noun of a metric beside it.

mod clauses;
mod names;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::lexicon::{self, Kind, words};
use super::numbers::{self, Between, Figure};
use super::table::spread;
use super::units::Unit;
use super::{Found, Measurement, MeasurementRole};
use crate::session::TextRef;
use clauses::{Clause, clauses, head_of, sentences};

/// Reads the figures of a text outside the `skip` ranges (fences, tables, blocks of tools), which are in order.
pub(super) fn read(at: &TextRef<'_>, skip: &[Range<usize>]) -> Vec<Found> {
    let mut reader = Reader { at, out: Vec::new(), heading: String::new(), topic: String::new() };
    let mut start = 0;
    let mut skip = skip.iter().peekable();
    for line in at.text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        while skip.next_if(|s| s.end <= range.start).is_some() {}
        if skip.peek().is_some_and(|s| s.start < range.end) {
            continue;
        }
        reader.line(line, range.start);
    }
    reader.out
}

struct Reader<'a> {
    at: &'a TextRef<'a>,
    out: Vec<Found>,
    heading: String,
    /// The last sentence before this one, for what "it" is.
    topic: String,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, offset: usize) {
        let body = line.trim_start();
        if body.starts_with('#') || is_bold_line(body) {
            body.trim_matches(['#', '*', ' ', '\n', '\r']).clone_into(&mut self.heading);
            self.topic.clone_from(&self.heading);
        } else if body.is_empty() || body.starts_with('|') {
            return;
        }
        if !line.bytes().any(|b| b.is_ascii_digit()) {
            self.topic.clear();
            self.topic.push_str(line);
            return;
        }
        for sentence in sentences(line) {
            self.sentence(&line[sentence.clone()], offset + sentence.start);
            line[sentence].clone_into(&mut self.topic);
        }
    }

    fn sentence(&mut self, text: &str, offset: usize) {
        let figures = numbers::with_units(text);
        let figures: Vec<Figure> = figures.into_iter().filter(|f| !is_setting(text, f)).collect();
        if figures.is_empty() || QUOTA.is_match(text) || PROGRESS.is_match(text) || EXAMPLE.is_match(text) {
            return;
        }
        let mut clauses = clauses(text, figures);
        self.name_metrics(&mut clauses);
        share_metrics(&mut clauses);
        name_times(&mut clauses, text);
        self.give_roles(&mut clauses, text);
        let one = clauses.iter().filter(|c| c.metric.is_some()).count() == 1;
        let lead = names::lead(text, &clauses);
        let named = match CONTRAST.is_match(text) {
            true => names::contrasted(&clauses, text),
            false => vec![None; clauses.len()],
        };
        let equation = clauses.iter().any(|c| c.kind == Some(Kind::TokenRate));
        for (clause, name) in clauses.into_iter().zip(named) {
            let Some(mut metric) = clause.metric else { continue };
            if metric == "bandwidth" && equation {
                metric = "memory_bandwidth"; // bytes read per second that bound a token rate
            }
            let around = if one { text.to_owned() } else { format!("{} {}", clause.left, clause.right) };
            let mut params = lexicon::params(&around);
            if let Some(load) = lexicon::params(&self.heading).remove("concurrency") {
                params.entry("concurrency".to_owned()).or_insert(load);
            }
            if let Some((condition, value)) = lead {
                params.entry(condition.to_owned()).or_insert_with(|| value.to_owned());
            }
            let led = |subject: &&str| lead.is_none_or(|(_, value)| value != *subject);
            if let Some(subject) = name.or_else(|| subject(clause.left).filter(led)) {
                params.entry("config".to_owned()).or_insert_with(|| subject.to_owned());
            }
            self.emit(metric, &clause, params, text, offset);
        }
    }

    fn name_metrics(&self, clauses: &mut [Clause<'_>]) {
        for clause in clauses {
            let Some(unit) = &clause.figure.unit else { continue };
            let kind = Kind::of(unit);
            clause.kind = Some(kind);
            let adjective = clause.figure.adjective.as_ref().map(|a| format!("{a} {}", unit.name));
            let named = |text: &str| lexicon::metric(text, Some(unit)).map(|(m, _)| m.id);
            let near = adjective
                .as_deref()
                .and_then(named)
                .or_else(|| named(clause.left))
                .or_else(|| named(clause.right).filter(|_| !clause.right.is_empty()));
            let default = || lexicon::default_metric(unit);
            clause.metric = match kind {
                Kind::ByteRate => named_in_turn(near, || named(&self.topic).or_else(|| named(&self.heading)), default),
                k if k.is_rate() => near.or_else(default),
                Kind::Time if matches!(near, Some("duration")) => near.filter(|_| ENDED.is_match(clause.left)),
                Kind::Time => near.filter(|m| is_run(m, unit, clause)).or_else(default),
                Kind::TimePerOp => near.or_else(default),
                Kind::Bytes => near.filter(|_| is_use(unit, clause)),
                Kind::Ratio if clause.figure.unit.as_ref().is_some_and(|u| u.name == "%") => near,
                Kind::Other if !CAPACITY.is_match(clause.left) && !CAPACITY.is_match(head_of(clause.right)) => near,
                _ => None,
            };
        }
    }

    fn give_roles(&self, clauses: &mut [Clause<'_>], text: &str) {
        let measured = lexicon::role(text, false) == Some(MeasurementRole::Measured);
        let mut before: Option<MeasurementRole> = None;
        let mut metric = None;
        for clause in clauses.iter_mut() {
            let own = lexicon::role(head_of(clause.right), true).or_else(|| lexicon::role(clause.left, false));
            let ratio = matches!(clause.kind, Some(Kind::Ratio) | None)
                || clause.figure.unit.as_ref().is_some_and(|u| u.name == "pp");
            if ratio && clause.metric.is_none() {
                let derived = lexicon::is_derived(clause.left)
                    || lexicon::is_derived(clause.right)
                    || clause.figure.unit.as_ref().is_some_and(|u| u.name == "pp");
                clause.metric = metric.filter(|_| derived);
                clause.role = Some(MeasurementRole::Derived);
                continue;
            }
            if CONVERTS.is_match(clause.left) {
                clause.role = Some(MeasurementRole::Derived);
                continue;
            }
            if in_quotes(text, &clause.figure.span) {
                clause.role = Some(MeasurementRole::Quoted);
                continue;
            }
            let stub = STUB.is_match(clause.right).then_some(MeasurementRole::Invalid);
            clause.role = stub.or(own).or(before.filter(|_| !measured)).or_else(|| self.role_above(clause));
            if clause.metric.is_some() {
                before = clause.role.filter(|r| *r != MeasurementRole::Measured);
                metric = clause.metric;
            }
        }
    }

    /// The role that the heading gives; a bandwidth of named hardware without a word of measuring is its data sheet's.
    fn role_above(&self, clause: &Clause<'_>) -> Option<MeasurementRole> {
        let hardware = matches!(clause.kind, Some(Kind::ByteRate | Kind::FlopRate)) && HARDWARE.is_match(clause.left);
        lexicon::role(&self.heading, false)
            .filter(|r| *r != MeasurementRole::Measured)
            .or(hardware.then_some(MeasurementRole::Quoted))
    }

    fn emit(&mut self, metric: &str, clause: &Clause<'_>, params: BTreeMap<String, String>, text: &str, offset: usize) {
        let figure = &clause.figure;
        let role = clause.role.unwrap_or_default();
        let span = self.at.span(offset + figure.span.start, offset + figure.span.end);
        let said = format!("{} {}", clause.left, head_of(clause.right));
        let scope = figure.unit.as_ref().and_then(|u| u.scope).or_else(|| lexicon::scope(&said));
        let measurement = Measurement {
            metric: metric.to_owned(),
            unit: figure.unit.as_ref().map(|u| u.name.clone()),
            role,
            phase: lexicon::phase(clause.left).map(str::to_owned),
            statistic: lexicon::statistic(&said).filter(|_| role != MeasurementRole::Theoretical),
            scope: scope.map(str::to_owned),
            params,
            valid: role != MeasurementRole::Invalid,
            ..Measurement::at(span)
        };
        let mut figure = figure.clone();
        if let Some((Between::To, to)) = figure.second
            && FROM.is_match(clause.left)
        {
            figure.second = Some((Between::Arrow, to));
        }
        let derivation = derivation(&text[..figure.span.start]);
        let found = spread(measurement, &figure, figure.unit.clone());
        self.out.extend(found.into_iter().map(|f| Found { derivation: derivation.clone(), ..f }));
    }
}

/// Whether a time is that of a run: hours are, when a noun of running says so; those of a calendar are not.
fn is_run(metric: &str, unit: &Unit, clause: &Clause<'_>) -> bool {
    let said = |pattern: &Regex| pattern.is_match(clause.left) || pattern.is_match(clause.right);
    let long = matches!(unit.name.as_str(), "min" | "h" | "d");
    let waits = metric.ends_with("latency") || matches!(metric, "ttft" | "tpot" | "itl");
    let schedule = metric == "time" && said(&SCHEDULE);
    let idle = metric == "time" && !said(&RUNS);
    !(schedule || long && (waits || idle))
}

/// Whether a size is what something was seen to use: not hardware ("16 GB RAM"), not the layout of a value in bytes,
/// not a bound.
fn is_use(unit: &Unit, clause: &Clause<'_>) -> bool {
    unit.name != "B"
        && clause.figure.bound.is_none()
        && (USES.is_match(clause.left) || USES.is_match(head_of(clause.right)) && !FITTED.is_match(clause.right))
}

/// Whether a figure belongs to the noun behind it ("a 20 second window"), or to a condition ("if it is 20 ms").
fn is_setting(text: &str, figure: &Figure) -> bool {
    let (before, after) = (&text[..figure.span.start], &text[figure.span.end..]);
    let one = ["second", "minute", "hour"].iter().any(|u| text[figure.span.clone()].ends_with(u));
    one && OWNED.captures(after).and_then(|c| c.get(1)).is_some_and(|w| !JOINS.is_match(w.as_str()))
        || SUPPOSED.is_match(before)
}

/// Whether a figure stands between quotation marks: what it says is somebody else's, or an example.
fn in_quotes(text: &str, figure: &Range<usize>) -> bool {
    let straight = text[..figure.start].matches('"').count() % 2 == 1 && text[figure.end..].contains('"');
    let curly = text[..figure.start].rfind('“').is_some_and(|open| !text[open..figure.start].contains('”'));
    straight || curly && text[figure.end..].contains('”')
}

static SCHEDULE: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\btime[- ](windows?|stamps?|frames?|slots?|zones?|range)\b|\b(departure|arrival|travel|boarding|check-?in|local|delivery|lead|flight) times?\b",
    )
});
static RUNS: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(run[- ]?times?|elapsed|wall|execution|training|build|compil\w+|inference|processing|benchmarks?|suite|tests?)\b",
    )
});
/// What ran did not do the work: the figure measures nothing.
static STUB: LazyLock<Regex> = LazyLock::new(|| {
    words(r"not[_ ]implemented|\breturns? (only )?an error\b|\bdoes nothing\b|\b(is|was) (only )?a stub\b")
});
static FITTED: LazyLock<Regex> = LazyLock::new(|| words(r"^\W*([vg]?ram|g?ddr\d?\w*|hbm\w*|memory|unified memory)\b"));
static OWNED: LazyLock<Regex> = LazyLock::new(|| words(r"^[ -]([A-Za-z]+)"));
static JOINS: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"^(for|in|to|on|at|with|and|or|per|of|under|when|while|vs|versus|compared|instead|than|faster|slower|later|after|before|from|by|as|each|total|overall|on|now|is|was|but|because|using|via)$",
    )
});
/// An example that is made up.
static EXAMPLE: LazyLock<Regex> =
    LazyLock::new(|| words(r"\b(for (example|instance)|e\.g\.),? (if|when|suppose|imagine)\b"));
/// A clause of a condition that the figure stands in.
static SUPPOSED: LazyLock<Regex> =
    LazyLock::new(|| words(r"\b(if|when specifying|suppose|say,|imagine|unless)\b[^,:;–—]*$"));
static QUOTA: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(rate[- ]limit\w*|throttl\w*|quota|time-?out|timeouts|ttl|retry|retries|interval|backoff|poll\w*|debounce)\b",
    )
});
static PROGRESS: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\beta \d|━|█|\d%\||\b(receiving|writing|counting|compressing) objects\b|[KMG]iB \| \d|^\s*(downloading|collecting|receiving objects|fetching)\b",
    )
});
static CONTRAST: LazyLock<Regex> = LazyLock::new(|| words(r"\b(vs\.?|versus|compared (to|with)|instead of|against)\b"));
static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"(?:([A-Za-z][\w./+-]*(?: [\w./+-]+){0,3})[*`_]*:|\b([A-Za-z][\w./+-]*)['’]s|\b(?:vs\.?|versus) ([A-Za-z][\w./+-]*))[*`_ ]*$",
    )
});
static ENDED: LazyLock<Regex> = LazyLock::new(|| {
    words(r"\b(took|finished in|completed in|ran in)\W*(about|around|roughly|only|just|approximately|~)?\W*$")
});
static USES: LazyLock<Regex> =
    LazyLock::new(|| words(r"\b(us(es|ed|ing|age)|peak(ed)?|consum\w+|footprint|rss|takes|took)\b"));
static CAPACITY: LazyLock<Regex> = LazyLock::new(|| words(r"\b(tdp|limits?|rated|cap(ped)?|supply|psu)\b"));
static CONVERTS: LazyLock<Regex> =
    LazyLock::new(|| words(r"\b(means|implies|equals|corresponds to|translates (in)?to|i\.e\.|works out to)\W*$"));
static HARDWARE: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(pcie|gen ?[3-6]|nvlink|hbm\d?e?|g?ddr\d|rtx|a100|h100|h200|b200|mi300x?|supports?|up to|capable of|offers|provides|has)\b",
    )
});
static FROM: LazyLock<Regex> = LazyLock::new(|| {
    words(r"\b(from|rose|went|increased|improved|dropped|fell|decreased|grew|moved|reduced|down|up)\b")
});
static EQUATION: LazyLock<Regex> = LazyLock::new(|| words(r"([\d(][^=≈:;]*[/×*÷·+−-]\s*[^=≈:;]*?)\s*[=≈]\s*[~≈]?\s*$"));

fn named_in_turn(
    near: Option<&'static str>,
    above: impl Fn() -> Option<&'static str>,
    default: impl Fn() -> Option<&'static str>,
) -> Option<&'static str> {
    // "throughput" and "bandwidth" say less than the noun of the sentence before ("the NIC …").
    match near {
        Some("bandwidth" | "throughput") => above().filter(|m| !matches!(*m, "bandwidth" | "throughput")).or(near),
        Some(metric) => Some(metric),
        None => above().or_else(default),
    }
}

/// The terms of the equation that ends where the figure starts.
fn derivation(before: &str) -> Option<String> {
    EQUATION.captures(before).and_then(|c| c.get(1)).map(|m| m.as_str().trim().to_owned())
}

/// A line that is wholly bold stands for a heading.
fn is_bold_line(line: &str) -> bool {
    let line = line.trim_end();
    line.len() > 4
        && line.starts_with("**")
        && line.trim_end_matches(':').ends_with("**")
        && line.matches("**").count() == 2
}

/// Times that are set against each other ("12 µs vs 80 µs"), and times too short for a setting, are results though no
/// noun says so.
fn name_times(clauses: &mut [Clause<'_>], text: &str) {
    let times = clauses.iter().filter(|c| c.kind == Some(Kind::Time)).count();
    let contrast = times >= 2 && CONTRAST.is_match(text);
    for clause in clauses.iter_mut().filter(|c| c.kind == Some(Kind::Time) && c.metric.is_none()) {
        let short = clause.figure.unit.as_ref().is_some_and(|u| matches!(u.name.as_str(), "µs" | "ns"));
        clause.metric = (contrast || short && subject(clause.left).is_some()).then_some("time");
    }
}

/// What was measured, when it stands right before the figure: `**engine**: 12 µs`, `engine's 12 µs`, `vs engine 12 µs`.
fn subject(left: &str) -> Option<&str> {
    let found = SUBJECT.captures(left)?;
    let name = (1..=3).find_map(|i| found.get(i))?.as_str().trim();
    (!says_more(name) && name.len() > 1).then_some(name)
}

/// Whether words name a metric, a statistic, a role or a condition, and so not a thing that was measured.
fn says_more(name: &str) -> bool {
    lexicon::metric(name, None).is_some()
        || lexicon::statistic(name).is_some()
        || lexicon::role(name, false).is_some()
        || lexicon::phase(name).is_some()
        || lexicon::is_derived(name)
        || !lexicon::params(name).is_empty()
}

/// `80 ms against 40 ms per token`: figures of one kind without a noun share that of their neighbour.
fn share_metrics(clauses: &mut [Clause<'_>]) {
    for i in 0..clauses.len() {
        let same = |c: &Clause<'_>| c.kind == clauses[i].kind && c.metric.is_some();
        let near = clauses[..i].iter().rev().find(|c| same(c)).or_else(|| clauses[i + 1..].iter().find(|c| same(c)));
        let weak = clauses[i].metric.is_none() && matches!(clauses[i].kind, Some(Kind::Time | Kind::Ratio));
        if weak && let Some(metric) = near.and_then(|c| c.metric).filter(|m| *m != "duration") {
            let absolute = clauses[i].kind != Some(Kind::Ratio) || !lexicon::is_derived(clauses[i].right);
            clauses[i].metric = Some(metric).filter(|_| absolute);
        }
    }
}
