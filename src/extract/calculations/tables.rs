//! Rows of totals and means, columns of changes and shares.

use std::sync::LazyLock;

use regex::Regex;

use super::rounded::{NUMBER, Rounded};
use super::{Calculation, CalculationKind, Outcome, changes, means};
use crate::extract::bench::lexicon;
use crate::extract::bench::units::Unit;
use crate::extract::tables::{Cell, Table};

static FIGURE: LazyLock<Regex> = LazyLock::new(|| {
    let text = r"^[~≈]?\$?([+−-]?)((?:NUMBER))[ \u{a0}]?(%|pp|×|x|[A-Za-zµ]+(?:/[A-Za-z]+)?)?(?: (?:faster|slower|better|worse|less|more))?$";
    Regex::new(&text.replace("NUMBER", NUMBER)).expect("a constant pattern")
});

/// A cell that is one figure and nothing else.
struct Figure {
    number: Rounded,
    unit: String,
    about: bool,
}

fn figure(cell: &Cell, count: bool) -> Option<Figure> {
    let text = cell.text.trim().trim_matches('*');
    let found = FIGURE.captures(text)?;
    let unit = found.get(3).map_or("", |m| m.as_str()).to_owned();
    let number = Rounded::read(&format!("{}{}", &found[1], &found[2]), count && unit.is_empty())?;
    Some(Figure { number, unit, about: text.starts_with(['~', '≈']) })
}

pub(super) fn read(table: &Table) -> Vec<Calculation> {
    let mut out = totals(table);
    out.extend(changes_of(table));
    out.extend(shares_of(table));
    out
}

fn stated(table: &Table, cell: &Cell, kind: CalculationKind, terms: Vec<f64>, result: Outcome) -> Calculation {
    Calculation {
        msg: table.span.msg,
        span: cell.span.clone(),
        provenance: table.provenance,
        kind,
        terms,
        stated: result.stated,
        recomputed: result.recomputed,
        unit: result.unit,
        holds: result.holds,
    }
}

/// A last row "Total" or "Mean" under columns of figures.
fn totals(table: &Table) -> Vec<Calculation> {
    let Some((last, rows)) = table.rows.split_last().filter(|(_, rows)| rows.len() >= 2) else { return Vec::new() };
    let name = last.first().map(|c| c.text.to_lowercase()).unwrap_or_default();
    let mean = match name.trim_matches(['*', ':', ' ']) {
        "total" | "totals" | "sum" => false,
        "mean" | "average" | "avg" => true,
        _ => return Vec::new(),
    };
    let column = |i: usize| -> Option<Calculation> {
        let cell = last.get(i)?;
        let head = table.header.get(i)?.text.to_lowercase();
        if !mean && !adds(&head) {
            return None;
        }
        let result = figure(cell, true).filter(|f| !f.about && (mean || f.unit != "%"))?;
        let terms: Vec<Figure> = rows.iter().map(|r| figure(r.get(i)?, true)).collect::<Option<_>>()?;
        if terms.iter().any(|t| t.unit != result.unit || t.about) {
            return None;
        }
        let numbers: Vec<Rounded> = terms.iter().map(|t| t.number).collect();
        let right = if mean { means::of(&numbers)? } else { numbers.iter().copied().reduce(Rounded::plus)? };
        let outcome = Outcome::of(&result.number, &[right], &result.unit)?;
        // A mean may be geometric, or weighted by another column.
        if !outcome.holds && (mean || numbers.iter().any(|n| n.ulp < 1.0)) {
            return None;
        }
        let kind = if mean { CalculationKind::Mean } else { CalculationKind::Sum };
        Some(stated(table, cell, kind, numbers.iter().map(|n| n.value).collect(), outcome))
    };
    (1..last.len()).filter_map(column).collect()
}

/// Whether figures under this header can be added.
fn adds(head: &str) -> bool {
    let never = ["%", "rate", "avg", "average", "mean", "ratio", "max", "min", "p9", "speed", "time", "median", "/s"];
    !never.iter().any(|w| head.contains(w))
}

static CHANGE: LazyLock<Regex> = LazyLock::new(|| {
    lexicon::words(
        r"^(Δ|delta|change|diff|difference|improvement|gain|reduction|speed-?up)\b|^Δ|^(%|\+/-|relative)( change| diff)?$",
    )
});

