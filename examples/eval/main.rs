//! Scores the extractors against labelled data: `cargo run --release --example eval -- findings`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints figures")]

mod audit;
mod bench;
mod bench_precision;
mod claims;
mod directives;
mod findings;
mod gold;
mod phases;
mod plan;
mod plan_evidence;
mod plan_prose;
mod read;
mod sheet;
mod verify;

use std::process::ExitCode;

type Eval = fn() -> Result<(), gold::Error>;

/// What can be scored.
const EVALS: &[(&str, Eval)] = &[
    ("bench", bench::run),
    ("bench-precision", bench_precision::run),
    ("claims", claims::run),
    ("audit", audit::run),
    ("directives", directives::run),
    ("findings", findings::run),
    ("phases", phases::run),
    ("plan", plan::run),
    ("plan-evidence", plan_evidence::run),
    ("plan-prose", plan_prose::run),
    ("read", read::run),
    ("verify", verify::run),
];

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some((_, run)) = EVALS.iter().find(|(n, _)| *n == name) else {
        let names: Vec<&str> = EVALS.iter().map(|(n, _)| *n).collect();
        eprintln!("usage: eval {}", names.join("|"));
        return ExitCode::from(2);
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
