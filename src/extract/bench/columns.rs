//! What the columns (or rows) of a table hold: figures of a metric, conditions, or neither.

use std::sync::LazyLock;

use regex::Regex;

use super::MeasurementRole;
use super::grid::Grid;
use super::lexicon::{self, Kind, words};
use super::numbers::{self, Figure};
use super::units::Unit;

/// What a header (or the first cell of a row) says of the figures beside it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Head {
    /// The header, lower case.
    pub text: String,
    /// Unit written in it.
    pub unit: Option<Unit>,
    /// Statistic.
    pub statistic: Option<String>,
    /// Role.
    pub role: Option<MeasurementRole>,
    /// Phase.
    pub phase: Option<&'static str>,
    /// Scope.
    pub scope: Option<&'static str>,
    /// The parameter it names, when it is one.
    pub param: Option<&'static str>,
    /// It announces a difference or ratio.
    pub derived: bool,
    /// It names a metric.
    pub metric: bool,
}

/// How a table is to be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Plan {
    /// Metrics in columns; the others are conditions.
    Down {
        /// Columns of figures.
        figures: Vec<usize>,
        /// Columns of conditions.
        keys: Vec<usize>,
    },
    /// Metrics in rows, named by this column; the others are configurations.
    Across {
        /// Column that names the metrics.
        names: usize,
    },
    /// Two axes: the names of the row and column parameter.
    Matrix {
        /// What the first column holds.
        row: String,
        /// What the header holds.
        column: String,
    },
}

static STRONG: LazyLock<Regex> = LazyLock::new(|| {
    words(r"\b(ttft|tpot|itl|latency|throughput|bandwidth|iops|accuracy|perplexity|g?flops|exact[- ]match)\b")
});
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"^(parameters?|settings?|configs?|configuration|options?|variables?|env.*|flags?|property|properties|field|key|constant|token|sysctl|knob|spec|specification|feature)$",
    )
});
static RESULT: LazyLock<Regex> = LazyLock::new(|| words(r"^(values?|results?|measured|measurement|score|figure)$"));

/// Reads a header.
pub(super) fn head(text: &str) -> Head {
    let lower = text.to_lowercase();
    let unit = unit_in(text);
    let bare = lower.split(['(', '[', ',']).next().unwrap_or("").trim().to_owned();
    let role = match bare.as_str() {
        "limit" | "max possible" | "hw limit" | "ideal" => Some(MeasurementRole::Theoretical),
        _ => lexicon::role(&lower, false),
    };
    let statistic = lexicon::statistic(&lower).filter(|_| role != Some(MeasurementRole::Theoretical));
    Head {
        metric: lexicon::metric(&lower, unit.as_ref()).is_some_and(|_| unit.is_some() || STRONG.is_match(&lower)),
        statistic,
        role,
        phase: lexicon::phase(&lower),
        scope: unit.as_ref().and_then(|u| u.scope).or_else(|| lexicon::scope(&lower)),
        param: lexicon::param_header(&bare),
        derived: lexicon::is_derived(&lower),
        unit,
        text: lower,
    }
}

/// The unit that a header carries: in brackets, or a rate among its words.
fn unit_in(text: &str) -> Option<Unit> {
    for (open, close) in [('(', ')'), ('[', ']')] {
        let inner = text.split(open).skip(1).filter_map(|t| t.split(close).next());
        if let Some(unit) = inner.filter_map(Unit::parse).next() {
            return Some(unit);
        }
    }
    let starts = text.char_indices().filter(|&(i, c)| {
        let open = text[..i].chars().next_back().is_none_or(|b| !b.is_alphanumeric() && b != '/' && b != '_');
        open && (c.is_alphabetic() || c == '%')
    });
    let at_end = |i: usize, len: usize| i + len == text.len();
    starts.filter_map(|(i, _)| Some((i, Unit::at(&text[i..])?))).find_map(|(i, (unit, len))| {
        let kind = Kind::of(&unit);
        let after_number = text[..i].trim_end().ends_with(|c: char| c.is_ascii_digit());
        let short = !after_number && matches!(unit.name.as_str(), "ms" | "µs" | "ns" | "%") && at_end(i, len) && i > 0;
        (kind.is_rate() || kind == Kind::TimePerOp || short).then_some(unit)
    })
}