/// Columns before, after and change.
fn changes_of(table: &Table) -> Vec<Calculation> {
    let heads: Vec<String> = table.header.iter().map(|c| c.text.to_lowercase()).collect();
    let phases: Vec<Option<&str>> = heads.iter().map(|h| lexicon::phase(h).filter(|_| !CHANGE.is_match(h))).collect();
    let only = |wanted: &[&str]| {
        let mut at = phases.iter().enumerate().filter(|(_, p)| p.is_some_and(|p| wanted.contains(&p))).map(|(i, _)| i);
        at.next().filter(|_| at.next().is_none())
    };
    let (Some(before), Some(after)) = (only(&["before", "baseline"]), only(&["after"])) else { return Vec::new() };
    let row = |cells: &Vec<Cell>, i: usize| -> Option<Calculation> {
        let (a, b, cell) = (cells.get(before)?, cells.get(after)?, cells.get(i)?);
        let (from, to, size) = (figure(a, false)?, figure(b, false)?, figure(cell, false)?);
        let mark = ["%", "pp", "×", "x"].into_iter().find(|m| *m == size.unit)?;
        if from.about || to.about || from.unit != to.unit && !to.unit.is_empty() && !from.unit.is_empty() {
            return None;
        }
        let shares = from.unit == "%" || heads[before].contains('%') || heads[after].contains('%');
        let number = if size.about { size.number.loosely() } else { size.number };
        let (kind, outcome) = changes::judge(&number, from.number, to.number, mark, shares)?;
        Some(stated(table, cell, kind, vec![from.number.value, to.number.value], outcome))
    };
    let columns: Vec<usize> = (0..heads.len()).filter(|i| CHANGE.is_match(&heads[*i])).collect();
    table.rows.iter().flat_map(|r| columns.iter().filter_map(|i| row(r, *i)).collect::<Vec<_>>()).collect()
}

static LIMIT: LazyLock<Regex> = LazyLock::new(|| {
    lexicon::words(
        r"^(theoretical( (max(imum)?|peak|limit|bandwidth|bw))?|limit|peak|max possible|roofline|line[- ]rate)( \(.*\))?$",
    )
});
static MEASURED: LazyLock<Regex> = LazyLock::new(|| {
    lexicon::words(r"^(measured|achieved|actual|observed|result)( (bandwidth|bw|throughput|rate))?( \(.*\))?$")
});
static SHARE: LazyLock<Regex> = LazyLock::new(|| {
    lexicon::words(
        r"^(efficiency|utili[sz]ation|(% )?of (peak|max|limit|theoretical|line[- ]rate))( \(?%\)?)?$|^% (of )?(peak|max|limit|theoretical)",
    )
});

/// Columns measured, limit and efficiency.
fn shares_of(table: &Table) -> Vec<Calculation> {
    let only = |pattern: &Regex| {
        let mut at =
            table.header.iter().enumerate().filter(|(_, h)| pattern.is_match(&h.text.to_lowercase())).map(|(i, _)| i);
        at.next().filter(|_| at.next().is_none())
    };
    let (Some(limit), Some(measured), Some(share)) = (only(&LIMIT), only(&MEASURED), only(&SHARE)) else {
        return Vec::new();
    };
    let row = |cells: &Vec<Cell>| -> Option<Calculation> {
        let cell = cells.get(share)?;
        let (m, l, s) = (figure(cells.get(measured)?, false)?, figure(cells.get(limit)?, false)?, figure(cell, false)?);
        let percent = s.unit == "%" || s.unit.is_empty() && table.header[share].text.contains('%');
        let factor = match (Unit::parse(&l.unit), Unit::parse(&m.unit)) {
            (Some(from), Some(to)) => from.convert(1.0, &to)?,
            (None, None) if l.unit == m.unit => 1.0,
            _ => return None,
        };
        let limit = l.number.scaled(factor);
        if !percent || m.about || l.about || limit.lo <= 0.0 || m.number.lo <= 0.0 {
            return None;
        }
        let readings = [m.number.over(limit)?.scaled(100.0), limit.over(m.number)?.scaled(100.0)];
        let number = if s.about { s.number.loosely() } else { s.number };
        let mut outcome = Outcome::of(&number, &readings, "%")?;
        if !outcome.holds {
            outcome.recomputed = readings[0].value.min(readings[1].value);
        }
        Some(stated(table, cell, CalculationKind::Share, vec![m.number.value, limit.value], outcome))
    };
    table.rows.iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::super::CalculationKind::{Change, Factor, Mean, Share, Sum};
    use super::super::calculated;

    #[test]
    fn totals_and_means() {
        assert_eq!(
            calculated("| Kind | Count |\n|---|---|\n| a | 2 |\n| b | 3 |\n| Total | 6 |\n"),
            [(Sum, 6.0, 5.0, false)]
        );
        assert_eq!(
            calculated("| Run | ms |\n|---|---|\n| a | 2.5 |\n| b | 3.5 |\n| Mean | 3.0 |\n"),
            [(Mean, 3.0, 3.0, true)]
        );
        assert_eq!(calculated("| Run | Mean |\n|---|---|\n| a | 2 |\n| b | 3 |\n| Total | 6 |\n"), []);
    }

    #[test]
    fn columns_of_changes() {
        let table = "| Metric | Before | After | Change |\n|---|---|---|---|\n| output tok/s | 40 | 50 | +25 % |\n| TTFT ms | 90 | 60 | −20 % |\n| p99 ms | 90 | 45 | 2.0× |\n";
        assert_eq!(
            calculated(table),
            [(Change, 25.0, 25.0, true), (Change, -20.0, -33.3333, false), (Factor, 2.0, 2.0, true)]
        );
    }

    #[test]
    fn columns_of_efficiency() {
        let table = "| Link | Measured | Theoretical | Efficiency |\n|---|---|---|---|\n| a | 50 GB/s | 63 GB/s | 79 % |\n| b | 500 MB/s | 1.00 GB/s | 70 % |\n";
        assert_eq!(calculated(table), [(Share, 79.0, 79.3651, true), (Share, 70.0, 50.0, false)]);
    }
}
