//! The user's `limits.toml`.

/// Limits given by the user.
#[derive(Debug, Clone, Default)]
pub struct LimitsFile {}
