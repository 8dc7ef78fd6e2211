//! Findings of the session: their level, state and need, in bullets (`P1: kernel outdated (needs reboot)`) and rows.

use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::findings::Finding as Found;
use crate::extract::prose::re;
use crate::verify::article::Block;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind};

static BULLET: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(P\d): (.+?)(?: \(needs ([\w, -]+)\))?$").expect("a constant pattern"));

/// What a text says of a finding.
struct Told {
    title: String,
    level: Option<String>,
    status: Option<String>,
    needs: Option<String>,
    current: Option<String>,
    wanted: Option<String>,
}

/// `as needed for the change it gives “reboot” (3), “runtime” (18)`
static NEEDS: LazyLock<Regex> = LazyLock::new(|| re(r"\bneeded for the change\b"));
static NEED: LazyLock<Regex> = LazyLock::new(|| re(r"“([^”]+)” \((\d+)\)"));

/// How many findings of the messages spoken of need what is quoted.
fn needs(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block != Block::Prose || !NEEDS.is_match(scene.text()) {
        return Vec::new();
    }
    let scope = scene.scope();
    let all = scene.world.analysis.facts.findings.findings.iter();
    let here: Vec<&Found> = all.filter(|f| scope.is_empty() || scope.contains(&f.msg)).collect();
    let one = |c: regex::Captures<'_>| {
        let counted = here.iter().filter(|f| f.needs.as_deref() == Some(&c[1])).count();
        let shown = here.iter().map(|f| f.msg).take(1);
        match c[2].parse() == Ok(counted) {
            true => Finding::supported(Kind::Count, format!("{counted} need {}", &c[1])).shown_by(shown),
            false => Finding::contradicted(Kind::Count, format!("{counted} need {}", &c[1])).shown_by(shown),
        }
    };
    NEED.captures_iter(scene.text()).map(one).collect()
}

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let needs = needs(scene);
    if !needs.is_empty() {
        return needs;
    }
    let told = match scene.sentence().block {
        Block::Prose => bullet(scene.text()),
        Block::Row => row(scene),
        _ => None,
    };
    told.and_then(|t| decide(scene, &t)).into_iter().collect()
}

fn bullet(text: &str) -> Option<Told> {
    let found = BULLET.captures(text.trim())?;
    Some(Told {
        level: Some(found[1].to_owned()),
        title: found[2].to_owned(),
        status: None,
        current: None,
        wanted: None,
        needs: found.get(3).map(|m| m.as_str().to_owned()),
    })
}

fn row(scene: &Scene<'_>) -> Option<Told> {
    let cell = |name: &str| scene.cell(&[name]).filter(|c| !c.is_empty() && *c != "–").map(str::to_owned);
    // `now → wanted`, or a column each.
    let both = cell("now → wanted");
    let (now, then) = both.as_deref().map_or((None, None), |b| match b.split_once(" → ") {
        Some((now, then)) => (Some(now.to_owned()), Some(then.to_owned())),
        None => (Some(b.to_owned()), None),
    });
    let now = now.filter(|n| !n.starts_with('→'));
    if let Some(title) = cell("which").filter(|_| cell("what").is_some_and(|w| w.starts_with("finding"))) {
        let level = cell("what").and_then(|w| w.split_once(", ").map(|l| l.1.to_owned()));
        return Some(Told { title, level, status: None, needs: None, current: None, wanted: None });
    }
    Some(Told {
        title: cell("finding")?,
        level: cell("level"),
        status: cell("status"),
        needs: cell("needs"),
        current: now.or_else(|| cell("found")).or_else(|| cell("current")),
        wanted: then.or_else(|| cell("wanted")),
    })
}

fn decide(scene: &Scene<'_>, told: &Told) -> Option<Finding> {
    let title = plain(told.title.trim_end_matches('…')).to_lowercase();
    let all = &scene.world.analysis.facts.findings.findings;
    let same = |f: &&Found| {
        let mine = plain(&f.title).to_lowercase();
        mine == title || told.title.ends_with('…') && mine.starts_with(&title)
    };
    let found: Vec<&Found> = all.iter().filter(same).collect();
    let Some(first) = found.first() else {
        // A title that stands nowhere is no finding of the session.
        let row = scene.sentence().block == Block::Row && scene.cell(&["tool"]).is_none() && !all.is_empty();
        let absent = row && scene.world.holding(title.trim_end()).next().is_none();
        return absent.then(|| Finding::contradicted(Kind::Quote, format!("no finding reads “{}”", told.title)));
    };
    let at = scene.message_column();
    let fits = |f: &&&Found| {
        let level = told.level.as_ref().is_none_or(|l| f.level.as_ref() == Some(l) || f.level_text.as_ref() == Some(l));
        let status = told.status.as_ref().is_none_or(|s| s == f.status.word());
        let needs = told.needs.as_ref().is_none_or(|n| f.needs.as_ref() == Some(n));
        let begins = |value: &Option<String>, told: &Option<String>| {
            told.as_ref().is_none_or(|t| {
                value.as_ref().is_some_and(|v| plain(v).starts_with(plain(t).trim_end_matches('…').trim_end()))
            })
        };
        let values = begins(&f.current, &told.current) && begins(&f.wanted, &told.wanted);
        level && status && needs && values && (at.is_empty() || at.contains(&f.msg))
    };
    Some(match found.iter().find(fits) {
        Some(f) => Finding::supported(Kind::Outcome, "the finding stands so").shown_by([f.msg]),
        None => {
            let values = [first.current.as_deref(), first.wanted.as_deref()];
            let real = [first.level.as_deref(), Some(first.status.word()), first.needs.as_deref()];
            let real = real.into_iter().chain(values);
            let real: Vec<&str> = real.flatten().collect();
            Finding::contradicted(Kind::Outcome, format!("the finding is {}", real.join(", "))).shown_by([first.msg])
        }
    })
}
