//! Steps: what each tool call, and each reply without one, contributes.

use std::collections::BTreeSet;

use super::command::{self, Class};
use super::shell::{Command, commands};
use super::{Phase, Step, names};
use crate::extract::bench::MeasurementRole;
use crate::extract::{Facts, artefacts};
use crate::session::{CallRef, Field, Message, MessageKind, MsgIx, PartBody, Role, Session, ToolCall, ToolKind};

/// Bytes of a reply from which on it is an account of its own, though the agent goes on.
const LONG: usize = 600;
/// Words in the names of scripts that try something out.
const TRIAL: &[&str] = &[
    "repro", "debug", "probe", "poc", "scratch", "demo", "tmp", "temp", "test", "check", "verify", "inspect",
    "explore", "analy", "diag", "compare", "try", "find",
];
/// Words in the names of documents that give an account.
const ACCOUNT: &[&str] = &[
    "report",
    "summary",
    "findings",
    "postmortem",
    "post-mortem",
    "results",
    "retrospective",
    "analysis",
    "conclusion",
    "handoff",
    "writeup",
];

/// What the steps of a session are read by.
struct Scene<'a> {
    facts: &'a Facts,
    /// Names of scripts that some command starts directly.
    started: BTreeSet<String>,
    /// Calls that made items of a plan, and those that changed nothing but states.
    planned: BTreeSet<(MsgIx, Option<CallRef>)>,
    kept: BTreeSet<CallRef>,
    /// Calls whose output holds figures measured.
    measured: BTreeSet<CallRef>,
    /// Messages whose text states figures measured.
    stating: BTreeSet<MsgIx>,
    /// Calls that started a thread that stands in the session.
    delegating: BTreeSet<CallRef>,
}

/// What happened before a step, since the last prompt.
#[derive(Default)]
struct Before {
    changed: bool,
    measured: bool,
    /// Names of files written since the last prompt.
    fresh: BTreeSet<String>,
    written: BTreeSet<String>,
}

impl Before {
    /// Whether a command shows what has just been changed: the state of the repository, or a file written since the
    /// last prompt.
    fn rereads(&self, command: &Command) -> bool {
        let repository = command.program() == "git" && matches!(command.operand(), Some("status" | "diff" | "show"));
        let file = command.words[1..].iter().any(|w| self.fresh.contains(&name(w)));
        !self.fresh.is_empty() && (repository || file)
    }
}

/// Every step, in reading order, and what takes work back.
pub(super) fn read(session: &Session, facts: &Facts) -> (Vec<Step>, Vec<MsgIx>) {
    let lines: Vec<(CallRef, Vec<Command>)> =
        session.calls().filter_map(|(at, call)| Some((at, commands(call.command()?)))).collect();
    let scene = scene(session, facts, &lines);
    let mut before = Before::default();
    let mut steps = Vec::new();
    let mut reverts = Vec::new();
    let mut lines = lines.iter().peekable();
    for (msg, message) in session.iter() {
        if message.role == Role::User && message.kind == MessageKind::Prompt && session.on_main(msg) {
            (before.changed, before.measured) = (false, false);
            before.fresh.clear();
        }
        let from = steps.len();
        let mut calls = 0;
        for (part, body) in message.parts.iter().enumerate() {
            let PartBody::Call(call) = &body.body else { continue };
            let at = CallRef { msg, part: part as u32 };
            calls += 1;
            let line = lines.next_if(|(l, _)| *l == at).map_or(&[][..], |(_, c)| c);
            if message.abandoned {
                continue;
            }
            if call.worked() && line.iter().any(command::takes_back) {
                reverts.push(msg);
            }
            if let Some(phase) = scene.call(at, call, line, &mut before) {
                before.measured |= phase == Phase::Measure;
                steps.push(Step { msg, part: part as u32, phase, weight: weight(phase) });
            }
        }
        if calls == 0 && steps.len() == from && !message.abandoned {
            steps.extend(scene.said(session, msg, message));
        }
    }
    reverts.dedup();
    (steps, reverts)
}

