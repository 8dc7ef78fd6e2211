//! `verifies`: a probe that names the thing of a finding after a call changed it, and tests and builds that ran clean in the
//! turn of a directive after a change for it; and `interrupts`: a prompt that stopped a call.

use std::collections::BTreeMap;

use super::claims::tests_of;
use super::deeds::Deeds;
use super::deeds::goal::Goal;
use super::{FactId, Link, LinkKind, Scene, sure};
use crate::extract::episodes::command::Class;
use crate::session::{CallStatus, MessageKind, MsgIx, Role};

/// A probe of the thing that a finding names.
const PROBED: f64 = 0.6;
/// Tests or a build that ran clean bear on everything that was changed before them: a weak link.
const IN_TURN: f64 = 0.5;
/// Checks of one fact.
const CHECKS: usize = 3;
/// Programs that print the state of a setting or service.
const PROBES: &[&str] = &["sysctl", "systemctl", "nvidia-smi", "lsmod", "modinfo", "lspci", "curl", "getcap"];

pub(super) fn link(scene: &Scene<'_>, links: &[Link]) -> Vec<Link> {
    let mut found = interruptions(scene);
    found.extend(checked_turns(scene, links));
    found.extend(probed(scene, links));
    found
}

/// The first call that changed each finding or directive, by fact.
fn changes(links: &[Link], of: fn(FactId) -> bool) -> BTreeMap<FactId, &Link> {
    let mut first: BTreeMap<FactId, &Link> = BTreeMap::new();
    for l in links.iter().filter(|l| l.kind == LinkKind::ActsOn && of(l.to)) {
        let slot = first.entry(l.to).or_insert(l);
        if l.from < slot.from {
            *slot = l;
        }
    }
    first
}

/// Probes of the thing of a finding, after a call that changed it.
fn probed(scene: &Scene<'_>, links: &[Link]) -> Vec<Link> {
    let open = |(to, act): (FactId, &'_ Link)| {
        let (FactId::Finding(f), FactId::Call(c)) = (to, act.from) else { return None };
        let goal = Goal::of("", &scene.facts.findings.findings[f as usize].title);
        (!goal.names().is_empty()).then(|| (act.clone(), c, goal))
    };
    let changed = changes(links, |id| matches!(id, FactId::Finding(_)));
    let mut open: Vec<(Link, u32, Goal, usize)> =
        changed.into_iter().filter_map(open).map(|(act, c, goal)| (act, c, goal, 0)).collect();
    let mut found = Vec::new();
    // The calls are gone through once, since to tell what one did costs more than to look for a name in it.
    for i in 0..scene.facts.calls.len() as u32 {
        let mut near = open.iter_mut().filter(|(_, c, _, n)| *c < i && *n < CHECKS).peekable();
        let Some(deeds) = near.peek().and_then(|_| scene.deeds(i)) else { continue };
        for (act, .., n) in near.filter(|(_, _, goal, _)| probes(&deeds, goal)) {
            *n += 1;
            found.push(check(scene, i, act, PROBED));
        }
    }
    found
}

/// Whether a call that worked prints the state of a thing that is named, or tests it.
fn probes(deeds: &Deeds<'_>, goal: &Goal) -> bool {
    let mut asks = deeds.commands().filter(|(class, c)| {
        matches!(class, Class::Probe | Class::Test | Class::Bench) || PROBES.contains(&c.program())
    });
    asks.any(|(_, c)| c.words[1..].iter().any(|w| goal.names().iter().any(|n| w.contains(n.as_str()))))
}

/// Tests and builds that ran clean after a change of a file that is no document, in the turn of its directive.
fn checked_turns(scene: &Scene<'_>, links: &[Link]) -> Vec<Link> {
    let changed = changes(links, |id| matches!(id, FactId::Directive(_)));
    let mut found = Vec::new();
    for act in changed.into_values() {
        let FactId::Call(c) = act.from else { continue };
        if !scene.deeds(c).is_some_and(|d| d.changes_program()) {
            continue;
        }
        let turn = scene.turns().prompt(act.from_msg);
        let later = (c + 1..scene.facts.calls.len() as u32)
            .take_while(|i| scene.turns().prompt(scene.facts.calls[*i as usize].msg) == turn)
            .filter(|i| clean(scene, *i));
        found.extend(later.take(CHECKS).map(|i| check(scene, i, act, IN_TURN)));
    }
    found
}

/// Whether a call ran tests of which none failed, or a build that worked and whose exit code no pipe hides.
fn clean(scene: &Scene<'_>, at: u32) -> bool {
    let Some(call) = scene.session.call(scene.facts.calls[at as usize]) else { return false };
    let Some(deeds) = Deeds::of(call) else { return false };
    let (mut tests, mut builds) = (false, false);
    for (class, _) in deeds.runs() {
        tests |= class == Class::Test;
        builds |= class == Class::Build;
    }
    let passed = || tests_of(call).is_some_and(|t| t.failed == 0 && t.passed > 0);
    let built = || call.exit_code() == Some(0) && call.command().is_some_and(|c| !c.contains('|'));
    tests && passed() || !tests && builds && built()
}

fn check(scene: &Scene<'_>, call: u32, act: &Link, confidence: f64) -> Link {
    Link {
        from: FactId::Call(call),
        from_msg: scene.facts.calls[call as usize].msg,
        kind: LinkKind::Verifies,
        confidence,
        ..act.clone()
    }
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

    fn checks(session: &crate::session::Session, to: FactId) -> Vec<FactId> {
        let facts = extract(session, &Config::default());
        let links = super::super::link(session, &facts);
        links.iter().filter(|l| l.kind == LinkKind::Verifies && l.to == to).map(|l| l.from).collect()
    }

    #[test]
    fn a_clean_test_run_after_the_change_checks_the_directive_of_its_turn() {
        let edit = json!({"file_path": "clock.rs", "old_string": "drift", "new_string": "clock drift fixed"});
        let clean = "test result: ok. 4 passed; 0 failed; 0 ignored";
        let session = SessionBuilder::new()
            .user("fix the drift in clock.rs")
            .shell("cargo test", 101, "FAILED")
            .call("Edit", edit, "ok")
            .shell("cargo test | tail -3", 0, "test result: FAILED. 3 passed; 1 failed; 0 ignored")
            .shell("cargo test", 0, clean)
            .user("thanks")
            .shell("cargo test", 0, clean)
            .build();
        assert_eq!(checks(&session, FactId::Directive(0)), [FactId::Call(3)]);
    }

    #[test]
    fn a_probe_verifies_a_finding_and_a_reading_does_not() {
        let session = SessionBuilder::new()
            .assistant("## Issues found\n\n- **P1** kernel.lamp_glow is 0 (should be 1)\n")
            .shell("sudo sysctl -w kernel.lamp_glow=1", 0, "kernel.lamp_glow = 1")
            .shell("grep kernel.lamp_glow notes.txt", 0, "x")
            .shell("sysctl kernel.lamp_glow", 0, "kernel.lamp_glow = 1")
            .build();
        assert_eq!(checks(&session, FactId::Finding(0)), [FactId::Call(2)]);
    }
}
