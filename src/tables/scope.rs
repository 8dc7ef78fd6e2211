//! What the row makers of one session share: ids, places, and the sink for rows.

use sha2::{Digest, Sha256};

use super::Value;
use crate::analysis::Analysis;
use crate::link::FactId;
use crate::session::{CallRef, MsgIx, Span};

/// One session, seen by the row makers.
#[derive(Debug)]
pub struct Scope<'a> {
    /// The session with its facts.
    pub analysis: &'a Analysis,
    prefix: String,
}

impl<'a> Scope<'a> {
    /// Looks at one session.
    pub fn new(analysis: &'a Analysis) -> Self {
        Self { analysis, prefix: key(&analysis.session.agent, &analysis.session.id) }
    }

    /// Id of a fact, unique over all sessions: `1a2b3c4d:finding-4`.
    pub fn id(&self, fact: FactId) -> String {
        format!("{}:{}", self.prefix, fact.show(&self.analysis.session))
    }

    /// Id of a row that no link names: `1a2b3c4d:discrepancy-4`.
    pub fn row_id(&self, kind: &str, position: usize) -> String {
        format!("{}:{kind}-{}", self.prefix, position + 1)
    }

    /// Id of a call, as in `tool_calls.id`.
    pub fn call_id(&self, call: CallRef) -> Option<String> {
        let position = self.analysis.facts.calls.binary_search(&call).ok()?;
        Some(self.id(FactId::Call(position as u32)))
    }

    /// Number of a message on the main thread.
    pub fn msg(&self, ix: MsgIx) -> u64 {
        self.analysis.session.message(ix).label.msg
    }

    /// Number of a message, unique in the session.
    pub fn label(&self, ix: MsgIx) -> String {
        self.analysis.session.message(ix).label.to_string()
    }

    /// The bytes that a span names.
    pub fn quote(&self, span: &Span) -> Option<&'a str> {
        self.analysis.session.quote(span)
    }
}

/// Key of a session: the first 8 hex digits of a SHA-256 over agent and session id.
pub(super) fn key(agent: &str, session: &str) -> String {
    let digest = Sha256::new().chain_update(agent).chain_update([0]).chain_update(session).finalize();
    digest.iter().take(4).map(|b| format!("{b:02x}")).collect()
}

/// Takes the rows of one table; fills in the columns of the table's head.
pub struct Rows<'a, 'o> {
    scope: &'o Scope<'a>,
    cells: Vec<Value<'a>>,
    width: usize,
    emit: &'o mut dyn FnMut(&[Value<'_>]),
}

impl std::fmt::Debug for Rows<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rows").field("width", &self.width).finish_non_exhaustive()
    }
}

impl<'a, 'o> Rows<'a, 'o> {
    pub(super) fn new(scope: &'o Scope<'a>, width: usize, emit: &'o mut dyn FnMut(&[Value<'_>])) -> Self {
        Self { scope, cells: Vec::with_capacity(width), width, emit }
    }

    /// A row of a table with the head `SESSION`.
    pub fn plain<const N: usize>(&mut self, cells: [Value<'a>; N]) {
        self.begin();
        self.finish(cells);
    }

    /// A row of a table with the head `PLACED`.
    pub fn placed<const N: usize>(&mut self, msg: Option<MsgIx>, cells: [Value<'a>; N]) {
        self.begin();
        self.place(msg);
        self.finish(cells);
    }

    /// A row of a table with the head `NAMED`.
    pub fn named<const N: usize>(&mut self, id: String, msg: Option<MsgIx>, cells: [Value<'a>; N]) {
        self.begin();
        self.cells.push(id.into());
        self.place(msg);
        self.finish(cells);
    }

    fn begin(&mut self) {
        self.cells.clear();
        self.cells.push((&self.scope.analysis.session.id).into());
    }

    fn place(&mut self, msg: Option<MsgIx>) {
        let session = &self.scope.analysis.session;
        let Some(message) = msg.map(|ix| session.message(ix)) else {
            self.cells.extend([Value::Null, Value::Null, Value::Null, Value::Null]);
            return;
        };
        let thread = session.threads.get(message.thread.0 as usize).map(|t| t.label.as_str());
        self.cells.extend([
            message.label.msg.into(),
            message.label.sub_number().into(),
            message.label.to_string().into(),
            thread.into(),
        ]);
    }

    fn finish<const N: usize>(&mut self, cells: [Value<'a>; N]) {
        self.cells.extend(cells);
        debug_assert_eq!(self.cells.len(), self.width, "a row has as many cells as its table has columns");
        (self.emit)(&self.cells);
    }
}
