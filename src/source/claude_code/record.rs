//! One line as an owned record: small, and free of what the session does not need.

use jiff::Timestamp;
use serde::de::Error as _;
use serde_json::Value;
use serde_json::value::RawValue;

use super::totals::{self, Totals};
use super::wire::{self, Content, Wire};
use crate::session::Usage;
use crate::source::loose::{Loose, Object, Str};

/// What a line is, by its `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    System,
    Progress,
    Attachment,
    Title,
    /// The last line of the stream form.
    Result,
    /// A line that says something of the program's own state.
    State,
    Unknown,
}

/// Types that say something of the program's own state.
const STATE: &[&str] = &[
    "agent-color",
    "agent-name",
    "agent-setting",
    "atis-latch",
    "bridge-session",
    "content-replacement",
    "context-collapse",
    "control_request",
    "control_response",
    "file-history-snapshot",
    "frame-link",
    "last-prompt",
    "marble-origami-commit",
    "mode",
    "permission-mode",
    "pr-link",
    "queue-operation",
    "rate_limit_event",
    "relocated",
    "started",
    "stream_event",
    "tag",
    "task-summary",
    "tool_progress",
    "tool_use_summary",
    "worktree-state",
];

/// Whether the format has lines of this type.
pub(super) fn is_known(word: &str) -> bool {
    Kind::of(word) != Kind::Unknown
}

impl Kind {
    /// Whether somebody says something on the line.
    pub(super) fn is_said(self) -> bool {
        matches!(self, Self::User | Self::Assistant)
    }

    fn of(word: &str) -> Self {
        match word {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "system" => Self::System,
            "progress" => Self::Progress,
            "attachment" => Self::Attachment,
            "summary" | "ai-title" | "custom-title" => Self::Title,
            "result" => Self::Result,
            _ if STATE.contains(&word) => Self::State,
            _ => Self::Unknown,
        }
    }
}

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) kind: Kind,
    pub(super) uuid: Option<Box<str>>,
    pub(super) parent: Option<Box<str>>,
    pub(super) session: Option<Box<str>>,
    /// Id of the subagent whose line it is.
    pub(super) agent: Option<Box<str>>,
    /// Id of the call that started the subagent whose line it is.
    pub(super) caller: Option<Box<str>>,
    pub(super) at: Option<Timestamp>,
    pub(super) cwd: Option<Box<str>>,
    pub(super) version: Option<Box<str>>,
    pub(super) sidechain: bool,
    pub(super) meta: bool,
    pub(super) compact: bool,
    pub(super) api_error: bool,
    pub(super) body: Body,
    /// What the whole run cost, on the line that ends it.
    pub(super) totals: Totals,
    /// Fields that hold something unexpected.
    pub(super) odd: Vec<&'static str>,
}

