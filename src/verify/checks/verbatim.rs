//! Bullets, captions and list members that repeat a line of the session word for word.

use super::Scene;
use crate::session::MsgIx;
use crate::verify::article::Block;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind};

/// Shorter texts stand somewhere by chance.
const WORDS: usize = 3;

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let sentence = scene.sentence();
    if sentence.block != Block::Prose {
        return Vec::new();
    }
    match sentence.own.is_empty() {
        true => whole(scene).into_iter().collect(),
        false => members(scene),
    }
}

fn whole(scene: &Scene<'_>) -> Option<Finding> {
    let text = plain(scene.text()).to_lowercase();
    if text.split(' ').count() < WORDS {
        return None;
    }
    let named = scene.world.expand(&scene.sentence().inherited);
    let found: Vec<MsgIx> = scene.world.holding(&text).collect();
    let first = found.iter().copied().find(|ix| named.contains(ix)).or(found.first().copied())?;
    let reason = format!("stands word for word in [msg {}]", scene.world.label(first));
    Some(Finding::supported(Kind::Quote, reason).shown_by([first]))
}

/// `one thing ([msg 3]); another ([msg 3])`: each stands in the message behind it.
fn members(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.text();
    let mut out = Vec::new();
    let mut from = 0;
    for r in scene.sentence().own.iter().filter(|r| r.last.is_none()) {
        let piece = &text[from..r.at.start];
        from = r.at.end;
        let piece =
            piece.rsplit([';', ':']).find(|p| !matches!(p.trim_matches([' ', ',', '(']), "" | "in")).unwrap_or(piece);
        let piece = plain(piece.trim_matches([' ', ',', '(', ')'])).to_lowercase();
        let piece = piece.trim_end_matches(" in").trim_end_matches([',', ':', ' ']);
        let Some(at) = scene.world.find(&r.first).filter(|_| piece.len() >= 6) else { continue };
        if scene.world.text(at).contains(piece) {
            out.push(Finding::supported(Kind::Quote, format!("“{piece}” stands in [msg {}]", r.first)).shown_by([at]));
        }
    }
    out
}
