//! Exit codes, and the one place where errors are printed.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use super::input::Run;
use crate::error::Error;

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

/// Prints what is left to say and decides on the exit code.
pub(super) fn of(result: anyhow::Result<Exit>, run: &Run) -> ExitCode {
    // After a signal its own code counts, not the trouble that comes from cleaning up.
    crate::temp::whole(|| ());
    let exit = match result {
        Ok(exit) => exit.max(run.exit()),
        Err(error) if is_broken_pipe(&error) => Exit::Done,
        Err(error) if error.is::<super::input::Quiet>() => run.exit(),
        Err(error) => {
            let mut text = String::from("turnpoint: ");
            let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
            for (i, cause) in causes.iter().enumerate() {
                // A cause that its parent already spells out is not said twice.
                if i == 0 || !causes[i - 1].contains(cause.as_str()) {
                    text.push_str(if i == 0 { "" } else { ": " });
                    text.push_str(cause);
                }
            }
            let _ = writeln!(io::stderr(), "{}", crate::session::visible(&run.clean(&text)));
            code(&error)
        }
    };
    run.say_redacted();
    ExitCode::from(exit as u8)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| match cause.downcast_ref::<Error>() {
        Some(Error::Write { source, .. }) => source.kind() == io::ErrorKind::BrokenPipe,
        _ => cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe),
    })
}

fn code(error: &anyhow::Error) -> Exit {
    for cause in error.chain() {
        if cause.is::<UsageError>() {
            return Exit::Usage;
        }
        match cause.downcast_ref::<Error>() {
            Some(Error::Read { .. } | Error::Unrecognised { .. }) => return Exit::Unread,
            Some(Error::Write { .. }) => return Exit::Unwritten,
            Some(_) => return Exit::Usage,
            None => {}
        }
    }
    if error.chain().any(|c| c.is::<io::Error>()) { Exit::Unwritten } else { Exit::Usage }
}
