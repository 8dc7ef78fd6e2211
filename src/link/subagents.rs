//! `delegates` and `returns`: a task call, the first message of the thread it started, and the last one.

use super::{FactId, Link, LinkKind, Scene, sure};
use crate::session::MsgIx;

pub(super) fn link(scene: &Scene<'_>, _: &[Link]) -> Vec<Link> {
    let mut ends: Vec<Option<(MsgIx, MsgIx)>> = vec![None; scene.session.threads.len()];
    for (ix, message) in scene.session.live() {
        if let Some(end) = ends.get_mut(message.thread.0 as usize) {
            *end = Some((end.map_or(ix, |e| e.0), ix));
        }
    }
    let mut found = Vec::new();
    for (thread, end) in scene.session.threads.iter().zip(ends) {
        let (Some(by), Some((first, last))) = (thread.started_by, end) else { continue };
        let Some(call) = scene.call(by) else { continue };
        found.push(sure(LinkKind::Delegates, (call, by.msg), (FactId::Message(first), first)));
        if scene.session.call(by).is_some_and(|c| c.result.is_some()) {
            found.push(sure(LinkKind::Returns, (FactId::Message(last), last), (call, by.msg)));
        }
    }
    found
}
