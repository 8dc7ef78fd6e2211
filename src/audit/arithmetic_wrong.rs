//! Sums and percentages that do not come out.

use std::sync::LazyLock;

use regex::Regex;

use super::words::re;
use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::tables::Table;
use crate::session::{Provenance, TextRef};

pub(super) const RULE: Rule = Rule {
    id: "arithmetic-wrong",
    severity: Severity::Medium,
    experimental: true,
    doc: r#"
**What it finds.** A sum ("3 + 4 = 8"), a share with its percentage ("7/9 (87 %)"), or the row "Total" of a table does not come out.

**Why it matters.** One of the figures is wrong, and which one the text does not say.

**Example.** "95/100 tests (90 %)".

**Exceptions.** Rounding in the last digit, shares above one, totals of columns that hold anything but whole numbers.

**Measured precision.** No firing in 180 shared sessions; experimental until there are ten true ones.
"#,
    check,
};

static SHARE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?:^|[\s(*])(\d{1,7})(?: ?/ ?| of | out of )(\d{1,7})(?: [a-z]{2,12}){0,2}(?:\*\*)?(?: \(| = | - | – |, )[~≈]?(\d{1,3}(?:\.\d+)?) ?%",
    )
});
static SUM: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?:^|[\s(])(\d{1,9}(?: \+ \d{1,9})+) = (\d{1,10})(?:$|[\s,;)]|\.(?:\s|$))"));

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let said = e.session.texts().filter(|t| t.provenance == Provenance::Assistant);
    let mut found: Vec<Discrepancy> = said.flat_map(|t| shares(&t).into_iter().chain(sums(&t))).collect();
    let tables = e.facts.tables.iter().filter(|t| t.provenance == Provenance::Assistant && t.restates.is_none());
    found.extend(tables.filter_map(total));
    found
}

fn shares(text: &TextRef<'_>) -> Vec<Discrepancy> {
    let wrong = |c: regex::Captures<'_>| {
        let number = |i: usize| c.get(i)?.as_str().parse::<f64>().ok();
        let (part, whole, stated) = (number(1)?, number(2)?, number(3)?);
        let decimals = c.get(3)?.as_str().split_once('.').map_or(0, |(_, d)| d.len());
        let right = 100.0 * part / whole;
        let off = (right - stated).abs() > 1.001 * 10f64.powi(-(decimals as i32));
        (whole > 0.0 && part <= whole && off).then(|| {
            let all = c.get(1)?.start()..c.get(0)?.end();
            Some(stated_as(text, all, format!("{right:.*} %", decimals.max(1))))
        })?
    };
    SHARE.captures_iter(text.text).filter_map(wrong).collect()
}

fn sums(text: &TextRef<'_>) -> Vec<Discrepancy> {
    let wrong = |c: regex::Captures<'_>| {
        let (terms, sum) = (c.get(1)?, c.get(2)?);
        let right: u64 = terms.as_str().split(" + ").filter_map(|t| t.parse::<u64>().ok()).sum();
        let off = sum.as_str().parse::<u64>().ok()? != right;
        off.then(|| stated_as(text, terms.start()..sum.end(), right.to_string()))
    };
    SUM.captures_iter(text.text).filter_map(wrong).collect()
}

fn stated_as(text: &TextRef<'_>, range: std::ops::Range<usize>, right: String) -> Discrepancy {
    Discrepancy::of(&RULE, text.msg)
        .at(&text.span(range.start, range.end))
        .value("said", text.text[range].trim().to_owned())
        .value("right", right)
}

/// A last row "Total" over columns of whole numbers.
fn total(table: &Table) -> Option<Discrepancy> {
    let (last, rows) = table.rows.split_last()?;
    let name = last.first()?.text.to_lowercase();
    if !matches!(name.trim_matches(['*', ':']), "total" | "totals" | "sum") || rows.len() < 2 {
        return None;
    }
    for (column, cell) in last.iter().enumerate().skip(1) {
        let head = table.header.get(column).map(|h| h.text.to_lowercase()).unwrap_or_default();
        let counts = !["%", "rate", "avg", "average", "mean", "ratio", "max", "min", "p9", "speed", "time"]
            .iter()
            .any(|w| head.contains(w));
        let whole = |t: &str| t.trim_matches(['*', ' ']).parse::<u64>().ok();
        let terms: Option<Vec<u64>> = rows.iter().map(|r| r.get(column).and_then(|c| whole(&c.text))).collect();
        let (Some(stated), Some(terms)) = (whole(&cell.text), terms) else { continue };
        let right: u64 = terms.iter().sum();
        if counts && right != stated {
            let found = Discrepancy::of(&RULE, table.span.msg).at(&cell.span);
            return Some(
                found
                    .value("said", format!("{} {stated}", table.header[column].text))
                    .value("right", right.to_string()),
            );
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn finds_sums_and_shares_that_do_not_come_out() {
        for text in [
            "95/100 tests (90%)",
            "Passed 7 of 9 cases (87%).",
            "That is 3 + 4 = 8 files.",
            "| Kind | Count |\n|---|---|\n| a | 2 |\n| b | 3 |\n| Total | 6 |\n",
        ] {
            assert_eq!(fire(&RULE, &SessionBuilder::new().assistant(text).build()).len(), 1, "{text}");
        }
    }

    #[test]
    fn rounding_is_fine() {
        for text in [
            "7/9 (77%) and 2/3 (66.7%), 7/9 = 78 %",
            "1 + 2 + 3 = 6",
            "on 3/4 (2024), 10% off",
            "| Kind | Mean |\n|---|---|\n| a | 2 |\n| b | 3 |\n| Total | 6 |\n",
        ] {
            assert_eq!(fire(&RULE, &SessionBuilder::new().assistant(text).build()), [], "{text}");
        }
    }
}
