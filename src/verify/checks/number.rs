//! Figures with units, percentages and ratios: that they stand where they are said to stand, or follow from figures that
//! do; and that an efficiency is not called a gap.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use super::count::Noun;
use crate::extract::bench::numbers::{self, Figure};
use crate::extract::bench::units::{Dimension, Unit};
use crate::extract::bench::{Efficiency, Limit, Measurement, MeasurementRole};
use crate::session::MsgIx;
use crate::verify::article::Block;
use crate::verify::world::{self, Known};
use crate::verify::{Finding, Kind};

/// Figures of one metric that are set against each other.
const METRIC_FIGURES: usize = 200;

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if super::warnings::is_row(scene) {
        return Vec::new();
    }
    let text = scene.without_quotes();
    let mut figures = numbers::with_units(&text);
    // `it ran 3 times`: a count.
    figures.retain(|f| !text[..f.span.start].trim_end().ends_with(" ran"));
    if scene.sentence().block == Block::Row {
        figures.extend(of_columns(scene, &figures));
    }
    let words = super::rows::verbatim_cells(scene);
    figures.retain(|f| !words.iter().any(|w| w.contains(&f.span.start)));
    let all: Vec<Known> = figures.iter().flat_map(world::known).collect();
    figures.iter().filter_map(|f| decide(scene, &text, f, &all)).collect()
}

/// Bare numbers of a row under a heading that gives their unit: `value (ms)`.
fn of_columns(scene: &Scene<'_>, found: &[Figure]) -> Vec<Figure> {
    let sentence = scene.sentence();
    let mut out = Vec::new();
    for (n, span) in sentence.cells.iter().enumerate() {
        let known = found.iter().any(|f| f.span.start < span.end && f.span.end > span.start);
        let Some(head) = sentence.head.get(n).filter(|_| !known) else { continue };
        let Some(unit) = unit_of(head) else { continue };
        let Some(figure) = numbers::of_cell(sentence.text[span.clone()].trim()).filter(|f| f.unit.is_none()) else {
            continue;
        };
        out.push(Figure { span: span.clone(), unit: Some(unit), ..figure });
    }
    out
}

/// The unit that a heading gives: `TTFT (ms)`, `output tok/s`.
fn unit_of(head: &str) -> Option<Unit> {
    let last = match head.rsplit_once('(') {
        Some((_, inside)) => inside.trim_end_matches(')'),
        None => head.rsplit(' ').next()?,
    };
    Unit::parse(last)
}

/// A value as it is written: its last digit may be rounded.
pub(super) fn rounds_to(value: f64, written: f64, decimals: u8) -> bool {
    let half = 0.5 * 10f64.powi(-i32::from(decimals));
    (value.abs() - written.abs()).abs() <= half * 1.000_001 + value.abs() * 1e-9
}

