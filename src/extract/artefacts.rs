//! Artefacts: files that the session wrote, read back or deleted.

use serde::Serialize;

use crate::session::{CallRef, Session};

/// A file that the session wrote, and where it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Artefact {
    /// Path, as written by the tool.
    pub path: String,
    /// Calls that wrote or edited it, in order.
    pub written: Vec<CallRef>,
    /// Calls that read it, in order.
    pub read: Vec<CallRef>,
}

/// Collects the files that file tools wrote.
pub fn extract(_session: &Session) -> Vec<Artefact> {
    Vec::new()
}
