//! `writes` and `reads`: calls and the artefacts they touch.

use super::{FactId, Link, LinkKind, Scene, sure};
use crate::session::CallRef;

pub(super) fn link(scene: &Scene<'_>, _: &[Link]) -> Vec<Link> {
    let mut found = Vec::new();
    for (i, artefact) in scene.facts.artefacts.iter().enumerate() {
        let id = FactId::Artefact(i as u32);
        let first = artefact.written.first().or(artefact.read.first()).map(|c| c.msg);
        let Some(home) = first else { continue };
        let mut push = |kind, calls: &[CallRef]| {
            for r in calls {
                found.extend(scene.call(*r).map(|call| sure(kind, (call, r.msg), (id, home))));
            }
        };
        push(LinkKind::Writes, &artefact.written);
        push(LinkKind::Reads, &artefact.read);
    }
    found
}
