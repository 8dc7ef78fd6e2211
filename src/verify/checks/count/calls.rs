//! Tool calls and written files, counted.

use super::super::Scene;
use super::noun::Noun;
use super::tally::{Tally, counted, is_filler};
use crate::session::{CallRef, MsgIx, ToolCall, ToolKind};

pub(super) fn calls(scene: &Scene<'_>, noun: Noun, qualifiers: &[&str], within: &dyn Fn(MsgIx) -> bool) -> Vec<Tally> {
    let session = scene.world.session();
    let all: Vec<(CallRef, &ToolCall)> =
        session.calls().filter(|(at, _)| within(at.msg) && !session.message(at.msg).abandoned).collect();
    let narrowed: Vec<&str> =
        qualifiers.iter().copied().filter(|q| !is_filler(q) && !q.eq_ignore_ascii_case("failed")).collect();
    let mut kept = all;
    for word in &narrowed {
        let Some(test) = call_named(scene, word) else { return Vec::new() };
        kept.retain(|(_, c)| test(c));
    }
    kept.retain(|(_, c)| match noun {
        Noun::Command => c.kind == ToolKind::Shell,
        Noun::Search => matches!(c.kind, ToolKind::Search | ToolKind::Fetch),
        Noun::FileChange => matches!(c.kind, ToolKind::Edit | ToolKind::Write),
        Noun::Agent => starts_agent(c),
        Noun::FailedCall => c.failed(),
        Noun::InterruptedCall => c.status() == crate::session::CallStatus::Interrupted,
        Noun::UnansweredCall => c.status() == crate::session::CallStatus::Missing,
        _ => true,
    });
    let main: Vec<MsgIx> = kept.iter().map(|c| c.0.msg).filter(|&ix| session.on_main(ix)).collect();
    let every: Vec<MsgIx> = kept.iter().map(|c| c.0.msg).collect();
    match main.len() == every.len() {
        true => vec![counted(every)],
        false => vec![counted(every), counted(main)],
    }
}

type CallTest = Box<dyn Fn(&ToolCall) -> bool>;

/// A tool, a kind of tool or a file, by its name.
fn call_named(scene: &Scene<'_>, word: &str) -> Option<CallTest> {
    let name = word.trim_matches('`').to_ascii_lowercase();
    let kind = match &*name {
        "shell" | "bash" | "terminal" => Some(ToolKind::Shell),
        "read" => Some(ToolKind::Read),
        "write" => Some(ToolKind::Write),
        "edit" => Some(ToolKind::Edit),
        "search" => Some(ToolKind::Search),
        "fetch" | "web" => Some(ToolKind::Fetch),
        _ => None,
    };
    let is_tool = scene.world.session().calls().any(|(_, c)| c.tool.eq_ignore_ascii_case(&name));
    if word.starts_with('`') || is_tool && kind.is_none() {
        return Some(Box::new(move |c| c.tool.eq_ignore_ascii_case(&name)));
    }
    if let Some(kind) = kind {
        return Some(Box::new(move |c| c.kind == kind));
    }
    (name == "file").then(|| Box::new(|c: &ToolCall| c.path().is_some()) as CallTest)
}

fn starts_agent(call: &ToolCall) -> bool {
    const FOLLOW_UPS: &[&str] =
        &["taskoutput", "taskstop", "agentoutputtool", "wait_agent", "close_agent", "send_input", "sendmessage"];
    call.kind == ToolKind::Task && !FOLLOW_UPS.contains(&call.tool.to_ascii_lowercase().as_str())
}

pub(super) fn files(scene: &Scene<'_>, noun: Noun, qualifiers: &[&str], within: &dyn Fn(MsgIx) -> bool) -> Vec<Tally> {
    let artefacts = &scene.world.analysis.facts.artefacts;
    let named = qualifiers.iter().find(|q| q.starts_with('`')).map(|q| q.trim_matches('`'));
    // `modified files`, `todo files`: of which files, this version does not read.
    let narrowed = |q: &&str| !q.starts_with('`') && !["different", "distinct", "separate", "single"].contains(q);
    if noun == Noun::File && qualifiers.iter().any(narrowed) {
        return Vec::new();
    }
    let written = |a: &&crate::extract::artefacts::Artefact| a.written.iter().any(|w| within(w.msg));
    if noun == Noun::Write {
        let Some(path) = named else { return Vec::new() };
        let Some(artefact) = artefacts.iter().find(|a| a.path == path) else { return Vec::new() };
        return vec![counted(artefact.written.iter().map(|w| w.msg).collect())];
    }
    let kept: Vec<_> = artefacts.iter().filter(written).collect();
    let session = scene.world.session();
    let by_tools: std::collections::BTreeSet<&str> =
        session.calls().filter(|(at, c)| within(at.msg) && c.worked()).flat_map(|(_, c)| c.written_paths()).collect();
    vec![
        (by_tools.len() as u64, Vec::new()),
        (kept.len() as u64, kept.iter().filter_map(|a| a.written.first().map(|w| w.msg)).collect()),
    ]
}
