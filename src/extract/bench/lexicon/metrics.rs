//! The words that name what was measured, with the units it can have.

use std::sync::LazyLock;

use regex::Regex;

use super::words;
use crate::extract::bench::units::{Dimension, Quantity, Unit};

/// A class of units that a metric can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    TokenRate,
    RequestRate,
    ByteRate,
    FlopRate,
    OtherRate,
    Time,
    TimePerOp,
    Bytes,
    Ratio,
    Other,
}

impl Kind {
    /// The class of a unit.
    pub fn of(unit: &Unit) -> Self {
        let d = unit.dimension;
        let per_op = d.power(Quantity::Op) == -1 || d.power(Quantity::Iteration) == -1;
        match () {
            () if d == Dimension::NONE => Self::Ratio,
            () if d.is_rate() && d.power(Quantity::Token) == 1 => Self::TokenRate,
            () if d.is_rate() && d.power(Quantity::Request) == 1 => Self::RequestRate,
            () if d.is_rate() && d.power(Quantity::Byte) == 1 => Self::ByteRate,
            () if d.is_rate() && d.power(Quantity::Flop) == 1 => Self::FlopRate,
            () if d.is_rate() && d != Dimension::of(Quantity::Second, -1) => Self::OtherRate,
            () if d.is_time() => Self::Time,
            () if per_op && d.power(Quantity::Second) == 1 => Self::TimePerOp,
            () if d == Dimension::of(Quantity::Byte, 1) => Self::Bytes,
            () => Self::Other,
        }
    }

    /// A unit of the class.
    pub fn example(self) -> &'static str {
        match self {
            Self::TokenRate => "tok/s",
            Self::RequestRate => "req/s",
            Self::ByteRate => "GB/s",
            Self::FlopRate => "TFLOP/s",
            Self::OtherRate => "ops/s",
            Self::Time => "ms",
            Self::TimePerOp => "ns/op",
            Self::Bytes => "GB",
            Self::Ratio => "%",
            Self::Other => "W",
        }
    }

    /// Rates say by themselves that they are results; times, sizes and shares need a noun.
    pub fn is_rate(self) -> bool {
        matches!(self, Self::TokenRate | Self::RequestRate | Self::ByteRate | Self::FlopRate | Self::OtherRate)
    }
}

/// What can be measured.
#[derive(Debug)]
pub struct Metric {
    /// The id in tables and limits files.
    pub id: &'static str,
    /// Units it can have.
    pub kind: Kind,
    /// Whether more is better.
    pub higher: bool,
    /// Unit it has when none is written.
    pub only_unit: Option<&'static str>,
    words: Regex,
}

macro_rules! metrics {
    ($($id:literal $kind:ident $dir:ident $($unit:literal)? : $words:literal;)*) => {
        /// Every metric that prose, headers and limits files may name.
        pub static METRICS: LazyLock<Vec<Metric>> = LazyLock::new(|| vec![$(Metric {
            id: $id, kind: Kind::$kind, higher: metrics!(@dir $dir), only_unit: metrics!(@unit $($unit)?),
            words: words($words),
        }),*]);
    };
    (@dir up) => { true };
    (@dir down) => { false };
    (@unit) => { None };
    (@unit $unit:literal) => { Some($unit) };
}

