//! Which session and which messages of it are meant.

use super::exit::usage;
use crate::report::text::cut;
use crate::session::{MsgIx, Session};

/// Characters of a title that tell a session from others.
const TITLE: usize = 80;

/// The search for what `--pick` means. Only sessions that may be meant are held.
pub(super) struct Choice<'a> {
    pick: &'a str,
    names: Vec<String>,
    /// At the position, or the newest so far.
    placed: Option<Session>,
    /// Whose id starts with it; whose id it is drives the others out.
    by_id: Option<Session>,
    /// Whether one has this very id.
    whole: bool,
    alike: usize,
}

impl<'a> Choice<'a> {
    pub(super) fn new(pick: &'a str) -> Self {
        Self { pick, names: Vec::new(), placed: None, by_id: None, whole: false, alike: 0 }
    }

    pub(super) fn offer(&mut self, session: Session) {
        self.names.push(named(&session));
        let position = self.pick.parse() == Ok(self.names.len());
        let newest = || self.placed.as_ref().is_none_or(|old| session.last_at() >= old.last_at());
        if position || (self.pick == "latest" && newest()) {
            self.placed = Some(session);
        } else if session.id == self.pick {
            self.alike = if self.whole { self.alike + 1 } else { 1 };
            (self.by_id, self.whole) = (Some(session), true);
        } else if session.id.starts_with(self.pick) && !self.whole {
            self.alike += 1;
            self.by_id = Some(session);
        }
    }

    pub(super) fn take(self) -> anyhow::Result<Session> {
        let (pick, names) = (self.pick, self.names);
        let list = names.iter().enumerate().map(|(i, s)| format!("  {}  {s}", i + 1)).collect::<Vec<_>>().join("\n");
        match (self.placed, self.by_id) {
            (Some(session), _) => Ok(session),
            (None, Some(session)) if self.alike == 1 => Ok(session),
            (None, Some(_)) if self.whole => {
                Err(usage(format!("{} sessions have the id `{pick}`; choose one by its position:\n{list}", self.alike)))
            }
            (None, Some(_)) => {
                Err(usage(format!("{} sessions start with `{pick}`; the input holds:\n{list}", self.alike)))
            }
            (None, None) => Err(usage(format!("no session `{pick}`; the input holds:\n{list}"))),
        }
    }
}

/// One line that lets a reader tell a session from others.
pub(crate) fn named(session: &Session) -> String {
    let title = cut(&session.name(), TITLE);
    let at = session.first_at().map(|t| t.strftime("%Y-%m-%d %H:%M").to_string()).unwrap_or_else(|| "no date".into());
    format!("{}  {}  {}  {} messages  {}", session.id, session.agent, at, session.messages.len(), title)
}

/// The message that MSG names, or an error that says what exists.
pub(crate) fn message(session: &Session, name: &str) -> anyhow::Result<MsgIx> {
    session.find(name).ok_or_else(|| {
        let (first, last) = (session.messages.first(), session.messages.iter().rfind(|m| m.label.msg > 0));
        match (first, last) {
            (Some(first), Some(last)) => usage(format!(
                "no message `{name}`: the session's messages go from {} to {}; a native id is understood as well",
                first.label, last.label
            )),
            _ => usage(format!("no message `{name}`: the session holds no messages")),
        }
    })
}

/// The messages that `A..B`, `A..`, `..B` or `A` names, both ends included.
pub(crate) fn range(session: &Session, text: &str) -> anyhow::Result<std::ops::RangeInclusive<MsgIx>> {
    if text.trim().is_empty() {
        return Err(usage("MSG is empty; name a message or a range: 352, 349..352, or .. for all"));
    }
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let last = last.trim_start_matches(['=', '.']);
    let backwards = || usage(format!("`{text}` ends before it begins; write `{last}..{first}`"));
    if first.parse::<u64>().ok().zip(last.parse::<u64>().ok()).is_some_and(|(first, last)| first > last) {
        return Err(backwards());
    }
    let end = MsgIx(session.messages.len().saturating_sub(1) as u32);
    let from = if first.is_empty() { MsgIx(0) } else { message(session, first)? };
    let to = if last.is_empty() { end } else { message(session, last)? };
    if from > to { Err(backwards()) } else { Ok(from..=to) }
}
