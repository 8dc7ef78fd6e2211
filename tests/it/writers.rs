//! Writers of every format that can be written: for tests only. A session goes out in each and comes back with equal
//! facts, but for what the format cannot carry.

use serde_json::{Value, json};
use turnpoint::session::{CallStatus, Message, MessageKind, PartBody, Role, Session, ToolCall, ToolResult};

/// Files by name.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// A format that can be written, and what it carries.
pub(crate) struct Writer {
    pub(crate) format: &'static str,
    pub(crate) write: fn(&Session) -> Files,
    /// Exit codes other than 0.
    pub(crate) exit: bool,
    /// The exit code 0.
    pub(crate) zero: bool,
    /// That a call was stopped.
    pub(crate) interrupted: bool,
    /// That a text sums up what was said before.
    pub(crate) summaries: bool,
    /// One record on each line.
    pub(crate) lines: bool,
}

const OPENCODE: Writer =
    Writer { format: "", write: export, exit: true, zero: true, interrupted: true, summaries: true, lines: false };

/// The writers.
pub(crate) const WRITERS: &[Writer] = &[
    Writer { format: "claude-code", write: claude_code, zero: false, lines: true, ..OPENCODE },
    Writer { format: "codex", write: codex, interrupted: false, lines: true, ..OPENCODE },
    Writer { format: "opencode-export", ..OPENCODE },
    Writer { format: "opencode-storage", write: storage, ..OPENCODE },
    Writer { format: "opencode-events", write: events, lines: true, ..OPENCODE },
    Writer { format: "opencode-db", write: database, ..OPENCODE },
    Writer {
        format: "messages",
        write: messages,
        exit: false,
        zero: false,
        interrupted: false,
        summaries: false,
        ..OPENCODE
    },
];

/// Messages that every format can tell: of the main thread, said or injected, on no branch that was left.
pub(crate) fn told(session: &Session) -> impl Iterator<Item = &Message> {
    use MessageKind::{CompactionSummary, InjectedContext, Prompt, Reply};
    let kinds = [Prompt, Reply, InjectedContext, CompactionSummary];
    session.messages.iter().filter(move |m| m.thread.0 == 0 && !m.abandoned && kinds.contains(&m.kind))
}

/// What a session says, as far as the writer's format carries it.
pub(crate) fn facts(session: &Session, by: &Writer) -> Vec<String> {
    told(session).flat_map(|m| m.parts.iter().filter_map(move |p| part(m.kind, &p.body, by))).collect()
}

fn part(kind: MessageKind, body: &PartBody, by: &Writer) -> Option<String> {
    match body {
        PartBody::Text(t) | PartBody::Injected(t) | PartBody::Reasoning(t) if t.trim().is_empty() => None,
        PartBody::Injected(t) => Some(format!("{} {t:?}", MessageKind::InjectedContext.word())),
        PartBody::Text(t) if kind == MessageKind::CompactionSummary && !by.summaries => {
            Some(format!("{} {t:?}", MessageKind::InjectedContext.word()))
        }
        PartBody::Text(t) => Some(format!("{} {t:?}", kind.word())),
        PartBody::Reasoning(t) => Some(format!("reasoning {t:?}")),
        PartBody::Call(c) => {
            let end = match c.status() {
                CallStatus::Missing => "missing",
                CallStatus::Interrupted if by.interrupted => "interrupted",
                CallStatus::Interrupted => "failed",
                _ if c.undone() => "failed",
                _ => "ok",
            };
            let exit = c.exit_code().filter(|&code| by.exit && (code != 0 || by.zero));
            let text = c.result.as_ref().map_or("", |r| plain(&r.text));
            Some(format!("{} {} {} {end} {exit:?} {text:?}", c.id, c.tool, c.input))
        }
        _ => None,
    }
}

/// Time of the message at a position, in milliseconds: one second after the one before it.
fn time(at: usize) -> i64 {
    1_790_000_000_000 + 1000 * at as i64
}

fn iso(at: usize) -> String {
    jiff::Timestamp::from_millisecond(time(at)).expect("a time").to_string()
}

