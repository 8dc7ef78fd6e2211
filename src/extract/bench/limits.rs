//! The user's `limits.toml`.

use crate::error::Error;

/// Limits given by the user.
#[derive(Debug, Clone, Default)]
pub struct LimitsFile {}

impl LimitsFile {
    /// Reads the text of a limits file; `name` is its path as shown in errors.
    pub fn parse(_name: &str, _text: &str) -> Result<Self, Error> {
        Ok(Self {})
    }
}
