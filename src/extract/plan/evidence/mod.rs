//! What proves a completion: the calls between the item's start and its completion that bear on it.
//!
//! A failed call proves nothing, a call without result is not known to have worked, and a call of a kind that the item's
//! verbs do not name (a read, for an item that asks for a change) says nothing; a shell can do everything. Strong: its
//! target or command shares a path, flag, identifier or number with the item, or it is of the kind that the item's verb
//! names and shares a content word, three in what it writes. Weak: it shares two content words with command or output.

mod words;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memmem;

use self::words::{COMMON, TALK, VERBS};
use super::sources::writes_plan_file;
use super::wording::{Wording, is_parameter};
use super::{Evidence, ItemIx, Plan, State, TransitionKind};
use crate::session::{CallRef, MsgIx, Session, ToolCall, ToolKind};

/// Calls looked at for one completion, the latest first; a window rarely holds more.
const MOST_CALLS: usize = 400;
/// Calls kept for one completion.
const KEPT: usize = 6;
/// Content words in what a call writes that say as much as one in its target.
const MANY: usize = 3;
/// Bytes of an output that are read, from its start.
const OUTPUT: usize = 2_000;
/// Bytes of a command or target that are read.
const COMMAND: usize = 4_000;

/// Whether an item asks for talk, which leaves no trace in tool calls.
pub fn is_talk(text: &str) -> bool {
    let words = Wording::of(text).words;
    words.first().is_some_and(|w| TALK.contains(&w.as_str()))
}

/// Fields of an edit or write that hold what is written.
const WRITTEN: &[&str] =
    &["old_string", "oldString", "old_str", "new_string", "newString", "new_str", "content", "edits", "patchText"];

/// How long an item was worked on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Message where the work began: the item's start, else its creation, else the completion before.
    pub from: MsgIx,
    /// Message of the completion.
    pub to: MsgIx,
    /// Messages from start to completion, subagents included.
    pub messages: u32,
    /// Calls in them that failed.
    pub failures: u32,
    /// Time between the two, where both are dated.
    pub seconds: Option<i64>,
}

/// How long the item of a completion was worked on, with what failed on the way.
pub fn effort(session: &Session, plan: &Plan, transition: usize) -> Option<Effort> {
    let to = plan.transitions.get(transition)?.msg;
    let from = windows(plan).remove(&transition)?;
    let failed = |m: &MsgIx| session.message(*m).calls().filter(|c| c.failed()).count() as u32;
    let dated = |m: MsgIx| session.message(m).at.map(|t| t.as_second());
    Some(Effort {
        from,
        to,
        messages: to.0 - from.0 + 1,
        failures: (from.0..=to.0).map(MsgIx).map(|m| failed(&m)).sum(),
        seconds: dated(to).zip(dated(from)).map(|(b, a)| b - a),
    })
}

/// The first message of the window of each completion, by position of the transition.
pub fn windows(plan: &Plan) -> BTreeMap<usize, MsgIx> {
    let mut out = BTreeMap::new();
    let mut begun: BTreeMap<ItemIx, MsgIx> = BTreeMap::new();
    let mut completed: BTreeMap<u32, (MsgIx, Option<MsgIx>)> = BTreeMap::new();
    for (at, t) in plan.transitions.iter().enumerate() {
        let Some(item) = t.item else { continue };
        let list = plan.items[item.at()].list;
        if t.to == State::Done && t.from != State::Done && t.kind != TransitionKind::Split {
            // Completions of one write share the one before it.
            let before =
                completed.get(&list).and_then(|(last, before)| if *last == t.msg { *before } else { Some(*last) });
            let start = begun.get(&item).copied().filter(|m| *m < t.msg).or(before).unwrap_or(MsgIx(0));
            out.entry(at).or_insert(start);
            completed.insert(list, (t.msg, before));
            begun.remove(&item);
        } else if t.to == State::Active && t.from != State::Active || t.from == State::Absent || t.from == State::Done {
            begun.insert(item, t.msg);
        }
    }
    out
}

/// Fills in the evidence of every completion.
pub(super) fn find(session: &Session, plan: &mut Plan) {
    let calls: Vec<(CallRef, &ToolCall)> =
        session.calls().filter(|(at, _)| !session.message(at.msg).abandoned).collect();
    let mut texts = BTreeMap::new();
    for (at, from) in windows(plan) {
        let (msg, own) = (plan.transitions[at].msg, plan.snapshots[plan.transitions[at].snapshot as usize].call);
        let first = calls.partition_point(|(c, _)| c.msg < from);
        let last = calls.partition_point(|(c, _)| c.msg <= msg);
        let found = weigh(&plan.transitions[at].text, &calls, first..last, own, &mut texts);
        plan.transitions[at].evidence = found;
    }
}

/// Which of some calls bear on an item of this text, strongest first.
pub fn bearing(text: &str, calls: &[(CallRef, &ToolCall)]) -> Vec<Evidence> {
    weigh(text, calls, 0..calls.len(), None, &mut BTreeMap::new())
}

