//! The spellings of units.

use super::{Dimension, Quantity, Scale, Unit};

/// The letters (or the one sign) that a unit starts with.
pub(super) fn word(text: &str) -> &str {
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

pub(super) fn scope(word: &str) -> Option<&'static str> {
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

pub(super) fn denominator(word: &str) -> Option<Unit> {
    let second = |name, s| Unit::new(name, Dimension::of(Quantity::Second, 1), Scale(s, 1));
    Some(match word {
        "s" | "sec" | "secs" | "second" | "seconds" | "Sec" | "Second" => second("s", 1),
        "min" | "minute" => second("min", 60),
        "h" | "hour" => second("h", 3600),
        "op" => Unit::new("op", Dimension::of(Quantity::Op, 1), Scale::ONE),
        "tok" | "token" | "Mtok" => {
            let many = if word == "Mtok" { 1_000_000 } else { 1 };
            Unit::new(word.replace("token", "tok"), Dimension::of(Quantity::Token, 1), Scale(many, 1))
        }
        "W" => Unit::new("W", Dimension::of(Quantity::Watt, 1), Scale::ONE),
        "J" => joule(),
        "B" | "byte" => Unit::new("B", Dimension::of(Quantity::Byte, 1), Scale::ONE),
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
pub(super) fn named(word: &str) -> Option<Unit> {
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
