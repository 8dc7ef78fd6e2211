//! Figures from the cells of a table.

use std::collections::{BTreeMap, BTreeSet};

use super::columns::{self, Head, Plan};
use super::grid::{Grid, GridCell, is_absent};
use super::lexicon::{self, Kind};
use super::numbers::{self, Between, Figure};
use super::units::Unit;
use super::{Found, Measurement, MeasurementRole};
use crate::session::TextRef;

/// Reads every figure of a table; empty when it holds none.
pub(super) fn read(grid: &Grid, at: &TextRef<'_>) -> Vec<Found> {
    let grid = &split_pairs(grid);
    let Some(plan) = columns::plan(grid) else { return Vec::new() };
    let mut reader = Reader { grid, at, out: Vec::new(), title: title(grid), params: lexicon::params(&grid.above) };
    match plan {
        Plan::Down { figures, keys } => reader.down(&figures, &keys),
        Plan::Across { names } => reader.across(names),
        Plan::Matrix { row, column } => reader.matrix(&row, &column),
    }
    reader.out
}

/// Whether a table holds figures of a known kind.
pub(crate) fn holds_figures(grid: &Grid) -> bool {
    columns::plan(&split_pairs(grid)).is_some()
}

/// What caption and heading say: the line with a unit, else all of them.
fn title(grid: &Grid) -> Head {
    let lines: Vec<Head> = grid.above.lines().map(columns::head).collect();
    lines.iter().rev().find(|h| h.unit.is_some()).or(lines.last()).cloned().unwrap_or_default()
}

struct Reader<'a> {
    grid: &'a Grid,
    at: &'a TextRef<'a>,
    out: Vec<Found>,
    title: Head,
    params: BTreeMap<String, String>,
}

