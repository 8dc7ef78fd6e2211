//! `mean of 10, 12 and 14 = 12`, `10, 12, 14 (avg 12)`.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::rounded::{NUMBER, Rounded};
use super::{Calculation, CalculationKind, Line, Outcome};

static MEAN: LazyLock<Regex> = LazyLock::new(|| {
    let list = r"((?:NUMBER)(?:(?:, | / |,? and )(?:NUMBER)){1,24})";
    let word = r"(?i:mean|average|avg\.?)";
    let text = format!(
        r"(?-u:\b){word} of {list}(?: [a-zA-Z/µ]{{1,8}})? ?(?:=|≈|is|:|→) ?([~≈]?)((?:NUMBER))|(?:^|[\s(:]){list}(?: [a-zA-Z/µ]{{1,8}})? ?[(→,–—] ?{word}(?: of| is|:| =)? ([~≈]?)((?:NUMBER))"
    );
    Regex::new(&text.replace("NUMBER", NUMBER)).expect("a constant pattern")
});
static TERM: LazyLock<Regex> = LazyLock::new(|| Regex::new(NUMBER).expect("a constant pattern"));

pub(super) fn read(line: &Line<'_>) -> Vec<Calculation> {
    if !["mean", "Mean", "average", "Average", "avg", "Avg"].iter().any(|w| line.text.contains(w)) {
        return Vec::new();
    }
    MEAN.captures_iter(line.text).filter_map(|c| mean(line, &c)).collect()
}

fn mean(line: &Line<'_>, c: &Captures<'_>) -> Option<Calculation> {
    let (list, about, stated) = match c.get(1) {
        Some(list) => (list, c.get(2)?, c.get(3)?),
        None => (c.get(4)?, c.get(5)?, c.get(6)?),
    };
    let next = line.text[stated.end()..].chars().next();
    if next.is_some_and(|c| c.is_alphanumeric() || "%/:".contains(c)) {
        return None;
    }
    let terms: Vec<Rounded> =
        TERM.find_iter(list.as_str()).map(|t| Rounded::read(t.as_str(), false)).collect::<Option<_>>()?;
    let result = Rounded::read(stated.as_str(), false)?;
    let result = if about.as_str().is_empty() { result } else { result.loosely() };
    let outcome = Outcome::of(&result, &[of(&terms)?], "")?;
    // Two numbers before a mean may be any two numbers; what fits is a fact all the same.
    if terms.len() < 3 && !outcome.holds {
        return None;
    }
    let values = terms.iter().map(|t| t.value).collect();
    let start = list.start().min(stated.start());
    Some(line.stated(start..stated.end(), CalculationKind::Mean, values, outcome))
}

/// The arithmetic mean.
pub(super) fn of(terms: &[Rounded]) -> Option<Rounded> {
    let sum = terms.iter().copied().reduce(Rounded::plus)?;
    Some(sum.scaled(1.0 / terms.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::super::CalculationKind::Mean;
    use super::super::calculated;

    #[test]
    fn means_are_worked_out_again() {
        assert_eq!(calculated("The mean of 10, 12 and 14 is 12."), [(Mean, 12.0, 12.0, true)]);
        assert_eq!(calculated("Three runs: 10.1, 12.2, 14.3 tok/s (avg 13.5)"), [(Mean, 13.5, 12.2, false)]);
        assert_eq!(calculated("average of 3 runs = 12"), []);
        assert_eq!(calculated("steps 1, 2 (average 40)"), []);
    }
}
