//! Errors of the library. Trouble inside a transcript is not among them: that is a [`crate::diag::Diag`].

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// What can stop a run.
#[derive(Debug, Error)]
pub enum Error {
    /// An input could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The input.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// An input is no transcript of a known format.
    #[error("{path}: {seen}")]
    Unrecognised {
        /// The input.
        path: String,
        /// What was seen, and the nearest format.
        seen: String,
    },
    /// Output could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The output.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A template is wrong.
    #[error("template: {0}")]
    Template(String),
    /// A picture cannot be drawn.
    #[error("picture: {0}")]
    Picture(String),
    /// A query is refused or fails.
    #[error("{0}")]
    Query(String),
    /// A configuration file is wrong.
    #[error("{path}:{line}: {reason}")]
    Config {
        /// The file.
        path: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong and what to write instead.
        reason: String,
    },
}
