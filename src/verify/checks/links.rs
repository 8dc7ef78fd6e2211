//! `Builds on: [msg 3] (mirrors, responds to)`: links between messages, by the words for them.

use super::Scene;
use crate::link::LinkKind;
use crate::session::MsgIx;
use crate::verify::{Finding, Kind};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(subject) = scene.subject else { return Vec::new() };
    let text = scene.text();
    let mut out = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for r in &scene.sentence().own {
        let Some(rest) = text[r.at.end..].strip_prefix(" (") else { continue };
        let Some((list, _)) = rest.split_once(')') else { continue };
        let kinds: Vec<Option<LinkKind>> = list
            .split(',')
            .map(|w| LinkKind::ALL.into_iter().find(|k| k.word().replace('_', " ") == w.trim()))
            .collect();
        let (Some(at), false) = (scene.world.find(&r.first), kinds.iter().any(Option::is_none)) else { continue };
        if !seen.insert(&r.first) {
            out.push(Finding::contradicted(Kind::Reference, format!("[msg {r}] stands twice in the list")));
            continue;
        }
        let missing: Vec<&str> =
            kinds.iter().flatten().filter(|k| !linked(scene, subject, at, **k)).map(|k| k.word()).collect();
        out.push(match missing.is_empty() {
            true => Finding::supported(Kind::Reference, "the messages are linked so").shown_by([at]),
            false => {
                Finding::contradicted(Kind::Reference, format!("no link {} between the messages", missing.join(", ")))
                    .shown_by([at])
            }
        });
    }
    out
}

fn linked(scene: &Scene<'_>, a: MsgIx, b: MsgIx, kind: LinkKind) -> bool {
    let links = &scene.world.analysis.links;
    links.iter().any(|l| l.kind == kind && ((l.from_msg, l.to_msg) == (a, b) || (l.from_msg, l.to_msg) == (b, a)))
}
