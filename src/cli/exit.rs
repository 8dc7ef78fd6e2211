//! Exit codes.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// How a command ended. The codes are part of the command line's contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Done; warnings are allowed.
    Done = 0,
    /// A check that was asked for found something.
    Found = 1,
    /// Wrong usage, configuration, message number or SQL.
    Usage = 2,
    /// An INPUT named outright could not be read.
    Unread = 3,
    /// Output could not be written.
    Unwritten = 4,
}

/// Wrong usage found after the arguments were parsed, such as a message that does not exist.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// An error that ends the command with exit code 2.
pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
    UsageError(message.into()).into()
}

/// The exit code of what clap has to say: help and version are no errors.
pub(super) fn of_clap(error: &clap::Error) -> ExitCode {
    let exit = match error.print() {
        _ if error.use_stderr() => Exit::Usage,
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Exit::Unwritten,
        // What does not fill the buffer is written only now.
        _ => io::stdout().flush().map_or_else(
            |e| if e.kind() == io::ErrorKind::BrokenPipe { Exit::Done } else { Exit::Unwritten },
            |()| Exit::Done,
        ),
    };
    ExitCode::from(exit as u8)
}
