//! Speed of the pipeline.

fn main() {}
