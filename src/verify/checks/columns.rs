//! Columns that tell of the message of their row: who wrote it, its score, the first and last use of a tool or a file, the
//! ends of a run of phases, the call that failed there.

use super::number::rounds_to;
use super::{Scene, inner};
use crate::extract::bench::numbers::{self, Figure};
use crate::session::{MsgIx, ToolCall};
use crate::verify::article::Block;
use crate::verify::refs;
use crate::verify::world::{Known, plain};
use crate::verify::{Finding, Kind};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block != Block::Row {
        return Vec::new();
    }
    let mut out: Vec<Finding> = [who(scene), score(scene), run(scene), call(scene), measured(scene), change(scene)]
        .into_iter()
        .flatten()
        .collect();
    out.extend(ends_of_tool(scene));
    out.extend(ends_of_file(scene));
    out
}

/// Runs that a report draws the phases together to, unless all are asked for.
pub(super) const SHOWN: usize = 10;

/// The one message that the cell under a heading names.
fn named(scene: &Scene<'_>, head: &str) -> Option<MsgIx> {
    scene.world.find(&refs::find(scene.cell(&[head])?).first()?.first)
}

fn decided(holds: bool, kind: Kind, right: String, at: impl IntoIterator<Item = MsgIx>) -> Finding {
    match holds {
        true => Finding::supported(kind, right).shown_by(at),
        false => Finding::contradicted(kind, right).shown_by(at),
    }
}

/// `message | who`: the role, and the kind where one is given.
fn who(scene: &Scene<'_>) -> Option<Finding> {
    // Who decided, in a table of choices, may have answered a question of the message.
    scene.cell(&["says", "score", "calls"])?;
    let said = scene.cell(&["who", "by"])?.to_lowercase();
    let (role, kind) = said.split_once(", ").map_or((&*said, None), |(role, kind)| (role, Some(kind)));
    if !["user", "assistant", "system"].contains(&role) {
        return None;
    }
    let cell = scene.cell(&["message"]).filter(|c| c.starts_with("[msg "))?;
    let session = scene.world.session();
    let all = scene.world.expand(&refs::find(cell));
    let first = *all.first()?;
    let same =
        |ix: &&MsgIx| session.message(**ix).thread == session.message(first).thread && !session.message(**ix).abandoned;
    let fits = |ix: &MsgIx| {
        let m = session.message(*ix);
        m.role.word() == role && kind.is_none_or(|k| m.kind.word().replace('-', " ") == k)
    };
    let other = all.iter().filter(same).find(|ix| !fits(ix)).copied();
    let at = other.unwrap_or(first);
    let m = session.message(at);
    Some(decided(
        other.is_none(),
        Kind::Actor,
        format!("[msg {}] is a {} by the {}", m.label, m.kind.word(), m.role.word()),
        [at],
    ))
}

/// `message | who | score | picked for`
fn score(scene: &Scene<'_>) -> Option<Finding> {
    let stated: u32 = scene.cell(&["score"])?.parse().ok()?;
    let reasons = scene.cell(&["picked for"])?;
    let at = named(scene, "message")?;
    let scores = &scene.world.analysis.facts.episodes.scores;
    let told = |part: &str| {
        let (what, points) = part.rsplit_once(" +")?;
        let (what, count) = match what.rsplit_once(" ×") {
            Some((what, n)) => (what, n.parse().ok()?),
            None => (what, 1),
        };
        Some((what.to_owned(), count, points.parse().ok()?))
    };
    let told: Option<Vec<(String, u32, u32)>> = reasons.split(", ").map(told).collect();
    let real: Vec<(String, u32, u32)> =
        scores.features(at).into_iter().map(|(w, n)| (w.name.to_owned(), n, w.points(n))).collect();
    let listed = real.iter().map(|(what, n, points)| format!("{what} ×{n} +{points}")).collect::<Vec<_>>().join(", ");
    let holds = stated == scores.score(at) && told.is_some_and(|t| t == real);
    Some(decided(holds, Kind::Count, format!("it scores {}: {listed}", scores.score(at)), [at]))
}

/// `from | up to | phase`: a run of the session, in the fine or in a coarser account.
fn run(scene: &Scene<'_>) -> Option<Finding> {
    let (first, last) = (named(scene, "from")?, named(scene, "up to")?);
    scene.cell(&["phase"])?;
    let episodes = &scene.world.analysis.facts.episodes;
    let coarse = episodes.at_most(SHOWN);
    let runs = || episodes.runs.iter().chain(&coarse);
    let (begins, ends) = (runs().any(|r| r.first == first), runs().any(|r| r.last == last));
    let reason =
        format!("a run of phases goes from [msg {}] to [msg {}]", scene.world.label(first), scene.world.label(last));
    Some(match begins && ends && first <= last {
        true => Finding::supported(Kind::Order, reason).shown_by([first, last]),
        false => Finding::contradicted(Kind::Order, format!("not so: {reason}")).shown_by([first, last]),
    })
}

/// `message | tool | command or target`: the message holds such a call.
fn call(scene: &Scene<'_>) -> Option<Finding> {
    let what = plain(scene.cell(&["command or target", "command"])?).to_lowercase();
    let what = what.trim_end_matches('…').trim_end();
    let tool = inner(scene.cell(&["tool"])?);
    let at = named(scene, "message")?;
    let given = |c: &ToolCall| {
        let texts = [c.command(), c.target()];
        texts.into_iter().flatten().any(|t| plain(t).to_lowercase().contains(what)) || what.is_empty() || what == "–"
    };
    let holds = scene.world.message(at).calls().any(|c| c.tool == tool && given(c));
    let reason = if holds { "the message holds the call" } else { "the message holds no such call" };
    Some(decided(holds, Kind::Actor, reason.to_owned(), [at]))
}

