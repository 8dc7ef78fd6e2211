//! `selects` and `omits`: what became of the options of a list in the answer to it.
//!
//! An option is selected by the answer to a question with choices, by the reply to the message that offers it, or by the plan
//! that follows. It is omitted only where another was chosen in so many words from a list whose options exclude each other:
//! silence omits nothing. A later request for the same selects too; [`super::fate`] tells the two apart.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::overlap::Bag;
use super::reply::{self, Reply};
use super::{FactId, Link, LinkKind, Scene};
use crate::extract::directives::Polarity;
use crate::extract::options::{Opt, OptionList};
use crate::extract::prose::{re, sentences};
use crate::extract::shape::closing_question;
use crate::session::{Field, MessageKind, MsgIx, PartBody, Role};

/// Bytes of a reply that are read for the words of an option.
const DEPTH: usize = 600;
/// Share of the words for things of an option's name that a reply or request must hold.
const WORDS: f64 = 0.75;
/// Options that one later request may be compared with.
const LATEST: usize = 60;

pub(super) fn link(scene: &Scene<'_>, links: &[Link]) -> Vec<Link> {
    let mut found = Vec::new();
    let mut first = 0;
    let mirrored = mirrored(links);
    for list in &scene.facts.options {
        let ids = first..first + list.options.len() as u32;
        first = ids.end;
        let taken = asked(scene, list, ids.start)
            .or_else(|| answered(scene, list, ids.start))
            .or_else(|| planned(scene, &mirrored, list, ids.clone()));
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
        let rest = ids.filter(|o| taken.explicit && list.exclusive && !chosen.contains(o));
        found.extend(rest.map(|o| link(FactId::Message(taken.msg), LinkKind::Omits, o, 0.7)));
    }
    let later = later(scene, &found);
    found.extend(later);
    found
}

/// A choice: the message that makes it, and each option taken, by what, how surely.
struct Taken {
    msg: MsgIx,
    chosen: Vec<(u32, FactId, f64)>,
    /// Chosen in so many words: by letter, number, name or answer.
    explicit: bool,
}

/// The answer to a question with choices stands in the result of its call.
fn asked(scene: &Scene<'_>, list: &OptionList, first: u32) -> Option<Taken> {
    let span = &list.options.first()?.span;
    if !matches!(span.field, Field::Input(_)) {
        return None;
    }
    let r = crate::session::CallRef { msg: span.msg, part: span.part };
    let text = scene.session.call(r)?.result.as_ref()?.text.as_str();
    let answer = answer_to(text, &list.title).unwrap_or(text);
    let call = scene.call(r)?;
    let longer = |o: &Opt| list.options.iter().any(|p| p.text.len() > o.text.len() && p.text.contains(&o.text));
    let chosen: Vec<_> = list
        .options
        .iter()
        .enumerate()
        .filter(|(_, o)| answer == o.text || answer.contains(&o.text) && !longer(o))
        .map(|(n, _)| (first + n as u32, call, 0.95))
        .collect();
    // An answer that names every choice of an exclusive list repeats the question.
    let one = !list.exclusive || chosen.len() < list.options.len() || list.options.len() == 1;
    (!chosen.is_empty() && one).then_some(Taken { msg: list.msg, chosen, explicit: true })
}

/// The answer beside its question: `"Which?"="Blue"`.
fn answer_to<'a>(text: &'a str, question: &str) -> Option<&'a str> {
    let at = text.find(question).filter(|_| !question.is_empty())? + question.len();
    let rest = text[at..].trim_start_matches(['"', '=', ':', ' ', '\n']);
    let end = rest.find(['"', '\n']).unwrap_or(rest.len());
    Some(&rest[..end]).filter(|a| !a.is_empty())
}

