//! `time` of the shell: `real 1m2.500s` (bash), `real 2.31` (POSIX), `0.05s user 0.02s system 96% cpu 1.234 total` (zsh).

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["real\t", "real ", "% cpu "];

static ROW: LazyLock<Regex> = LazyLock::new(|| re(r"^(real|user|sys)\s+(?:(\d+)m)?(\d+(?:[.,]\d+)?)(s?)\s*$"));
static ZSH: LazyLock<Regex> =
    LazyLock::new(|| re(r"\s(\d+\.\d+)s user (\d+\.\d+)s system \d+% cpu (?:(\d+):)?(\d+\.\d+) total\s*$"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    if let Some(found) = ZSH.captures(&lines[0].text) {
        sink.block();
        sink.stat(&lines[0], group(&found, 1), "user_time", "s", "");
        sink.stat(&lines[0], group(&found, 2), "sys_time", "s", "");
        minutes(&lines[0], sink, "time", group(&found, 3), group(&found, 4));
        return 1;
    }
    let rows: Vec<_> = lines.iter().take(3).map_while(|l| ROW.captures(&l.text)).collect();
    // The three lines come together; one alone is a word and a number of somebody's own.
    let names: Vec<&str> = rows.iter().map(|r| group(r, 1)).collect();
    if names != ["real", "user", "sys"] {
        return 0;
    }
    sink.block();
    for (line, row) in lines.iter().zip(&rows) {
        let metric = match group(row, 1) {
            "user" => "user_time",
            "sys" => "sys_time",
            _ => "time",
        };
        minutes(line, sink, metric, group(row, 2), group(row, 3));
    }
    3
}

/// Adds a time of minutes and seconds, in seconds.
fn minutes(line: &Line<'_>, sink: &mut Sink<'_>, metric: &str, minutes: &str, seconds: &str) {
    let whole: f64 = minutes.parse().unwrap_or(0.0);
    let Ok(rest) = seconds.replace(',', ".").parse::<f64>() else { return };
    if let Some(m) = sink.push(line, seconds, metric, "s") {
        m.value = Some(whole * 60.0 + rest);
        if !minutes.is_empty() && (m.span.end - m.span.start) as usize == seconds.len() {
            m.span.start -= minutes.len() as u32 + 1; // the bytes of the minutes and their mark too
        }
    }
}
