//! Field types that accept any JSON: what does not fit is kept apart as odd, so that one field of the wrong type does
//! not cost its record. Strings borrow from the line where they can.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A field that should hold a `T`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Loose<T> {
    /// Absent, or null.
    #[default]
    Absent,
    /// As it should be.
    Is(T),
    /// Something else.
    Odd,
}

impl<T> Loose<T> {
    /// The value, if it is as it should be.
    pub(super) fn get(self) -> Option<T> {
        match self {
            Self::Is(value) => Some(value),
            _ => None,
        }
    }

    /// As [`Self::get`], without taking it.
    pub(super) fn as_ref(&self) -> Option<&T> {
        match self {
            Self::Is(value) => Some(value),
            _ => None,
        }
    }

    /// Whether it holds something else.
    pub(super) fn is_odd(&self) -> bool {
        matches!(self, Self::Odd)
    }
}

/// A string of the line.
pub(super) type Str<'a> = Loose<Text<'a>>;

/// A string that borrows where it can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl Str<'_> {
    pub(super) fn str(&self) -> Option<&str> {
        self.as_ref().map(|t| &*t.0)
    }

    /// An owned copy; `None` for an empty string.
    pub(super) fn boxed(&self) -> Option<Box<str>> {
        self.str().filter(|s| !s.is_empty()).map(Box::from)
    }

    pub(super) fn string(self) -> Option<String> {
        self.get().map(|t| t.0.into_owned())
    }
}

/// What a [`Loose`] can hold: how it is made of each kind of JSON value; `None` = it does not fit.
pub(super) trait Fit<'de>: Sized {
    fn of_bool(_: bool) -> Option<Self> {
        None
    }
    fn of_u64(_: u64) -> Option<Self> {
        None
    }
    fn of_f64(_: f64) -> Option<Self> {
        None
    }
    fn of_str(_: Cow<'de, str>) -> Option<Self> {
        None
    }
    fn of_map<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Option<Self>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

impl<'de: 'a, 'a> Fit<'de> for Text<'a> {
    fn of_str(text: Cow<'de, str>) -> Option<Self> {
        Some(Self(text))
    }
}

impl<'de> Fit<'de> for bool {
    fn of_bool(value: bool) -> Option<Self> {
        Some(value)
    }
}

impl<'de> Fit<'de> for u64 {
    fn of_u64(value: u64) -> Option<Self> {
        Some(value)
    }
    fn of_f64(value: f64) -> Option<Self> {
        (0.0..1e15).contains(&value).then_some(value as Self)
    }
}

/// An object with the fields of `T`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Object<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Fit<'de> for Object<T> {
    fn of_map<A: MapAccess<'de>>(map: A) -> Result<Option<Self>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|value| Some(Self(value)))
    }
}

impl<'de, T: Deserialize<'de>> Fit<'de> for Vec<T> {
    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Option<Self>, A::Error> {
        let mut out = Self::new();
        while let Some(item) = seq.next_element()? {
            out.push(item);
        }
        Ok(Some(out))
    }
}

impl<'de, T: Fit<'de>> Deserialize<'de> for Loose<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any(PhantomData))
    }
}

struct Any<T>(PhantomData<T>);

fn fit<T>(value: Option<T>) -> Loose<T> {
    value.map_or(Loose::Odd, Loose::Is)
}

impl<'de, T: Fit<'de>> Visitor<'de> for Any<T> {
    type Value = Loose<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Loose::Absent)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(fit(T::of_bool(value)))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(fit(T::of_u64(value)))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(fit(T::of_f64(value as f64)))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(fit(T::of_f64(value)))
    }
    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(fit(T::of_str(Cow::Borrowed(value))))
    }
    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(fit(T::of_str(Cow::Owned(value.to_owned()))))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::of_map(map).map(fit)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        T::of_seq(seq).map(fit)
    }
}
