//! Plans that are told: the text of a plan mode, and numbered plans or next steps in prose. Their progress is what the
//! agent says later ("Step 2 is done").
//!
//! Strict on purpose, since an invented plan is worse than none: a list in prose counts only where its lead-in calls it a
//! plan, its items are things to do, the thread has no todo tool, and progress on it is told later.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::plan_agent::{self, Proposal};
use super::progress::{self, Told};
use super::steps::{self, Step};
use super::{Entry, Scope, Source, Write, base_name, deltas, whole_list};
use crate::extract::plan::{PlanList, PlanSource, State};
use crate::session::{CallRef, Field, MessageKind, PartBody, Role, Span, ThreadIx, ToolCall};

pub(super) const SOURCE: Source =
    Source { id: "told", about: "Plan-mode texts, and numbered plans in prose whose progress is told later.", read };

/// A sentence that announces the plan of the agent itself.
static LEAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:#{1,4}\s*|\*\*)?(?:(?:now,? |so,? |ok(?:ay)?,? )?(?:here(?:'s| is|’s) )?(?:my|the|our)? ?",
        r"(?:implementation |action |execution |work |high-level |step-by-step |detailed |new |rough |short |full |revised |updated |overall )*",
        r"(?:plan|next steps|remaining (?:steps|tasks|work)|to-?do list|task list)(?: is| of action)?",
        r"|(?:i'll|i’ll|i will|let me|let's|i'm going to|i am going to) .{0,60}(?:following|these|this order|in order|as follows|steps?).{0,30}",
        r"|let me plan .{0,40}",
        r"|here(?:'s| is|’s) (?:what|how) (?:i|we)(?:'ll| will|’ll|'m going to| am going to| plan to) .{0,40}",
        r"|here (?:are|is) (?:the|my|our) (?:steps|plan|approach)(?: .{0,30})?",
        r"|(?:here(?:'s| is|’s)) (?:the plan|my plan).{0,30})",
        r"(?:\*\*)?:?(?:\*\*)?$"
    ))
    .expect("a constant pattern compiles")
});
/// A line that says what the agent will do first and then, and ends as one that announces a list.
static FIRST_THEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:i|we)(?:'ll| will|’ll) first .{5,120}(?-u:\b)then(?-u:\b).*:(?:\*\*)?$")
        .expect("a constant pattern compiles")
});
/// A heading of what comes next, under which points need no numbers.
static NEXT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:next steps|remaining (?:steps|tasks|work)|plan)(?:\*\*)?:?(?:\*\*)?$")
        .expect("a constant pattern compiles")
});

/// The plan that a thread follows.
struct Current {
    list: PlanList,
    steps: progress::Steps,
    writes: Vec<Write>,
    certainty: f64,
}

fn read(scope: &Scope<'_>) -> Vec<Write> {
    let with_tool: BTreeSet<ThreadIx> = tool_threads(scope);
    let mut proposals = plan_agent::proposals(scope);
    let mut current: BTreeMap<ThreadIx, Current> = BTreeMap::new();
    let mut out = Vec::new();
    for (msg, message) in scope.session.live() {
        let thread = message.thread;
        for (part, body) in (0..).zip(message.parts.iter().map(|p| &p.body)) {
            let at = CallRef { msg, part };
            let take = |plan: Current| {
                if plan.writes[0].accepted {
                    close(current.insert(thread, plan), &mut out);
                } else {
                    out.extend(plan.writes);
                }
            };
            if let Some(proposal) = proposals.remove(&at) {
                of_agent(proposal, at, matches!(body, PartBody::Call(_)), thread).into_iter().for_each(take);
                continue;
            }
            match body {
                PartBody::Call(call) => plan_mode(scope, call, at, thread).into_iter().for_each(take),
                PartBody::Text(text) if message.role == Role::Assistant && message.kind == MessageKind::Reply => {
                    if let Some(plan) = current.get_mut(&thread) {
                        plan.hear(text, at);
                    }
                    let told = || prose(text, at, thread).filter(|_| !with_tool.contains(&thread));
                    if let Some(plan) = proposed(text, at, thread).or_else(told) {
                        close(current.insert(thread, plan), &mut out);
                    }
                }
                _ => {}
            }
        }
    }
    current.into_values().for_each(|plan| close(Some(plan), &mut out));
    out
}

/// Threads whose plan a tool keeps: there, prose only restates it.
fn tool_threads(scope: &Scope<'_>) -> BTreeSet<ThreadIx> {
    let writes = |name: &str| whole_list::is_tool(name) || deltas::is_tool(name);
    let calls = scope.calls().filter(|(_, c)| writes(&base_name(&c.tool)));
    calls.map(|(at, _)| scope.session.message(at.msg).thread).collect()
}

/// A finished plan counts when it is a plan mode's, or when its progress was told.
fn close(plan: Option<Current>, out: &mut Vec<Write>) {
    let Some(plan) = plan else { return };
    if plan.list.source == PlanSource::PlanMode || plan.writes.len() > 1 {
        out.extend(plan.writes);
    }
}

/// The plan of an ExitPlanMode call: in its input, or, where the plan was written to a file before, in its answer.
fn plan_mode(scope: &Scope<'_>, call: &ToolCall, at: CallRef, thread: ThreadIx) -> Option<Current> {
    if base_name(&call.tool) != "exitplanmode" {
        return None;
    }
    let answer = call.result.as_ref().map_or("", |r| r.text.as_str());
    let given =
        call.input.get("plan").and_then(Value::as_str).map(|plan| (steps::of_plan(plan), Field::Input("/plan".into())));
    let approved =
        || answer.find(APPROVED).map(|at| (steps::of_part(answer, at + APPROVED.len()..answer.len()), Field::Output));
    let (steps, field) = given.or_else(approved)?;
    let mut plan = Current::new(PlanSource::PlanMode, 0.8, steps, at, field, thread)?;
    let write = plan.writes.first_mut()?;
    write.call = Some(at);
    write.accepted = scope.accepted(call);
    Some(plan)
}

