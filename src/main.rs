//! The `turnpoint` program.

fn main() -> std::process::ExitCode {
    turnpoint::cli::run()
}
