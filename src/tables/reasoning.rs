//! `decisions` and `assumptions`: no extractor fills them yet; their columns stand.

use super::{NAMED, Rows, Scope, Table, int, text};

pub(super) const DECISIONS: Table = Table {
    name: "decisions",
    about: "A choice that a participant states. This version reads none.",
    head: NAMED,
    own: &[text("choice", "what was chosen"), text("reason", "reason, as written; NULL = unstated")],
    rows: none,
};

pub(super) const ASSUMPTIONS: Table = Table {
    name: "assumptions",
    about: "An assumption or precondition that a participant states. This version reads none.",
    head: NAMED,
    own: &[
        text("text", "the assumption, an exact substring of the source"),
        int("verified_msg", "", "message that checks it"),
        text("outcome", "what the check showed"),
    ],
    rows: none,
};

fn none<'a>(_: &Scope<'a>, _: &mut Rows<'a, '_>) {}
