//! Plan items: the state said to be theirs, and the message said to have changed it.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Scene, inner, quotes};
use crate::extract::plan::{ItemIx, PlanItem, PlanSnapshot, State, Transition};
use crate::extract::prose::{content_words, re};
use crate::session::MsgIx;
use crate::verify::article::Block;
use crate::verify::words::number;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind};

pub(super) const STATES: &str = r"in[_ -]progress|active|pending|done|completed|cancelled|canceled|blocked|absent";

pub(super) static LABEL: LazyLock<Regex> = LazyLock::new(|| re(r"\bT(\d{1,5})\b"));
/// `was started in [msg 4]`: the verb directly before a reference.
static CHANGED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(started|began|active|completed|finished|done|created|added|cancelled|dropped|removed|reopened)(?:\s+again)?(?:\s+(?:first|last|in|at|by|since|there|the same|message,?))*\s*\(?$",
    )
});
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| re(r"(?i)\b(\w+) of them by no write of the transcript\b"));
static IN_LIST: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"\b(?:(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)(?:\s+(?:todo|plan))?\s+(?:item|task|todo)|(?:item|task|todo)s?\s+(\d+)(?:\s*(?:[–-]|to|through)\s*(\d+))?|remaining\s+(\w+))(?:\s+(?:items?|tasks?|todos?|is|are|was|were|already|still|marked|as|all|set|to|listed|each|now|in|state|the))*\s+`?({STATES})\b"
    ))
});
static GIVEN: LazyLock<Regex> = LazyLock::new(|| {
    re(&format!(
        r"^\s*(?:[,:·—–-]|\(|is|was|as|—\s*status:|status:)?\s*(?:is|was|—|–)?\s*(?:marked\s+|as\s+|status:\s*)*`?({STATES})\b"
    ))
});

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    match scene.sentence().block {
        Block::Row => super::plan_row::row(scene),
        Block::Prose | Block::Heading => {
            let mut out = changes(scene);
            out.extend(positions(scene));
            out.extend(given(scene));
            out.extend(checked_off(scene));
            out.extend(listed(scene));
            out.extend(open_list(scene));
            out.extend(named(scene));
            out.extend(elsewhere(scene));
            out
        }
        Block::Code => Vec::new(),
    }
}

/// `20 done (15 of them by no write of the transcript)`.
fn elsewhere(scene: &Scene<'_>) -> Option<Finding> {
    let stated = &ELSEWHERE.captures(scene.text())?[1];
    let counted = scene.world.analysis.facts.plan.figures().done_elsewhere;
    Some(match number(stated) {
        Some(n) if n as usize == counted => {
            Finding::supported(Kind::Count, format!("counted: {counted} done by no write of the transcript"))
        }
        _ => Finding::contradicted(
            Kind::Count,
            format!("{stated} by no write of the transcript stated, {counted} counted"),
        ),
    })
}

pub(super) fn labelled(scene: &Scene<'_>, text: &str) -> Option<ItemIx> {
    let label = LABEL.find(text)?.as_str().to_uppercase();
    let items = &scene.world.analysis.facts.plan.items;
    (0..).map(ItemIx).zip(items).find(|(_, i)| i.label == label).map(|(ix, _)| ix)
}

/// Where the words of an item stand behind its name: `T3 Write two notes`.
pub(super) fn wordings(scene: &Scene<'_>) -> Vec<Range<usize>> {
    let text = scene.text();
    let mut out = Vec::new();
    for mention in LABEL.find_iter(text).filter(|m| text[m.end()..].starts_with(' ')) {
        let Some(item) = labelled(scene, mention.as_str()) else { continue };
        let rest = &text[mention.end() + 1..];
        let longest = texts(scene, item).filter(|t| rest.starts_with(t)).map(str::len).max();
        out.extend(longest.map(|len| mention.end() + 1..mention.end() + 1 + len));
    }
    out
}

/// Every wording of an item.
pub(super) fn texts<'a>(scene: &Scene<'a>, item: ItemIx) -> impl Iterator<Item = &'a str> + use<'a> {
    let plan = &scene.world.analysis.facts.plan;
    let listed = plan.snapshots.iter().flat_map(|s| &s.items).filter(move |i| i.item == Some(item));
    listed.map(|i| i.text.as_str()).chain([plan.items[item.at()].text.as_str()])
}

