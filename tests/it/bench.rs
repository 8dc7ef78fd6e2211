//! `turnpoint bench` and `turnpoint limits`, from outside.

use std::fs;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

const SESSION: &str = "fixtures/glm-session.json";

fn turnpoint(args: &[&str]) -> assert_cmd::assert::Assert {
    Command::new(env!("CARGO_BIN_EXE_turnpoint")).current_dir(env!("CARGO_MANIFEST_DIR")).args(args).assert()
}

fn rows(args: &[&str]) -> Vec<serde_json::Value> {
    let out = turnpoint(args).success().get_output().stdout.clone();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn efficiency_and_gap_are_called_by_their_names() {
    turnpoint(&["bench", SESSION]).success().stdout(contains("3.85 %").and(contains("96.15 %")));
    let rows = rows(&["bench", SESSION, "--series", "output_throughput", "--format", "json"]);
    let first = &rows[0];
    assert_eq!((first["value"].as_f64(), first["limit_value"].as_f64()), (Some(10.36), Some(309.0)));
    assert_eq!(first["quote"], "10.36");
    assert!((first["efficiency"].as_f64().unwrap() + first["gap"].as_f64().unwrap() - 1.0).abs() < 1e-12);
}

#[test]
fn limits_come_from_the_file_first() {
    let args = ["bench", SESSION, "--limits", "fixtures/limits.toml", "--series", "p2p_bandwidth", "--format", "json"];
    let rows = rows(&args);
    assert!(!rows.is_empty());
    for row in rows {
        let share = row["value"].as_f64().unwrap() / row["limit_value"].as_f64().unwrap();
        assert!((row["efficiency"].as_f64().unwrap() - share).abs() < 1e-9 && share < 1.0, "{row}");
    }
}

#[test]
fn a_limit_shows_how_it_was_derived() {
    let args = ["bench", SESSION, "--limits", "fixtures/limits.toml"];
    let shown = contains("batch=params.concurrency); bw = 1.792 TB/s (hardware.node.bw: catalogue")
        .and(contains("no figure states concurrency").not());
    turnpoint(&args).success().stdout(shown);
    let out = tempfile::tempdir().unwrap();
    let to = out.path().join("data");
    let args = ["extract", SESSION, "--limits", "fixtures/limits.toml", "--format", "csv", "-o", to.to_str().unwrap()];
    turnpoint(&args).success();
    let file = fs::read_dir(to.join("limits")).unwrap().next().unwrap().unwrap().path();
    let limits = fs::read_to_string(file).unwrap();
    assert!(limits.contains("copy-link") && limits.contains("calculator"), "{limits}");
}

#[test]
fn a_wrong_limits_file_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.toml");
    fs::write(
        &file,
        "schema = 1\n[[limit]]\nid = \"a\"\nmetric = \"ttft\"\nunit = \"GB/s\"\nvalue = 1\nsource = \"x\"\n",
    )
    .unwrap();
    let path = file.to_str().unwrap();
    turnpoint(&["bench", SESSION, "--limits", path]).code(2).stderr(contains("wrong.toml:5").and(contains("GB/s")));
    turnpoint(&["bench", SESSION, "--limits", "no-such.toml"]).code(2).stderr(contains("no-such.toml"));
}

#[test]
fn every_format_holds_the_same_series() {
    let count = rows(&["bench", SESSION, "--format", "json"]).len();
    let csv = turnpoint(&["bench", SESSION, "--format", "csv"]).success().get_output().stdout.clone();
    assert_eq!(csv::Reader::from_reader(csv.as_slice()).records().count(), count);
    let mut raw = csv::Reader::from_reader(csv.as_slice());
    let header = raw.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|h| h == name).unwrap();
    let (value, unit) = (at("best_value"), at("unit"));
    for row in raw.records().map(Result::unwrap) {
        assert!(row[value].parse::<f64>().is_ok() && row[unit].parse::<f64>().is_err(), "{row:?}");
    }
    let md = turnpoint(&["bench", SESSION, "--format", "md"]).success().get_output().stdout.clone();
    let md = String::from_utf8(md).unwrap();
    let first_table = md.lines().skip_while(|l| !l.starts_with('|')).take_while(|l| l.starts_with('|'));
    assert_eq!(first_table.count(), count + 2, "{md}");
}

#[test]
fn a_chart_is_static_and_the_same_twice() {
    let args = ["bench", SESSION, "--series", "output_throughput", "--format", "svg"];
    let svg = String::from_utf8(turnpoint(&args).success().get_output().stdout.clone()).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("role=\"img\"") && svg.contains("<title id="));
    assert!(!svg.contains("<script") && !svg.contains("style=") && !svg.contains("href"));
    assert_eq!(svg.as_bytes(), turnpoint(&args).get_output().stdout);
    turnpoint(&["bench", SESSION, "--series", "nothing", "--format", "svg"]).code(2);
}

#[test]
fn the_catalogue_names_its_sources() {
    turnpoint(&["limits"]).success().stdout(contains("pcie5_x16").and(contains("decode_bw")).and(contains("arXiv")));
    let out = turnpoint(&["limits", "--format", "json"]).success().get_output().stdout.clone();
    let all: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert!(all["hardware"].as_array().unwrap().iter().all(|r| r["source"] != ""));
}

/// A session whose program printed `n` cases with mean, least and greatest time.
fn many_cases(n: u32) -> tempfile::TempDir {
    let case = |i: u32| {
        format!(
            r#"{{"case": "fold", "size": {i}, "mean_time_us": {i}.5, "min_time_us": {i}.1, "max_time_us": {i}.9, "std_time_us": 0.2}}"#
        )
    };
    let out: Vec<String> = (1..=n).map(case).collect();
    let messages = serde_json::json!([
        {"role": "user", "content": "Time the folding; it should reach a throughput of at least 80 req/s."},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function",
            "function": {"name": "bash", "arguments": "{\"command\": \"./fold_bench\"}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": out.join("\n")},
    ]);
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("m.json"), messages.to_string()).unwrap();
    dir
}

#[test]
fn the_table_is_an_overview_and_says_what_it_leaves_out() {
    let dir = many_cases(50);
    let file = dir.path().join("m.json");
    let file = file.to_str().unwrap();
    let lines = |args: &[&str]| {
        let out = turnpoint(args).success().get_output().stdout.clone();
        let text = String::from_utf8(out).unwrap();
        (text.lines().filter(|l| l.contains("[msg 2]") && l.starts_with("time")).count(), text)
    };
    let (shown, text) = lines(&["bench", file]);
    assert_eq!(shown, 40, "{text}");
    assert!(
        text.contains("150 measured figures of 1 metric (and in no series: 50 standard deviations), no limit."),
        "{text}"
    );
    assert!(text.contains("Targets that the session states: request_throughput 80 req/s [msg 1]."), "{text}");
    assert!(text.contains("Not shown: 100 series of minima or maxima, 10 further series."), "{text}");
    assert_eq!(lines(&["bench", file, "--full"]).0, 150);
    assert_eq!(rows(&["bench", file, "--format", "json"]).len(), 150);
}
