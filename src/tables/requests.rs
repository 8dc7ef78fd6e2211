//! `directives` and `options`: what the user asked for, and what was put to choice.

use std::collections::BTreeMap;

use super::value::word;
use super::{NAMED, Rows, Scope, Table, int, text};
use crate::link::{FactId, LinkKind, fate};
use crate::session::MsgIx;

pub(super) const DIRECTIVES: Table = Table {
    name: "directives",
    about: "One thing the user asked for.",
    head: NAMED,
    own: &[
        int("position", "", "order in the message, from 1"),
        text("verb", "verb it starts with, lower case"),
        text("text", "the directive, an exact substring of the source"),
        text("constraint_text", "constraint, as written"),
        text("polarity", "do, dont or constraint"),
        text("mirrored_item", "plan_items.item_id of the first plan item that mirrors it; the rest stand in links"),
        int("acted_msg", "", "message of the first call that acts on it; the rest stand in links"),
        text("object", "what the verb acts on, as written"),
        text("condition", "condition under which it is asked for, as written"),
        text("quote", "the bytes it was read from"),
    ],
    rows: directives,
};

fn directives<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let mirrored = first_links(scope, LinkKind::Mirrors);
    let acted = first_links(scope, LinkKind::ActsOn);
    for (i, d) in scope.analysis.facts.directives.iter().enumerate() {
        let id = FactId::Directive(i as u32);
        out.named(
            scope.id(id),
            Some(d.msg),
            [
                d.position.into(),
                (&d.verb).into(),
                (&d.text).into(),
                (&d.constraint).into(),
                word(&d.polarity),
                mirrored.get(&id).map(|&(_, item)| scope.id(item)).into(),
                acted.get(&id).map(|&(msg, _)| scope.msg(msg)).into(),
                (&d.object).into(),
                (&d.condition).into(),
                scope.quote(&d.span).into(),
            ],
        );
    }
}

/// Per object, the first subject (in reading order) that a link of this kind names.
fn first_links(scope: &Scope<'_>, kind: LinkKind) -> BTreeMap<FactId, (MsgIx, FactId)> {
    let mut first = BTreeMap::new();
    for link in scope.analysis.links.iter().filter(|l| l.kind == kind) {
        let subject = (link.from_msg, link.from);
        let known = first.entry(link.to).or_insert(subject);
        *known = subject.min(*known);
    }
    first
}

pub(super) const OPTIONS: Table = Table {
    name: "options",
    about: "One option, or one next step, of a list.",
    head: NAMED,
    own: &[
        text("text", "text, an exact substring of the source"),
        text(
            "fate",
            "selected, taken up later, omitted (another was chosen from a list that allows one); NULL = not known",
        ),
        text("list", "heading or sentence that introduces the list"),
        int("position", "", "place in the list, from 1"),
        int("fate_msg", "", "message that selects or omits it"),
    ],
    rows: options,
};

fn options<'a>(scope: &Scope<'a>, out: &mut Rows<'a, '_>) {
    let fates = fate::options(&scope.analysis.facts, &scope.analysis.links);
    let lists = scope.analysis.facts.options.iter();
    let all = lists.flat_map(|list| list.options.iter().enumerate().map(move |(n, o)| (list, n, o)));
    for (i, (list, n, option)) in all.enumerate() {
        let id = FactId::Option(i as u32);
        let fate = fates.get(i).copied().flatten();
        out.named(
            scope.id(id),
            Some(list.msg),
            [
                (&option.text).into(),
                fate.map(|f| f.word).into(),
                (&list.title).into(),
                (n + 1).into(),
                fate.map(|f| scope.msg(f.msg)).into(),
            ],
        );
    }
}
