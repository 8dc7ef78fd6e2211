//! What a completion took: how long its item was active, in how many messages, and what failed meanwhile.

use std::collections::BTreeMap;

use super::window::windows;
use crate::extract::plan::{ItemIx, Plan, State};
use crate::session::{MsgIx, Session};

/// What a completion took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Message where the work began: the item's first start, else its creation, else the completion before.
    pub from: MsgIx,
    /// Message of the completion.
    pub to: MsgIx,
    /// The item was active in between; else the figures are those of the whole window.
    pub was_active: bool,
    /// Messages while the item was active, subagents included.
    pub messages: u32,
    /// Calls in them that failed.
    pub failures: u32,
    /// Time in which the item was active, where its messages are dated.
    pub seconds: Option<i64>,
}

/// What each completion took, by position of the transition.
pub fn efforts(session: &Session, plan: &Plan) -> BTreeMap<usize, Effort> {
    let sums = Sums::of(session);
    let windows = windows(session, plan);
    let mut active: BTreeMap<ItemIx, Vec<(MsgIx, Option<MsgIx>)>> = BTreeMap::new();
    let mut out = BTreeMap::new();
    for (at, t) in plan.transitions.iter().enumerate().filter(|(_, t)| t.from != t.to) {
        let Some(item) = t.item else { continue };
        let stretches = active.entry(item).or_default();
        if t.from == State::Active
            && let Some(last) = stretches.last_mut()
        {
            last.1 = Some(t.msg);
        }
        if t.to == State::Active {
            stretches.push((t.msg, None));
        }
        if t.is_completion() {
            let stretches = std::mem::take(stretches);
            let was_active = !stretches.is_empty();
            let from = stretches.first().map(|s| s.0).or_else(|| windows.get(&at).map(|w| w.from)).unwrap_or(t.msg);
            let closed = stretches.into_iter().map(|(a, b)| (a, b.unwrap_or(t.msg)));
            let spans: Vec<(MsgIx, MsgIx)> = if was_active { closed.collect() } else { vec![(from, t.msg)] };
            out.insert(at, sums.effort(session, &spans, was_active, t.msg));
        }
    }
    out
}

/// Running totals over the messages, so that long windows cost no more than short ones.
struct Sums {
    messages: Vec<u32>,
    failures: Vec<u32>,
}

impl Sums {
    fn of(session: &Session) -> Self {
        let mut sums = Self { messages: vec![0], failures: vec![0] };
        let (mut messages, mut failures) = (0, 0);
        for m in &session.messages {
            if !m.abandoned {
                messages += 1;
                failures += m.calls().filter(|c| c.failed()).count() as u32;
            }
            sums.messages.push(messages);
            sums.failures.push(failures);
        }
        sums
    }

    fn effort(&self, session: &Session, spans: &[(MsgIx, MsgIx)], was_active: bool, to: MsgIx) -> Effort {
        let over = |sums: &[u32]| spans.iter().map(|(a, b)| sums[b.at() + 1] - sums[a.at()]).sum();
        let dated = |m: MsgIx| session.message(m).at.map(|t| t.as_second());
        let seconds: Option<i64> = spans.iter().map(|(a, b)| Some((dated(*b)? - dated(*a)?).max(0))).sum();
        let messages = over(&self.messages);
        Effort {
            from: spans.first().map_or(to, |s| s.0),
            to,
            was_active,
            messages,
            failures: over(&self.failures),
            // Many messages in no time: all bear the date of the file.
            seconds: seconds.filter(|s| *s > 0 || messages <= 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::plan::extract;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn list(status: &str) -> serde_json::Value {
        json!({"todos": [{"content": "Test the cache", "status": status}]})
    }

    #[test]
    fn only_active_stretches_count() {
        let session = SessionBuilder::new()
            .call("TodoWrite", list("in_progress"), "ok")
            .shell("go test ./cache", 1, "FAIL")
            .call("TodoWrite", list("pending"), "ok")
            .shell("go vet", 1, "no")
            .shell("go vet", 1, "no")
            .call("TodoWrite", list("in_progress"), "ok")
            .shell("go test ./cache", 0, "ok")
            .call("TodoWrite", list("completed"), "ok")
            .build();
        let found = efforts(&session, &extract(&session));
        let effort = found.values().next().unwrap();
        assert_eq!((effort.from, effort.to, effort.was_active), (MsgIx(0), MsgIx(7), true));
        assert_eq!((effort.messages, effort.failures, effort.seconds), (6, 1, None));
    }

    #[test]
    fn an_item_never_active_is_told_by_its_window() {
        let session = SessionBuilder::new()
            .call("TodoWrite", list("pending"), "ok")
            .shell("go test ./cache", 0, "ok")
            .call("TodoWrite", list("completed"), "ok")
            .build();
        let found = efforts(&session, &extract(&session));
        let effort = found.values().next().unwrap();
        assert_eq!((effort.was_active, effort.messages, effort.failures), (false, 3, 0));
    }
}