fn decide(scene: &Scene<'_>, text: &str, figure: &Figure, sentence: &[Known]) -> Option<Finding> {
    // `4 items` is a count.
    let unit = figure.unit.as_ref()?;
    let shown = text.get(figure.span.clone())?.trim().to_owned();
    if shown.rsplit(' ').next().is_some_and(|w| Noun::of(&w.to_ascii_lowercase()).is_some()) {
        return None;
    }
    if unit.name == "%"
        && let Some(found) = efficiency(scene, text, figure, &shown)
    {
        return Some(found);
    }
    let row = scene.sentence().block == Block::Row;
    // `63 GB/s ([msg 9])`: the figure stands just there.
    if let Some(at) = beside(scene, text, figure) {
        let limits = &scene.world.analysis.facts.bench.limits;
        let is_limit = |l: &Limit| {
            l.msg == Some(at)
                && Unit::parse(&l.unit).is_some_and(|unit| is_same(&Known { value: l.value, unit }, figure))
        };
        if scene.world.figures(at).iter().any(|k| is_same(k, figure)) || limits.iter().any(is_limit) {
            return Some(
                Finding::supported(Kind::Number, format!("{shown} stands in [msg {}]", scene.world.label(at)))
                    .shown_by([at]),
            );
        }
        if derived(scene, figure, sentence, &[]).is_none() && bare(scene, figure, &[at]).is_none() {
            let reason = format!("{shown} does not stand in [msg {}]", scene.world.label(at));
            return Some(Finding::contradicted(Kind::Number, reason).shown_by([at]));
        }
    }
    let column = if row { scene.message_column() } else { Vec::new() };
    if let Some(found) = ratio_of_limit(scene, figure, &shown) {
        return Some(found);
    }
    let named = match (column.is_empty(), row) {
        (false, _) => column,
        (true, true) => {
            let mut scope = scene.scope();
            scope.extend(scene.subject);
            scope
        }
        (true, false) => scene.world.expand(scene.sentence().references()),
    };
    let stands = |ix: &MsgIx| scene.world.figures(*ix).iter().any(|k| is_same(k, figure));
    if let Some(&at) = named.iter().find(|ix| stands(ix)) {
        return Some(conditions(scene, text, figure, &[at], &shown).unwrap_or_else(|| {
            Finding::supported(Kind::Number, format!("{shown} stands in [msg {}]", scene.world.label(at)))
                .shown_by([at])
        }));
    }
    if let Some(reason) = derived(scene, figure, sentence, &named) {
        return Some(Finding::supported(Kind::Number, reason).shown_by(named.into_iter().take(3)));
    }
    if let Some(found) = super::time::duration(scene, figure, &shown) {
        return Some(found);
    }
    if !row && let Some(at) = bare(scene, figure, &named) {
        let reason = format!("{} stands in [msg {}]", figure.value, scene.world.label(at));
        return Some(Finding::supported(Kind::Number, reason).shown_by([at]));
    }
    let elsewhere: Vec<MsgIx> = scene.world.session().iter().map(|(ix, _)| ix).filter(stands).take(3).collect();
    if let Some(found) = limit(scene, text, figure, &shown) {
        return Some(found);
    }
    if elsewhere.is_empty()
        && !row
        && let Some(at) = of_a_metric(scene, figure)
    {
        return Some(
            Finding::supported(Kind::Number, format!("{shown} lie between two figures of one metric")).shown_by([at]),
        );
    }
    // What only its surroundings name is where the reader looks, not what the sentence claims.
    let placed = scene.sentence().own.iter().any(|r| clause(text, figure.span.start).contains(&r.at.start));
    match (!placed, elsewhere.is_empty()) {
        (true, false) => Some(conditions(scene, text, figure, &elsewhere, &shown).unwrap_or_else(|| {
            Finding::supported(Kind::Number, format!("{shown} stands in the session")).shown_by(elsewhere.clone())
        })),
        (false, false) => {
            let at: Vec<String> = elsewhere.iter().map(|&ix| format!("[msg {}]", scene.world.label(ix))).collect();
            let reason = format!("{shown} stands in {}, not in the messages named", at.join(", "));
            Some(Finding::contradicted(Kind::Number, reason).shown_by(elsewhere))
        }
        (_, true) if figure.approx => Some(Finding::unverifiable(Kind::Number, format!("{shown} is given as about"))),
        (false, true) => Some(
            Finding::contradicted(Kind::Number, format!("{shown} stands in no message and follows from no figures"))
                .shown_by(named),
        ),
        (true, true) if unit.dimension.is_rate() || row || matches!(&*unit.name, "ms" | "µs" | "ns") => {
            Some(Finding::contradicted(Kind::Number, format!("{shown} stands in no message")))
        }
        (true, true) => Some(Finding::unverifiable(Kind::Number, format!("{shown} stands in no message"))),
    }
}

/// The message in brackets directly behind a figure.
fn beside(scene: &Scene<'_>, text: &str, figure: &Figure) -> Option<MsgIx> {
    let end = figure.span.end;
    let r = scene.sentence().own.iter().find(|r| r.at.start >= end).filter(|r| r.last.is_none())?;
    (text.get(end..r.at.start)?.trim() == "(" && !text[..figure.span.start].trim_end().ends_with('+'))
        .then(|| scene.world.find(&r.first))
        .flatten()
}

