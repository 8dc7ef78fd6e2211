//! The end of a run: the one place where errors are printed and the exit code is decided on.

use std::io::{self, Write};
use std::process::ExitCode;

use super::exit::{Exit, UsageError};
use super::input::{Quiet, Run};
use crate::error::Error;

/// Prints what is left to say and decides on the exit code.
pub(super) fn of(result: anyhow::Result<Exit>, run: &Run) -> ExitCode {
    // After a signal its own code counts, not the trouble that comes from cleaning up.
    crate::temp::whole(|| ());
    let exit = match result {
        Ok(exit) => exit.max(run.exit()),
        Err(error) if is_broken_pipe(&error) => Exit::Done,
        Err(error) if error.is::<Quiet>() => run.exit(),
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
