//! The hardware catalogue: a data file, each row with its sources.

use std::sync::LazyLock;

use serde::Serialize;

/// One figure of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// `device`, `link`, `dram`, `nvme` or `weights`.
    pub group: String,
    /// Name in limits files.
    pub id: String,
    /// `bw`, `mem`, `link`, `tf.fp8` …
    pub quantity: String,
    /// Value.
    pub value: f64,
    /// Unit.
    pub unit: String,
    /// Where it was read.
    pub source: String,
    /// What to know of it.
    pub note: String,
}

static CATALOGUE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let file: toml::Table = toml::from_str(include_str!("hardware.toml")).unwrap_or_default();
    read(&file)
});

/// Every figure, in the order of groups and names.
pub fn catalogue() -> &'static [Row] {
    &CATALOGUE
}

/// A figure by `group.id.quantity`, such as `link.pcie5_x16.bw`.
pub fn find(path: &str) -> Option<&'static Row> {
    CATALOGUE.iter().find(|r| path.strip_prefix(&*r.group).is_some_and(|t| t == format!(".{}.{}", r.id, r.quantity)))
}

fn read(file: &toml::Table) -> Vec<Row> {
    let source = |key: &str| file.get("source").and_then(|s| s.get(key)?.as_str()).unwrap_or(key).to_owned();
    let mut out = Vec::new();
    for (group, rows) in file.iter().filter(|(g, _)| *g != "source") {
        for (id, row) in rows.as_table().into_iter().flatten() {
            let sources = row.get("src").and_then(|s| s.as_array()).into_iter().flatten();
            let sources: Vec<String> = sources.filter_map(|s| s.as_str()).map(source).collect();
            let note = row.get("note").and_then(|n| n.as_str()).unwrap_or_default();
            let mut add = |quantity: &str, value: &toml::Value, unit: &str| {
                let number = value.as_float().or_else(|| value.as_integer().map(|i| i as f64));
                out.extend(number.filter(|v| *v > 0.0).map(|value| Row {
                    group: group.clone(),
                    id: id.clone(),
                    quantity: quantity.to_owned(),
                    value,
                    unit: unit.to_owned(),
                    source: sources.join("; "),
                    note: note.to_owned(),
                }));
            };
            for (key, unit) in [("mem", "GB"), ("bw", "GB/s"), ("link", "GB/s"), ("bytes", "B")] {
                row.get(key).into_iter().for_each(|v| add(key, v, unit));
            }
            for (kind, value) in row.get("tf").and_then(|t| t.as_table()).into_iter().flatten() {
                add(&format!("tf.{kind}"), value, if kind == "int8" { "Tops/s" } else { "TFLOP/s" });
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::bench::units::Unit;

    #[test]
    fn every_figure_has_a_source_and_a_known_unit() {
        assert!(catalogue().len() > 80);
        for row in catalogue() {
            assert!(!row.source.is_empty() && row.source.len() > 4, "{row:?}");
            assert!(Unit::parse(&row.unit).is_some(), "{row:?}");
        }
        assert_eq!(find("link.pcie4_x16.bw").map(|r| r.value), Some(31.5));
        assert_eq!(find("device.h100_sxm.tf.bf16").map(|r| r.value), Some(989.0));
        assert_eq!(find("device.nothing.bw"), None);
    }
}
