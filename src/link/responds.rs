//! `responds_to`: a reply and the prompt of its thread before it.

use super::{FactId, Link, LinkKind, Scene, sure};
use crate::session::{MessageKind, MsgIx, Role};

pub(super) fn link(scene: &Scene<'_>, _: &[Link]) -> Vec<Link> {
    let mut asked: Vec<Option<MsgIx>> = vec![None; scene.session.threads.len()];
    let mut found = Vec::new();
    for (ix, message) in scene.session.live() {
        let Some(prompt) = asked.get_mut(message.thread.0 as usize) else { continue };
        match (message.role, message.kind) {
            (Role::User, MessageKind::Prompt | MessageKind::SyntheticContinuation) => *prompt = Some(ix),
            (Role::Assistant, MessageKind::Reply) => {
                let link = |p| sure(LinkKind::RespondsTo, (FactId::Message(ix), ix), (FactId::Message(p), p));
                found.extend(prompt.map(link));
            }
            _ => {}
        }
    }
    found
}
