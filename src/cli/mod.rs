//! Stage 7: from arguments to calls of the other stages. One file per command.
use std::process::ExitCode;

/// Runs the program.
pub fn run() -> ExitCode {
    ExitCode::SUCCESS
}
