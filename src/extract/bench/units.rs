//! Units: what a figure counts, and how large one of it is.
//!
//! A dimension is a vector of exponents, a scale an exact fraction, so that GiB/s ÷ GB/s has no rounding of its own. A
//! spelling that is not known has no unit: nothing is guessed from likeness.

mod spellings;

use std::fmt;

use spellings::{denominator, named, scope, word};

/// What can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Quantity {
    Token,
    Request,
    Sample,
    Item,
    Event,
    Frame,
    Iteration,
    Io,
    Op,
    Byte,
    Flop,
    Second,
    Watt,
    Dollar,
    Celsius,
    Allocation,
    /// A difference of percentages is no percentage.
    PercentPoint,
    /// Perplexity, bogo ops and others that compare only with themselves.
    Other,
}

const QUANTITIES: usize = Quantity::Other as usize + 1;

/// Exponent of each [`Quantity`]; all zero for a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dimension([i8; QUANTITIES]);

impl Dimension {
    /// A ratio.
    pub const NONE: Self = Self([0; QUANTITIES]);

    /// `quantity` to the power `exponent`.
    pub const fn of(quantity: Quantity, exponent: i8) -> Self {
        let mut powers = [0; QUANTITIES];
        powers[quantity as usize] = exponent;
        Self(powers)
    }

    /// The exponent of a quantity.
    pub fn power(&self, quantity: Quantity) -> i8 {
        self.0[quantity as usize]
    }

    /// The dimension of a product with `other` to the power `sign`.
    pub fn times(self, other: Self, sign: i8) -> Self {
        let mut powers = self.0;
        powers.iter_mut().zip(other.0).for_each(|(p, o)| *p = p.saturating_add(o.saturating_mul(sign)));
        Self(powers)
    }

    /// Something per second.
    pub fn is_rate(&self) -> bool {
        self.power(Quantity::Second) == -1
    }

    /// A plain time.
    pub fn is_time(&self) -> bool {
        *self == Self::of(Quantity::Second, 1)
    }
}

/// The names of the [`Quantity`]s, in their order.
const NAMES: [&str; QUANTITIES] = [
    "tok", "req", "samples", "items", "events", "frames", "it", "IO", "ops", "B", "FLOP", "s", "W", "$", "°C",
    "allocs", "pp", "(other)",
];

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |sign: i8| {
            let named = NAMES.iter().zip(self.0).filter(|(_, p)| p.signum() == sign);
            let power = |(name, p): (&&str, i8)| match p.abs() {
                1 => (*name).to_owned(),
                n => format!("{name}^{n}"),
            };
            named.map(power).collect::<Vec<_>>().join("·")
        };
        match (side(1), side(-1)) {
            (above, below) if below.is_empty() && above.is_empty() => f.write_str("a plain number"),
            (above, below) if below.is_empty() => f.write_str(&above),
            (above, below) if above.is_empty() => write!(f, "1/{below}"),
            (above, below) => write!(f, "{above}/{below}"),
        }
    }
}

/// An exact positive fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale(i128, i128);

impl Scale {
    const ONE: Self = Self(1, 1);

    fn over(self, other: Self) -> Self {
        Self(self.0 * other.1, self.1 * other.0)
    }

    /// As a floating-point factor.
    pub fn factor(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }
}

