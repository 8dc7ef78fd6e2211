//! `fio`: IOPS, bandwidth and latencies of each job.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["IOPS=", "iops="];

static JOB: LazyLock<Regex> =
    LazyLock::new(|| re(r"^\S+: \(g=\d+\): rw=(\w+), bs=(?:\(R\) )?(\d+)(B|KiB|MiB|K|M)?.*?iodepth=(\d+)"));
static RATE: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^\s*(read|write|trim)\s*: IOPS=([\d.]+)([kM]?), BW=([\d.]+)([KMG]i)B?(?:/s)? \(([\d.]+)([kKMG]B?)(?:/s)?\)")
});
/// fio 2.x; its K is 1024.
static OLD_RATE: LazyLock<Regex> =
    LazyLock::new(|| re(r"^\s*(read|write|trim) ?: io=[\d.]+[KMGT]?B, bw=([\d.]+)([KMG]?)B/s, iops=(\d+)([kM]?)"));
static LATENCY: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\s+([sc]?lat) \((nsec|usec|msec)\): min=\s*([\d.]+)([kM]?), max=\s*([\d.]+)([kM]?), avg=\s*([\d.]+), stdev=\s*([\d.]+)",
    )
});
static UNIT: LazyLock<Regex> = LazyLock::new(|| re(r"^\s+clat percentiles \((nsec|usec|msec)\)"));
static PERCENTILE: LazyLock<Regex> = LazyLock::new(|| re(r"([\d.]+)th=\[\s*(\d+)\]"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let text = lines[0].text.as_ref();
    if let Some(found) = JOB.captures(text) {
        sink.block();
        let factor = match group(&found, 3) {
            "KiB" | "K" => 1024,
            "MiB" | "M" => 1024 * 1024,
            _ => 1,
        };
        let size = group(&found, 2).parse::<u64>().unwrap_or_default() * factor;
        sink.param("rw", group(&found, 1));
        sink.param("bs", &size.to_string());
        sink.param("iodepth", group(&found, 4));
        return 1;
    }
    let thousand = |v: f64, prefix: &str| match prefix {
        "k" => v * 1e3,
        "M" => v * 1e6,
        _ => v,
    };
    let (iops, suffix, rate, unit) = match (RATE.captures(text), OLD_RATE.captures(text)) {
        (Some(c), _) => (group(&c, 2), group(&c, 3), group(&c, 4), format!("{}B/s", group(&c, 5))),
        (_, Some(c)) => {
            let unit = if group(&c, 3).is_empty() { "B/s".to_owned() } else { format!("{}iB/s", group(&c, 3)) };
            (group(&c, 4), group(&c, 5), group(&c, 2), unit)
        }
        _ => return 0,
    };
    if let Some(m) = sink.push(&lines[0], iops, "iops", "IOPS") {
        m.value = m.value.map(|v| thousand(v, suffix));
    }
    sink.stat(&lines[0], rate, "disk_throughput", &unit, "");
    let inside = |l: &Line<'_>| l.text.starts_with("  ") && !RATE.is_match(&l.text) && !OLD_RATE.is_match(&l.text);
    let end = 1 + lines[1..].iter().take_while(|l| inside(l)).count();
    let mut unit = "µs";
    for line in &lines[1..end] {
        if let Some(found) = LATENCY.captures(&line.text) {
            for (index, statistic) in [(3, "min"), (5, "max"), (7, "mean"), (8, "stdev")] {
                if let Some(m) = sink.push(line, group(&found, index), group(&found, 1), group(&found, 2)) {
                    m.statistic = Some(statistic.to_owned());
                    m.value = m.value.map(|v| thousand(v, if index < 7 { group(&found, index + 1) } else { "" }));
                }
            }
        } else if let Some(found) = UNIT.captures(&line.text) {
            unit = match group(&found, 1) {
                "nsec" => "ns",
                "msec" => "ms",
                _ => "µs",
            };
        } else if line.text.trim_start().starts_with('|') {
            for found in PERCENTILE.captures_iter(&line.text) {
                let p = group(&found, 1).trim_end_matches('0').trim_end_matches('.');
                sink.stat(line, group(&found, 2), "clat", unit, &format!("p{p}"));
            }
        }
    }
    end
}
