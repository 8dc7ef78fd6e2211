//! `comparisons` and `calculations`: figures set against each other, by us and by the session itself.

use super::value::{map_text, word};
use super::{NAMED, PLACED, Rows, Scope, Table, flag, float, int, text};
use crate::link::FactId;

pub(super) const COMPARISONS: Table = Table {
    name: "comparisons",
    about: "Two measurements of one quantity under the same conditions that follow each other. What lies between them is counted, not called the cause.",
    head: PLACED,
    own: &[
        text("metric", "what was measured"),
        text("params", "conditions, as a JSON object of strings"),
        text("unit", "unit of both values"),
        float("before_value", "in `unit`", "the earlier value"),
        float("after_value", "in `unit`", "the later value"),
        text("verdict", "better, worse, same, or noise (the spreads that are stated overlap)"),
        float("change", "ratio", "after ÷ before − 1"),
        float("points", "percentage points", "after − before; of shares only"),
        float("speedup", "ratio", "how many times as fast: after ÷ before of rates, before ÷ after of times"),
        float("latency_ratio", "ratio", "after ÷ before; of times only"),
        float("efficiency_before", "ratio", "share of the limit, where both have the same"),
        float("efficiency_after", "ratio", "share of the limit, where both have the same"),
        float("gap_change", "percentage points", "how the gap to the limit moved; less than 0: it closed"),
        flag("stated", "one message calls them before and after"),
        int("plan_changes", "", "changes of plan items between the two"),
        int("commands", "", "commands between the two that ran something and printed no figure"),
        int("edits", "", "edits and writes of files between the two"),
        text("last_call_id", "tool_calls.id of the last of these"),
        text("before_label", "message of the earlier value"),
        text("before_id", "measurements.id"),
        text("after_id", "measurements.id"),
    ],
    rows: comparisons,
};

fn comparisons<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let facts = &scope.analysis.facts;
    for c in &facts.comparisons {
        let (before, after) =
            (&facts.bench.measurements[c.before as usize], &facts.bench.measurements[c.after as usize]);
        let last = c.between.last.and_then(|call| facts.calls.binary_search(&call).ok());
        out.placed(
            Some(after.msg),
            [
                (&after.metric).into(),
                map_text(&after.params).into(),
                (&c.unit).into(),
                c.from.into(),
                c.to.into(),
                word(&c.verdict),
                c.delta.change.into(),
                c.delta.points.into(),
                c.delta.speedup.into(),
                c.delta.latency_ratio.into(),
                c.efficiency.map(|e| e.0).into(),
                c.efficiency.map(|e| e.1).into(),
                c.efficiency.map(|(a, b)| (a - b) * 100.0).into(),
                c.between.stated.into(),
                (c.between.plan.len() as u32).into(),
                c.between.commands.into(),
                c.between.edits.into(),
                last.map(|i| scope.id(FactId::Call(i as u32))).into(),
                scope.label(before.msg).into(),
                scope.id(FactId::Measurement(c.before)).into(),
                scope.id(FactId::Measurement(c.after)).into(),
            ],
        );
    }
}

pub(super) const CALCULATIONS: Table = Table {
    name: "calculations",
    about: "Arithmetic that a participant states, worked out again.",
    head: NAMED,
    own: &[
        text("kind", "sum, equation, share, gap, change, factor or mean"),
        text("terms", "what enters it, as a JSON list of numbers"),
        float("stated", "in `unit`", "the result as stated"),
        float("recomputed", "in `unit`", "what comes out"),
        text("unit", "unit of both; NULL for plain numbers"),
        flag("holds", "whether they agree within the rounding of what is written"),
        text("by", "whose statement it is: user or assistant"),
        text("quote", "the bytes it was read from"),
    ],
    rows: calculations,
};

fn calculations<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    for (i, c) in scope.analysis.facts.calculations.iter().enumerate() {
        out.named(
            scope.row_id("calculation", i),
            Some(c.msg),
            [
                word(&c.kind),
                serde_json::to_string(&c.terms).ok().into(),
                c.stated.into(),
                c.recomputed.into(),
                (&c.unit).into(),
                c.holds.into(),
                word(&c.provenance),
                scope.quote(&c.span).into(),
            ],
        );
    }
}
