//! Scores the extractors against labelled data.

fn main() {}
