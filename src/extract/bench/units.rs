//! Units: what a figure counts, and how large one of it is.
//!
//! A dimension is a vector of exponents, a scale an exact fraction, so that GiB/s ÷ GB/s has no rounding of its own. A
//! spelling that is not known has no unit: nothing is guessed from likeness.

use std::fmt;

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

/// The letters (or the one sign) that a unit starts with.
fn word(text: &str) -> &str {
    if text.starts_with("percentage points") {
        return &text[.."percentage points".len()];
    }
    let letters = text.find(|c: char| !(c.is_ascii_alphabetic() || c == 'µ' || c == 'μ')).unwrap_or(text.len());
    if letters > 0 {
        return &text[..letters];
    }
    let sign = ["%", "×", "°C", "#", "$"].iter().find(|s| text.starts_with(*s));
    &text[..sign.map_or(0, |s| s.len())]
}

fn scope(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "user" | "stream" | "request" | "req" | "sequence" | "session" => "per_user",
        "gpu" | "card" | "device" | "chip" => "per_gpu",
        "node" | "server" => "per_node",
        "core" => "per_core",
        "thread" => "per_thread",
        "direction" => "per_direction",
        "pair" | "link" => "per_link",
        _ => return None,
    })
}

fn denominator(word: &str) -> Option<Unit> {
    let second = |name, s| Unit::new(name, Dimension::of(Quantity::Second, 1), Scale(s, 1));
    Some(match word {
        "s" | "sec" | "secs" | "second" | "seconds" | "Sec" => second("s", 1),
        "min" | "minute" => second("min", 60),
        "h" | "hour" => second("h", 3600),
        "op" => Unit::new("op", Dimension::of(Quantity::Op, 1), Scale::ONE),
        "tok" | "token" | "Mtok" => {
            let many = if word == "Mtok" { 1_000_000 } else { 1 };
            Unit::new(word.replace("token", "tok"), Dimension::of(Quantity::Token, 1), Scale(many, 1))
        }
        "W" => Unit::new("W", Dimension::of(Quantity::Watt, 1), Scale::ONE),
        "J" => joule(),
        "iter" | "iteration" | "it" | "step" => Unit::new("iter", Dimension::of(Quantity::Iteration, 1), Scale::ONE),
        "frame" => Unit::new("frame", Dimension::of(Quantity::Frame, 1), Scale::ONE),
        _ => return None,
    })
}

fn joule() -> Unit {
    let dimension = Dimension::of(Quantity::Watt, 1).times(Dimension::of(Quantity::Second, 1), 1);
    Unit::new("J", dimension, Scale::ONE)
}

/// The unit that a word is, before any division.
fn named(word: &str) -> Option<Unit> {
    time(word).or_else(|| fixed(word)).or_else(|| {
        let (prefix, scale, rest) = PREFIXES.iter().find_map(|&(p, s)| Some((p, s, word.strip_prefix(p)?)))?;
        counted(rest).filter(|_| !rest.is_empty()).and_then(|(base, binary)| {
            let two = prefix.ends_with('i');
            (binary || !two).then(|| {
                let scale = Scale(base.scale.0 * scale, base.scale.1);
                Unit { name: format!("{}{}", shown(prefix, &base.name), base.name), scale, ..base }
            })
        })
    })
}

/// `K` and `k` are both a thousand; before bytes and bits `k` is the spelling kept.
fn shown<'a>(prefix: &'a str, base: &str) -> &'a str {
    if prefix == "K" && (base.starts_with('B') || base.starts_with("bit")) { "k" } else { prefix }
}

