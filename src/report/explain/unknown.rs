//! What the transcript does not tell about the message, and what turnpoint could not find.

use serde::Serialize;
use serde_json::Value;

use super::some;
use super::subject::Subject;
use crate::extract::bench::MeasurementRole;
use crate::session::{CallStatus, MessageKind, PartBody, Role, ToolKind};

#[derive(Debug, Serialize)]
struct View {
    no_time: bool,
    no_model: bool,
    no_reasoning: bool,
    /// Calls without a result.
    missing: usize,
    /// Commands that ended without an exit code in the transcript.
    exit_unknown: usize,
    /// Metrics measured here without a limit.
    no_limit: Vec<String>,
    /// Items of the message's plan that were never reported done.
    never_done: Vec<String>,
    /// Items reported done with no call found that bears on them.
    unproved: Vec<String>,
    no_reason: bool,
    ends_here: bool,
}

pub(super) fn view(subject: &Subject<'_>) -> Option<Value> {
    let m = subject.message();
    let is_reply = m.role == Role::Assistant && m.kind == MessageKind::Reply;
    let shell = m.calls().filter(|c| c.kind == ToolKind::Shell && c.status() == CallStatus::Ok);
    let view = View {
        no_time: m.at.is_none(),
        no_model: is_reply && m.model.is_none(),
        // Of a plain step nobody asks for the thoughts behind it.
        no_reasoning: is_reply
            && subject.snapshot().is_some()
            && !m.parts.iter().any(|p| matches!(p.body, PartBody::Reasoning(_))),
        missing: m.calls().filter(|c| c.status() == CallStatus::Missing).count(),
        exit_unknown: shell.filter(|c| c.exit_code().is_none()).count(),
        no_limit: no_limit(subject),
        never_done: items(subject, |done, _| !done),
        unproved: items(subject, |done, proved| done && !proved),
        no_reason: is_reply
            && subject.snapshot().is_some()
            && !subject.facts().decisions.iter().any(|d| d.msg == subject.ix && d.reason.is_some()),
        ends_here: subject.session().on_main(subject.ix) && subject.after().next().is_none(),
    };
    let told = view.no_time || view.no_model || view.no_reasoning || view.no_reason || view.ends_here;
    let counted = view.missing + view.exit_unknown + view.no_limit.len() + view.never_done.len() + view.unproved.len();
    some(&view).filter(|_| told || counted > 0)
}

fn no_limit(subject: &Subject<'_>) -> Vec<String> {
    let bench = &subject.facts().bench;
    let mut metrics: Vec<String> = Vec::new();
    for (i, m) in bench.measurements.iter().enumerate() {
        let own = m.msg == subject.ix && m.role == MeasurementRole::Measured;
        let limited = || bench.efficiencies.iter().any(|e| e.measurement as usize == i);
        if own && !metrics.contains(&m.metric) && !limited() {
            metrics.push(m.metric.clone());
        }
    }
    metrics
}

/// Items of the message's plan, by whether they were ever done after it and whether a call bears on that.
fn items(subject: &Subject<'_>, keep: fn(bool, bool) -> bool) -> Vec<String> {
    use crate::extract::plan::evidence::is_talk;
    let items = subject.snapshot().filter(|s| s.accepted).into_iter().flat_map(|s| &s.items);
    let kept = items.filter(|i| {
        let completion = super::plan::done(subject, i.item);
        let open_here = i.state.is_open() || completion.is_some_and(|t| t.msg == subject.ix);
        let proved = completion.is_some_and(|t| !t.evidence.is_empty() || is_talk(&t.text));
        open_here && keep(completion.is_some(), proved)
    });
    kept.filter_map(|i| Some(subject.facts().plan.items.get(i.item?.at())?.label.clone())).collect()
}
