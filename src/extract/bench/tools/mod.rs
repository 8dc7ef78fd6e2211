//! Console output of benchmark tools: one file for each, one line in [`TOOLS`].
//!
//! A reader claims whole lines; what no reader claims is left to the readers of tables and prose.

mod adhoc;
mod aiperf;
mod apache;
mod benchstat;
mod critcmp;
mod criterion;
mod fio;
mod fio_json;
mod gnu_time;
mod go_test;
mod google;
mod hey;
mod hyperfine;
mod hyperfine_json;
mod iperf;
mod iperf_json;
mod json;
mod k6;
mod lines;
mod llama_bench;
mod llama_files;
mod lm_eval;
mod matrix;
mod mlperf;
mod nccl;
mod one_batch;
mod one_batch_json;
mod own_json;
mod own_lines;
mod perf_stat;
mod pytest;
mod serving;
mod serving_json;
mod shell_time;
mod stress_ng;
mod sysbench;
mod trtllm;
mod vllm;
mod vllm_json;
mod wrk;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::Found;
use crate::session::{Field, TextRef};
use lines::{Line, lines};

pub(super) use lines::{Sink, command_params};

/// A reader of one tool's output.
struct Tool {
    /// Texts without any of these hold nothing for it.
    anchors: &'static [&'static str],
    /// Reads the block that starts at the first of these lines and says how many lines it took; 0 = not its block.
    read: fn(&[Line<'_>], &mut Sink<'_>) -> usize,
}

/// Readers; the first that takes a line has it.
const TOOLS: &[Tool] = &[
    Tool { anchors: serving::ANCHORS, read: serving::read },
    Tool { anchors: serving_json::ANCHORS, read: serving_json::read },
    Tool { anchors: one_batch::ANCHORS, read: one_batch::read },
    Tool { anchors: one_batch_json::ANCHORS, read: one_batch_json::read },
    Tool { anchors: vllm::ANCHORS, read: vllm::read },
    Tool { anchors: vllm_json::ANCHORS, read: vllm_json::read },
    Tool { anchors: trtllm::ANCHORS, read: trtllm::read },
    Tool { anchors: llama_bench::ANCHORS, read: llama_bench::read },
    Tool { anchors: llama_files::ANCHORS, read: llama_files::read },
    Tool { anchors: aiperf::ANCHORS, read: aiperf::read },
    Tool { anchors: nccl::ANCHORS, read: nccl::read },
    Tool { anchors: matrix::ANCHORS, read: matrix::read },
    Tool { anchors: iperf::ANCHORS, read: iperf::read },
    Tool { anchors: iperf_json::ANCHORS, read: iperf_json::read },
    Tool { anchors: fio::ANCHORS, read: fio::read },
    Tool { anchors: fio_json::ANCHORS, read: fio_json::read },
    Tool { anchors: wrk::ANCHORS, read: wrk::read },
    Tool { anchors: apache::ANCHORS, read: apache::read },
    Tool { anchors: hey::ANCHORS, read: hey::read },
    Tool { anchors: k6::ANCHORS, read: k6::read },
    Tool { anchors: hyperfine::ANCHORS, read: hyperfine::read },
    Tool { anchors: hyperfine_json::ANCHORS, read: hyperfine_json::read },
    Tool { anchors: criterion::ANCHORS, read: criterion::read },
    Tool { anchors: critcmp::ANCHORS, read: critcmp::read },
    Tool { anchors: google::ANCHORS, read: google::read },
    Tool { anchors: pytest::ANCHORS, read: pytest::read },
    Tool { anchors: go_test::ANCHORS, read: go_test::read },
    Tool { anchors: benchstat::ANCHORS, read: benchstat::read },
    Tool { anchors: lm_eval::ANCHORS, read: lm_eval::read },
    Tool { anchors: mlperf::ANCHORS, read: mlperf::read },
    Tool { anchors: sysbench::ANCHORS, read: sysbench::read },
    Tool { anchors: stress_ng::ANCHORS, read: stress_ng::read },
    Tool { anchors: perf_stat::ANCHORS, read: perf_stat::read },
    Tool { anchors: gnu_time::ANCHORS, read: gnu_time::read },
    Tool { anchors: shell_time::ANCHORS, read: shell_time::read },
    Tool { anchors: own_json::ANCHORS, read: own_json::read },
];

