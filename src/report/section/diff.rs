//! What each message changed in the plan, as written: added, removed and changed items.

use std::collections::BTreeMap;

use serde::Serialize;

use super::value::word;
use crate::extract::plan::{ItemIx, Plan, State, Transition};
use crate::session::MsgIx;

/// Lines of a change that are shown unless everything is asked for.
pub(crate) const LINES: usize = 40;

/// One line of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Line {
    /// `+` added, `-` removed, `!` changed.
    sign: &'static str,
    /// Label of the item; empty for changes of the list as a whole.
    item: String,
    /// Status as written; of a change of state, before and after.
    status: String,
    text: String,
}

/// The lines of every message that changed the plan.
pub(crate) fn by_message(plan: &Plan) -> BTreeMap<MsgIx, Vec<Line>> {
    let mut out: BTreeMap<MsgIx, Vec<Line>> = BTreeMap::new();
    // Status of each item as the last write has it.
    let mut written: Vec<&str> = vec![""; plan.items.len()];
    for (i, snapshot) in (0..).zip(&plan.snapshots) {
        let known = || snapshot.items.iter().filter_map(|s| Some((s.item?, s.status_text.as_str())));
        let after: BTreeMap<ItemIx, &str> = known().collect();
        let changes = plan.rows_of(i).iter().filter(|t| t.is_change());
        let lines: Vec<Line> = changes.flat_map(|t| lines(plan, t, &written, &after)).collect();
        if !lines.is_empty() {
            out.entry(snapshot.msg).or_default().extend(lines);
        }
        if snapshot.accepted {
            known().for_each(|(item, status)| written[item.at()] = status);
        }
    }
    out
}

fn lines(plan: &Plan, t: &Transition, written: &[&str], after: &BTreeMap<ItemIx, &str>) -> Vec<Line> {
    let Some(ix) = t.item else {
        return vec![Line { sign: "!", item: String::new(), status: String::new(), text: word(t.kind) }];
    };
    let item = plan.items[ix.at()].label.clone();
    // A plan in prose writes no status.
    let or = |status: &str, state: State| if status.is_empty() { state.word().to_owned() } else { status.to_owned() };
    let old = or(written[ix.at()], t.from);
    let new = or(after.get(&ix).copied().unwrap_or_default(), t.to);
    let line = |sign, status: &str, text: &str| Line {
        sign,
        item: item.clone(),
        status: status.to_owned(),
        text: text.to_owned(),
    };
    match (t.from, t.to, &t.old_text) {
        (State::Absent, State::Absent, _) => Vec::new(),
        (State::Absent, ..) => vec![line("+", &new, &t.text)],
        (_, State::Absent, _) => vec![line("-", &old, &t.text)],
        (from, to, _) if t.kind.is_status() && from != to => vec![line("!", &format!("{old} → {new}"), &t.text)],
        (.., Some(before)) => vec![line("-", &old, before), line("+", &new, &t.text)],
        _ => vec![line("!", &word(t.kind), &t.text)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::plan::extract;
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    #[test]
    fn changes_are_told_as_written() {
        let list = |items: &[(&str, &str)]| {
            let items = items.iter().map(|(text, status)| json!({"content": text, "status": status}));
            json!({ "todos": items.collect::<Vec<_>>() })
        };
        let session = SessionBuilder::new()
            .user("go")
            .call("TodoWrite", list(&[("Read the parser", "in_progress"), ("Write a test", "pending")]), "ok")
            .call("TodoWrite", list(&[("Read the parser", "completed"), ("Measure the run", "pending")]), "ok")
            .build();
        let all = by_message(&extract(&session));
        let shown: Vec<Vec<String>> =
            all.values().map(|l| l.iter().map(|l| format!("{} [{}] {}", l.sign, l.status, l.text)).collect()).collect();
        assert_eq!(shown[0], ["+ [in_progress] Read the parser", "+ [pending] Write a test"]);
        assert!(shown[1].contains(&"! [in_progress → completed] Read the parser".to_owned()), "{shown:?}");
        assert!(shown[1].contains(&"- [pending] Write a test".to_owned()), "{shown:?}");
        assert!(shown[1].contains(&"+ [pending] Measure the run".to_owned()), "{shown:?}");
    }
}
