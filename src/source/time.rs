//! Times as programs write them: RFC 3339 with or without a zone, or seconds, milliseconds, microseconds or nanoseconds
//! since 1970 as a number or as digits. What cannot be read is unknown, never now and never 1970.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use serde_json::Value;

/// How a time was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    /// With a zone, or as a count.
    At(Timestamp),
    /// Without a zone; taken as UTC.
    NoZone(Timestamp),
    /// In no form that can be read.
    Odd,
}

impl Time {
    /// The time, if it is known.
    pub(super) fn known(self) -> Option<Timestamp> {
        match self {
            Self::At(at) | Self::NoZone(at) => Some(at),
            Self::Odd => None,
        }
    }
}

/// Reads a time; `None` when there is none.
pub(super) fn read(value: &Value) -> Option<Time> {
    match value {
        Value::Null => None,
        Value::Number(n) => Some(n.as_f64().map_or(Time::Odd, count)),
        Value::String(text) => Some(written(text.trim())),
        _ => Some(Time::Odd),
    }
}

/// Reads a time from text.
pub(super) fn written(text: &str) -> Time {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Time::At(at);
    }
    if let Ok(at) = text.parse::<DateTime>() {
        return Offset::UTC.to_timestamp(at).map_or(Time::Odd, Time::NoZone);
    }
    let digits = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    text.parse().ok().filter(|_| digits).map_or(Time::Odd, count)
}

/// A count since 1970, in the unit that its size tells. Times before 2000 are counts of something else.
fn count(n: f64) -> Time {
    const YEAR_2000: f64 = 946_684_800.0;
    let unit = [1e9, 1e6, 1e3, 1.0].into_iter().find(|unit| (YEAR_2000..1e11).contains(&(n * unit / 1e9)));
    let nanoseconds = unit.map(|unit| (n * unit) as i128);
    nanoseconds.and_then(|n| Timestamp::from_nanosecond(n).ok()).map_or(Time::Odd, Time::At)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_form_is_read_or_unknown() {
        let at = |text: &str| Some(Time::At(text.parse().unwrap()));
        let noon = "2026-01-05T12:00:00Z";
        for form in
            [json!(1767614400), json!(1767614400000u64), json!(1767614400000000u64), json!(1767614400000000000u64)]
        {
            assert_eq!(read(&form), at(noon), "{form}");
        }
        for form in ["1767614400", "1767614400.0", "2026-01-05T14:00:00+02:00", " 2026-01-05T12:00:00Z "] {
            assert_eq!(read(&json!(form)), at(noon), "{form}");
        }
        assert_eq!(read(&json!("2026-12-31T23:59:60Z")), at("2026-12-31T23:59:59Z"));
        assert_eq!(read(&json!("2026-01-05 12:00:00")), Some(Time::NoZone(noon.parse().unwrap())));
        for odd in
            [json!("2026-01-32T00:00:00Z"), json!("yesterday"), json!(""), json!(0), json!(-5), json!(1e300), json!([])]
        {
            assert_eq!(read(&odd), Some(Time::Odd), "{odd}");
        }
        assert_eq!(read(&Value::Null), None);
    }
}
