//! Where plans come from: one file per source, each turns what it reads into [`Write`]s.
//!
//! A new source is one file and one line of [`SOURCES`].

mod checklist;
mod deltas;
mod files;
mod heredoc;
mod plan_agent;
mod progress;
mod python;
mod sed;
mod steps;
mod told;
mod whole_list;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::session::{CallRef, CallStatus, MsgIx, Session, Span, ToolCall};

pub(super) use files::{plan_file_named, plan_file_written};

use super::{PlanList, State};

/// One write of a plan, before items are followed.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// Message.
    pub msg: MsgIx,
    /// Part of the message.
    pub part: u32,
    /// Call that wrote it.
    pub call: Option<CallRef>,
    /// List written.
    pub list: PlanList,
    /// 1 for a tool's list; lower for what was inferred.
    pub certainty: f64,
    /// False when it was refused or never answered.
    pub accepted: bool,
    /// It shows what was changed out of sight, by no write of the transcript.
    pub revealed: bool,
    /// The whole list after the write, in order.
    pub entries: Vec<Entry>,
    /// Positions of the entries the write names; `None` = all of them.
    pub touched: Option<Vec<usize>>,
    /// Items that were there before the first write that is seen; those not known yet are taken in without a change.
    pub baseline: Vec<Entry>,
}

/// One item as a write shows it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entry {
    /// Identity that the source vouches for, unique in the list over all time.
    pub key: Option<String>,
    /// The transcript's own id.
    pub native_id: Option<String>,
    /// Text, as written.
    pub text: String,
    /// State.
    pub state: State,
    /// State as written.
    pub status_text: String,
    /// Priority as written.
    pub priority: Option<String>,
    /// Form shown while the item is active.
    pub active_form: Option<String>,
    /// Where the text stands.
    pub span: Option<Span>,
}

/// How certain a change is that was made out of sight, and shows only when a call lists, reads or repeats it.
const REVEALED: f64 = 0.8;

/// A source of plans.
#[derive(Debug)]
pub struct Source {
    /// Name.
    pub id: &'static str,
    /// What it reads, in one sentence.
    pub about: &'static str,
    /// Reads the writes of a session, in reading order.
    pub read: fn(&Scope<'_>) -> Vec<Write>,
}

/// Every source.
pub const SOURCES: &[Source] = &[whole_list::SOURCE, deltas::SOURCE, files::SOURCE, told::SOURCE];

/// A session with what every source needs to know of it.
#[derive(Debug)]
pub struct Scope<'a> {
    /// The session.
    pub session: &'a Session,
    /// Whether the transcript holds results at all; where it holds none, an unanswered call says nothing.
    has_results: bool,
}

impl<'a> Scope<'a> {
    fn new(session: &'a Session) -> Self {
        Self { session, has_results: session.calls().any(|(_, c)| c.result.is_some()) }
    }

    /// Calls of messages that count, in reading order.
    fn calls(&self) -> impl Iterator<Item = (CallRef, &'a ToolCall)> {
        let session = self.session;
        session.calls().filter(|(at, _)| !session.message(at.msg).abandoned)
    }

    /// Whether a plan call took effect.
    fn accepted(&self, call: &ToolCall) -> bool {
        match call.status() {
            CallStatus::Ok | CallStatus::Unknown => true,
            CallStatus::Missing => !self.has_results,
            CallStatus::Error | CallStatus::Interrupted => false,
        }
    }

    /// How certain an accepted write of a tool is: less where no result can prove it.
    fn tool_certainty(&self) -> f64 {
        if self.has_results { 1.0 } else { 0.9 }
    }
}

/// Every plan write of a session, in reading order.
pub fn writes(session: &Session) -> Vec<Write> {
    let scope = Scope::new(session);
    let mut all: BTreeMap<(MsgIx, u32), Vec<Write>> = BTreeMap::new();
    for source in SOURCES {
        for write in (source.read)(&scope) {
            all.entry((write.msg, write.part)).or_default().push(write);
        }
    }
    all.into_values().flatten().collect()
}

/// The name of a tool without the prefix of the server it comes from, in lower case without separators.
fn base_name(tool: &str) -> String {
    let base = tool.rsplit("__").next().unwrap_or(tool);
    base.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// A string or number as text: vendors write ids and priorities either way.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