/// Rows of changes of an item.
pub(super) fn history<'a>(scene: &Scene<'a>, item: ItemIx) -> impl Iterator<Item = &'a Transition> + use<'a> {
    scene.world.analysis.facts.plan.transitions.iter().filter(move |t| t.item == Some(item))
}

pub(super) fn matches_verb(verb: &str, row: &Transition) -> bool {
    match verb {
        "started" | "began" | "active" => row.to == State::Active && row.from != State::Active,
        "completed" | "finished" | "done" => row.to == State::Done && row.from != State::Done,
        "created" | "added" => row.from == State::Absent && row.to != State::Absent,
        "cancelled" => row.to == State::Cancelled && row.from != State::Cancelled,
        "dropped" | "removed" => row.to == State::Absent && row.from != State::Absent,
        "reopened" => row.from == State::Done && row.to.is_open(),
        _ => false,
    }
}

/// `T7 was started in [msg 9]`.
fn changes(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.text();
    let mut out = Vec::new();
    for r in &scene.sentence().own {
        let before = &text[..r.at.start];
        let Some(verb) = CHANGED.captures(before) else { continue };
        let (Some(verb), Some(at)) = (verb.get(1), scene.world.find(&r.first)) else { continue };
        let Some(mention) = LABEL.find_iter(&before[..verb.start()]).last() else {
            let item = described(scene, &before[..verb.start()]);
            out.extend(item.map(|item| changed(scene, item, &verb.as_str().to_lowercase(), at)));
            continue;
        };
        let Some(item) = labelled(scene, mention.as_str()) else {
            out.push(Finding::contradicted(Kind::Plan, format!("there is no item {}", mention.as_str())));
            continue;
        };
        out.push(changed(scene, item, &verb.as_str().to_lowercase(), at));
    }
    out
}

static DESCRIBED: LazyLock<Regex> = LazyLock::new(|| re(r"\bthe ([\w/ -]{2,50}?) (?:item|task|todo)\b[^.;]*$"));

/// `the benchmark item`: the one item whose words hold these.
fn described(scene: &Scene<'_>, before: &str) -> Option<ItemIx> {
    let items = &scene.world.analysis.facts.plan.items;
    if let Some(quote) = quotes(before).pop() {
        let words = plain(inner(&before[quote])).to_lowercase();
        return items.iter().position(|i| plain(&i.text).to_lowercase() == words).map(|n| ItemIx(n as u32));
    }
    let words = content_words(&DESCRIBED.captures(before)?[1]);
    let fits = |i: &PlanItem| {
        let own = i.text.to_lowercase();
        words.iter().all(|w| own.contains(w.as_str()))
    };
    let mut found = (0..).map(ItemIx).zip(items).filter(|(_, i)| !words.is_empty() && fits(i));
    let (one, _) = found.next()?;
    found.next().is_none().then_some(one)
}

pub(super) fn changed(scene: &Scene<'_>, item: ItemIx, verb: &str, at: MsgIx) -> Finding {
    let label = &scene.world.analysis.facts.plan.items[item.at()].label;
    let rows: Vec<MsgIx> = history(scene, item).filter(|t| matches_verb(verb, t)).map(|t| t.msg).collect();
    if rows.contains(&at) {
        return Finding::supported(Kind::Plan, format!("{label} is {verb} there")).shown_by([at]);
    }
    let reason = match rows.first() {
        Some(&real) => {
            format!("{label} is {verb} in [msg {}], not in [msg {}]", scene.world.label(real), scene.world.label(at))
        }
        None => format!("{label} is never {verb}"),
    };
    Finding::contradicted(Kind::Plan, reason).shown_by(rows.into_iter().take(2).chain([at]))
}

