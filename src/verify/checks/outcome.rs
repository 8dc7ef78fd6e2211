//! How calls ended: exit codes, `ok`, failed, passed.

use std::sync::LazyLock;

use regex::Regex;

use super::{Scene, code, inner};
use crate::extract::prose::re;
use crate::link::claims::tests_of;
use crate::session::{CallStatus, MsgIx, ToolCall};
use crate::verify::article::Block;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind};

static EXIT: LazyLock<Regex> =
    LazyLock::new(|| re(r"\bexit(?:ed|s)?(?:\s+(?:with|code|status))*\s*:?\s*(-?\d{1,4})\b"));
static STATUS: LazyLock<Regex> = LazyLock::new(|| re(r":\s*(ok|error|interrupted|missing)(?:,|$|\s*$)"));
static AFTER: LazyLock<Regex> =
    LazyLock::new(|| re(r":\s*(?:ok|error|interrupted)\b.*, after ((?:\d+ (?:min|s|h|d|ms)\b ?)+)$"));
static GIVEN: LazyLock<Regex> = LazyLock::new(|| re(r"^`[^`]+` \([a-z]+\) (.+): (?:ok|error|interrupted|missing)"));
static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(failed|fails|crashed|was refused|errored|choked|blew up|fell over|ended in (?:a|an) (?:traceback|error|failure|stack trace))\b",
    )
});
static WORKED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(succeeded|succeeds|worked|passed|passes|ran (?:without error|fine|cleanly)|went (?:through|fine|well)|completed successfully)\b",
    )
});
/// What ended are tests: a call that worked is not yet one that ran them.
static TESTS: LazyLock<Regex> = LazyLock::new(|| re(r"\b(?:tests?|test suite|suite|specs?)\b"));
static INTERRUPTED: LazyLock<Regex> = LazyLock::new(|| re(r"\bwas (?:interrupted|aborted|cut off)\b"));
/// What is said of every call, and of none.
static ALL: LazyLock<Regex> = LazyLock::new(|| re(r"\b(all|every|everything|each|both)\b"));
static NONE: LazyLock<Regex> =
    LazyLock::new(|| re(r"\b(none|nothing|no (?:\w+ )?(?:calls?|commands?|tools?|steps?))\b"));
static NEGATED: LazyLock<Regex> = LazyLock::new(|| re(r"\b(not|never|no|neither|without|nor|if|when|would)\b|n't\b"));

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.outside_quotes();
    let mut out = Vec::new();
    for found in EXIT.captures_iter(&text) {
        let (Ok(code), Some(all)) = (found[1].parse(), found.get(0)) else { continue };
        out.extend(exit(scene, code, all.start()));
    }
    if scene.sentence().block == Block::Row {
        out.extend(column(scene));
        return out;
    }
    out.extend(AFTER.captures(&text).and_then(|c| lasted(scene, &c[1])));
    out.extend(STATUS.captures(&text).and_then(|c| status(scene, &c[1].to_lowercase())));
    out.extend(ended(scene, &text));
    out.extend(interrupted(scene, &text));
    out
}

/// Calls of the messages spoken of; where the sentence names commands, tools or targets, those alone.
fn calls<'a>(scene: &Scene<'a>, at: usize) -> Vec<(MsgIx, &'a ToolCall)> {
    // `the first failed; the second worked ([msg 4])`: a message belongs to its clause.
    let clause = clause(scene.text(), at);
    let own: Vec<_> = scene.sentence().own.iter().filter(|r| clause.contains(&r.at.start)).cloned().collect();
    let of_others = own.is_empty() && !scene.sentence().own.is_empty();
    let mut scope = match own.is_empty() {
        false => scene.world.expand(&own),
        true if of_others => Vec::new(),
        true => scene.world.expand(&scene.sentence().inherited),
    };
    if scope.is_empty() && !of_others {
        scope = scene.scope();
        scope.extend(scene.subject.filter(|_| scope.is_empty()));
    }
    let everywhere = scope.is_empty();
    let session = scene.world.session();
    let all: Vec<(MsgIx, &ToolCall)> =
        session.calls().map(|(at, c)| (at.msg, c)).filter(|c| everywhere || scope.contains(&c.0)).collect();
    // `one`, `another` (failed)`: what stands in brackets is said of what stands before them.
    let in_brackets = scene.text()[..at].ends_with('(');
    let spans = code(scene.text());
    let before = spans.iter().rposition(|r| in_brackets && scene.text()[r.end..at.max(r.end)].trim() == "(");
    let spans = before.map_or(&spans[..], |n| &spans[n..=n]);
    let names: Vec<String> =
        spans.iter().map(|r| inner(&scene.text()[r.clone()]).trim_end_matches('…').to_owned()).collect();
    let mut named = all.clone();
    let mut known = false;
    for name in &names {
        let some: Vec<_> = named.iter().copied().filter(|(_, c)| is_named(c, name)).collect();
        if !some.is_empty() {
            named = some;
            known = true;
        }
    }
    // Without a message only a command that is named tells which call is meant.
    if everywhere && !known { Vec::new() } else { named }
}

