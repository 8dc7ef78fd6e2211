//! The words that say what a figure is: metrics, statistics, roles, phases, conditions.
//!
//! Every list is ordered, the more specific first. Texts are matched in any case.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::MeasurementRole;
use super::units::{Dimension, Quantity, Unit};

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
    "cache_hit_rate" Ratio up: r"\bhit[- ]?rate\b";
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

/// Compiles a list of words; `\b` is the ASCII one, which costs a big set nothing.
pub(crate) fn words(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){}", pattern.replace(r"\b", r"(?-u:\b)"))).expect("static pattern")
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

static PERCENTILE: LazyLock<Regex> =
    LazyLock::new(|| words(r"\bp(\d{1,2}(?:\.\d+)?)\b|\b(\d{1,2}(?:\.\d+)?)(?:th|%) (?:percentile|pct)"));
static STATISTICS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let list = [
        ("p50", r"\b(median|med)\b"),
        ("stdev", r"\b(std|stdev|stddev|std\.? ?dev)\b|σ"),
        ("mean", r"\b(mean|avg|average)\b"),
        ("min", r"\b(min|minimum|fastest|lowest)\b"),
        ("max", r"\b(max|maximum|peak(ed)?|slowest|highest)\b"),
    ];
    list.map(|(id, w)| (id, words(w))).into()
});

/// The statistic that a phrase names.
pub fn statistic(phrase: &str) -> Option<String> {
    if let Some(found) = PERCENTILE.captures(phrase) {
        let n = found.get(1).or_else(|| found.get(2))?;
        return Some(format!("p{}", n.as_str()));
    }
    STATISTICS.iter().find(|(_, w)| w.is_match(phrase)).map(|(id, _)| (*id).to_owned())
}

static ROLES: LazyLock<Vec<(MeasurementRole, Regex)>> = LazyLock::new(|| {
    use MeasurementRole::{Estimated, Invalid, Measured, Quoted, Target, Theoretical};
    let list = [
        (Invalid, r"\b(warm-?up|discard(ed)?|invalid|fake|cold (run|start) figure|bogus|retracted|outlier)\b"),
        (
            Estimated,
            r"\b(estimat\w*|expect\w*|predict\w*|projected|projection|should (be|get|give|reach|yield|see|hit|run)|would|could|might|may (be|reach|get)|realistically|realistic (?:estimate|expectation|goal|range|number|upper)\w*|back[- ]of[- ](the[- ])?envelope|assum\w*|hypothetical\w*|approx\. ideal)\b|^at \d+ ?%",
        ),
        (
            Target,
            r"\b(targets?|goals?|slo|at least|must|needs? (to|at)|want|required?|requirement|acceptance|budget|aim(ing)?|thresholds?|(alarms?|alerts?) (should|must|when|if|at|fires?))\b|≥",
        ),
        (
            Theoretical,
            r"\b(theoretical\w*|theory|ceiling|upper bound|roofline|speed[- ]of[- ]light|sol|line[- ]rate|rated|max(imum)? possible|hardware (limit|peak|max\w*)|(link|bandwidth|bw|physical|pcie|bus|memory) (limit|max(imum)?|peak)|limit (is|of)|peak (memory )?bandwidth|peak [kmgtp]?flops?|ideal)\b",
        ),
        (
            Quoted,
            r"\b(reports?|reported by|according to|blog|paper|readme|published|vendor|claims|advertised|data ?sheet|specs?|specification|documentation|https?)\b",
        ),
        (
            Measured,
            r"\b(measured|got|achiev\w*|observed|actual\w*|now|results?|we see|ran|reached|gave|gives|gets|hits?|clocked|benchmarked|delivers?|sustained?)\b",
        ),
    ];
    list.map(|(role, w)| (role, words(w))).into()
});

/// The role that a phrase gives its figure: the cue nearest to its end, or to its start when the phrase stands behind.
pub fn role(phrase: &str, behind: bool) -> Option<MeasurementRole> {
    let found = ROLES.iter().filter_map(|(role, w)| {
        let m = if behind { w.find(phrase) } else { w.find_iter(phrase).last() }?;
        Some((if behind { m.start() } else { phrase.len() - m.end() }, *role))
    });
    found.min_by_key(|(distance, _)| *distance).map(|(_, role)| role)
}

