//! Figures that a session's own programs print: JSON with statistics, lines under headings, files shown again.

use serde_json::json;
use turnpoint::analysis::analyse;
use turnpoint::extract::Config;
use turnpoint::extract::bench::{Measurement, MeasurementRole};
use turnpoint::session::build::SessionBuilder;

fn found(session: SessionBuilder) -> Vec<Measurement> {
    analyse(session.build(), &Config::default(), false).facts.bench.measurements
}

fn printed(command: &str, output: &str) -> Vec<String> {
    found(SessionBuilder::new().user("go on").shell(command, 0, output)).iter().map(told).collect()
}

/// Metric, statistic, value, unit, role and conditions.
fn told(m: &Measurement) -> String {
    let params: Vec<String> = m.params.iter().map(|(k, v)| format!("{k} {v}")).collect();
    let role = serde_json::to_value(m.role).unwrap();
    let words = [m.metric.as_str(), m.statistic.as_deref().unwrap_or("-"), &m.value.unwrap_or(f64::NAN).to_string()];
    format!(
        "{} {} {} | {}",
        words.join(" "),
        m.unit.as_deref().unwrap_or("?"),
        role.as_str().unwrap(),
        params.join(", ")
    )
}

const RECORDS: &str = "[\n// folding, both ways\n{\n  \"method\": \"fold_fast\",\n  \"grid_size\": 40,\n  \"results\": {\n    \"iterations\": 30,\n    \
    \"mean_time_us\": 6.21,\n    \"std_time_us\": 0.15,\n    \"peak_memory_mb\": 9.5\n  },\n  \"system_info\": {\"cores\": 12, \"memory_gb\": 31}\n}\n,\n\
    {\n  \"method\": \"fold_plain\",\n  \"grid_size\": 40,\n  \"estimated\": true,\n  \"results\": {\"mean_time_us\": 71.4}\n}\n]\n";

#[test]
fn statistics_in_json_are_read_with_the_names_around_them() {
    assert_eq!(
        printed("./fold_bench", RECORDS),
        [
            "time mean 6.21 µs measured | grid_size 40, group folding, both ways, method fold_fast",
            "time stdev 0.15 µs measured | grid_size 40, group folding, both ways, method fold_fast",
            "memory_used max 9.5 MB measured | grid_size 40, group folding, both ways, method fold_fast",
            "time mean 71.4 µs estimated | grid_size 40, group folding, both ways, method fold_plain",
        ]
    );
    let nested = r#"{"cache_on": {"latency_ms": {"p50": 3.5, "p99": 12.25}, "throughput_rps": 840.5}, "cache_off": {"latency_ms": {"p50": 9.0}}}"#;
    assert_eq!(
        printed("python load.py", nested),
        [
            "latency p50 3.5 ms measured | config cache_on",
            "latency p99 12.25 ms measured | config cache_on",
            "request_throughput - 840.5 req/s measured | config cache_on",
            "latency p50 9 ms measured | config cache_off",
        ]
    );
}

#[test]
fn comments_above_records_are_their_conditions() {
    let text = "[\n// Date: May 3\n// Rows: 10\n{\"method\": \"none\"}\n,\n// Fold against plain\n// Rows: 10, Cols: 4\n{\n  \"method\": \"fold\",\n  \"mean_time_us\": 2.5\n},\n{\n  \"method\": \"plain\",\n  \"mean_time_us\": 3.5\n}\n,\n\
        // Fold against plain\n// Rows: 900, Cols: 4\n{\n  \"method\": \"fold\",\n  \"mean_time_us\": 26.0\n}\n]\n";
    assert_eq!(
        printed("./fold_bench", text),
        [
            "time mean 2.5 µs measured | cols 4, group Fold against plain, method fold, rows 10",
            "time mean 3.5 µs measured | cols 4, group Fold against plain, method plain, rows 10",
            "time mean 26 µs measured | cols 4, group Fold against plain, method fold, rows 900",
        ]
    );
}