/// A percentage in a table that is the efficiency or the gap of a figure of the session.
fn ratio_of_limit(scene: &Scene<'_>, figure: &Figure, shown: &str) -> Option<Finding> {
    let percent = figure.unit.as_ref().is_some_and(|u| u.name == "%") && scene.sentence().block == Block::Row;
    let bench = &scene.world.analysis.facts.bench;
    let holds = |v: f64| rounds_to(v * 100.0, figure.value, figure.decimals);
    let found = bench.efficiencies.iter().filter(|_| percent).find(|e| holds(e.efficiency) || holds(e.gap))?;
    let at = bench.measurements[found.measurement as usize].msg;
    Some(Finding::supported(Kind::Number, format!("{shown} of a limit")).shown_by([at]))
}

/// A difference or ratio of two measured figures of one metric.
fn of_a_metric(scene: &Scene<'_>, figure: &Figure) -> Option<MsgIx> {
    let unit = figure.unit.as_ref()?;
    let mut by_metric: std::collections::BTreeMap<(&str, &str), Vec<(f64, MsgIx)>> = std::collections::BTreeMap::new();
    for m in &scene.world.analysis.facts.bench.measurements {
        let (Some(value), Some(unit)) = (m.value, m.unit.as_deref()) else { continue };
        by_metric.entry((&m.metric, unit)).or_default().push((value, m.msg));
    }
    by_metric.into_iter().filter(|(_, all)| all.len() <= METRIC_FIGURES).find_map(|((_, name), all)| {
        let of = Unit::parse(name)?;
        let pairs = all.iter().enumerate().flat_map(|(n, a)| all[n + 1..].iter().map(move |b| (a, b)));
        pairs.into_iter().find_map(|(a, b)| {
            let results = match &*unit.name {
                "%" => vec![(a.0 / b.0 - 1.0) * 100.0, (b.0 / a.0 - 1.0) * 100.0],
                _ => of.convert(a.0 - b.0, unit).into_iter().collect(),
            };
            results.into_iter().any(|r| r != 0.0 && rounds_to(r, figure.value, figure.decimals)).then_some(b.1)
        })
    })
}

/// The clause that holds a byte: from one semicolon to the next.
fn clause(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind(';').map_or(0, |n| n + 1);
    let end = text[at..].find(';').map_or(text.len(), |n| at + n + 1);
    start..end
}

/// A limit of the session, where the text or the column says that it is one.
fn limit(scene: &Scene<'_>, text: &str, figure: &Figure, shown: &str) -> Option<Finding> {
    let head = column_head(scene, &figure.span).unwrap_or_default();
    let before = text[..figure.span.start].trim_end().to_lowercase();
    let said = head == "limit" || ["of", "limit", "limit:", "limit of"].iter().any(|w| before.ends_with(w));
    let limits = scene.world.analysis.facts.bench.limits.iter().filter(|_| said);
    let unit = |l: &Limit| Unit::parse(&l.unit);
    let mut known = limits.filter_map(|l| Some((l, Known { value: l.value, unit: unit(l)? })));
    let (found, _) = known.find(|(_, k)| is_same(k, figure))?;
    Some(Finding::supported(Kind::Number, format!("{shown} is a limit")).shown_by(found.msg))
}

/// Whether a figure of the session is the one written, after conversion and rounding.
fn is_same(known: &Known, figure: &Figure) -> bool {
    let Some(unit) = &figure.unit else { return false };
    known.unit.convert(known.value, unit).is_some_and(|v| {
        let sure = !figure.approx || v == 0.0;
        rounds_to(v, figure.value, figure.decimals) || !sure && (figure.value / v - 1.0).abs() < 0.05
    })
}

static EFFICIENCY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:\||of)?\s*(?:[\w-]+\s+){0,2}?(gap|efficiency|efficient|of (?:the )?(?:limit|theoretical|maximum|peak)|of \d)").expect("a constant pattern")
});
static CALLED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^.*(?-u:\b)(gap|efficiency)(?-u:\b)[^.;%\d]{0,80}$").expect("a constant pattern")
});