/// Longer prefixes first; the empty one last.
const PREFIXES: &[(&str, i128)] = &[
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("Ti", 1 << 40),
    ("k", 1_000),
    ("K", 1_000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
    ("T", 1_000_000_000_000),
    ("P", 1_000_000_000_000_000),
    ("", 1),
];

/// What takes a prefix, and whether the prefix may be a power of two.
fn counted(word: &str) -> Option<(Unit, bool)> {
    let per_second = |q| Dimension::of(q, 1).times(Dimension::of(Quantity::Second, 1), -1);
    let byte = Dimension::of(Quantity::Byte, 1);
    let (name, dimension, scale, binary) = match word {
        "B" | "Byte" | "Bytes" | "byte" | "bytes" => ("B", byte, Scale::ONE, true),
        "b" | "bit" | "bits" | "Bits" => ("bit", byte, Scale(1, 8), true),
        "Bps" | "BPS" => ("B/s", per_second(Quantity::Byte), Scale::ONE, true),
        "bps" => ("bit/s", per_second(Quantity::Byte), Scale(1, 8), true),
        "FLOPS" | "FLOPs" | "flops" | "Flops" => ("FLOP/s", per_second(Quantity::Flop), Scale::ONE, false),
        "FLOP" | "flop" => ("FLOP", Dimension::of(Quantity::Flop, 1), Scale::ONE, false),
        "OPS" => ("ops/s", per_second(Quantity::Op), Scale::ONE, false),
        "ops" | "op" | "Ops" => ("ops", Dimension::of(Quantity::Op, 1), Scale::ONE, false),
        "IOPS" | "iops" => ("IOPS", per_second(Quantity::Io), Scale::ONE, false),
        "Hz" => ("Hz", Dimension::of(Quantity::Second, -1), Scale::ONE, false),
        "W" => ("W", Dimension::of(Quantity::Watt, 1), Scale::ONE, false),
        "J" => return Some((joule(), false)),
        "elem" | "item" | "items" | "rows" | "row" | "elements" => {
            ("items", Dimension::of(Quantity::Item, 1), Scale::ONE, false)
        }
        "tok" | "token" | "tokens" | "toks" => ("tok", Dimension::of(Quantity::Token, 1), Scale::ONE, false),
        _ => return None,
    };
    Some((Unit::new(name, dimension, scale), binary))
}

fn time(word: &str) -> Option<Unit> {
    let (name, scale) = match word {
        "ns" | "nsec" | "nanoseconds" => ("ns", Scale(1, 1_000_000_000)),
        "us" | "µs" | "μs" | "usec" | "microseconds" => ("µs", Scale(1, 1_000_000)),
        "ms" | "msec" | "msecs" | "millis" | "milliseconds" => ("ms", Scale(1, 1_000)),
        "s" | "sec" | "secs" | "second" | "seconds" => ("s", Scale::ONE),
        "min" | "mins" | "minute" | "minutes" => ("min", Scale(60, 1)),
        "h" | "hr" | "hrs" | "hour" | "hours" => ("h", Scale(3600, 1)),
        _ => return None,
    };
    Some(Unit::new(name, Dimension::of(Quantity::Second, 1), scale))
}

/// Words that take no prefix.
fn fixed(word: &str) -> Option<Unit> {
    let one = |name: &str, quantity| Some(Unit::new(name, Dimension::of(quantity, 1), Scale::ONE));
    let rate = |name: &str, q| {
        Some(Unit::new(name, Dimension::of(q, 1).times(Dimension::of(Quantity::Second, 1), -1), Scale::ONE))
    };
    match word {
        "tok" | "toks" | "token" | "tokens" | "tk" | "Tok" | "Tokens" | "Token" => one("tok", Quantity::Token),
        "tps" | "TPS" => rate("tok/s", Quantity::Token),
        "req" | "reqs" | "request" | "requests" | "Req" | "Requests" | "#" => one("req", Quantity::Request),
        "rps" | "RPS" | "qps" | "QPS" => rate("req/s", Quantity::Request),
        "queries" | "query" => one("req", Quantity::Request),
        "sample" | "samples" | "images" | "image" | "img" | "imgs" => one("samples", Quantity::Sample),
        "event" | "events" | "messages" | "msgs" => one("events", Quantity::Event),
        "frame" | "frames" => one("frames", Quantity::Frame),
        "fps" | "FPS" => rate("frames/s", Quantity::Frame),
        "it" | "iter" | "iters" | "iterations" | "steps" | "step" => one("it", Quantity::Iteration),
        "IO" | "ios" => one("IO", Quantity::Io),
        "allocs" => one("allocs", Quantity::Allocation),
        "TF" => rate("TFLOP/s", Quantity::Flop).map(|u| Unit { scale: Scale(1_000_000_000_000, 1), ..u }),
        "PF" => rate("PFLOP/s", Quantity::Flop).map(|u| Unit { scale: Scale(1_000_000_000_000_000, 1), ..u }),
        "%" | "percent" => Some(Unit::new("%", Dimension::NONE, Scale(1, 100))),
        "×" | "x" | "X" | "times" | "fold" => Some(Unit::new("x", Dimension::NONE, Scale::ONE)),
        "ratio" => Some(Unit::new("ratio", Dimension::NONE, Scale::ONE)),
        "pp" | "percentage points" => one("pp", Quantity::PercentPoint),
        "°C" => one("°C", Quantity::Celsius),
        "$" => one("$", Quantity::Dollar),
        "ppl" => one("ppl", Quantity::Other),
        _ => None,
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