/// The clause that holds a byte: from one semicolon or comma with a `but` to the next.
fn clause(text: &str, at: usize) -> std::ops::Range<usize> {
    let start = text[..at].rfind("; ").map_or(0, |n| n + 1);
    let end = text[at..].find("; ").map_or(text.len(), |n| at + n + 1);
    start..end
}

fn is_named(call: &ToolCall, name: &str) -> bool {
    let name = name.replace("\\|", "|");
    call.tool == name
        || call.command().is_some_and(|c| c.contains(&name))
        || call.target().is_some_and(|t| t.contains(&name))
}

fn exit(scene: &Scene<'_>, code: i64, at: usize) -> Option<Finding> {
    let calls = calls(scene, at);
    let known: Vec<(MsgIx, i64)> = calls.iter().filter_map(|(ix, c)| Some((*ix, c.exit_code()?))).collect();
    let (first, real) = known.first().copied()?;
    let other = known.iter().find(|k| k.1 != code);
    Some(match known.iter().find(|k| k.1 == code) {
        Some(&(ix, _)) if other.is_none() || scene.sentence().block == Block::Row => {
            Finding::supported(Kind::Outcome, format!("exit code {code}")).shown_by([ix])
        }
        Some(_) if ALL.is_match(scene.text()) => {
            Finding::contradicted(Kind::Outcome, "the exit codes there differ").shown_by(other.map(|k| k.0))
        }
        Some(&(ix, _)) => Finding::unverifiable(Kind::Outcome, "the exit codes there differ").shown_by([ix]),
        None => Finding::contradicted(Kind::Outcome, format!("the exit code is {real}, not {code}")).shown_by([first]),
    })
}

fn status(scene: &Scene<'_>, word: &str) -> Option<Finding> {
    let calls = calls(scene, 0);
    let (first, call) = calls.first().copied()?;
    // `tool` (kind) what it was given: status
    if let Some(given) = GIVEN.captures(scene.text()).map(|c| plain(&c[1])) {
        let cut = given.trim_end_matches('…').trim();
        let has = |c: &ToolCall| [c.command(), c.target()].into_iter().flatten().any(|t| plain(t).contains(cut));
        if !cut.is_empty() && !calls.iter().any(|(_, c)| has(c)) {
            return Some(
                Finding::contradicted(Kind::Quote, format!("no call there was given “{cut}”")).shown_by([first]),
            );
        }
    }
    Some(match calls.iter().find(|(_, c)| c.status().word() == word) {
        Some(&(ix, _)) => Finding::supported(Kind::Outcome, format!("it ended {word}")).shown_by([ix]),
        None => Finding::contradicted(Kind::Outcome, format!("it ended {}, not {word}", call.status().word()))
            .shown_by([first]),
    })
}

/// `…: ok, after 4 min 2 s`: how long one of the calls took.
fn lasted(scene: &Scene<'_>, stated: &str) -> Option<Finding> {
    let stated = stated.trim();
    let (want, width) = super::time::seconds(stated)?;
    let all: Vec<(MsgIx, f64)> =
        calls(scene, 0).iter().filter_map(|(ix, c)| Some((*ix, c.duration_ms? as f64 / 1000.0))).collect();
    let (first, real) = *all.first()?;
    Some(match all.iter().find(|(_, took)| (took - want as f64).abs() < width as f64) {
        Some((ix, _)) => Finding::supported(Kind::Time, format!("it took {stated}")).shown_by([*ix]),
        None => Finding::contradicted(Kind::Time, format!("it took {real:.1} s, not {stated}")).shown_by([first]),
    })
}

/// A cell under `exit code`.
fn column(scene: &Scene<'_>) -> Option<Finding> {
    exit(scene, scene.cell(&["exit code"])?.parse().ok()?, 0)
}

