//! Formulas of the field that give a limit when all their inputs are known.
//!
//! Inputs and results are in base units (bytes, seconds, FLOP …). Each formula rises or falls steadily with each of its
//! inputs, so that a band of inputs gives the band of the result at its corners.

use super::units::Unit;

/// An input of a calculator.
#[derive(Debug, Clone, Copy)]
pub struct Input {
    /// Name in formulas.
    pub name: &'static str,
    /// A unit of its dimension; `""` for a plain number.
    pub unit: &'static str,
    /// What it is, in base units, when it is left out; `None` = it must be given.
    pub default: Option<f64>,
}

/// A formula with named inputs.
#[derive(Debug)]
pub struct Calculator {
    /// Name in formulas.
    pub id: &'static str,
    /// Inputs, in the order that `compute` takes them.
    pub inputs: &'static [Input],
    /// Unit of the result.
    pub unit: &'static str,
    /// The formula as shown.
    pub formula: &'static str,
    /// Where it comes from, and what it leaves out.
    pub source: &'static str,
    compute: fn(&[f64]) -> f64,
}

impl Calculator {
    /// The result in base units, when it is a finite number.
    pub fn compute(&self, inputs: &[f64]) -> Option<f64> {
        let complete = inputs.len() == self.inputs.len();
        complete.then(|| (self.compute)(inputs)).filter(|v| v.is_finite())
    }

    /// The inputs as `name (unit) = default`.
    pub fn signature(&self) -> String {
        let shown = |i: &Input| {
            let unit = if i.unit.is_empty() { String::new() } else { format!(" ({})", i.unit) };
            let default = i.default.map(|d| format!(" = {d}")).unwrap_or_default();
            format!("{}{unit}{default}", i.name)
        };
        self.inputs.iter().map(shown).collect::<Vec<_>>().join(", ")
    }
}

impl Input {
    /// How large one of its unit is in base units.
    pub fn scale(&self) -> f64 {
        Unit::parse(self.unit).map_or(1.0, |u| u.scale.factor())
    }
}

const fn need(name: &'static str, unit: &'static str) -> Input {
    Input { name, unit, default: None }
}

const fn with(name: &'static str, unit: &'static str, default: f64) -> Input {
    Input { name, unit, default: Some(default) }
}

