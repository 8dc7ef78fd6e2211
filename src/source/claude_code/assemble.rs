//! From ordered items to the messages of each thread, with results folded into their calls.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use serde_json::Value;

use super::background;
use super::order::{Item, Plan};
use super::record::{Block, Body, Kind, Line, Message as Content};
use super::results::Answer;
use super::text::{self, Flags};
use super::threads::Threads;
use super::twins::is_twin;
use crate::diag::{Diag, Folded, Loc, Trouble};
use crate::session::{DraftThread, Message, MessageKind, Part, PartBody, Place, Role, ToolCall, ToolKind, Usage};
use crate::source::background::join;
use crate::source::todos;

/// Where a call stands, while messages are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallAt {
    pub(super) thread: usize,
    pub(super) msg: usize,
    pub(super) part: usize,
    pub(super) at: Option<Timestamp>,
}

/// Makes messages.
pub(super) struct Assembly<'a, L: Fn(Place) -> Loc> {
    pub(super) threads: Vec<Open>,
    /// Calls by thread and id, in order.
    pub(super) calls: HashMap<(usize, Box<str>), Vec<CallAt>>,
    /// Calls without an id, by the item they stand in.
    pub(super) nameless: HashMap<usize, Vec<CallAt>>,
    /// Results whose call did not stand before them.
    pub(super) early: Vec<(usize, Answer)>,
    /// The stream form, where a call may be sent twice.
    stream: bool,
    /// What responses cost that said a call again and nothing else: thread, `message.id`, message of the call.
    pub(super) again: BTreeMap<(usize, Box<str>), (usize, Usage)>,
    /// The call that was just said again.
    sent_again: Option<CallAt>,
    loc: L,
    warnings: &'a mut Folded,
}

/// A thread whose messages are being made.
#[derive(Default)]
pub(super) struct Open {
    pub(super) messages: Vec<Message>,
    /// Replies by `message.id`.
    pub(super) replies: HashMap<Box<str>, usize>,
}

/// The line that is being read.
#[derive(Clone)]
pub(super) struct From {
    pub(super) item: usize,
    pub(super) place: Place,
    pub(super) at: Option<Timestamp>,
    pub(super) thread: usize,
    pub(super) parent: Option<usize>,
    pub(super) uuid: Option<Box<str>>,
    pub(super) abandoned: bool,
}

impl<'a, L: Fn(Place) -> Loc> Assembly<'a, L> {
    pub(super) fn new(stream: bool, loc: L, warnings: &'a mut Folded) -> Self {
        let (threads, calls, nameless) = (Vec::new(), HashMap::new(), HashMap::new());
        Self {
            threads,
            calls,
            nameless,
            early: Vec::new(),
            stream,
            again: BTreeMap::new(),
            sent_again: None,
            loc,
            warnings,
        }
    }

    /// Reads the items in the order of the plan.
    pub(super) fn run(mut self, items: Vec<Item>, plan: &Plan, threads: Threads) -> Vec<DraftThread> {
        self.threads.resize_with(threads.list.len(), Open::default);
        let mut items: Vec<Option<Item>> = items.into_iter().map(Some).collect();
        for &i in &plan.order {
            let Some(item) = items[i].take() else { continue };
            let from = From {
                item: i,
                place: item.place,
                at: item.line.at,
                thread: threads.of[i],
                parent: plan.parent[i],
                uuid: item.line.uuid.clone(),
                abandoned: plan.abandoned[i],
            };
            self.line(item.line, &from);
        }
        for (item, answer) in std::mem::take(&mut self.early) {
            self.late(item, answer);
        }
        self.warn_of_unanswered();
        self.add_again();
        let mut opened = std::mem::take(&mut self.threads);
        opened.iter_mut().for_each(|open| join(&mut open.messages, background::said));
        let mut out = Vec::new();
        for (thread, open) in threads.list.into_iter().zip(opened) {
            out.push(DraftThread {
                native_id: thread.agent.map(Into::into),
                title: thread.title,
                start: thread.start,
                messages: open.messages,
            });
        }
        out
    }