/// What a step weighs against others: measuring and planning are rare, and each takes long.
fn weight(phase: Phase) -> f64 {
    match phase {
        Phase::Measure | Phase::Plan => 2.0,
        _ => 1.0,
    }
}

fn scene<'a>(session: &Session, facts: &'a Facts, lines: &[(CallRef, Vec<Command>)]) -> Scene<'a> {
    let plan = &facts.plan;
    let mut planned = BTreeSet::new();
    for (ix, snapshot) in plan.snapshots.iter().enumerate().filter(|(_, s)| s.accepted) {
        if plan
            .rows_of(ix as u32)
            .iter()
            .any(|t| t.kind.word().starts_with("created") || t.kind.word().starts_with("list-"))
        {
            planned.insert((snapshot.msg, snapshot.call));
        }
    }
    let measured = || facts.bench.measurements.iter().filter(|m| m.role == MeasurementRole::Measured);
    Scene {
        facts,
        started: lines.iter().flat_map(|(_, c)| c).filter_map(command::script).map(name).collect(),
        planned,
        kept: plan.snapshots.iter().filter_map(|s| s.call).collect(),
        measured: measured()
            .filter(|m| m.span.field == Field::Output)
            .map(|m| CallRef { msg: m.span.msg, part: m.span.part })
            .collect(),
        stating: measured().filter(|m| m.span.field == Field::Text).map(|m| m.msg).collect(),
        delegating: session.threads.iter().filter_map(|t| t.started_by).collect(),
    }
}

/// The name of a file without its folder, lower case.
fn name(path: &str) -> String {
    artefacts::name(path).to_ascii_lowercase()
}

