//! `perf stat`: instructions per cycle, misses and elapsed time.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["Performance counter stats for"];

/// A block longer than this has lost its end.
const LONGEST: usize = 60;

static IPC: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*[\d,.]+\s+instructions\S*\s+#\s+([\d.]+)\s+insn per cycle"));
static MISSES: LazyLock<Regex> =
    LazyLock::new(|| re(r"^\s*(\d[\d,]*)\s+(cache|branch|LLC-load|L1-dcache-load|dTLB-load)-misses(?::\w+)?(?:\s|$)"));
static ELAPSED: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*([\d.]+) (?:\+- ([\d.]+) )?seconds time elapsed"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    if !lines[0].text.trim_start().starts_with(ANCHORS[0]) {
        return 0;
    }
    sink.block();
    let mut taken = 1;
    for (i, line) in lines.iter().enumerate().take(LONGEST).skip(1) {
        if let Some(found) = IPC.captures(&line.text) {
            sink.stat(line, group(&found, 1), "ipc", "", "");
        } else if let Some(found) = MISSES.captures(&line.text) {
            let metric = format!("{}_misses", group(&found, 2).to_lowercase().replace('-', "_"));
            sink.stat(line, group(&found, 1), &metric, "", "");
        } else if let Some(found) = ELAPSED.captures(&line.text) {
            if let Some(m) = sink.push(line, group(&found, 1), "time", "s") {
                m.pm = group(&found, 2).parse().ok();
            }
            return i + 1;
        } else {
            continue;
        }
        taken = i + 1;
    }
    taken
}
