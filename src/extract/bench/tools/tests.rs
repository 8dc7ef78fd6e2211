//! One invented output for each tool.

use std::collections::BTreeMap;

use super::super::Measurement;
use super::*;
use crate::session::{Field, MsgIx, Provenance};

/// `metric value unit [statistic]` of each figure.
fn read_all(text: &str) -> Vec<String> {
    let at = TextRef { msg: MsgIx(0), part: 0, field: Field::Output, text, provenance: Provenance::ToolOutput };
    let (found, claimed) = read(&at, &BTreeMap::new(), true);
    assert!(claimed.is_sorted_by_key(|r| r.start));
    found.iter().map(|f| shown(&f.measurement, text)).collect()
}

fn shown(m: &Measurement, text: &str) -> String {
    let quote = &text[m.span.start as usize..m.span.end as usize];
    let digits = quote.replace(',', "");
    assert!(digits.contains(|c: char| c.is_ascii_digit()), "the span holds the number: {quote:?}");
    let tail = m.statistic.as_ref().map(|s| format!(" {s}")).unwrap_or_default();
    format!("{} {} {}{tail}", m.metric, m.value.unwrap_or(f64::NAN), m.unit.as_deref().unwrap_or("-"))
}

#[test]
fn serving_blocks_give_load_and_percentiles() {
    let text = "junk\n============ Serving Benchmark Result ============\nMaximum request concurrency: 8\nFailed requests:     2\n\
        Output token throughput (tok/s):   512.25\nTotal Token throughput (tok/s): 700.00\nConcurrency:   7.9\nP99 TTFT (ms):    88.10\n\
        Accept length:  2.31\n==================================================\n";
    assert_eq!(
        read_all(text),
        ["output_throughput 512.25 tok/s", "total_throughput 700 tok/s", "ttft 88.1 ms p99", "accept_length 2.31 -"]
    );
    let at = TextRef { msg: MsgIx(0), part: 0, field: Field::Output, text, provenance: Provenance::ToolOutput };
    let (found, _) = read(&at, &command_params("bench --num-prompts 64 --max-concurrency=9"), true);
    let m = &found[0].measurement;
    assert_eq!((m.params["concurrency"].as_str(), m.params["num_prompts"].as_str(), m.valid), ("8", "64", false));
}

#[test]
fn colours_prefixes_and_overwritten_progress_are_removed() {
    let text = "(EngineCore pid=7) \u{1b}[32mThroughput: 3.50 requests/s, 900.00 tokens/s\u{1b}[0m\n 50%|##\rAvg latency: 0.750 seconds\n10% percentile latency: 0.500 seconds\n";
    assert_eq!(
        read_all(text),
        ["request_throughput 3.5 req/s", "total_throughput 900 tok/s", "latency 0.75 s mean", "latency 0.5 s p10"]
    );
}

#[test]
fn warm_up_rounds_are_invalid() {
    let text = "Warmup ...\nPrefill. latency: 0.70000 s, throughput:   1000.00 token/s\nBenchmark ...\nPrefill. latency: 0.35000 s, throughput:   2000.00 token/s\n";
    let at = TextRef { msg: MsgIx(0), part: 0, field: Field::Output, text, provenance: Provenance::ToolOutput };
    let (found, _) = read(&at, &BTreeMap::new(), true);
    let valid: Vec<bool> = found.iter().map(|f| f.measurement.valid).collect();
    assert_eq!(valid, [false, false, true, true]);
}

#[test]
fn http_load_generators() {
    let ab = "Concurrency Level:      4\nFailed requests:        0\nRequests per second:    900.10 [#/sec] (mean)\n\
        Time per request:       4.440 [ms] (mean)\nTime per request:       1.110 [ms] (mean, across all concurrent requests)\n  99%     12\n 100%     30 (longest request)\n";
    assert_eq!(
        read_all(ab),
        ["request_throughput 900.1 req/s", "latency 4.44 ms mean", "latency 12 ms p99", "latency 30 ms max"]
    );
    let hey = "Summary:\n  Total:\t2.0 secs\n  Slowest:\t0.0500 secs\n  Average:\t0.0100 secs\n  Requests/sec:\t400.5\n\nLatency distribution:\n  99% in 0.0400 secs\n";
    assert_eq!(
        read_all(hey),
        ["latency 0.05 s max", "latency 0.01 s mean", "request_throughput 400.5 req/s", "latency 0.04 s p99"]
    );
    let k6 = "     http_req_duration..............: avg=9.5ms min=1ms med=8ms max=70ms p(90)=15ms p(95)=21ms\n     http_reqs......................: 5000 166.6/s\n     http_req_failed................: 0.50% 25 out of 5000\n";
    assert_eq!(read_all(k6).len(), 8);
    assert!(read_all(k6).contains(&"latency 21 ms p95".to_owned()));
}

#[test]
fn compilers_of_time() {
    let google = "Benchmark            Time             CPU   Iterations\n-----\nBM_Sort/512       2210 ns         2200 ns       300000 items_per_second=230M/s bytes_per_second=1.5Gi/s\nBM_Sort_BigO      1.2 NlgN   1.1 NlgN\n";
    assert_eq!(
        read_all(google),
        ["time 2210 ns", "cpu_time 2200 ns", "item_rate 230 Mitems/s", "throughput 1.5 GiB/s"]
    );
    let criterion = "group/a_long_name_here\n                        time:   [900.00 ns 1.0000 µs 1.1000 µs]\n                 change:\n                        time:   [+1.0% +2.0% +3.0%] (p = 0.01 < 0.05)\n";
    assert_eq!(read_all(criterion), ["time 1 µs estimate"]);
}

