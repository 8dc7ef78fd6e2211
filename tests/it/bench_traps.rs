//! Numbers with units that are no measurement: each kind was met in real sessions and is told here in other words.

use turnpoint::analysis::analyse;
use turnpoint::extract::Config;
use turnpoint::extract::bench::MeasurementRole;
use turnpoint::session::build::SessionBuilder;

/// Where the text stands.
enum At {
    /// The assistant said it.
    Said,
    /// This command printed it.
    Shell(&'static str),
}
use At::{Said, Shell};

#[rustfmt::skip]
const TRAPS: &[(&str, At, &str)] = &[
    ("time of a journey", Said, "The slow ferry has a total travel time of 7 hours with the stop."),
    ("window around a time", Said, "Only trains within 2-3 hours of your departure time are shown."),
    ("a trip and a deadline", Said, "The round-trip ticket was bought more than 36 hours ago."),
    ("window of time", Said, "It counts wrong passwords in a time-window, such as ten tries within 90s."),
    ("size of what is managed", Said, "The arena holds 12MB of heap memory and uses its own free list."),
    ("progress of a push", Said, "Writing objects: 100% (412/412), 33.10 MiB | 9.40 MiB/s, done."),
    ("coverage of tests", Shell("pytest --cov"), "Name      Stmts   Miss  Cover\n-------------------------------\napp.py      120     12    90%\nutil.py      40      8    80%\nTOTAL       160     20    88%"),
    ("load of containers", Shell("docker stats --no-stream"), "NAME   CPU %   MEM %\nweb    12.50%  15.14%\ndb     48.20%  43.95%"),
    ("load of cards", Shell("nvidia-smi"), "| 31%   45C    P2    92W / 350W |   9120MiB / 24576MiB |     87%      Default |\n| 30%   41C    P8    21W / 350W |    310MiB / 24576MiB |      2%      Default |"),
    ("shares of a profile", Shell("perf report"), "# Overhead  Command  Symbol\n# ........  .......  ......\n    41.20%  app      parse\n    18.75%  app      hash"),
    ("memory that an example asks for", Said, "Each call with the argument 7000 will allocate 700 MB of memory until it stops."),
    ("memory of the machine", Said, "The suite was run on a laptop (8 cores, 48GB RAM) using the release profile."),
    ("bytes of a layout", Said, "Lower memory usage: only 3 bytes of overhead for each node instead of 12."),
    ("bound in the title of a bug", Said, "It fixes the reporting of RSS memory usage > 6 GB."),
    ("length of a window", Said, "The sampler no longer uses a fixed 20 second bound on the latency of a peer."),
    ("wait in a test", Said, "The tests drop the 1 second delay before the check."),
    ("time in an example", Said, "For example, if the elapsed time is 4117 ms, the call prints 4.117 s."),
    ("option of the compiler", Said, "Built with `-C target-cpu=native`.\n\n| Name | Bytes |\n|---|---|\n| short | 12 |\n| long | 48 |"),
    ("size of a chunk", Said, "| Scenario | Chunk Target | Kept |\n|---|---|---|\n| plain | 9000 | 7 |\n| tuned | 6000 | 5 |"),
    ("line number", Said, "The leak is in pool.rs:412, see also lines 88-97."),
    ("line numbers of a file", Shell("cat -n pool.rs"), "   41\tlet rate = 40;\n   42\tlet size = 7;"),
    ("search hits with lines", Shell("grep -n tok/s notes.txt"), "17:we saw 41 tok/s in the old lab\n"),
    ("version", Said, "Upgrade lintkit from 3.41.7 to 3.42.0; it needs node 22.4."),
    ("versions of packages", Shell("pip list"), "Package  Version\n-------- -------\nnumlib   2.31.4\ntoolbox  0.19.2"),
    ("date", Said, "The certificate runs out on 2031-04-17 at 08:15."),
    ("port", Said, "The proxy listens on port 9417 and forwards to localhost:3391."),
    ("listening ports", Shell("ss -ltn"), "LISTEN 0 511 0.0.0.0:9417 0.0.0.0:*"),
    ("hash", Shell("git rev-parse HEAD"), "9e41ms77ab90c2d5e6f70819a2b3c4d5e6f7a8b9"),
    ("log of commits", Shell("git log --oneline"), "41e9ms7 Cut the wait to 30 ms\n77ab90c Raise the pool to 64 MB"),
    ("sizes in ls", Shell("ls -lh"), "-rw-r--r-- 1 ann ann 4.7M May  3 09:12 model.bin\n-rw-r--r-- 1 ann ann 812K May  3 09:12 vocab.txt"),
    ("sizes in du", Shell("du -sh *"), "3.9G\tdata\n17M\tdocs"),
    ("free disk", Shell("df -h"), "Filesystem Size Used Avail Use% Mounted on\n/dev/vda1 97G 58G 39G 60% /"),
    ("id", Said, "Ticket OPS-4417 and request req_93ms81 belong together."),
    ("money", Said, "The plan costs $49 per month, or 0.35 cents per 1k calls."),
    ("time of a tool run", Shell("cargo build"), "    Finished `dev` profile [unoptimized] target(s) in 41.27s"),
    ("time of a test run", Shell("pytest -q"), "137 passed, 4 skipped in 12.91s"),
    ("time of one test", Shell("npx vitest run"), " ✓ src/date.test.ts (9 tests) 38ms\n Duration  2.14s (transform 81ms, setup 0ms)"),
    ("time of a bundler", Shell("npm run build"), "dist/app.js  214.07 kB │ gzip: 61.30 kB\n✓ built in 3.82s"),
    ("time of an install", Shell("npm install"), "added 412 packages, and audited 413 packages in 9s"),
    ("progress", Shell("make"), "[ 41%] Building C object a.o\n[ 83%] Linking C library"),
    ("download", Shell("curl -O https://example.org/a"), "100 37.1M  100 37.1M    0     0  11.4M      0  0:00:03  0:00:03 --:--:-- 11.4M"),
    ("progress bar with rate", Shell("python fetch.py"), "model.bin:  62%|██████    | 1.9G/3.1G [00:41<00:25, 47.2MB/s]"),
    ("clone", Shell("git clone https://example.org/r"), "Receiving objects: 100% (9120/9120), 18.42 MiB | 7.31 MiB/s, done."),
    ("coverage", Shell("coverage report"), "Name      Stmts   Miss  Cover\na.py        118     14    88%\nTOTAL       118     14    88%"),
    ("coverage in prose", Said, "Test coverage is at 83 % of lines now."),
    ("test count", Said, "All 231 tests pass, 6 are skipped."),
    ("memory in ps", Shell("ps aux"), "USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND\nann 4117 12.5 3.1 812344 61240 ? Sl 09:12 0:41 node app.js"),
    ("memory in top", Shell("top -bn1"), "MiB Mem :  31874.2 total,   4118.9 free,  12977.0 used,  14778.3 buff/cache"),
    ("memory in free", Shell("free -h"), "       total  used  free\nMem:    31Gi  12Gi 4.0Gi"),
    ("diffstat", Shell("git diff --stat"), " src/a.rs | 41 +++++++++-----\n 3 files changed, 77 insertions(+), 19 deletions(-)"),
    ("HTTP code", Said, "The endpoint answers 503 after the third try, then 200."),
    ("access log", Shell("tail access.log"), "10.0.4.17 - - [03/May/2031:09:12:41 +0000] \"GET /a HTTP/1.1\" 200 5312"),
    ("timestamps", Shell("tail app.log"), "2031-05-03T09:12:41.377Z INFO ready\n2031-05-03T09:12:43.120Z INFO idle"),
    ("coordinates", Said, "The marker sits at 47.37 N, 8.54 E, with zoom 12."),
    ("config value in prose", Said, "Set `pool_size = 40` and `timeout_ms = 2500` in server.toml."),
    ("config file", Shell("cat server.toml"), "[server]\ntimeout_ms = 2500\nmax_body = \"8MB\"\ncache_ttl = \"30s\""),
    ("threshold", Said, "The alarm should fire when latency stays above 250 ms for five minutes."),
    ("wait", Said, "I will wait 30 s for the server to come up."),
    ("time limit", Said, "The command timed out after 120 s."),
    ("code constant", Shell("cat retry.py"), "RETRY_DELAY_MS = 750  # 750 ms\nLIMIT = 12 * 1024"),
    ("code in an answer", Said, "```python\nSLEEP = 0.25  # 250 ms between tries\nBUFFER = 64 * MB\n```"),
    ("sleep", Shell("sleep 5 && echo done"), "done"),
    ("CSS", Said, "The panel fades in over 200 ms and is 320 px wide."),
    ("context left", Said, "About 40 % of the context window is left."),
    ("age", Said, "The branch is 14 days old and 37 commits behind."),
    ("share of a task", Said, "The migration is 80 % done: 12 of 15 files."),
    ("ask for a figure", Said, "It would be good to reach 900 req/s one day."),
    ("retention", Said, "Logs are kept for 14 days, at most 2 GB."),
    ("uptime", Shell("uptime"), " 09:12:41 up 41 days,  3:07,  2 users,  load average: 0.52, 0.61, 0.47"),
    ("age of a container", Shell("docker ps"), "CONTAINER ID IMAGE STATUS PORTS\n9e41ab77 db:16 Up 41 minutes 0.0.0.0:5432->5432/tcp"),
    ("image sizes", Shell("docker images"), "REPOSITORY TAG IMAGE ID CREATED SIZE\napp latest 9e41ab77 2 days ago 412MB"),
    ("docs with figures of others", Shell("cat README.md"), "# fastq\nA queue. The authors say it does 2 million ops/s on their machine.\n"),
];

/// What was taken for a result, as text; a wish or a threshold may stand among the figures under its own role.
fn measured(at: &At, text: &str) -> Vec<String> {
    let start = SessionBuilder::new().user("go on");
    let session = match at {
        Said => start.assistant(text),
        Shell(command) => start.shell(command, 0, text),
    };
    let analysis = analyse(session.build(), &Config::default(), false);
    let found = analysis.facts.bench.measurements.iter().filter(|m| m.role == MeasurementRole::Measured);
    found.map(|m| format!("{} {:?} {:?} {:?}", m.metric, m.value, m.unit, m.role)).collect()
}

#[test]
fn no_trap_is_a_measurement() {
    assert!(TRAPS.len() >= 50);
    let fell: Vec<_> = TRAPS
        .iter()
        .map(|(kind, at, text)| (kind, measured(at, text)))
        .filter(|(_, found)| !found.is_empty())
        .collect();
    assert!(fell.is_empty(), "{fell:#?}");
}

#[test]
fn the_same_places_do_hold_measurements() {
    assert!(!measured(&Said, "Decode throughput is now 41.5 tok/s at concurrency 4.").is_empty());
    assert!(
        !measured(&Shell("vllm bench throughput"), "Throughput: 3.50 requests/s, 900.00 total tokens/s\n").is_empty()
    );
}

fn roles(texts: &[&str]) -> Vec<MeasurementRole> {
    let session = texts.iter().fold(SessionBuilder::new().user("go"), |s, t| s.assistant(t)).build();
    let facts = analyse(session, &Config::default(), false).facts;
    facts.bench.measurements.iter().map(|m| m.role).collect()
}

#[test]
fn what_stands_in_quotation_marks_is_quoted() {
    assert_eq!(roles(&["Avoid goals like \"lookup latency below 90 ms\" in the text."]), [MeasurementRole::Quoted]);
    assert_eq!(roles(&["The lookup latency is 90 ms."]), [MeasurementRole::Measured]);
}

#[test]
fn a_figure_of_a_stub_is_withdrawn_wherever_it_was_stated() {
    let first = "**Kernel A**: 0.31-0.33 µs";
    let truth = "**Kernel A**: 0.31 µs is the time of a call that returns `E_NOT_IMPLEMENTED`";
    assert_eq!(roles(&[first]), [MeasurementRole::Measured]);
    assert_eq!(roles(&[first, truth]), [MeasurementRole::Invalid]);
}

#[test]
fn a_name_that_begins_like_versus_is_a_name() {
    let session = SessionBuilder::new().user("go").assistant("- **VSort GPU**: 512 GFLOPS peak").build();
    let facts = analyse(session, &Config::default(), false).facts;
    assert_eq!(facts.bench.measurements[0].params["config"], "VSort GPU");
}

#[test]
fn two_things_of_one_message_may_have_the_same_figure() {
    assert_eq!(roles(&["- **Adder**: 0.31-0.33 µs\n- **Mixer**: 0.31-0.33 µs"]).len(), 2);
}

#[test]
fn an_option_of_the_compiler_makes_no_target() {
    let text =
        "Flags: `-C target-cpu=native`\n\n| Type | Hash time |\n|---|---|\n| small | 9.5 ns |\n| large | 21.5 ns |";
    assert_eq!(roles(&[text]), [MeasurementRole::Measured; 2]);
}

#[test]
fn columns_and_conditions_of_a_table_stay_apart() {
    let table = "| crate | version | variant | ns/iter | MB/s |\n|---|---|---|---|---|\n| sum | 2.0 | plain | 700 | 1500 |\n| sum | 2.0 | simd | 150 | 7000 |";
    let session = SessionBuilder::new().user("go").assistant(table).build();
    let facts = analyse(session, &Config::default(), false).facts;
    let variants: Vec<&str> = facts.bench.measurements.iter().map(|m| m.params["config"].as_str()).collect();
    assert_eq!(variants, ["plain", "plain", "simd", "simd"]);
    let times =
        "| Run | Small (old) | Small (new) |\n|---|---|---|\n| 1 | 2 min 24 s | 40 s |\n| 2 | 1 min 30 s | 16 s |";
    let session = SessionBuilder::new().user("go").assistant(times).build();
    let facts = analyse(session, &Config::default(), false).facts;
    let values: Vec<(Option<f64>, Option<&str>)> =
        facts.bench.measurements.iter().map(|m| (m.value, m.unit.as_deref())).collect();
    assert_eq!(values, [144.0, 40.0, 90.0, 16.0].map(|v| (Some(v), Some("s"))));
}

#[test]
fn a_change_has_the_metric_of_its_row() {
    let table = "| Metric | Baseline | Optimized | Change |\n|---|---|---|---|\n| Throughput (req/s) | 240 | 228 | -5.0% |\n| Cache hit ratio | 81% | 90% | +9 pp |";
    let session = SessionBuilder::new().user("go").assistant(table).build();
    let facts = analyse(session, &Config::default(), false).facts;
    let metrics: Vec<&str> = facts.bench.measurements.iter().map(|m| m.metric.as_str()).collect();
    assert_eq!(facts.bench.measurements[3].role, MeasurementRole::Measured);
    let wanted = ["request_throughput", "cache_hit_rate"].map(|m| [m; 3]).concat();
    assert_eq!(metrics, wanted);
}

#[test]
fn the_load_that_was_offered_is_a_condition() {
    let table = "| RPS | Engine | Median TTFT (ms) |\n|---|---|---|\n| 3 | one | 41.5 |\n| 6 | one | 77.25 |";
    let session = SessionBuilder::new().user("go").assistant(table).build();
    let facts = analyse(session, &Config::default(), false).facts;
    let rates: Vec<(&str, &str)> =
        facts.bench.measurements.iter().map(|m| (m.metric.as_str(), m.params["request_rate"].as_str())).collect();
    assert_eq!(rates, [("ttft", "3"), ("ttft", "6")]);
    assert_eq!(roles(&["Peak FP16 matrix FLOPS: 212.5 TFLOPS"]), [MeasurementRole::Theoretical]);
}

#[test]
fn hours_of_work_count() {
    assert_eq!(roles(&["The training time was 5 hours."]), [MeasurementRole::Measured]);
}
