//! Two figures for one thing in one message.

use std::collections::BTreeMap;

use super::figures::{differ, is_plain, subject};
use super::{Discrepancy, Evidence, Rule, Severity};
use crate::extract::bench::Measurement;
use crate::extract::prose::{Kind, lines};

pub(super) const RULE: Rule = Rule {
    id: "figures-contradict",
    severity: Severity::Medium,
    experimental: true,
    doc: r#"
**What it finds.** One message states two measured figures for the same metric, unit, statistic, scope, phase and conditions, in prose or in two
tables, that differ by more than rounding.

**Why it matters.** The message reports one measurement with two results; what is copied from it depends on where one reads.

**Example.** "p99 latency was 80 ms … with a p99 latency of 95 ms".

**Exceptions.** Two rows of one table, two items of lists; figures that are approximate, a range, a target or an estimate; a figure in prose against a table, which
`text-contradicts-table` reports; figures of different messages, which are measured again.
"#,
    check,
};

fn check(e: &Evidence<'_>) -> Vec<Discrepancy> {
    let mut found = Vec::new();
    for group in e.facts.bench.measurements.chunk_by(|a, b| a.msg == b.msg) {
        let mut seen: BTreeMap<String, &Measurement> = BTreeMap::new();
        for m in group.iter().filter(|m| {
            is_plain(m) && !(m.cell.is_none() && m.params.is_empty() && m.scope.is_none() && m.statistic.is_none())
        }) {
            let first = *seen.entry(subject(m)).or_insert(m);
            let apart = match (first.cell, m.cell) {
                (None, None) => !(is_item(e, first) && is_item(e, m)),
                (Some((a, ..)), Some((b, ..))) => a != b,
                _ => false,
            };
            if let (true, Some(a), Some(b)) = (apart, first.value, m.value)
                && differ(a, b)
            {
                let unit = m.unit.clone().unwrap_or_default();
                let row = Discrepancy::of(&RULE, m.msg).at(&m.span).value("metric", m.metric.clone());
                found.push(row.value("first", a).value("second", b).value("unit", unit));
            }
        }
    }
    found
}

/// Whether a figure stands in an item of a list: the items' labels tell what each is of.
fn is_item(e: &Evidence<'_>, m: &Measurement) -> bool {
    let Some(text) = e.session.text_of(&m.span) else { return false };
    let start = text[..m.span.start as usize].rfind('\n').map_or(0, |i| i + 1);
    let line = text[start..].lines().next().unwrap_or("");
    lines(line).first().is_some_and(|l| matches!(l.kind, Kind::Bullet | Kind::Numbered(_)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::fire;
    use super::*;
    use crate::session::build::SessionBuilder;

    #[test]
    fn finds_two_figures_for_one_thing() {
        let twice = |a: &str, b: &str| format!("The p99 TTFT is {a} ms.\n\nSummary: p99 TTFT of {b} ms.\n");
        let fired = |text: &str| fire(&RULE, &SessionBuilder::new().assistant(text).build()).len();
        assert_eq!(fired(&twice("412", "512")), 1);
        assert_eq!(fired(&twice("412", "412")), 0);
        assert_eq!(fired(&twice("412", "~500")), 0);
        assert_eq!(fired("- **Batch 8**: p99 TTFT 412 ms\n- **Batch 64**: p99 TTFT 512 ms\n"), 0);
    }
}
