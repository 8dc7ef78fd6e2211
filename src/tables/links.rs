//! `links`.

use super::{PLACED, Rows, Scope, Table, float, int, text};

pub(super) const LINKS: Table = Table {
    name: "links",
    about: "What one fact is to another; reads subject verb object. Its place is that of the subject.",
    head: PLACED,
    own: &[
        text("from_id", "id of the subject"),
        int("from_msg", "", "message of the subject"),
        text("kind", "verb: result_of, responds_to, mirrors, acts_on …"),
        text("to_id", "id of the object"),
        int("to_msg", "", "message of the object"),
        float("confidence", "0–1", "how sure the link is"),
        text("to_label", "number of the object's message, unique in the session"),
        text("quote", "the bytes that show it"),
    ],
    rows: links,
};

fn links<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    for l in &scope.analysis.links {
        out.placed(
            Some(l.from_msg),
            [
                scope.id(l.from).into(),
                scope.msg(l.from_msg).into(),
                l.kind.word().into(),
                scope.id(l.to).into(),
                scope.msg(l.to_msg).into(),
                l.confidence.into(),
                scope.label(l.to_msg).into(),
                l.span.as_ref().and_then(|s| scope.quote(s)).into(),
            ],
        );
    }
}
