//! Formulas that give a limit when all their inputs are known.

/// A formula with named inputs.
#[derive(Debug)]
pub struct Calculator {
    /// Name in limits files.
    pub id: &'static str,
    /// Inputs, in the order that `compute` takes them.
    pub inputs: &'static [&'static str],
    /// Unit of the result.
    pub unit: &'static str,
    /// The formula as shown.
    pub formula: &'static str,
    /// Where it comes from, and what it leaves out.
    pub source: &'static str,
    compute: fn(&[f64]) -> f64,
}

impl Calculator {
    /// The result, when it is a positive number.
    pub fn compute(&self, inputs: &[f64]) -> Option<f64> {
        let complete = inputs.len() == self.inputs.len();
        complete.then(|| (self.compute)(inputs)).filter(|v| v.is_finite() && *v > 0.0)
    }
}

/// Every calculator.
pub const CALCULATORS: &[Calculator] = &[
    Calculator {
        id: "decode_bw",
        inputs: &["batch", "bw", "n", "weights", "context", "kv"],
        unit: "tok/s",
        formula: "batch · bw · n / (weights + batch · context · kv); bw in GB/s per device, weights in GB read per step, kv in GB per token of context",
        source: "memory roofline; perfect split over n devices; of a mixture of experts, weights grow with the batch",
        compute: |v| v[0] * v[1] * v[2] / (v[3] + v[0] * v[4] * v[5]),
    },
    Calculator {
        id: "decode_flops",
        inputs: &["n", "flops", "active", "layers", "context", "d_attn"],
        unit: "tok/s",
        formula: "n · flops / (2 · active + 4 · layers · context · d_attn); flops in FLOP/s per device",
        source: "the 2N rule: Kaplan et al. 2020, arXiv 2001.08361",
        compute: |v| v[0] * v[1] / (2.0 * v[2] + 4.0 * v[3] * v[4] * v[5]),
    },
    Calculator {
        id: "prefill",
        inputs: &["prompt", "active", "n", "flops", "layers", "d_attn"],
        unit: "s",
        formula: "(2 · prompt · active + 2 · layers · prompt² · d_attn) / (n · flops)",
        source: "causal attention; dense FLOP/s of the number format that the kernel really uses",
        compute: |v| (2.0 * v[0] * v[1] + 2.0 * v[4] * v[0] * v[0] * v[5]) / (v[2] * v[3]),
    },
    Calculator {
        id: "all_reduce",
        inputs: &["size", "bw_link", "n", "alpha"],
        unit: "s",
        formula: "2 (n − 1) / n · size / bw_link + 2 (n − 1) · alpha; size in GB, bw_link in GB/s, alpha in s",
        source: "ring algorithm: nccl-tests, doc/PERFORMANCE.md",
        compute: |v| 2.0 * (v[2] - 1.0) / v[2] * v[0] / v[1] + 2.0 * (v[2] - 1.0) * v[3],
    },
    Calculator {
        id: "roofline",
        inputs: &["peak", "bw", "intensity"],
        unit: "GFLOP/s",
        formula: "min(peak, bw · intensity); peak in GFLOP/s, bw in GB/s, intensity in FLOP per byte",
        source: "Williams, Waterman, Patterson, CACM 52(4), 2009",
        compute: |v| v[0].min(v[1] * v[2]),
    },
    Calculator {
        id: "amdahl",
        inputs: &["parallel", "n"],
        unit: "x",
        formula: "1 / ((1 − parallel) + parallel / n)",
        source: "Amdahl 1967",
        compute: |v| 1.0 / ((1.0 - v[0]) + v[0] / v[1]),
    },
    Calculator {
        id: "line_rate",
        inputs: &["rate", "mtu"],
        unit: "Gbit/s",
        formula: "rate · (mtu − 40) / (mtu + 38); rate in Gbit/s, mtu in bytes",
        source: "TCP over IPv4 without options: IEEE 802.3 frame sizes",
        compute: |v| v[0] * (v[1] - 40.0) / (v[1] + 38.0),
    },
    Calculator {
        id: "pcie",
        inputs: &["gts", "lanes"],
        unit: "GB/s",
        formula: "gts · lanes · 128 / 130 / 8, one direction, generations 3 to 5",
        source: "PCI-SIG line coding; packet overhead leaves 85–95 %",
        compute: |v| v[0] * v[1] * 128.0 / 130.0 / 8.0,
    },
    Calculator {
        id: "memory",
        inputs: &["channels", "mts"],
        unit: "GB/s",
        formula: "channels · mts · 8 / 1000; mts in MT/s",
        source: "JEDEC 64-bit channel",
        compute: |v| v[0] * v[1] * 8.0 / 1000.0,
    },
];

/// A calculator by name.
pub fn find(id: &str) -> Option<&'static Calculator> {
    CALCULATORS.iter().find(|c| c.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(id: &str, inputs: &[f64]) -> Option<f64> {
        find(id)?.compute(inputs).map(|v| (v * 100.0).round() / 100.0)
    }

    #[test]
    fn known_results() {
        assert_eq!(rounded("line_rate", &[10.0, 1500.0]), Some(9.49));
        assert_eq!(rounded("line_rate", &[10.0, 9000.0]), Some(9.91));
        assert_eq!(rounded("pcie", &[32.0, 16.0]), Some(63.02));
        assert_eq!(rounded("memory", &[2.0, 5600.0]), Some(89.6));
        assert_eq!(rounded("amdahl", &[0.5, 4.0]), Some(1.6));
        assert_eq!(rounded("decode_bw", &[1.0, 1000.0, 2.0, 20.0, 0.0, 0.0]), Some(100.0));
        assert_eq!(rounded("roofline", &[100.0, 10.0, 4.0]), Some(40.0));
        assert_eq!(rounded("decode_bw", &[1.0]), None, "an input is missing");
        assert_eq!(rounded("decode_bw", &[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]), None, "division by nothing");
    }
}
