//! From paths to groups of inputs: walks folders, tells formats by content, ties files of one session together.

use std::path::PathBuf;

use super::{Format, Input};
use crate::diag::Diag;
use crate::error::Error;

/// Inputs that are parsed together: the files of one session, or of a family of forks.
#[derive(Debug)]
pub struct Group {
    /// Their format.
    pub format: &'static Format,
    /// In order of path.
    pub inputs: Vec<Input>,
}

/// What was found at the paths given.
#[derive(Debug, Default)]
pub struct Discovered {
    /// Groups, in order of their first input.
    pub groups: Vec<Group>,
    /// Files of folders that were passed over.
    pub warnings: Vec<Diag>,
    /// Inputs named outright that cannot be read or are no transcript.
    pub errors: Vec<Error>,
}

/// Finds transcripts at the paths given: files are taken as they are, folders are walked.
pub fn discover(_paths: &[PathBuf]) -> Discovered {
    Discovered::default()
}