/// How a table is to be read; `None` when nothing in it is a figure of a known kind.
pub(super) fn plan(grid: &Grid) -> Option<Plan> {
    let width = grid.header.len();
    if width < 2 || grid.rows.is_empty() {
        return None;
    }
    let heads: Vec<Head> = grid.header.iter().map(|c| head(&c.text)).collect();
    if SETTING.is_match(&heads[0].text) && !heads[1..].iter().any(|h| h.unit.is_some()) {
        return None;
    }
    if let Some(matrix) = matrix(grid) {
        return Some(matrix);
    }
    if let Some(names) = names_metrics(grid, &heads) {
        return Some(Plan::Across { names });
    }
    let scores: Vec<i32> = (0..width).map(|i| score(grid, &heads, i)).collect();
    let mut figures: Vec<usize> = (0..width).filter(|&i| scores[i] >= 2).collect();
    if !figures.iter().any(|&i| !heads[i].derived) {
        return None;
    }
    // Columns that only say their role ("At 80 %", "Baseline") take the metric of their neighbours.
    let says_role =
        |i: usize| heads[i].role.is_some() && !is_of_else(&heads[i]) || heads[i].phase.is_some() || heads[i].derived;
    let numeric = |i: usize| share(grid, i, |t| numbers::of_cell(t).is_some()) >= 0.5;
    figures.extend(
        (1..width).filter(|&i| {
            scores[i] < 2 && says_role(i) && heads[i].param.is_none() && numeric(i) && !bytes_only(grid, i)
        }),
    );
    figures.sort_unstable();
    figures.dedup();
    // A first column of round request rates beside other figures is the load that was offered.
    if figures.len() > 1 && heads[0].param == Some("request_rate") && share(grid, 0, is_whole) == 1.0 {
        figures.retain(|&i| i > 0);
    }
    let keys = (0..width).filter(|i| !figures.contains(i)).collect();
    Some(Plan::Down { figures, keys })
}

fn is_whole(text: &str) -> bool {
    figure(text).is_some_and(|f| f.decimals == 0 && f.second.is_none())
}

/// "Chunk target" is the target of something that its neighbours do not measure.
fn is_of_else(head: &Head) -> bool {
    static PLAIN: LazyLock<Regex> = LazyLock::new(|| {
        words(
            r"^(targets?|goals?|slo|slos|budget|thresholds?|required|the|value|at|least|most|our|max|min|needed|aim)$",
        )
    });
    let plain = |w: &str| w.len() < 3 || PLAIN.is_match(w) || lexicon::statistic(w).is_some();
    let bare = head.text.split(['(', '[']).next().unwrap_or("");
    head.role == Some(MeasurementRole::Target) && !bare.split(|c: char| !c.is_alphanumeric()).all(plain)
}

/// `ctx\conc | 1 | 4 | 16`: both axes are numbers, and the metric stands above the table.
fn matrix(grid: &Grid) -> Option<Plan> {
    let corner = &grid.header[0].text;
    let (row, column) = ['\\', '/', '×', '↓'].iter().find_map(|c| corner.split_once(*c))?;
    let trimmed = |t: &str| t.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let counts = grid.header[1..].iter().all(|c| numbers::of_cell(&c.text).is_some());
    let titled = grid.above.lines().any(|l| unit_in(l).is_some());
    (counts && titled).then(|| Plan::Matrix { row: param(&trimmed(row)), column: param(&trimmed(column)) })
}

/// The name under which a condition is kept.
pub(super) fn param(header: &str) -> String {
    let bare = header.split(['(', '[']).next().unwrap_or("").trim();
    match lexicon::param_header(bare) {
        Some(known) => known.to_owned(),
        None if bare.is_empty() => "case".to_owned(),
        None => bare.split_whitespace().collect::<Vec<_>>().join("_").to_lowercase(),
    }
}

/// The name under which a cell is kept as a condition: a count names one only where it is a number.
pub(super) fn condition(header: &str, cell: &str) -> String {
    const COUNTS: &[&str] =
        &["concurrency", "batch", "context", "input_len", "output_len", "threads", "gpus", "iodepth"];
    let named = param(header);
    let counted = cell.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(|c: char| c.is_ascii_digit());
    if counted || !COUNTS.contains(&named.as_str()) {
        return named;
    }
    header.split(['(', '[']).next().unwrap_or("").split_whitespace().collect::<Vec<_>>().join("_").to_lowercase()
}

