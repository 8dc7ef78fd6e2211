//! `selects` and `omits`: what became of the options of a list in the answer to it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::overlap::Bag;
use super::{FactId, Link, LinkKind, Scene};
use crate::extract::options::OptionList;
use crate::session::{Field, MessageKind, MsgIx, Role};

static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:^|\b(?:option|approach|alternative|choice|number|go with|do|pick|take|choose|let'?s do|try)s? )#?([A-F]|[1-9])\b(?:(?:,| and|&| \+)+ ?#?([A-F]|[1-9])\b)*(?:[.,!) ]|$)").expect("a choice by name")
});
static EACH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)(?-u:\b)([A-F]|[1-9])(?-u:\b)").expect("a name"));

pub(super) fn link(scene: &Scene<'_>, links: &[Link]) -> Vec<Link> {
    let mut found = Vec::new();
    let mut first = 0;
    let mirrored = mirrored(links);
    for list in &scene.facts.options {
        let ids = first..first + list.options.len() as u32;
        first = ids.end;
        let taken = asked(scene, list, ids.start)
            .or_else(|| answered(scene, list, ids.start))
            .or_else(|| planned(&mirrored, list, ids.clone()));
        let Some(taken) = taken else { continue };
        let chosen: BTreeSet<u32> = taken.chosen.iter().map(|(o, _, _)| *o).collect();
        let link = |from, kind, option, confidence| Link {
            from,
            from_msg: taken.msg,
            kind,
            to: FactId::Option(option),
            to_msg: list.msg,
            confidence,
            span: None,
        };
        found.extend(taken.chosen.iter().map(|(o, by, sure)| link(*by, LinkKind::Selects, *o, *sure)));
        let rest = ids.filter(|o| !chosen.contains(o));
        found.extend(rest.map(|o| link(FactId::Message(taken.msg), LinkKind::Omits, o, 0.7)));
    }
    found
}

/// A choice: the message that makes it, and each option taken, by what, how surely.
struct Taken {
    msg: MsgIx,
    chosen: Vec<(u32, FactId, f64)>,
}

/// The answer to a question with choices stands in the result of its call.
fn asked(scene: &Scene<'_>, list: &OptionList, first: u32) -> Option<Taken> {
    let span = &list.options.first()?.span;
    if !matches!(span.field, Field::Input(_)) {
        return None;
    }
    let r = crate::session::CallRef { msg: span.msg, part: span.part };
    let answer = scene.session.call(r)?.result.as_ref()?.text.as_str();
    let call = scene.call(r)?;
    let chosen: Vec<_> = list
        .options
        .iter()
        .enumerate()
        .filter(|(_, o)| answer.contains(&o.text))
        .map(|(n, _)| (first + n as u32, call, 0.95))
        .collect();
    (!chosen.is_empty()).then_some(Taken { msg: list.msg, chosen })
}

/// The next prompt of the user names options, or uses most of their words.
fn answered(scene: &Scene<'_>, list: &OptionList, first: u32) -> Option<Taken> {
    if scene.session.message(list.msg).role != Role::Assistant {
        return None;
    }
    let thread = scene.session.message(list.msg).thread;
    let later = scene.session.messages.iter().enumerate().skip(list.msg.at() + 1).take(400);
    let (at, prompt) = later
        .map(|(i, m)| (MsgIx(i as u32), m))
        .find(|(_, m)| m.thread == thread && m.role == Role::User && m.kind == MessageKind::Prompt && !m.abandoned)?;
    let text = prompt.text();
    let text = text.get(..text.floor_char_boundary(600))?;
    let names: BTreeSet<String> =
        NAMED.find_iter(text).flat_map(|m| EACH.find_iter(m.as_str())).map(|m| m.as_str().to_uppercase()).collect();
    let bag = Bag::of(text);
    let chosen: Vec<_> = list
        .options
        .iter()
        .enumerate()
        .filter_map(|(n, o)| {
            let letter = char::from(b'A' + (n as u8).min(25)).to_string();
            let named = names.contains(&(n + 1).to_string()) || names.contains(&letter);
            let (share, things) = bag.against(&Bag::of(&o.text));
            let sure = if named { 0.9 } else { (share >= 0.7 && things >= 2.0).then_some(share * 0.9)? };
            Some((first + n as u32, FactId::Message(at), sure))
        })
        .collect();
    (!chosen.is_empty()).then_some(Taken { msg: at, chosen })
}

