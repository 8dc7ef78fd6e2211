//! Directives: what the user asked for, one by one.

use serde::Serialize;

use crate::session::{MsgIx, Session, Span};

/// One thing the user asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Directive {
    /// Message of the user.
    pub msg: MsgIx,
    /// Order in the message, from 1.
    pub position: u32,
    /// Bytes of the whole directive.
    pub span: Span,
    /// The directive, an exact substring of the source.
    pub text: String,
    /// Verb it starts with, lower case.
    pub verb: String,
    /// What the verb acts on, as written.
    pub object: Option<String>,
    /// Constraint, as written ("runtime only for now").
    pub constraint: Option<String>,
    /// `do`, `dont` or `constraint`.
    pub polarity: Polarity,
}

/// Whether something is asked for, forbidden, or a condition on the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Polarity {
    /// Asked for.
    Do,
    /// Forbidden.
    Dont,
    /// A condition on the result.
    Constraint,
}

/// Reads the directives of every user prompt.
pub fn extract(_session: &Session) -> Vec<Directive> {
    Vec::new()
}
