//! `criterion`: the three values are a confidence interval, not minimum and maximum.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::super::units::Unit;
use super::lines::{Line, Sink, group, re};

pub(super) const ANCHORS: &[&str] = &["time:   ["];

static TIME: LazyLock<Regex> =
    LazyLock::new(|| re(r"^(.*?)\s*(time|thrpt):\s+\[([\d.]+) (\S+) ([\d.]+) (\S+) ([\d.]+) (\S+)\]"));
static CHANGE: LazyLock<Regex> = LazyLock::new(|| re(r"^\s*(?:change:|time:\s+\[[-+−]|thrpt:\s+\[[-+−])"));
static NAME: LazyLock<Regex> = LazyLock::new(|| re(r"^\S.*[^:.]$"));

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let time = |l: &Line<'_>| TIME.captures(&l.text).is_some_and(|c| group(&c, 2) == "time");
    // A long name stands alone on the line above.
    let alone = NAME.is_match(&lines[0].text) && lines.get(1).is_some_and(|l| l.text.starts_with(' ') && time(l));
    if !alone && (!time(&lines[0]) || lines[0].text.starts_with(' ')) {
        return 0;
    }
    sink.block();
    let first = usize::from(alone);
    let name = match TIME.captures(&lines[first].text) {
        Some(found) if !alone => group(&found, 1).trim().to_owned(),
        _ => lines[0].text.trim().to_owned(),
    };
    sink.param("id", &name);
    let mut taken = first;
    while let Some(line) = lines.get(taken) {
        if let Some(found) = TIME.captures(&line.text).filter(|_| taken == first || line.text.starts_with(' ')) {
            interval(line, &found, sink);
        } else if !CHANGE.is_match(&line.text) {
            break;
        }
        taken += 1;
    }
    taken
}

fn interval(line: &Line<'_>, found: &Captures<'_>, sink: &mut Sink<'_>) {
    let metric = if group(found, 2) == "time" { "time" } else { "throughput" };
    let unit = group(found, 6).replace("elem/s", "items/s");
    let convert = |value: usize, from: usize| {
        let number = group(found, value).parse::<f64>().ok()?;
        match (Unit::parse(&group(found, from).replace("elem/s", "items/s")), Unit::parse(&unit)) {
            (Some(from), Some(to)) => from.convert(number, &to),
            _ => Some(number),
        }
    };
    let (lo, hi) = (convert(3, 4), convert(7, 8));
    if let Some(m) = sink.push(line, group(found, 5), metric, &unit) {
        m.statistic = Some("estimate".to_owned());
        (m.lo, m.hi) = (lo, hi);
    }
}