metrics! {
    "prefill_throughput" TokenRate up: r"\b(prefill|prompt[- ]?(processing|eval|tok\w*|throughput)?|input (token )?throughput|pp ?\d+)\b";
    "decode_throughput" TokenRate up: r"\b(decode|decoding|token generation|generation (throughput|speed|rate)|tg ?\d+)\b";
    "output_throughput" TokenRate up: r"\b(output|generated)\b";
    "total_throughput" TokenRate up: r"\b(total|overall|combined) ?(token |tok )?(throughput|tok\w*)\b";
    "output_throughput" TokenRate up: r"\b(throughput|tok\w*|speed|rate|tps|single[- ]stream)\b|\btok(ens?)?/s";
    "request_throughput" RequestRate up: r"\b(throughput|requests?|rps|qps|reqs?|rate)\b";
    "p2p_bandwidth" ByteRate up: r"\b(p2p|peer[- ]to[- ]peer|peer)\b";
    "bus_bandwidth" ByteRate up: r"\b(bus ?(bw|bandwidth)|pcie|nvlink|link|interconnect|all[- _]?reduce)\b";
    "alg_bandwidth" ByteRate up: r"\b(alg(orithm)? ?(bw|bandwidth))\b";
    "memory_bandwidth" ByteRate up: r"\b(memory|mem|hbm\d?e?|g?ddr\d?x?|dram|vram|stream triad)\b";
    "disk_throughput" ByteRate up: r"\b(disks?|nvme|ssd|hdd|fio|sequential (read|write)|random (read|write))\b";
    "network_throughput" ByteRate up: r"\b(nics?|network|ethernet|line[- ]rate|iperf3?|tcp|jumbo|infiniband|roce|download|upload)\b";
    "bandwidth" ByteRate up: r"\b(bandwidth|bw)\b";
    "throughput" ByteRate up: r"\b(throughput|speed|rate|read|write|copy|transfer)\b";
    "iops" OtherRate up: r"\b(iops)\b";
    "frame_rate" OtherRate up: r"\b(fps|frame ?rate)\b";
    "ops_rate" OtherRate up: r"\b(ops|operations|throughput|mops|gops|speed|rate)\b";
    "flops" FlopRate up: r"\b([kmgtp]?flops?|compute|throughput|performance)\b|flop/s";
    "ttft" Time down: r"\b(ttft|time[- ]to[- ]first[- ]token|first[- ]token( latency)?)\b";
    "tpot" Time down: r"\b(tpot|time[- ]per[- ]output[- ]token|per[- ]token( latency| time)?|ms/tok(en)?)\b";
    "itl" Time down: r"\b(itl|inter[- ]token( latency)?)\b";
    "e2e_latency" Time down: r"\b(e2el?|end[- ]to[- ]end( latency)?|request latency)\b";
    "prefill_latency" Time down: r"\bprefill\b";
    "decode_latency" Time down: r"\bdecode\b";
    "startup_time" Time down: r"\b(start-?up|cold[- ]start|boot)( time)?\b";
    "build_time" Time down: r"\b(build[- ]time|compile[- ]time|compilation( time)?)\b";
    "latency" Time down: r"\b(latenc(y|ies)|response[- ]time|rtt|round[- ]trip|ping|p50|p9\d(\.\d+)?|delay)\b";
    "time" Time down: r"\b(run[- ]?time|elapsed|wall([- ]?(clock|time))?|(cpu|gpu|exec(ution)?|mean|avg|average|median|total|kernel|step|iteration|query|load|parse|search|processing|inference|training) ?times?|time|timing)\b";
    "duration" Time down: r"\b(took|duration|finished in|completed in|ran in|runs in)\b";
    "time_per_op" TimePerOp down: r"\b(time|latency|op|cost|per)\b";
    "memory_used" Bytes down: r"\b(memory|vram|rss|mem|footprint|heap|ram)\b";
    "cache_hit_rate" Ratio up: r"\bhit[- ]?(rate|ratio)\b";
    "acc" Ratio up "ratio": r"\b(accuracy|acc|exact[- ]match|pass@\d+|f1|recall|precision)\b";
    "error_rate" Ratio down: r"\b(error|failure)[- ]rate\b";
    "acceptance_rate" Ratio up: r"\baccept(ance)?[- ]rate\b";
    "utilization" Ratio up: r"\butili[sz]ation\b";
    "perplexity" Other down "ppl": r"\b(perplexity|ppl)\b";
    "power" Other down: r"\b(power|draw|watts?)\b";
    "temperature" Other down: r"\b(temp|temperature)\b";
}

/// Metrics that only tools print, or that only a unit names.
const OTHER_METRICS: &[&str] = &[
    "alg_bandwidth",
    "allocs_per_op",
    "bogo_ops_rate",
    "clat",
    "clock",
    "event_rate",
    "exact_match",
    "iteration_rate",
    "iteration_time",
    "jitter",
    "lat",
    "memory_per_op",
    "op_time",
    "packet_loss",
    "retransmits",
    "slat",
    "sys_time",
    "transferred",
    "user_time",
    "word_perplexity",
];

