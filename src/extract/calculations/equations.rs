//! `3 + 4 = 7`, `8 × 80 GB = 640 GB`: terms between operators, and a result.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::rounded::{NUMBER, Rounded};
use super::{Calculation, CalculationKind, Line, Outcome};
use crate::extract::bench::units::{Dimension, Unit};

/// A number and the word behind it.
const TERM: &str = r"\(?[$~≈]?(?:NUMBER)(?:[ \u{a0}]?(?:%|[A-Za-zµ°][A-Za-z]*(?:/[A-Za-z]+)?))?\)?";

static EQUATION: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(TERM(?:(?: ?[+×*·÷/] ?| [−x–-] )TERM){1,24}) ?([=≈]) ?([~≈]?)\$?(NUMBER)([ \u{a0}]?(?:%|[A-Za-zµ°][A-Za-z]*(?:/[A-Za-z]+)?))?";
    Regex::new(&pattern.replace("TERM", TERM).replace("NUMBER", NUMBER)).expect("a constant pattern")
});
static PIECE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"\(|\)|(?P<op>[+×*·÷/]| [−x–-] )|[$~≈]?(?P<number>NUMBER)(?:[ \u{a0}]?(?P<unit>%|[A-Za-zµ°][A-Za-z]*(?:/[A-Za-z]+)?))?";
    Regex::new(&pattern.replace("NUMBER", NUMBER)).expect("a constant pattern")
});

pub(super) fn read(line: &Line<'_>) -> Vec<Calculation> {
    if !line.text.contains(['=', '≈']) {
        return Vec::new();
    }
    EQUATION.captures_iter(line.text).filter_map(|c| equation(line, &c)).collect()
}

fn equation(line: &Line<'_>, found: &regex::Captures<'_>) -> Option<Calculation> {
    let (terms, result) = (found.get(1)?, found.get(4)?);
    let word = found.get(5).filter(|m| Unit::parse(m.as_str()).is_some());
    let unit_text = word.map_or("", |m| m.as_str().trim());
    let end = word.map_or(result.end(), |m| m.end());
    if !begins(&line.text[..terms.start()]) || !ends(&line.text[end..]) {
        return None;
    }
    let sum = Expression::read(terms.as_str())?;
    let about = &found[2] == "≈" || !found[3].is_empty();
    let stated = Rounded::read(result.as_str(), false)?;
    let stated = if about { stated.loosely() } else { stated };
    let unit = Unit::parse(unit_text);
    let outcome = judge(&sum, &stated, unit.as_ref())?;
    let kind = if sum.only_adds { CalculationKind::Sum } else { CalculationKind::Equation };
    let range: Range<usize> = terms.start()..end;
    Some(line.stated(range, kind, sum.terms, outcome))
}

/// Nothing of the expression stands before it; after `=` another one may begin.
fn begins(before: &str) -> bool {
    let open = before.chars().next_back().is_none_or(|c| c.is_whitespace() || "([*_:|`\"“".contains(c));
    let last = before.trim_end().chars().next_back();
    open && !last.is_some_and(|c| "+-−–×*·÷/^~".contains(c))
}

fn ends(after: &str) -> bool {
    let next = after.chars().next();
    let inside = next.is_some_and(|c| c.is_alphanumeric() || "_^/%".contains(c));
    let digit = after.strip_prefix(['.', ',']).is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
    let goes_on = after.trim_start().starts_with(['+', '×', '·', '÷', '/', '−', '^'])
        || after.starts_with(" * ")
        || after.starts_with(" - ");
    !inside && !digit && !goes_on
}

/// What comes out, in the unit of the result; `None` where units leave open what is meant.
fn judge(sum: &Expression, stated: &Rounded, unit: Option<&Unit>) -> Option<Outcome> {
    let name = unit.map_or("", |u| u.name.as_str());
    let dimension = unit.map_or(Dimension::NONE, |u| u.dimension);
    let scale = unit.map_or(1.0, |u| u.scale.factor());
    let strict = sum.dimension == Some(dimension) && (sum.has_units || unit.is_none() || name == "%");
    let plain = !sum.has_units && unit.is_some() && scale == 1.0;
    if strict || plain {
        return Outcome::of(stated, &[sum.value.scaled(1.0 / scale)], name);
    }
    // "2048 × 4 = 8 KB": whether bytes were meant is not said. What fits is a fact, what does not may be another unit.
    let factors = [1.0, 1e3, 1e6, 1e9, 1e12, 1e-3, 1e-6, 1e-9, 1024.0, 1048576.0, 1073741824.0, 100.0, 0.125, 8.0];
    let readings: Vec<Rounded> = factors.iter().map(|f| sum.plain.scaled(1.0 / f)).collect();
    Outcome::of(stated, &readings, name).filter(|o| o.holds)
}

/// Terms with their operators, worked out.
struct Expression {
    /// With units taken into account.
    value: Rounded,
    /// The numbers alone.
    plain: Rounded,
    dimension: Option<Dimension>,
    has_units: bool,
    only_adds: bool,
    terms: Vec<f64>,
}

/// A value on its way: with its units, and as a plain number.
#[derive(Clone, Copy)]
struct Amount {
    value: Rounded,
    plain: Rounded,
    /// `None` once different things were added.
    dimension: Option<Dimension>,
}

