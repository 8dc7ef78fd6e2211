//! Google Benchmark: real time, CPU time and counters.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["CPU   Iterations", "CPU Iterations"];

static ROW: LazyLock<Regex> =
    LazyLock::new(|| re(r"^(\S+)\s+([\d.]+) (ns|us|ms|s)\s+([\d.]+) (ns|us|ms|s)\s+(\d+)\b(.*)$"));
static COUNTER: LazyLock<Regex> = LazyLock::new(|| re(r"(bytes|items)_per_second=([\d.]+)([kKMGT]i?)?(?:/s)?"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let head = lines[0].text.as_ref();
    if !head.starts_with("Benchmark") || !head.contains("Time") || !head.contains("Iterations") {
        return 0;
    }
    let mut taken = 1;
    while let Some(line) = lines.get(taken) {
        let rule = line.text.starts_with("---");
        let Some(found) = ROW.captures(&line.text) else {
            if rule {
                taken += 1;
                continue;
            }
            break;
        };
        taken += 1;
        let name = group(&found, 1);
        let suffix = ["_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"].iter().find(|s| name.ends_with(**s));
        let statistic = match suffix {
            Some(&"_mean") => "mean",
            Some(&"_median") => "p50",
            Some(&"_stddev") => "stdev",
            Some(_) => continue,
            None => "",
        };
        sink.block();
        sink.param("name", name.trim_end_matches(suffix.copied().unwrap_or("\0")));
        sink.stat(line, group(&found, 2), "time", group(&found, 3), statistic);
        sink.stat(line, group(&found, 4), "cpu_time", group(&found, 5), statistic);
        for counter in COUNTER.captures_iter(group(&found, 7)) {
            let prefix = group(&counter, 3);
            let (metric, unit) = match group(&counter, 1) {
                "bytes" if prefix.ends_with('i') || prefix.is_empty() => ("throughput", format!("{prefix}B/s")),
                "bytes" => ("throughput", format!("{}iB/s", prefix.to_uppercase())),
                _ => ("item_rate", format!("{prefix}items/s")),
            };
            sink.stat(line, group(&counter, 2), metric, &unit, statistic);
        }
    }
    taken
}