/// Ids of all metrics, some more than once.
pub fn metric_ids() -> impl Iterator<Item = &'static str> {
    METRICS.iter().map(|m| m.id).chain(OTHER_METRICS.iter().copied())
}

/// Classes of units that a metric is known to have; `None` when any will do.
pub fn kinds(metric: &str) -> Option<Vec<Kind>> {
    let kinds: Vec<Kind> = METRICS.iter().filter(|m| m.id == metric).map(|m| m.kind).collect();
    (!kinds.is_empty() && !kinds.contains(&Kind::Other)).then_some(kinds)
}

/// Whether more is better; times, sizes and unknown metrics of such units fall, rates rise.
pub fn higher_is_better(metric: &str, unit: Option<&Unit>) -> bool {
    let known = METRICS.iter().find(|m| m.id == metric).map(|m| m.higher);
    let falls = ["perplexity", "latency", "time", "lat", "retransmits", "memory", "allocs", "loss", "misses"];
    known.unwrap_or_else(|| {
        let by_unit = unit.map(|u| !matches!(Kind::of(u), Kind::Time | Kind::TimePerOp | Kind::Bytes));
        by_unit.unwrap_or(true) && !falls.iter().any(|f| metric.split('_').any(|w| w == *f))
    })
}

/// The metric that a phrase names, for a figure of this unit; the place of the name in the phrase comes with it.
pub fn metric(phrase: &str, unit: Option<&Unit>) -> Option<(&'static Metric, usize)> {
    let kind = unit.map(Kind::of);
    METRICS.iter().filter(|m| kind.is_none_or(|k| k == m.kind)).find_map(|m| {
        let last = m.words.find_iter(phrase).last()?;
        Some((m, last.start()))
    })
}

/// The metric that a unit stands for when no noun says more.
pub fn default_metric(unit: &Unit) -> Option<&'static str> {
    Some(match Kind::of(unit) {
        Kind::TokenRate => "output_throughput",
        Kind::RequestRate => "request_throughput",
        Kind::ByteRate => "throughput",
        Kind::FlopRate => "flops",
        Kind::TimePerOp => "time_per_op",
        Kind::Time if unit.per_token => "tpot",
        Kind::OtherRate if unit.dimension.power(Quantity::Io) == 1 => "iops",
        Kind::OtherRate if unit.dimension.power(Quantity::Frame) == 1 => "frame_rate",
        Kind::OtherRate if unit.dimension.power(Quantity::Event) == 1 => "event_rate",
        Kind::OtherRate if unit.dimension.power(Quantity::Iteration) == 1 => "iteration_rate",
        Kind::OtherRate => "ops_rate",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(phrase: &str, unit: &str) -> Option<&'static str> {
        metric(phrase, Unit::parse(unit).as_ref()).map(|(m, _)| m.id)
    }

    #[test]
    fn the_unit_decides_which_noun_counts() {
        assert_eq!(named("decode throughput", "tok/s"), Some("decode_throughput"));
        assert_eq!(named("decode step", "ms"), Some("decode_latency"));
        assert_eq!(named("Total output throughput", "tok/s"), Some("output_throughput"));
        assert_eq!(named("total throughput", "tok/s"), Some("total_throughput"));
        assert_eq!(named("memory bandwidth", "GB/s"), Some("memory_bandwidth"));
        assert_eq!(named("memory", "GB"), Some("memory_used"));
        assert_eq!(named("P99 TTFT", "ms"), Some("ttft"));
        assert_eq!(named("timeout", "s"), None);
    }

    #[test]
    fn direction_follows_metric_then_unit() {
        assert!(higher_is_better("output_throughput", None) && !higher_is_better("ttft", None));
        assert!(!higher_is_better("op_time", None) && !higher_is_better("word_perplexity", None));
        assert!(!higher_is_better("clat", Unit::parse("µs").as_ref()));
    }
}