fn weigh(
    text: &str,
    calls: &[(CallRef, &ToolCall)],
    window: Range<usize>,
    own: Option<CallRef>,
    texts: &mut BTreeMap<usize, Texts>,
) -> Vec<Evidence> {
    let subject = Subject::of(text);
    let mut found = Vec::new();
    for n in window.rev().take(MOST_CALLS) {
        let (place, call) = calls[n];
        if Some(place) == own || !can_prove(call, &subject) {
            continue;
        }
        let seen = texts.entry(n).or_insert_with(|| Texts::of(call));
        found.extend(subject.evidence(place, call.kind, seen));
    }
    found.sort_by_key(|e: &Evidence| Reverse((e.strong, e.shared.len())));
    found.truncate(KEPT);
    found
}

/// A plan write proves nothing about the work, nor does a question. The prompt of a subagent repeats the item, so that it
/// proves only an item that asks for subagents.
fn can_prove(call: &ToolCall, subject: &Subject) -> bool {
    let fits = subject.kinds.contains(&call.kind);
    let about = match call.kind {
        ToolKind::Plan | ToolKind::Ask => false,
        ToolKind::Task => fits,
        // A file that holds the plan repeats its items.
        ToolKind::Shell | ToolKind::Write | ToolKind::Edit if writes_plan_file(call) => false,
        ToolKind::Shell => true,
        _ => fits || subject.kinds.is_empty(),
    };
    about && call.worked() && (call.exit_code().is_some() || !tells_of_failure(call))
}

/// Whether the output of a call whose exit code is not kept begins by saying that it failed.
fn tells_of_failure(call: &ToolCall) -> bool {
    let output = call.result.as_ref().map_or("", |r| r.text.trim_start());
    ["ERROR", "Error:", "error:", "fatal:", "Traceback (most recent call last)"].iter().any(|w| output.starts_with(w))
}

/// What of a call is compared, in lower case.
struct Texts {
    command: String,
    /// What an edit puts in place of what; what a write puts into a file.
    written: String,
    output: String,
}

impl Texts {
    fn of(call: &ToolCall) -> Self {
        let mut command = String::new();
        for text in [call.command(), call.target(), call.path()].into_iter().flatten() {
            command.push_str(head(text, COMMAND));
            command.push('\n');
        }
        if command.is_empty() || call.kind == ToolKind::Task {
            let input = call.input.as_object().into_iter().flat_map(|o| o.values()).filter_map(|v| v.as_str());
            input.take(4).for_each(|text| command.push_str(head(text, COMMAND / 4)));
        }
        let mut written = String::new();
        if matches!(call.kind, ToolKind::Write | ToolKind::Edit) {
            for text in WRITTEN.iter().filter_map(|k| call.input.get(*k)?.as_str()) {
                written.push_str(head(text, COMMAND));
                written.push('\n');
            }
        }
        let output = call.result.as_ref().map_or("", |r| head(&r.text, OUTPUT));
        Self { command: command.to_lowercase(), written: written.to_lowercase(), output: output.to_lowercase() }
    }
}

fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// What an item shares or does not share with calls.
struct Subject {
    /// Paths, flags, identifiers, numbers.
    names: Vec<String>,
    stems: Vec<String>,
    kinds: Vec<ToolKind>,
}

impl Subject {
    fn of(text: &str) -> Self {
        let wording = Wording::of(text);
        let mut names: Vec<String> = wording.parameters.iter().filter(|p| is_telling(p)).cloned().collect();
        let raw = text.split(|c: char| c.is_whitespace() || "()[]{}\"`,;:'".contains(c));
        names.extend(raw.filter(|w| is_identifier(w)).map(|w| w.trim_matches('.').to_lowercase()));
        names.sort();
        names.dedup();
        let plain = |s: &&String| s.len() > 2 && !COMMON.contains(&s.as_str()) && !is_parameter(s);
        let mut stems: Vec<String> = wording.stems.iter().filter(plain).cloned().collect();
        stems.sort();
        stems.dedup();
        let verbs: Vec<&str> = wording.words.iter().take(8).map(String::as_str).collect();
        let kinds = VERBS.iter().filter(|(words, _)| verbs.iter().any(|v| words.contains(v)));
        let kinds = kinds.flat_map(|(_, kinds)| kinds.iter().copied()).collect();
        Self { names, stems, kinds }
    }

    fn evidence(&self, call: CallRef, kind: ToolKind, texts: &Texts) -> Option<Evidence> {
        let pick = |words: &[String], text: &str| -> Vec<String> {
            words.iter().filter(|w| has_word(text, w)).cloned().collect()
        };
        let names = pick(&self.names, &texts.command);
        let words = pick(&self.stems, &texts.command);
        let named = pick(&self.names, &texts.written);
        let fits = self.kinds.contains(&kind);
        let written = pick(&self.stems, &texts.written);
        let strong = !names.is_empty() || fits && (!words.is_empty() || !named.is_empty() || written.len() >= MANY);
        let mut shared = names;
        let new: Vec<String> = named.into_iter().filter(|n| !shared.contains(n)).collect();
        shared.extend(new);
        shared.extend(words);
        let output = if strong { Vec::new() } else { pick(&self.stems, &texts.output) };
        for word in written.into_iter().chain(output) {
            if !shared.contains(&word) {
                shared.push(word);
            }
        }
        (strong || shared.len() >= 2).then_some(Evidence { call, strong, shared })
    }
}