/// The column whose cells name metrics, when the headers of the others do not.
fn names_metrics(grid: &Grid, heads: &[Head]) -> Option<usize> {
    let named_column = heads.iter().position(|h| matches!(h.text.trim(), "metric" | "measure" | "kpi" | "metrics"));
    let names = named_column.unwrap_or(0);
    let others = heads.iter().enumerate().filter(|(i, h)| *i != names && h.metric).count();
    let metric_rows = share(grid, names, |t| {
        let head = head(t);
        head.metric || lexicon::metric(&head.text, None).is_some() && named_column.is_some()
    });
    let united = |row: usize| {
        let noun = lexicon::metric(&grid.text(row, names).to_lowercase(), None).is_some();
        noun && (0..heads.len()).any(|c| c != names && figure(grid.text(row, c)).is_some_and(|f| f.unit.is_some()))
    };
    let rows_with_units = (0..grid.rows.len()).filter(|&r| united(r)).count() as f64 / grid.rows.len() as f64;
    let wanted = if named_column.is_some() { 0.3 } else { 0.6 };
    (others == 0
        && (metric_rows >= wanted
            || metric_rows + rows_with_units >= wanted && metric_rows > 0.0
            || rows_with_units >= wanted))
        .then_some(names)
}

fn figure(text: &str) -> Option<Figure> {
    numbers::of_cell(text)
}

/// How much a column looks like figures of a metric (BENCH-style score; 2 is enough).
fn score(grid: &Grid, heads: &[Head], i: usize) -> i32 {
    let head = &heads[i];
    let numeric = share(grid, i, |t| figure(t).is_some());
    let unit_kind = |t: &str| figure(t).and_then(|f| f.unit).map(|u| Kind::of(&u));
    let in_cells =
        share(grid, i, |t| unit_kind(t).is_some_and(|k| k.is_rate() || matches!(k, Kind::Time | Kind::TimePerOp)));
    let of_cells = grid.column(i).find_map(|t| figure(t)?.unit);
    let noun = head.metric || of_cells.as_ref().is_some_and(|u| lexicon::metric(&head.text, Some(u)).is_some());
    let long = |u: &Unit| matches!(u.name.as_str(), "min" | "h");
    if numeric < 0.5 || of_cells.as_ref().is_some_and(long) && !head.metric {
        return -3;
    }
    if !noun && bytes_only(grid, i) {
        return -3;
    }
    let mut score = 0;
    score += 3 * i32::from(noun) + 3 * i32::from(head.unit.is_some() && !head.derived);
    score += 2 * i32::from(in_cells >= 0.5);
    score += i32::from(share(grid, i, |t| figure(t).is_some_and(|f| f.decimals > 0)) > 0.0);
    score += i32::from(grid.right.get(i) == Some(&true));
    score -= 4 * i32::from(head.param.is_some() && !noun);
    score -= 2 * i32::from(head.unit.is_none() && steps(grid, i));
    score -= 2 * i32::from(i == 0);
    // A right-aligned column of decimals without noun or unit is a figure of nobody knows what.
    let known = noun || head.unit.is_some() || in_cells >= 0.5 || above_names(grid) && !head.derived;
    if known { score } else { score.min(1) }
}

/// The heading gives metric and unit for the whole table.
fn above_names(grid: &Grid) -> bool {
    grid.above.lines().any(|l| unit_in(l).is_some_and(|u| lexicon::metric(&l.to_lowercase(), Some(&u)).is_some()))
}

fn bytes_only(grid: &Grid, i: usize) -> bool {
    grid.column(i).filter_map(|t| figure(t)?.unit).any(|u| Kind::of(&u) == Kind::Bytes)
}

/// Powers of two or steady steps, rising: a condition that was varied.
fn steps(grid: &Grid, i: usize) -> bool {
    let values: Vec<f64> = grid.column(i).filter_map(|t| Some(figure(t)?.value)).collect();
    if values.len() < 3 || !values.is_sorted_by(|a, b| a < b) {
        return false;
    }
    let doubling = values.windows(2).all(|w| w[0] > 0.0 && (w[1] / w[0]).log2().fract() == 0.0);
    let steady = values.windows(3).all(|w| (w[2] - w[1] - (w[1] - w[0])).abs() < 1e-9);
    doubling || steady
}

fn share(grid: &Grid, column: usize, test: impl Fn(&str) -> bool) -> f64 {
    let (mut hits, mut all) = (0u32, 0u32);
    for text in grid.column(column) {
        all += 1;
        hits += u32::from(test(text));
    }
    if all == 0 { 0.0 } else { f64::from(hits) / f64::from(all) }
}

/// Whether a header only says "value" or "result".
pub(super) fn is_result_word(header: &str) -> bool {
    RESULT.is_match(header)
}
