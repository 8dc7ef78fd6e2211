//! What was left out of a list, and whether anything was said of it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::{Scene, code};
use crate::extract::prose::content_words;
use crate::link::LinkKind;
use crate::session::MsgIx;
use crate::verify::words::{NUMBER, number};
use crate::verify::{Finding, Kind};

static OMITS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(explicitly|expressly|openly)\s+(omit(?:s|ted)?|exclud(?:es|ed)|reject(?:s|ed)|skip(?:s|ped)?|rul(?:es|ed) out|declin(?:es|ed)|drop(?:s|ped)?|defer(?:s|red)?)(?-u:\b)")
        .expect("a constant pattern")
});

static HOW_MANY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"(?i)(?-u:\b)(select|pick|chose|omit|left out|leaves out|takes up|took up)(?:s|ed|ted)?\s+({NUMBER})(?:\s+(?:of|options?|for|from|steps?|in|to)(?-u:\b)|\s*[,.])"))
        .expect("a constant pattern")
});

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let mut out = silent(scene);
    out.extend(how_many(scene));
    out.extend(lists(scene));
    out
}

static LISTS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\[msg [^\]]*\] lists (\d+) options\b").expect("a constant pattern"));

/// `[msg 4] lists 7 options`, where it lists none and another message lists just so many.
fn lists(scene: &Scene<'_>) -> Option<Finding> {
    let stated: usize = LISTS.captures(scene.text())?[1].parse().ok()?;
    let at = scene.world.find(&scene.sentence().own.first()?.first)?;
    let all = &scene.world.analysis.facts.options;
    let other = all.iter().find(|l| l.options.len() == stated).filter(|_| !all.iter().any(|l| l.msg == at))?;
    let reason = format!("the {stated} options stand in [msg {}]", scene.world.label(other.msg));
    Some(Finding::contradicted(Kind::Selection, reason).shown_by([other.msg]))
}

/// `selected four of the seven`: against the options that the message took up.
fn how_many(scene: &Scene<'_>) -> Option<Finding> {
    let text = scene.outside_quotes();
    let found = HOW_MANY.captures(&text)?;
    let stated = number(&found[2])? as usize;
    let analysis = scene.world.analysis;
    let scope = scene.scope();
    // `[msg 9] selected four`: that message and no other.
    let selected_in =
        |ix: MsgIx| analysis.links.iter().filter(move |l| l.kind == LinkKind::Selects && l.from_msg == ix);
    let selects = |ix: MsgIx| selected_in(ix).next().is_some();
    let who = scene.named_before(&text, found.get(1)?.start());
    if let Some(who) = who.filter(|ix| !selects(*ix)) {
        return Some(
            Finding::contradicted(Kind::Selection, "no option of an earlier list is selected there").shown_by([who]),
        );
    }
    let at = who.into_iter().chain(scope.iter().copied()).find(|ix| selects(*ix));
    let at = at.or(scene.subject)?;
    // `[msg 4] lists 3 options; [msg 9] selected two of them`: of that list.
    let of: Vec<MsgIx> = scope.iter().copied().filter(|ix| *ix < at).collect();
    let of_list = of.iter().any(|ix| analysis.facts.options.iter().any(|l| l.msg == *ix));
    let meant = |l: &&crate::link::Link| !of_list || of.contains(&l.to_msg);
    let selected: BTreeSet<_> = selected_in(at).filter(meant).map(|l| l.to).collect();
    let lists: BTreeSet<MsgIx> = selected_in(at).filter(meant).map(|l| l.to_msg).collect();
    let listed: usize = analysis.facts.options.iter().filter(|l| lists.contains(&l.msg)).map(|l| l.options.len()).sum();
    if selected.is_empty() {
        return None;
    }
    let verb = found[1].to_lowercase();
    let omits = verb.starts_with("omit") || verb.starts_with("le");
    // What an earlier message had selected is not selected anew.
    let first =
        |to| analysis.links.iter().filter(|l| l.kind == LinkKind::Selects && l.to == to).map(|l| l.from_msg).min();
    let anew = selected.iter().filter(|to| first(**to) == Some(at)).count();
    if !omits && anew == stated {
        return Some(Finding::supported(Kind::Selection, format!("{anew} of {listed} options")).shown_by([at]));
    }
    let counted = if omits { listed.saturating_sub(selected.len()) } else { selected.len() };
    let shown = lists.into_iter().chain([at]);
    Some(match counted == stated {
        true => Finding::supported(Kind::Selection, format!("{counted} of {listed} options")).shown_by(shown),
        false => {
            Finding::contradicted(Kind::Selection, format!("{stated} stated, {counted} of {listed} options counted"))
                .shown_by(shown)
        }
    })
}

fn silent(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(found) = OMITS.find(scene.text()) else { return Vec::new() };
    let Some(at) = scene.subject.or_else(|| scene.scope().first().copied()) else { return Vec::new() };
    let omitted = named(scene, found.end());
    if omitted.is_empty() {
        return Vec::new();
    }
    let said = scene.world.text(at);
    let silent: Vec<&str> = omitted.iter().filter(|o| !stands(said, o)).map(|o| o.name.as_str()).collect();
    if silent.is_empty() {
        return vec![Finding::supported(Kind::Selection, "each is named there").shown_by([at])];
    }
    let reason = format!("[msg {}] says nothing of {}", scene.world.label(at), silent.join(", "));
    let shown: Vec<MsgIx> = omitted.iter().map(|o| o.listed).chain([at]).collect();
    vec![Finding::contradicted(Kind::Selection, reason).shown_by(shown)]
}

struct Omitted {
    name: String,
    words: Vec<String>,
    listed: MsgIx,
}

/// Options of the session that the rest of the sentence names.
fn named(scene: &Scene<'_>, from: usize) -> Vec<Omitted> {
    let rest = &scene.text()[from..];
    let words = content_words(rest);
    let names: Vec<&str> = code(rest).into_iter().map(|r| super::inner(&rest[r])).collect();
    let options = scene.world.analysis.facts.options.iter().flat_map(|l| l.options.iter().map(move |o| (l.msg, o)));
    options
        .filter_map(|(listed, option)| {
            let mine = content_words(&option.text);
            let shared: Vec<String> = mine.iter().filter(|w| words.contains(w)).cloned().collect();
            let by_name = names.iter().any(|n| option.text.contains(n));
            (by_name || shared.len() >= 2).then(|| Omitted { name: option.text.clone(), words: shared, listed })
        })
        .collect()
}

/// Whether a text speaks of an option: half of the words that name it stand there.
fn stands(said: &str, option: &Omitted) -> bool {
    let here = content_words(said);
    let found = option.words.iter().filter(|w| here.contains(w)).count();
    found * 2 > option.words.len()
}