fn lines(records: impl IntoIterator<Item = Value>) -> Vec<u8> {
    records.into_iter().map(|r| r.to_string() + "\n").collect::<String>().into_bytes()
}

fn one(name: &str, bytes: Vec<u8>) -> Files {
    vec![(name.to_owned(), bytes)]
}

fn failed(call: &ToolCall) -> bool {
    call.undone() || call.status() == CallStatus::Interrupted
}

fn claude_code(session: &Session) -> Files {
    let (mut out, mut parent): (Vec<Value>, Option<String>) = (Vec::new(), None);
    let mut line = |kind: &str, at: usize, message: Value, more: Value| {
        let uuid = format!("u{}", out.len());
        let mut record = json!({"parentUuid": parent, "isSidechain": false, "cwd": "/w", "sessionId": "s", "version": "2.0.0",
            "type": kind, "uuid": uuid, "timestamp": iso(at), "message": message});
        for (key, value) in more.as_object().into_iter().flatten() {
            record[key] = value.clone();
        }
        parent = Some(uuid);
        out.push(record);
    };
    for (at, m) in told(session).enumerate() {
        let mut results = Vec::new();
        for p in &m.parts {
            let block = match &p.body {
                PartBody::Text(text) => json!({"type": "text", "text": text}),
                PartBody::Injected(text) => {
                    line("user", at, json!({"role": "user", "content": text}), json!({"isMeta": true}));
                    continue;
                }
                PartBody::Reasoning(text) => json!({"type": "thinking", "thinking": text, "signature": "x"}),
                PartBody::Call(c) => {
                    results.extend(c.result.as_ref().filter(|_| c.status() != CallStatus::Missing).map(|r| (c, r)));
                    json!({"type": "tool_use", "id": c.id, "name": c.tool, "input": c.input})
                }
                _ => continue,
            };
            match m.kind {
                MessageKind::Reply => {
                    let message = json!({"id": format!("m{at}"), "role": "assistant", "model": "model", "content": [block],
                        "usage": {"input_tokens": 1, "output_tokens": 1}});
                    line("assistant", at, message, json!({"requestId": format!("r{at}")}));
                }
                kind => {
                    let key = if kind == MessageKind::CompactionSummary { "isCompactSummary" } else { "isMeta" };
                    let flag = json!({key: kind != MessageKind::Prompt});
                    line("user", at, json!({"role": "user", "content": [block]}), flag);
                }
            }
        }
        for (c, r) in results {
            let code = r.exit_code.filter(|&code| code != 0);
            let text = code.map_or_else(|| r.text.clone(), |code| format!("Exit code {code}\n{}", plain(&r.text)));
            let block = json!({"type": "tool_result", "tool_use_id": c.id, "content": text, "is_error": failed(c)});
            let interrupted = json!({"toolUseResult": {"interrupted": r.status == CallStatus::Interrupted}});
            line("user", at, json!({"role": "user", "content": [block]}), interrupted);
        }
    }
    one("session.jsonl", lines(out))
}

/// What a command printed, without the line in which Claude Code tells the exit code.
fn plain(text: &str) -> &str {
    text.split_once('\n').filter(|(head, _)| head.starts_with("Exit code ")).map_or(text, |(_, rest)| rest)
}

