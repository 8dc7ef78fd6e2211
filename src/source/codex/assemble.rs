//! From lines to the messages of a thread.
//!
//! A reply is the maximal run of reasoning, text and calls before the next output or text of the user. What events
//! repeat of items is dropped; what only an event says is kept.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::background;
use super::output::{self, Output};
use super::record::{Bit, Body, Line};
use super::repeated::repeated;
use super::script;
use super::texts::{kind, parts};
use crate::diag::{Diag, Folded, Loc, Trouble};
use crate::session::{
    CallStatus, Message, MessageKind, Part, PartBody, Place, Role, ToolCall, ToolKind, ToolResult, Usage,
};
use crate::source::background::join;
use crate::source::todos;

/// A line with its place.
pub(super) struct Item {
    pub(super) place: Place,
    pub(super) line: Line,
}

/// Where a call stands: message, part, and when it was made.
type CallAt = (usize, usize, Option<Timestamp>);

/// The calls of one id: those without a result, and the last.
#[derive(Default)]
struct Calls {
    open: Vec<CallAt>,
    last: Option<CallAt>,
}

/// Makes the messages of one thread.
pub(super) struct Assembly<'a> {
    messages: Vec<Message>,
    /// The reply that is open.
    run: Option<usize>,
    calls: HashMap<Box<str>, Calls>,
    /// The last reply, and the prompts that were not taken back.
    last_reply: Option<usize>,
    prompts: Vec<usize>,
    /// Messages that were taken back.
    undone: Vec<Range<usize>>,
    /// The prompt that an event has told again.
    told: Option<usize>,
    model: Option<Box<str>>,
    total: Option<u64>,
    /// An event told of the response that comes, before its items.
    begun: bool,
    /// Tokens of the response that comes.
    ahead: Option<Usage>,
    /// Events that say what an item says, by the numbers of their lines.
    repeated: HashSet<usize>,
    loc: &'a dyn Fn(Place) -> Loc,
    warnings: &'a mut Folded,
}

struct From {
    /// Number of the line among those of the thread.
    number: usize,
    place: Place,
    at: Option<Timestamp>,
    id: Option<Box<str>>,
}

impl<'a> Assembly<'a> {
    /// Reads the items in file order.
    pub(super) fn run(items: Vec<Item>, loc: &'a dyn Fn(Place) -> Loc, warnings: &'a mut Folded) -> Vec<Message> {
        let repeated = repeated(&items);
        let (messages, calls) = (Vec::new(), HashMap::new());
        let mut all = Self {
            messages,
            run: None,
            calls,
            last_reply: None,
            prompts: Vec::new(),
            undone: Vec::new(),
            told: None,
            model: None,
            total: None,
            begun: false,
            ahead: None,
            repeated,
            loc,
            warnings,
        };
        for (number, Item { place, line }) in items.into_iter().enumerate() {
            let from = From { number, place, at: line.at, id: line.id };
            for body in line.bodies {
                all.body(body, &from);
            }
        }
        all.spend_ahead();
        all.mark_undone();
        all.warn_of_unanswered();
        join(&mut all.messages, background::said);
        all.messages
    }

