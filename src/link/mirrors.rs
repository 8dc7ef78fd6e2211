//! `mirrors`: a plan item and the directive, option or finding whose words it takes up.

use std::collections::BTreeSet;

use super::overlap::Bag;
use super::{FactId, Link, LinkKind, Scene};
use crate::extract::directives::Polarity;
use crate::session::MsgIx;

/// Share of words from which a directive, option or finding is taken to be mirrored, and weight of the words for things.
const ENOUGH: (f64, f64) = (0.6, 2.0);
/// Findings are many and alike: they ask for more.
const ENOUGH_FINDING: f64 = 0.7;
/// The same for short texts: nearly all words, one thing.
const SHORT: (f64, f64) = (0.8, 1.0);
/// How much less than its best match an item may share with a fact.
const NEXT: f64 = 0.1;
/// How many of the latest candidates of each kind an item is compared with.
const DIRECTIVES: usize = 40;
const OPTIONS: usize = 24;
const FINDINGS: usize = 60;

struct Candidate {
    id: FactId,
    msg: MsgIx,
    bag: Bag,
    flags: BTreeSet<String>,
}

pub(super) fn link(scene: &Scene<'_>, _: &[Link]) -> Vec<Link> {
    let facts = scene.facts;
    let directives: Vec<Candidate> = facts
        .directives
        .iter()
        .enumerate()
        .filter(|(_, d)| d.polarity == Polarity::Do)
        .map(|(i, d)| candidate(FactId::Directive(i as u32), d.msg, &d.text))
        .collect();
    let options: Vec<Candidate> =
        scene.options().map(|(i, list, o)| candidate(FactId::Option(i), list.msg, &o.text)).collect();
    let findings: Vec<Candidate> = facts
        .findings
        .findings
        .iter()
        .enumerate()
        .filter(|(_, f)| f.restates.is_none())
        .map(|(i, f)| candidate(FactId::Finding(i as u32), f.msg, &f.title))
        .collect();
    let mut found = Vec::new();
    for (i, item) in facts.plan.items.iter().enumerate() {
        let text = first_text(scene, i).unwrap_or_else(|| item.text.clone());
        let (bag, flags) = (Bag::of(&text), flags(&text));
        let id = FactId::Item(i as u32);
        for (pool, most) in [(&directives, DIRECTIVES), (&options, OPTIONS), (&findings, FINDINGS)] {
            let end = pool.partition_point(|c| c.msg <= item.first_msg);
            let near = pool[end.saturating_sub(most)..end].iter().filter_map(|c| {
                let (share, things) = bag.against(&c.bag);
                let alike = [ENOUGH, SHORT].iter().any(|(enough, least)| share >= *enough && things >= *least);
                // An item is for the request in whose turn it is planned.
                let asked = !matches!(c.id, FactId::Directive(_))
                    || scene.turns().prompt(item.first_msg) == scene.turns().prompt(c.msg);
                // "cancel it" does not say what.
                let says = c.bag.len() >= 2 && bag.len() >= 2;
                let alike = alike && (!matches!(c.id, FactId::Finding(_)) || share >= ENOUGH_FINDING);
                (alike && says && asked && agree(&flags, &c.flags)).then_some((c, share))
            });
            let mut near: Vec<(&Candidate, f64)> = near.collect();
            let best = near.iter().map(|(_, share)| *share).fold(0.0, f64::max);
            // Options exclude each other: an item takes up the one it is most like.
            let least =
                if matches!(near.first(), Some((Candidate { id: FactId::Option(_), .. }, _))) { 0.0 } else { NEXT };
            near.retain(|(_, share)| *share >= best - least);
            found.extend(near.into_iter().map(|(c, share)| Link {
                from: id,
                from_msg: item.first_msg,
                kind: LinkKind::Mirrors,
                to: c.id,
                to_msg: c.msg,
                confidence: (share * 100.0).round() / 100.0,
                span: None,
            }));
        }
    }
    found
}

fn candidate(id: FactId, msg: MsgIx, text: &str) -> Candidate {
    Candidate { id, msg, bag: Bag::of(text), flags: flags(text) }
}

/// Command-line flags that a text names.
fn flags(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| c.is_whitespace() || "`'\"(),;".contains(c));
    words.filter(|w| w.len() > 3 && w.starts_with("--")).map(|w| w.trim_end_matches(['.', ':']).to_owned()).collect()
}

/// Texts that both name flags are about the same thing only when they share one.
fn agree(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    a.is_empty() || b.is_empty() || !a.is_disjoint(b)
}

/// An item's wording when it was first written.
fn first_text(scene: &Scene<'_>, item: usize) -> Option<String> {
    let plan = &scene.facts.plan;
    let msg = plan.items.get(item)?.first_msg;
    let at = plan.snapshots.partition_point(|s| s.msg < msg);
    let mut of_msg = plan.snapshots[at..].iter().take_while(|s| s.msg == msg);
    of_msg.find_map(|s| s.items.iter().find(|i| i.item.is_some_and(|x| x.0 as usize == item))).map(|i| i.text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Config, extract};
    use crate::session::build::SessionBuilder;
    use serde_json::json;

    #[test]
    fn ties_items_to_what_was_asked() {
        let todos = json!({"todos": [
            {"content": "Write notes.md with all changes", "status": "pending", "activeForm": "x"},
            {"content": "Rerun the full load benchmark", "status": "pending", "activeForm": "x"},
            {"content": "Clean the kitchen", "status": "pending", "activeForm": "x"}
        ]});
        let session = SessionBuilder::new()
            .user("write down in notes.md, then rerun the load benchmark")
            .call("TodoWrite", todos, "ok")
            .build();
        let facts = extract(&session, &Config::default());
        let links = super::super::link(&session, &facts);
        let got: Vec<_> = links.iter().filter(|l| l.kind == LinkKind::Mirrors).map(|l| (l.from, l.to)).collect();
        assert_eq!(got, [(FactId::Item(0), FactId::Directive(0)), (FactId::Item(1), FactId::Directive(1))]);
    }

    #[test]
    fn an_item_about_another_flag_takes_no_option_up() {
        let todos = json!({"todos": [{"content": "Try --enable-fast-sum", "status": "pending", "activeForm": "x"}]});
        let session = SessionBuilder::new()
            .user("Potential next steps:\n\n1. Try --enable-slow-copy\n2. Consider --enable-fast-sum\n3. Try it on Sundays")
            .call("TodoWrite", todos, "ok")
            .build();
        let facts = extract(&session, &Config::default());
        let links = super::super::link(&session, &facts);
        let options = |l: &&Link| l.kind == LinkKind::Mirrors && matches!(l.to, FactId::Option(_));
        let got: Vec<_> = links.iter().filter(options).map(|l| l.to).collect();
        assert_eq!(got, [FactId::Option(1)]);
    }
}