fn codex(session: &Session) -> Files {
    let envelope =
        |at: usize, kind: &str, payload: Value| json!({"timestamp": iso(at), "type": kind, "payload": payload});
    let mut out = vec![envelope(0, "session_meta", json!({"id": "s", "cwd": "/w", "cli_version": "0.100.0"}))];
    for (at, m) in told(session).enumerate() {
        let mut results = Vec::new();
        let mut add = |payload: Value| out.push(envelope(at, "response_item", payload));
        for p in &m.parts {
            let said = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
            match &p.body {
                PartBody::Injected(text) => add(said("developer", "input_text", text)),
                PartBody::Text(text) => match m.kind {
                    MessageKind::Reply => add(said("assistant", "output_text", text)),
                    MessageKind::Prompt => add(said("user", "input_text", text)),
                    MessageKind::CompactionSummary => add(json!({"summary": text})),
                    _ => add(said("developer", "input_text", text)),
                },
                PartBody::Reasoning(text) => {
                    add(json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}))
                }
                PartBody::Call(c) => {
                    results.extend(c.result.as_ref().filter(|_| c.status() != CallStatus::Missing).map(|r| (c, r)));
                    add(
                        json!({"type": "function_call", "name": c.tool, "call_id": c.id, "arguments": c.input.to_string()}),
                    );
                }
                _ => {}
            }
        }
        for (c, r) in results {
            let text = plain(&r.text);
            let output = match r.exit_code {
                Some(code) => json!(json!({"output": text, "metadata": {"exit_code": code}}).to_string()),
                None => json!({"content": text, "success": !failed(c)}),
            };
            add(json!({"type": "function_call_output", "call_id": c.id, "output": output}));
        }
    }
    for record in &mut out {
        if let Some(text) = record["payload"].get("summary").filter(|s| s.is_string()).cloned() {
            (record["type"], record["payload"]) = ("compacted".into(), json!({"message": text}));
        }
    }
    one("rollout.jsonl", lines(out))
}

/// A message as OpenCode keeps it: its record and its parts.
fn record(at: usize, m: &Message) -> (Value, Vec<Value>) {
    let id = |kind: &str, n: usize| format!("{kind}_{:012x}{n:04}", (time(at) as u64 * 4096) & 0xFFFF_FFFF_FFFF);
    let message = id("msg", 0);
    let reply = matches!(m.kind, MessageKind::Reply | MessageKind::CompactionSummary);
    let role = if reply { "assistant" } else { "user" };
    let mut info = json!({"id": message, "sessionID": "ses_a", "role": role, "time": {"created": time(at)}});
    if reply {
        (info["modelID"], info["providerID"]) = ("model".into(), "p".into());
    }
    if m.kind == MessageKind::CompactionSummary {
        info["summary"] = true.into();
    }
    let injected = m.kind == MessageKind::InjectedContext;
    let part = |p: &PartBody| match p {
        PartBody::Text(text) if injected => Some(json!({"type": "text", "text": text, "synthetic": true})),
        PartBody::Injected(text) => Some(json!({"type": "text", "text": text, "synthetic": true})),
        PartBody::Text(text) => Some(json!({"type": "text", "text": text})),
        PartBody::Reasoning(text) => Some(json!({"type": "reasoning", "text": text})),
        PartBody::Call(c) => Some(json!({"type": "tool", "tool": c.tool, "callID": c.id, "state": state(c)})),
        _ => None,
    };
    let mut parts: Vec<Value> = m.parts.iter().filter_map(|p| part(&p.body)).collect();
    for (n, part) in parts.iter_mut().enumerate() {
        (part["id"], part["messageID"], part["sessionID"]) =
            (id("prt", n).into(), message.clone().into(), "ses_a".into());
    }
    (info, parts)
}

fn state(call: &ToolCall) -> Value {
    let result = |r: &ToolResult| {
        let text = plain(&r.text);
        match r.status {
            CallStatus::Interrupted => {
                json!({"status": "error", "error": text, "metadata": {"interrupted": true, "exit": r.exit_code}})
            }
            CallStatus::Error if r.exit_code.is_none() => json!({"status": "error", "error": text}),
            CallStatus::Missing => json!({"status": "running"}),
            _ => json!({"status": "completed", "output": text, "metadata": {"exit": r.exit_code}}),
        }
    };
    let mut state = call.result.as_ref().map_or_else(|| json!({"status": "running"}), result);
    state["input"] = call.input.clone();
    state
}

fn info() -> Value {
    json!({"id": "ses_a", "projectID": "global", "directory": "/w", "title": "made", "version": "1.2.6",
        "time": {"created": time(0), "updated": time(0)}})
}

fn records(session: &Session) -> impl Iterator<Item = (Value, Vec<Value>)> {
    told(session).enumerate().map(|(at, m)| record(at, m))
}