    fn line(&mut self, mut line: Line, from: &From) {
        for field in std::mem::take(&mut line.odd) {
            let (kind, message) = match field {
                "input" => (Trouble::Depth, "the input of a call is nested too deep; kept as text".to_owned()),
                _ => (Trouble::OddType, format!("{field} is not of the type it should be; read without it")),
            };
            self.warn(kind, from.place, message);
        }
        match (line.kind, line.body) {
            (Kind::User, Body::Message(content)) => {
                let flags = Flags { meta: line.meta, compact: line.compact };
                self.user(*content, flags, from);
            }
            (Kind::Assistant, Body::Message(content)) => self.reply(*content, line.api_error, from),
            (Kind::System, Body::Text { kind, text }) if &*kind == "local_command" && !text.is_empty() => {
                self.say(Role::User, MessageKind::Command, PartBody::Text(text), from);
            }
            (Kind::Attachment, Body::Text { kind, text }) => {
                let kind = if &*kind == "queued_command" { text::kind(&text) } else { MessageKind::InjectedContext };
                self.say(Role::User, kind, PartBody::Text(text), from);
            }
            (Kind::Result, Body::Text { kind, text }) => {
                let text = if text.is_empty() { kind.into() } else { text };
                self.say(Role::System, MessageKind::Notice, PartBody::Text(text), from);
            }
            (Kind::State, Body::Text { text, .. }) => {
                for (kind, text) in text::split(text, Flags::default()) {
                    self.say(Role::User, kind, PartBody::Text(text), from);
                }
            }
            (Kind::User | Kind::Assistant, Body::Unknown { kind, raw }) => {
                self.hang(PartBody::Unknown { kind: kind.into(), raw }, from);
            }
            (_, Body::Unknown { kind, raw }) => {
                let message = format!("a line of the unknown type {kind:?}; kept as it is");
                self.warn(Trouble::UnknownType, from.place, message);
                self.hang(PartBody::Unknown { kind: kind.into(), raw }, from);
            }
            _ => {}
        }
    }

    /// A line in the user's place: results go to their calls, texts are messages, neighbours of one kind are one.
    fn user(&mut self, content: Content, flags: Flags, from: &From) {
        let Content { blocks, data, .. } = content;
        let results = blocks.iter().filter(|b| matches!(b, Block::Result { .. })).count();
        let mut data = Some(data).filter(|_| results == 1);
        let mut pieces: Vec<(MessageKind, Vec<PartBody>)> = Vec::new();
        for block in blocks {
            match block {
                Block::Result { id, text, error } => {
                    let data = data.take().unwrap_or(Value::Null);
                    if let Some(said) = text::reason(&text) {
                        add(&mut pieces, MessageKind::Prompt, PartBody::Text(said.to_owned()));
                    }
                    let answer = Answer { id, thread: from.thread, text, error, data, place: from.place, at: from.at };
                    self.answer(answer, from);
                }
                Block::Text(text) => {
                    for (kind, text) in text::split(text, flags) {
                        add(&mut pieces, kind, PartBody::Text(text));
                    }
                }
                other => {
                    let kind = pieces.last().map_or(MessageKind::Prompt, |(kind, _)| *kind);
                    let kind = if flags.meta { MessageKind::InjectedContext } else { kind };
                    let body = self.other(other, from);
                    add(&mut pieces, kind, body);
                }
            }
        }
        for (kind, bodies) in pieces {
            let mut bodies = bodies.into_iter();
            if let Some(first) = bodies.next() {
                self.say(Role::User, kind, first, from);
                bodies.for_each(|body| self.hang(body, from));
            }
        }
    }

    /// A line of a reply: it belongs to the message with its `message.id`.
    fn reply(&mut self, content: Content, api_error: bool, from: &From) {
        let Content { id, model, usage, blocks, .. } = content;
        let notice = api_error || model.as_deref() == Some("<synthetic>");
        let open = &self.threads[from.thread];
        let known = id.as_ref().filter(|_| !notice).and_then(|id| open.replies.get(id).copied());
        let msg = known.unwrap_or(open.messages.len());
        let mut message = Message {
            native_id: id.clone().or_else(|| from.uuid.clone()).map(Into::into),
            role: if notice { Role::System } else { Role::Assistant },
            kind: if notice { MessageKind::Notice } else { MessageKind::Reply },
            at: from.at,
            model: model.filter(|_| !notice).map(Into::into),
            place: from.place,
            abandoned: from.abandoned,
            ..Message::default()
        };
        if known.is_some() {
            message = std::mem::take(&mut self.threads[from.thread].messages[msg]);
        }
        if !notice {
            message.usage = usage;
        }
        let before = message.parts.len();
        let empty = blocks.is_empty();
        for block in blocks {
            match block {
                Block::Call { id, name, input } => self.call(&mut message, msg, id, name, input, from),
                Block::Text(text) => message.parts.push(part(PartBody::Text(text), from)),
                Block::Thinking(text) => message.parts.push(part(PartBody::Reasoning(text), from)),
                other => {
                    let body = self.other(other, from);
                    message.parts.push(part(body, from));
                }
            }
        }
        let response = id.clone().or_else(|| from.uuid.clone()).filter(|_| !notice && self.stream);
        let said_again = self.sent_again.take();
        if let (Some(first), Some(response)) = (said_again, &response)
            && is_twin(&message, msg, first)
        {
            return self.join_twins(message, first, response.clone(), known.is_some(), from.thread);
        }
        let told_again = response.filter(|_| known.is_none() && message.parts.len() == before && !empty);
        if let (Some(id), Some(first)) = (&told_again, said_again) {
            self.again.insert((from.thread, id.clone()), (first.msg, message.usage));
        } else if let Some(id) = &id {
            // A later line of the same response says something of its own.
            self.again.remove(&(from.thread, id.clone()));
        }
        let open = &mut self.threads[from.thread];
        if known.is_some() {
            open.messages[msg] = message;
        } else if message.parts.len() > before || empty || !self.stream {
            open.messages.push(message);
            if let Some(id) = id.filter(|_| !notice) {
                open.replies.insert(id, msg);
            }
        }
    }

