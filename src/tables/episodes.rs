//! `episodes`: no extractor fills it yet; its columns stand.

use super::{Column, Rows, SESSION, Scope, Table, float, int, text};

const COLUMNS: &[Column] = &[
    text("id", "id of the row, unique over all sessions"),
    int("first_msg", "", "first message"),
    int("last_msg", "", "last message"),
    text("phase", "diagnose, plan, act, verify, measure or report"),
    int("pivot_msg", "", "message at which the phase turned"),
    float("score", "0–1", "how clear the turn is"),
];

pub(super) const EPISODES: Table = Table {
    name: "episodes",
    about: "A run of messages in one phase of the work. This version reads none.",
    head: SESSION,
    own: COLUMNS,
    rows: none,
};

fn none<'a>(_: &Scope<'a>, _: &mut Rows<'a, '_>) {}
