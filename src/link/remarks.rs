//! A sentence that decides on a finding, and the finding whose words it takes up: `supersedes` (it is fixed), `omits` (it
//! is put off or dropped), `contradicts` (it is no problem).

use super::overlap::Bag;
use super::{FactId, Link, LinkKind, Scene};
use crate::extract::findings::FindingStatus;
use crate::extract::findings::remarks::RemarkKind;

/// How many of the latest findings a sentence is compared with.
const LATEST: usize = 80;
/// Share of the words of a title that the sentence must hold.
const ENOUGH: f64 = 0.6;

pub(super) fn link(scene: &Scene<'_>, _: &[Link]) -> Vec<Link> {
    let found = &scene.facts.findings;
    let all = found.findings.iter().enumerate();
    let open = all.filter(|(_, f)| f.restates.is_none() && f.status == FindingStatus::Actionable);
    let bags: Vec<_> = open.map(|(i, f)| (FactId::Finding(i as u32), f.msg, Bag::of(&f.title))).collect();
    let mut links = Vec::new();
    for (i, remark) in found.remarks.iter().enumerate() {
        let said = Bag::of(&remark.text);
        let end = bags.partition_point(|(_, msg, _)| *msg < remark.msg);
        for (to, to_msg, bag) in &bags[end.saturating_sub(LATEST)..end] {
            let (share, things) = said.against(bag);
            if share >= ENOUGH && things >= 1.8 && bag.len() <= said.len() {
                let kind = match remark.kind {
                    RemarkKind::Fixed => LinkKind::Supersedes,
                    RemarkKind::Deferred | RemarkKind::Dropped => LinkKind::Omits,
                    RemarkKind::Denied => LinkKind::Contradicts,
                };
                links.push(Link {
                    from: FactId::Remark(i as u32),
                    from_msg: remark.msg,
                    kind,
                    to: *to,
                    to_msg: *to_msg,
                    confidence: (share * 80.0).round() / 100.0,
                    span: Some(remark.span.clone()),
                });
            }
        }
    }
    links
}
