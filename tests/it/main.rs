//! Black-box and whole-output tests.
#![allow(clippy::unwrap_used)]

mod audit;
mod bench;
mod docs;
mod formats;
mod inputs;
mod opencode;
mod plan;

mod corpus;
#[cfg(feature = "polars")]
mod query;
mod report;
mod tables;
