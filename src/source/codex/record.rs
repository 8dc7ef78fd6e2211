//! One line as an owned record.

use jiff::Timestamp;
use serde::de::Error as _;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::output::{self, Output};
use super::wire::{Payload, Piece, Tokens, Wire};
use crate::session::Usage;
use crate::source::bounded;
use crate::source::loose::{Loose, Object};

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) at: Option<Timestamp>,
    /// The item's own id, in new versions.
    pub(super) id: Option<Box<str>>,
    pub(super) bodies: Vec<Body>,
}

/// What a line says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    Meta(Box<Meta>),
    Model(Box<str>),
    User(Vec<Bit>),
    Developer(Vec<Bit>),
    Assistant(Vec<Bit>),
    Reasoning(Vec<String>),
    Call {
        id: Option<Box<str>>,
        name: Box<str>,
        input: Value,
        damaged: bool,
        /// How it ended, where the call itself says so: tools that run beside the model have no output of their own.
        ended: Option<Output>,
    },
    Output {
        id: Option<Box<str>>,
        output: Output,
    },
    /// What an event says of a call.
    CallEnd {
        id: Box<str>,
        exit_code: Option<i64>,
        failed: bool,
        thread: Option<Box<str>>,
    },
    /// Texts that events repeat of items.
    SaidByUser(String),
    SaidByAgent(String),
    Thought(String),
    Tokens {
        total: Option<u64>,
        usage: Usage,
    },
    Summary(String),
    Notice(String),
    Review(Vec<String>),
    RolledBack(u64),
    Unknown {
        kind: Box<str>,
        raw: Value,
    },
}

/// What the first line says of the session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Meta {
    pub(super) id: Option<Box<str>>,
    pub(super) cwd: Option<String>,
    pub(super) version: Option<String>,
    pub(super) forked_from: Option<String>,
    /// Session of the agent that started this one.
    pub(super) parent: Option<Box<str>>,
}

/// A piece of content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bit {
    Text(String),
    Attachment(String),
}

/// Types of lines, and of events, that say nothing that the items do not say.
const STATE: &[&str] = &["world_state", "inter_agent_communication_metadata"];

/// Items that carry nothing to show.
const SILENT: &[&str] = &["ghost_snapshot", "compaction", "context_compaction", "compaction_summary", "other"];

/// Reads one line.
pub(super) fn parse(text: &str) -> serde_json::Result<Line> {
    let wire: Wire<'_> = serde_json::from_str(text)?;
    let mut line = Line { at: wire.timestamp.str().and_then(|t| t.parse().ok()), id: None, bodies: Vec::new() };
    if let Some(items) = &wire.items {
        if let Some(session) = wire.session {
            line.bodies.push(meta(serde_json::from_str(session.get())?));
        }
        for item in items {
            let payload: Payload<'_> = serde_json::from_str(item.get())?;
            line.bodies.extend(self::item(payload, item.get()));
        }
        return Ok(line);
    }
    match (wire.kind.str(), wire.payload) {
        (Some(kind), Some(raw)) => {
            let payload: Payload<'_> = match serde_json::from_str(raw.get()) {
                Ok(payload) => payload,
                Err(e) if raw.get().starts_with('{') => return Err(e),
                Err(_) => Payload::default(),
            };
            line.id = payload.id.boxed();
            line.bodies.extend(enveloped(kind, payload, text));
        }
        (Some(_), None) => {
            let payload: Payload<'_> = serde_json::from_str(text)?;
            line.id = payload.id.boxed();
            line.bodies.extend(item(payload, text));
        }
        (None, _) if wire.record_type.str().is_some() => {}
        (None, _) if wire.id.str().is_some() && line.at.is_some() => {
            line.bodies.push(meta(serde_json::from_str(text)?));
        }
        (None, _) => return Err(serde_json::Error::custom("an object without a type")),
    }
    Ok(line)
}

fn enveloped(kind: &str, payload: Payload<'_>, text: &str) -> Option<Body> {
    match kind {
        "session_meta" => Some(meta(payload)),
        "turn_context" => payload.model.boxed().map(Body::Model),
        "response_item" => item(payload, text),
        "event_msg" => event(payload),
        "compacted" => Some(Body::Summary(payload.message.string().unwrap_or_default())),
        _ if STATE.contains(&kind) => None,
        _ => Some(Body::Unknown { kind: kind.into(), raw: raw(text) }),
    }
}

fn meta(payload: Payload<'_>) -> Body {
    let source: Value = payload.source.map_or(Value::Null, |s| raw(s.get()));
    let spawned = source.pointer("/subagent/thread_spawn/parent_thread_id").and_then(Value::as_str);
    Body::Meta(Box::new(Meta {
        id: payload.id.boxed(),
        parent: spawned.map(Box::from).or_else(|| payload.parent_thread_id.boxed()),
        cwd: payload.cwd.string(),
        version: payload.cli_version.string(),
        forked_from: payload.forked_from_id.string(),
    }))
}

