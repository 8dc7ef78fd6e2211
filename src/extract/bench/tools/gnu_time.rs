//! GNU `time -v`: the largest resident set, and the elapsed time where it is below a minute.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["Elapsed (wall clock) time", "Maximum resident set size (kbytes):"];

/// Only minutes of zero: a longer time is no single number in the text.
static ELAPSED: LazyLock<Regex> =
    LazyLock::new(|| re(r"^\s*Elapsed \(wall clock\) time \(h:mm:ss or m:ss\): 0:(\d\d\.\d\d)\s*$"));
static MEMORY: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*Maximum resident set size \(kbytes\): (\d+)\s*$"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let line = &lines[0];
    if let Some(found) = ELAPSED.captures(&line.text) {
        sink.stat(line, group(&found, 1), "time", "s", "");
    } else if let Some(found) = MEMORY.captures(&line.text) {
        sink.stat(line, group(&found, 1), "memory", "KiB", "max");
    } else {
        return 0;
    }
    1
}