    fn body(&mut self, body: Body, from: &From) {
        match body {
            Body::Meta(_) => {}
            Body::Model(model) => self.model = Some(model),
            Body::User(bits) => self.user(bits, from),
            Body::Developer(bits) => self.say(Role::System, MessageKind::InjectedContext, parts(bits), from),
            Body::Assistant(bits) => parts(bits).into_iter().for_each(|b| self.reply(b, from)),
            Body::Reasoning(list) => list.into_iter().for_each(|t| self.reply(PartBody::Reasoning(t), from)),
            Body::Call { id, name, input, damaged, ended } => {
                self.call(id, name, input, damaged, from);
                if let Some(output) = ended {
                    self.ended(output, from);
                }
            }
            Body::Output { id, output } => self.output(id, output, from),
            Body::CallEnd { id, exit_code, failed, thread } => self.call_end(&id, exit_code, failed, thread),
            Body::SaidByUser(text) => {
                if !self.repeated.contains(&from.number) && !self.is_told(&text) {
                    self.say(Role::User, MessageKind::Prompt, vec![PartBody::Text(text)], from);
                }
            }
            Body::SaidByAgent(text) => {
                if self.repeated.contains(&from.number) {
                    self.begun |= self.run.is_none();
                } else {
                    self.reply(PartBody::Text(text), from);
                }
            }
            Body::Thought(text) => {
                if self.repeated.contains(&from.number) {
                    self.begun |= self.run.is_none();
                } else {
                    self.reply(PartBody::Reasoning(text), from);
                }
            }
            Body::Tokens { total, usage } => self.tokens(total, usage),
            Body::Summary(text) => {
                let bodies = if text.is_empty() { Vec::new() } else { vec![PartBody::Text(text)] };
                self.say(Role::User, MessageKind::CompactionSummary, bodies, from);
            }
            Body::Notice(text) => self.say(Role::System, MessageKind::Notice, vec![PartBody::Text(text)], from),
            Body::Review(list) => list.into_iter().for_each(|t| self.reply(PartBody::Text(t), from)),
            Body::RolledBack(turns) => self.roll_back(turns),
            Body::Unknown { kind, raw } => {
                self.warn(
                    Trouble::UnknownType,
                    from.place,
                    format!("a line of the unknown type {kind:?}; kept as it is"),
                );
                self.hang(PartBody::Unknown { kind: kind.into(), raw }, from);
            }
        }
    }

    /// Whether the prompt directly before holds the text, with context of an editor around it.
    fn is_told(&mut self, text: &str) -> bool {
        let said = self.messages.iter().enumerate().rev().take(4).take_while(|(_, m)| m.role != Role::Assistant);
        let last = said.into_iter().find(|(_, m)| m.role == Role::User);
        // A prompt is told again once.
        let told = last.filter(|(i, m)| Some(*i) != self.told && m.text().contains(text.trim())).map(|(i, _)| i);
        self.told = told.or(self.told);
        told.is_some()
    }

    fn user(&mut self, bits: Vec<Bit>, from: &From) {
        let mut pieces: Vec<(MessageKind, Vec<PartBody>)> = Vec::new();
        for body in parts(bits) {
            let kind = match &body {
                PartBody::Text(text) => kind(text),
                _ => pieces.last().map_or(MessageKind::Prompt, |(kind, _)| *kind),
            };
            match pieces.last_mut() {
                Some((last, bodies)) if *last == kind => bodies.push(body),
                _ => pieces.push((kind, vec![body])),
            }
        }
        for (kind, bodies) in pieces {
            self.say(Role::User, kind, bodies, from);
        }
    }

    fn say(&mut self, role: Role, kind: MessageKind, bodies: Vec<PartBody>, from: &From) {
        self.run = None;
        if kind == MessageKind::Prompt {
            self.prompts.push(self.messages.len());
        }
        self.messages.push(Message {
            native_id: from.id.clone().map(Into::into),
            role,
            kind,
            at: from.at,
            parts: bodies.into_iter().map(|body| Part { place: from.place, body }).collect(),
            place: from.place,
            ..Message::default()
        });
    }

    fn reply(&mut self, body: PartBody, from: &From) {
        self.reply_at(body, from);
    }

    /// A part of the open reply, or the first of a new one; gives its place.
    fn reply_at(&mut self, body: PartBody, from: &From) -> (usize, usize) {
        let msg = self.run.unwrap_or_else(|| {
            self.messages.push(Message {
                native_id: from.id.clone().map(Into::into),
                role: Role::Assistant,
                kind: MessageKind::Reply,
                at: from.at,
                model: self.model.clone().map(Into::into),
                usage: self.ahead.take().unwrap_or_default(),
                place: from.place,
                ..Message::default()
            });
            self.begun = false;
            self.last_reply = Some(self.messages.len() - 1);
            self.messages.len() - 1
        });
        self.run = Some(msg);
        self.messages[msg].parts.push(Part { place: from.place, body });
        (msg, self.messages[msg].parts.len() - 1)
    }

    fn hang(&mut self, body: PartBody, from: &From) {
        match self.messages.last_mut() {
            Some(message) => message.parts.push(Part { place: from.place, body }),
            None => self.say(Role::System, MessageKind::InjectedContext, vec![body], from),
        }
    }

