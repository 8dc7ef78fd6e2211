//! How many there are of something in a set of messages.

use super::Scene;
use crate::extract::findings::FindingStatus;
use crate::extract::plan::{PlanSnapshot, State, TransitionKind};
use crate::session::{CallRef, MessageKind, MsgIx, PartBody, Role, ToolCall, ToolKind};

/// What can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Noun {
    Message,
    PlanChange,
    Prompt,
    Reply,
    Call,
    FailedCall,
    InterruptedCall,
    UnansweredCall,
    Command,
    FileChange,
    Search,
    Write,
    File,
    Agent,
    Item,
    Finding,
    OkPoint,
    Option,
    Directive,
    Figure,
    Word,
    Sentence,
    Prose,
    Discrepancy,
}

impl Noun {
    /// Reads a noun in lower case.
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "message" | "messages" => Self::Message,
            "prompt" | "prompts" => Self::Prompt,
            "reply" | "replies" => Self::Reply,
            "call" | "calls" | "invocation" | "invocations" => Self::Call,
            "command" | "commands" => Self::Command,
            "edit" | "edits" => Self::FileChange,
            "writes" => Self::Write,
            "search" | "searches" => Self::Search,
            "agent" | "agents" | "subagent" | "subagents" => Self::Agent,
            "item" | "items" | "todo" | "todos" | "task" | "tasks" | "entries" => Self::Item,
            "finding" | "findings" => Self::Finding,
            "option" | "options" => Self::Option,
            "directive" | "directives" | "thing" | "things" => Self::Directive,
            "figure" | "figures" => Self::Figure,
            "points" | "point" => Self::OkPoint,
            "word" | "words" => Self::Word,
            "sentence" | "sentences" => Self::Sentence,
            "file" | "files" => Self::File,
            "prose" => Self::Prose,
            "discrepancies" | "disagreements" => Self::Discrepancy,
            _ => return None,
        })
    }

    /// Reads the heading of a column that holds counts.
    pub(super) fn of_head(head: &str) -> Option<Self> {
        Some(match head {
            "plan changes" => Self::PlanChange,
            "files changed" => Self::File,
            "failed" => Self::FailedCall,
            "interrupted" => Self::InterruptedCall,
            "no result" => Self::UnansweredCall,
            _ => return None,
        })
    }

    /// Whether it is counted over the session where no message is named.
    pub(super) fn is_of_the_session(self) -> bool {
        !matches!(
            self,
            Self::Prompt
                | Self::Reply
                | Self::Figure
                | Self::Word
                | Self::Directive
                | Self::File
                | Self::Option
                | Self::Message
        )
    }

    /// The noun with what is said around it.
    pub(super) fn with(self, before: &[&str], after: &[&str]) -> Self {
        let says = |words: &[&str], what: &str| words.iter().any(|w| w.eq_ignore_ascii_case(what));
        match self {
            Self::Message if says(after, "changed") || says(after, "change") => Self::PlanChange,
            Self::Call if says(before, "failed") || says(before, "failing") => Self::FailedCall,
            _ => self,
        }
    }
}

