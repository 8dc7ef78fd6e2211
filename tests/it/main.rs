//! Black-box and whole-output tests.
#![allow(clippy::unwrap_used)]

mod audit;
mod bench;
mod bench_traps;
mod docs;
mod faults;
mod formats;
mod inputs;
mod opencode;
mod plan;

mod corpus;
#[cfg(feature = "polars")]
mod query;
mod report;
mod sessions;
mod tables;
