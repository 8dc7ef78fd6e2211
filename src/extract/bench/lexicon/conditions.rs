//! The words that say what a figure holds for: statistic, scope, load and configuration.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::words;

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
        ("request_rate", r"^(rps|qps|request[ _]rate|arrival rate|offered (load|rate))$"),
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

    #[test]
    fn conditions_are_read_from_words() {
        let p = params("single-stream, batch 4, TP=8, 16k context");
        let want = [("batch", "4"), ("concurrency", "1"), ("context", "16k"), ("tp", "8")];
        assert_eq!(p, want.map(|(k, v)| (k.to_owned(), v.to_owned())).into());
        assert_eq!(statistic("P99.9 latency").as_deref(), Some("p99.9"));
        assert_eq!(statistic("50% percentile latency").as_deref(), Some("p50"));
    }
}