/// The next prompt of the user takes options by letter, number, place, all of them, or by their names.
fn answered(scene: &Scene<'_>, list: &OptionList, first: u32) -> Option<Taken> {
    let session = scene.session;
    if session.message(list.msg).role != Role::Assistant || !session.on_main(list.msg) {
        return None;
    }
    let later = session.messages.iter().enumerate().skip(list.msg.at() + 1);
    let mut main = later.map(|(i, m)| (MsgIx(i as u32), m)).filter(|(i, m)| session.on_main(*i) && !m.abandoned);
    // The offer must be the last that the agent says before the prompt.
    let speaks = |m: &crate::session::Message| {
        m.role == Role::Assistant
            && m.parts.iter().any(|p| matches!(&p.body, PartBody::Text(t) if !t.trim().is_empty()))
    };
    let mut last = true;
    let (at, prompt) = main.find(|(_, m)| {
        last &= !speaks(m);
        m.role == Role::User && m.kind == MessageKind::Prompt
    })?;
    let text = prompt.text();
    let of = |chosen: Vec<usize>, sure: f64, explicit: bool| {
        let chosen: Vec<_> = chosen.into_iter().map(|n| (first + n as u32, FactId::Message(at), sure)).collect();
        (!chosen.is_empty()).then_some(Taken { msg: at, chosen, explicit })
    };
    let reply = reply::read(&text).filter(|_| last);
    if let Some(reply) = reply {
        let beside: Vec<&OptionList> = scene.facts.options.iter().filter(|l| l.msg == list.msg).collect();
        let (chosen, explicit) = taken(scene, list, &beside, &reply);
        return of(chosen, 0.9, explicit);
    }
    of(named(list, text.get(..text.floor_char_boundary(DEPTH))?), 0.8, true)
}

/// The options that a reply takes; of several lists in one message only the one that it can mean.
fn taken(scene: &Scene<'_>, list: &OptionList, beside: &[&OptionList], reply: &Reply) -> (Vec<usize>, bool) {
    let all = || (0..list.options.len()).collect::<Vec<_>>();
    let place = |list: &OptionList, marker: &str| list.options.iter().position(|o| o.marker.as_deref() == Some(marker));
    let alone = beside.len() == 1;
    match reply {
        Reply::Yes if alone && !list.exclusive && takes_together(scene, list.msg) => (all(), false),
        Reply::Yes => (offered(scene, list), false),
        Reply::All if alone => (all(), false),
        Reply::Both if alone && list.options.len() == 2 => (all(), false),
        Reply::Place(n) if alone => {
            (n.or(Some(list.options.len() - 1)).filter(|n| *n < list.options.len()).into_iter().collect(), true)
        }
        Reply::Markers(markers) => {
            let holds = |l: &OptionList| markers.iter().all(|m| place(l, m).is_some());
            let only = holds(list) && beside.iter().filter(|l| holds(l)).count() == 1;
            let chosen = markers.iter().filter_map(|m| place(list, m)).filter(|_| only);
            (chosen.collect(), true)
        }
        _ => (Vec::new(), false),
    }
}

static TOGETHER: LazyLock<Regex> = LazyLock::new(|| re(r"\b(these|them|all of|both|this plan|those|the above)\b"));
static APART: LazyLock<Regex> = LazyLock::new(|| re(r"\b(which|any|either|one of|or|prefer|some)\b"));

/// Whether the question at the end of an offer is about all of it.
fn takes_together(scene: &Scene<'_>, offer: MsgIx) -> bool {
    let text = scene.session.message(offer).text();
    closing_question(&text).is_some_and(|q| TOGETHER.is_match(q) && !APART.is_match(q))
}

/// The options that the question at the end of an offer names.
fn offered(scene: &Scene<'_>, list: &OptionList) -> Vec<usize> {
    let text = scene.session.message(list.msg).text();
    let Some(question) = closing_question(&text).filter(|q| !APART.is_match(q)) else { return Vec::new() };
    let said = Bag::of(question);
    (0..list.options.len()).filter(|n| holds(&said, &Bag::of(name_of(&list.options[*n])))).collect()
}

static AGAINST: LazyLock<Regex> = LazyLock::new(|| {
    re(r"\b(not|don'?t|do not|no|never|without|except|skip|instead of|rather than|why|what|how|but)\b")
});

