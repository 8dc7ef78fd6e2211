//! From where to where the calls are looked for that prove a completion.

use std::collections::BTreeMap;

use crate::extract::plan::{ItemIx, Plan, State, Transition, TransitionKind};
use crate::session::{MsgIx, Session};

/// The messages before a completion in which its work was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// First message.
    pub from: MsgIx,
    /// The write that made the item active, by position in [`Plan::snapshots`]; `None` where something else bounds it.
    pub write: Option<u32>,
}

/// The window of each completion, by position of the transition: from the item's start, else its creation, else the
/// completion before in its list, else the prompt of the user that it belongs to.
pub fn windows(session: &Session, plan: &Plan) -> BTreeMap<usize, Window> {
    if plan.transitions.is_empty() {
        return BTreeMap::new();
    }
    let asks: Vec<MsgIx> = session.asks().map(|(ix, _)| ix).collect();
    let prompt = |msg: MsgIx| asks[..asks.partition_point(|a| *a <= msg)].last().copied();
    let mut out = BTreeMap::new();
    let mut begun: BTreeMap<ItemIx, &Transition> = BTreeMap::new();
    let mut completed: BTreeMap<u32, (MsgIx, Option<MsgIx>)> = BTreeMap::new();
    for (at, t) in plan.transitions.iter().enumerate() {
        let Some(item) = t.item else { continue };
        let list = plan.items[item.at()].list;
        if is_done(t) && t.kind != TransitionKind::Split {
            // Completions of one write share the one before it.
            let before =
                completed.get(&list).and_then(|(last, before)| if *last == t.msg { *before } else { Some(*last) });
            let start = begun.get(&item).filter(|s| s.msg < t.msg);
            let from = start.map(|s| s.msg).or(before).or_else(|| prompt(t.msg)).unwrap_or(MsgIx(0));
            let write = start.filter(|s| s.to == State::Active).map(|s| s.snapshot);
            out.entry(at).or_insert(Window { from, write });
            completed.insert(list, (t.msg, before));
            begun.remove(&item);
        } else if t.to == State::Active && t.from != State::Active || t.from == State::Absent || t.from == State::Done {
            begun.insert(item, t);
        }
    }
    out
}

fn is_done(t: &Transition) -> bool {
    t.to == State::Done && t.from != State::Done
}