static DERIVED: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(diff|difference|change|gain|speed-?up|relative|improvement|overhead|reduction|savings?|faster|slower|ratio|factor|efficiency|gap|delta|regression|scaling|cost saving|improved|increase|decrease|vs\.?)\b|Δ|^vs\b|% of|×$",
    )
});

/// Whether a header or phrase announces a difference or ratio of other figures.
pub fn is_derived(phrase: &str) -> bool {
    DERIVED.is_match(phrase)
}

static PHASES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let list = [
        ("baseline", r"\b(baseline|stock|vanilla|unpatched|original(ly)?|without)\b"),
        ("before", r"\b(before|old|previous(ly)?|earlier|initial(ly)?|up from|down from)\b"),
        ("after", r"\b(after|new|tuned|patched|optimi[sz]ed|improved|now|current(ly)?)\b"),
    ];
    list.map(|(id, w)| (id, words(w))).into()
});

/// The phase that a phrase names: the cue nearest to its end.
pub fn phase(phrase: &str) -> Option<&'static str> {
    let last = |w: &Regex| w.find_iter(phrase).last().map(|m| m.end());
    PHASES.iter().filter_map(|(id, w)| Some((last(w)?, *id))).max().map(|(_, id)| id)
}

static SCOPES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let list = [
        ("per_gpu", r"(\bper[- ]|/ ?)(gpu|card|device|chip)\b"),
        ("per_user", r"(\bper[- ]|/ ?)(user|stream|request|req|session)\b"),
        ("per_thread", r"(\bper[- ]|/ ?)thread\b"),
        ("per_core", r"(\bper[- ]|/ ?)core\b"),
        ("per_node", r"(\bper[- ]|/ ?)(node|server)\b"),
    ];
    list.map(|(id, w)| (id, words(w))).into()
});

/// `per_gpu`, `per_user` …, when a phrase says so.
pub fn scope(phrase: &str) -> Option<&'static str> {
    SCOPES.iter().find(|(_, w)| w.is_match(phrase)).map(|(id, _)| *id)
}

static PARAMS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let list = [
        ("concurrency", r"\b(?:concurrency|conc)(?: (?:of|level))?\s*[=:]?\s*(\d+k?)\b"),
        ("concurrency", r"\bc\s?=\s?(\d+)\b"),
        ("concurrency", r"\b(\d+) (?:concurrent|parallel|simultaneous)\b"),
        ("concurrency", r"\b(\d+) (?:users|clients|streams)\b"),
        ("concurrency", r"\b(single|one)[- ](?:stream|user|request|concurrency)\b"),
        ("batch", r"\b(?:batch(?: ?size)?|bs)\s*[=:]?\s*(\d+)\b"),
        ("tp", r"\btp(?: ?size)?\s*[=:]?\s*(\d+)\b"),
        ("pp", r"\bpp\s*=\s*(\d+)\b"),
        ("ep", r"\bep\s*[=:]\s*(\d+)\b"),
        ("dp", r"\bdp\s*[=:]\s*(\d+)\b"),
        ("context", r"\b(?:ctx|context(?: (?:length|size|len))?)\s*[=:]?\s*(\d+k?)\b"),
        ("context", r"\b(\d+k) (?:ctx|context)\b"),
        ("input_len", r"\b(?:isl|input[-_ ]len(?:gth)?)\s*[=:]?\s*(\d+k?)\b"),
        ("output_len", r"\b(?:osl|output[-_ ]len(?:gth)?)\s*[=:]?\s*(\d+k?)\b"),
        ("threads", r"\bthreads\s*[=:]\s*(\d+)\b"),
        ("threads", r"\b(\d+) threads\b"),
        ("connections", r"\b(\d+) connections\b"),
        ("iodepth", r"\b(?:iodepth|qd)\s*[=:]?\s*(\d+)\b"),
        ("gpus", r"\b(\d+) ?gpus\b"),
        ("build", r"\bbuild ([A-Z])\b"),
    ];
    list.map(|(key, w)| (key, words(w))).into()
});

