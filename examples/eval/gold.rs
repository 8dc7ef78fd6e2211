//! Labelled rows and scores.

use std::path::PathBuf;

use serde_json::Value;

/// Anything that goes wrong.
pub(crate) type Error = Box<dyn std::error::Error>;

/// The folder of the shared data.
pub(crate) fn shared() -> PathBuf {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared");
    std::env::var_os("TURNPOINT_SHARED").map_or_else(|| beside.into(), PathBuf::from)
}

/// The rows of a file of labels.
pub(crate) fn rows(name: &str) -> Result<Vec<Value>, Error> {
    let path = shared().join("labelled").join(name);
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// A string field, empty when it is missing.
pub(crate) fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap_or("")
}

/// Counts of what was found, what should have been, and what of it is right.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Score {
    /// Right.
    pub(crate) hit: usize,
    /// Said by the program.
    pub(crate) said: usize,
    /// In the labels.
    pub(crate) gold: usize,
}

impl Score {
    /// One line: precision, recall, F1.
    pub(crate) fn print(self, name: &str) {
        let part = |a: usize, b: usize| if b == 0 { f64::NAN } else { a as f64 / b as f64 };
        let (p, r) = (part(self.hit, self.said), part(self.hit, self.gold));
        println!(
            "{name:28} P {p:.3} ({}/{})  R {r:.3} ({}/{})  F1 {:.3}",
            self.hit,
            self.said,
            self.hit,
            self.gold,
            2.0 * p * r / (p + r)
        );
    }
}
