//! `restates`: a finding, table or figure that repeats an earlier one; and `remeasures`: the same metric under the same
//! conditions with a figure of its own.

use std::collections::BTreeMap;

use super::{FactId, Link, LinkKind, Scene, sure};
use crate::extract::bench::{Measurement, MeasurementRole};
use crate::session::Provenance;

pub(super) fn link(scene: &Scene<'_>, _: &[Link]) -> Vec<Link> {
    let facts = scene.facts;
    let mut found = Vec::new();
    for (i, finding) in facts.findings.findings.iter().enumerate() {
        if let Some(first) = finding.restates {
            let old = (FactId::Finding(first), facts.findings.findings[first as usize].msg);
            found.push(sure(LinkKind::Restates, (FactId::Finding(i as u32), finding.msg), old));
        }
    }
    for (i, table) in facts.tables.iter().enumerate() {
        if let Some(first) = table.restates {
            let old = (FactId::Table(first), facts.tables[first as usize].span.msg);
            found.push(sure(LinkKind::Restates, (FactId::Table(i as u32), table.span.msg), old));
        }
    }
    figures(scene, &mut found);
    found
}

/// What a figure is of: metric, statistic, scope, unit and conditions.
fn subject(m: &Measurement) -> String {
    format!("{}|{:?}|{:?}|{:?}|{:?}", m.metric, m.statistic, m.scope, m.unit, m.params)
}

fn figures(scene: &Scene<'_>, found: &mut Vec<Link>) {
    let mut by_value: BTreeMap<(String, u64), u32> = BTreeMap::new();
    let mut last: BTreeMap<String, u32> = BTreeMap::new();
    let all = &scene.facts.bench.measurements;
    for (i, m) in all.iter().enumerate() {
        let Some(value) = m.value.filter(|_| m.role == MeasurementRole::Measured) else { continue };
        let (subject, at) = (subject(m), i as u32);
        let id = (FactId::Measurement(at), m.msg);
        let said_before = by_value.get(&(subject.clone(), value.to_bits())).copied();
        if let Some(old) = said_before.filter(|o| all[*o as usize].msg < m.msg) {
            found.push(sure(LinkKind::Restates, id, (FactId::Measurement(old), all[old as usize].msg)));
        } else if Provenance::of_text(scene.session.message(m.msg)) != Provenance::Summary {
            by_value.entry((subject.clone(), value.to_bits())).or_insert(at);
            if let Some(old) = last.insert(subject, at).filter(|o| all[*o as usize].msg < m.msg) {
                found.push(sure(LinkKind::Remeasures, id, (FactId::Measurement(old), all[old as usize].msg)));
            }
        }
    }
}
