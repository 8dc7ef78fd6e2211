//! A figure in prose that differs from the table of the same message.

use std::collections::BTreeMap;

use super::figures::{differ, is_plain, subject};
use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::bench::Measurement;

pub(super) const RULE: Rule = Rule {
    id: "text-contradicts-table",
    severity: Severity::Medium,
    experimental: true,
    doc: r#"
**What it finds.** A message states a measured figure in prose, and its own table has another value for the same metric, unit, statistic,
scope and conditions.

**Why it matters.** One of the two is wrong, and readers copy the sentence.

**Example.** "Throughput at 8 users is 512 tok/s" above a table whose row for 8 users says 412.

**Exceptions.** Figures that are rounded, approximate, a range, a target or an estimate; a table with several values for the same conditions.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let mut found = Vec::new();
    for group in e.facts.bench.measurements.chunk_by(|a, b| a.msg == b.msg) {
        let mut cells: BTreeMap<String, Vec<&Measurement>> = BTreeMap::new();
        for m in group.iter().filter(|m| m.cell.is_some() && m.value.is_some()) {
            cells.entry(subject(m)).or_default().push(m);
        }
        for said in group.iter().filter(|m| m.cell.is_none() && is_plain(m)) {
            let Some([cell]) = cells.get(&subject(said)).map(Vec::as_slice) else { continue };
            if let (Some(a), Some(b)) = (said.value, cell.value)
                && differ(a, b)
            {
                let unit = said.unit.clone().unwrap_or_default();
                found.push(
                    Discrepancy::of(&RULE, said.msg)
                        .at(&said.span)
                        .value("metric", said.metric.clone())
                        .value("said", a)
                        .value("table", b)
                        .value("unit", unit),
                );
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;

    fn text(said: &str) -> String {
        format!("The median TTFT is {said} ms.\n\n| Metric | Value |\n|---|---|\n| Median TTFT | 412 ms |\n")
    }

    #[test]
    fn finds_a_sentence_that_its_table_belies() {
        let found = fire(&RULE, &SessionBuilder::new().assistant(&text("512")).build());
        assert_eq!(found.iter().map(|d| d.values["table"].clone()).collect::<Vec<_>>(), [serde_json::json!(412.0)]);
        for same in ["412", "~500", "411.8"] {
            assert_eq!(fire(&RULE, &SessionBuilder::new().assistant(&text(same)).build()), [], "{same}");
        }
    }
}
