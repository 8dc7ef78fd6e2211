//! Black-box and whole-output tests.
#![allow(clippy::unwrap_used)]

mod formats;
mod opencode;

#[cfg(feature = "polars")]
mod query;
mod report;
mod tables;
