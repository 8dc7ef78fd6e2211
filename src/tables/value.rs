//! The typed cell, and how Rust values become one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;

/// One cell of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// Not known, or does not apply.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text, raw as in the source.
    Text(Cow<'a, str>),
}

/// Type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A truth value.
    Bool,
    /// A whole number, 64 bits.
    Int,
    /// A number with a fraction, 64 bits.
    Float,
    /// UTF-8 text.
    Text,
}

impl Kind {
    /// The word used in the schema.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bool => "boolean",
            Self::Int => "integer",
            Self::Float => "float",
            Self::Text => "text",
        }
    }
}

impl Value<'_> {
    /// Type of the cell; `None` for NULL.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Self::Null => None,
            Self::Bool(_) => Some(Kind::Bool),
            Self::Int(_) => Some(Kind::Int),
            Self::Float(_) => Some(Kind::Float),
            Self::Text(_) => Some(Kind::Text),
        }
    }

    /// The text of a text cell.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The cell in JSON. Numbers that JSON does not have are null.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(b) => (*b).into(),
            Self::Int(n) => (*n).into(),
            Self::Float(x) => (*x).into(),
            Self::Text(text) => text.as_ref().into(),
        }
    }

    /// The cell as plain text: empty for NULL, numbers in their shortest form.
    pub fn to_plain(&self) -> Cow<'_, str> {
        match self {
            Self::Null => Cow::Borrowed(""),
            Self::Bool(b) => Cow::Borrowed(if *b { "true" } else { "false" }),
            Self::Int(n) => Cow::Owned(n.to_string()),
            Self::Float(x) => Cow::Owned(plain_float(*x)),
            Self::Text(text) => Cow::Borrowed(text),
        }
    }
}

/// As JSON writes it: shortest form that reads back to the same number, `1e300` instead of 300 zeros.
fn plain_float(x: f64) -> String {
    serde_json::Number::from_f64(x).map_or_else(|| x.to_string(), |n| n.to_string())
}

/// A time as text: UTC, ISO 8601, always three digits of a second, so that text order is time order.
pub(super) fn time_text(at: Timestamp) -> String {
    format!("{at:.3}")
}

/// The word for a variant, as all JSON output has it.
pub(super) fn word(variant: &impl serde::Serialize) -> Value<'static> {
    match serde_json::to_value(variant) {
        Ok(serde_json::Value::String(word)) => Value::Text(Cow::Owned(word)),
        _ => Value::Null,
    }
}

/// Parameters as a JSON object, in order of key.
pub(super) fn map_text(map: &BTreeMap<String, String>) -> Option<String> {
    (!map.is_empty()).then(|| serde_json::to_string(map).unwrap_or_default())
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(at: Timestamp) -> Self {
        time_text(at).into()
    }
}

impl From<bool> for Value<'_> {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}

impl From<f64> for Value<'_> {
    fn from(x: f64) -> Self {
        Self::Float(x)
    }
}

impl From<i64> for Value<'_> {
    fn from(n: i64) -> Self {
        Self::Int(n)
    }
}

impl From<u32> for Value<'_> {
    fn from(n: u32) -> Self {
        Self::Int(n.into())
    }
}

impl From<u64> for Value<'_> {
    fn from(n: u64) -> Self {
        Self::Int(i64::try_from(n).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value<'_> {
    fn from(n: usize) -> Self {
        (n as u64).into()
    }
}

impl<'a, T: Into<Self>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<'a> From<&'a Option<String>> for Value<'a> {
    fn from(text: &'a Option<String>) -> Self {
        text.as_ref().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_order_of_times_is_time_order() {
        let times = ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.5Z", "2026-01-02T03:04:06Z"];
        let texts: Vec<String> = times.iter().map(|t| time_text(t.parse().unwrap())).collect();
        assert_eq!(texts[0], "2026-01-02T03:04:05.000Z");
        assert!(texts.is_sorted());
    }

    #[test]
    fn floats_are_short_and_read_back() {
        assert_eq!(Value::Float(12.84).to_plain(), "12.84");
        assert_eq!(Value::Float(1e300).to_plain(), "1e+300");
        assert_eq!(Value::Float(f64::NAN).to_plain(), "NaN");
        assert_eq!(Value::Float(f64::NAN).to_json(), serde_json::Value::Null);
    }
}