/// `the first item is in_progress`, `items 2–4 are pending`, `the remaining three are pending`.
fn positions(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(list) = list(scene) else { return Vec::new() };
    let text = scene.without_quotes();
    let mut out = Vec::new();
    for found in IN_LIST.captures_iter(&text) {
        let state = State::of_word(&found[5]);
        let n = list.items.len();
        let range = if let Some(word) = found.get(1) {
            let at = ordinal(word.as_str(), n);
            at..at + 1
        } else if let Some(from) = found.get(2) {
            let from: usize = from.as_str().parse().unwrap_or(0);
            let to = found.get(3).and_then(|m| m.as_str().parse().ok()).unwrap_or(from);
            from.saturating_sub(1)..to
        } else {
            let left = found.get(4).and_then(|m| number(m.as_str())).unwrap_or(0) as usize;
            n.saturating_sub(left)..n
        };
        let Some(items) = list.items.get(range.clone()).filter(|i| !i.is_empty()) else {
            out.push(Finding::contradicted(Kind::Plan, format!("the list has {n} items")).shown_by([list.msg]));
            continue;
        };
        let wrong = items.iter().position(|i| i.state != state);
        out.push(match wrong {
            None => Finding::supported(Kind::Plan, format!("{state} in the list")).shown_by([list.msg]),
            Some(k) => Finding::contradicted(
                Kind::Plan,
                format!("item {} is {} in the list", range.start + k + 1, items[k].state),
            )
            .shown_by([list.msg]),
        });
    }
    out
}

static LISTED: LazyLock<Regex> = LazyLock::new(|| re(&format!(r"^\s*(T\d{{1,5}}) .*\(({STATES})\)\s*$")));

/// `T3 Write the notes (pending)` in a list: its state before or at the message that leads the list in, else ever.
fn listed(scene: &Scene<'_>) -> Option<Finding> {
    let found = LISTED.captures(scene.text())?;
    let item = labelled(scene, &found[1])?;
    let state = state_of(&found[2])?;
    let lead = scene.lead_in();
    let at = lead.and_then(|s| s.own.first()).and_then(|r| scene.world.find(&r.first));
    let before = lead.is_some_and(|s| s.text[..s.own[0].at.start].trim_end().ends_with("before"));
    let known = match at {
        Some(at) => history(scene, item).filter(|t| t.msg < at || t.msg == at && !before).last().map(|t| vec![t.to])?,
        None => vec![
            scene.world.analysis.facts.plan.items[item.at()].last,
            scene.world.analysis.facts.plan.items[item.at()].outcome,
        ],
    };
    let label = &found[1];
    Some(match known.contains(&state) {
        true => Finding::supported(Kind::Plan, format!("{label} is {state}")).shown_by(at),
        false => Finding::contradicted(Kind::Plan, format!("{label} is {}, not {state}", known[0])).shown_by(at),
    })
}

static OPEN_LIST: LazyLock<Regex> = LazyLock::new(|| re(r"^open\b.*\b(before|after) [^:]*:\s*$"));

/// `Open in the plan before [msg 4]:` and the bullets that follow: just the items open then.
fn open_list(scene: &Scene<'_>) -> Option<Finding> {
    let found = OPEN_LIST.captures(scene.text())?;
    let at = scene.world.find(&scene.sentence().own.first()?.first)?;
    let upto = match found[1].eq_ignore_ascii_case("before") {
        true => at.0.checked_sub(1).map(MsgIx),
        false => Some(at),
    };
    let depth = scene.sentence().depth;
    let listed = scene.sentences[scene.at + 1..].iter().take_while(|s| s.depth > depth);
    let mut labels: Vec<&str> =
        listed.filter_map(|s| LABEL.find(&s.text).filter(|m| m.start() == 0).map(|m| m.as_str())).collect();
    let plan = &scene.world.analysis.facts.plan;
    let lists = upto.map_or_else(Vec::new, |upto| plan.lists_at(Some(upto)));
    let then = lists.into_iter().flat_map(|s| &s.items).filter(|i| i.state.is_open());
    let mut open: Vec<&str> = then.filter_map(|i| i.item).map(|i| plan.items[i.at()].label.as_str()).collect();
    labels.sort_unstable();
    open.sort_unstable();
    Some(match labels == open {
        true => Finding::supported(Kind::Plan, "these are open").shown_by([at]),
        false => Finding::contradicted(Kind::Plan, format!("open then: {}", open.join(", "))).shown_by([at]),
    })
}

/// `T3 “Write the notes”`: the label and the words belong together.
fn named(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.text();
    let mut out = Vec::new();
    for range in quotes(text) {
        let before = &text[..range.start];
        let Some(mention) = LABEL.find_iter(before).last().filter(|m| before[m.end()..].trim().is_empty()) else {
            continue;
        };
        let Some(item) = labelled(scene, mention.as_str()) else { continue };
        let words = plain(inner(&text[range.clone()])).to_lowercase();
        let cut = words.trim_end_matches('…');
        let plan = &scene.world.analysis.facts.plan;
        if texts(scene, item).any(|t| plain(t).to_lowercase().starts_with(cut)) {
            out.push(
                Finding::supported(Kind::Plan, format!("{} reads so", mention.as_str()))
                    .shown_by([plan.items[item.at()].first_msg]),
            );
        } else {
            out.push(Finding::contradicted(
                Kind::Plan,
                format!("{} reads “{}”", mention.as_str(), plan.items[item.at()].text),
            ));
        }
    }
    out
}