#[test]
fn json_without_a_statistic_or_a_rate_is_no_benchmark() {
    for text in [
        r#"{"level": "info", "path": "/pay", "duration_ms": 31}"#,
        r#"{"name": "job", "timeout_ms": 2500, "retry_delay_ms": 40}"#,
        r#"{"testResults": [{"name": "a.test.js", "startTime": 1893456000000, "perfStats": {"runtime": 41, "slow": false}}]}"#,
        r#"{"mean": 4.5, "count": 12}"#,
    ] {
        assert_eq!(printed("node report.js", text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn lines_under_headings_are_read_with_their_headings() {
    let text = "Sieve Benchmark Suite\n=====================\n\n=== Packing ===\nRows: 500, Columns: 20\n\nPlain Benchmark:\n  Time per iteration: 31.5 µs\n  \
        Throughput: 15.9 MOPS\n\nFast Benchmark:\n  Time per iteration: 4.25 µs\n  Speedup: 7.41x\n\nLOOKUP BENCHMARKS\n-----------------\n\n  by_key:\n    \
        Size 30... 2.5µs\n    Size 60... 0.0µs\n\nTotal runtime limit: 30 s\n";
    assert_eq!(
        printed("./sieve", text),
        [
            "time - 31.5 µs measured | group Packing, test Plain Benchmark",
            "ops_rate - 15.9 Mops/s measured | group Packing, test Plain Benchmark",
            "time - 4.25 µs measured | group Packing, test Fast Benchmark",
            "time - 2.5 µs measured | group LOOKUP BENCHMARKS, size 30, test by_key",
            "time - 0 µs measured | group LOOKUP BENCHMARKS, size 60, test by_key",
        ]
    );
    let zero = found(SessionBuilder::new().user("go on").shell("./sieve", 0, text));
    assert!(!zero[4].valid, "a time of 0 is none");
}

#[test]
fn a_line_may_hold_several_statistics_and_a_target() {
    assert_eq!(
        printed("python latency_bench.py", "Latency: mean 4.5 ms, p99 12.1 ms\nP95: 8.25 ms (target: 20 ms)\n"),
        [
            "latency mean 4.5 ms measured | ",
            "latency p99 12.1 ms measured | ",
            "latency p95 8.25 ms measured | ",
            "latency p95 20 ms target | ",
        ]
    );
    let said = "The run gave:\n\n```\nP99 latency: 65.5 ms (target: 200 ms)\n```\n";
    let found = found(SessionBuilder::new().user("go on").assistant(said));
    assert_eq!(found.iter().map(|m| m.role).collect::<Vec<_>>(), [MeasurementRole::Measured, MeasurementRole::Target]);
}

#[test]
fn times_of_builds_installs_and_tests_are_no_lines_of_a_benchmark() {
    for (command, text) in [
        ("npm run build", "Bundling: 3.82 s\nMinify: 120 ms\nTotal time: 4.1 s\n"),
        ("docker build .", "#5 [2/4] RUN make\n#5 DONE: 12.3 s\n#6 sleep: 0.5 s\n"),
        ("./deploy.sh", "Waiting: 30 s\nRetry delay: 500 ms\nRestart interval: 10 s\n"),
        ("./bench --help", "  --warmup-time: 3 s\n  timeout: 30 s\n"),
    ] {
        assert_eq!(printed(command, text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_file_that_is_shown_again_is_measured_once() {
    let start = || SessionBuilder::new().user("go on").shell("./fold_bench", 0, RECORDS);
    assert_eq!(found(start().shell("cat out/folds.json", 0, RECORDS)).len(), 4);
    let numbered: String = RECORDS.lines().enumerate().map(|(i, l)| format!("{:>6}→{l}\n", i + 1)).collect();
    let again = found(start().call("Read", json!({"file_path": "/out/folds.json"}), &numbered));
    assert_eq!((again.len(), again[0].citations.len()), (4, 1));
    assert_eq!(found(start().shell("./fold_bench", 0, RECORDS)).len(), 8, "a second run is a second measurement");
    let alone =
        found(SessionBuilder::new().user("go on").call("Read", json!({"file_path": "/out/folds.json"}), &numbered));
    let span = &alone[0].span;
    assert_eq!(&numbered[span.start as usize..span.end as usize], "6.21");
}

#[test]
fn a_table_that_repeats_a_run_cites_the_case_it_names() {
    let lines = "CASE BENCHMARKS\n---------------\n\n  pack:\n    Size 30... 4.5µs\n    Size 60... 9.1µs\n\n  scan:\n    Size 30... 9.1µs\n    Size 60... 4.5µs\n";
    let table = "| test | size | time (µs) |\n|---|---|---|\n| pack | 30×30 | 4.5 |\n| Scan | 60×60 | 4.5 |\n";
    let all = found(SessionBuilder::new().user("go on").shell("./cases", 0, lines).assistant(table));
    let cited: Vec<usize> = all.iter().map(|m| m.citations.len()).collect();
    assert_eq!(cited, [1, 0, 0, 1], "{all:#?}");
}
