//! Black-box and whole-output tests.
#![allow(clippy::unwrap_used)]

mod audit;
mod bench;
mod bench_own;
mod bench_traps;
mod charts;
mod docs;
mod escaping;
mod explain;
mod faults;
mod formats;
mod inputs;
mod many;
mod narrator;
mod opencode;
mod outputs;
mod parity;
mod phases;
mod plan;
mod plan_mining;
mod plan_replay;
mod promises;
mod prose;
mod round_trip;

mod corpus;
#[cfg(feature = "polars")]
mod query;
mod redact;
mod report;
mod sessions;
mod tables;
mod told;
mod verify;
mod writers;
