//! Builds a session by hand: for tests, and for programs that hold a transcript in memory.

use serde_json::Value;

use super::{
    CallStatus, Draft, DraftThread, Message, MessageKind, Part, PartBody, Place, Role, Session, ThreadStart, ToolCall,
    ToolKind, ToolResult,
};

/// Collects messages; see [`SessionBuilder::build`].
#[derive(Debug, Clone, Default)]
pub struct SessionBuilder {
    messages: Vec<Message>,
    threads: Vec<DraftThread>,
    calls: usize,
}

impl SessionBuilder {
    /// An empty session.
    pub fn new() -> Self {
        Self::default()
    }

    /// A prompt typed by the user.
    pub fn user(self, text: &str) -> Self {
        self.message(Role::User, MessageKind::Prompt, PartBody::Text(text.into()))
    }

    /// A reply of text only.
    pub fn assistant(self, text: &str) -> Self {
        self.message(Role::Assistant, MessageKind::Reply, PartBody::Text(text.into()))
    }

    /// A message of any kind.
    pub fn text(self, role: Role, kind: MessageKind, text: &str) -> Self {
        self.message(role, kind, PartBody::Text(text.into()))
    }

    /// A reply that calls a tool, which answers `output` without error.
    pub fn call(self, tool: &str, input: Value, output: &str) -> Self {
        let id = format!("call{}", self.calls + 1);
        self.call_id(&id, tool, input, output)
    }

    /// As [`Self::call`], with a call id of your own.
    pub fn call_id(self, id: &str, tool: &str, input: Value, output: &str) -> Self {
        let result = ToolResult { status: CallStatus::Ok, text: output.into(), ..ToolResult::default() };
        self.call_with(id, tool, input, Some(result))
    }

    /// A reply that runs a command with an exit code.
    pub fn shell(self, command: &str, exit_code: i64, output: &str) -> Self {
        let id = format!("call{}", self.calls + 1);
        let status = if exit_code == 0 { CallStatus::Ok } else { CallStatus::Error };
        let result = ToolResult { status, exit_code: Some(exit_code), text: output.into(), ..ToolResult::default() };
        self.call_with(&id, "Bash", serde_json::json!({ "command": command }), Some(result))
    }

    /// A reply that calls a tool, with the result given whole (`None` = no result stands in the transcript).
    pub fn call_with(mut self, id: &str, tool: &str, input: Value, result: Option<ToolResult>) -> Self {
        self.calls += 1;
        let call = ToolCall {
            id: id.into(),
            tool: tool.into(),
            kind: ToolKind::of(tool),
            input,
            result,
            ..ToolCall::default()
        };
        self.message(Role::Assistant, MessageKind::Reply, PartBody::Call(Box::new(call)))
    }

    /// Puts the content of the last message added into the one before it, as a further part.
    pub fn merge(mut self) -> Self {
        if self.messages.len() > 1
            && let Some(last) = self.messages.pop()
            && let Some(before) = self.messages.last_mut()
        {
            before.parts.extend(last.parts);
        }
        self
    }

    /// Changes the last message added.
    pub fn edit(mut self, change: impl FnOnce(&mut Message)) -> Self {
        if let Some(last) = self.messages.last_mut() {
            change(last);
        }
        self
    }

    /// A subagent's thread, started by the call with this id.
    pub fn thread(self, call_id: &str, fill: impl FnOnce(Self) -> Self) -> Self {
        self.add_thread(ThreadStart::Call(call_id.into()), fill)
    }

    /// A subagent's thread whose caller is unknown.
    pub fn thread_unknown(self, fill: impl FnOnce(Self) -> Self) -> Self {
        self.add_thread(ThreadStart::Unknown, fill)
    }

    fn add_thread(mut self, start: ThreadStart, fill: impl FnOnce(Self) -> Self) -> Self {
        let inner = fill(Self { calls: self.calls, ..Self::default() });
        self.calls = inner.calls;
        self.threads.push(DraftThread { start, messages: inner.messages, ..DraftThread::default() });
        self.threads.extend(inner.threads);
        self
    }

    fn message(mut self, role: Role, kind: MessageKind, body: PartBody) -> Self {
        let place = Place { line: self.messages.len() as u32 + 1, ..Place::default() };
        self.messages.push(Message { role, kind, place, parts: vec![Part { place, body }], ..Message::default() });
        self
    }

    /// The session before numbering.
    pub fn draft(self) -> Draft {
        let head = Session { agent: "made".into(), id: "made".into(), format: "made", ..Session::default() };
        let main = DraftThread { messages: self.messages, ..DraftThread::default() };
        let threads = std::iter::once(main).chain(self.threads).collect();
        Draft { head, threads }
    }

    /// The session, numbered from 1.
    pub fn build(self) -> Session {
        self.draft().finish(None)
    }
}