/// `the build failed in [msg 4]`, `the tests passed ([msg 9])`: only of calls in a message that the sentence names.
fn ended(scene: &Scene<'_>, text: &str) -> Option<Finding> {
    static SMOOTHLY: LazyLock<Regex> = LazyLock::new(|| {
        re(r"\bwithout (?:any |a |further )?(?:trouble|errors?|issues?|problems?|hitch|complaints?|fuss|difficulty)\b")
    });
    if scene.sentence().own.is_empty() || NEGATED.is_match(&SMOOTHLY.replace_all(text, "")) {
        return None;
    }
    let (failed, worked) = (FAILED.is_match(text), WORKED.is_match(text));
    // Counts of failures are another kind of statement.
    static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
        re(
            r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|several|some|most|many)) (?:of (?:them|the(?: \w+){1,2}) )?(?:failed|passed|worked|succeeded)",
        )
    });
    if failed == worked || COUNTED.is_match(text) {
        return None;
    }
    let said = FAILED.find(text).or_else(|| WORKED.find(text))?.start();
    let within = clause(scene.text(), said);
    if !scene.sentence().own.iter().any(|r| within.contains(&r.at.start)) {
        return None;
    }
    let calls: Vec<(MsgIx, &ToolCall)> = calls(scene, said);
    if !failed && TESTS.is_match(&scene.text()[within]) {
        return tests_passed(&calls);
    }
    // `None of them failed` says that all of them worked.
    let failed = failed != NONE.is_match(text);
    let fits = |c: &ToolCall| if failed { c.undone() } else { c.worked() };
    let against = |c: &ToolCall| if failed { c.worked() } else { c.undone() };
    let word = if failed { "failed" } else { "worked" };
    let (first, _) = *calls.first()?;
    let known = calls.iter().filter(|c| fits(c.1)).count();
    if known == calls.len() {
        let reason =
            if known == 1 { format!("the call there {word}") } else { format!("all {known} calls there {word}") };
        return Some(Finding::supported(Kind::Outcome, reason).shown_by(calls.iter().map(|c| c.0).take(3)));
    }
    if calls.iter().all(|c| against(c.1)) {
        return Some(Finding::contradicted(Kind::Outcome, format!("no call there {word}")).shown_by([first]));
    }
    // Of several calls some ended so: only of all of them together something is said.
    let (other, _) = *calls.iter().find(|c| against(c.1))?;
    let reason = format!("{known} of {} calls there {word}", calls.len());
    Some(match ALL.is_match(text) || NONE.is_match(text) {
        true => Finding::contradicted(Kind::Outcome, reason).shown_by([other]),
        false => Finding::unverifiable(Kind::Outcome, reason).shown_by(calls.iter().map(|c| c.0).take(3)),
    })
}

/// `the `bash` call of [msg 4] was interrupted`.
fn interrupted(scene: &Scene<'_>, text: &str) -> Option<Finding> {
    let at = scene.named_before(text, INTERRUPTED.find(text)?.start())?;
    let stopped = scene.world.message(at).calls().any(|c| c.status() == CallStatus::Interrupted);
    Some(match stopped {
        true => Finding::supported(Kind::Outcome, "a call there was interrupted"),
        false => Finding::contradicted(Kind::Outcome, "no call there was interrupted"),
    })
    .map(|f| f.shown_by([at]))
}

/// `the tests passed ([msg 9])`: a call there printed that tests passed and none failed; where none printed a count, it is
/// not known.
fn tests_passed(calls: &[(MsgIx, &ToolCall)]) -> Option<Finding> {
    let told: Vec<_> = calls.iter().filter_map(|(ix, c)| Some((*ix, tests_of(c)?))).collect();
    let clean = told.iter().find(|(_, t)| t.failed == 0 && t.passed > 0);
    Some(match (clean, told.first()) {
        (Some((ix, t)), _) => Finding::supported(Kind::Outcome, format!("{} tests passed", t.passed)).shown_by([*ix]),
        (None, Some((ix, t))) => {
            Finding::contradicted(Kind::Outcome, format!("{} tests failed", t.failed)).shown_by([*ix])
        }
        (None, None) => {
            let at = calls.iter().map(|c| c.0);
            Finding::unverifiable(Kind::Outcome, "no call there printed a count of tests".to_owned()).shown_by(at)
        }
    })
}
