//! The plan as an event log in XES (IEEE 1849): one trace a plan list, one event a change, in the order of the writes.
//!
//! `concept:name` of an event is the item, `lifecycle:transition` its step in the standard life cycle; what the standard
//! has no word for is kept under the prefix `turnpoint`. A trace also holds the planned order of the items begun and the
//! fitness of the order executed, which an alignment with that order must find again.

use std::fmt::Write;

use crate::analysis::Analysis;
use crate::extract::plan::conformance::conformance;
use crate::extract::plan::{ItemIx, Plan, State, Transition, TransitionKind};
use crate::session::{Session, visible};

/// The opening of a log.
pub fn open(out: &mut String) {
    out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<log xes.version=\"1.0\" xes.features=\"\">\n");
    for (name, prefix) in [("Concept", "concept"), ("Lifecycle", "lifecycle"), ("Time", "time")] {
        let uri = format!("http://www.xes-standard.org/{prefix}.xesext");
        let _ = writeln!(out, "  <extension name=\"{name}\" prefix=\"{prefix}\" uri=\"{uri}\"/>");
    }
    out.push_str("  <classifier name=\"item\" keys=\"concept:name\"/>\n");
    out.push_str("  <classifier name=\"item and step\" keys=\"concept:name lifecycle:transition\"/>\n");
}

/// The end of a log.
pub fn close(out: &mut String) {
    out.push_str("</log>\n");
}

/// The traces of one session; `keep` says which rows of the history are wanted.
pub fn traces(out: &mut String, analysis: &Analysis, keep: impl Fn(&Transition) -> bool) {
    let (session, plan) = (&analysis.session, &analysis.facts.plan);
    let carried_out = conformance(plan);
    for (at, list) in plan.lists.iter().enumerate() {
        let mut events = plan
            .transitions
            .iter()
            .filter(|t| t.item.is_some() && keep(t))
            .filter(|t| plan.snapshots.get(t.snapshot as usize).is_some_and(|s| s.list as usize == at));
        let Some(first) = events.next() else { continue };
        let thread = session.threads.get(list.thread.0 as usize).map_or("main", |t| t.label.as_str());
        out.push_str("  <trace>\n");
        let name = format!("{} {thread} {} {}", session.id, list.source.word(), list.name);
        attribute(out, 4, "string", "concept:name", name.trim());
        if let Some(found) = carried_out.get(at) {
            let label = |i: &ItemIx| plan.items.get(i.at()).map_or("", |i| i.label.as_str());
            let planned: Vec<&str> = found.planned.iter().map(label).collect();
            attribute(out, 4, "string", "turnpoint:planned", &planned.join(" "));
            attribute(out, 4, "float", "turnpoint:fitness", &found.fitness.to_string());
        }
        for t in std::iter::once(first).chain(events) {
            event(out, session, plan, t);
        }
        out.push_str("  </trace>\n");
    }
}

fn event(out: &mut String, session: &Session, plan: &Plan, t: &Transition) {
    let label = t.item.and_then(|i| plan.items.get(i.at())).map_or("", |i| &i.label);
    let message = session.message(t.msg);
    out.push_str("    <event>\n");
    attribute(out, 6, "string", "concept:name", &format!("{label} {}", t.text));
    attribute(out, 6, "string", "lifecycle:transition", step(t));
    if let Some(at) = message.at {
        attribute(out, 6, "date", "time:timestamp", &at.strftime("%Y-%m-%dT%H:%M:%S%.3f+00:00").to_string());
    }
    attribute(out, 6, "string", "turnpoint:item", label);
    attribute(out, 6, "string", "turnpoint:msg", &message.label.to_string());
    attribute(out, 6, "string", "turnpoint:kind", t.kind.word());
    attribute(out, 6, "string", "turnpoint:from", t.from.word());
    attribute(out, 6, "string", "turnpoint:to", t.to.word());
    out.push_str("    </event>\n");
}

/// The step in the standard life cycle.
fn step(t: &Transition) -> &'static str {
    use TransitionKind as K;
    match t.kind {
        K::CreatedActive | K::Started => "start",
        K::CreatedDone | K::Completed | K::CompletedWithoutStart => "complete",
        K::CreatedPending | K::CreatedBlocked | K::CreatedOther => "schedule",
        K::ReAdded if t.to == State::Done => "complete",
        K::ReAdded if t.to == State::Active => "start",
        K::ReAdded => "schedule",
        K::Paused | K::Blocked => "suspend",
        K::Unblocked | K::Reopened | K::Uncancelled => "resume",
        K::CreatedCancelled | K::DroppedOpen => "withdraw",
        K::Cancelled if t.from == State::Active => "ate_abort",
        K::Cancelled => "withdraw",
        _ => "unknown",
    }
}

fn attribute(out: &mut String, indent: usize, kind: &str, key: &str, value: &str) {
    let _ = writeln!(out, "{:indent$}<{kind} key=\"{key}\" value=\"{}\"/>", "", escape(value));
}

/// Text as an XML attribute; characters that XML forbids are shown.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_forbids_is_escaped() {
        assert_eq!(escape("a<b> & \"c\"\n\u{1b}"), "a&lt;b&gt; &amp; &quot;c&quot;&#10;\\u{001B}");
    }
}
