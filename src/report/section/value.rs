//! Values as they are shown: message numbers, times, durations, numbers.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::session::{MsgIx, Session};

/// Number of a message, as the `cite` filter takes it.
pub(crate) fn label(session: &Session, ix: MsgIx) -> String {
    session.message(ix).label.to_string()
}

/// A time in UTC, to the second.
pub(crate) fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// The time between two, in its two largest units.
pub(crate) fn duration(from: Timestamp, to: Timestamp) -> String {
    span(to.as_second() - from.as_second())
}

/// A length of time in its two largest units.
pub(crate) fn span(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (days, hours, minutes) = (seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, m) => format!("{m} min {} s", seconds % 60),
        (0, h, m) => format!("{h} h {m} min"),
        (d, h, _) => format!("{d} d {h} h"),
    }
}

/// A number as short as it can be read back, with no more than six digits after the point.
pub(crate) fn number(value: f64) -> String {
    let fixed = format!("{value:.6}");
    let short = fixed.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".into() } else { short.to_string() }
}

/// A ratio as a percentage with two digits after the point.
pub(crate) fn percent(ratio: f64) -> String {
    format!("{:.2}", ratio * 100.0)
}

/// A whole number with thin groups of three digits.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Conditions as `concurrency 4, batch 8`.
pub(crate) fn pairs(params: &BTreeMap<String, String>) -> String {
    params.iter().map(|(k, v)| format!("{k} {v}")).collect::<Vec<_>>().join(", ")
}

/// The kebab-case word of a value that serialises as one.
pub(crate) fn word(value: impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(String::from)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_numbers_as_they_were_written() {
        assert_eq!(number(12.84), "12.84");
        assert_eq!(number(400.0), "400");
        assert_eq!(number(-0.0), "0");
        assert_eq!(number(0.1 + 0.2), "0.3");
        assert_eq!(percent(12.84 / 400.0), "3.21");
        assert_eq!(grouped(1234567), "1,234,567");
        let at = |s: i64| Timestamp::from_second(s).unwrap();
        assert_eq!(duration(at(0), at(59)), "59 s");
        assert_eq!(duration(at(0), at(3700)), "1 h 1 min");
        assert_eq!(duration(at(0), at(200_000)), "2 d 7 h");
        assert_eq!(duration(at(10), at(0)), "0 s");
    }
}