/// What a line says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    Nothing,
    Message(Box<Message>),
    /// Text of a system, attachment or queue line, with its subtype.
    Text {
        kind: Box<str>,
        text: String,
    },
    Title {
        rank: u8,
        text: String,
        leaf: Option<Box<str>>,
    },
    /// A line of a subagent, repeated in a progress line.
    Copy(Box<Line>),
    Unknown {
        kind: Box<str>,
        raw: Value,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Message {
    pub(super) id: Option<Box<str>>,
    pub(super) model: Option<Box<str>>,
    pub(super) usage: Usage,
    pub(super) blocks: Vec<Block>,
    /// Structured data beside the result of a tool.
    pub(super) data: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    Text(String),
    Thinking(String),
    Call { id: Option<Box<str>>, name: Box<str>, input: Value },
    Result { id: Option<Box<str>>, text: String, error: Option<bool> },
    Picture { media: String, bytes: u64 },
    Unknown { kind: Box<str>, raw: Value },
}

/// Reads one line. Fails with another error than a syntax error when the object has no `type`.
pub(super) fn parse(text: &str) -> serde_json::Result<Line> {
    let wire: Wire<'_> = serde_json::from_str(text)?;
    let Some(word) = wire.kind.str().map(str::to_owned) else {
        return Err(serde_json::Error::custom("an object without a type"));
    };
    Ok(line(wire, &word, text))
}

fn line(wire: Wire<'_>, word: &str, text: &str) -> Line {
    let kind = Kind::of(word);
    let mut odd = oddities(&wire);
    let at = time(&wire.timestamp, &mut odd);
    let agent = wire.agent_id.boxed();
    let caller = wire.parent_call.boxed().or_else(|| wire.stream_parent_call.boxed());
    Line {
        kind,
        uuid: wire.uuid.boxed(),
        parent: wire.parent_uuid.boxed(),
        session: wire.session_id.boxed().or_else(|| wire.stream_session_id.boxed()),
        agent: agent.clone(),
        at,
        cwd: wire.cwd.boxed(),
        version: wire.version.boxed().or_else(|| wire.stream_version.boxed()),
        sidechain: flag(&wire.is_sidechain),
        meta: flag(&wire.is_meta),
        compact: flag(&wire.is_compact_summary),
        api_error: flag(&wire.is_api_error_message),
        totals: if kind == Kind::Result { totals::parse(wire.model_usage, wire.usage) } else { Totals::new() },
        body: body(kind, wire, word, text, &mut odd, agent, &caller),
        caller,
        odd,
    }
}

fn flag(field: &Loose<bool>) -> bool {
    field.as_ref().copied().unwrap_or(false)
}

fn time(field: &Str<'_>, odd: &mut Vec<&'static str>) -> Option<Timestamp> {
    let at = field.str().and_then(|t| t.parse().ok());
    if at.is_none() && !matches!(field, Loose::Absent) {
        odd.push("timestamp");
    }
    at
}

fn oddities(wire: &Wire<'_>) -> Vec<&'static str> {
    let mut odd = Vec::new();
    let mut note = |is_odd: bool, name| {
        if is_odd {
            odd.push(name);
        }
    };
    note(wire.uuid.is_odd(), "uuid");
    note(wire.parent_uuid.is_odd(), "parentUuid");
    note(wire.session_id.is_odd(), "sessionId");
    note(wire.is_sidechain.is_odd(), "isSidechain");
    note(wire.is_meta.is_odd(), "isMeta");
    note(wire.message.is_odd(), "message");
    note(wire.tool_use_result.is_odd(), "toolUseResult");
    odd
}

fn body(
    kind: Kind,
    wire: Wire<'_>,
    word: &str,
    text: &str,
    odd: &mut Vec<&'static str>,
    agent: Option<Box<str>>,
    caller: &Option<Box<str>>,
) -> Body {
    match kind {
        Kind::User | Kind::Assistant => match wire.message {
            Loose::Is(Object(message)) => {
                let data = wire.tool_use_result.get().map_or(Value::Null, |d| d.0);
                Body::Message(Box::new(self::message(message, data, text, odd)))
            }
            _ => {
                if !odd.contains(&"message") {
                    odd.push("message");
                }
                Body::Unknown { kind: word.into(), raw: raw(text) }
            }
        },
        Kind::System => Body::Text {
            kind: wire.subtype.boxed().unwrap_or_default(),
            text: wire.content.get().map(plain).unwrap_or_default(),
        },
        Kind::Attachment => attachment(wire.attachment),
        Kind::Progress => wire.data.get().and_then(|d| copy(d.0, agent, caller)).unwrap_or(Body::Nothing),
        Kind::Title => {
            let ranked = [(0, wire.summary), (1, wire.ai_title), (2, wire.custom_title)];
            let found = ranked.into_iter().find_map(|(rank, t)| Some((rank, t.string()?)));
            match found {
                Some((rank, text)) => Body::Title { rank, text, leaf: wire.leaf_uuid.boxed() },
                None => Body::Nothing,
            }
        }
        Kind::Result if flag(&wire.is_error) => Body::Text {
            kind: wire.subtype.boxed().unwrap_or_default(),
            text: wire.result.string().unwrap_or_default(),
        },
        Kind::State if word == "queue-operation" => match wire.content.get().map(plain) {
            Some(text) if !text.trim().is_empty() => Body::Text { kind: "queued".into(), text },
            _ => Body::Nothing,
        },
        Kind::Result | Kind::State => Body::Nothing,
        Kind::Unknown => Body::Unknown { kind: word.into(), raw: raw(text) },
    }
}

/// The line that an `agent_progress` line repeats.
fn copy(progress: wire::Progress<'_>, agent: Option<Box<str>>, caller: &Option<Box<str>>) -> Option<Body> {
    if progress.kind.str() != Some("agent_progress") {
        return None;
    }
    let mut inner = parse(progress.message?.get()).ok()?;
    inner.agent = progress.agent_id.boxed().or(agent);
    inner.caller = caller.clone();
    inner.sidechain = true;
    Some(Body::Copy(Box::new(inner)))
}

/// Text that an attachment line shows to the model.
fn attachment(raw: Option<&RawValue>) -> Body {
    let Some(value) = raw.and_then(|r| serde_json::from_str::<Value>(r.get()).ok()) else { return Body::Nothing };
    let kind: Box<str> = value.get("type").and_then(Value::as_str).unwrap_or_default().into();
    // A reminder repeats the plan, it does not say anything.
    if kind.ends_with("_reminder") {
        return Body::Nothing;
    }
    let typed = value.get("commandMode").and_then(Value::as_str).is_none_or(|mode| mode == "prompt");
    let kind = if &*kind == "queued_command" && !typed { "queued_notice".into() } else { kind };
    const KEYS: &[&str] = &["prompt", "content", "text", "snippet", "planContent", "message", "blockingError"];
    let text = KEYS.iter().find_map(|k| value.get(k).map(strings).filter(|t| !t.trim().is_empty()));
    match text {
        Some(text) => Body::Text { kind, text },
        None => Body::Nothing,
    }
}

/// The strings of a text, of a list of texts or blocks, or of an object with a `content`, `text` or `file`.
fn strings(value: &Value) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::String(text) => out.push(text),
            Value::Array(items) => stack.extend(items.iter().rev()),
            Value::Object(fields) => {
                let inner = ["text", "content", "file", "blockingError"].iter().find_map(|k| fields.get(*k));
                stack.extend(inner);
            }
            _ => {}
        }
    }
    out.join("\n")
}