/// The readings of a count over a set (empty = the whole session), each with the messages that show it; none when the
/// words are not understood.
pub(super) fn tally(scene: &Scene<'_>, noun: Noun, qualifiers: &[&str], set: &[MsgIx]) -> Vec<(u64, Vec<MsgIx>)> {
    let session = scene.world.session();
    let facts = &scene.world.analysis.facts;
    let within = |ix: MsgIx| is_in(set, ix);
    let plain = qualifiers.iter().all(|q| is_filler(q));
    let messages = |keep: &dyn Fn(MsgIx) -> bool| {
        let all: Vec<MsgIx> = session.live().map(|(ix, _)| ix).filter(|&ix| within(ix) && keep(ix)).collect();
        (all.len() as u64, all)
    };
    let message = |ix: MsgIx| session.message(ix);
    match noun {
        Noun::Message if plain => {
            let mut out = vec![messages(&|ix| session.on_main(ix)), messages(&|_| true)];
            let every: Vec<MsgIx> = session.iter().map(|(ix, _)| ix).filter(|&ix| within(ix)).collect();
            out.push((every.len() as u64, every));
            out
        }
        Noun::PlanChange => {
            let mut msgs: Vec<MsgIx> =
                facts.plan.transitions.iter().filter(|t| t.is_change() && within(t.msg)).map(|t| t.msg).collect();
            msgs.sort();
            msgs.dedup();
            vec![counted(msgs)]
        }
        Noun::Prompt if qualifiers.contains(&"assistant") => vec![(0, Vec::new())],
        Noun::Prompt if plain => {
            // A slash command that the agent answers asks as a prompt does.
            let prompt = |ix: MsgIx| message(ix).role == Role::User && message(ix).kind == MessageKind::Prompt;
            vec![messages(&|ix| session.on_main(ix) && prompt(ix)), messages(&|ix| session.asked(ix).is_some())]
        }
        Noun::Reply if plain => {
            let reply = |ix: MsgIx| message(ix).role == Role::Assistant && message(ix).kind == MessageKind::Reply;
            vec![messages(&|ix| session.on_main(ix) && reply(ix)), messages(&reply)]
        }
        Noun::Call
        | Noun::Command
        | Noun::FileChange
        | Noun::Search
        | Noun::Agent
        | Noun::FailedCall
        | Noun::InterruptedCall
        | Noun::UnansweredCall => calls(scene, noun, qualifiers, &within),
        Noun::Write | Noun::File => files(scene, noun, qualifiers, &within),
        Noun::Item => {
            let mut out = items(scene, qualifiers, set);
            // Next steps are called items too.
            if plain && set.len() == 1 {
                out.extend(tally(scene, Noun::Option, qualifiers, set));
            }
            out
        }
        Noun::Finding | Noun::OkPoint => {
            let level = qualifiers.iter().find(|q| q.len() == 2 && q.starts_with(['P', 'p'])).map(|q| q.to_uppercase());
            let ok = noun == Noun::OkPoint;
            if level.is_none() && !plain {
                return Vec::new();
            }
            let keep = |f: &&crate::extract::findings::Finding| {
                within(f.msg)
                    && (f.status == FindingStatus::Ok) == ok
                    && level.as_ref().is_none_or(|l| f.level.as_ref() == Some(l))
            };
            let found: Vec<_> = facts.findings.findings.iter().filter(keep).collect();
            let first = found.iter().filter(|f| f.restates.is_none()).map(|f| f.msg).collect();
            vec![counted(first), counted(found.iter().map(|f| f.msg).collect())]
        }
        Noun::Option if plain => {
            facts.options.iter().filter(|l| within(l.msg)).map(|l| (l.options.len() as u64, vec![l.msg])).collect()
        }
        Noun::Directive if plain => {
            vec![counted(facts.directives.iter().filter(|d| within(d.msg)).map(|d| d.msg).collect())]
        }
        Noun::Figure if plain => {
            let all = &facts.bench.measurements;
            let measured = |m: &&crate::extract::bench::Measurement| {
                m.role == crate::extract::bench::MeasurementRole::Measured && m.valid && within(m.msg)
            };
            let named = scene.metrics_named();
            let of_metric = |m: &&crate::extract::bench::Measurement| within(m.msg) && named.contains(&&*m.metric);
            let stated = |m: &&crate::extract::bench::Measurement| {
                m.role != crate::extract::bench::MeasurementRole::Derived && within(m.msg)
            };
            if !named.is_empty() {
                return vec![
                    counted(all.iter().filter(of_metric).filter(measured).map(|m| m.msg).collect()),
                    counted(all.iter().filter(of_metric).map(|m| m.msg).collect()),
                ];
            }
            vec![
                counted(all.iter().filter(stated).map(|m| m.msg).collect()),
                counted(all.iter().filter(measured).map(|m| m.msg).collect()),
                counted(all.iter().filter(|m| within(m.msg)).map(|m| m.msg).collect()),
            ]
        }
        Noun::Prose if plain => {
            let speaks = |p: &crate::session::Part| matches!(&p.body, PartBody::Text(t) if !t.trim().is_empty());
            vec![messages(&|ix| message(ix).parts.iter().any(speaks))]
        }
        Noun::Discrepancy => {
            let severity = qualifiers.first().map(|q| q.to_ascii_lowercase());
            let all = scene.world.analysis.discrepancies.iter();
            let kept = all.filter(|d| within(d.msg) && severity.as_deref().is_none_or(|s| d.severity.word() == s));
            let mut msgs: Vec<MsgIx> = kept.map(|d| d.msg).collect();
            msgs.sort();
            vec![counted(msgs)]
        }
        Noun::Word | Noun::Sentence if plain => prose_of(scene, noun, set),
        _ => Vec::new(),
    }
}

/// Whether a message belongs to a set; the empty set is the whole session.
fn is_in(set: &[MsgIx], ix: MsgIx) -> bool {
    set.is_empty() || set.binary_search(&ix).is_ok()
}

/// How many there are, and the messages they stand in.
fn counted(mut msgs: Vec<MsgIx>) -> (u64, Vec<MsgIx>) {
    let n = msgs.len() as u64;
    msgs.dedup();
    (n, msgs)
}

/// Words before a noun that do not narrow it.
fn is_filler(word: &str) -> bool {
    const FILLER: &[&str] = &[
        "a",
        "the",
        "todo",
        "plan",
        "tool",
        "new",
        "distinct",
        "different",
        "separate",
        "parallel",
        "explore",
        "exploration",
        "single",
        "more",
        "other",
        "user",
        "further",
        "item",
        "list",
        "structured",
        "of",
        "these",
        "whole",
        "audit",
        "real",
        "simple",
        "prose",
        "clear",
        "short",
    ];
    FILLER.contains(&word.to_ascii_lowercase().as_str())
}

