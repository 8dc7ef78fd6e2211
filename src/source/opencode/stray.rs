//! Parts whose message is not in the session that they name.

use std::collections::HashMap;

use super::Loaded;

/// The session of each message.
pub(in crate::source) struct Homes(HashMap<String, String>);

impl Homes {
    /// Of the sessions read so far.
    pub(in crate::source) fn of<'a>(sessions: impl IntoIterator<Item = &'a Loaded>) -> Self {
        let ids = |s: &'a Loaded| s.entries.iter().filter_map(|e| Some((e.message.native_id.clone()?, s.id.clone())));
        Self(sessions.into_iter().flat_map(ids).collect())
    }

    /// What is said of parts of a message that is not in their session.
    pub(in crate::source) fn told(&self, message: &str, session: &str) -> String {
        match self.0.get(message) {
            Some(other) if !session.is_empty() => format!(
                "parts of session {session} whose message stands in session {other} only; kept at the end of their own"
            ),
            _ => "parts without their message; kept at the end".to_owned(),
        }
    }
}
