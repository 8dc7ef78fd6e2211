//! Numbers as they were rounded when they were written.

use std::sync::LazyLock;

use regex::Regex;

/// A number, and the interval that it may have been rounded from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rounded {
    pub(super) value: f64,
    pub(super) lo: f64,
    pub(super) hi: f64,
    /// One unit in the last digit written; 0 for what was worked out.
    pub(super) ulp: f64,
}

/// A number as the patterns of this folder take it: groups of three, decimals, a suffix that multiplies.
pub(super) const NUMBER: &str = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?:[kKMB](?-u:\b))?|\d+(?:\.\d+)?(?:[kKMB](?-u:\b))?";

static WRITTEN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[+−-]?([\d,]+)(?:\.(\d+))?([kKMB]?)$").expect("a constant pattern"));

impl Rounded {
    /// A number as written. A whole number without suffix is taken as exact when it is a count.
    pub(super) fn read(text: &str, count: bool) -> Option<Self> {
        let found = WRITTEN.captures(text.trim())?;
        let decimals = found.get(2).map_or("", |m| m.as_str());
        let factor = match &found[3] {
            "k" | "K" => 1e3,
            "M" => 1e6,
            "B" => 1e9,
            _ => 1.0,
        };
        let digits = found[1].replace(',', "");
        let plain: f64 = format!("{digits}.{decimals}0").parse().ok()?;
        let sign = if text.trim().starts_with(['−', '-']) { -1.0 } else { 1.0 };
        let ulp = factor * 10f64.powi(-(decimals.len().min(12) as i32));
        let exact = count && decimals.is_empty() && factor == 1.0;
        Some(Self::around(sign * plain * factor, if exact { 0.0 } else { ulp / 2.0 }, ulp))
    }

    fn around(value: f64, half: f64, ulp: f64) -> Self {
        Self { value, lo: value - half, hi: value + half, ulp }
    }

    /// An exact number.
    pub(super) fn exact(value: f64) -> Self {
        Self::around(value, 0.0, 0.0)
    }

    /// The number times an exact factor.
    pub(super) fn scaled(self, factor: f64) -> Self {
        let (a, b) = (self.lo * factor, self.hi * factor);
        Self { value: self.value * factor, lo: a.min(b), hi: a.max(b), ulp: self.ulp * factor.abs() }
    }

    pub(super) fn plus(self, o: Self) -> Self {
        Self { value: self.value + o.value, lo: self.lo + o.lo, hi: self.hi + o.hi, ulp: 0.0 }
    }

    pub(super) fn minus(self, o: Self) -> Self {
        self.plus(o.scaled(-1.0))
    }

    pub(super) fn times(self, o: Self) -> Self {
        self.by_ends(o, |a, b| a * b)
    }

    /// The quotient; `None` when the divisor may be zero.
    pub(super) fn over(self, o: Self) -> Option<Self> {
        (o.lo > 0.0 || o.hi < 0.0).then(|| self.by_ends(o, |a, b| a / b))
    }

    fn by_ends(self, o: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let ends = [f(self.lo, o.lo), f(self.lo, o.hi), f(self.hi, o.lo), f(self.hi, o.hi)];
        let (lo, hi) = ends.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        Self { value: f(self.value, o.value), lo, hi, ulp: 0.0 }
    }

    /// Whether this figure, as written, states what came out: rounded to its last digit, or cut off after it.
    pub(super) fn agrees(&self, out: &Self) -> bool {
        if self.value < 0.0 {
            return self.scaled(-1.0).agrees(&out.scaled(-1.0));
        }
        let tiny = out.value.abs() * 1e-9;
        // Whole numbers that come of counts leave nothing to round.
        let whole = out.hi - out.lo <= tiny && out.value.fract() == 0.0 && self.ulp == 1.0;
        let (below, above) = if whole { (0.0, 0.0) } else { (self.ulp / 2.0, self.ulp) };
        let cut = above - tiny.max(above * 1e-6);
        self.value - below - tiny <= out.hi && self.value + cut.max(tiny) >= out.lo
    }

    /// The same with the slack of "about".
    pub(super) fn loosely(self) -> Self {
        Self { ulp: self.ulp.max(self.value.abs() * 0.05), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_digits_are_the_precision() {
        let read = |t: &str| Rounded::read(t, false).unwrap();
        assert_eq!((read("1,250.5").value, read("1.5k").value, read("−3").value), (1250.5, 1500.0, -3.0));
        assert_eq!((read("10.4").lo, read("10.4").hi), (10.35, 10.450000000000001));
        assert!(read("3.1").agrees(&read("12.84").over(Rounded::exact(412.0)).unwrap().scaled(100.0)));
        assert!(!read("4.1").agrees(&read("12.84").over(Rounded::exact(412.0)).unwrap().scaled(100.0)));
        assert_eq!(Rounded::read("7", true).unwrap().lo, 7.0);
        assert_eq!(read("1").over(Rounded::exact(0.0)), None);
    }
}