fn export(session: &Session) -> Files {
    let messages: Vec<Value> = records(session).map(|(info, parts)| json!({"info": info, "parts": parts})).collect();
    one("session.json", json!({"info": info(), "messages": messages}).to_string().into_bytes())
}

fn storage(session: &Session) -> Files {
    let file = |folder: &str, value: &Value| {
        (format!("{folder}/{}.json", value["id"].as_str().expect("an id")), value.to_string().into_bytes())
    };
    let mut out = vec![file("session/global", &info())];
    for (info, parts) in records(session) {
        out.extend(parts.iter().map(|p| file("part/m", p)));
        out.push(file("message/ses_a", &info));
    }
    out
}

fn events(session: &Session) -> Files {
    let event = |kind: &str, properties: Value| json!({"type": kind, "properties": properties});
    let mut out = vec![event("session.created", json!({"info": info()}))];
    for (info, parts) in records(session) {
        out.push(event("message.updated", json!({"info": info})));
        for part in parts {
            let mut early = part.clone();
            early["state"] = json!({"status": "pending"});
            out.push(event("message.part.updated", json!({"part": early})));
            out.push(event("message.part.updated", json!({"part": part})));
        }
    }
    one("events.jsonl", lines(out))
}

fn database(session: &Session) -> Files {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("opencode.db");
    let db = rusqlite::Connection::open(&path).expect("a database");
    db.execute_batch(
        "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN;
         CREATE TABLE session (id, project_id, parent_id, directory, title, version, revert, time_created, time_updated);
         CREATE TABLE message (id, session_id, time_created, time_updated, data);
         CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data);
         INSERT INTO session (id, directory, title, version, time_created) VALUES ('ses_a', '/w', 'made', '1.2.6', 1);",
    )
    .expect("tables");
    for (at, (info, parts)) in records(session).enumerate() {
        let text = |value: &Value, key: &str| value[key].as_str().expect("an id").to_owned();
        let message = text(&info, "id");
        db.execute("INSERT INTO message VALUES (?, 'ses_a', ?, 0, ?)", (&message, time(at), info.to_string()))
            .expect("a row");
        for part in parts {
            let values = (text(&part, "id"), &message, time(at), part.to_string());
            db.execute("INSERT INTO part VALUES (?, ?, 'ses_a', ?, 0, ?)", values).expect("a row");
        }
    }
    db.execute_batch("COMMIT").expect("the rows");
    drop(db);
    one("opencode.db", std::fs::read(&path).expect("the database"))
}

fn messages(session: &Session) -> Files {
    let mut out = Vec::new();
    for m in told(session) {
        let role = match (m.kind, m.role) {
            (MessageKind::Reply, _) => "assistant",
            (MessageKind::Prompt, _) => "user",
            (_, Role::User | Role::Assistant | Role::System) => "system",
        };
        let (mut blocks, mut results) = (Vec::new(), Vec::new());
        for p in &m.parts {
            match &p.body {
                PartBody::Text(text) => blocks.push(json!({"type": "text", "text": text})),
                PartBody::Injected(text) => {
                    if !blocks.is_empty() {
                        out.push(json!({"role": role, "content": std::mem::take(&mut blocks)}));
                    }
                    out.push(json!({"role": "system", "content": text}));
                }
                PartBody::Reasoning(text) => blocks.push(json!({"type": "thinking", "thinking": text})),
                PartBody::Call(c) => {
                    blocks.push(json!({"type": "tool_use", "id": c.id, "name": c.tool, "input": c.input}));
                    let result = c.result.as_ref().filter(|r| r.status != CallStatus::Missing);
                    results.extend(result.map(|r| {
                        json!({"type": "tool_result", "tool_use_id": c.id, "content": plain(&r.text), "is_error": failed(c)})
                    }));
                }
                _ => {}
            }
        }
        if !blocks.is_empty() {
            out.push(json!({"role": role, "content": blocks}));
        }
        if !results.is_empty() {
            out.push(json!({"role": "user", "content": results}));
        }
    }
    one("messages.json", json!({"messages": out}).to_string().into_bytes())
}
