//! `discrepancies`.

use std::sync::LazyLock;

use super::{NAMED, Rows, Scope, Table, int, text};
use crate::audit::Discrepancy;
use crate::report::engine::{Engine, Target};
use crate::report::sentence;

/// The built-in templates: rows show the same sentence as every other output.
static ENGINE: LazyLock<Option<Engine>> = LazyLock::new(|| Engine::new(Target::Terminal, None).ok());

fn message(scope: &Scope<'_>, d: &Discrepancy) -> Option<String> {
    sentence::discrepancy(ENGINE.as_ref()?, &scope.analysis.session, d).ok()
}

pub(super) const DISCREPANCIES: Table = Table {
    name: "discrepancies",
    about: "A place where the record disagrees with itself, as the audit reports it.",
    head: NAMED,
    own: &[
        text("rule", "id of the rule, as `turnpoint rules` lists it"),
        text("severity", "low, medium or high"),
        text("message", "what disagrees"),
        int("other_msg", "", "message that it disagrees with"),
        text("quote", "the bytes that show it"),
        text("other_label", "number of the message that it disagrees with, unique in the session"),
        text("facts", "the values that the message is made of, as a JSON object"),
    ],
    rows: discrepancies,
};

fn discrepancies<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    for (i, d) in scope.analysis.discrepancies.iter().enumerate() {
        out.named(
            scope.row_id("discrepancy", i),
            Some(d.msg),
            [
                d.rule.into(),
                d.severity.word().into(),
                message(scope, d).into(),
                d.other_msg.map(|m| scope.msg(m)).into(),
                d.span.as_ref().and_then(|s| scope.quote(s)).into(),
                d.other_msg.map(|m| scope.label(m)).into(),
                serde_json::to_string(&d.values).ok().into(),
            ],
        );
    }
}
