//! `findings`.

use super::{NAMED, Rows, Scope, Table, int, text};
use crate::link::{FactId, fate};

pub(super) const FINDINGS: Table = Table {
    name: "findings",
    about: "Something the session's participants found.",
    head: NAMED,
    own: &[
        text("level", "normalised level, P0 (worst) to P4; NULL = not stated"),
        text("level_text", "level, as written"),
        text("title", "title, an exact substring of the source"),
        text("status", "ok, actionable, fixed or info"),
        text("current", "value found"),
        text("wanted", "value wanted"),
        text("needs", "what the change needs: runtime, reboot, rebuild, credentials …"),
        text(
            "fate",
            "fixed (a text says so), verified (a probe after the change), fixed and verified, deferred, dropped, contradicted (denied), reopened (listed as open after it was said to be fixed), acted on, planned, asked for; NULL = not known",
        ),
        text("restates_id", "findings.id of the earlier finding that this one repeats"),
        text("table_id", "tables.id of the table it stands in"),
        int("row", "", "row of that table, from 0"),
        text("quote", "the bytes it was read from"),
    ],
    rows: findings,
};

fn findings<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let fates = fate::findings(&scope.analysis.facts, &scope.analysis.links);
    for (i, (f, fate)) in scope.analysis.facts.findings.findings.iter().zip(fates).enumerate() {
        out.named(
            scope.id(FactId::Finding(i as u32)),
            Some(f.msg),
            [
                (&f.level).into(),
                (&f.level_text).into(),
                (&f.title).into(),
                f.status.word().into(),
                (&f.current).into(),
                (&f.wanted).into(),
                (&f.needs).into(),
                fate.map(|x| x.word).into(),
                f.restates.map(|r| scope.id(FactId::Finding(r))).into(),
                f.row.map(|r| scope.id(FactId::Table(r.0))).into(),
                f.row.map(|r| r.1).into(),
                scope.quote(&f.span).into(),
            ],
        );
    }
}
