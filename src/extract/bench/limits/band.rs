//! Quantities that may be known only between two ends.

use crate::extract::bench::units::{Dimension, Unit};

/// A quantity in base units; `lo` and `hi` are equal when it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Band {
    /// Lower end.
    pub(super) lo: f64,
    /// Upper end.
    pub(super) hi: f64,
    /// What it counts.
    pub(super) dimension: Dimension,
}

impl Band {
    /// A known quantity.
    pub(super) fn exact(value: f64, dimension: Dimension) -> Self {
        Self { lo: value, hi: value, dimension }
    }

    /// A plain number.
    pub(super) fn plain(value: f64) -> Self {
        Self::exact(value, Dimension::NONE)
    }

    /// So many of a unit.
    pub(super) fn of(value: f64, unit: &Unit) -> Self {
        Self::exact(value * unit.scale.factor(), unit.dimension)
    }

    /// The quantity anywhere between two others.
    pub(super) fn between(a: Self, b: Self) -> Result<Self, String> {
        same(a, b, "a band from")?;
        Ok(Self { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi), ..a })
    }

    /// Whether its ends differ.
    pub(super) fn is_open(self) -> bool {
        self.lo != self.hi
    }

    pub(super) fn plus(self, other: Self) -> Result<Self, String> {
        same(self, other, "a sum of")?;
        Ok(Self { lo: self.lo + other.lo, hi: self.hi + other.hi, ..self })
    }

    pub(super) fn minus(self, other: Self) -> Result<Self, String> {
        same(self, other, "a difference of")?;
        Ok(Self { lo: self.lo - other.hi, hi: self.hi - other.lo, ..self })
    }

    pub(super) fn times(self, other: Self) -> Self {
        self.corners(other, self.dimension.times(other.dimension, 1), |a, b| a * b)
    }

    pub(super) fn over(self, other: Self) -> Result<Self, String> {
        if other.lo <= 0.0 && other.hi >= 0.0 {
            return Err("division by what may be 0".to_owned());
        }
        Ok(self.corners(other, self.dimension.times(other.dimension, -1), |a, b| a / b))
    }

    /// To a whole power, or to any power for a plain number.
    pub(super) fn power(self, other: Self) -> Result<Self, String> {
        if other.dimension != Dimension::NONE || other.is_open() {
            return Err(format!("an exponent must be one plain number, this is {}", other.dimension));
        }
        let whole = other.lo.fract() == 0.0 && other.lo.abs() <= 8.0;
        if self.dimension != Dimension::NONE && !whole {
            return Err(format!("{} can only be raised to a whole power up to 8", self.dimension));
        }
        let times = if whole { other.lo as i8 } else { 0 };
        let dimension = Dimension::NONE.times(self.dimension, times);
        Ok(self.corners(other, dimension, f64::powf))
    }

    pub(super) fn min(self, other: Self) -> Result<Self, String> {
        same(self, other, "the smaller of")?;
        Ok(Self { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi), ..self })
    }

    pub(super) fn max(self, other: Self) -> Result<Self, String> {
        same(self, other, "the larger of")?;
        Ok(Self { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi), ..self })
    }

    fn corners(self, other: Self, dimension: Dimension, of: impl Fn(f64, f64) -> f64) -> Self {
        let all = [of(self.lo, other.lo), of(self.lo, other.hi), of(self.hi, other.lo), of(self.hi, other.hi)];
        let lo = all.into_iter().fold(f64::INFINITY, f64::min);
        let hi = all.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Self { lo, hi, dimension }
    }
}

fn same(a: Band, b: Band, what: &str) -> Result<(), String> {
    if a.dimension == b.dimension {
        return Ok(());
    }
    Err(format!("{what} {} and {} has no meaning; give both the same unit", a.dimension, b.dimension))
}

impl std::fmt::Display for Band {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let top = self.lo.abs().max(self.hi.abs());
        let prefixed = ["B", "B/s", "FLOP/s", "FLOP"].contains(&self.dimension.to_string().as_str());
        let steps = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
        let step = steps.into_iter().find(|(s, _)| top >= *s).filter(|_| prefixed);
        let (scale, prefix) = step.unwrap_or((1.0, ""));
        let digits = |v: f64| {
            let places = (5 - v.abs().max(1e-9).log10().floor() as i32).clamp(0, 12) as usize;
            let text = format!("{v:.places$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        };
        match self.is_open() {
            true => write!(f, "{}–{}", digits(self.lo / scale), digits(self.hi / scale))?,
            false => f.write_str(&digits(self.lo / scale))?,
        }
        match self.dimension == Dimension::NONE {
            true => Ok(()),
            false => write!(f, " {prefix}{}", self.dimension),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn band(lo: f64, hi: f64) -> Band {
        Band { lo, hi, dimension: Dimension::NONE }
    }

    #[test]
    fn ends_follow_every_operation() {
        assert_eq!(band(1.0, 2.0).times(band(-1.0, 3.0)), band(-2.0, 6.0));
        assert_eq!(band(1.0, 2.0).over(band(2.0, 4.0)), Ok(band(0.25, 1.0)));
        assert_eq!(band(1.0, 2.0).minus(band(0.0, 1.0)), Ok(band(0.0, 2.0)));
        assert_eq!(band(1.0, 3.0).power(Band::plain(2.0)), Ok(band(1.0, 9.0)));
        assert!(band(1.0, 2.0).over(band(-1.0, 1.0)).is_err());
    }

    #[test]
    fn dimensions_are_kept_apart() {
        let unit = |t: &str| Unit::parse(t).unwrap();
        let (bytes, seconds) = (Band::of(4.0, &unit("GB")), Band::of(2.0, &unit("s")));
        assert_eq!(bytes.over(seconds).map(|b| b.to_string()), Ok("2 GB/s".to_owned()));
        assert!(bytes.plus(seconds).unwrap_err().contains("B and s"));
        assert!(bytes.power(Band::plain(0.5)).is_err());
        assert_eq!(Band::between(bytes, Band::of(6.5, &unit("GB"))).map(|b| b.to_string()), Ok("4–6.5 GB".to_owned()));
    }
}
