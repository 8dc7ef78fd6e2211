//! `verifies`: a probe that names the thing of a finding or directive after a call changed it, and the tests and builds that
//! worked in the turn of a directive after a change for it; and `interrupts`: a prompt that stopped a call.

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
    found.extend(checked_turns(scene, links));
    let mut changed: BTreeMap<FactId, u32> = BTreeMap::new();
    let mut acts: Vec<&Link> = links
        .iter()
        .filter(|l| l.kind == LinkKind::ActsOn && l.confidence >= SURE)
        .filter(|l| matches!(l.to, FactId::Finding(_) | FactId::Directive(_)))
        .collect();
    acts.sort_by_key(|l| l.from);
    for act in acts {
        let FactId::Call(c) = act.from else { continue };
        let Some(call) = call(scene, c) else { continue };
        if changes(call) {
            changed.entry(act.to).or_insert(c);
        } else if call.worked() && probes(call) && changed.get(&act.to).is_some_and(|at| *at < c) {
            found.push(Link { kind: LinkKind::Verifies, confidence: act.confidence * 0.75, ..act.clone() });
        }
    }
    found
}

/// A test or build that worked in the turn of a directive bears on everything that was changed there: a weak link.
const IN_TURN: f64 = 0.5;
/// Checks of one directive.
const CHECKS: usize = 3;

static CHECK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:^|[;&|\s/])(?:pytest|jest|vitest|tox|nox|cargo (?:test|nextest|check|clippy|build)|go (?:test|vet|build)|(?:npm|pnpm|yarn|bun)(?: run)? (?:test|build|lint|typecheck)|tsc|eslint|ruff|mypy|golangci-lint|make (?:test|check|build)|mvn (?:test|verify)|gradlew? (?:test|build|check)|ctest|python3? -m (?:pytest|unittest)|rspec|phpunit|dotnet test|swift test|moon run \S*(?:test|check|build|lint))(?:[\s:]|$)").expect("checking commands")
});

fn checked_turns(scene: &Scene<'_>, links: &[Link]) -> Vec<Link> {
    let mut first: BTreeMap<FactId, (u32, MsgIx)> = BTreeMap::new();
    for l in links.iter().filter(|l| l.kind == LinkKind::ActsOn) {
        if let (FactId::Call(c), FactId::Directive(_)) = (l.from, l.to)
            && call(scene, c).is_some_and(|call| matches!(call.kind, ToolKind::Edit | ToolKind::Write) && call.worked())
        {
            let slot = first.entry(l.to).or_insert((c, l.to_msg));
            slot.0 = slot.0.min(c);
        }
    }
    let main = |ix: MsgIx| scene.session.on_main(ix);
    let asks = |m: &crate::session::Message| m.role == Role::User && m.kind == MessageKind::Prompt;
    let prompts: Vec<MsgIx> = scene.session.live().filter(|(ix, m)| asks(m) && main(*ix)).map(|(ix, _)| ix).collect();
    let mut found = Vec::new();
    for (to, (change, asked)) in first {
        let next = prompts.get(prompts.partition_point(|p| *p <= asked)).copied();
        let later = scene.facts.calls.iter().enumerate().skip(change as usize + 1);
        let turn = later.take_while(|(_, r)| next.is_none_or(|n| r.msg < n)).filter(|(_, r)| main(r.msg));
        let checks = turn.filter(|(i, _)| {
            call(scene, *i as u32).is_some_and(|c| c.worked() && c.command().is_some_and(|c| CHECK.is_match(c)))
        });
        found.extend(checks.take(CHECKS).map(|(i, r)| Link {
            from: FactId::Call(i as u32),
            from_msg: r.msg,
            kind: LinkKind::Verifies,
            to,
            to_msg: asked,
            confidence: IN_TURN,
            span: None,
        }));
    }
    found
}

fn call<'a>(scene: &Scene<'a>, at: u32) -> Option<&'a ToolCall> {
    scene.session.call(*scene.facts.calls.get(at as usize)?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Config, extract};
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    #[test]
    fn a_test_run_after_the_change_checks_the_directive_of_its_turn() {
        let session = SessionBuilder::new()
            .user("fix the clock drift")
            .shell("cargo test", 101, "FAILED")
            .call(
                "Edit",
                json!({"file_path": "clock.rs", "old_string": "drift", "new_string": "clock drift fixed"}),
                "ok",
            )
            .shell("cargo test", 0, "ok")
            .user("thanks")
            .shell("cargo test", 0, "ok")
            .build();
        let facts = extract(&session, &Config::default());
        let links = super::super::link(&session, &facts);
        let of = |l: &&Link| l.kind == LinkKind::Verifies && l.to == FactId::Directive(0);
        assert_eq!(links.iter().filter(of).map(|l| l.from).collect::<Vec<_>>(), [FactId::Call(2)]);
    }
}
