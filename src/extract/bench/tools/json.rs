//! JSON that a tool wrote, with the bytes of its values.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::lines::{Line, Sink};

/// A value, as written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Json<'a>(&'a str);

impl<'a> Json<'a> {
    /// The value that begins with the first of these lines, and how many lines it takes.
    pub(super) fn begins(lines: &[Line<'_>], sink: &Sink<'a>) -> Option<(Self, usize)> {
        let first = &lines[0];
        if !first.text.starts_with(['{', '[']) {
            return None;
        }
        let text = &sink.source()[first.range.start..];
        let start = text.find(['{', '['])?;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<&'a RawValue>();
        let value = values.next()?.ok()?;
        let end = first.range.start + start + values.byte_offset();
        Some((Self(value.get()), lines.iter().take_while(|l| l.range.start < end).count()))
    }

    /// The members of an object; empty for anything else.
    pub(super) fn members(self) -> BTreeMap<Cow<'a, str>, Self> {
        let map: Option<BTreeMap<Cow<'a, str>, &'a RawValue>> = serde_json::from_str(self.0).ok();
        map.unwrap_or_default().into_iter().map(|(k, v)| (k, Self(v.get()))).collect()
    }

    /// A member of an object.
    pub(super) fn at(self, key: &str) -> Option<Self> {
        self.members().remove(key)
    }

    /// The items of an array; an object stands for a list of itself.
    pub(super) fn items(self) -> Vec<Self> {
        if self.0.starts_with('{') {
            return vec![self];
        }
        let list: Option<Vec<&'a RawValue>> = serde_json::from_str(self.0).ok();
        list.unwrap_or_default().into_iter().map(|v| Self(v.get())).collect()
    }

    /// A number as written; a text that is one, too.
    pub(super) fn number(self) -> Option<&'a str> {
        let text = self.0.trim_matches('"');
        text.parse::<f64>().is_ok().then_some(text)
    }

    /// Whether it is a text.
    pub(super) fn is_text(self) -> bool {
        self.0.starts_with('"')
    }

    /// Whether it is a list.
    pub(super) fn is_list(self) -> bool {
        self.0.starts_with('[')
    }

    /// Whether it is an object, or a list that begins with one (or with such a list).
    pub(super) fn holds_objects(self) -> bool {
        self.0.trim_start_matches(|c: char| c == '[' || c.is_whitespace()).starts_with('{')
    }

    /// A text, or what else it is as written.
    pub(super) fn word(self) -> String {
        serde_json::from_str(self.0).unwrap_or_else(|_| self.0.to_owned())
    }
}

impl<'a> Sink<'a> {
    /// Adds a figure of a document; `None` when there is none of that name.
    pub(super) fn member(
        &mut self,
        map: &BTreeMap<Cow<'a, str>, Json<'a>>,
        key: &str,
        figure: (&str, &str, &str),
    ) -> Option<()> {
        let number = map.get(key)?.number()?;
        let (metric, unit, statistic) = figure;
        let m = self.push_in_source(number, metric, unit)?;
        m.statistic = (!statistic.is_empty()).then(|| statistic.to_owned());
        Some(())
    }

    /// Sets conditions from members, under the names given.
    pub(super) fn conditions(&mut self, map: &BTreeMap<Cow<'a, str>, Json<'a>>, keys: &[(&str, &str)]) {
        for (key, name) in keys {
            let value = map.get(*key).map(|v| v.word()).filter(|v| !matches!(v.as_str(), "" | "null" | "None"));
            if let Some(value) = value {
                self.param(name, &value);
            }
        }
    }
}
