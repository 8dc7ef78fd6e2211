//! The text of a limits file, and what comes of it.

use super::*;
use crate::error::Error;

const GOOD: &str = "schema = 1\n[[limit]]\nid = \"link\"\nmetric = \"bus_bandwidth\"\nunit = \"GB/s\"\nvalue = 40\n\
    when = { size = 64, gpus = { max = 4 } }\nsource = \"data sheet\"\n";

fn line_and_reason(text: &str) -> (usize, String) {
    match LimitsFile::parse("l.toml", text) {
        Err(Error::Config { path, line, reason }) => {
            assert_eq!(path, "l.toml");
            (line, reason)
        }
        other => panic!("no error: {other:?}"),
    }
}

#[test]
fn reads_values_and_conditions() {
    let file = LimitsFile::parse("l.toml", GOOD).unwrap();
    let limit = &file.limits[0];
    assert_eq!((limit.value, limit.unit.as_str(), limit.kind.as_str()), (40.0, "GB/s", "theoretical"));
    let want = [("gpus", "<=4"), ("size", "64")].map(|(k, v)| (k.to_owned(), v.to_owned()));
    assert_eq!(limit.applies_when, want.into());
    let twice = format!("{GOOD}{}", GOOD.replace("schema = 1\n", "").replace("40", "50"));
    let values: Vec<f64> = LimitsFile::parse("l.toml", &twice).unwrap().limits.iter().map(|l| l.value).collect();
    assert_eq!(values, [50.0], "later entries win");
}

#[test]
fn a_formula_shows_its_inputs() {
    let text = GOOD.replace("value = 40", "formula = \"pcie(lanes=16, 16)\"");
    let limit = LimitsFile::parse("l.toml", &text).unwrap().limits.remove(0);
    assert_eq!(((limit.value * 10.0).round(), limit.origin), (315.0, LimitOrigin::Calculator));
    assert_eq!(limit.derivation.unwrap(), "pcie(lanes=16, 16); gts = 16 (as written), lanes = 16 (as written)");
    let text = GOOD.replace("value = 40", "formula = \"min(link.eth_10g * 2, 3 GB/s)\"");
    let limit = LimitsFile::parse("l.toml", &text).unwrap().limits.remove(0);
    assert_eq!(limit.value, 2.5);
    assert!(
        limit.derivation.as_deref().unwrap().contains("link.eth_10g = 1.25 GB/s (catalogue: arithmetic"),
        "{limit:?}"
    );
}

const NODE: &str = r#"
[hardware.node]
device = "h100_sxm"
count = 2
bw = "2 TB/s"
[model.toy]
main_params = "20e9"
main_bytes = "fp8"
kv_bytes_per_token = "10 * 1000"
"#;

fn decode(model: &str, formula: &str) -> Result<LimitsFile, Error> {
    let entry = "[[limit]]\nid = \"roof\"\nmetric = \"output_throughput\"\nunit = \"tok/s\"\nsource = \"own\"\n";
    LimitsFile::parse("l.toml", &format!("{NODE}{model}{entry}formula = \"{formula}\"\n"))
}

#[test]
fn hardware_and_models_feed_the_calculators() {
    let limit = decode("", "decode_bw(node, model.toy)").unwrap().limits.remove(0);
    assert_eq!((limit.value, limit.band), (200.0, None));
    let derivation = limit.derivation.unwrap();
    for part in [
        "bw = 2 TB/s (hardware.node.bw: l.toml:5)",
        "n = 2 (hardware.node.count: l.toml:4)",
        "weights = 20 GB (model.toy: main",
    ] {
        assert!(derivation.contains(part), "{part}: {derivation}");
    }
    assert_eq!(decode("", "1 tok * node.bw * node.count / 20 GB").unwrap().limits[0].value, 200.0);
}

#[test]
fn an_unknown_number_format_gives_a_band() {
    let limit = decode("rest_params = 1e9\n", "decode_bw(node, toy)").unwrap().limits.remove(0);
    let (lo, hi) = limit.band.unwrap();
    assert_eq!(((lo * 10.0).round(), (hi * 10.0).round()), (1818.0, 1951.0));
    assert_eq!(limit.value, hi, "the end that nothing can pass");
    assert!(limit.derivation.unwrap().contains("0.5–2 B (number format not stated"));
}