/// The plan of OpenCode's plan agent. What a reply told is less certain than what was written down.
fn of_agent(proposal: Proposal, at: CallRef, is_call: bool, thread: ThreadIx) -> Option<Current> {
    let certainty = if is_call { 0.8 } else { 0.7 };
    let (place, field) = proposal.text.clone().unwrap_or((at, Field::Text));
    let mut plan = Current::new(PlanSource::PlanMode, certainty, proposal.steps, place, field, thread)?;
    let write = plan.writes.first_mut()?;
    (write.msg, write.part) = (at.msg, at.part);
    write.call = is_call.then_some(at);
    write.accepted = proposal.accepted;
    if proposal.text.is_none() {
        write.entries.iter_mut().for_each(|e| e.span = None);
    }
    Some(plan)
}

/// What stands before the text of a plan in the answer to ExitPlanMode.
const APPROVED: &str = "## Approved Plan:";

/// The plan that a reply in Codex's plan mode proposes.
fn proposed(text: &str, at: CallRef, thread: ThreadIx) -> Option<Current> {
    const OPEN: &str = "<proposed_plan>";
    let start = text.find(OPEN)? + OPEN.len();
    let end = text[start..].find("</proposed_plan>").map_or(text.len(), |n| start + n);
    Current::new(PlanSource::PlanMode, 0.8, steps::of_part(text, start..end), at, Field::Text, thread)
}

/// The plan of a reply, where its lead-in and its items say that it is one.
fn prose(text: &str, at: CallRef, thread: ThreadIx) -> Option<Current> {
    let list = steps::lists(text).into_iter().find(|list| {
        let is_numbered = list[0].number.is_some();
        let leads = |lead: &str| announces(lead) && (is_numbered || NEXT.is_match(lead));
        (2..=20).contains(&list.len()) && lead_in(text, list[0].at.0).is_some_and(leads) && to_do(list)
    })?;
    Current::new(PlanSource::Prose, 0.6, list, at, Field::Text, thread)
}

/// The line before a list.
pub(super) fn lead_in(text: &str, list: usize) -> Option<&str> {
    let before = &text[..text[..list].rfind('\n')?];
    before.lines().rev().map(str::trim).find(|l| !l.is_empty())
}

/// Whether a line announces a plan, or its last sentence does.
fn announces(line: &str) -> bool {
    let last = line.rsplit_once(". ").or(line.rsplit_once("! ")).map_or(line, |(_, last)| last);
    LEAD.is_match(line) || LEAD.is_match(last.trim()) || FIRST_THEN.is_match(line)
}

/// Whether at least two thirds of the items begin with something to do.
pub(super) fn to_do(list: &[Step]) -> bool {
    let begins = |s: &&Step| crate::extract::plan::wording::begins_with_activity(&s.text);
    list.iter().filter(begins).count() * 3 >= list.len() * 2
}

impl Current {
    fn new(
        source: PlanSource,
        certainty: f64,
        steps: Vec<Step>,
        at: CallRef,
        field: Field,
        thread: ThreadIx,
    ) -> Option<Self> {
        if steps.is_empty() {
            return None;
        }
        let list = PlanList { thread, source, name: String::new() };
        let numbers = steps.iter().zip(1..).map(|(s, n)| s.number.or(Some(n))).collect();
        let texts: Vec<&str> = steps.iter().map(|s| s.text.as_str()).collect();
        let known = progress::Steps::new(numbers, &texts);
        let entries = steps.into_iter().map(|s| entry(s, at, &field)).collect();
        let mut plan = Self { list, steps: known, writes: Vec::new(), certainty };
        plan.write(entries, None, at);
        Some(plan)
    }

    fn write(&mut self, entries: Vec<Entry>, touched: Option<Vec<usize>>, at: CallRef) {
        self.writes.push(Write {
            msg: at.msg,
            part: at.part,
            call: None,
            list: self.list.clone(),
            certainty: self.certainty,
            accepted: true,
            revealed: false,
            entries,
            touched,
            baseline: Vec::new(),
        });
    }

    /// Takes in what a reply says of the plan's progress.
    fn hear(&mut self, text: &str, at: CallRef) {
        let Some(last) = self.writes.last() else { return };
        let told = self.steps.told(text);
        let mut entries = last.entries.clone();
        let mut touched = Vec::new();
        for (n, Told { state, words }) in told {
            if entries[n].state != state && !(entries[n].state == State::Done && state == State::Active) {
                entries[n].state = state;
                entries[n].status_text = words;
                touched.push(n);
            }
        }
        if !touched.is_empty() {
            entries.iter_mut().for_each(|e| e.span = None);
            self.certainty = self.certainty.min(0.6);
            self.write(entries, Some(touched), at);
        }
    }
}

fn entry(step: Step, at: CallRef, field: &Field) -> Entry {
    let (start, end) = (step.at.0 as u32, step.at.1 as u32);
    Entry {
        text: step.text,
        state: step.state,
        span: Some(Span { msg: at.msg, part: at.part, field: field.clone(), start, end }),
        ..Entry::default()
    }
}