/// The conditions that a phrase states, such as `concurrency 8` or `batch=4`.
pub fn params(phrase: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for (key, pattern) in PARAMS.iter() {
        if let Some(found) = pattern.captures(phrase).and_then(|c| c.get(1)) {
            let one = ["single", "one"].iter().any(|w| found.as_str().eq_ignore_ascii_case(w));
            let value = if one { "1" } else { found.as_str() };
            out.entry((*key).to_owned()).or_insert_with(|| value.to_owned());
        }
    }
    out
}

static PARAM_HEADERS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let list = [
        (
            "concurrency",
            r"^(max )?(concurrency|conc\.?|c|clients|users|concurrent (requests|users|clients)|parallel requests)$",
        ),
        ("batch", r"^(batch|bs|batch[ _]?size|b)$"),
        ("tp", r"^(tp|tp[ _]size|tensor parallel(ism)?)$"),
        ("context", r"^(ctx|context|context (length|size|len)|seq(uence)?[ _]?len(gth)?)$"),
        ("input_len", r"^(isl|input( len(gth)?| tokens)?|prompt( len(gth)?| tokens)?|prompt size)$"),
        ("output_len", r"^(osl|output len(gth)?|output tokens|max tokens)$"),
        ("threads", r"^(threads?|n_threads|num threads|workers?|cores?)$"),
        ("gpus", r"^(gpus|#gpus|num gpus|n gpus|gpu count)$"),
        ("model", r"^models?$"),
        (
            "size",
            r"^((test|matrix|message|msg|data|input|problem|array|vector|buffer|block|file|dataset|tensor|signal|grid|payload) )?sizes?$|^n$|^elements$|^dims?(ensions?)?$",
        ),
        (
            "test",
            r"^(test|test case|case|benchmark|bench|scenario|workload|operation|op|function|kernel|query|task|name|command|method|algorithm|implementation|phase|stage|step)$",
        ),
        ("quant", r"^(quant|quantization|dtype|precision|format|type)$"),
        (
            "config",
            r"^(config|configuration|setup|variant|version|backend|engine|mode|system|framework|library|tool|option|approach|build|commit|run|date|iteration|change)$",
        ),
        ("gpu", r"^(gpu|hardware|device|node|machine|platform)$"),
        ("iodepth", r"^(iodepth|qd|queue depth)$"),
        ("intensity", r"^((arithmetic|operational) intensity|intensity|ai|oi|flops?/b(yte)?)$"),
    ];
    list.map(|(key, w)| (key, words(w))).into()
});

/// The parameter that a column header names.
pub fn param_header(header: &str) -> Option<&'static str> {
    PARAM_HEADERS.iter().find(|(_, w)| w.is_match(header)).map(|(key, _)| *key)
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
    fn the_nearest_cue_gives_the_role() {
        use MeasurementRole::{Measured, Theoretical};
        assert_eq!(role("the theoretical limit was known, we measured ", false), Some(Measured));
        assert_eq!(role(" theoretical, measured", true), Some(Theoretical));
        assert_eq!(role("and ", false), None);
    }

    #[test]
    fn conditions_are_read_from_words() {
        let p = params("single-stream, batch 4, TP=8, 16k context");
        let want = [("batch", "4"), ("concurrency", "1"), ("context", "16k"), ("tp", "8")];
        assert_eq!(p, want.map(|(k, v)| (k.to_owned(), v.to_owned())).into());
        assert_eq!(statistic("P99.9 latency").as_deref(), Some("p99.9"));
        assert_eq!(statistic("50% percentile latency").as_deref(), Some("p50"));
    }

    #[test]
    fn direction_follows_metric_then_unit() {
        assert!(higher_is_better("output_throughput", None) && !higher_is_better("ttft", None));
        assert!(!higher_is_better("op_time", None) && !higher_is_better("word_perplexity", None));
        assert!(!higher_is_better("clat", Unit::parse("µs").as_ref()));
    }
}
