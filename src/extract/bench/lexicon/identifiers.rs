//! Identifiers as the words they are made of: `mean_time_us` says "mean time (us)".

/// Ends of identifiers that are units. Longer ones first. `gbps` is not among them: it means bits to some and bytes to others.
const ENDS: &[(&str, &str)] = &[
    ("_tokens_per_second", " tok/s"),
    ("_tokens_per_sec", " tok/s"),
    ("_tokens_per_s", " tok/s"),
    ("_tok_per_sec", " tok/s"),
    ("_tok_per_s", " tok/s"),
    ("_toks_per_s", " tok/s"),
    ("_tokens_s", " tok/s"),
    ("_tok_s", " tok/s"),
    ("_tps", " tok/s"),
    ("_requests_per_second", " req/s"),
    ("_requests_per_sec", " req/s"),
    ("_reqs_per_sec", " req/s"),
    ("_req_per_s", " req/s"),
    ("_req_s", " req/s"),
    ("_rps", " req/s"),
    ("_qps", " req/s"),
    ("_ops_per_second", " ops/s"),
    ("_ops_per_sec", " ops/s"),
    ("_ops_per_s", " ops/s"),
    ("_ops_s", " ops/s"),
    ("_mops", " Mops/s"),
    ("_iops", " IOPS"),
    ("_fps", " fps"),
    ("_tflops", " TFLOP/s"),
    ("_gflops", " GFLOP/s"),
    ("_mflops", " MFLOP/s"),
    ("_gb_per_sec", " GB/s"),
    ("_gb_per_s", " GB/s"),
    ("_gb_s", " GB/s"),
    ("_mb_per_sec", " MB/s"),
    ("_mb_per_s", " MB/s"),
    ("_mb_s", " MB/s"),
    ("_mbps", " Mbit/s"),
    ("_milliseconds", " (ms)"),
    ("_millis", " (ms)"),
    ("_microseconds", " (us)"),
    ("_micros", " (us)"),
    ("_nanoseconds", " (ns)"),
    ("_nanos", " (ns)"),
    ("_seconds", " (s)"),
    ("_secs", " (s)"),
    ("_sec", " (s)"),
    ("_ms", " (ms)"),
    ("_us", " (us)"),
    ("_ns", " (ns)"),
    ("_s", " (s)"),
    ("_gib", " (GiB)"),
    ("_mib", " (MiB)"),
    ("_kib", " (KiB)"),
    ("_gb", " (GB)"),
    ("_mb", " (MB)"),
    ("_kb", " (kB)"),
    ("_percent", " (%)"),
    ("_pct", " (%)"),
];

/// The words of an identifier, its unit in brackets at the end. What is no identifier comes back as it is.
pub fn spoken(name: &str) -> String {
    if name.contains(char::is_whitespace) {
        return name.to_owned();
    }
    let lower = snake(name);
    if !lower.contains('_') {
        return name.to_owned();
    }
    match ENDS.iter().find(|(end, _)| lower.ends_with(end)) {
        Some((end, unit)) => format!("{}{unit}", lower[..lower.len() - end.len()].replace('_', " ")),
        None if name.contains('_') => name.replace('_', " "),
        None => lower.replace('_', " "),
    }
}

/// `meanTimeMs` and `mean-time-ms` as `mean_time_ms`.
fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut before = '_';
    for c in name.chars() {
        if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            out.push('_');
        }
        out.push(if c == '-' { '_' } else { c.to_ascii_lowercase() });
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_read_as_words() {
        for (name, words) in [
            ("mean_time_us", "mean time (us)"),
            ("p99LatencyMs", "p99 latency (ms)"),
            ("output_tok_s", "output tok/s"),
            ("throughput-mb-per-sec", "throughput MB/s"),
            ("link_gbps", "link gbps"),
            ("MatrixSize", "matrix size"),
            ("Size", "Size"),
            ("Output (tok/s)", "Output (tok/s)"),
        ] {
            assert_eq!(spoken(name), words);
        }
    }
}
