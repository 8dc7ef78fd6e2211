//! Black-box and whole-output tests.
