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
    let found = read_own(&at, 0..text.len(), &[], "", &BTreeMap::new());
    let rows: Vec<String> = found.iter().map(|f| shown(&f.measurement, text)).collect();
    assert_eq!(rows, ["output_throughput 20.5 tok/s", "ttft 80.1 ms", "output_throughput 150.2 tok/s", "ttft 95 ms"]);
    assert_eq!(found[2].measurement.params["concurrency"], "8");
    let listing =
        "total 12\n-rw-r--r--  1 me me  1200 Jan  1 10:00 a.txt\n-rw-r--r--  1 me me  3400 Jan  1 10:00 b.txt\n";
    let at = TextRef { text: listing, ..at };
    assert_eq!(read_own(&at, 0..listing.len(), &[], "", &BTreeMap::new()), []);
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

#[test]
fn fio_of_all_ages() {
    let old = "job: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=16\n  read : io=512.0MB, bw=20480KB/s, iops=5120, runt= 25600msec\n    clat (usec): min=90, max=4000, avg=780.25, stdev=41.50\n";
    assert_eq!(
        read_all(old),
        [
            "iops 5120 IOPS",
            "disk_throughput 20480 KiB/s",
            "clat 90 µs min",
            "clat 4000 µs max",
            "clat 780.25 µs mean",
            "clat 41.5 µs stdev"
        ]
    );
    let json = "{\n  \"fio version\" : \"fio-3.30\",\n  \"jobs\" : [\n    {\n      \"jobname\" : \"a\",\n      \"error\" : 0,\n      \"job options\" : {\"rw\" : \"read\", \"bs\" : \"1M\"},\n      \"read\" : {\"iops\" : 701.5, \"bw_bytes\" : 735000000, \"clat_ns\" : {\"mean\" : 1400.5, \"percentile\" : {\"99.000000\" : 2900}}},\n      \"write\" : {\"iops\" : 0.0}\n    }\n  ]\n}\n";
    assert_eq!(
        read_all(json),
        ["iops 701.5 IOPS", "disk_throughput 735000000 B/s", "clat 1400.5 ns mean", "clat 2900 ns p99"]
    );
}

#[test]
fn iperf_as_json_and_over_udp() {
    let json = "{\"start\":{\"test_start\":{\"protocol\":\"TCP\",\"num_streams\":4}},\"end\":{\"sum_sent\":{\"bits_per_second\":9.4e9,\"retransmits\":12},\"sum_received\":{\"bits_per_second\":9.35e9}}}\n";
    assert_eq!(
        read_all(json),
        ["network_throughput 9400000000 bit/s", "retransmits 12 count", "network_throughput 9350000000 bit/s"]
    );
    let udp = "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n[  5]   0.00-10.00  sec  1.25 MBytes  1.05 Mbits/sec  0.000 ms  0/906 (0%)  sender\n[  5]   0.00-10.04  sec  1.24 MBytes  1.04 Mbits/sec  0.018 ms  9/906 (0.99%)  receiver\n";
    assert_eq!(
        read_all(udp),
        ["network_throughput 1.05 Mbit/s", "network_throughput 1.04 Mbit/s", "jitter 0.018 ms", "packet_loss 0.99 %"]
    );
}

#[test]
fn result_files_of_servers() {
    let serving = "{\"backend\":\"x\",\"max_concurrency\":8,\"request_throughput\":2.5,\"output_throughput\":640.5,\"median_ttft_ms\":81.5,\"p99_e2el_ms\":900.0}\n";
    let want =
        ["request_throughput 2.5 req/s", "output_throughput 640.5 tok/s", "ttft 81.5 ms p50", "e2e_latency 900 ms p99"];
    let mut got = read_all(serving);
    got.sort();
    let mut want = want.map(str::to_owned);
    want.sort();
    assert_eq!(got, want);
    let batch = "{\"batch_size\": 4, \"input_len\": 64, \"output_len\": 8, \"prefill_latency\": 0.25, \"prefill_throughput\": 1024.0, \"median_decode_latency\": 0.02, \"median_decode_throughput\": 200.0, \"total_latency\": 0.41, \"overall_throughput\": 702.4}\n";
    assert_eq!(read_all(batch).len(), 6);
    assert_eq!(read_all(batch)[3], "decode_throughput 200 tok/s p50");
    let latency = "{\n    \"avg_latency\": 1.5,\n    \"latencies\": [1.4, 1.6],\n    \"percentiles\": {\"50\": 1.5, \"99\": 1.6}\n}\n";
    assert_eq!(read_all(latency), ["latency 1.5 s mean", "latency 1.5 s p50", "latency 1.6 s p99"]);
}

