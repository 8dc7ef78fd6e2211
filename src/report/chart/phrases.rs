//! What a chart says: named lines of `templates/charts/<kind>.txt`, filled with plain values.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::error::Error;
use crate::report::engine::Engine;

/// Phrases by name. A template holds one `name: phrase` a line; a name that it leaves out is an empty phrase.
#[derive(Debug, Default)]
pub(super) struct Phrases(BTreeMap<String, String>);

impl Phrases {
    /// Fills the template of a chart.
    pub(super) fn of(engine: &Engine, kind: &str, view: impl Serialize) -> Result<Self, Error> {
        let mut view = serde_json::to_value(view).map_err(|e| Error::Template(e.to_string()))?;
        one_line(&mut view);
        let text = engine.render(&format!("charts/{kind}.txt"), &view)?;
        let lines = text.lines().filter_map(|l| l.split_once(": "));
        Ok(Self(lines.map(|(name, phrase)| (name.trim().to_owned(), phrase.trim().to_owned())).collect()))
    }

    /// The phrase of a name.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// The phrase of one of several things, counted from 0: `limit 0`, `limit 1` …
    pub(super) fn nth(&self, name: &str, i: usize) -> &str {
        self.get(&format!("{name} {i}"))
    }

    /// The cells of a phrase, divided by ` | `: the header of a table.
    pub(super) fn cells(&self, name: &str) -> Vec<String> {
        self.get(name).split(" | ").map(str::to_owned).collect()
    }
}

/// Text of a transcript must not begin a line of its own.
fn one_line(value: &mut Value) {
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match value {
            Value::String(s) if s.contains(char::is_control) => *s = s.replace(char::is_control, " "),
            Value::Array(list) => todo.extend(list),
            Value::Object(map) => todo.extend(map.values_mut()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_transcript_stays_on_its_line() {
        let mut view = serde_json::json!({"a": [{"b": "x\ntitle: y"}]});
        one_line(&mut view);
        assert_eq!(view, serde_json::json!({"a": [{"b": "x title: y"}]}));
    }
}