impl Reader<'_> {
    fn down(&mut self, figures: &[usize], keys: &[usize]) {
        let heads: Vec<Head> = self.grid.header.iter().map(|c| columns::head(&c.text)).collect();
        let labels = self.labels(figures, &heads);
        for row in 0..self.grid.rows.len() {
            let mut params = self.params.clone();
            for &key in keys {
                let text = self.grid.text(row, key);
                if !is_absent(text) {
                    params.insert(columns::condition(&heads[key].text, text), text.to_owned());
                }
            }
            let first = keys.first().map(|&k| columns::head(self.grid.text(row, k))).unwrap_or_default();
            for &column in figures {
                let mut head = heads[column].clone();
                head.role = head.role.or(first.role.filter(|r| *r != MeasurementRole::Measured));
                head.phase = head.phase.or(first.phase);
                if head.unit.is_none() && !head.metric {
                    self.borrow(&mut head, &heads, figures, column);
                }
                let mut params = params.clone();
                if let Some(label) = labels.get(&column) {
                    let taken = params.contains_key("config");
                    params.insert(if taken { "column" } else { "config" }.to_owned(), label.clone());
                }
                params.extend(lexicon::params(&heads[column].text));
                self.cell(row, column, &head, params);
            }
        }
    }

    /// A column without metric and unit ("At 80 %") has those of the nearest column before it, else after it.
    fn borrow(&self, head: &mut Head, heads: &[Head], figures: &[usize], column: usize) {
        let named = |c: &&usize| heads[**c].unit.is_some() || heads[**c].metric;
        let before = figures.iter().rev().filter(|c| **c < column).find(named);
        if let Some(&from) = before.or_else(|| figures.iter().filter(|c| **c > column).find(named)) {
            head.unit = heads[from].unit.clone().filter(|_| !head.derived);
            head.statistic = head.statistic.take().or_else(|| heads[from].statistic.clone());
            head.text = format!("{} {}", heads[from].text, head.text);
        }
    }

    /// Columns that would otherwise say the same thing are told apart by their header.
    fn labels(&self, figures: &[usize], heads: &[Head]) -> BTreeMap<usize, String> {
        let key = |c: usize| {
            let head = &heads[c];
            let unit = head.unit.clone().or_else(|| self.grid.column(c).find_map(|t| numbers::of_cell(t)?.unit));
            let named = lexicon::metric(&head.text, unit.as_ref()).map(|(m, _)| m.id);
            let metric = named.or_else(|| unit.as_ref().and_then(lexicon::default_metric));
            (metric, head.statistic.clone(), head.role.map(|r| r as u8), head.phase, head.scope)
        };
        let keys: Vec<_> = figures.iter().map(|&c| key(c)).collect();
        let twice = |i: usize| keys.iter().enumerate().any(|(j, k)| j != i && *k == keys[i]);
        let short = |c: usize| self.grid.header[c].text.split(['(', '[']).next().unwrap_or("").trim();
        let alike = |c: usize| figures.iter().filter(|&&o| short(o) == short(c)).count() > 1;
        let label = |c: usize| if alike(c) { self.grid.header[c].text.trim() } else { short(c) }.to_owned();
        figures
            .iter()
            .enumerate()
            .filter(|(i, _)| twice(*i))
            .map(|(_, &c)| (c, label(c)))
            .filter(|(_, l)| !l.is_empty())
            .collect()
    }

    fn across(&mut self, names: usize) {
        let heads: Vec<Head> = self.grid.header.iter().map(|c| columns::head(&c.text)).collect();
        let plain: BTreeSet<usize> = (0..heads.len())
            .filter(|&c| heads[c].role.is_some() || heads[c].phase.is_some() || columns::is_result_word(&heads[c].text))
            .collect();
        for row in 0..self.grid.rows.len() {
            let name = columns::head(self.grid.text(row, names));
            for column in (0..heads.len()).filter(|&c| c != names) {
                let side = &heads[column];
                let mut head = name.clone();
                head.role = side.role.or(head.role);
                head.phase = side.phase.or(head.phase);
                head.derived |= side.derived;
                head.statistic = head.statistic.or_else(|| side.statistic.clone());
                let mut params = self.params.clone();
                params.extend(lexicon::params(&name.text));
                let stated = lexicon::params(&side.text);
                if stated.is_empty() && !plain.contains(&column) && !side.derived && heads.len() > 2 {
                    params.insert("config".to_owned(), self.grid.header[column].text.clone());
                }
                params.extend(stated);
                self.cell(row, column, &head, params);
            }
        }
    }

    fn matrix(&mut self, row_key: &str, column_key: &str) {
        for row in 0..self.grid.rows.len() {
            for column in 1..self.grid.header.len() {
                let mut params = self.params.clone();
                params.insert(row_key.to_owned(), self.grid.text(row, 0).to_owned());
                params.insert(column_key.to_owned(), self.grid.header[column].text.clone());
                let head = self.title.clone();
                self.cell(row, column, &head, params);
            }
        }
    }

    fn cell(&mut self, row: usize, column: usize, head: &Head, params: BTreeMap<String, String>) {
        let Some(cell) = self.grid.rows.get(row).and_then(|r| r.get(column)) else { return };
        let Some(figure) = numbers::of_cell(&cell.text).filter(|_| !is_absent(&cell.text)) else { return };
        let title = &self.title;
        let unit =
            figure.unit.clone().or_else(|| head.unit.clone()).or_else(|| title.unit.clone().filter(|_| !head.derived));
        let metric = self.metric(head, unit.as_ref());
        let Some(metric) = metric else { return };
        let share = unit.as_ref().is_some_and(|u| matches!(u.name.as_str(), "%" | "x" | "pp"));
        let derived = head.derived && (share || unit.is_none() || figure.signed) || share && is_not_ratio(&metric);
        let only = lexicon::METRICS.iter().find(|m| m.id == metric).and_then(|m| m.only_unit).and_then(Unit::parse);
        let role = if derived {
            MeasurementRole::Derived
        } else if cell.struck {
            MeasurementRole::Invalid
        } else {
            head.role.or(title.role).unwrap_or_default()
        };
        let measurement = Measurement {
            metric,
            unit: unit.as_ref().or(only.as_ref()).map(|u| u.name.clone()),
            role,
            phase: head.phase.map(str::to_owned),
            statistic: head.statistic.clone().or_else(|| title.statistic.clone()),
            scope: head.scope.or(unit.as_ref().and_then(|u| u.scope)).map(str::to_owned),
            params,
            valid: role != MeasurementRole::Invalid,
            cell: self.grid.table.map(|t| (t, row as u32, column as u32)),
            ..Measurement::at(self.at.span(cell.range.start, cell.range.end))
        };
        self.out.extend(spread(measurement, &figure, unit.or(only)));
        self.out.extend(self.delta(cell, figure.span.end));
    }

    fn metric(&self, head: &Head, unit: Option<&Unit>) -> Option<String> {
        let named = |head: &Head| lexicon::metric(&head.text, unit).filter(|_| unit.is_some() || head.metric);
        let found = named(head).or_else(|| named(&self.title)).map(|(m, _)| m.id);
        let from_unit = || unit.and_then(lexicon::default_metric);
        let time = || unit.filter(|u| Kind::of(u) == Kind::Time).map(|_| "time");
        let derived = || {
            let share = unit.is_none_or(|u| Kind::of(u) == Kind::Ratio || u.name == "pp");
            let base = head.unit.as_ref().filter(|u| Kind::of(u) != Kind::Ratio);
            (head.derived && share).then(|| lexicon::metric(&head.text, base).map_or("ratio", |(m, _)| m.id))
        };
        found.or_else(derived).or_else(from_unit).or_else(time).map(str::to_owned)
    }

    /// The difference in brackets behind a pair: `10.4 → 13.0 (+25 %)`.
    fn delta(&self, cell: &GridCell, from: usize) -> Option<Found> {
        let rest = cell.text.get(from..)?.trim_start_matches([' ', '*']).strip_prefix('(')?;
        let figure = numbers::of_cell(rest.split(')').next()?)?;
        let unit = figure.unit.clone().filter(|u| matches!(u.name.as_str(), "%" | "x" | "pp"))?;
        let last = self.out.last()?.measurement.clone();
        let measurement = Measurement {
            value: Some(figure.value),
            unit: Some(unit.name.clone()),
            role: MeasurementRole::Derived,
            phase: None,
            pm: None,
            lo: None,
            hi: None,
            ..last
        };
        Some(Found { measurement, unit: Some(unit), decimals: figure.decimals, derivation: None })
    }
}