/// Items that mirror an option, by option.
fn mirrored(links: &[Link]) -> BTreeMap<u32, Vec<(MsgIx, FactId, f64)>> {
    let mut by_option: BTreeMap<u32, Vec<(MsgIx, FactId, f64)>> = BTreeMap::new();
    for l in links.iter().filter(|l| l.kind == LinkKind::Mirrors) {
        if let FactId::Option(o) = l.to {
            by_option.entry(o).or_default().push((l.from_msg, l.from, l.confidence));
        }
    }
    by_option
}

/// The first plan after the list takes options up.
fn planned(
    mirrored: &BTreeMap<u32, Vec<(MsgIx, FactId, f64)>>,
    list: &OptionList,
    ids: std::ops::Range<u32>,
) -> Option<Taken> {
    let all =
        mirrored.range(ids).flat_map(|(o, items)| items.iter().map(move |(msg, item, sure)| (*msg, *o, *item, *sure)));
    let after: Vec<_> = all.filter(|(msg, ..)| *msg >= list.msg).collect();
    let msg = after.iter().map(|(msg, ..)| *msg).min()?;
    let chosen = after.into_iter().filter(|(m, ..)| *m == msg).map(|(_, o, item, sure)| (o, item, sure)).collect();
    Some(Taken { msg, chosen })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Config, extract};
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    fn fates(session: &crate::session::Session) -> Vec<(LinkKind, FactId)> {
        let facts = extract(session, &Config::default());
        let links = super::super::link(session, &facts);
        let choices = links.iter().filter(|l| matches!(l.kind, LinkKind::Selects | LinkKind::Omits));
        let mut fates: Vec<_> = choices.map(|l| (l.kind, l.to)).collect();
        fates.sort();
        fates
    }

    #[test]
    fn a_plan_selects_and_omits() {
        let todos = json!({"todos": [{"content": "Benchmark at higher load", "status": "pending", "activeForm": "x"}]});
        let session = SessionBuilder::new()
            .user("Next steps:\n1. Benchmark at a higher load\n2. Remove the debug flag\n")
            .call("TodoWrite", todos, "ok")
            .build();
        assert_eq!(fates(&session), [(LinkKind::Selects, FactId::Option(0)), (LinkKind::Omits, FactId::Option(1))]);
    }

    #[test]
    fn the_user_names_an_option() {
        let session = SessionBuilder::new()
            .assistant("Options:\n\nOption A: rewrite it\nOption B: patch it\n")
            .user("option B please")
            .build();
        assert_eq!(fates(&session), [(LinkKind::Selects, FactId::Option(1)), (LinkKind::Omits, FactId::Option(0))]);
    }

    #[test]
    fn a_later_command_that_sets_the_flag_takes_the_option_up() {
        let todos = json!({"todos": [{"content": "Raise the load", "status": "pending", "activeForm": "x"}]});
        let session = SessionBuilder::new()
            .user("Next steps:\n1. Raise the load\n2. Try --enable-fast-copy\n3. Try --enable-slow-copy\n")
            .call("TodoWrite", todos, "ok")
            .shell("sed -i 's/ --old/ --enable-fast-copy/' serve.sh && systemctl restart serve", 0, "ready")
            .build();
        let facts = extract(&session, &Config::default());
        let links = super::super::link(&session, &facts);
        let words: Vec<_> =
            super::super::fate::options(&facts, &links).into_iter().map(|f| f.map(|f| f.word)).collect();
        assert_eq!(words, [Some("selected"), Some("taken up later"), Some("omitted")]);
    }

    #[test]
    fn silence_selects_nothing() {
        let session =
            SessionBuilder::new().assistant("Next steps:\n- one thing\n- other thing\n").user("thanks").build();
        assert_eq!(fates(&session), []);
    }
}
