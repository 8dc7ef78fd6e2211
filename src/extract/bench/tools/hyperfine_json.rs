//! `hyperfine --export-json`.

use super::json::Json;
use super::lines::{Line, Sink};

pub(super) const ANCHORS: &[&str] = &["\"exit_codes\"", "\"times\""];

const FIGURES: &[(&str, &str, &str)] = &[
    ("mean", "time", "mean"),
    ("median", "time", "p50"),
    ("stddev", "time", "stdev"),
    ("min", "time", "min"),
    ("max", "time", "max"),
    ("user", "user_time", "mean"),
    ("system", "sys_time", "mean"),
];

pub(super) fn read(lines: &[Line<'_>], sink: &mut Sink<'_>) -> usize {
    let Some((document, taken)) = Json::begins(lines, sink) else { return 0 };
    let Some(results) = document.at("results") else { return 0 };
    let runs: Vec<_> = results.items().into_iter().map(Json::members).collect();
    if !runs.iter().any(|r| r.contains_key("command") && r.contains_key("mean")) {
        return 0;
    }
    for run in runs {
        sink.block();
        sink.conditions(&run, &[("command", "command")]);
        let parameters = run.get("parameters").map(|p| p.members()).unwrap_or_default();
        for (name, value) in parameters {
            sink.param(&name, &value.word());
        }
        let codes = run.get("exit_codes").map(|c| c.items()).unwrap_or_default();
        sink.failed = codes.iter().any(|c| c.number().is_some_and(|n| n != "0"));
        for (key, metric, statistic) in FIGURES {
            sink.member(&run, key, (metric, "s", statistic));
        }
    }
    taken
}
