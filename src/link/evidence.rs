//! `evidences` and `acts_on` for plan items: the calls that bear on a completion.

use super::{FactId, Link, LinkKind, Scene};

pub(super) fn link(scene: &Scene<'_>, _: &[Link]) -> Vec<Link> {
    let mut found = Vec::new();
    for (i, t) in scene.facts.plan.transitions.iter().enumerate() {
        for e in &t.evidence {
            let Some(call) = scene.call(e.call) else { continue };
            let confidence = if e.strong { 0.9 } else { 0.5 };
            let link =
                |kind, to| Link { from: call, from_msg: e.call.msg, kind, to, to_msg: t.msg, confidence, span: None };
            found.push(link(LinkKind::Evidences, FactId::Transition(i as u32)));
            // Weak evidence bears on a completion; it does not show that the call worked on the item.
            found.extend(t.item.filter(|_| e.strong).map(|item| link(LinkKind::ActsOn, FactId::Item(item.0))));
        }
    }
    found
}