/// Every calculator.
pub const CALCULATORS: &[Calculator] = &[
    Calculator {
        id: "decode_bw",
        inputs: &[
            need("bw", "B/s"),
            with("n", "", 1.0),
            need("weights", "B"),
            with("batch", "", 1.0),
            with("ctx", "", 0.0),
            with("kv", "B", 0.0),
        ],
        unit: "tok/s",
        formula: "batch · bw · n / (weights + batch · ctx · kv); weights: bytes read for one step, kv: bytes for one token of context",
        source: "memory roofline: perfect split over n devices, no communication; of a mixture of experts, weights grow with the batch",
        compute: |v| v[3] * v[0] * v[1] / (v[2] + v[3] * v[4] * v[5]),
    },
    Calculator {
        id: "decode_flops",
        inputs: &[
            need("flops", "FLOP/s"),
            with("n", "", 1.0),
            need("active", ""),
            with("layers", "", 0.0),
            with("ctx", "", 0.0),
            with("d_attn", "", 0.0),
        ],
        unit: "tok/s",
        formula: "n · flops / (2 · active + 4 · layers · ctx · d_attn); active: weights used for one token",
        source: "the 2N rule: Kaplan et al. 2020, arXiv 2001.08361",
        compute: |v| v[1] * v[0] / (2.0 * v[2] + 4.0 * v[3] * v[4] * v[5]),
    },
    Calculator {
        id: "prefill",
        inputs: &[
            need("flops", "FLOP/s"),
            with("n", "", 1.0),
            need("prompt", ""),
            need("active", ""),
            with("layers", "", 0.0),
            with("d_attn", "", 0.0),
        ],
        unit: "s",
        formula: "(2 · prompt · active + 2 · layers · prompt² · d_attn) / (n · flops)",
        source: "causal attention; dense FLOP/s of the number format that the kernel really uses",
        compute: |v| (2.0 * v[2] * v[3] + 2.0 * v[4] * v[2] * v[2] * v[5]) / (v[1] * v[0]),
    },
    Calculator {
        id: "speculative",
        inputs: &[
            need("limit", "tok/s"),
            need("accept_length", ""),
            with("t_base", "s", 1.0),
            with("t_verify", "s", 1.0),
            with("t_draft", "s", 0.0),
        ],
        unit: "tok/s",
        formula: "limit · accept_length · t_base / (t_verify + t_draft)",
        source: "accepted tokens for one step, the bonus token among them; without the times the upper bound",
        compute: |v| v[0] * v[1] * v[2] / (v[3] + v[4]),
    },
    Calculator {
        id: "tp_latency",
        inputs: &[need("t_mem", "s"), need("layers", ""), with("per_layer", "", 2.0), need("t_allreduce", "s")],
        unit: "tok/s",
        formula: "1 / (t_mem + layers · per_layer · t_allreduce)",
        source: "one all-reduce after attention and one after the MLP of each layer, not overlapped",
        compute: |v| 1.0 / (v[0] + v[1] * v[2] * v[3]),
    },
    Calculator {
        id: "all_reduce",
        inputs: &[need("size", "B"), need("bw_link", "B/s"), need("n", ""), with("alpha", "s", 0.0)],
        unit: "s",
        formula: "2 (n − 1) / n · size / bw_link + 2 (n − 1) · alpha",
        source: "ring algorithm: nccl-tests, doc/PERFORMANCE.md",
        compute: |v| 2.0 * (v[2] - 1.0) / v[2] * v[0] / v[1] + 2.0 * (v[2] - 1.0) * v[3],
    },
    Calculator {
        id: "all_reduce_one_shot",
        inputs: &[need("size", "B"), need("bw_link", "B/s"), need("n", ""), with("alpha", "s", 0.0)],
        unit: "s",
        formula: "(n − 1) · size / bw_link + alpha",
        source: "every device sends all to every other in one step",
        compute: |v| (v[2] - 1.0) * v[0] / v[1] + v[3],
    },
    Calculator {
        id: "bus_bw",
        inputs: &[need("alg_bw", "B/s"), need("n", "")],
        unit: "B/s",
        formula: "alg_bw · 2 (n − 1) / n, of an all-reduce",
        source: "nccl-tests, doc/PERFORMANCE.md; in-network reduction may exceed the link",
        compute: |v| v[0] * 2.0 * (v[1] - 1.0) / v[1],
    },
    Calculator {
        id: "roofline",
        inputs: &[need("peak", "FLOP/s"), need("bw", "B/s"), need("intensity", "FLOP/B")],
        unit: "FLOP/s",
        formula: "min(peak, bw · intensity)",
        source: "Williams, Waterman, Patterson, CACM 52(4), 2009",
        compute: |v| v[0].min(v[1] * v[2]),
    },
    Calculator {
        id: "amdahl",
        inputs: &[need("parallel", ""), need("n", "")],
        unit: "x",
        formula: "1 / ((1 − parallel) + parallel / n)",
        source: "Amdahl 1967",
        compute: |v| 1.0 / ((1.0 - v[0]) + v[0] / v[1]),
    },
    Calculator {
        id: "gustafson",
        inputs: &[need("parallel", ""), need("n", "")],
        unit: "x",
        formula: "n − (1 − parallel) · (n − 1)",
        source: "Gustafson 1988",
        compute: |v| v[1] - (1.0 - v[0]) * (v[1] - 1.0),
    },
    Calculator {
        id: "little",
        inputs: &[need("throughput", "req/s"), need("latency", "s")],
        unit: "req",
        formula: "throughput · latency",
        source: "Little 1961: requests under way at once; a check of consistency, no limit",
        compute: |v| v[0] * v[1],
    },
    Calculator {
        id: "line_rate",
        inputs: &[need("rate", "bit/s"), with("mtu", "B", 1500.0), with("options", "B", 0.0)],
        unit: "bit/s",
        formula: "rate · (mtu − 40 − options) / (mtu + 38)",
        source: "TCP over IPv4, IEEE 802.3 frame sizes; TCP timestamps are 12 bytes of options",
        compute: |v| v[0] * (v[1] - 40.0 - v[2]) / (v[1] + 38.0),
    },
    Calculator {
        id: "pcie",
        inputs: &[need("gts", ""), need("lanes", "")],
        unit: "GB/s",
        formula: "gts · lanes · 128 / 130 / 8, one direction, generations 3 to 5; gts in GT/s",
        source: "PCI-SIG line coding; packet overhead leaves 85–95 %",
        compute: |v| v[0] * v[1] * 128.0 / 130.0 / 8.0 * 1e9,
    },
    Calculator {
        id: "pcie_flit",
        inputs: &[need("gts", ""), need("lanes", "")],
        unit: "GB/s",
        formula: "gts · lanes · 242 / 256 / 8, one direction, generation 6; gts in GT/s",
        source: "PCI-SIG, 242 bytes of payload in a flit of 256",
        compute: |v| v[0] * v[1] * 242.0 / 256.0 / 8.0 * 1e9,
    },
    Calculator {
        id: "memory",
        inputs: &[need("channels", ""), need("mts", "")],
        unit: "GB/s",
        formula: "channels · mts · 8 bytes; mts in MT/s",
        source: "JEDEC 64-bit channel",
        compute: |v| v[0] * v[1] * 8e6,
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
        let calculator = find(id)?;
        let scale = Unit::parse(calculator.unit)?.scale.factor();
        calculator.compute(inputs).map(|v| (v / scale * 100.0).round() / 100.0)
    }

    #[test]
    fn known_results() {
        assert_eq!(rounded("line_rate", &[10e9 / 8.0, 1500.0, 0.0]), Some(9_492_847_854.36));
        assert_eq!(rounded("pcie", &[32.0, 16.0]), Some(63.02));
        assert_eq!(rounded("pcie_flit", &[64.0, 16.0]), Some(121.0));
        assert_eq!(rounded("memory", &[2.0, 5600.0]), Some(89.6));
        assert_eq!(rounded("amdahl", &[0.5, 4.0]), Some(1.6));
        assert_eq!(rounded("gustafson", &[0.5, 4.0]), Some(2.5));
        assert_eq!(rounded("decode_bw", &[1e12, 2.0, 20e9, 1.0, 0.0, 0.0]), Some(100.0));
        assert_eq!(rounded("speculative", &[100.0, 2.5, 1.0, 1.0, 0.25]), Some(200.0));
        assert_eq!(rounded("tp_latency", &[0.003, 50.0, 2.0, 20e-6]), Some(200.0));
        assert_eq!(rounded("all_reduce_one_shot", &[1e9, 10e9, 3.0, 0.0]), Some(0.2));
        assert_eq!(rounded("decode_bw", &[1.0]), None, "an input is missing");
        assert_eq!(rounded("decode_bw", &[1.0, 1.0, 0.0, 1.0, 0.0, 0.0]), None, "division by nothing");
    }

    #[test]
    fn every_unit_is_known() {
        for c in CALCULATORS {
            assert!(Unit::parse(c.unit).is_some(), "{}", c.id);
            for input in c.inputs.iter().filter(|i| !i.unit.is_empty()) {
                assert!(Unit::parse(input.unit).is_some(), "{} {}", c.id, input.name);
            }
        }
    }
}
