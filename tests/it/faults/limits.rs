//! What must never be true of single rows, read from the tables.

use std::path::Path;

use serde_json::Value;

use super::check::table;
use super::run::Case;

/// Checks what the tables of a row say.
pub(super) fn facts(case: &Case<'_>, folder: &Path, wrong: &mut Vec<String>) {
    let rows = |name: &str| table(folder, name);
    let count = |name: &str| rows(name).len();
    let sum = |name: &str, key: &str| rows(name).iter().filter_map(|r| r[key].as_u64()).sum::<u64>();
    let mut must = |holds: bool, what: &str| {
        if !holds {
            wrong.push(what.to_owned());
        }
    };
    match case.row.case.split('-').next().unwrap_or_default() {
        "f16" => {
            must(count("messages") == 3, "3 messages");
            must(sum("sources", "copies") == 2, "2 copies");
        }
        "f18" => {
            must(sum("messages", "output_tokens") == 250, "250 output tokens");
            must(sum("messages", "input_tokens") == 40, "40 input tokens");
        }
        "f21" => {
            let absurd = |v: &Value| v.as_f64().is_some_and(|f| !f.is_finite() || f < -1.0);
            must(!rows("messages").iter().any(|r| absurd(&r["output_tokens"])), "no absurd count of tokens");
        }
        "f27" => must(count("messages") == 30_000, "30000 messages"),
        "f28" => {
            let negative = |r: &Value| r["duration_ms"].as_i64().is_some_and(|d| d < 0);
            must(!rows("sessions").iter().chain(&rows("messages")).any(negative), "no negative duration");
        }
        "f29" => {
            let times: Vec<Value> = rows("messages").into_iter().map(|r| r["at"].clone()).collect();
            must(times.len() == 10, "10 messages");
            must(times[7..].iter().all(Value::is_null), "times that cannot be read are unknown");
            must(!times.iter().any(|t| t.as_str().is_some_and(|t| t.starts_with("1970"))), "no time of 1970");
        }
        "f30" => must(count("messages") == 3, "3 messages"),
        "f33" => {
            let done = |r: &&Value| r["to_state"] == "done";
            must(rows("transitions").iter().filter(done).count() <= 2, "an unknown status is not done");
        }
        "f36" => {
            let open = rows("tool_calls").into_iter().find(|r| r["native_id"] == "toolu_open");
            must(open.is_some_and(|r| r["status"] == "missing"), "a call without a result is missing one");
        }
        "f37" => {
            let zero = |r: &&Value| r["exit_code"] == 0;
            must(count("tool_calls") == 12, "12 calls");
            must(rows("tool_calls").iter().filter(zero).count() == 0, "no exit code of 0 is made up");
        }
        "f39" => {
            let user = |r: &&Value| r["kind"] == "prompt" && r["thread"] == 0;
            must(rows("messages").iter().filter(user).count() <= 1, "what subagents are told is no prompt of the user");
        }
        "f48" => must(count("messages") == 1, "the good file counts once"),
        _ => {}
    }
}
