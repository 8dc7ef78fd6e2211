//! Lists of options or next steps.

use serde::Serialize;

use crate::extract::tables::Table;
use crate::session::{MsgIx, Session, Span};

/// A list of options or next steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OptionList {
    /// Message.
    pub msg: MsgIx,
    /// Heading or sentence that introduces it.
    pub title: String,
    /// The options, in order.
    pub options: Vec<Opt>,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Opt {
    /// Bytes of the text.
    pub span: Span,
    /// Text, an exact substring of the source.
    pub text: String,
}

/// Reads every list of options.
pub fn extract(_session: &Session, _tables: &[Table]) -> Vec<OptionList> {
    Vec::new()
}