#[test]
fn llama_bench_in_every_form() {
    let csv = "build_commit,model_type,n_threads,n_prompt,n_gen,avg_ns,stddev_ns,avg_ts,stddev_ts\n\"abc123\",\"toy 7B, Q4\",\"8\",\"512\",\"0\",\"1\",\"0\",\"820.5\",\"3.25\"\n";
    assert_eq!(read_all(csv), ["prefill_throughput 820.5 tok/s mean"]);
    let json = "[\n  {\n    \"model_type\": \"toy 7B\",\n    \"n_prompt\": 0,\n    \"n_gen\": 128,\n    \"avg_ts\": 41.25,\n    \"stddev_ts\": 0.5,\n    \"samples_ts\": [41.0, 41.5]\n  }\n]\n";
    assert_eq!(read_all(json), ["decode_throughput 41.25 tok/s mean"]);
    let sql = "INSERT INTO test (model_type, n_prompt, n_gen, avg_ts, stddev_ts) VALUES ('toy 7B', '512', '128', '99.5', '1.5');\n";
    assert_eq!(read_all(sql), ["total_throughput 99.5 tok/s mean"]);
}

#[test]
fn exported_times_of_commands() {
    let json = "{\n  \"results\": [\n    {\n      \"command\": \"./a\",\n      \"mean\": 0.5,\n      \"stddev\": 0.01,\n      \"median\": 0.49,\n      \"times\": [0.49, 0.51],\n      \"exit_codes\": [0, 1]\n    }\n  ]\n}\n";
    assert_eq!(read_all(json), ["time 0.5 s mean", "time 0.49 s p50", "time 0.01 s stdev"]);
    let at = TextRef { msg: MsgIx(0), part: 0, field: Field::Output, text: json, provenance: Provenance::ToolOutput };
    assert!(read(&at, &BTreeMap::new(), true).0.iter().all(|f| !f.measurement.valid), "a run failed");
}

#[test]
fn benchstat_in_both_forms() {
    let new = "        │   old.txt   │              new.txt               │\n        │   sec/op    │   sec/op     vs base               │\nEnc-8     2.400µ ± 1%   1.900µ ± 2%  -20.83% (p=0.000 n=10)\ngeomean   2.400µ        1.900µ       -20.83%\n";
    assert_eq!(read_all(new), ["time_per_op 2.4 µs/op p50", "time_per_op 1.9 µs/op p50"]);
    let old = "name   old time/op  new time/op  delta\nEnc-8  850ns ± 1%   840ns ± 3%   ~     (p=0.300 n=5+5)\n";
    assert_eq!(read_all(old), ["time_per_op 850 ns/op p50", "time_per_op 840 ns/op p50"]);
}

#[test]
fn thresholds_are_targets() {
    let text = "    http_req_duration\n    ✓ 'p(95)<1500' p(95)=148.2ms\n\n    http_req_duration..............: avg=80.5ms min=20ms med=75ms max=300ms p(90)=120ms p(95)=148.2ms\n";
    let all = read_all(text);
    assert_eq!((all[0].as_str(), all.len()), ("latency 1500 ms p95", 7));
}

#[test]
fn other_json_is_left_alone() {
    for text in [
        "{\"avg_ts\": 1}\n",
        "[\n[\n[\n{\"times\": [1]}",
        "{\"results\": [{\"times\": [1, 2]}]}\n",
        "{\"request_throughput\": ",
    ] {
        assert_eq!(read_all(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn saved_runs_side_by_side_keep_their_column() {
    let text = "group            base                        tuned\n\
-----            ----                        -----\n\
parse/long  line 1.00     40.5±0.30ns 90.0 MB/sec  1.50     60.7±0.40ns        ? ?/sec\n\
parse/short                                  1.00      7.1±0.02µs        ? ?/sec\n";
    assert_eq!(
        read_all(text),
        ["time 40.5 ns mean", "throughput 90 MB/s mean", "time 60.7 ns mean", "time 7.1 µs mean"]
    );
    let at = TextRef { msg: MsgIx(0), part: 0, field: Field::Output, text, provenance: Provenance::ToolOutput };
    let (found, _) = read(&at, &BTreeMap::new(), true);
    let runs: Vec<&str> = found.iter().map(|f| f.measurement.params["config"].as_str()).collect();
    assert_eq!(runs, ["base", "base", "tuned", "tuned"]);
    assert_eq!((found[2].measurement.pm, found[3].measurement.params["name"].as_str()), (Some(0.4), "parse/short"));
}