fn message(wire: wire::Message<'_>, data: Value, text: &str, odd: &mut Vec<&'static str>) -> Message {
    let blocks = match wire.content {
        Loose::Is(Content::Text(text)) => vec![Block::Text(text.into_owned())],
        Loose::Is(Content::Blocks(blocks)) => {
            blocks.into_iter().enumerate().filter_map(|(i, b)| block(b, i, text, odd)).collect()
        }
        Loose::Absent => Vec::new(),
        Loose::Odd => {
            odd.push("content");
            vec![Block::Unknown { kind: "content".into(), raw: pointer(text, "/message/content") }]
        }
    };
    for (field, is_odd) in [("message.id", wire.id.is_odd()), ("usage", wire.usage.is_odd())] {
        if is_odd {
            odd.push(field);
        }
    }
    let usage = totals::usage(wire.usage);
    Message { id: wire.id.boxed(), model: wire.model.boxed(), usage, blocks, data }
}

fn block(block: Loose<Object<wire::Block<'_>>>, i: usize, text: &str, odd: &mut Vec<&'static str>) -> Option<Block> {
    let unknown = |kind: &str| {
        let raw = pointer(text, &format!("/message/content/{i}"));
        Some(Block::Unknown { kind: kind.into(), raw })
    };
    let Loose::Is(Object(block)) = block else {
        odd.push("content");
        return unknown("content");
    };
    let kind = block.kind.str().unwrap_or_default().to_owned();
    match &*kind {
        "text" => block.text.string().map(Block::Text).or_else(|| unknown(&kind)),
        // Newer versions write the reasoning's signature only.
        "thinking" => block.thinking.string().filter(|t| !t.is_empty()).map(Block::Thinking),
        "redacted_thinking" => None,
        "tool_use" | "server_tool_use" | "mcp_tool_use" => Some(Block::Call {
            id: block.id.boxed(),
            name: block.name.boxed().unwrap_or_else(|| "?".into()),
            input: block.input.map_or(Value::Null, |input| input_value(input, odd)),
        }),
        _ if kind == "tool_result" || kind.ends_with("_tool_result") => Some(Block::Result {
            id: block.tool_use_id.boxed(),
            text: block.content.get().map(plain).unwrap_or_default(),
            error: block.is_error.get(),
        }),
        "image" | "document" => {
            let source = block.source.get().unwrap_or_default().0;
            let bytes = source.data.str().map_or(0, |d| d.len() as u64);
            Some(Block::Picture { media: source.media_type.string().unwrap_or(kind), bytes })
        }
        _ => unknown(&kind),
    }
}

fn input_value(input: &RawValue, odd: &mut Vec<&'static str>) -> Value {
    serde_json::from_str(input.get()).unwrap_or_else(|_| {
        odd.push("input");
        Value::String(input.get().to_owned())
    })
}

/// The text of content; blocks are joined by line breaks, pictures left out.
fn plain(content: Content<'_>) -> String {
    match content {
        Content::Text(text) => text.into_owned(),
        Content::Blocks(blocks) => {
            let texts: Vec<String> = blocks.into_iter().filter_map(|b| b.get()?.0.text.string()).collect();
            texts.join("\n")
        }
    }
}

fn raw(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn pointer(text: &str, path: &str) -> Value {
    raw(text).pointer(path).cloned().unwrap_or(Value::Null)
}