/// Numbers of one or two digits and folders of the first level (`/app`) stand everywhere.
fn is_telling(parameter: &str) -> bool {
    let is_top = parameter.strip_prefix('/').is_some_and(|rest| !rest.trim_end_matches('/').contains(['/', '.']));
    parameter.len() > 2 && !is_top
}

/// `camelCase`, `snake_case`, `Type::method`, `name()`.
fn is_identifier(word: &str) -> bool {
    let inner = word.get(1..).unwrap_or_default();
    let cased = word.bytes().all(|b| b.is_ascii_alphanumeric()) && inner.bytes().any(|b| b.is_ascii_lowercase());
    word.len() > 3
        && (word.contains('_') && word.bytes().any(|b| b.is_ascii_alphabetic())
            || word.contains("::")
            || cased && inner.bytes().any(|b| b.is_ascii_uppercase()))
}

/// Whether the text holds the word at the start of a word; a word of three letters must be one, or its plural. A stem may
/// end in an `i` that its words write as `y`.
fn has_word(text: &str, word: &str) -> bool {
    let word = word.strip_suffix('i').filter(|w| w.len() > 3).unwrap_or(word);
    memmem::find_iter(text.as_bytes(), word.as_bytes()).any(|at| {
        let before = text[..at].chars().next_back();
        let after = &text[at + word.len()..];
        let after = after.strip_prefix('s').unwrap_or(after).chars().next();
        let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphabetic());
        before.is_none_or(|c| !c.is_alphanumeric()) && (word.len() > 3 || is_end(after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::plan::extract;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn list(a: &str, status: &str) -> serde_json::Value {
        json!({"todos": [{"content": a, "status": status}]})
    }

    fn evidence(item: &str, work: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Vec<(u32, bool)> {
        let begun =
            SessionBuilder::new().shell("go vet ./cache", 0, "").call("TodoWrite", list(item, "in_progress"), "ok");
        let session = work(begun).call("TodoWrite", list(item, "completed"), "ok").build();
        let plan = extract(&session);
        let last = plan.transitions.last().unwrap();
        last.evidence.iter().map(|e| (e.call.msg.0 + 1, e.strong)).collect()
    }

    #[test]
    fn strong_by_a_shared_name_or_by_the_verb_s_kind_and_a_word() {
        let edit = |b: SessionBuilder| b.call("Edit", json!({"file_path": "src/cache/lru.go"}), "ok");
        assert_eq!(evidence("Fix eviction in lru.go", edit), [(3, true)]);
        assert_eq!(evidence("Fix the cache eviction", edit), [(3, true)]);
        assert_eq!(evidence("Run the cache benchmark", edit), []);
        let body = |b: SessionBuilder| {
            b.call("Edit", json!({"file_path": "m.go", "old_string": "x", "new_string": "evictOldest(n)"}), "ok")
        };
        assert_eq!(evidence("Update evictOldest to take a count", body), [(3, true)]);
        assert_eq!(evidence("Read evictOldest first", body), []);
        let shell = |b: SessionBuilder| b.shell("go test ./cache -bench .", 0, "ok");
        assert_eq!(evidence("Run the cache benchmark", shell), [(3, true)]);
    }

    #[test]
    fn weak_by_two_words_of_the_output_and_nothing_by_one() {
        let read = |b: SessionBuilder| b.shell("cat a", 0, "the retry backoff of the client");
        assert_eq!(evidence("Add retry with backoff", read), [(3, false)]);
        assert_eq!(evidence("Add retry with jitter", read), []);
    }

    #[test]
    fn a_failed_call_and_one_before_the_start_prove_nothing() {
        let failed = |b: SessionBuilder| b.shell("go test ./cache", 1, "FAIL");
        assert_eq!(evidence("Test the cache", failed), []);
        assert_eq!(evidence("Vet the cache", |b| b), []);
    }

    #[test]
    fn effort_counts_messages_and_failures() {
        let session = SessionBuilder::new()
            .call("TodoWrite", list("Test the cache", "in_progress"), "ok")
            .shell("go test ./cache", 1, "FAIL")
            .shell("go test ./cache", 0, "ok")
            .call("TodoWrite", list("Test the cache", "completed"), "ok")
            .build();
        let plan = extract(&session);
        let effort = effort(&session, &plan, 1).unwrap();
        assert_eq!((effort.messages, effort.failures, effort.seconds), (4, 1, None));
    }

    #[test]
    fn talk_needs_no_evidence() {
        assert!(is_talk("Summarise the findings") && is_talk("Explain the trade-offs to the user"));
        assert!(!is_talk("Write the summary to out.md"));
    }
}
