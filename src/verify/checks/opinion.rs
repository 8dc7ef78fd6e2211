//! Praise, motives, causes and guesses: never decided.

use super::Scene;
use crate::verify::article::Block;
use crate::verify::{Finding, Kind, words};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.outside_quotes();
    if scene.sentence().block != Block::Prose {
        return Vec::new();
    }
    let reason = match (words::is_hedged(&text), words::is_opinion(&text)) {
        (true, _) => "a guess or a question",
        (_, true) => "an evaluation, a motive or a cause",
        _ => return Vec::new(),
    };
    vec![Finding::unverifiable(Kind::Opinion, reason)]
}
