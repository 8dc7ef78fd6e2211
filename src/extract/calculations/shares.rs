//! `7 of 9 (78 %)`, `10 GB/s is 80 % of 12.5 GB/s`, `a gap of 20 %`: parts of a whole.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::rounded::{NUMBER, Rounded};
use super::{Calculation, CalculationKind, Line, Outcome};
use crate::extract::bench::units::Unit;

fn pattern(text: &str) -> Regex {
    let unit = r"[ \u{a0}]?([A-Za-zµ]+(?:/[A-Za-z]+)?)";
    Regex::new(&text.replace("UNIT", unit).replace("NUMBER", NUMBER)).expect("a constant pattern")
}

/// Nothing that turns the percentage into something else may follow it.
const CLOSED: &str = r"(?:\*\*)?(?:[)\],.;|*]|$|\s*$| (?:of|pass|passed|passing|complete|completed|done|coverage|covered|success|hit|ok)(?-u:\b))";

static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
    let text = r"(?:^|[\s(*])((?:NUMBER))(?: ?/ ?| of | out of )((?:NUMBER))(?: [a-z]{2,12}){0,2}(?:\*\*)?(?: \(| = | - | – | — |, )([~≈]?)(\d{1,3}(?:\.\d+)?) ?%";
    pattern(&format!("{text}{CLOSED}"))
});
static OF_LIMIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"((?:NUMBER))UNIT(?:[\s,(*–—:=≈]|(?-u:\b)(?:is|are|or|at|about|only|roughly|just|i\.e\.|which|that)(?-u:\b)){1,12}([~≈]?)((?:NUMBER)) ?% of (?:the |a |its )?(?:[a-z-]+ ){0,3}[*~(]*((?:NUMBER))UNIT",
    )
});
static SHARE_IS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"((?:NUMBER)) ?% of (?:the )?(?:[a-z-]+ ){0,3}[*~]*((?:NUMBER))UNIT(?: is| are|,? i\.e\.| =| ≈| →) ([~≈]?)[*~]*((?:NUMBER))UNIT",
    )
});
static GAP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"((?:NUMBER))UNIT[^.;\d]{1,40}(?-u:\b)(?:of|vs\.?|versus|against|limit|maximum|max)(?-u:\b)[^.;\d]{0,40}?((?:NUMBER))UNIT[^.;\d]{0,30}?(?:((?:NUMBER)) ?% (?:[a-z]+ ){0,2}gap|gap (?:of|is) ((?:NUMBER)) ?%)",
    )
});

pub(super) fn read(line: &Line<'_>) -> Vec<Calculation> {
    if !line.text.contains('%') {
        return Vec::new();
    }
    let mut out: Vec<Calculation> = COUNTED.captures_iter(line.text).filter_map(|c| counted(line, &c)).collect();
    out.extend(OF_LIMIT.captures_iter(line.text).filter_map(|c| of_limit(line, &c)));
    out.extend(SHARE_IS.captures_iter(line.text).filter_map(|c| share_is(line, &c)));
    out.extend(GAP.captures_iter(line.text).filter_map(|c| gap(line, &c)));
    out
}

/// The bytes from one group to the end of another.
fn range(c: &Captures<'_>, from: usize, to: usize) -> Option<std::ops::Range<usize>> {
    Some(c.get(from)?.start()..c.get(to)?.end())
}

fn about(stated: Rounded, mark: &str) -> Rounded {
    if mark.is_empty() { stated } else { stated.loosely() }
}

/// `7 of 9 (78 %)`: counts, or figures with decimals.
fn counted(line: &Line<'_>, c: &Captures<'_>) -> Option<Calculation> {
    let (part, whole) = (Rounded::read(&c[1], true)?, Rounded::read(&c[2], true)?);
    let stated = about(Rounded::read(&c[4], false)?, &c[3]);
    if whole.value <= 0.0 || part.value > whole.value {
        return None;
    }
    let outcome = Outcome::of(&stated, &[part.over(whole)?.scaled(100.0)], "%")?;
    let at = range(c, 1, 4)?;
    let end = at.end + line.text[at.end..].find('%')? + 1;
    Some(line.stated(at.start..end, CalculationKind::Share, vec![part.value, whole.value], outcome))
}