    fn call(&mut self, id: Option<Box<str>>, name: Box<str>, input: Value, damaged: bool, from: &From) {
        if damaged {
            self.warn(Trouble::Arguments, from.place, "the arguments of a call are no JSON; kept as text".to_owned());
        }
        // A web search has neither id nor output.
        let searches = ToolKind::of(&name) == ToolKind::Fetch;
        let id = id.unwrap_or_else(|| {
            if !searches {
                self.warn(Trouble::NoId, from.place, "a call without an id; one was made up".to_owned());
            }
            format!("line-{}", from.place.line).into()
        });
        let script = input.as_str().filter(|_| *name == *"exec").map(script::calls).unwrap_or_default();
        self.add_call(&id, &id, &name, input, from);
        for (n, (tool, input)) in script.into_iter().enumerate() {
            // They share the output of the script.
            self.add_call(&format!("{id}#{}", n + 1), &id, &tool, input, from);
        }
    }

    fn add_call(&mut self, id: &str, answered_by: &str, tool: &str, input: Value, from: &From) {
        if let Some((kind, text)) = todos::odd(tool, &input) {
            self.warn(kind, from.place, text.to_owned());
        }
        let (id, tool, kind) = (id.to_owned(), tool.to_owned(), ToolKind::of(tool));
        let call = ToolCall { id, tool, kind, input, ..ToolCall::default() };
        let files: Vec<String> = call.patched_paths().into_iter().map(str::to_owned).collect();
        let (msg, part) = self.reply_at(PartBody::Call(Box::new(call)), from);
        let calls = self.calls.entry(answered_by.into()).or_default();
        calls.open.push((msg, part, from.at));
        calls.last = Some((msg, part, from.at));
        if !files.is_empty() {
            self.reply(PartBody::Patch { files }, from);
        }
    }

    fn output(&mut self, id: Option<Box<str>>, output: Output, from: &From) {
        self.run = None;
        let calls = id.as_ref().and_then(|id| self.calls.get_mut(id));
        let (known, mut open) = calls.map_or((false, Vec::new()), |c| (true, std::mem::take(&mut c.open)));
        open.retain(|&at| self.at(at).is_some_and(|c| c.result.is_none()));
        let Some(&first) = open.first() else {
            let raw = json!({ "call_id": id, "output": output.text });
            let (kind, what) = match known {
                false => (Trouble::OrphanResult, "an output whose call does not stand before it; kept by itself"),
                true => (Trouble::SecondResult, "a second output of one call; kept beside it"),
            };
            self.warn(kind, from.place, what.to_owned());
            return self.hang(PartBody::Unknown { kind: "output".into(), raw }, from);
        };
        let between =
            first.2.zip(from.at).and_then(|(a, b)| u64::try_from(b.as_millisecond() - a.as_millisecond()).ok());
        // A call that asks after a running command has answered; the command has not ended.
        let left_running =
            output.running.is_some() && !open.iter().any(|&at| self.at(at).is_some_and(background::asks));
        let data = output.running.map_or(Value::Null, |id| json!({ "session_id": id }));
        let status = match (output.interrupted, output.failed) {
            (true, _) => CallStatus::Interrupted,
            (_, true) => CallStatus::Error,
            _ if left_running => CallStatus::Unknown,
            _ => CallStatus::Ok,
        };
        let lone_inner = open.len() == 2;
        for &at in open.iter().skip(1) {
            let exit_code = output.exit_code.filter(|_| lone_inner);
            let place = from.place;
            if let Some(call) = self.at_mut(at) {
                let data = data.clone();
                call.result = Some(ToolResult { status, exit_code, place, data, ..ToolResult::default() });
            }
        }
        let unknown = output.exit_code.is_none() && status == CallStatus::Ok;
        if let Some(call) = self.at_mut(first) {
            let unknown = unknown && call.kind == ToolKind::Shell;
            call.duration_ms = output.duration_ms.or(between);
            call.started_thread = output::spawned(&call.tool, &output.text);
            let (text, exit_code, place) = (output.text, output.exit_code, from.place);
            call.result = Some(ToolResult { status, exit_code, refused: output.refused, text, place, data, at: None });
            if unknown {
                let message = "a command whose exit code is not written".to_owned();
                self.warnings.push(Diag::note(Trouble::ExitUnknown, (self.loc)(place), message));
            }
        }
    }