/// A unit as written, prefix kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// One spelling for all: `tok/s`, `GB/s`, `Gbit/s`, `µs`.
    pub name: String,
    /// What it counts.
    pub dimension: Dimension,
    /// How large it is in base units (bytes, seconds, FLOP …).
    pub scale: Scale,
    /// `per_user`, `per_gpu` …: part of the spelling, but not of the dimension.
    pub scope: Option<&'static str>,
    /// `ms per token` is a time, of one token.
    pub per_token: bool,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Unit {
    fn new(name: impl Into<String>, dimension: Dimension, scale: Scale) -> Self {
        Self { name: name.into(), dimension, scale, scope: None, per_token: false }
    }

    /// Reads a text that is a unit and nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (unit, len) = Self::at(text)?;
        (len == text.len()).then_some(unit)
    }

    /// The unit that `text` begins with, and its length in bytes. It must end at the end of a word.
    pub fn at(text: &str) -> Option<(Self, usize)> {
        let llama = text.starts_with("t/s");
        let word = if llama { "tps" } else { word(text) };
        let mut unit = named(word)?;
        let mut len = word.len();
        while let Some((divided, used)) = unit.divided(&text[len..]) {
            unit = divided;
            len += used;
        }
        let next = text[len..].chars().next();
        let open = next.is_some_and(|c| c.is_alphanumeric() || c == '_')
            || next == Some('/') && text[len + 1..].starts_with(|c: char| c.is_alphanumeric())
            || next == Some('-') && text[len + 1..].starts_with(|c: char| c.is_alphabetic());
        (!open).then_some((unit, len))
    }

    /// The unit with one `/x` or ` per x` more, and the bytes that took.
    fn divided(&self, rest: &str) -> Option<(Self, usize)> {
        let skip = ["/", " / ", " per "].iter().find(|s| rest.starts_with(*s))?.len();
        let per = word(&rest[skip..]);
        let used = skip + per.len();
        if let Some(scope) = scope(per) {
            return Some((Self { scope: Some(scope), ..self.clone() }, used));
        }
        if self.dimension.is_time() && matches!(per, "tok" | "token" | "Token") {
            return Some((Self { per_token: true, ..self.clone() }, used));
        }
        let below = denominator(per)?;
        let name = match &*self.name {
            "FLOP" | "kFLOP" | "MFLOP" | "GFLOP" | "TFLOP" | "PFLOP" => format!("{}/{}", self.name, below.name),
            name => format!("{name}/{}", below.name),
        };
        let dimension = self.dimension.times(below.dimension, -1);
        Some((Self { name, dimension, scale: self.scale.over(below.scale), ..self.clone() }, used))
    }

    /// `value` of this unit in another; `None` when they count different things.
    pub fn convert(&self, value: f64, to: &Self) -> Option<f64> {
        let factor = self.scale.over(to.scale);
        (self.dimension == to.dimension).then(|| value * factor.0 as f64 / factor.1 as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Option<String> {
        Unit::parse(text).map(|u| u.name)
    }

    #[test]
    fn every_spelling_of_a_token_rate_is_one() {
        for text in
            ["tok/s", "tokens/s", "token/s", "tokens/sec", "toks/s", "tk/s", "tok/sec", "tokens per second", "TPS"]
        {
            assert_eq!(name(text).as_deref(), Some("tok/s"), "{text}");
        }
        let scoped = |text| Unit::parse(text).and_then(|u| u.scope);
        assert_eq!(
            [scoped("tps/user"), scoped("tok/s/GPU"), scoped("tok/s per stream")],
            [Some("per_user"), Some("per_gpu"), Some("per_user")]
        );
    }

    #[test]
    fn bits_are_not_bytes_and_two_is_not_ten() {
        let bytes = |text: &str| Unit::parse(text).unwrap().convert(1.0, &Unit::parse("B/s").unwrap()).unwrap();
        assert_eq!(bytes("Gb/s"), 125e6);
        assert_eq!(bytes("Gbps"), 125e6);
        assert_eq!(bytes("Gbits/sec"), 125e6);
        assert_eq!(bytes("GBps"), 1e9);
        assert_eq!(bytes("MiB/s"), 1048576.0);
        assert_eq!(bytes("kB/s"), 1000.0);
        let gib = Unit::parse("GiB/s").unwrap();
        assert_eq!(gib.convert(9.31, &Unit::parse("GB/s").unwrap()).map(|v| (v * 1e4).round()), Some(99965.0));
    }

    #[test]
    fn a_dimension_never_turns_into_another() {
        let (seconds, rate) = (Unit::parse("ms").unwrap(), Unit::parse("tok/s").unwrap());
        assert_eq!(seconds.convert(1.0, &rate), None);
        assert_eq!(Unit::parse("pp").unwrap().convert(1.0, &Unit::parse("%").unwrap()), None);
        assert!(Unit::parse("ms per token").unwrap().per_token);
        assert_eq!(name("ns/op").as_deref(), Some("ns/op"));
        assert_eq!(name("allocs/op").as_deref(), Some("allocs/op"));
        assert_eq!(name("GFLOP/s").as_deref(), name("GFLOPS").as_deref());
    }

    #[test]
    fn what_is_no_unit_has_none() {
        for text in ["", "m", "sm", "tokenizer", "files", "t", "GiFLOPS", "tok/x", "s-expression", "ms/x"] {
            assert_eq!(name(text), None, "{text}");
        }
        assert_eq!(Unit::at("ms, then").map(|(u, n)| (u.name, n)), Some(("ms".into(), 2)));
        assert_eq!(Unit::at("MB/srv"), None);
    }
}