#[test]
fn judged_invalid_by_the_tool_itself() {
    let text = "MLPerf Results Summary\nScenario : Offline\nSamples per second: 80.5\nResult is : INVALID\n99.00 percentile latency (ns)   : 5000\n";
    let at = TextRef { msg: MsgIx(0), part: 0, field: Field::Output, text, provenance: Provenance::ToolOutput };
    let (found, _) = read(&at, &BTreeMap::new(), true);
    assert!(!found.is_empty() && found.iter().all(|f| !f.measurement.valid));
}

#[test]
fn rows_of_single_intervals_and_sums_are_no_results() {
    let iperf = "[  5]   0.00-1.00   sec   500 MBytes  4.19 Gbits/sec    0    400 KBytes\n[  5]   0.00-10.00  sec  5.45 GBytes  4.68 Gbits/sec   12             sender\n";
    assert_eq!(read_all(iperf), ["network_throughput 4.68 Gbit/s", "retransmits 12 count"]);
    let copy = "Running device_to_device_memcpy_read_ce.\nmemcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1\n 0       N/A    48.20\n 1     48.50      N/A\n\nSUM device_to_device_memcpy_read_ce 96.70\n";
    assert_eq!(read_all(copy), ["p2p_bandwidth 48.2 GB/s", "p2p_bandwidth 48.5 GB/s"]);
}

#[test]
fn an_ad_hoc_table_names_its_units() {
    let text = "# three runs\nconcurrency  output_tok_s  ttft_ms\n1            20.50         80.1\n8            150.2         95.0\n";
    let at = TextRef { msg: MsgIx(0), part: 0, field: Field::Output, text, provenance: Provenance::ToolOutput };
    let found = read_adhoc(&at, 0..text.len(), "", &BTreeMap::new());
    let rows: Vec<String> = found.iter().map(|f| shown(&f.measurement, text)).collect();
    assert_eq!(rows, ["output_throughput 20.5 tok/s", "ttft 80.1 ms", "output_throughput 150.2 tok/s", "ttft 95 ms"]);
    assert_eq!(found[2].measurement.params["concurrency"], "8");
    let listing =
        "total 12\n-rw-r--r--  1 me me  1200 Jan  1 10:00 a.txt\n-rw-r--r--  1 me me  3400 Jan  1 10:00 b.txt\n";
    let at = TextRef { text: listing, ..at };
    assert_eq!(read_adhoc(&at, 0..listing.len(), "", &BTreeMap::new()), []);
}

#[test]
fn the_lines_of_a_test_runner_are_no_table() {
    let text = "?   \texample.org/tool/cmd/tool\t[no test files]\nok  \texample.org/tool/cli\t3.971s\nok  \texample.org/tool/cli/agent\t1.676s\nok  \texample.org/tool/cli/store\t2.422s\n";
    assert_eq!(read_all(text), Vec::<String>::new());
}

#[test]
fn stress_ng_counts_by_real_time() {
    let text = "stress-ng: metrc: [77] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s\n\
        stress-ng: metrc: [77]                           (secs)    (secs)    (secs)   (real time) (usr+sys time)\n\
        stress-ng: metrc: [77] matrix            20410     10.00     39.90      0.02      2041.00         511.27\n\
        stress-ng: info:  [77] successful run completed in 10.01s\n";
    assert_eq!(read_all(text), ["bogo_ops_rate 2041 bogo ops/s"]);
}

#[test]
fn perf_stat_gives_ipc_misses_and_time() {
    let text = " Performance counter stats for './toy' (5 runs):\n\n\
         \x20   812.40 msec task-clock       #    0.998 CPUs utilized\n\
         \x20   2,000,500      cycles        #    2.462 GHz\n\
         \x20   3,100,775      instructions  #    1.55  insn per cycle\n\
         \x20   <not supported>      cache-misses\n\
         \x20   41,200      branch-misses    #    1.20% of all branches\n\n\
         \x20   0.8140 +- 0.0031 seconds time elapsed  ( +-  0.38% )\n";
    assert_eq!(read_all(text), ["ipc 1.55 -", "branch_misses 41200 -", "time 0.814 s"]);
}

#[test]
fn gnu_time_gives_time_and_memory() {
    let text = "\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:04.25\n\tMaximum resident set size (kbytes): 51200\n";
    assert_eq!(read_all(text), ["time 4.25 s", "memory 51200 KiB max"]);
}

#[test]
fn the_time_of_a_shell_is_in_seconds() {
    let bash = "done\n\nreal\t1m2.500s\nuser\t0m5.250s\nsys\t0m0.125s\n";
    assert_eq!(read_all(bash), ["time 62.5 s", "user_time 5.25 s", "sys_time 0.125 s"]);
    assert_eq!(read_all("real 2.31\nuser 1.80\nsys 0.02\n"), ["time 2.31 s", "user_time 1.8 s", "sys_time 0.02 s"]);
    let zsh = "make check  0.05s user 0.02s system 96% cpu 1:01.234 total\n";
    assert_eq!(read_all(zsh), ["user_time 0.05 s", "sys_time 0.02 s", "time 61.234 s"]);
    assert_eq!(read_all("real 3\nimaginary 4\n"), Vec::<String>::new());
}
