//! `episodes`.

use super::{Column, Rows, SESSION, Scope, Table, float, int, text};
use crate::link::FactId;
use crate::session::MsgIx;

const COLUMNS: &[Column] = &[
    text("id", "id of the row, unique over all sessions"),
    int("first_msg", "", "first message"),
    int("last_msg", "", "last message of the main thread in it; what their subagents did counts with them"),
    text("phase", "diagnose, plan, act, verify, measure or report; NULL = no message in it takes a step"),
    int("pivot_msg", "", "the message in it that scores highest among those at which a session turns; NULL = none"),
    float("score", "points", "score of that message: the sum of what its features are worth"),
    text("features", "the features that score, with how often each is there: new plan 1, plan changes 4"),
    int("steps", "", "tool calls, and replies without one, that were told a phase"),
    int("steps_in_phase", "", "those of its own phase; the others were too few in a row to part it"),
    text("pivot_label", "number of the pivot, unique in the session"),
];

pub(super) const EPISODES: Table = Table {
    name: "episodes",
    about: "A run of messages in one phase of the work. Each message of the main thread lies in exactly one.",
    head: SESSION,
    own: COLUMNS,
    rows: episodes,
};

fn episodes<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let episodes = &scope.analysis.facts.episodes;
    for (i, run) in episodes.runs.iter().enumerate() {
        let pivot = episodes.pivot(run);
        let scores = &episodes.scores;
        out.plain([
            scope.id(FactId::Episode(i as u32)).into(),
            scope.msg(run.first).into(),
            scope.msg(run.last).into(),
            run.phase.map(|p| p.word()).into(),
            pivot.map(|p| scope.msg(p)).into(),
            pivot.map(|p| f64::from(scores.score(p))).into(),
            pivot.map(|p| features(scope, p)).into(),
            run.steps.iter().sum::<u32>().into(),
            run.phase.map(|p| run.steps[p as usize]).into(),
            pivot.map(|p| scope.label(p)).into(),
        ]);
    }
}

fn features(scope: &Scope<'_>, msg: MsgIx) -> String {
    let all = scope.analysis.facts.episodes.scores.features(msg);
    all.iter().map(|(w, n)| format!("{} {n}", w.name)).collect::<Vec<_>>().join(", ")
}