fn calls(scene: &Scene<'_>, noun: Noun, qualifiers: &[&str], within: &dyn Fn(MsgIx) -> bool) -> Vec<(u64, Vec<MsgIx>)> {
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

fn files(scene: &Scene<'_>, noun: Noun, qualifiers: &[&str], within: &dyn Fn(MsgIx) -> bool) -> Vec<(u64, Vec<MsgIx>)> {
    let artefacts = &scene.world.analysis.facts.artefacts;
    let named = qualifiers.iter().find(|q| q.starts_with('`')).map(|q| q.trim_matches('`'));
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

fn items(scene: &Scene<'_>, qualifiers: &[&str], set: &[MsgIx]) -> Vec<(u64, Vec<MsgIx>)> {
    let plan = &scene.world.analysis.facts.plan;
    let within = |ix: MsgIx| is_in(set, ix);
    let narrowed: Vec<String> = qualifiers.iter().filter(|q| !is_filler(q)).map(|q| q.to_ascii_lowercase()).collect();
    let words: Vec<&str> = narrowed.iter().map(String::as_str).collect();
    let (state, open, created) = match words[..] {
        [] => (None, false, false),
        ["created"] => (None, false, true),
        ["open"] => (None, true, false),
        ["high" | "medium" | "low"] => return priorities(scene, words[0], set),
        [word] => match State::of_word(word) {
            State::Other | State::Absent => return Vec::new(),
            state => (Some(state), false, false),
        },
        _ => return Vec::new(),
    };
    let is = |s: State| state.is_none_or(|want| want == s) && (!open || s.is_open());
    let mut out = Vec::new();
    let created_here: Vec<MsgIx> = plan
        .transitions
        .iter()
        .filter(|t| {
            within(t.msg) && t.from == State::Absent && t.to != State::Absent && t.kind != TransitionKind::ReAdded
        })
        .map(|t| t.msg)
        .collect();
    if created || set.len() > 1 && state.is_none() && !open {
        out.push((created_here.len() as u64, created_here));
        if created {
            return out;
        }
    }
    // A refused write still says what it lists.
    let lists: Vec<&PlanSnapshot> = plan.snapshots.iter().filter(|s| within(s.msg)).collect();
    if set.len() == 1 || words.is_empty() {
        out.extend(
            lists.iter().rev().take(1).map(|s| (s.items.iter().filter(|i| is(i.state)).count() as u64, vec![s.msg])),
        );
    }
    if set.len() != 1 {
        let upto = set.last().copied();
        let last: u64 = plan.lists_at(upto).iter().flat_map(|s| &s.items).filter(|i| is(i.state)).count() as u64;
        let all = plan.items.iter().filter(|i| within(i.first_msg));
        let ended = all.clone().filter(|i| is(i.last)).count() as u64;
        let outcome = all.filter(|i| is(i.outcome)).count() as u64;
        out.extend([ended, outcome, last].map(|n| (n, Vec::new())));
    }
    out
}

/// Items of the latest list in a set that have a priority.
fn priorities(scene: &Scene<'_>, priority: &str, set: &[MsgIx]) -> Vec<(u64, Vec<MsgIx>)> {
    let within = |ix: MsgIx| is_in(set, ix);
    let snapshots = &scene.world.analysis.facts.plan.snapshots;
    let Some(list) = snapshots.iter().rev().find(|s| within(s.msg) && s.items.iter().any(|i| i.priority.is_some()))
    else {
        return Vec::new();
    };
    let has = |i: &&crate::extract::plan::SnapshotItem| {
        i.priority.as_deref().is_some_and(|p| p.eq_ignore_ascii_case(priority))
    };
    vec![(list.items.iter().filter(has).count() as u64, vec![list.msg])]
}

fn prose_of(scene: &Scene<'_>, noun: Noun, set: &[MsgIx]) -> Vec<(u64, Vec<MsgIx>)> {
    let one = match (set, scene.subject) {
        (&[one], _) => one,
        (_, Some(subject)) => subject,
        _ => return Vec::new(),
    };
    let message = scene.world.message(one);
    let texts: Vec<&str> = message
        .parts
        .iter()
        .filter_map(|p| match &p.body {
            PartBody::Text(t) => Some(t.as_str()),
            _ => None,
        })
        .collect();
    let count = |t: &str| match noun {
        Noun::Word => t.split_whitespace().count(),
        _ => crate::verify::article::sentences(t).len(),
    };
    vec![(texts.iter().map(|t| count(t)).sum::<usize>() as u64, vec![one])]
}