/// `metric | conditions | value | … | message`: the message gives the figure of that metric.
fn measured(scene: &Scene<'_>) -> Option<Finding> {
    let metric = inner(scene.cell(&["metric"])?);
    let at = named(scene, "message")?;
    let bench = &scene.world.analysis.facts.bench;
    if !bench.measurements.iter().any(|m| m.metric == metric) {
        return None;
    }
    let holds = bench.measurements.iter().any(|m| m.metric == metric && m.stands_in(at));
    let reason = if holds { "gives" } else { "does not give" };
    Some(decided(holds, Kind::Number, format!("the message {reason} a figure of {metric}"), [at]))
}

/// `metric | before | after | change | … | messages`: the change follows from the two figures.
fn change(scene: &Scene<'_>) -> Option<Finding> {
    let figure = |head: &str| numbers::of_cell(scene.cell(&[head])?.split(" ([").next()?.trim());
    let (before, after) = (figure("before")?, figure("after")?);
    if let Some(wrong) = elsewhere(scene, &before, &after) {
        return Some(wrong);
    }
    let cell = scene.cell(&["change"])?;
    let percent = cell.split(" %").next()?.replace('−', "-");
    let stated: f64 = percent.trim_start_matches('+').parse().ok()?;
    let decimals = percent.split_once('.').map_or(0, |p| p.1.len());
    let unit = |f: &Figure| f.unit.clone();
    let old = match (unit(&before), unit(&after)) {
        (Some(a), Some(b)) => a.convert(before.value, &b)?,
        _ => before.value,
    };
    if old == 0.0 {
        return None;
    }
    let real = (after.value / old - 1.0) * 100.0;
    // The figures shown are rounded themselves.
    let slack = |f: &Figure| 50.0 * 10f64.powi(-i32::from(f.decimals)) / f.value.abs().max(f64::MIN_POSITIVE);
    let holds = (real - stated).abs() <= 0.5 * 10f64.powi(-(decimals as i32)) + slack(&before) + slack(&after) + 0.05;
    Some(decided(holds, Kind::Number, format!("the change is {real:+.1} %"), []))
}

/// With two messages in their column, the figure before stands in the first and the one after in the second.
fn elsewhere(scene: &Scene<'_>, before: &Figure, after: &Figure) -> Option<Finding> {
    let named = refs::find(scene.cell(&["messages"])?);
    let [first, last] = &named[..] else { return None };
    let mut wrong = [(first, before), (last, after)].into_iter().filter_map(|(r, figure)| {
        let at = scene.world.find(&r.first)?;
        let unit = figure.unit.as_ref()?;
        let same =
            |k: &Known| k.unit.convert(k.value, unit).is_some_and(|v| rounds_to(v, figure.value, figure.decimals));
        (!scene.world.figures(at).iter().any(same)).then_some((at, figure.value))
    });
    let (at, value) = wrong.next()?;
    Some(
        Finding::contradicted(Kind::Number, format!("{value} does not stand in [msg {}]", scene.world.label(at)))
            .shown_by([at]),
    )
}

/// `tool | kind | calls | … | first | last`
fn ends_of_tool(scene: &Scene<'_>) -> Option<Finding> {
    scene.cell(&["calls"])?;
    let tool = inner(scene.cell(&["tool"])?);
    let session = scene.world.session();
    let calls = || session.calls().filter(|(_, c)| c.tool == tool).map(|(at, _)| at.msg);
    let live = || calls().filter(|ix| !session.message(*ix).abandoned);
    ends(scene, &[(calls().min()?, calls().max()?), live().min().zip(live().max())?])
}

/// `file | writes | first | last | read after the last write`
fn ends_of_file(scene: &Scene<'_>) -> Option<Finding> {
    let stated: usize = scene.cell(&["writes"])?.parse().ok()?;
    let path = inner(scene.cell(&["file"])?);
    let artefacts = &scene.world.analysis.facts.artefacts;
    let file = artefacts.iter().find(|a| a.path == path)?;
    let (first, last) = file.written.first().zip(file.written.last())?;
    if file.written.len() != stated {
        return Some(
            Finding::contradicted(Kind::Count, format!("{} writes counted", file.written.len())).shown_by([first.msg]),
        );
    }
    let read = named(scene, "read after the last write");
    if let Some(at) = read.filter(|at| !file.read.iter().any(|r| r.msg == *at)) {
        return Some(
            Finding::contradicted(Kind::Actor, format!("[msg {}] does not read it", scene.world.label(at)))
                .shown_by([at]),
        );
    }
    ends(scene, &[(first.msg, last.msg)])
}

/// The cells under `first` and `last`.
fn ends(scene: &Scene<'_>, right: &[(MsgIx, MsgIx)]) -> Option<Finding> {
    let (first, last) = (named(scene, "first")?, named(scene, "last")?);
    let (a, b) = *right.first()?;
    let reason = format!("the first is in [msg {}], the last in [msg {}]", scene.world.label(a), scene.world.label(b));
    Some(decided(right.contains(&(first, last)), Kind::Order, reason, [a, b]))
}