static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^\W*(?:(?:option|approach|alternative|choice|variant|path) #?(?:[a-f]|\d{1,2})\b|[a-f][.)])[\s:.*–—-]*")
});
static REQUEST: LazyLock<Regex> =
    LazyLock::new(|| re(r"^\W*(?:(?:ok|yes|so|and|then)\W+)*(?:please|(?:can|could|would|will) you)\b"));

/// Options whose names a reply or request gives.
fn named(list: &OptionList, text: &str) -> Vec<usize> {
    let said: String = sentences(text)
        .into_iter()
        .filter(|s| !AGAINST.is_match(s) && (!s.ends_with('?') || REQUEST.is_match(s)))
        .collect::<Vec<_>>()
        .join("\n");
    let said = Bag::of(&said);
    let names = |o: &Opt| holds(&said, &Bag::of(name_of(o)));
    (0..list.options.len()).filter(|n| names(&list.options[*n])).collect()
}

fn holds(said: &Bag, name: &Bag) -> bool {
    let shared = said.shared_things(name);
    shared >= 2.0 && shared >= WORDS * name.things()
}

/// What an option is called: its text up to the explanation.
fn name_of(option: &Opt) -> &str {
    // "Option 2" alone is no name: a reply speaks of options in many ways.
    let text = &option.text[LABEL.find(&option.text).map_or(0, |m| m.end())..];
    let text = text.trim_start_matches(['*', '_', ' ']);
    let ends = [" - ", " – ", " — ", ": ", ":**", "** ", " ("].iter().filter_map(|s| text.find(s));
    &text[..ends.min().unwrap_or(text.len())]
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

/// The first plan of the turn after the list takes options up.
fn planned(
    scene: &Scene<'_>,
    mirrored: &BTreeMap<u32, Vec<(MsgIx, FactId, f64)>>,
    list: &OptionList,
    ids: Range<u32>,
) -> Option<Taken> {
    let all =
        mirrored.range(ids).flat_map(|(o, items)| items.iter().map(move |(msg, item, sure)| (*msg, *o, *item, *sure)));
    let after: Vec<_> = all.filter(|(msg, ..)| *msg >= list.msg).collect();
    let msg =
        after.iter().map(|(msg, ..)| *msg).min().filter(|m| scene.turns().at_most_next(scene.session, list.msg, *m))?;
    let chosen = after.into_iter().filter(|(m, ..)| *m == msg).map(|(_, o, item, sure)| (o, item, sure)).collect();
    Some(Taken { msg, chosen, explicit: false })
}

/// Later requests of the user that name an option which was not selected before.
fn later(scene: &Scene<'_>, selected: &[Link]) -> Vec<Link> {
    let taken: BTreeSet<FactId> = selected.iter().filter(|l| l.kind == LinkKind::Selects).map(|l| l.to).collect();
    let options: Vec<(u32, MsgIx, Bag)> =
        scene.options().map(|(id, list, o)| (id, list.msg, Bag::of(name_of(o)))).collect();
    let mut found = Vec::new();
    for (i, d) in scene.facts.directives.iter().enumerate() {
        if !d.typed || d.polarity == Polarity::Dont {
            continue;
        }
        let said = Bag::of(&d.text);
        let end = options.partition_point(|(_, msg, _)| *msg < d.msg);
        for (id, msg, bag) in &options[end.saturating_sub(LATEST)..end] {
            let to = FactId::Option(*id);
            if !taken.contains(&to) && holds(&said, bag) {
                let from = FactId::Directive(i as u32);
                let link = Link {
                    from,
                    from_msg: d.msg,
                    kind: LinkKind::Selects,
                    to,
                    to_msg: *msg,
                    confidence: 0.8,
                    span: Some(d.span.clone()),
                };
                found.push(link);
            }
        }
    }
    found
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
    fn a_plan_selects_and_omits_nothing() {
        let todos = json!({"todos": [{"content": "Benchmark at higher load", "status": "pending", "activeForm": "x"}]});
        let session = SessionBuilder::new()
            .user("Next steps:\n1. Benchmark at a higher load\n2. Remove the debug flag\n")
            .call("TodoWrite", todos, "ok")
            .build();
        assert_eq!(fates(&session), [(LinkKind::Selects, FactId::Option(0))]);
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
        assert_eq!(words, [Some("selected"), Some("taken up later"), None]);
    }

    fn after(offer: &str, said: &str) -> Vec<(LinkKind, u32)> {
        let session = SessionBuilder::new().assistant(offer).user(said).build();
        let id = |(kind, to): (LinkKind, FactId)| match to {
            FactId::Option(n) => Some((kind, n)),
            _ => None,
        };
        fates(&session).into_iter().filter_map(id).collect()
    }

    #[test]
    fn short_replies_take_what_they_can_only_mean() {
        use LinkKind::{Omits, Selects};
        let steps = "Next steps:\n1. paint the fence\n2. mow the lawn\n3. sweep the yard\n\nShall I do all of these?";
        assert_eq!(after(steps, "yes"), [(Selects, 0), (Selects, 1), (Selects, 2)]);
        assert_eq!(after(steps, "1 and 3"), [(Selects, 0), (Selects, 2)]);
        assert_eq!(after(steps, "both"), []);
        assert_eq!(after(steps, "the last one"), [(Selects, 2)]);
        assert_eq!(after(&steps.replace("do all of these", "start with any of them"), "yes"), []);
        let named = steps.replace("do all of these", "mow the lawn");
        assert_eq!(after(&named, "yes"), [(Selects, 1)]);
        let ways = "Two approaches:\n1. paint the fence\n2. mow the lawn\n";
        assert_eq!(after(ways, "2 please"), [(Selects, 1), (Omits, 0)]);
        assert_eq!(after(ways, "both"), [(Selects, 0), (Selects, 1)]);
        assert_eq!(after(ways, "yes"), []);
        assert_eq!(after(ways, "Do not paint the fence yet"), []);
    }

    #[test]
    fn a_label_is_no_name_and_words_of_an_option_choose_it() {
        let offer = "Options for the trip:\n\n**Option 1:** train to Ghent\n**Option 2:** night bus to Lille\n";
        assert_eq!(after(offer, "Option 1 is nice, but it costs 2 more than I have."), []);
        assert_eq!(after(offer, "Those options cost more than 1,000, is there another one?"), []);
        assert_eq!(
            after(offer, "Could you please book the night bus to Lille?"),
            [(LinkKind::Selects, 1), (LinkKind::Omits, 0)]
        );
        let lettered = "Options:\n- **A. Keep the lamp** as it is\n- **B. Sell the lamp**\n";
        assert_eq!(after(lettered, "yes, let's go with A"), [(LinkKind::Selects, 0), (LinkKind::Omits, 1)]);
    }

    #[test]
    fn a_marker_of_two_lists_selects_from_neither() {
        let two = "Colour:\n\n**Option A: red**\n**Option B: blue**\n\nShape:\n\n**Option A: round**\n**Option B: square**\n**Option C: flat**\n";
        assert_eq!(after(two, "B"), []);
        assert_eq!(after(two, "C"), [(LinkKind::Selects, 4), (LinkKind::Omits, 2), (LinkKind::Omits, 3)]);
    }

    #[test]
    fn a_later_request_takes_an_option_up() {
        let session = SessionBuilder::new()
            .assistant("Next steps:\n- Remove the garden fence\n- Mow the lawn\n")
            .user("thanks")
            .assistant("You are welcome.")
            .user("now remove the garden fence")
            .build();
        let facts = extract(&session, &Config::default());
        let links = super::super::link(&session, &facts);
        let fates = super::super::fate::options(&facts, &links);
        assert_eq!(fates.iter().map(|f| f.map(|f| f.word)).collect::<Vec<_>>(), [Some("taken up later"), None]);
    }

    #[test]
    fn silence_selects_nothing() {
        let session =
            SessionBuilder::new().assistant("Next steps:\n- one thing\n- other thing\n").user("thanks").build();
        assert_eq!(fates(&session), []);
    }
}