/// A percentage called an efficiency or a gap.
fn efficiency(scene: &Scene<'_>, text: &str, figure: &Figure, shown: &str) -> Option<Finding> {
    let column = column_head(scene, &figure.span).filter(|head| matches!(&**head, "efficiency" | "gap"));
    let after = EFFICIENCY.captures(&text[figure.span.end..]).map(|c| c[1].to_ascii_lowercase());
    let before = CALLED.captures(&text[..figure.span.start]).map(|c| c[1].to_ascii_lowercase());
    // `3.12 % of 412 tok/s, a gap of 96.88 %`: the word before a figure is nearer than that of another.
    let gap_before = before.clone().filter(|w| w == "gap");
    let word = gap_before.or(column).or(after).or(before)?;
    // `efficiency gap`: the gap is what is named.
    let tail = text[figure.span.end..].trim_start().to_ascii_lowercase();
    let gap = word.contains("gap") || word.starts_with("efficiency") && tail.starts_with("efficiency gap");
    let bench = &scene.world.analysis.facts.bench;
    let scope = scene.scope();
    let of = |e: &&Efficiency| {
        let measured = &bench.measurements[e.measurement as usize];
        let limit = &bench.limits[e.limit as usize];
        scope.is_empty()
            || scope.contains(&measured.msg)
            || limit.msg.is_some_and(|m| scope.contains(&m))
            || measured.citations.iter().any(|c| scope.contains(&c.msg))
    };
    let wanted = figure.value;
    let holds = |v: f64| rounds_to(v * 100.0, wanted, figure.decimals);
    let near: Vec<_> = bench.efficiencies.iter().filter(of).collect();
    let all: Vec<_> = if near.is_empty() { bench.efficiencies.iter().collect() } else { near };
    let value = |e: &Efficiency| if gap { e.gap } else { e.efficiency };
    let name = if gap { "gap" } else { "efficiency" };
    let msg = |e: &Efficiency| bench.measurements[e.measurement as usize].msg;
    if let Some(e) = all.iter().find(|e| holds(value(e))) {
        return Some(
            Finding::supported(Kind::Number, format!("{shown} is the {name} of a measured figure")).shown_by([msg(e)]),
        );
    }
    let Some(other) = all.iter().find(|e| holds(if gap { e.efficiency } else { e.gap })) else {
        let stands = scope.iter().any(|&ix| scene.world.figures(ix).iter().any(|k| is_same(k, figure)));
        // Only a table sets efficiencies beside their figures one by one.
        let wrong = scene.sentence().block == Block::Row && !all.is_empty() && !stands;
        return wrong.then(|| {
            Finding::contradicted(Kind::Number, format!("no figure of the messages named has a {name} of {shown}"))
        });
    };
    let (is, right) = if gap { ("efficiency", other.gap) } else { ("gap", other.efficiency) };
    let reason = format!("{shown} is the {is}; the {name} is {:.2} %", right * 100.0);
    Some(Finding::contradicted(Kind::Number, reason).shown_by([msg(other)]))
}

/// The heading of the column in which a figure of a row stands.
fn column_head(scene: &Scene<'_>, span: &Range<usize>) -> Option<String> {
    let sentence = scene.sentence();
    let n = sentence.cells.iter().position(|c| span.start < c.end)?;
    Some(sentence.head.get(n)?.to_ascii_lowercase())
}