    /// Adds a call to a message. In the stream form a call may be sent again with the same id before it is answered;
    /// the last form then stands in the first one's place.
    fn call(
        &mut self,
        message: &mut Message,
        msg: usize,
        id: Option<Box<str>>,
        name: Box<str>,
        input: Value,
        from: &From,
    ) {
        let thread = from.thread;
        let made_up = id.is_none();
        if let Some((kind, text)) = todos::odd(&name, &input) {
            self.warn(kind, from.place, text.to_owned());
        }
        let id = id.unwrap_or_else(|| {
            self.warn(Trouble::NoId, from.place, "a call without an id; one was made up".to_owned());
            format!("line-{}-{}", from.place.line, message.parts.len()).into()
        });
        let earlier = self.calls.get(&(thread, id.clone())).and_then(|list| list.last()).copied();
        if let Some(earlier) = earlier {
            let same_message = earlier.msg == msg;
            let stream = self.stream;
            let parts =
                if same_message { &mut message.parts } else { &mut self.threads[thread].messages[earlier.msg].parts };
            if let Some(Part { place, body: PartBody::Call(call) }) = parts.get_mut(earlier.part)
                && call.result.is_none()
            {
                if same_message && call.input == input && *call.tool == *name {
                    return;
                }
                if stream {
                    self.sent_again = Some(earlier);
                    *place = from.place;
                    call.kind = ToolKind::of(&name);
                    call.tool = name.into();
                    call.input = input;
                    return;
                }
            }
            self.warn(
                Trouble::CallIdReused,
                from.place,
                format!("the call id {id:?} again, with another call; both kept"),
            );
        }
        let at = CallAt { thread, msg, part: message.parts.len(), at: from.at };
        if made_up {
            self.nameless.entry(from.item).or_default().push(at);
        }
        self.calls.entry((thread, id.clone())).or_default().push(at);
        let kind = ToolKind::of(&name);
        let call = ToolCall { id: id.into(), tool: name.into(), kind, input, ..ToolCall::default() };
        message.parts.push(part(PartBody::Call(Box::new(call)), from));
    }

    /// A block that is neither text nor call nor result.
    fn other(&mut self, block: Block, from: &From) -> PartBody {
        match block {
            Block::Picture { media, bytes } => PartBody::Attachment { name: media, bytes },
            Block::Unknown { kind, raw } => {
                // Content of a wrong type was named already.
                if &*kind != "content" {
                    self.warn(
                        Trouble::UnknownBlock,
                        from.place,
                        format!("a block of the unknown type {kind:?}; kept as it is"),
                    );
                }
                PartBody::Unknown { kind: kind.into(), raw }
            }
            Block::Text(text) | Block::Thinking(text) => PartBody::Text(text),
            Block::Call { name, input, .. } => PartBody::Unknown { kind: name.into(), raw: input },
            Block::Result { text, .. } => PartBody::Unknown { kind: "tool_result".into(), raw: text.into() },
        }
    }

    /// A message of its own.
    fn say(&mut self, role: Role, kind: MessageKind, body: PartBody, from: &From) {
        self.threads[from.thread].messages.push(Message {
            native_id: from.uuid.clone().map(Into::into),
            role,
            kind,
            at: from.at,
            parts: vec![part(body, from)],
            place: from.place,
            abandoned: from.abandoned,
            ..Message::default()
        });
    }

    /// A part of the message before; of a message of its own when there is none.
    fn hang(&mut self, body: PartBody, from: &From) {
        match self.threads[from.thread].messages.last_mut() {
            Some(message) => message.parts.push(part(body, from)),
            None => self.say(Role::System, MessageKind::InjectedContext, body, from),
        }
    }

    /// As [`Self::hang`], for a line that was read earlier: the message before it in its file, else the first.
    pub(super) fn hang_before(&mut self, body: PartBody, from: &From) {
        let messages = &mut self.threads[from.thread].messages;
        let before = messages.iter().rposition(|m| m.place <= from.place).unwrap_or(0);
        match messages.get_mut(before) {
            Some(message) => message.parts.push(part(body, from)),
            None => self.say(Role::System, MessageKind::InjectedContext, body, from),
        }
    }

    pub(super) fn warn(&mut self, kind: Trouble, place: Place, message: String) {
        self.warnings.push(Diag::warning(kind, (self.loc)(place), message));
    }
}

pub(super) fn part(body: PartBody, from: &From) -> Part {
    Part { place: from.place, body }
}

fn add(pieces: &mut Vec<(MessageKind, Vec<PartBody>)>, kind: MessageKind, body: PartBody) {
    match pieces.last_mut() {
        Some((last, bodies)) if *last == kind => bodies.push(body),
        _ => pieces.push((kind, vec![body])),
    }
}