/// Metrics that are shares themselves; a percentage of any other metric is a difference or ratio.
fn is_not_ratio(metric: &str) -> bool {
    lexicon::METRICS.iter().any(|m| m.id == metric && m.kind != Kind::Ratio) || metric == "ratio"
}

/// One figure as one measurement, or as two around an arrow.
pub(super) fn spread(base: Measurement, figure: &Figure, unit: Option<Unit>) -> Vec<Found> {
    let found = |measurement| Found { measurement, unit: unit.clone(), decimals: figure.decimals, derivation: None };
    let approx = figure.approx;
    match figure.second {
        Some((Between::Arrow, to)) => {
            let phase = |phase: &str, value| Measurement {
                value: Some(value),
                phase: Some(phase.to_owned()),
                approx,
                ..base.clone()
            };
            vec![found(phase("before", figure.value)), found(phase("after", to))]
        }
        Some((_, hi)) if figure.is_range() => {
            vec![found(Measurement { value: None, lo: Some(figure.value), hi: Some(hi), approx, ..base })]
        }
        _ => vec![found(Measurement { value: Some(figure.value), pm: figure.pm, approx, ..base })],
    }
}

/// Columns headed `a / b` whose cells are pairs become two columns.
fn split_pairs(grid: &Grid) -> Grid {
    let parts = |text: &str| text.split(" / ").count();
    let split = |c: usize| {
        let n = parts(&grid.header[c].text);
        let numeric = |t: &str| t.split(" / ").all(|p| numbers::of_cell(p).is_some());
        n > 1 && grid.column(c).next().is_some() && grid.column(c).all(|t| parts(t) == n && numeric(t))
    };
    let wide: Vec<bool> = (0..grid.header.len()).map(split).collect();
    if !wide.contains(&true) {
        return grid.clone();
    }
    let unit = |c: usize| grid.header[c].text.find(['(', '[']).map_or("", |i| &grid.header[c].text[i..]);
    let widen = |cells: &[GridCell], header: bool| -> Vec<GridCell> {
        let split = |(c, cell): (usize, &GridCell)| -> Vec<GridCell> {
            if !wide.get(c).copied().unwrap_or(false) {
                return vec![cell.clone()];
            }
            let one = |part: &str| {
                let text =
                    if header && !part.contains(['(', '[']) { format!("{part} {}", unit(c)) } else { part.to_owned() };
                GridCell { text: text.trim().to_owned(), ..cell.clone() }
            };
            cell.text.split(" / ").map(one).collect()
        };
        cells.iter().enumerate().flat_map(split).collect()
    };
    let right = grid
        .right
        .iter()
        .enumerate()
        .flat_map(|(c, r)| vec![*r; if wide[c] { parts(&grid.header[c].text) } else { 1 }]);
    Grid {
        header: widen(&grid.header, true),
        rows: grid.rows.iter().map(|r| widen(r, false)).collect(),
        right: right.collect(),
        ..grid.clone()
    }
}
