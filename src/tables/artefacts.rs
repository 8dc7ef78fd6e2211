//! `artefacts`.

use super::{Column, Rows, SESSION, Scope, Table, int, text};
use crate::session::CallRef;

const COLUMNS: &[Column] = &[
    text("id", "id of the row, unique over all sessions"),
    text("path", "path, as the tool wrote it"),
    int("promised_msg", "", "message that promises it; NULL = none"),
    int("written_msg", "", "message that first writes it"),
    int("read_msg", "", "message that first reads it after it was written"),
    text("state", "promised, written, read back, deleted, or unknown: a later command may have changed or removed it"),
    int("writes", "", "calls that wrote or edited it"),
    int("reads", "", "calls that read it"),
    text("written_label", "number of the message that first writes it, unique in the session"),
];

pub(super) const ARTEFACTS: Table =
    Table { name: "artefacts", about: "A file that the session wrote.", head: SESSION, own: COLUMNS, rows: artefacts };

fn artefacts<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let msg = |call: Option<&CallRef>| call.map(|c| scope.msg(c.msg));
    for (i, a) in scope.analysis.facts.artefacts.iter().enumerate() {
        let first = a.written.first();
        let read = a.read.iter().find(|&r| first.is_none_or(|w| w < r));
        let state = match (a.state(), read) {
            ("written", Some(_)) => "read back",
            (state, _) => state,
        };
        out.plain([
            scope.id(crate::link::FactId::Artefact(i as u32)).into(),
            (&a.path).into(),
            a.promised.as_ref().map(|s| scope.msg(s.msg)).into(),
            msg(first).into(),
            msg(read).into(),
            state.into(),
            a.written.len().into(),
            a.read.len().into(),
            first.map(|c| scope.label(c.msg)).into(),
        ]);
    }
}
