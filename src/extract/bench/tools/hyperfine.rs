//! `hyperfine`: mean with deviation, range, times of user and system.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["Time (mean ± σ):", "Time (abs ≡):"];

static NAME: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*Benchmark (?:#?\d+): (.+?)\s*$"));
static MEAN: LazyLock<Regex> =
    LazyLock::new(|| re(r"Time \((?:mean ± σ|abs ≡)\):\s+([\d.]+) (ms|s|µs)(?: ±\s+([\d.]+) (?:ms|s|µs))?"));
static PARTS: LazyLock<Regex> = LazyLock::new(|| re(r"\[User: ([\d.]+) (ms|s|µs), System: ([\d.]+) (ms|s|µs)\]"));
static RANGE: LazyLock<Regex> =
    LazyLock::new(|| re(r"Range \(min … max\):\s+([\d.]+) (ms|s|µs) …\s+([\d.]+) (ms|s|µs)"));
static SPACES: LazyLock<Regex> = LazyLock::new(|| re(r"^\s"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let Some(name) = NAME.captures(&lines[0].text) else { return 0 };
    sink.block();
    sink.param("command", group(&name, 1));
    let mut taken = 1;
    while let Some(line) = lines.get(taken).filter(|l| SPACES.is_match(&l.text) || l.text.starts_with("Warning")) {
        if let Some(found) = MEAN.captures(&line.text) {
            let deviation = group(&found, 3).parse().ok();
            if let Some(m) = sink.push(line, group(&found, 1), "time", group(&found, 2)) {
                m.statistic = Some("mean".to_owned());
                m.pm = deviation;
            }
        }
        if let Some(found) = PARTS.captures(&line.text) {
            sink.stat(line, group(&found, 1), "user_time", group(&found, 2), "mean");
            sink.stat(line, group(&found, 3), "sys_time", group(&found, 4), "mean");
        }
        if let Some(found) = RANGE.captures(&line.text) {
            sink.stat(line, group(&found, 1), "time", group(&found, 2), "min");
            sink.stat(line, group(&found, 3), "time", group(&found, 4), "max");
        }
        taken += 1;
    }
    taken
}
