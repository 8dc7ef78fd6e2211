//! `transitions` and `plan_items`: the plan's history, change by change and list by list.

use super::{NAMED, PLACED, Rows, Scope, Table, flag, float, int, text};
use crate::extract::plan::evidence::efforts;
use crate::link::FactId;
use crate::link::claims::{Unit, tests_of};
use crate::session::ToolCall;

pub(super) const TRANSITIONS: Table = Table {
    name: "transitions",
    about: "How one plan write changed one item: a row for each (write, item, kind), unchanged items included.",
    head: NAMED,
    own: &[
        int("seq", "", "which write of its message, from 1"),
        text("call_id", "tool_calls.id of the write; NULL for plans in prose"),
        text("at", "time of the message, UTC"),
        text("item_id", "id of the item, which it keeps when it is reworded; NULL for list-replaced and list-cleared"),
        text("item", "text after the write (before it, when the item was dropped)"),
        text("from_state", "absent, pending, active, done, cancelled, blocked or other"),
        text("to_state", "as from_state, after the write"),
        text("kind", "what happened, as docs/plan.md defines it"),
        float("confidence", "0–1", "how sure it is that the two wordings are one item"),
        int("evidence_msg", "", "message of the strongest call that bears on a completion"),
        text("source", "tool, file, plan-mode or prose"),
        float("certainty", "0–1", "1 for a tool's list; lower for what was inferred"),
        text("old_item", "text before the write, when it differs"),
        text("evidence_id", "tool_calls.id of the strongest call that bears on a completion"),
        text("evidence_strength", "strong or weak"),
        text("item_label", "short label of the item: T1, T2 … in order of first appearance"),
        int("evidence_exit_code", "", "exit code of the strongest call that bears on a completion"),
        int("evidence_passed", "", "tests that this call says have passed"),
        int("evidence_failed", "", "tests that this call says have failed"),
        int(
            "active_s",
            "s",
            "time for which a completed item was active; NULL where it never was, or nothing is dated",
        ),
        int(
            "took_messages",
            "",
            "messages in which a completed item was active; of one that never was, since its creation",
        ),
        int("took_failures", "", "calls in these messages that failed"),
    ],
    rows: transitions,
};

fn transitions<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let plan = &scope.analysis.facts.plan;
    let efforts = efforts(&scope.analysis.session, plan);
    for (i, t) in plan.transitions.iter().enumerate() {
        let effort = efforts.get(&i);
        let proof = t.evidence.first().and_then(|e| scope.analysis.session.call(e.call));
        let tests = proof.and_then(tests_of).filter(|t| t.unit == Unit::Tests);
        let snapshot = plan.snapshots.get(t.snapshot as usize);
        let evidence = t.evidence.first();
        out.named(
            scope.id(FactId::Transition(i as u32)),
            Some(t.msg),
            [
                t.seq.into(),
                snapshot.and_then(|s| scope.call_id(s.call?)).into(),
                scope.analysis.session.message(t.msg).at.into(),
                t.item.map(|i| scope.id(FactId::Item(i.0))).into(),
                (&t.text).into(),
                t.from.word().into(),
                t.to.word().into(),
                t.kind.word().into(),
                t.confidence.into(),
                evidence.map(|e| scope.msg(e.call.msg)).into(),
                snapshot.map(|s| s.source.word()).into(),
                snapshot.map(|s| s.certainty).into(),
                (&t.old_text).into(),
                evidence.and_then(|e| scope.call_id(e.call)).into(),
                evidence.map(|e| if e.strong { "strong" } else { "weak" }).into(),
                t.item.and_then(|i| plan.items.get(i.0 as usize)).map(|i| &i.label).into(),
                proof.and_then(ToolCall::exit_code).into(),
                tests.map(|c| c.passed).into(),
                tests.map(|c| c.failed).into(),
                effort.filter(|e| e.was_active).and_then(|e| e.seconds).into(),
                effort.map(|e| e.messages).into(),
                effort.map(|e| e.failures).into(),
            ],
        );
    }
}

pub(super) const PLAN_ITEMS: Table = Table {
    name: "plan_items",
    about: "One item of the list that one plan write leaves.",
    head: PLACED,
    own: &[
        int("seq", "", "which write of its message, from 1"),
        text("call_id", "tool_calls.id of the write; NULL for plans in prose"),
        text(
            "item_id",
            "id of the item, which it keeps when it is reworded; NULL where a refused write names a new one",
        ),
        int("position", "", "place in the list, from 1"),
        text("item", "text, as written"),
        text("state", "pending, active, done, cancelled, blocked or other"),
        text("status_text", "state, as written"),
        text("priority", "priority, as written"),
        text("source", "tool, file, plan-mode or prose"),
        float("certainty", "0–1", "1 for a tool's list; lower for what was inferred"),
        flag("accepted", "false for a write that was refused or never answered: it changes nothing"),
        text("native_id", "the transcript's own id of the item"),
        text("active_form", "form shown while the item is active"),
        text("item_label", "short label of the item: T1, T2 … in order of first appearance"),
        text("last_state", "state of the item at the end of the session"),
        text("quote", "the item's text in the source"),
    ],
    rows: plan_items,
};

fn plan_items<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let plan = &scope.analysis.facts.plan;
    for snapshot in &plan.snapshots {
        let call = snapshot.call.and_then(|c| scope.call_id(c));
        for (position, shown) in snapshot.items.iter().enumerate() {
            let item = shown.item.and_then(|i| plan.items.get(i.0 as usize));
            out.placed(
                Some(snapshot.msg),
                [
                    snapshot.seq.into(),
                    call.clone().into(),
                    shown.item.map(|i| scope.id(FactId::Item(i.0))).into(),
                    (position + 1).into(),
                    (&shown.text).into(),
                    shown.state.word().into(),
                    (&shown.status_text).into(),
                    (&shown.priority).into(),
                    snapshot.source.word().into(),
                    snapshot.certainty.into(),
                    snapshot.accepted.into(),
                    (&shown.native_id).into(),
                    (&shown.active_form).into(),
                    item.map(|i| &i.label).into(),
                    item.map(|i| i.last.word()).into(),
                    shown.span.as_ref().and_then(|s| scope.quote(s)).into(),
                ],
            );
        }
    }
}