impl Amount {
    fn apply(self, op: char, o: Self) -> Option<Self> {
        let both = |f: fn(Rounded, Rounded) -> Rounded| (f(self.value, o.value), f(self.plain, o.plain));
        let (value, plain) = match op {
            '+' => both(Rounded::plus),
            '-' => both(Rounded::minus),
            '*' => both(Rounded::times),
            _ => (self.value.over(o.value)?, self.plain.over(o.plain)?),
        };
        let dimension = self.dimension.zip(o.dimension).and_then(|(a, b)| match op {
            '+' | '-' => (a == b).then_some(a),
            '*' => Some(a.times(b, 1)),
            _ => Some(a.times(b, -1)),
        });
        Some(Self { value, plain, dimension })
    }
}

impl Expression {
    /// Works the terms out, products before sums; brackets must close.
    fn read(text: &str) -> Option<Self> {
        let mut values: Vec<Amount> = Vec::new();
        let mut ops: Vec<char> = Vec::new();
        let (mut terms, mut units, mut shares, mut only_adds) = (Vec::new(), 0, 0, true);
        for piece in PIECE.captures_iter(text) {
            if let Some(number) = piece.name("number") {
                let word = piece.name("unit").map_or("", |m| m.as_str());
                let unit = Unit::parse(word);
                let written = Rounded::read(number.as_str(), unit.is_none())?;
                let factor = unit.as_ref().map_or(1.0, |u| u.scale.factor());
                units += usize::from(unit.as_ref().is_some_and(|u| u.dimension != Dimension::NONE));
                shares += usize::from(word == "%");
                terms.push(written.value);
                let dimension = Some(unit.map_or(Dimension::NONE, |u| u.dimension));
                values.push(Amount { value: written.scaled(factor), plain: written, dimension });
            } else if let Some(op) = piece.name("op") {
                let op = match op.as_str().trim() {
                    "+" => '+',
                    "-" | "−" | "–" => '-',
                    "/" | "÷" => '/',
                    _ => '*',
                };
                only_adds &= op == '+';
                while ops.last().is_some_and(|top| *top != '(' && rank(*top) >= rank(op)) {
                    reduce(&mut values, &mut ops)?;
                }
                ops.push(op);
            } else if &piece[0] == "(" {
                ops.push('(');
            } else {
                while *ops.last()? != '(' {
                    reduce(&mut values, &mut ops)?;
                }
                ops.pop();
            }
        }
        while !ops.is_empty() {
            reduce(&mut values, &mut ops)?;
        }
        let [out] = values[..] else { return None };
        // "100 + 10 %" adds ten percent of the hundred, or a tenth.
        let mixed = shares > 0 && shares < terms.len() && text.contains(['+', '−']);
        (!mixed).then_some(Self {
            value: out.value,
            plain: out.plain,
            dimension: out.dimension,
            has_units: units > 0,
            only_adds,
            terms,
        })
    }
}

fn rank(op: char) -> u8 {
    u8::from(matches!(op, '*' | '/'))
}

/// Applies the last operator; `None` when a bracket or a term is missing.
fn reduce(values: &mut Vec<Amount>, ops: &mut Vec<char>) -> Option<()> {
    let op = ops.pop().filter(|op| *op != '(')?;
    let (b, a) = (values.pop()?, values.pop()?);
    values.push(a.apply(op, b)?);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::CalculationKind::{Equation, Sum};
    use super::super::calculated;

    #[test]
    fn terms_are_worked_out_again() {
        assert_eq!(calculated("In all 3 + 4 = 8 files."), [(Sum, 8.0, 7.0, false)]);
        assert_eq!(calculated("12 passed + 3 skipped = 15 tests"), [(Sum, 15.0, 15.0, true)]);
        assert_eq!(
            calculated("8 × 80 GB = 640 GB, 2 + 3 * 4 = 14"),
            [(Equation, 640.0, 640.0, true), (Equation, 14.0, 14.0, true)]
        );
        assert_eq!(calculated("(2 + 3) * 4 = 20"), [(Equation, 20.0, 20.0, true)]);
        assert_eq!(calculated("1.5 GB + 512 MB = 2.5 GB"), [(Sum, 2.5, 2.012, false)]);
        assert_eq!(calculated("7 / 9 = 87 %"), [(Equation, 87.0, 77.7778, false)]);
        assert_eq!(calculated("1,250 - 250 = 1,000"), [(Equation, 1000.0, 1000.0, true)]);
    }

    #[test]
    fn rounding_and_about_are_fine() {
        for text in
            ["10.4 + 2.17 = 12.6", "273 / 2.7 = ~101 tok/s", "7 / 2 = 3", "100 × 3.1 ≈ 300", "20 % + 30 % = 50 %"]
        {
            let found = calculated(text);
            assert!(found.len() == 1 && found[0].3, "{text}: {found:?}");
        }
    }

    #[test]
    fn what_is_not_understood_is_not_judged() {
        for text in [
            "n + 3 + 4 = 8",
            "2^10 + 5 = 1029",
            "1 + 2 = 3.4.5",
            "version 3 + 4 = 5 * 2",
            "2048 × 4 = 9 KB",
            "100 + 10 % = 110",
            "see 2024-10 = x",
            "3 GB + 4 files = 9 GB",
            "f(3 + 4 = 8",
        ] {
            assert!(calculated(text).iter().all(|c| c.3), "{text}: {:?}", calculated(text));
        }
    }
}
