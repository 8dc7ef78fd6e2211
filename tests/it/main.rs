//! Black-box and whole-output tests.
#![allow(clippy::unwrap_used)]

mod formats;
mod opencode;

mod tables;