    /// The end of the last call, where the call itself tells it: tools that run at the model's side.
    fn ended(&mut self, output: Output, from: &From) {
        let last = self.messages.last_mut().and_then(|m| m.parts.last_mut());
        let Some(PartBody::Call(call)) = last.map(|p| &mut p.body) else { return };
        let status = if output.failed { CallStatus::Error } else { CallStatus::Ok };
        call.result = Some(ToolResult { status, text: output.text, place: from.place, ..ToolResult::default() });
    }

    /// What an event says of a call that was answered.
    fn call_end(&mut self, id: &str, exit_code: Option<i64>, failed: bool, thread: Option<Box<str>>) {
        let Some(at) = self.calls.get(id).and_then(|calls| calls.last) else { return };
        let Some(call) = self.at_mut(at) else { return };
        if let Some(thread) = thread {
            call.started_thread = Some(thread.into());
        }
        if let Some(result) = &mut call.result {
            result.exit_code = result.exit_code.or(exit_code);
            if result.status == CallStatus::Unknown && result.exit_code.is_some() {
                result.status = CallStatus::Ok;
            }
            if failed && result.status == CallStatus::Ok {
                result.status = CallStatus::Error;
            }
        }
    }

    fn at(&self, (msg, part, _): CallAt) -> Option<&ToolCall> {
        match &self.messages.get(msg)?.parts.get(part)?.body {
            PartBody::Call(call) => Some(call),
            _ => None,
        }
    }

    fn at_mut(&mut self, (msg, part, _): CallAt) -> Option<&mut ToolCall> {
        match &mut self.messages.get_mut(msg)?.parts.get_mut(part)?.body {
            PartBody::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Tokens of the last response. Lines are repeated without a new response: the session's total then stays.
    fn tokens(&mut self, total: Option<u64>, usage: Usage) {
        if total.is_some() && total == self.total {
            return;
        }
        self.total = total;
        // Most versions tell the tokens behind the items of a response, some before them.
        if self.run.is_none() && (self.begun || self.last_reply().is_none_or(|m| m.usage != Usage::default())) {
            return self.ahead.get_or_insert_default().add(usage);
        }
        if let Some(reply) = self.last_reply() {
            reply.usage.add(usage);
        }
    }

    fn last_reply(&mut self) -> Option<&mut Message> {
        self.messages.get_mut(self.last_reply?)
    }

    /// Tokens of a response of which nothing came belong to the last that did.
    fn spend_ahead(&mut self) {
        if let Some(usage) = self.ahead.take()
            && let Some(reply) = self.last_reply()
        {
            reply.usage.add(usage);
        }
    }

    /// The last turns were taken back by the user.
    fn roll_back(&mut self, turns: u64) {
        let left = usize::try_from(turns).ok().filter(|n| *n > 0).and_then(|n| self.prompts.len().checked_sub(n));
        let Some(left) = left else { return };
        self.undone.push(self.prompts[left]..self.messages.len());
        self.prompts.truncate(left);
    }

    /// Marks what was taken back, going through the messages once however often that was done.
    fn mark_undone(&mut self) {
        let mut change = vec![0_i64; self.messages.len() + 1];
        for range in &self.undone {
            change[range.start] += 1;
            change[range.end] -= 1;
        }
        let mut open = 0;
        for (message, change) in self.messages.iter_mut().zip(change) {
            open += change;
            message.abandoned |= open > 0;
        }
    }

    fn warn_of_unanswered(&mut self) {
        let mut places = Vec::new();
        for part in self.messages.iter().flat_map(|m| &m.parts) {
            if matches!(&part.body, PartBody::Call(c) if c.result.is_none() && c.kind != ToolKind::Fetch) {
                places.push(part.place);
            }
        }
        for place in places {
            self.warn(Trouble::NoResult, place, "a call without a result; how it ended is not known".to_owned());
        }
    }

    fn warn(&mut self, kind: Trouble, place: Place, message: String) {
        self.warnings.push(Diag::warning(kind, (self.loc)(place), message));
    }
}