impl Scene<'_> {
    /// The phase of a call; `None` = it says nothing.
    fn call(&self, at: CallRef, call: &ToolCall, line: &[Command], before: &mut Before) -> Option<Phase> {
        if self.planned.contains(&(at.msg, Some(at))) {
            return Some(Phase::Plan);
        }
        if self.kept.contains(&at) {
            return None;
        }
        match kind(call) {
            ToolKind::Read if before.measured && call.target().is_some_and(holds_results) => Some(Phase::Measure),
            ToolKind::Read if call.path().is_some_and(|p| before.fresh.contains(&name(p))) => Some(Phase::Verify),
            ToolKind::Read | ToolKind::Search | ToolKind::Fetch => Some(Phase::Diagnose),
            ToolKind::Write | ToolKind::Edit => {
                before.changed = true;
                before.fresh.extend(call.written_paths().into_iter().map(name));
                Some(call.written_paths().first().map_or(Phase::Act, |path| self.writes(path, before)))
            }
            ToolKind::Shell if line.is_empty() => self.measured.contains(&at).then_some(Phase::Measure),
            ToolKind::Shell => self.shell(at, line, before),
            ToolKind::Plan => (call.tool.to_ascii_lowercase().contains("plan")).then_some(Phase::Plan),
            ToolKind::Ask => Some(Phase::Plan),
            ToolKind::Task if self.delegating.contains(&at) => None,
            ToolKind::Task => call.target().and_then(names::task).or_else(|| agent(call).and_then(names::phase)),
            ToolKind::Other => names::phase(&call.tool),
        }
    }

    /// A file written: something tried out, an account, or the work itself.
    fn writes(&self, path: &str, before: &mut Before) -> Phase {
        let file = name(path);
        let has = |words: &[&str]| words.iter().any(|w| file.contains(w));
        before.written.insert(file.clone());
        if self.started.contains(&file) && (has(TRIAL) || path.starts_with("/tmp/")) {
            return Phase::Diagnose;
        }
        let document = [".md", ".txt", ".html", ".rst", ".tex"].iter().any(|end| file.ends_with(end));
        if document && has(ACCOUNT) { Phase::Report } else { Phase::Act }
    }

    /// A command line: its weightiest command decides.
    fn shell(&self, at: CallRef, line: &[Command], before: &mut Before) -> Option<Phase> {
        let (class, command) = line.iter().map(|c| (command::class(c), c)).max_by_key(|(class, _)| *class)?;
        let figures = self.measured.contains(&at);
        Some(match class {
            Class::Bench => Phase::Measure,
            Class::Run | Class::Probe | Class::Idle if figures => Phase::Measure,
            Class::Look if (figures || before.measured || self.stating.contains(&at.msg)) && shows_results(command) => {
                Phase::Measure
            }
            Class::Idle => return None,
            Class::Look if before.rereads(command) => Phase::Verify,
            Class::Look => Phase::Diagnose,
            Class::Test | Class::Build => Phase::Verify,
            Class::Run if command::script(command).is_some_and(|s| before.written.contains(&name(s))) => Phase::Verify,
            Class::Run | Class::Probe => {
                if before.changed {
                    Phase::Verify
                } else {
                    Phase::Diagnose
                }
            }
            Class::Edit => {
                before.changed = true;
                command.into.as_deref().map_or(Phase::Act, |path| self.writes(path, before))
            }
            Class::Arrange if self.on_trials(command) => Phase::Diagnose,
            Class::Arrange | Class::Commit => {
                before.changed = true;
                Phase::Act
            }
        })
    }

    /// Whether every file that a command names is a script that tries something out.
    fn on_trials(&self, command: &Command) -> bool {
        let mut files = command.words[1..].iter().filter(|w| !w.starts_with('-')).map(|w| name(w)).peekable();
        files.peek().is_some() && files.all(|f| self.started.contains(&f) && TRIAL.iter().any(|w| f.contains(w)))
    }

    /// A reply without calls: a plan in prose, or an account.
    fn said(&self, session: &Session, msg: MsgIx, message: &Message) -> Option<Step> {
        let thread_ends = || session.ends_turn(msg);
        if message.role != Role::Assistant || message.kind != MessageKind::Reply || !session.on_main(msg) {
            return None;
        }
        let length: usize =
            message.parts.iter().map(|p| if let PartBody::Text(t) = &p.body { t.len() } else { 0 }).sum();
        if length == 0 {
            return None;
        }
        let part = message.parts.iter().position(|p| matches!(p.body, PartBody::Text(_))).unwrap_or(0) as u32;
        if self.planned.contains(&(msg, None)) {
            return Some(Step { msg, part, phase: Phase::Plan, weight: weight(Phase::Plan) });
        }
        let found = self.facts.findings.findings.partition_point(|f| f.msg < msg);
        let finds = self.facts.findings.findings.get(found).is_some_and(|f| f.msg == msg);
        let weight = 1.0 + (length as f64 / 1000.0).min(2.0) + if finds { 1.0 } else { 0.0 };
        (length >= LONG || thread_ends()).then_some(Step { msg, part, phase: Phase::Report, weight })
    }
}

/// The kind of a call; tools that do several things say which in their input.
fn kind(call: &ToolCall) -> ToolKind {
    let verb = || call.input.get("command").and_then(|c| c.as_str());
    match call.kind {
        ToolKind::Edit if verb() == Some("view") => ToolKind::Read,
        kind => kind,
    }
}

/// The kind of subagent that a call asks for.
fn agent(call: &ToolCall) -> Option<&str> {
    ["subagent_type", "agent_type", "agent", "mode"].iter().find_map(|key| call.input.get(key)?.as_str())
}

/// Whether a command shows what another program printed before.
fn shows_results(command: &Command) -> bool {
    command.words[1..].iter().any(|w| holds_results(w))
}

/// Whether the name of a file says that a program wrote it.
fn holds_results(path: &str) -> bool {
    let ends = [".log", ".out", ".json", ".jsonl", ".csv", ".output"];
    ends.iter().any(|e| path.ends_with(e)) || path.contains("result")
}