/// Differences, ratios and complements of figures named together.
fn derived(scene: &Scene<'_>, figure: &Figure, sentence: &[Known], named: &[MsgIx]) -> Option<String> {
    let unit = figure.unit.as_ref()?;
    let ratio = unit.dimension == Dimension::NONE;
    let mut known: Vec<&Known> = sentence.iter().filter(|k| !is_same(k, figure)).collect();
    let around: Vec<Known> =
        scene.around().iter().flat_map(|s| numbers::with_units(&s.text)).flat_map(|f| world::known(&f)).collect();
    known.extend(&around);
    if known.len() < 2 && ratio && scene.sentence().block != Block::Row {
        known.extend(named.iter().take(2).flat_map(|&ix| scene.world.figures(ix)).take(24));
    }
    for (n, a) in known.iter().enumerate() {
        for b in known.iter().skip(n + 1).filter(|b| b.unit.dimension == a.unit.dimension) {
            let Some(b_value) = b.unit.convert(b.value, &a.unit) else { continue };
            let (x, y) = (a.value, b_value);
            if x == 0.0 || y == 0.0 {
                continue;
            }
            let results: Vec<f64> = match &*unit.name {
                "%" if ratio => [x / y, y / x].iter().flat_map(|r| [r * 100.0, (r - 1.0) * 100.0]).collect(),
                _ if ratio => vec![x / y, y / x],
                "percentage points" => vec![x - y],
                _ => a.unit.convert(x - y, unit).into_iter().chain(a.unit.convert(x + y, unit)).collect(),
            };
            if results.iter().any(|r| rounds_to(*r, figure.value, figure.decimals)) {
                return Some(format!("follows from {x} and {y} {}", a.unit));
            }
        }
    }
    None
}

/// The message in which the number stands without its unit, as in tables that tools print. A number with another unit is
/// another figure.
fn bare(scene: &Scene<'_>, figure: &Figure, named: &[MsgIx]) -> Option<MsgIx> {
    let unit = figure.unit.as_ref()?;
    if figure.decimals == 0 && figure.value < 100.0 {
        return None;
    }
    let other = |k: &Known| k.value == figure.value && k.unit.dimension == unit.dimension && k.unit.scale != unit.scale;
    let everywhere: Vec<MsgIx> = scene.world.session().iter().map(|(ix, _)| ix).collect();
    if everywhere.iter().any(|&ix| scene.world.figures(ix).iter().any(other)) {
        return None;
    }
    let sought = if named.is_empty() { &everywhere } else { named };
    let stands = |ix: &MsgIx| has_number(scene.world.text(*ix), figure.value) && !is_elsewhere(scene, figure, *ix);
    sought.iter().copied().find(stands)
}

/// Whether the figure stands with its unit in another message than this.
fn is_elsewhere(scene: &Scene<'_>, figure: &Figure, but: MsgIx) -> bool {
    let unit = figure.unit.as_ref();
    let rate = unit.is_some_and(|u| u.dimension.is_rate());
    rate && scene
        .world
        .session()
        .iter()
        .any(|(ix, _)| ix != but && scene.world.figures(ix).iter().any(|k| is_same(k, figure)))
}

/// Whether a whole number stands in a text by itself.
fn has_number(text: &str, value: f64) -> bool {
    let digits = format!("{value}");
    text.match_indices(&*digits).any(|(at, _)| {
        let inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '.');
        !inside(text[..at].chars().next_back()) && !inside(text[at + digits.len()..].chars().next())
    })
}

static PARAM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(concurrency|batch(?: size)?|C|bs|threads|tp)\s*(?:=|of|level)?\s*(\d+)(?-u:\b)")
        .expect("a constant pattern")
});