fn item(payload: Payload<'_>, text: &str) -> Option<Body> {
    let kind = payload.kind.str().unwrap_or_default().to_owned();
    let id = payload.call_id.boxed();
    let call = |name: &str, input: Value, damaged| {
        let name = payload.name.boxed().unwrap_or_else(|| name.into());
        Some(Body::Call { id: id.clone(), name, input, damaged, ended: None })
    };
    match &*kind {
        "message" => {
            let role = payload.role.str().unwrap_or_default().to_owned();
            let bits = bits(payload.content);
            Some(match &*role {
                "assistant" => Body::Assistant(bits),
                "user" => Body::User(bits),
                _ => Body::Developer(bits),
            })
        }
        "reasoning" => Some(Body::Reasoning(texts(payload.summary))),
        "web_search_call" | "image_generation_call" => {
            let asked = payload.action.or(payload.arguments).map(|a| raw(a.get()));
            let drawn = || payload.revised_prompt.string().map(|prompt| json!({ "prompt": prompt }));
            let (id, input) = (id.or_else(|| payload.id.boxed()), asked.or_else(drawn).unwrap_or_default());
            let name = kind.strip_suffix("_call").unwrap_or(&kind).into();
            let ended = payload.status.str().and_then(output::of_status);
            Some(Body::Call { id, name, input, damaged: false, ended })
        }
        "function_call" | "tool_search_call" | "mcp_tool_call" => {
            let (input, damaged) = payload.arguments.map_or((Value::Null, false), arguments);
            call(kind.strip_suffix("_call").unwrap_or(&kind), input, damaged)
        }
        "custom_tool_call" => {
            let input = payload.input.map_or(Value::Null, |i| raw(i.get()));
            call("custom_tool", input, false)
        }
        "local_shell_call" => {
            let input = payload.action.map_or(Value::Null, |a| raw(a.get()));
            call("local_shell", input, false)
        }
        _ if kind.ends_with("_output") => {
            let output = payload.output.map_or_else(Output::default, |o| output::read(&raw(o.get())));
            Some(Body::Output { id, output })
        }
        _ if SILENT.contains(&&*kind) => None,
        _ => Some(Body::Unknown { kind: kind.into(), raw: raw(text) }),
    }
}

/// Arguments are a JSON text; what is none is kept as it is.
fn arguments(written: &RawValue) -> (Value, bool) {
    match raw(written.get()) {
        Value::String(text) => match bounded::value(&text) {
            Ok(value) => (value, false),
            Err(_) => (Value::String(text), true),
        },
        value => (value, false),
    }
}

fn event(payload: Payload<'_>) -> Option<Body> {
    let kind = payload.kind.str().unwrap_or_default().to_owned();
    let message = || payload.message.str().map(str::to_owned);
    match &*kind {
        "user_message" => message().map(Body::SaidByUser),
        "agent_message" => message().map(Body::SaidByAgent),
        "agent_reasoning" => payload.text.string().map(Body::Thought),
        "token_count" => payload.info.get().and_then(|info| tokens(info.0)),
        "turn_aborted" => Some(Body::Notice(payload.reason.string().unwrap_or(kind))),
        "error" | "stream_error" => message().map(Body::Notice),
        "thread_rolled_back" => payload.num_turns.get().map(Body::RolledBack),
        "exited_review_mode" => payload.review_output.map(|r| Body::Review(review(&raw(r.get())))),
        "exec_command_end" | "patch_apply_end" | "collab_agent_spawn_end" => Some(Body::CallEnd {
            id: payload.call_id.boxed()?,
            exit_code: payload.exit_code.as_ref().and_then(|&n| output::code(n as i64)),
            failed: payload.success.as_ref() == Some(&false),
            thread: payload.new_thread_id.boxed(),
        }),
        _ => None,
    }
}

fn tokens(info: super::wire::Info) -> Option<Body> {
    let count = |t: &Loose<u64>| t.as_ref().copied();
    let last: Tokens = info.last_token_usage.get()?.0;
    let cached = count(&last.cached_input_tokens);
    let usage = Usage {
        input: count(&last.input_tokens).map(|n| n.saturating_sub(cached.unwrap_or(0))),
        output: count(&last.output_tokens),
        cache_read: cached,
        cache_write: None,
    };
    let total = info.total_token_usage.get().and_then(|t| t.0.total_tokens.get());
    Some(Body::Tokens { total, usage })
}

/// The texts of a review: what it says as a whole, then title and body of each finding.
fn review(value: &Value) -> Vec<String> {
    let text = |v: &Value, key: &str| v.get(key).and_then(Value::as_str).filter(|t| !t.is_empty()).map(str::to_owned);
    let mut out: Vec<String> = text(value, "overall_explanation").into_iter().collect();
    for finding in value.get("findings").and_then(Value::as_array).into_iter().flatten() {
        out.extend(["title", "body"].iter().filter_map(|key| text(finding, key)));
    }
    out
}

fn bits(content: Loose<Vec<Loose<Object<Piece<'_>>>>>) -> Vec<Bit> {
    let pieces = content.get().unwrap_or_default().into_iter().filter_map(|p| Some(p.get()?.0));
    pieces
        .map(|piece| match piece.text.string() {
            Some(text) => Bit::Text(text),
            None => Bit::Attachment(piece.kind.string().unwrap_or_default()),
        })
        .collect()
}

fn texts(pieces: Loose<Vec<Loose<Object<Piece<'_>>>>>) -> Vec<String> {
    pieces.get().unwrap_or_default().into_iter().filter_map(|p| p.get()?.0.text.string()).collect()
}

fn raw(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