/// All anchors in one automaton, with the tool of each.
static ANCHORS: LazyLock<(AhoCorasick, Vec<usize>)> = LazyLock::new(|| {
    let list = TOOLS.iter().enumerate().flat_map(|(i, t)| t.anchors.iter().map(move |a| (*a, i)));
    let (words, owners): (Vec<&str>, Vec<usize>) = list.unzip();
    (AhoCorasick::new(words).expect("static anchors"), owners)
});

/// What the readers found in one text: figures, and the bytes they claimed, in order.
pub(super) fn read(
    at: &TextRef<'_>,
    params: &BTreeMap<String, String>,
    worked: bool,
) -> (Vec<Found>, Vec<Range<usize>>) {
    let (automaton, owners) = &*ANCHORS;
    let mut possible = vec![false; TOOLS.len()];
    for found in automaton.find_overlapping_iter(at.text) {
        possible[owners[found.pattern().as_usize()]] = true;
    }
    if !possible.contains(&true) {
        return (Vec::new(), Vec::new());
    }
    let active: Vec<&Tool> = TOOLS.iter().zip(&possible).filter(|(_, p)| **p).map(|(t, _)| t).collect();
    let lines = lines(at.text);
    let mut sink = Sink::new(at, params.clone(), worked);
    let mut claimed = Vec::new();
    let mut i = 0;
    while i < lines.len() {
        let taken = active.iter().map(|t| (t.read)(&lines[i..], &mut sink)).find(|n| *n > 0).unwrap_or(0);
        if taken > 0 {
            let last = &lines[(i + taken - 1).min(lines.len() - 1)];
            claimed.push(lines[i].range.start..last.range.end);
        }
        i += taken.max(1);
    }
    (sink.finish(), claimed)
}

/// What somebody's own script printed: tables (columns of text, or pipes), and lines that name a figure each. `context` is
/// the command, or what stands over the block; `claimed` is what other readers took.
pub(super) fn read_own(
    at: &TextRef<'_>,
    within: Range<usize>,
    claimed: &[Range<usize>],
    context: &str,
    params: &BTreeMap<String, String>,
) -> Vec<Found> {
    let above = if at.field == Field::Output { "" } else { context };
    let mut out = if claimed.is_empty() { adhoc::read(at, within.clone(), above, params) } else { Vec::new() };
    let mut taken = claimed.to_vec();
    taken.extend(out.iter().map(|f| f.measurement.span.start as usize..f.measurement.span.end as usize));
    out.extend(own_lines::read(at, within, &taken, context, params));
    out
}

/// The names of metrics and statistics that keys of several tools share.
fn serving_metric(key: &str) -> Option<&'static str> {
    const NAMES: &[(&str, &str)] = &[
        ("request throughput", "request_throughput"),
        ("input token throughput", "input_throughput"),
        ("output token throughput", "output_throughput"),
        ("output throughput", "output_throughput"),
        ("total token throughput", "total_throughput"),
        ("total throughput", "total_throughput"),
        ("time to first token", "ttft"),
        ("ttft", "ttft"),
        ("time per output token", "tpot"),
        ("tpot", "tpot"),
        ("inter token latency", "itl"),
        ("inter-token latency", "itl"),
        ("itl", "itl"),
        ("e2e latency", "e2e_latency"),
        ("e2el", "e2e_latency"),
        ("request latency", "e2e_latency"),
        ("benchmark duration", "duration"),
        ("accept length", "accept_length"),
    ];
    let key = key.to_lowercase();
    NAMES.iter().find(|(word, _)| key.contains(word)).map(|(_, id)| *id)
}

#[cfg(test)]
mod tests;
