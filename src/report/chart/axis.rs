//! Scales, ticks and numbers on axes.

use super::svg::{self, Anchor, GRID, SOFT, Svg};

/// How values lie along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Equal steps are equally long.
    Linear,
    /// Equal ratios are equally long; ticks are powers of ten.
    Log10,
    /// Equal ratios are equally long; ticks are powers of two.
    Log2,
}

/// Maps values onto coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    kind: Kind,
    domain: (f64, f64),
    range: (f64, f64),
}

impl Scale {
    /// A linear scale from zero to a round number above `max`.
    pub(super) fn from_zero(max: f64, range: (f64, f64)) -> Self {
        Self::with_zero(0.0, max, range)
    }

    /// A linear scale between round numbers around values and zero; from 0 to 1 when all values are zero.
    pub(super) fn with_zero(min: f64, max: f64, range: (f64, f64)) -> Self {
        let (min, max) = (min.min(0.0), max.max(0.0));
        if min == max {
            return Self { kind: Kind::Linear, domain: (0.0, 1.0), range };
        }
        let step = step(max - min, 5);
        Self { kind: Kind::Linear, domain: ((min / step).floor() * step, (max / step).ceil() * step), range }
    }

    /// A logarithmic scale around positive values, with a little room on both sides.
    pub(super) fn log(kind: Kind, min: f64, max: f64, range: (f64, f64)) -> Self {
        let room = if kind == Kind::Log2 { 2f64.powf(0.3) } else { 10f64.powf(0.12) };
        Self { kind, domain: (min / room, max * room), range }
    }

    /// A linear scale over a range of values, with a little room on both sides.
    pub(super) fn between(min: f64, max: f64, range: (f64, f64)) -> Self {
        let room = ((max - min) * 0.04).max(0.5);
        Self { kind: Kind::Linear, domain: (min - room, max + room), range }
    }

    /// Whether equal ratios, not equal steps, are equally long.
    pub(super) fn is_log(&self) -> bool {
        self.kind != Kind::Linear
    }

    /// The coordinate of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        let (lo, hi) = self.domain;
        let share = match self.kind {
            Kind::Linear => (value - lo) / (hi - lo),
            _ => (value.max(lo) / lo).ln() / (hi / lo).ln(),
        };
        self.range.0 + share * (self.range.1 - self.range.0)
    }

    /// The value at a coordinate.
    pub(super) fn value(&self, at: f64) -> f64 {
        let (lo, hi) = self.domain;
        let share = (at - self.range.0) / (self.range.1 - self.range.0);
        match self.kind {
            Kind::Linear => lo + share * (hi - lo),
            _ => lo * (hi / lo).powf(share),
        }
    }

    /// Values that get a tick.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let (lo, hi) = self.domain;
        match self.kind {
            Kind::Linear => {
                let step = step(hi - lo, 6);
                let first = (lo / step).ceil() as i64;
                (first..=first + 60).map(|i| i as f64 * step).take_while(|v| *v <= hi * (1.0 + 1e-9)).collect()
            }
            Kind::Log2 => powers(2.0, lo, hi),
            Kind::Log10 => {
                let tens = powers(10.0, lo, hi);
                if tens.len() > 2 {
                    return tens;
                }
                let start = 10f64.powf(lo.log10().floor());
                let fine = (0..4).flat_map(|i| [1.0, 2.0, 5.0].map(|m| m * start * 10f64.powi(i)));
                fine.filter(|v| *v >= lo && *v <= hi).collect()
            }
        }
    }
}

/// Powers inside a range; thinned to at most twelve.
fn powers(base: f64, lo: f64, hi: f64) -> Vec<f64> {
    let first = (lo.ln() / base.ln()).ceil() as i32;
    let last = (hi.ln() / base.ln() + 1e-9).floor() as i32;
    let stride = ((last - first).max(0) / 12 + 1) as usize;
    (first..=last).step_by(stride).map(|p| base.powi(p)).collect()
}