#[test]
fn experts_are_read_as_the_batch_grows() {
    let moe = "routed_params = 4e9\nrouted_bytes = 1\nexperts = 8\nexperts_per_token = 2\n";
    let value = |batch: u32| decode(moe, &format!("decode_bw(node, toy, batch={batch})")).unwrap().limits[0].value;
    assert_eq!(value(1), 4e12 / 24e9);
    assert!((value(1000) - 1000.0 * 4e12 / 36e9).abs() < 1e-6, "all 8 experts are 16e9 weights");
}

#[test]
fn conditions_of_a_figure_make_a_limit_for_each() {
    use crate::extract::{Config, extract};
    use crate::session::build::SessionBuilder;
    let file = decode("", "decode_bw(node, toy, batch=params.concurrency)").unwrap();
    assert_eq!(file.waiting(&[]), [("roof".to_owned(), vec!["concurrency".to_owned()])]);
    let table = "| Concurrency | Output tok/s |\n|--:|--:|\n| 1 | 100 |\n| 4 | 350.5 |\n";
    let session = SessionBuilder::new().assistant(table).build();
    let bench = extract(&session, &Config { limits: file }).bench;
    let seen: Vec<(&str, f64)> = bench.limits.iter().map(|l| (l.id.as_str(), l.value)).collect();
    assert_eq!(seen, [("roof[concurrency=1]", 200.0), ("roof[concurrency=4]", 800.0)]);
    let shares: Vec<f64> = bench.efficiencies.iter().map(|e| e.efficiency).collect();
    assert_eq!(shares, [0.5, 350.5 / 800.0]);
}

#[test]
fn a_wrong_formula_says_where_and_what_to_do() {
    let deep = format!("{}1{}", "(".repeat(40), ")".repeat(40));
    for (formula, words) in [
        ("node.bw / 20 GB", "gives 1/s"),
        ("node.bw + 3 tok/s", "a sum of B/s and tok/s"),
        ("node", "write hardware.node.NAME"),
        ("nodes.bw", "is not known: this file defines hardware.node, model.toy"),
        ("decode_bw(node)", "needs the input \"weights\""),
        ("decode_bw(node, toy, size=1)", "has no input \"size\""),
        ("decode_bw(node, weights=3 s)", "weights of decode_bw is B, not s"),
        ("magic(1)", "is no calculator"),
        ("min(1, ", "ends where"),
        ("2 tok/s 3", "expected an operator"),
        ("1 tok/s / 0", "may be 0"),
        (&deep, "nested"),
        (&"1 + ".repeat(300), "1024 bytes"),
        ("é", "is not known"),
        ("1 tok/s - 2 tok/s", "positive"),
    ] {
        match decode("", formula) {
            Err(Error::Config { line, reason, .. }) => {
                assert!(line == 15 && reason.contains(words), "{formula}: {line} {reason}")
            }
            other => panic!("{formula}: {other:?}"),
        }
    }
}

#[test]
fn says_the_line_of_what_is_wrong() {
    for (from, to, line, words) in [
        ("GB/s", "GB/sx", 5, "unit \"GB/sx\" is not known; write one"),
        ("GB/s", "tok/s", 5, "bus_bandwidth is not measured in tok/s"),
        ("bus_bandwidth", "bus_bandwith", 4, "metric \"bus_bandwith\" is not known"),
        ("value = 40", "value = -1", 6, "positive"),
        ("source", "sauce", 8, "unknown field"),
        ("value = 40", "value = ", 6, ""),
        ("value = 40", "value = 40\nkind = \"guess\"", 7, "kind \"guess\""),
        ("value = 40", "value = 40\ndirection = \"lower\"", 7, "\"higher\""),
        ("size = 64", "size = [1]", 7, "a condition is"),
        ("value = 40\n", "", 2, "no value"),
        ("value = 40", "value = 40\nformula = \"1 GB/s\"", 7, "both"),
        ("[[limit]]", "[hardware.n]\ndevice = \"h1\"\n[[limit]]", 3, "take one of"),
        ("[[limit]]", "[hardware.n]\nspeed = 1\n[[limit]]", 3, "hardware has no \"speed\""),
        ("[[limit]]", "[model.m]\na_bytes = 1\n[[limit]]", 3, "needs a_params"),
        ("value = 40", "value = [40, \"3 tok/s\"]", 6, "must be B/s"),
        ("schema = 1", "schema = 9", 1, "schema 9"),
    ] {
        let (at, reason) = line_and_reason(&GOOD.replacen(from, to, 1));
        assert!(at == line && reason.contains(words), "{to}: line {at}: {reason}");
    }
}
