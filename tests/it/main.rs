//! Black-box and whole-output tests.
#![allow(clippy::unwrap_used)]

mod opencode;

mod tables;