/// A round step that divides `span` into about `parts`.
pub(super) fn step(span: f64, parts: u32) -> f64 {
    let raw = (span / f64::from(parts)).max(f64::MIN_POSITIVE);
    let magnitude = 10f64.powf(raw.log10().floor());
    let unit = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|m| raw <= m * magnitude * (1.0 + 1e-9)).unwrap_or(10.0);
    unit * magnitude
}

/// The least and the greatest of some values.
pub(super) fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)))
}

/// A number for readers: four significant digits, thousands marked.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let whole = value.abs().log10().floor() as i32 + 1;
    let decimals = (4 - whole).clamp(0, 6) as usize;
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |d| ("−", d));
    let (int, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut grouped = String::new();
    for (i, c) in int.chars().enumerate() {
        if i > 0 && (int.len() - i).is_multiple_of(3) && int.len() > 4 {
            grouped.push('\u{2009}');
        }
        grouped.push(c);
    }
    format!("{sign}{grouped}{rest}")
}

/// Places and numbers of the ticks of a horizontal scale, thinned evenly until no two numbers meet.
pub(super) fn spaced(scale: &Scale) -> Vec<(f64, String)> {
    let all: Vec<(f64, String)> = scale.ticks().into_iter().map(|t| (scale.at(t), number(t))).collect();
    let edge = |(at, text): &(f64, String), side: f64| at + side * svg::width(text, 11.0) / 2.0;
    let clear = |s: &usize| {
        let kept: Vec<&(f64, String)> = all.iter().step_by(*s).collect();
        kept.windows(2).all(|w| edge(w[1], -1.0) - edge(w[0], 1.0) > 8.0)
    };
    let stride = (1..all.len().max(2)).find(clear).unwrap_or(all.len().max(1));
    all.into_iter().step_by(stride).collect()
}

/// Ticks of a horizontal scale: rules from top to bottom, numbers and the unit below.
pub(super) fn below(svg: &mut Svg, scale: &Scale, (top, bottom): (f64, f64), unit: &str) {
    for (x, text) in spaced(scale) {
        svg.line((x, top), (x, bottom), GRID, 1.0, "");
        svg.text((x, bottom + 16.0), Anchor::Middle, SOFT, 11.0, &text);
    }
    svg.text(((scale.range.0 + scale.range.1) / 2.0, bottom + 36.0), Anchor::Middle, SOFT, 12.0, unit);
}

/// A share for readers, as in the text: `3.12 %`.
pub(super) fn percent(share: f64) -> String {
    format!("{} %", crate::report::section::value::percent(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let scale = Scale::from_zero(312.0, (0.0, 100.0));
        assert_eq!(scale.ticks(), [0.0, 100.0, 200.0, 300.0, 400.0]);
        assert_eq!((scale.at(0.0), scale.at(400.0)), (0.0, 100.0));
        let log = Scale::log(Kind::Log2, 1.0, 16.0, (0.0, 100.0));
        assert!([2.0, 16.0].iter().all(|v| (log.value(log.at(*v)) - v).abs() < 1e-9));
        assert_eq!(scale.value(scale.at(300.0)), 300.0);
        assert_eq!(Scale::with_zero(-30.0, 50.0, (0.0, 1.0)).ticks(), [-40.0, -20.0, 0.0, 20.0, 40.0, 60.0]);
        assert_eq!(Scale::from_zero(0.0, (0.0, 1.0)).at(0.0), 0.0);
        assert_eq!(Scale::log(Kind::Log2, 1.0, 16.0, (0.0, 1.0)).ticks(), [1.0, 2.0, 4.0, 8.0, 16.0]);
        assert_eq!(Scale::log(Kind::Log10, 30.0, 90.0, (0.0, 1.0)).ticks(), [50.0, 100.0]);
    }

    #[test]
    fn numbers_are_short_and_exact_enough() {
        let shown = [12.47, 21686.64, 0.0, 1234.5, 0.000_123_4, -20.0].map(number);
        assert_eq!(shown, ["12.47", "21\u{2009}687", "0", "1234", "0.000123", "−20"].map(str::to_owned));
        assert_eq!(
            [percent(0.04312), percent(0.5), percent(1.2)],
            ["4.31 %", "50.00 %", "120.00 %"].map(str::to_owned)
        );
    }
}