/// A figure given under conditions that are not its own, or as what it is not; `None` when nothing speaks against it.
fn conditions(scene: &Scene<'_>, text: &str, figure: &Figure, at: &[MsgIx], shown: &str) -> Option<Finding> {
    let bench = &scene.world.analysis.facts.bench;
    let alike = |figure: &Figure| -> Vec<&Measurement> {
        let same = |m: &&Measurement| Known::measured(m).is_some_and(|k| is_same(&k, figure));
        bench.measurements.iter().filter(same).collect()
    };
    let mut all = alike(figure);
    if let (true, Some((_, value))) = (all.is_empty(), figure.second) {
        all = alike(&Figure { value, second: None, ..figure.clone() });
    }
    if all.is_empty() {
        return None;
    }
    // `10 tok/s at concurrency 1, 40 tok/s at concurrency 4`: each figure has its own condition.
    let rest = &text[figure.span.end..];
    let own = &rest[..rest.find([',', ';', '|']).unwrap_or(rest.len())];
    let stated = match PARAM.is_match(own) {
        true => params(None, own),
        false => params(Some(scene), text),
    };
    for found in stated {
        let (name, value) = found;
        let stated: Vec<&&Measurement> = all.iter().filter(|m| m.params.contains_key(name)).collect();
        if !stated.is_empty() && !stated.iter().any(|m| m.params.get(name) == Some(&value)) {
            let reason = format!("{shown} was measured at {name} {}, not {value}", stated[0].params[name]);
            return Some(Finding::contradicted(Kind::Number, reason).shown_by(at.iter().copied()));
        }
    }
    if let Some(named) = one_metric(scene, text, figure)
        && !all.iter().any(|m| m.metric == named || m.metric.contains(named))
    {
        let reason = format!("{shown} is a figure of {}, not of {named}", all[0].metric);
        return Some(Finding::contradicted(Kind::Number, reason).shown_by(at.iter().copied()));
    }
    let before = &text[..figure.span.start];
    let near = before.get(before.len().saturating_sub(60)..).unwrap_or(before).to_lowercase();
    let near = near.rsplit(['.', ',', ';', '|', '(']).next().unwrap_or("");
    let roles: Vec<MeasurementRole> = all.iter().map(|m| m.role).collect();
    let only = |role: MeasurementRole| roles.iter().all(|r| *r == role);
    let wrong = (near.contains("measured") || near.contains("achieved")) && only(MeasurementRole::Theoretical)
        || (near.contains("theoretical") || near.contains("maximum"))
            && !near.contains("measured")
            && only(MeasurementRole::Measured);
    wrong.then(|| {
        Finding::contradicted(Kind::Number, format!("{shown} is a {} figure", word(roles[0])))
            .shown_by(at.iter().copied())
    })
}

/// The metric that the sentence names before a figure, when it names just one by its short name.
fn one_metric(scene: &Scene<'_>, text: &str, figure: &Figure) -> Option<&'static str> {
    const SHORT: &[&str] = &["ttft", "tpot", "itl"];
    let before = text[..figure.span.start].to_lowercase();
    let named = |text: &str| {
        SHORT
            .iter()
            .copied()
            .filter(|m| text.split(|c: char| !c.is_alphanumeric()).any(|w| w == *m))
            .collect::<Vec<_>>()
    };
    let prose = scene.sentence().block == Block::Prose;
    match named(&text.to_lowercase())[..] {
        [one] if prose && named(&before) == [one] && figure.unit.as_ref().is_some_and(|u| u.dimension.is_time()) => {
            Some(one)
        }
        _ => None,
    }
}

fn word(role: MeasurementRole) -> &'static str {
    match role {
        MeasurementRole::Measured => "measured",
        MeasurementRole::Theoretical => "theoretical",
        _ => "stated",
    }
}

/// The one condition of each name that a sentence or row gives; sentences that give several are left alone.
fn params(row: Option<&Scene<'_>>, text: &str) -> Vec<(&'static str, String)> {
    let name = |word: &str| match word.to_ascii_lowercase().split(' ').next().unwrap_or("") {
        "concurrency" | "c" => Some("concurrency"),
        "batch" | "bs" => Some("batch"),
        "threads" => Some("threads"),
        "tp" => Some("tp"),
        _ => None,
    };
    let mut out: Vec<(&'static str, String)> =
        PARAM.captures_iter(text).filter_map(|c| Some((name(&c[1])?, c[2].to_owned()))).collect();
    let cells = row.iter().flat_map(|s| s.sentence().head.iter().zip(s.sentence().cells()));
    for (head, cell) in cells {
        if let (Some(name), true) =
            (name(head), cell.trim().bytes().all(|b| b.is_ascii_digit()) && !cell.trim().is_empty())
        {
            out.push((name, cell.trim().to_owned()));
        }
    }
    let single =
        |n: &str| out.iter().filter(|p| p.0 == n).map(|p| &p.1).collect::<std::collections::BTreeSet<_>>().len() == 1;
    out.iter().filter(|p| single(p.0)).cloned().collect()
}
