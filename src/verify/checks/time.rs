//! Times: dates of messages, and how long something took.

use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;

use super::Scene;
use crate::extract::bench::numbers::Figure;
use crate::extract::bench::units::Unit;
use crate::session::MsgIx;
use crate::verify::{Finding, Kind};

static DATED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u:\b)(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?").expect("a constant pattern"));
static TOOK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u:\b)\d+ (?:min|s|h|d)(?-u:\b)(?: \d+ (?:min|s|h|d)(?-u:\b))*").expect("a constant pattern")
});

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.without_quotes();
    // What an output printed is quoted.
    let words = super::rows::verbatim_cells(scene);
    let quoted = |c: &regex::Captures<'_>| c.get(0).is_some_and(|m| words.iter().any(|w| w.contains(&m.start())));
    DATED.captures_iter(&text).filter(|c| !quoted(c)).filter_map(|c| dated(scene, &c)).collect()
}

/// A date and time: that of a message named, or of any message where none is.
fn dated(scene: &Scene<'_>, found: &regex::Captures<'_>) -> Option<Finding> {
    let seconds = found.get(3).map_or(":00", |s| s.as_str());
    let Ok(at) = format!("{}T{}{seconds}Z", &found[1], &found[2]).parse::<Timestamp>() else {
        return Some(Finding::contradicted(Kind::Time, format!("{} is no time", &found[0])));
    };
    let width = if found.get(3).is_some() { 1 } else { 60 };
    let session = scene.world.session();
    let matches =
        |ix: &MsgIx| session.message(*ix).at.is_some_and(|t| (0..width).contains(&(t.as_second() - at.as_second())));
    let row = scene.message_column();
    let named = if row.is_empty() { scene.world.expand(scene.sentence().references()) } else { row };
    let subject = scene.subject.into_iter().collect::<Vec<_>>();
    let scope = if named.is_empty() { subject } else { named };
    let shown = format!("{} {}", &found[1], found.get(0)?.as_str().get(11..).unwrap_or_default());
    if let Some(&ix) = scope.iter().find(|ix| matches(ix)) {
        return Some(
            Finding::supported(Kind::Time, format!("[msg {}] is dated so", scene.world.label(ix))).shown_by([ix]),
        );
    }
    let ends = [session.first_at(), session.last_at()].into_iter().flatten();
    if scope.is_empty()
        || scope.len() > 1 && ends.into_iter().any(|t| (0..width).contains(&(t.as_second() - at.as_second())))
    {
        let any = session.iter().map(|(ix, _)| ix).find(matches);
        return any
            .map(|ix| Finding::supported(Kind::Time, format!("{shown} is the time of a message")).shown_by([ix]));
    }
    Some(
        Finding::contradicted(Kind::Time, format!("no message named is dated {shown}"))
            .shown_by(scope.into_iter().take(2)),
    )
}

/// A time that lies between two messages named, or between the first and the last of the session.
pub(super) fn duration(scene: &Scene<'_>, figure: &Figure, shown: &str) -> Option<Finding> {
    figure.unit.as_ref().filter(|u| u.dimension.is_time())?;
    let text = scene.without_quotes();
    let whole = TOOK.find_iter(&text).find(|m| m.start() <= figure.span.start && figure.span.end <= m.end());
    // `18 seconds`, `24 minutes`: the figure as it is, where no row of units is written.
    let plain = || {
        let unit = figure.unit.as_ref()?;
        let second = Unit::parse("s").filter(|s| unit.convert(1.0, s).is_some_and(|n| n >= 1.0))?;
        Some((unit.convert(figure.value, &second)?.round() as i64, unit.convert(1.0, &second)?.round().max(1.0) as i64))
    };
    let (stated, width) = whole.and_then(|m| seconds(m.as_str())).or_else(plain)?;
    let session = scene.world.session();
    let named = scene.world.expand(scene.sentence().references());
    let dated: Vec<Timestamp> = named.iter().filter_map(|&ix| session.message(ix).at).collect();
    let spans =
        [dated.iter().min().copied().zip(dated.iter().max().copied()), session.first_at().zip(session.last_at())];
    let lasted = session
        .calls()
        .filter(|(at, _)| named.is_empty() || named.contains(&at.msg))
        .filter_map(|(_, c)| c.duration_ms);
    let mut lasted = lasted.map(|ms| (ms as f64 / 1000.0).round() as i64);
    if lasted.any(|took| took == stated || width > 1 && (took - stated).abs() < width) {
        return Some(
            Finding::supported(Kind::Time, format!("a call took {shown}")).shown_by(named.into_iter().take(2)),
        );
    }
    let fits = spans.into_iter().flatten().any(|(a, b)| {
        let took = b.as_second() - a.as_second();
        (took - stated).abs() < width
    });
    fits.then(|| {
        Finding::supported(Kind::Time, format!("{shown} lie between the messages")).shown_by(named.into_iter().take(2))
    })
}

/// `1 h 21 min` in seconds, and the width of its last unit.
pub(super) fn seconds(text: &str) -> Option<(i64, i64)> {
    let mut total = 0;
    let mut width = 1;
    let mut words = text.split(' ');
    while let (Some(n), Some(unit)) = (words.next(), words.next()) {
        width = match unit {
            "d" => 86_400,
            "h" => 3_600,
            "min" => 60,
            "s" => 1,
            _ => return None,
        };
        total += n.parse::<i64>().ok()? * width;
    }
    Some((total, width.max(1)))
}
