//! `verifies`: a probe that names the thing of a finding after a call changed it; and `interrupts`: a prompt that
//! stopped a call.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::{FactId, Link, LinkKind, Scene, sure};
use crate::session::{CallStatus, MessageKind, MsgIx, Role, ToolCall, ToolKind};

/// Only calls that name the thing of a finding change or verify it.
const SURE: f64 = 0.8;

static PROBE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:^|[;&|\s])(?:cat|head|tail|grep|rg|ls|stat|test|curl|diff|pytest|jest|cargo (?:test|check|clippy)|go test|npm (?:run )?test|sysctl (?:-n )?[\w.]+$|systemctl status|nvidia-smi|lspci|lsmod|git (?:status|diff|log)|\S*bench\S*)(?:\s|$)").expect("probing commands")
});

pub(super) fn link(scene: &Scene<'_>, links: &[Link]) -> Vec<Link> {
    let mut found = interruptions(scene);
    let mut changed: BTreeMap<FactId, u32> = BTreeMap::new();
    let mut acts: Vec<&Link> = links
        .iter()
        .filter(|l| l.kind == LinkKind::ActsOn && l.confidence >= SURE && matches!(l.to, FactId::Finding(_)))
        .collect();
    acts.sort_by_key(|l| l.from);
    for act in acts {
        let FactId::Call(c) = act.from else { continue };
        let Some(call) = scene.facts.calls.get(c as usize).and_then(|r| scene.session.call(*r)) else { continue };
        if changes(call) {
            changed.entry(act.to).or_insert(c);
        } else if call.worked() && probes(call) && changed.get(&act.to).is_some_and(|at| *at < c) {
            found.push(Link { kind: LinkKind::Verifies, confidence: act.confidence * 0.75, ..act.clone() });
        }
    }
    found
}

/// Whether a call changes something and worked.
fn changes(call: &ToolCall) -> bool {
    call.worked()
        && (matches!(call.kind, ToolKind::Edit | ToolKind::Write) || call.command().is_some_and(|c| !PROBE.is_match(c)))
}

fn probes(call: &ToolCall) -> bool {
    call.kind == ToolKind::Read || call.command().is_some_and(|c| PROBE.is_match(c))
}

/// The prompt after an interrupted call.
fn interruptions(scene: &Scene<'_>) -> Vec<Link> {
    let mut open: Vec<(FactId, MsgIx)> = Vec::new();
    let mut found = Vec::new();
    let mut calls = scene.facts.calls.iter().enumerate().peekable();
    for (ix, message) in scene.session.live() {
        if message.role == Role::User && message.kind == MessageKind::Prompt {
            let stops = open.drain(..).map(|call| sure(LinkKind::Interrupts, (FactId::Message(ix), ix), call));
            found.extend(stops);
        }
        while let Some((i, r)) = calls.next_if(|(_, r)| r.msg <= ix) {
            if scene.session.call(*r).is_some_and(|c| c.status() == CallStatus::Interrupted) {
                open.push((FactId::Call(i as u32), r.msg));
            }
        }
    }
    found
}