/// Two figures of one dimension, the second in the unit of the first.
fn pair(a: &str, a_unit: &str, b: &str, b_unit: &str) -> Option<(Rounded, Rounded)> {
    let (from, to) = (Unit::parse(b_unit)?, Unit::parse(a_unit)?);
    let factor = from.convert(1.0, &to)?;
    Some((Rounded::read(a, false)?, Rounded::read(b, false)?.scaled(factor))).filter(|(_, b)| b.value > 0.0)
}

/// `10 GB/s, 80 % of 12.5 GB/s`; of times the limit is the smaller one.
fn of_limit(line: &Line<'_>, c: &Captures<'_>) -> Option<Calculation> {
    let (part, whole) = pair(&c[1], &c[2], &c[5], &c[6])?;
    let stated = about(Rounded::read(&c[4], false)?, &c[3]);
    let readings = [part.over(whole)?.scaled(100.0)];
    let outcome = Outcome::of(&stated, &readings, "%")?;
    Some(line.stated(range(c, 1, 6)?, CalculationKind::Share, vec![part.value, whole.value], outcome))
}

/// `80 % of 12.5 GB/s is 10 GB/s`.
fn share_is(line: &Line<'_>, c: &Captures<'_>) -> Option<Calculation> {
    let (part, whole) = pair(&c[5], &c[6], &c[2], &c[3])?;
    let share = Rounded::read(&c[1], false)?;
    let outcome = Outcome::of(&about(part, &c[4]), &[share.times(whole).scaled(0.01)], &c[6])?;
    Some(line.stated(range(c, 1, 6)?, CalculationKind::Share, vec![share.value, whole.value], outcome))
}

/// `10 of 50 tok/s, a gap of 80 %`. A share that is called a gap does not hold; anything else is not judged.
fn gap(line: &Line<'_>, c: &Captures<'_>) -> Option<Calculation> {
    let (part, whole) = pair(&c[1], &c[2], &c[3], &c[4])?;
    let written = c.get(5).or(c.get(6))?;
    let stated = Rounded::read(written.as_str(), false)?;
    let share = part.over(whole)?.scaled(100.0);
    let missing = Rounded::exact(100.0).minus(share);
    if part.value >= whole.value || !stated.agrees(&share) && !stated.agrees(&missing) {
        return None;
    }
    let outcome = Outcome::of(&stated, &[missing], "%")?;
    let end = c.get(0)?.end();
    Some(line.stated(c.get(1)?.start()..end, CalculationKind::Gap, vec![part.value, whole.value], outcome))
}

#[cfg(test)]
mod tests {
    use super::super::CalculationKind::{Gap, Share};
    use super::super::calculated;

    #[test]
    fn shares_are_worked_out_again() {
        assert_eq!(calculated("95/100 tests (90%)"), [(Share, 90.0, 95.0, false)]);
        assert_eq!(calculated("Passed 7 of 9 cases (87%)."), [(Share, 87.0, 77.7778, false)]);
        assert_eq!(calculated("We reach 10 GB/s, about 80 % of the 12.5 GB/s link."), [(Share, 80.0, 80.0, true)]);
        assert_eq!(calculated("That 500 MB/s is 20 % of 1.25 GB/s."), [(Share, 20.0, 40.0, false)]);
        assert_eq!(calculated("80 % of 12.5 GB/s is 8 GB/s"), [(Share, 8.0, 10.0, false)]);
    }

    #[test]
    fn a_share_is_no_gap() {
        assert_eq!(calculated("13 tok/s of the possible 260 tok/s, a 5 % efficiency gap"), [(Gap, 5.0, 95.0, false)]);
        assert_eq!(calculated("13 tok/s against 260 tok/s: a gap of 95 %"), [(Gap, 95.0, 95.0, true)]);
        assert_eq!(calculated("13 tok/s against 260 tok/s: a gap of 50 %"), []);
    }

    #[test]
    fn other_percentages_are_left_alone() {
        for text in [
            "7/9 (77%) and 2/3 (66.7%), 7/9 = 78 %",
            "on 3/4 (2024), 10% off",
            "2 of 3 runs (50 % faster)",
            "1 of 2 (95% CI 0.1)",
            "we saw 500 ms with 20% of 3 s",
            "10 tok/s, 4 % of 9 GB",
        ] {
            assert!(calculated(text).iter().all(|c| c.3), "{text}: {:?}", calculated(text));
        }
    }
}
