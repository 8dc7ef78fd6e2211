//! Sums and percentages that do not come out.

use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::calculations::Calculation;
use crate::session::Provenance;

pub(super) const RULE: Rule = Rule {
    id: "arithmetic-wrong",
    severity: Severity::Medium,
    experimental: true,
    doc: r#"
**What it finds.** An equation ("3 + 4 = 8"), a share with its percentage ("7/9 (87 %)"), a change with its size ("10 → 12 (+30 %)"), a mean, or the row "Total" or the column of changes of a table does not come out. All that is worked out, right or wrong, is in the table `calculations`.

**Why it matters.** One of the figures is wrong, and which one the text does not say.

**Example.** "95/100 tests (90 %)".

**Exceptions.** Rounding in the last digit, shares above one, totals of columns that hold anything but whole numbers, a change that fits in one of its readings (of the old or of the new value), units that leave open what is meant.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let said = e.facts.calculations.iter().filter(|c| c.provenance == Provenance::Assistant && !c.holds);
    said.map(|c| wrong(e, c)).collect()
}

fn wrong(e: &Evidence<'_>, c: &Calculation) -> Discrepancy {
    let quote = e.session.quote(&c.span).unwrap_or_default().trim();
    let unit = c.unit.as_deref().map(|u| format!(" {u}")).unwrap_or_default();
    let places = if c.recomputed.fract() == 0.0 { 0 } else { 1.max(digits(c.stated)) };
    Discrepancy::of(&RULE, c.msg)
        .at(&c.span)
        .value("said", quote.to_owned())
        .value("right", format!("{:.places$}{unit}", c.recomputed))
}

/// Digits after the point, three at most.
fn digits(value: f64) -> usize {
    (0..3).find(|n| (value * 10f64.powi(*n)).fract().abs() < 1e-9).unwrap_or(3) as usize
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
