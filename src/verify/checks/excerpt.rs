//! Blocks of code under the heading of one message: the text of that message.

use super::{Scene, diff};
use crate::verify::article::Block;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block != Block::Code {
        return Vec::new();
    }
    let scope = scene.world.expand(&scene.sentence().inherited);
    let [message] = scope[..] else { return Vec::new() };
    if diff::is_one(scene.text()) {
        return diff::check(scene, message);
    }
    let text = plain(scene.text()).to_lowercase();
    let holds = scene.world.text(message).contains(&*text);
    vec![match holds {
        true => Finding::supported(Kind::Quote, "the block stands in the message").shown_by([message]),
        false => Finding::contradicted(Kind::Quote, "the block does not stand in the message").shown_by([message]),
    }]
}