static CHECKED_OFF: LazyLock<Regex> = LazyLock::new(|| {
    re(r"\b(?:(?:checked|ticked|crossed) off|(?:was|were|been|is|are) (?:completed|finished|done))\b")
});
static NOT: LazyLock<Regex> = LazyLock::new(|| re(r"\b(not|never|neither|none|no|n't|before|until|when|once)\b"));

/// `it checked off "Write the notes"`: the item was done at some time.
fn checked_off(scene: &Scene<'_>) -> Option<Finding> {
    let text = scene.outside_quotes();
    if !CHECKED_OFF.is_match(&text) || NOT.is_match(&text) || !scene.sentence().own.is_empty() {
        return None;
    }
    let plan = &scene.world.analysis.facts.plan;
    let words: Vec<String> =
        quotes(scene.text()).into_iter().map(|r| plain(inner(&scene.text()[r])).to_lowercase()).collect();
    let n = plan.items.iter().position(|i| words.contains(&plain(&i.text).to_lowercase()))?;
    let item = &plan.items[n];
    let done = history(scene, ItemIx(n as u32)).find(|t| t.to == State::Done);
    Some(match done {
        Some(t) => Finding::supported(Kind::Plan, format!("{} is done", item.label)).shown_by([t.msg]),
        None => Finding::contradicted(Kind::Plan, format!("{} is {} at the end", item.label, item.last))
            .shown_by([item.first_msg]),
    })
}

fn ordinal(word: &str, len: usize) -> usize {
    const WORDS: &[&str] =
        &["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    let lower = word.to_lowercase();
    WORDS.iter().position(|w| *w == lower).unwrap_or(len.saturating_sub(1))
}

/// The list that the sentence speaks of: that of a message named (else of the article's subject).
fn list<'a>(scene: &Scene<'a>) -> Option<&'a PlanSnapshot> {
    let plan = &scene.world.analysis.facts.plan;
    let of = |ix: MsgIx| plan.snapshots.iter().rfind(|s| s.msg == ix);
    scene.world.expand(scene.sentence().references()).into_iter().find_map(of).or_else(|| scene.subject.and_then(of))
}

/// `"Write the notes" — status: pending`, `T3 “…”, pending since [msg 4]`, `T3 … (done)`.
fn given(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.text();
    let mut out = Vec::new();
    let ranges = quotes(text);
    for range in &ranges {
        let Some(state) = GIVEN.captures(&text[range.end..]).map(|c| State::of_word(&c[1])) else { continue };
        let before = &text[..range.start];
        let mention = LABEL.find_iter(before).last().filter(|m| before[m.end()..].trim().is_empty());
        let words = plain(inner(&text[range.clone()])).to_lowercase();
        let plan = &scene.world.analysis.facts.plan;
        let by_text = list(scene)
            .and_then(|l| l.items.iter().find(|i| plain(&i.text).to_lowercase() == words).map(|i| (i.state, l.msg)));
        let known = match (mention.and_then(|m| labelled(scene, m.as_str())), by_text) {
            (Some(item), _) => {
                let item = &plan.items[item.at()];
                vec![item.last, item.outcome]
            }
            (None, Some((state, _))) => vec![state],
            (None, None) => continue,
        };
        let shown = by_text.map(|b| b.1).into_iter().chain(scene.scope().into_iter().take(1));
        out.push(match known.contains(&state) {
            true => Finding::supported(Kind::Plan, format!("it is {state}")).shown_by(shown),
            false => Finding::contradicted(Kind::Plan, format!("it is {}, not {state}", known[0])).shown_by(shown),
        });
    }
    out
}

/// A state by its word; a word that is none is not read.
pub(super) fn state_of(word: &str) -> Option<State> {
    let word = word.trim();
    State::ALL
        .into_iter()
        .find(|s| s.word() == word)
        .or_else(|| Some(State::of_word(word)).filter(|s| *s != State::Other))
}
