//! `findings`.

use super::{NAMED, Rows, Scope, Table, int, text};
use crate::link::{FactId, LinkKind};

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
        text("fate", "fixed (the text says so), acted on (a later call acts on it), or NULL: nothing is known"),
        text("restates_id", "findings.id of the earlier finding that this one repeats"),
        text("table_id", "tables.id of the table it stands in"),
        int("row", "", "row of that table, from 0"),
        text("quote", "the bytes it was read from"),
    ],
    rows: findings,
};

fn findings<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    use crate::extract::findings::FindingStatus;
    let acted: std::collections::BTreeSet<FactId> =
        scope.analysis.links.iter().filter(|l| l.kind == LinkKind::ActsOn).map(|l| l.to).collect();
    for (i, f) in scope.analysis.facts.findings.findings.iter().enumerate() {
        let id = FactId::Finding(i as u32);
        let fate = match f.status {
            FindingStatus::Fixed => Some("fixed"),
            _ if acted.contains(&id) => Some("acted on"),
            _ => None,
        };
        out.named(
            scope.id(id),
            Some(f.msg),
            [
                (&f.level).into(),
                (&f.level_text).into(),
                (&f.title).into(),
                f.status.word().into(),
                (&f.current).into(),
                (&f.wanted).into(),
                (&f.needs).into(),
                fate.into(),
                f.restates.map(|r| scope.id(FactId::Finding(r))).into(),
                f.row.map(|r| scope.id(FactId::Table(r.0))).into(),
                f.row.map(|r| r.1).into(),
                scope.quote(&f.span).into(),
            ],
        );
    }
}
